"""Who got what and why, on every page: points, awards, extra time; no code where words belong, nothing missed where nothing is."""

from __future__ import annotations

from typing import Any

import pytest
from page_fakes import sheets, states
from page_fakes.hub import FakeHub, OpenPage, Server, sent
from playwright.sync_api import Page, expect

from marker_hub.service.threshold import law
from marker_hub.web.port import CommandResult

pytestmark = pytest.mark.browser
PHONE = (390, 844)
PINS = ["верхняя", "левая", "центральная", "правая", "нижняя"]
CUT = states.ruling(
    limit={"wanted": 8, "given": 3},
    winner="A",
    subject="A",
    score_after={"A": 60, "B": 38},
    said=dict.fromkeys(("ru", "en", "it"), "карамболь 4, две боковые фишки 4, выигрыш партии"),
)
FOUL = states.RED_FIRST | {"said": states.RED_FIRST["sentence"], "subject": "B"}


def shot(number: int, striker: str, ruling: dict[str, Any]) -> dict[str, Any]:
    """A judged shot of a recorded match."""
    fields = {"shot": number, "striker": striker, "status": "final", "ruling": ruling, "old": None, "events": []}
    return fields | {"score": ruling["score_after"], "at_ms": states.NOW_MS, "by": "referee"}


def recorded(hub: FakeHub) -> None:
    """The match at table 3: a shot cut to the limit, and a foul that gave points to the player who did not strike."""
    made = states.recorded_match(shots=2, game_count=1)
    made["games_list"][0]["shots"] = [shot(1, "B", FOUL), shot(2, "A", CUT)]
    made["awards"] = [{"what": "match", "to": "B", "game_no": 1, "note": "неявка"}]
    hub.match_data["m1"] = made


def between(hub: FakeHub, **over: Any) -> None:
    """Table 3 waits for a stroke."""
    hub.views["3"] = states.five_pins(**over)
    hub.sheets["3"] = sheets.sheet_42(rows=[], proposal=None, shot=None)


def menu(page: Page, entry: str) -> None:
    """Opens a panel by the menu."""
    page.locator(".menu-button").click()
    page.locator("nav.stack").get_by_role("button", name=entry).click()


def test_lists_of_shots_name_who_got_the_points_and_what_the_limit_cut(open_page: OpenPage, hub: FakeHub) -> None:
    """The referee's list, the preview of a correction, the match page."""
    recorded(hub)
    between(hub)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot")
    menu(page, "Удары и исправления")
    lines = page.locator(".shot-line")
    expect(lines.nth(0).locator(".gets")).to_have_text("+3")  # his name stands beside it: he struck
    expect(lines.nth(0)).to_contain_text("+3 из 8: партия до 60 (п. 2.3)")
    expect(lines.nth(1).locator(".gets")).to_have_text("+4 Константинопольский-П.")
    seen = {"before": {"A": 55, "B": 38}, "after": {"A": 60, "B": 38}, "winner": None, "set_aside": []}
    seen["changed"] = [{"shot": 2, "old": states.SIX, "new": CUT, "open": False}]
    hub.answer = lambda *_: CommandResult(200, {"n": 1, "preview": seen})
    lines.nth(0).click()
    page.get_by_role("button", name="Показать, что выйдет").click()
    item = page.locator(".preview li")
    expect(item.locator("s")).to_have_text("+6 Ёжиков")
    expect(item).to_contain_text("+3 Константинопольский-П.")
    expect(item).to_contain_text("+3 из 8: партия до 60 (п. 2.3)")
    public = open_page("/matches/m1", size=(1440, 960), wait=".shots-table")
    rows = public.locator(".shots-table tbody tr")
    expect(rows.nth(0).locator(".gets")).to_have_text("+3")
    expect(rows.nth(0)).to_contain_text("+3 из 8: партия до 60 (п. 2.3)")
    expect(rows.nth(0).locator(".to")).to_have_count(0)
    expect(rows.nth(1).locator(".to")).to_contain_text("очки: Константинопольский-П.")
    expect(public.locator(".match-sub .awarded")).to_have_text("Матч присуждён: Ёжиков")
    expect(public.locator("p.awarded")).to_have_text("Матч присуждён: Ёжиков")


def test_the_cut_is_told_at_the_table_too(open_page: OpenPage, hub: FakeHub) -> None:
    """Referee and crowd read both numbers, the limit and its clause; a ruling without a number shows no id of ours."""
    between(hub, last={"shot": 44, "status": "final", "ruling": CUT, "old": None}, phase="game_over", turn=None)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot")
    expect(page.locator(".result .cut")).to_have_text("+3 из 8: партия до 60 (п. 2.3)")
    display = open_page("/tables/3", wait=".board")
    expect(display.locator(".band .of")).to_have_text("+3 из 8: партия до 60 (п. 2.3)")
    manual = CUT | {"public": dict.fromkeys(("ru", "en", "it"), ""), "clauses": ["FP-P.3"], "limit": None}
    hub.show(states.five_pins(last={"shot": 45, "status": "manual", "ruling": manual, "old": None}))
    expect(display.locator(".band .tag")).to_have_text("Решение, вручную")
    expect(display.locator(".band .clause")).to_have_text("")


def test_an_award_is_asked_for_again_and_stays_told(open_page: OpenPage, hub: FakeHub) -> None:
    """The first tap shows what would follow, the second does it; afterwards display and referee say it, he also why."""
    between(hub)
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot")
    menu(page, "Присудить партию")
    page.get_by_label("Примечание").fill("неявка")
    page.get_by_role("button", name="Ёжиков").last.click()
    expect(page.locator(".preview")).to_contain_text("Матч присуждён: Ёжиков")
    page.get_by_role("button", name="Отказаться").click()
    assert hub.commands == []
    page.get_by_role("button", name="Ёжиков").last.click()
    page.get_by_role("button", name="Да, присудить матч").click()
    expect(page.locator(".ref.panel-sheet")).to_have_count(1)
    assert [(one["kind"], one["to"], one["note"]) for one in hub.commands] == [("award_match", "B", "неявка")]
    award = {"what": "match", "to": "B", "game_no": 3}
    view = states.five_pins(phase="match_over", winner="B", turn=None, award=award)
    hub.show(view, sheets.sheet_42(rows=[], proposal=None, shot=None, award=award | {"note": "неявка"}))
    expect(page.locator(".result")).to_contain_text("Матч присуждён: Ёжиков")
    expect(page.locator(".result")).to_contain_text("Примечание: неявка")
    display = open_page("/tables/3", wait=".board")
    expect(display.locator(".band .said")).to_have_text("Матч присуждён: Ёжиков")
    expect(display.locator(".side.b .verdict")).to_have_text("матч присуждён")
    expect(display.locator("body")).not_to_contain_text("неявка")


@pytest.mark.clause("RP-28.2a")
def test_extra_time_is_not_spent_silently(open_page: OpenPage, hub: FakeHub) -> None:
    """The key says what it takes before it is pressed and that it is a foul with none left; afterwards it says what was taken."""
    view = states.pyramid(phase="armed")
    view["clock"] |= {"remaining_ms": 0, "expired": True, "warn": True, "extend": True, "taken": 0}
    hub.views["5"] = view
    page = open_page("/tables/5/referee", size=PHONE, role="referee", wait=".foot")
    key = page.locator(".clock-line").get_by_role("button", name="Время?")
    expect(key).to_contain_text("берёт доп. время, останется 0")
    view["players"]["A"]["extensions_left"] = 0
    hub.show(view | {"clock": view["clock"] | {"taken": 1, "extend": False}})
    expect(page.locator(".clock-line .taken")).to_have_text("Бармалей-Ёжикова: взято доп. время, ещё 0")
    expect(key).to_contain_text("доп. времени нет: нарушение")


def test_a_stroke_after_time_is_told_as_such(open_page: OpenPage, hub: FakeHub) -> None:
    hub.views["5"] = states.pyramid(phase="asking", notices=[{"code": "struck-late", "args": {"shot": 28}}])
    hub.sheets["5"] = sheets.sheet_42(shot=27)
    page = open_page("/tables/5/referee", size=PHONE, role="referee", wait=".foot")
    expect(page.locator(".notices")).to_contain_text("Удар 28 пришёл после «Время»")


def test_a_table_without_sensors_looks_whole(open_page: OpenPage, hub: FakeHub) -> None:
    """R029: no page says that data are missing where none were ever to come."""
    between(hub, watched=False, sensors=[], node="none")
    hub.sheets["3"] |= {"observations": []}
    hub.services["3"] = states.service_pyramid() | {"id": "3", "profile": "carom5", "fitted": False, "node": None}
    page = open_page("/tables/3/referee", size=(1440, 900), role="referee", wait=".raw")
    expect(page.locator(".raw")).to_have_text("У этого стола нет датчиков: что произошло, отмечает судья.")
    expect(page.locator(".evidence")).to_have_count(0)
    service = open_page("/service/3", size=PHONE, role="admin", wait=".unfitted")
    expect(service.locator(".unfitted")).to_contain_text("sensors = false")
    for shown in (page, service):
        expect(shown.locator("body")).not_to_contain_text("нет данных")


def test_pins_stand_in_one_order_everywhere(open_page: OpenPage, hub: FakeHub) -> None:
    """As the drawing is read: question, seats, correction, sensors; what is sent keeps the order of the question."""
    asked = {"id": "QP", "multi": True, "text": sheets.words("Какие фишки упали"), "origin": "needed", "selected": None}
    labels = dict(zip("NWCES", PINS, strict=True))
    asked["answers"] = [{"id": pin, "label": sheets.words(labels[pin]), "selected": False} for pin in "CNESW"]
    recorded(hub)
    hub.views["3"] = states.live_two_pins() | {"phase": "asking", "asking": {"shot": 42, "questions": 1}}
    hub.views["3"]["sensors"] = [{"channel": pin, "quality": "ok"} for pin in "CNESW"]
    hub.sheets["3"] = sheets.sheet_42(rows=[asked], proposal=None, acceptable=False)
    page = open_page("/tables/3/referee", size=(1440, 900), role="referee", wait=".foot")
    expect(page.locator(".row .answer .label")).to_have_text(["верх", "лево", "центр", "право", "низ"])
    expect(page.locator(".raw .sensor .bold")).to_have_text(list("NWCES"))
    for count, pin in enumerate(("W", "C"), 1):
        page.locator(f'[data-answer="{pin}"]').click()
        sent(page, hub, count)
        page.wait_for_function("() => !document.querySelector('.answer:disabled')")
    assert [one["answer"] for one in hub.commands] == ["W", "C"]
    menu(page, "Удары и исправления")
    page.locator(".shot-line").first.click()
    expect(page.locator("fieldset").filter(has_text="Упали фишки").locator("button")).to_have_text(PINS)


def service_carom(**over: Any) -> dict[str, Any]:
    """The service view of a five-pins table."""
    channel = states.service_pyramid()["channels"][0]
    pins = [channel | {"channel": pin, "kind": "pin", "quality": "ok", "threshold_v": None} for pin in "CNESW"]
    rails = [channel | {"channel": f"PZ{n}"} for n in range(1, 5)] + [channel | {"channel": "CLICK", "kind": "click"}]
    view = states.service_pyramid() | {"id": "3", "name": "3", "profile": "carom5", "threshold": law(), "events": []}
    return view | {"channels": pins + rails} | over


def test_the_pins_of_the_service_drawing_stay(open_page: OpenPage, hub: FakeHub) -> None:
    """Drawn again with every poll, each pin keeps its figure, its mark and its name; the channels stand in their order."""
    hub.services["3"] = service_carom()
    page = open_page("/service/3", size=(1440, 960), role="admin", wait=".channels")
    for quality in ("noisy", "ok", "stuck"):  # each is a new drawing of the page
        hub.services["3"] = service_carom()
        hub.services["3"]["channels"][2]["quality"] = quality
        expect(page.locator(".channels tr", has=page.get_by_role("button", name="E", exact=True))).to_contain_text(
            {"noisy": "шумит", "ok": "исправен", "stuck": "залип"}[quality]
        )
        assert page.locator(".stage .pin-mark .pin").count() == 5
        assert page.locator(".stage .pin-sign text").all_text_contents() == list("NWCES")
        assert page.locator(".stage .meter").count() == 5
    apart = page.evaluate("""() => {
        const box = (el) => el.getBoundingClientRect();
        const click = box([...document.querySelectorAll('.stage .meter')].find((one) => one.textContent.includes('CLICK')));
        return [...document.querySelectorAll('.stage .pin-mark, .stage .pin-sign')].every((el) => box(el).bottom <= click.top || box(el).top >= click.bottom);
    }""")
    assert apart, "the bar of the click lies over the pins"


@pytest.mark.parametrize(
    ("lang", "text"), [("ru", "Резервная копия не сделана"), ("it", "Nessuna copia fatta"), ("en", "No space left")]
)
def test_what_the_hub_says_of_itself_is_in_the_readers_language(
    open_page: OpenPage, hub: FakeHub, server: Server, lang: str, text: str
) -> None:
    """On the pages of service and administration; the machine's own words follow."""
    notice = {"code": "backup-failed", "text": "No space left"}
    hub.services["3"] = service_carom(notices=[notice])
    hub.admin_data = states.administration()
    hub.admin_data["health"]["notices"] = [notice]
    for path, wait in (("/service/3", ".notes"), ("/admin", ".pairs")):
        page = open_page(f"{path}?lang={lang}", size=PHONE, role="admin", wait=wait)
        expect(page.locator("main")).to_contain_text(text)
        expect(page.locator("main")).to_contain_text("No space left")


def test_a_ruling_by_hand_at_the_opening_says_what_it_replaces(open_page: OpenPage, hub: FakeHub) -> None:
    """FP-P.3, RP-31.3: it stands for the opening stroke or the break; who strikes next is named as it is chosen."""
    between(hub)
    hub.views["3"]["due"]["mode"] = "opening"
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot")
    menu(page, "Решение вручную")
    told = page.locator(".notice.flame")
    expect(told).to_contain_text("заменяет начальный удар")
    expect(told).to_contain_text("дальше бьёт Ёжиков")
    page.get_by_role("radio", name="Константинопольский-П.").click()
    expect(told).to_contain_text("дальше бьёт Константинопольский-П.")
    hub.show(states.five_pins())
    expect(told).to_have_count(0)


def test_rulings_offered_at_once_and_calls_are_worded(open_page: OpenPage, hub: FakeHub) -> None:
    """`A+10*` and `RP-26.1.11` are for machines."""
    between(hub)
    hub.views["3"] = states.live_two_pins() | {"phase": "asking", "asking": {"shot": 42, "questions": 2}}
    hub.sheets["3"] = sheets.sheet_42()
    hub.sheets["3"]["direct"] = [
        {"id": short, "short": short, "story": sheets.words("так было"), "ruling": ruling}
        for short, ruling in (
            ("A+8", {"points": {"A": 8, "B": 0}, "to": "A", "ball_in_hand": False, "kind": "points", "limit": None}),
            ("B+10*", {"points": {"A": 0, "B": 10}, "to": "B", "ball_in_hand": True, "kind": "foul", "limit": None}),
        )
    ]
    words = sheets.words("Время (п. 26.1 (11))")
    hub.sheets["3"]["calls"] = [{"code": "RP-26.1.11", "by": "A", "when": "after", "args": [], "words": words}]
    page = open_page("/tables/3/referee", size=PHONE, role="referee", wait=".foot")
    offered = page.locator(".row").filter(has_text="Сразу решение").locator(".label")
    expect(offered).to_have_text(["+8 Константинопольский-П.", "+10 Ёжиков, с руки"])
    expect(page.locator(".calls-row")).to_contain_text("Время (п. 26.1 (11))")
    expect(page.locator(".side-button .takes")).to_have_text("принятое решение")
