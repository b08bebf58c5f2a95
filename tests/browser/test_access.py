"""Accessibility: axe on every page, keyboard, reduced motion, zoom."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from page_fakes import sheets, states
from page_fakes.hub import Complaints, FakeHub, OpenPage, still
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PAGES: list[tuple[str, str, tuple[int, int], str]] = [
    ("/", "", (1920, 1080), ".line-row"),
    ("/tables/3", "", (1920, 1080), ".board"),
    ("/tables/5", "", (1920, 1080), ".board"),
    ("/tables/3/overlay", "", (1920, 1080), ".bug"),
    ("/tables/3/referee", "referee", (390, 844), ".foot"),
    ("/tables/5/referee", "referee", (1440, 900), ".foot"),
    ("/tables/7/referee", "referee", (390, 844), ".pair"),
    ("/service/5", "admin", (1440, 960), ".channels"),
    ("/matches", "", (1440, 960), ".list-table"),
    ("/matches/m1", "", (1440, 960), ".graph"),
    ("/day", "", (1440, 960), ".list-table"),
    ("/admin", "admin", (1440, 960), ".pairs"),
    ("/login", "", (390, 844), "#secret"),
    ("/tables/9", "", (390, 844), ".card"),
]
SERIOUS = {"serious", "critical"}


@pytest.fixture(autouse=True)
def filled(hub: FakeHub) -> None:
    """Tables, a match, sensors: what the pages need to be full."""
    hub.views["7"] = states.five_pins(id="7", name="7", match=None, players=None, phase="idle", turn=None, last=None)
    hub.views["3"] = states.live_two_pins() | {"phase": "asking", "asking": {"shot": 42, "questions": 2}}
    hub.sheets["3"] = sheets.sheet_42()
    hub.services["5"] = states.service_pyramid()
    hub.admin_data = states.administration()
    match = states.recorded_match()
    hub.match_data["m1"] = match
    hub.match_list = [{key: value for key, value in match.items() if key != "games_list"}]


ALWAYS_DARK = {"/", "/tables/3", "/tables/5", "/tables/3/overlay"}  # people look at them from afar
CASES = [
    (*page, scheme) for page in PAGES for scheme in ("dark", "light") if scheme == "dark" or page[0] not in ALWAYS_DARK
]


@pytest.mark.parametrize(
    ("path", "role", "size", "wait", "scheme"), CASES, ids=[f"{case[0]}-{case[4]}" for case in CASES]
)
def test_axe_finds_nothing_serious(
    open_page: OpenPage, complaints: Complaints, path: str, role: str, size: tuple[int, int], wait: str, scheme: str
) -> None:
    """No serious or critical issue on any page, in both themes where a page has them."""
    complaints.allow("404")
    page = open_page(path, size=size, role=role, wait=wait, color_scheme=scheme)
    if "referee" in path or "service" in path:
        page.evaluate("(theme) => { localStorage.setItem('marker-theme', theme); }", scheme)
        page.reload()
        page.wait_for_selector(wait)
    still(page)  # what fades in has not its contrast yet
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
    serious = [
        f"{issue['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:160]}"
        for issue in found.response["violations"]
        if issue["impact"] in SERIOUS
        for node in issue["nodes"][:3]
    ]
    assert serious == []


def test_everything_on_the_sheet_is_reached_by_tab_in_reading_order(open_page: OpenPage) -> None:
    """Tab walks from the menu through the rows to the foot, with a visible ring; space answers."""
    page = open_page("/tables/3/referee", size=(390, 844), role="referee", wait=".foot")
    expect(page.locator("[data-answer]").first).to_be_visible()
    page.locator(".menu-button").focus()
    visited: list[str] = []
    for _ in range(30):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => document.activeElement.dataset.answer || document.activeElement.className.split(' ')[0]"
        )
        visited.append(name)
        if name == "accept":
            break
    assert visited[-1] == "accept"
    for group in (
        ["opponent", "red", "none"],
        ["nobody", "cue"],
        ["no", "before", "after"],
        ["calls-row", "side-button"],
    ):
        places = [visited.index(name) for name in group]
        assert places == sorted(places)
    ring = page.evaluate("() => getComputedStyle(document.activeElement).outlineWidth")
    assert ring == "3px"


def test_reduced_motion_stops_every_animation(open_page: OpenPage, hub: FakeHub) -> None:
    """`prefers-reduced-motion`: all durations are 0 ms."""
    page = open_page("/tables/3", reduced_motion="reduce")
    hub.show(states.respotting())
    expect(page.locator(".side.a .score")).to_have_text("55")
    longest = page.evaluate(
        "() => Math.max(0, ...document.getAnimations().map((one) => one.effect.getComputedTiming().duration))"
    )
    assert longest == 0
    seconds = page.evaluate(
        "() => [...document.querySelectorAll('*')].map((el) => getComputedStyle(el).transitionDuration).filter((text) => text !== '0s')"
    )
    assert seconds == []


def test_the_diamond_and_the_shelf_have_words(open_page: OpenPage, hub: FakeHub) -> None:
    """Drawings say the same in text."""
    page = open_page("/tables/3")
    expect(page.locator(".diamond")).to_have_attribute(
        "aria-label", "стоят: левая, центральная, нижняя; упали: верхняя, правая"
    )
    other = open_page("/tables/5")
    expect(other.locator(".side.a .shelf")).to_have_attribute("aria-label", "Полка: 5 из 8")
    del hub


@pytest.mark.parametrize("path", ["/tables/3/referee", "/matches/m1", "/matches", "/day", "/login"])
def test_two_hundred_per_cent_and_320_px_lose_nothing(open_page: OpenPage, path: str) -> None:
    """At 320 px no page scrolls sideways (tables scroll in their own box), and text spacing clips nothing."""
    page = open_page(path, size=(320, 700), role="referee", wait="main")
    still(page)
    page.evaluate(
        "() => { const style = document.body.style; style.setProperty('line-height', '1.5'); style.setProperty('letter-spacing', '.12em'); style.setProperty('word-spacing', '.16em'); }"
    )
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
    clipped = page.evaluate(
        """() => [...document.querySelectorAll('button, h1, h2, p')].filter((el) => el.checkVisibility() && el.scrollHeight > el.clientHeight + 3 && getComputedStyle(el).overflowY === 'hidden').map((el) => el.textContent)"""
    )
    assert clipped == []
