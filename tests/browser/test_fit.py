"""No text is cut and no two touch: the longest sentences the rules make, the longest names, from phone to 4K."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from page_fakes import states
from page_fakes.hub import FakeHub, OpenPage, Server, drawn, still
from playwright.sync_api import Page, expect

from marker_hub.web.settings import WebSettings

pytestmark = pytest.mark.browser
FAULTS = r"""() => {
    const found = [];
    const items = [];
    const put = (el, text, box, trim) => {
        const it = { el, text, l: box.left, r: box.right, t: box.top + box.height * trim, b: box.bottom - box.height * trim };
        if (it.l < -1 || it.r > innerWidth + 1) found.push(`outside: ${text}`);
        for (let place = el; place && place !== document.body; place = place.parentElement) {
            const style = getComputedStyle(place);
            if (style.overflow === 'visible' && !/paint|strict|content/.test(style.contain)) continue;
            const room = place.getBoundingClientRect();
            if (/auto|scroll/.test(style.overflow)) {
                [it.t, it.b] = [Math.max(it.t, room.top), Math.min(it.b, room.bottom)];
                break;
            }
            if (it.l < room.left - 1 || it.r > room.right + 1 || it.t < room.top - 1 || it.b > room.bottom + 1) {
                found.push(`cut: ${text} by ${place.className}`);
                break;
            }
        }
        items.push(it);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { currentNode: node } = walker;
        const el = node.parentElement;
        if (!node.nodeValue.trim() || !el.checkVisibility() || el.closest('noscript, option, svg, .unseen')) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) if (box.width > 1) put(el, node.nodeValue.trim(), box, 0.2);
    }
    for (const el of document.querySelectorAll('svg.ball, svg.tip, svg.slot')) {
        if (el.checkVisibility()) put(el, el.getAttribute('class'), el.getBoundingClientRect(), 0);
    }
    items.forEach((a, at) => items.slice(at + 1).forEach((b) => {
        if (Math.min(a.r, b.r) - Math.max(a.l, b.l) > 1 && Math.min(a.b, b.b) - Math.max(a.t, b.t) > 1) found.push(`touch: ${a.text} | ${b.text}`);
    }));
    return [...new Set(found)];
}"""
LONG_IT = {"name": "Bonaventura-Castelnuovo", "given": "", "lang": "it"}
SENTENCES = {
    "ru": (
        "центральная фишка 4, четыре боковые фишки 8, ошибка Д – шар выскочивший 2, ошибка «З» – двойной удар 2, игра с руки",
        "карамболь 4, одна боковая фишка 2, ошибка В – фишки 2, Bonaventura-Castelnuovo: выигрыш партии",
        "карамболь 4",
    ),
    "it": (
        "birillo centrale 4, quattro birilli laterali 8, errore B – pallino 2, errore «Z» – doppio tocco 2, bilia in mano",
        "carambola di rimbalzo 3, birillo centrale 4, due birilli laterali 4, la battente ha abbattuto birilli",
        "carambola 4",
    ),
}


@pytest.fixture
def hall() -> str:
    """The name of the hall, unless a test gives another."""
    return "Зал"


@pytest.fixture
def server(hub: FakeHub, hall: str) -> Iterator[Server]:
    """The web part around that hub, in this hall."""
    made = Server(hub, WebSettings(hall=hall, self_service=True))
    yield made
    made.stop()


def said(text: str, lang: str, **over: Any) -> dict[str, Any]:
    """A ruling with this sentence and as many points as a shot can bring."""
    words = dict.fromkeys(("ru", "en", "it"), text) | {lang: text}
    points = {"to": "B", "points": {"A": 0, "B": 16}, "score_after": {"A": 47, "B": 54}}
    return states.ruling(said=words, subject="A", kind="foul", **points) | over


def faults(page: Page, hub: FakeHub, table: str) -> list[str]:
    """What is cut or touches once the newest state stands."""
    drawn(page, hub, table)
    still(page)
    return list(page.evaluate(FAULTS))


@pytest.mark.parametrize(
    ("size", "lang"), [((3840, 2160), "ru"), ((1920, 1080), "it"), ((1280, 1024), "ru"), ((1080, 1920), "it")]
)
def test_the_sentence_of_a_ruling_is_whole_beside_its_points(
    open_page: OpenPage, hub: FakeHub, size: tuple[int, int], lang: str
) -> None:
    """Proposed with its question mark, corrected with the double rule, cut to the limit: each leaves the sentence its room."""
    page = open_page(f"/tables/3?lang={lang}", size=size, wait=".board")
    players = {
        "A": states.player(states.LONG, ball="white", score=147, games=1),
        "B": states.player(LONG_IT, ball="yellow", score=-12, games=1),
    }
    for text in SENTENCES[lang]:
        ruling = said(text, lang, limit={"wanted": 16, "given": 13})
        hub.show(states.five_pins(players=players, phase="proposed", proposal={"shot": 118, "ruling": ruling}))
        assert faults(page, hub, "3") == []
        hub.show(
            states.five_pins(players=players, last={"shot": 118, "status": "corrected", "ruling": ruling, "old": None})
        )
        assert faults(page, hub, "3") == []
    over = states.five_pins(
        players=players, phase="match_over", winner="A", turn=None, games=[{"n": 1, "winner": "A", "score": {"A": 0, "B": 0}, "forfeit": True}]
    )  # fmt: skip
    hub.show(over)
    assert faults(page, hub, "3") == []
    hub.show(over | {"award": {"what": "match", "to": "A", "game_no": 5}})
    expect(page.locator(".band .said")).to_contain_text("Константинопольский-П.")
    assert faults(page, hub, "3") == []


@pytest.mark.parametrize("size", [(3840, 2160), (1920, 1080), (1280, 1024), (1080, 1920)])
def test_extra_time_taken_stands_whole_below_the_clock(
    open_page: OpenPage, hub: FakeHub, size: tuple[int, int]
) -> None:
    """The crowd is told that extra time runs and how much is left, also beside the call «Время»."""
    view = states.pyramid()
    view["clock"] |= {"taken": 1, "remaining_ms": 31_000, "warn": False}
    hub.views["5"] = view
    page = open_page("/tables/5", size=size, wait=".board")
    expect(page.locator(".centre .caption")).to_contain_text("взято доп. время, ещё 1")
    assert faults(page, hub, "5") == []
    hub.show(view | {"notices": [{"code": "time_called", "args": {}}]})
    expect(page.locator(".centre .caption")).to_contain_text("«Время»")
    expect(page.locator(".centre .caption")).to_contain_text("ещё 1")
    assert faults(page, hub, "5") == []


@pytest.mark.parametrize("size", [(1920, 1080), (1024, 768), (390, 844)])
def test_rows_of_the_hall_keep_names_marks_and_states_apart(
    open_page: OpenPage, hub: FakeHub, size: tuple[int, int]
) -> None:
    """Ten tables with double names, a winner, a running shot."""
    hub.views = {view["id"]: view for view in states.hall()}
    for number, phase in (("9", "match_over"), ("10", "asking")):
        players = {
            "A": states.player(states.LONG, ball="white", score=60, games=2),
            "B": states.player(LONG_IT, ball="yellow", score=51, games=0),
        }
        asked = {"asking": {"shot": 1, "questions": 2}} if phase == "asking" else {"winner": "A"}
        hub.views[number] = states.five_pins(id=number, name=number, phase=phase, players=players) | asked
    page = open_page("/", size=size, wait=".line-row")
    assert faults(page, hub, "10") == []


TABLES = ("Biliardo 1", "Biliardo 12", "Стол 3", "Стол 14", "Зал «Континенталь», стол 5", "Tavolo 6", "7", "Стол 8")
COVERED = """() => [...document.querySelectorAll('.no')].filter((el) => {
    const range = document.createRange();
    range.selectNodeContents(el);
    const words = range.getBoundingClientRect();
    return [...el.parentElement.querySelectorAll('.who, .score')].some((cell) => {
        const room = cell.getBoundingClientRect();
        return Math.min(words.right, room.right) - Math.max(words.left, room.left) > 1 && Math.min(words.bottom, room.bottom) - Math.max(words.top, room.top) > 1;
    });
}).map((el) => el.textContent)"""


@pytest.mark.parametrize("hall", ["Бильярдный клуб «Континенталь» на Большой Петровской улице"])
@pytest.mark.parametrize("size", [(3840, 2160), (1920, 1080), (1280, 1024), (768, 1024), (390, 844)])
def test_names_of_tables_and_hall_are_whole_on_the_hall_board(
    open_page: OpenPage, hub: FakeHub, hall: str, size: tuple[int, int]
) -> None:
    """Names instead of numbers: no player's cell covers them, and a long name of the hall leaves the header's words alone."""
    hub.views = {view["id"]: view | {"name": name} for view, name in zip(states.hall(), TABLES, strict=True)}
    page = open_page("/", size=size, wait=".line-row")
    still(page)
    assert page.locator("h1 .fit").all_inner_texts() in ([hall], [hall[:30], hall[31:]])
    assert page.evaluate(FAULTS) == []
    assert page.evaluate(COVERED) == []
    sizes = page.locator(".called .fit").evaluate_all(
        "(all) => all.map((el) => parseFloat(getComputedStyle(el).fontSize))"
    )
    assert min(sizes) >= (11 if size[0] < 1024 else size[0] / 80)


def test_names_on_a_tablet_give_way_to_debt_and_turn(open_page: OpenPage, hub: FakeHub) -> None:
    """Where a double name does not fit beside debt, games and score, it takes its short form, readable and whole."""
    players = {
        "A": states.player(states.LONG, score=-2, games=2, shelf=0, debt=2, extensions_left=2),
        "B": states.player(LONG_IT, score=-1, games=1, shelf=0, debt=1, extensions_left=2),
    }
    hub.views["5"] = states.pyramid(players=players, phase="armed", turn="A")
    page = open_page("/tables/5/referee", size=(768, 1024), role="referee", wait=".foot")
    assert faults(page, hub, "5") == []
    sizes = page.locator(".player .fit").evaluate_all(
        "(all) => all.map((el) => parseFloat(getComputedStyle(el).fontSize))"
    )
    assert min(sizes) > 13


def test_the_list_of_matches_on_a_phone_shows_who_and_how(open_page: OpenPage, hub: FakeHub) -> None:
    """Players and result of each match stand on the screen, beside each other, without a sideways scroll."""
    hub.match_data["m1"] = states.recorded_match()
    page = open_page("/matches", size=(390, 844), wait="td a")
    still(page)
    who, result = page.locator("td a").bounding_box(), page.locator("td.bold").bounding_box()
    assert who
    assert result
    assert who["x"] >= 0
    assert who["x"] + who["width"] <= result["x"]
    assert result["x"] + result["width"] <= 390
    assert page.locator(".scroll-x").evaluate("(el) => el.scrollWidth <= el.clientWidth")


def test_long_names_keep_the_steppers_of_a_manual_ruling_in_columns(open_page: OpenPage, hub: FakeHub) -> None:
    """A long and a short name: less and more stand below each other."""
    hub.views["3"]["players"]["A"] |= {"name": states.LONG["name"]}
    page = open_page("/tables/3/referee", size=(390, 844), role="referee", wait=".foot")
    page.locator(".menu-button").last.click()
    page.locator("nav.stack button", has_text="Решение вручную").click()
    expect(page.locator(".stepper")).to_have_count(2)
    still(page)
    places = page.locator(".stepper").evaluate_all(
        "(all) => all.map((row) => [...row.querySelectorAll('button')].map((el) => el.getBoundingClientRect().x))"
    )
    assert len(places) == 2
    assert places[0] == places[1]


def test_long_names_stay_in_the_buttons_of_a_break(open_page: OpenPage, hub: FakeHub) -> None:
    """Pyramid: whoever asks for a break is named on the button, whole or in the short form."""
    hub.views["5"] = states.pyramid(phase="armed", turn="A")
    hub.views["5"]["players"]["A"] |= {"name": states.LONG["name"]}
    page = open_page("/tables/5/referee", size=(390, 844), role="referee", wait=".foot")
    page.locator(".menu-button").last.click()
    page.locator("nav.stack button", has_text="Перерывы").click()
    page.wait_for_selector(".answers .choice")
    still(page)
    assert page.locator(".answers .choice").evaluate_all("(all) => all.every((el) => el.scrollWidth <= el.clientWidth)")
