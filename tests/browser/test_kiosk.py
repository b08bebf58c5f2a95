"""A screen on the wall: what it says aloud, and how long the card of a match stays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_fakes import states
from page_fakes.hub import FakeHub, Server, drawn
from playwright.sync_api import Browser, Page, expect

from marker_hub.table.shotclock import TEN, TIME
from marker_hub.web.settings import WebSettings

pytestmark = pytest.mark.browser


@pytest.fixture
def wall(browser: Browser, hub: FakeHub) -> Iterator[Page]:
    """Table 5 in a hall with referees, sound on; what would be spoken is kept in `said`."""
    server = Server(hub, WebSettings(hall="Зал"))
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page = context.new_page()
    page.add_init_script(
        "window.said = []; Object.defineProperty(window, 'speechSynthesis', { value: { speak: (words) => window.said.push([words.text, words.volume]) } });"
    )
    page.goto(f"{server.url}/tables/5?kiosk=1&sound=1&volume=40&lang=ru")
    page.wait_for_selector(".board")
    yield page
    context.close()
    server.stop()


def test_ten_seconds_time_and_the_end_of_a_break_are_spoken(wall: Page, hub: FakeHub) -> None:
    """By the names the table's core gives its announcements, as loud as the address says; a repetition is silent."""
    for kind in (TEN, TIME, "break_over"):
        hub.announce("5", {"kind": kind})
    hub.announce("5", {"kind": TIME, "repeated": True})
    wall.wait_for_function("() => window.said.length >= 3")
    said = wall.evaluate("() => window.said")
    assert [text for text, _ in said] == ["Десять секунд", "Время", "Перерыв окончен"]
    assert {round(volume, 2) for _, volume in said} == {0.4}


def test_the_card_of_a_match_outlives_its_closing(wall: Page, hub: FakeHub) -> None:
    """Closed by the referee, the match still shows its winner; ten minutes later, or with the next match, it goes."""
    over = states.pyramid(phase="match_over", winner="A", turn=None, clock=None)
    free = states.pyramid(match=None, players=None, phase="idle", turn=None, clock=None, last=None)
    hub.show(over)
    expect(wall.locator(".verdict", has_text="выигрывает матч")).to_be_visible()
    hub.show(free)
    drawn(wall, hub, "5")
    expect(wall.locator(".verdict", has_text="выигрывает матч")).to_be_visible()
    wall.evaluate("() => { const then = performance.now() + 600_001; performance.now = () => then; }")
    hub.show(free)
    expect(wall.locator(".verdict")).to_have_count(0)
    hub.show(over)
    hub.show(states.pyramid())
    expect(wall.locator(".verdict")).to_have_count(0)
