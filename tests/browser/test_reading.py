"""The words of a clause at the palette of calls: held, by key, by a button; and a practice begun with one tap."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_fakes import sheets, states
from page_fakes.hub import FakeHub, OpenPage, sent
from page_fakes.live import LiveHub
from playwright.sync_api import Browser, Page, expect

from marker_rules.catalogue import clauses

pytestmark = pytest.mark.browser


@pytest.fixture
def calls(open_page: OpenPage, hub: FakeHub) -> Page:
    """The palette on a phone, in Italian."""
    hub.views["3"] = states.live_two_pins() | {"phase": "asking", "asking": {"shot": 42, "questions": 2}}
    hub.sheets["3"] = sheets.sheet_42()
    page: Page = open_page("/tables/3/referee?lang=it", size=(390, 844), role="referee", wait=".foot .accept")
    page.locator(".calls-row").click()
    return page


def test_a_held_chip_shows_its_clause_and_calls_nothing(calls: Page, hub: FakeHub) -> None:
    """The rules' own words in the referee's language: by a long press, by the key `i`, by the button beside the chips."""
    said = calls.locator(".clause-text")
    chip = calls.locator('.chip[data-code="FP-F.Z"]')
    box = chip.bounding_box()
    assert box is not None
    calls.mouse.move(box["x"] + 20, box["y"] + 20)
    calls.mouse.down()
    expect(said).to_contain_text(clauses("five-pins")["FP-F.Z"].text["it"])
    calls.mouse.up()
    expect(chip).to_have_attribute("aria-pressed", "false")
    off = calls.locator('.chip[data-code="FP-F.I"]')
    off.press("i")
    expect(said).to_contain_text(clauses("five-pins")["FP-F.I"].text["it"])
    said.get_by_role("button").click()
    expect(said).to_have_count(0)
    calls.locator(".reading").click()
    chip.click()
    expect(said).to_contain_text(clauses("five-pins")["FP-F.Z"].text["it"])
    assert hub.commands == []
    calls.locator(".reading").click()
    chip.press("Enter")  # a click of a busy machine may last as long as a hold
    assert [command["kind"] for command in sent(calls, hub, 1)] == ["call"]


def test_practice_is_one_tap_at_the_table(browser: Browser, tmp_path: Path) -> None:
    """A player who came by the table's code starts it without names, lag or referee, and strikes at once."""
    live = LiveHub(tmp_path / "data", self_service=True)
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    try:
        path = context.request.get(f"{live.url}/api/tables/1/join").json()["path"]
        page = context.new_page()
        page.goto(live.url + path)
        page.wait_for_selector(".practice")
        page.locator(".practice").click()
        expect(page.locator("main")).to_have_attribute("data-phase", "armed")
        view = context.request.get(f"{live.url}/api/tables/1").json()
        assert (view["match"]["practice"], view["match"]["policy"], view["turn"]) == (True, "self", "A")
    finally:
        context.close()
        live.stop()
