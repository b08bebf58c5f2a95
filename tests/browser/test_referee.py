"""The referee's page: one press accepts, nothing is sent twice, a dead page takes no input."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from page_fakes import sheets, states
from page_fakes.hub import Complaints, FakeHub, OpenPage, Server, sent, still
from playwright.sync_api import Page, expect

from marker_hub.web.port import CommandResult

pytestmark = pytest.mark.browser
PHONE = (390, 844)


def asking() -> dict[str, Any]:
    """Shot 42 is being asked about."""
    return states.live_two_pins() | {"phase": "asking", "asking": {"shot": 42, "questions": 2}}


@pytest.fixture
def referee(open_page: OpenPage, hub: FakeHub) -> Page:
    """The page on a phone, with the sheet of shot 42."""
    hub.views["3"] = asking()
    hub.sheets["3"] = sheets.sheet_42()
    page: Page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot .accept")
    return page


def accept(page: Page) -> Any:
    """The big button."""
    return page.locator(".foot .accept")


def test_one_press_accepts_what_the_button_says(referee: Page, hub: FakeHub) -> None:
    """The likeliest answers are chosen; the button names points and both scores; the command carries key and position."""
    expect(accept(referee)).to_contain_text("Принять +8")
    expect(accept(referee)).to_contain_text("47")
    expect(accept(referee)).to_contain_text("55")
    expect(referee.locator(".answer.on")).to_have_count(3)
    accept(referee).click()
    got = sent(referee, hub, 1)[0]
    assert (got["kind"], got["seen"], len(got["key"])) == ("accept", hub.views["3"]["n"], 32)


def test_a_needed_row_blocks_the_accept_and_says_so(referee: Page, hub: FakeHub) -> None:
    """Nothing is guessed: the button is off and names the row."""
    hub.show(asking(), sheets.needed())
    expect(referee.locator(".row.needed")).to_have_count(1)
    expect(accept(referee)).to_be_disabled()
    expect(referee.locator(".foot .reason")).to_contain_text("Первым биток коснулся шара")
    referee.locator('.row.needed [data-answer="opponent"]').click()
    sent(referee, hub, 1)
    assert hub.commands[0]["question"] == "Q1"
    assert hub.commands[0]["answer"] == "opponent"


def test_not_seen_is_an_answer(referee: Page, hub: FakeHub) -> None:
    """`did not see` is sent as such and can be taken back."""
    referee.locator('[data-row="Q2"] .unseen-button').click()
    sent(referee, hub, 1)
    assert (hub.commands[0]["question"], hub.commands[0]["answer"]) == ("Q2", "unknown")


def test_calls_toggle_and_show_their_result_at_once(referee: Page, hub: FakeHub) -> None:
    """A chip calls, a second press takes it back; between-stroke calls are off and say why; the foot never moves."""
    still(referee)
    before = accept(referee).bounding_box()
    referee.locator(".calls-row").click()
    expect(referee.locator('.chip[data-code="FP-F.Z"]')).to_be_visible()
    still(referee)
    assert accept(referee).bounding_box() == before
    referee.locator('.chip[data-code="FP-F.Z"]').click()
    sent(referee, hub, 1)
    assert {key: hub.commands[0][key] for key in ("kind", "code", "by", "when")} == {
        "kind": "call",
        "code": "FP-F.Z",
        "by": "A",
        "when": "during",
    }
    hub.show(asking(), sheets.double_hit())
    expect(referee.locator('.chip[data-code="FP-F.Z"]')).to_have_attribute("aria-pressed", "true")
    expect(accept(referee)).to_contain_text("Принять +10")
    expect(accept(referee)).to_contain_text("Ёжиков")
    expect(referee.locator(".later")).to_contain_text("Между ударами")
    expect(referee.locator('.chip[data-code="FP-F.I"]')).to_be_disabled()
    referee.locator('.chip[data-code="FP-F.Z"]').click()
    sent(referee, hub, 2)
    assert hub.commands[1]["kind"] == "uncall"


def test_a_jumped_ball_asks_which(referee: Page, hub: FakeHub) -> None:
    """The call D is not sent before at least one ball is named."""
    referee.locator(".calls-row").click()
    referee.locator('.chip[data-code="FP-F.D"]').click()
    assert hub.commands == []
    referee.get_by_role("button", name="красный", exact=True).click()
    referee.get_by_role("button", name="отметить").click()
    sent(referee, hub, 1)
    assert hub.commands[0]["args"] == ("red",)


def test_two_referees_at_once(referee: Page, hub: FakeHub, complaints: Complaints) -> None:
    """The second one gets 409 with the fresh state: he sees it, is told, and nothing of his press is applied."""
    complaints.allow("409")
    fresh = states.respotting() | {"n": 120}
    hub.answer = lambda *_: CommandResult(409, {"code": "stale", "view": fresh})
    hub.sheets["3"] = sheets.sheet_42(rows=[], proposal=None, shot=None)
    accept(referee).click()
    expect(referee.locator(".foot .reason.flame")).to_contain_text("всё изменилось")
    expect(accept(referee)).to_have_attribute("data-kind", "ready")


def test_a_double_press_sends_once(referee: Page, hub: FakeHub) -> None:
    """After a press the button says `sent` and takes no second one until the hub answers."""
    release = threading.Event()

    def slow(fake: FakeHub, *_: Any) -> None:
        release.wait(0)  # the answer itself is quick; the second press is in the same task

    hub.answer = slow
    referee.evaluate(
        "() => { const button = document.querySelector('.foot .accept'); button.click(); button.click(); }"
    )
    sent(referee, hub, 1)
    referee.wait_for_timeout(300)
    assert [command["kind"] for command in hub.commands] == ["accept"]


def test_a_tap_never_does_what_the_button_did_not_say_yet(referee: Page, hub: FakeHub) -> None:
    """Another referee accepts in the same moment: the tap that was meant to accept must not record a stroke."""
    referee.evaluate("""() => {
        const button = document.querySelector('.foot .accept');
        new MutationObserver((_, observer) => {
            if (button.dataset.kind !== 'strike') return;
            observer.disconnect();
            button.click();
        }).observe(button, { attributes: true });
    }""")
    hub.show(states.five_pins(), sheets.sheet_42(rows=[], proposal=None, shot=None))
    expect(referee.locator(".foot .accept.on")).to_have_attribute("data-kind", "strike")
    assert hub.commands == []
    referee.evaluate("() => document.querySelector('.foot .accept').click()")
    assert sent(referee, hub, 1)[0]["kind"] == "strike"


def test_with_ball_in_hand_nothing_more_must_be_said(open_page: OpenPage, hub: FakeHub) -> None:
    """The offender's ball stays where it is unless the player wants it moved: the big button is on, the wish is one press."""
    due = {
        "kind": "shot",
        "player": "B",
        "choices": ["in_place", "start"],
        "chosen": None,
        "placements": [],
        "mode": "hand",
    }
    hub.views["3"] = states.respotting() | {"phase": "placing", "due": due}
    hub.sheets["3"] = sheets.sheet_42(rows=[], proposal=None, shot=None)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot .accept")
    expect(page.locator('[data-answer="in_place"]')).to_have_attribute("aria-checked", "true")
    expect(page.locator(".foot .accept.on")).to_have_attribute("data-kind", "ready")
    page.locator('[data-answer="start"]').click()
    got = sent(page, hub, 1)[0]
    assert (got["kind"], got["value"]) == ("choice", "start")
    hub.show(hub.views["3"] | {"due": due | {"chosen": "start"}})
    expect(page.locator('[data-answer="start"]')).to_have_attribute("aria-checked", "true")


@pytest.mark.clause("FP-H.5a")
def test_the_wish_of_ball_in_hand_is_offered_without_sensors_too(open_page: OpenPage, hub: FakeHub) -> None:
    """Where nothing is to be placed the table is ready at once: the offender's ball can still be asked to be moved."""
    due = {"kind": "shot", "player": "B", "choices": ["in_place", "start"], "chosen": None}
    hub.views["3"] = states.five_pins(due=due | {"placements": [], "mode": "hand"})
    hub.sheets["3"] = sheets.sheet_42(rows=[], proposal=None, shot=None)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot .accept")
    expect(accept(page)).to_have_attribute("data-kind", "strike")
    page.locator('[data-answer="start"]').click()
    got = sent(page, hub, 1)[0]
    assert (got["kind"], got["value"]) == ("choice", "start")


def test_the_next_shot_starts_with_its_sheet_and_with_the_striker(referee: Page, hub: FakeHub) -> None:
    """What was chosen for the waiting player of one shot is not called on him in the next one."""
    referee.locator(".calls-row").click()
    referee.locator(".who .answer").nth(1).click()
    expect(referee.locator(".who .answer").nth(1)).to_have_attribute("aria-checked", "true")
    accept(referee).click()
    sent(referee, hub, 1)
    hub.show(states.five_pins(), sheets.sheet_42(rows=[], proposal=None, shot=None))
    expect(referee.locator(".ref.panel-sheet")).to_have_count(1)
    hub.show(asking() | {"asking": {"shot": 43, "questions": 2}}, sheets.sheet_42(shot=43))
    referee.locator(".calls-row").click()
    expect(referee.locator(".who .answer").first).to_have_attribute("aria-checked", "true")


def test_a_language_is_chosen_and_the_menu_stays(referee: Page, hub: FakeHub) -> None:
    """The page comes back with its menu: under the thumb is what was there, not the undo of a shot."""
    referee.locator(".menu-button").click()
    with referee.expect_navigation():
        referee.get_by_role("radio", name="English").click()
    expect(referee.locator(".ref.panel-menu")).to_have_count(1)
    expect(referee.locator(".menu-button")).to_have_text("Menu")
    expect(referee.locator(".foot .side-button")).not_to_contain_text("Undo")
    referee.reload()
    expect(referee.locator(".ref.panel-sheet")).to_have_count(1)


@pytest.mark.report("R054")
def test_lost_wifi_with_a_tap_in_flight(referee: Page, hub: FakeHub, server: Server, complaints: Complaints) -> None:
    """R054: the tablet loses its network while a tap is under way: banner and dead buttons, then one application, no more."""
    complaints.allow("Failed to load resource")
    complaints.allow("ERR_INTERNET_DISCONNECTED")
    delivered = []

    def cut_the_answer(route: Any) -> None:
        delivered.append(route.fetch())  # the hub has it, the tablet never hears of it
        route.abort("internetdisconnected")
        referee.unroute("**/commands")

    referee.route("**/commands", cut_the_answer)
    with referee.expect_response("**/commands"):  # the answer to the repetition
        accept(referee).click()
    assert len(delivered) == 1
    assert [command["kind"] for command in hub.commands] == ["accept"], "the repeated key was applied again"
    port = server.port
    server.stop()
    expect(referee.locator(".foot .reason.flame")).to_contain_text("Нет связи")
    for button in referee.locator(".foot button, .answer, .calls-row").all():
        if "calls-row" not in (button.get_attribute("class") or ""):
            expect(button).to_be_disabled()
    again = Server(hub, port=port)
    try:
        hub.show(states.respotting(), sheets.sheet_42(rows=[], proposal=None, shot=None))
        expect(accept(referee)).to_have_attribute("data-kind", "ready")
        expect(accept(referee)).to_be_enabled()
        assert len(hub.commands) == 1
    finally:
        again.stop()


def test_keys_answer_accept_and_undo(referee: Page, hub: FakeHub) -> None:
    """Digits answer the row in hand, Enter accepts, u undoes, c opens the calls, Escape comes back."""
    referee.locator("body").press("2")
    sent(referee, hub, 1)
    referee.locator("body").press("Enter")
    sent(referee, hub, 2)
    referee.locator("body").press("u")
    sent(referee, hub, 3)
    assert [(command["kind"], command.get("answer")) for command in hub.commands] == [
        ("answer", "red"),
        ("accept", None),
        ("undo", None),
    ]
    referee.locator("body").press("c")
    expect(referee.locator(".chips").first).to_be_visible()
    referee.locator("body").press("Escape")
    expect(referee.locator(".chips")).to_have_count(0)


def test_targets_are_large_enough_for_thumbs(referee: Page) -> None:
    """Answers 56 px, the big button more, every other control 44 px in its smaller direction."""
    small = referee.evaluate("""() => [...document.querySelectorAll('button')].map((button) => {
        const box = button.getBoundingClientRect();
        const least = button.matches('.answer, .chip, .calls-row, .accept, .side-button') ? 56 : 40;
        return [button.textContent, Math.round(box.height), least];
    }).filter(([, height, least]) => height < least)""")
    assert small == []


@pytest.mark.report("R029")
def test_raw_facts_tell_no_data_from_fault_and_from_not_seen(open_page: OpenPage, hub: FakeHub) -> None:
    """R029: every observation with source and status; the three kinds of nothing differ by word and by shape."""
    hub.views["3"] = asking() | {"node": "offline"}
    hub.sheets["3"] = sheets.sheet_42()
    page = open_page("/tables/3/referee", size=(1440, 900), role="referee", wait=".facts")
    expect(page.locator(".facts tbody tr")).to_have_count(7)
    rows = {
        status: page.locator(f'.facts [data-status="{status}"]').first for status in ("not_seen", "no_data", "fault")
    }
    assert [rows[status].locator("td").last.inner_text() for status in rows] == ["не было", "нет данных", "неисправен"]
    marks = {rows[status].locator("svg").inner_html() for status in rows}
    assert len(marks) == 3
    colours = {status: rows[status].evaluate("row => getComputedStyle(row).color") for status in rows}
    assert colours["no_data"] != colours["fault"], "offline is grey, not the colour of a fault"
    expect(page.locator(".sensor.absent")).to_have_count(6)
    expect(page.locator(".raw .notice")).to_contain_text("датчики молчат")


@pytest.mark.report("R025")
def test_a_correction_does_not_stand_in_the_way_of_the_next_shot(open_page: OpenPage, hub: FakeHub) -> None:
    """R025: with the correction of shot 41 open a new shot comes: it is shown, can be accepted, and the draft stays as it was."""
    shot = {
        "shot": 41,
        "striker": "B",
        "status": "final",
        "ruling": states.SIX,
        "old": None,
        "score": {"A": 47, "B": 38},
        "at_ms": states.NOW_MS,
        "events": [],
    }
    hub.match_data["m1"] = {
        "id": "m1",
        "games_list": [{"n": 3, "winner": None, "score": {"A": 47, "B": 38}, "shots": [shot]}],
    }
    hub.sheets["3"] = sheets.sheet_42(rows=[], proposal=None, shot=None)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot .accept")
    page.locator(".menu-button").click()
    page.get_by_role("button", name="Удары и исправления").click()
    page.locator(".shot-line").first.click()
    page.get_by_role("radio", name="Константинопольский-П.").click()
    hub.show(asking(), sheets.sheet_42())
    expect(page.locator(".result.provisional")).to_contain_text("+8")
    expect(page.locator(".body")).to_contain_text("Удар 41")
    expect(page.get_by_role("radio", name="Константинопольский-П.")).to_have_attribute("aria-checked", "true")
    expect(accept(page)).to_contain_text("Принять +8")
    accept(page).click()
    sent(page, hub, 1)
    assert [command["kind"] for command in hub.commands] == ["accept"]
    hub.answer = lambda *_: CommandResult(
        200,
        {
            "n": 1,
            "preview": {
                "before": {"A": 55, "B": 38},
                "after": {"A": 61, "B": 32},
                "changed": [{"shot": 41, "old": states.SIX, "new": states.ruling(), "open": False}],
                "winner": None,
                "set_aside": [],
            },
        },
    )
    page.get_by_role("button", name="Показать, что выйдет").click()
    expect(page.locator(".preview")).to_contain_text("61:32")
    assert hub.commands[-1]["changes"] == {"striker": "A"}
    assert hub.commands[-1]["dry_run"] is True
    page.get_by_role("button", name="Принять исправление").click()
    sent(page, hub, 3)
    assert (hub.commands[-1]["kind"], hub.commands[-1]["dry_run"]) == ("amend", False)


def test_a_match_is_set_up_on_one_screen(open_page: OpenPage, hub: FakeHub) -> None:
    """Two names and one press; the names' language is that of their script; last time's values come back."""
    hub.views["3"] = states.five_pins(match=None, players=None, phase="idle", turn=None, last=None)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".pair")
    expect(accept(page)).to_be_disabled()
    boxes = page.locator(".pair input")
    boxes.nth(0).fill("Ёжиков")
    boxes.nth(2).fill("Castelnuovo")
    accept(page).click()
    got = sent(page, hub, 1)[0]
    assert got["players"]["A"] == {"name": "Ёжиков", "lang": "ru"}
    assert got["players"]["B"]["lang"] == "en"
    assert got["options"] == {"points_limit": 60, "games": 3}
    assert got["policy"] == "referee"
    page.reload()
    page.wait_for_selector(".pair")
    expect(page.locator(".pair input").nth(0)).to_have_value("Ёжиков")


def test_a_ruling_by_hand_needs_its_note(referee: Page, hub: FakeHub) -> None:
    """FP-P.3: without a note the button is off."""
    referee.locator(".menu-button").click()
    referee.get_by_role("button", name="Решение вручную").click()
    do = referee.get_by_role("button", name="Решить так")
    expect(do).to_be_disabled()
    referee.get_by_role("button", name="больше").first.click()
    referee.get_by_label("Примечание").fill("свет погас")
    do.click()
    sent(referee, hub, 1)
    assert {key: hub.commands[0][key] for key in ("kind", "points", "next", "ball_in_hand", "note")} == {
        "kind": "manual",
        "points": {"A": 1, "B": 0},
        "next": "B",
        "ball_in_hand": False,
        "note": "свет погас",
    }


def test_a_match_without_shot_clock_says_so(open_page: OpenPage, hub: FakeHub) -> None:
    """Off is sent as such; a switch with a row of its own is not asked a second time among the rules."""
    hub.views["3"] = states.pyramid(
        id="3", match=None, players=None, phase="idle", turn=None, last=None, profile="pyramid"
    )
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".pair")
    boxes = page.locator(".pair input")
    boxes.nth(0).fill("Ёжиков")
    boxes.nth(2).fill("Цой")
    page.get_by_role("radiogroup", name="Часы удара").get_by_role("radio").first.click()
    page.locator("summary").click()
    expect(page.get_by_text("п. 28.1, 29.2").first).to_be_visible()
    form = page.locator("details.more").inner_text()
    assert re.findall(r"\b(?:RP|FP|EXT)-|[a-z]+_[a-z]+|\bfalse\b|\btrue\b", form) == [], "codes on the form"
    expect(page.get_by_text("время на удар, секунды")).to_have_count(0)
    accept(page).click()
    assert sent(page, hub, 1)[0]["options"] == {"race_to": 5, "shot_clock_s": 0}


def test_a_match_starts_with_what_the_table_is_configured_to(open_page: OpenPage, hub: FakeHub) -> None:
    """Limit, games, preset, switches and policy are the table's until somebody chooses others; a limit of the house is shown."""
    options = {"points_limit": 45, "games": 5, "need_full": False}
    table = {"game": "five-pins", "preset": "italian-pro", "options": options, "policy": "auto"}
    hub.views["3"] = states.five_pins(match=None, players=None, phase="idle", turn=None, last=None, setup=table)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".pair")
    expect(page.get_by_role("radio", name="45", exact=True)).to_have_attribute("aria-checked", "true")
    boxes = page.locator(".pair input")
    boxes.nth(0).fill("Ёжиков")
    boxes.nth(2).fill("Цой")
    accept(page).click()
    got = sent(page, hub, 1)[0]
    assert (got["options"], got["preset"], got["policy"]) == (options, "italian-pro", "auto")


def test_an_earlier_fact_of_a_correction_asks_anew_what_followed_from_it(open_page: OpenPage, hub: FakeHub) -> None:
    """The likeliest answer chosen by the page for one choice is not sent along with another one."""
    first = {"id": "Q1", "multi": False, "text": {"ru": "Первым"}, "selected": None}
    first |= {"answers": [{"id": one, "label": {"ru": one}} for one in ("opponent", "red")]}
    after = {"id": "Q9", "multi": False, "text": {"ru": "Потом"}, "selected": "yes"}
    after |= {"answers": [{"id": one, "label": {"ru": one}} for one in ("yes", "no")]}
    shot = {"shot": 41, "striker": "B", "status": "final", "ruling": states.SIX, "old": None, "events": []}
    hub.match_data["m1"] = {
        "id": "m1",
        "games_list": [{"n": 3, "winner": None, "score": {"A": 47, "B": 38}, "shots": [shot]}],
    }
    hub.views["3"] = states.five_pins()
    hub.sheets["3"] = sheets.sheet_42(rows=[first], proposal=None, shot=41)
    score = {"before": {"A": 55, "B": 38}, "after": {"A": 61, "B": 32}, "changed": [], "winner": None, "set_aside": []}
    ask = {"rows": [after], "needed": ["Q9"], "certain": False}
    hub.answer = lambda *_: CommandResult(200, {"n": 1, "preview": score | {"sheet": ask}})
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot .accept")
    page.locator(".menu-button").click()
    page.get_by_role("button", name="Удары и исправления").click()
    page.locator(".shot-line").first.click()
    page.get_by_role("radio", name="opponent", exact=True).click()
    page.get_by_role("button", name="Показать, что выйдет").click()
    sent(page, hub, 2)
    assert hub.commands[1]["changes"] == {"answers": {"Q1": "opponent", "Q9": "yes"}}
    page.get_by_role("radio", name="red", exact=True).click()
    expect(page.get_by_role("radio", name="yes", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Показать, что выйдет").click()
    sent(page, hub, 3)
    assert hub.commands[2]["changes"] == {"answers": {"Q1": "red"}}


def test_five_pins_offers_no_break_that_its_rules_refuse(referee: Page) -> None:
    """Its breaks are those of the schedule; the other interruptions are there."""
    referee.locator(".menu-button").click()
    referee.get_by_role("button", name="Перерывы и помехи").click()
    expect(referee.get_by_role("heading", name="Прервать матч")).to_have_count(1)
    expect(referee.get_by_role("heading", name="Перерыв по просьбе игрока")).to_have_count(0)
