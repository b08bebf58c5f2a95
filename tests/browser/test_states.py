"""Every state of the table's state machine, as the real core gives it, on every page that shows a table."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from page_fakes import states
from page_fakes.hub import FakeHub, OpenPage, drawn, still
from page_fakes.walk import walked
from playwright.sync_api import Page

from marker_hub.phases import Phase
from marker_rules.balls import GameId

pytestmark = [pytest.mark.browser, pytest.mark.slow]
GAMES = [game.value for game in GameId]
BAD = re.compile(
    r"undefined|\bNaN\b|\bnull\b|\[object|\{\w+\}|(?<![\d:])-0\b|\b(?:phase|do|hall|pin|game|choice|undo|reason|quality)\.[a-z]"
)
LOOK = """() => {
    const shown = (el) => el.checkVisibility({ contentVisibilityAuto: true }) && el.getClientRects().length > 0;
    const fields = '.score, .games, .number, .said, .tag, .table, .part, .at, .label, .value, .now, .what, .who, h1, h2, button, .name';
    return {
        text: document.body.innerText,
        empty: [...document.querySelectorAll(fields)].filter((el) => shown(el) && !el.innerText.trim() && !el.getAttribute('aria-label') && !el.querySelector('svg')).map((el) => el.className || el.tagName),
        wide: document.documentElement.scrollWidth - innerWidth,
        drawn: document.querySelectorAll('main > *, main').length,
    };
}"""


@cache
def stations(game: str) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """The views of a game, once for all tests."""
    return walked(game)


def look(page: Page, where: str, *, may_be_blank: bool = False) -> None:
    """Nothing empty, nothing raw, nothing outside the screen."""
    still(page)
    seen = page.evaluate(LOOK)
    found = BAD.search(seen["text"])
    assert found is None, f"{where}: '{found.group(0) if found else ''}' in the text"
    assert seen["empty"] == [], f"{where}: empty fields"
    assert seen["wide"] <= 0, f"{where}: {seen['wide']} px wider than the screen"
    assert may_be_blank or seen["text"].strip(), f"{where}: a blank page"


def test_the_walk_reaches_every_phase_of_the_machine() -> None:
    """The states are enumerated from the code: a new phase without a page fails here."""
    for game in GAMES:
        assert set(stations(game)) == {phase.value for phase in Phase}, game


PAGES = {
    "/tables/3": ((1920, 1080), ""),
    "/": ((1920, 1080), ""),
    "/tables/3/overlay": ((1920, 1080), ""),
    "/tables/3/overlay?variant=compact": ((1280, 720), ""),
    "/tables/3/referee": ((390, 844), "referee"),
}


@pytest.mark.report("R058")
@pytest.mark.parametrize("path", list(PAGES))
@pytest.mark.parametrize("lang", ["ru", "en", "it"])
def test_every_state_is_rendered_whole(open_page: OpenPage, hub: FakeHub, path: str, lang: str) -> None:
    """R058: each game, each phase, each language: no empty field, no raw key, no console error, nothing outside the screen."""
    size, role = PAGES[path]
    first, sheet = stations("five-pins")["armed"]
    hub.views = {"3": first | {"now_ms": hub.clock}}
    hub.sheets = {"3": sheet}
    page = open_page(f"{path}{'&' if '?' in path else '?'}lang={lang}", size=size, role=role, wait="#app > *")
    for game in GAMES:
        for phase, (view, sheet) in stations(game).items():
            hub.show(view | {"now_ms": hub.clock}, sheet)
            drawn(page, hub, "3")
            look(page, f"{path} {lang} {game} {phase}", may_be_blank="overlay" in path)


@pytest.mark.parametrize("size", [(320, 640), (360, 740), (768, 1024), (1024, 768), (1440, 900)])
def test_the_referees_page_fits_every_screen(open_page: OpenPage, hub: FakeHub, size: tuple[int, int]) -> None:
    """From 320 px to a desktop: every phase of two games without loss, the foot inside the window."""
    first, sheet = stations("five-pins")["armed"]
    hub.views = {"3": first | {"now_ms": hub.clock}}
    hub.sheets = {"3": sheet}
    page = open_page("/tables/3/referee", size=size, role="referee", wait=".foot")
    for game in ("five-pins", "combined-pyramid"):
        for phase, (view, sheet) in stations(game).items():
            hub.show(view | {"now_ms": hub.clock}, sheet)
            drawn(page, hub, "3")
            look(page, f"{size} {game} {phase}")
            foot = page.locator(".foot").bounding_box()
            assert foot is not None
            assert foot["y"] + foot["height"] <= size[1] + 1, f"{game} {phase}: the foot is outside"


@pytest.mark.parametrize("size", [(3840, 2160), (1280, 1024), (1080, 1920), (1366, 768)])
def test_the_display_fits_every_screen(open_page: OpenPage, hub: FakeHub, size: tuple[int, int]) -> None:
    """4K, 4:3 and portrait: no text leaves its part, no two parts overlap."""
    hub.views["3"] = states.live_two_pins()
    for path in ("/tables/3", "/tables/5"):
        page = open_page(path, size=size, wait=".board")
        look(page, f"{size} {path}")
        outside = page.evaluate("""() => [...document.querySelectorAll('.side .fit, .side .score, .side .strip > *, .centre .games, .centre .caption > *, .clock > *, .band .fit, .band .points, .band .row > *')].filter((el) => {
            const box = el.getBoundingClientRect();
            const room = el.closest('section').getBoundingClientRect();
            return box.width && (box.left < room.left - 2 || box.right > room.right + 2 || box.bottom > room.bottom + 2);
        }).map((el) => `${el.className} ${el.textContent}`)""")
        assert outside == [], f"{size} {path}"
        page.close()
