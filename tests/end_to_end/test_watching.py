"""Somebody watches the hall display in a real browser while real parts play."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

MARKER = [sys.executable, "-m", "marker_hub"]

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
LOOK = """
window.provisional = false;
new MutationObserver(() => {
    window.provisional ||= document.querySelector('.band.provisional, .tag.provisional') !== null;
}).observe(document, { subtree: true, childList: true, attributes: true });
"""


def test_a_spectator_sees_the_game_to_its_end(browser: Browser) -> None:
    """The score on the page at the end is the score of the truth. Mutation: a display that scores provisional points turns it red."""
    game = ["--seed", "11", "--points", "24", "--games", "1", "--speed", "60"]
    demo = subprocess.Popen(
        [*MARKER, "demo", "--headless", "--json", *game], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert demo.stderr is not None
        address = demo.stderr.readline().split("table: ")[1].strip()
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.add_init_script(LOOK)
        page.goto(address)
        while demo.poll() is None:
            page.wait_for_timeout(20)
        seen_provisional = page.evaluate("() => window.provisional")
        out, _ = demo.communicate(timeout=60)
        result = json.loads(out.strip().splitlines()[-1])
        for side in ("A", "B"):  # the last state may still be on its way to the page
            expect(page.locator(f".side.{side.lower()} .score")).to_have_text(str(result["final_score"][side]))
        page.close()
    finally:
        demo.kill()
        demo.communicate()
    assert demo.returncode == 0
    assert result["wrong_rulings"] == 0
    assert result["final_score"] == result["ground_truth_score"]
    assert 24 in result["final_score"].values()
    assert seen_provisional, "nothing was ever shown as provisional"


def test_the_page_says_stale_and_comes_back_by_itself(browser: Browser, tmp_path: Path) -> None:
    """Hub killed: 'no connection' within seconds; hub started again: alive without a reload. Mutation: a page without its own reconnect."""

    def start(port: int) -> tuple[subprocess.Popen[str], str]:
        hub = subprocess.Popen(
            [*MARKER, "hub", "--data", str(tmp_path / "data"), "--port", str(port)], stdout=subprocess.PIPE, text=True
        )
        assert hub.stdout is not None
        return hub, json.loads(hub.stdout.readline())["http"]

    hub, address = start(0)
    try:
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.goto(f"{address}/tables/1")
        expect(page.locator("main")).to_be_visible()
        expect(page.locator(".banner")).to_have_count(0)
        hub.kill()
        hub.communicate()
        expect(page.locator(".banner")).to_be_visible()
        hub, _ = start(int(address.rsplit(":", 1)[1]))
        expect(page.locator(".banner")).to_have_count(0)
        page.close()
    finally:
        hub.terminate()
        hub.communicate(timeout=60)
