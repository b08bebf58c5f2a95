"""The stream overlay: empty unless fresh."""

from __future__ import annotations

import pytest
from page_fakes import states
from page_fakes.hub import Complaints, FakeHub, OpenPage, Server, still
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def opaque(page: Page) -> int:
    """How many pixels of a screenshot are not fully transparent."""
    shot = page.screenshot(omit_background=True)
    return int(
        page.evaluate(
            """async (data) => {
        const image = new Image();
        image.src = 'data:image/png;base64,' + data;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const pen = canvas.getContext('2d');
        pen.drawImage(image, 0, 0);
        const pixels = pen.getImageData(0, 0, image.width, image.height).data;
        let count = 0;
        for (let at = 3; at < pixels.length; at += 4) if (pixels[at] > 0) count += 1;
        return count;
    }""",
            __import__("base64").b64encode(shot).decode(),
        )
    )


def test_it_is_transparent_but_for_the_score(open_page: OpenPage) -> None:
    """Less than a tenth of the picture is covered, and inside the title-safe area."""
    page = open_page("/tables/3/overlay", wait=".bug")
    assert 0 < opaque(page) < 1920 * 1080 / 10
    box = page.locator(".bug").bounding_box()
    assert box is not None
    assert box["x"] >= 1920 * 0.0499
    assert box["y"] >= 1080 * 0.0599


def test_the_lower_third_shows_a_confirmed_ruling_only(open_page: OpenPage, hub: FakeHub) -> None:
    """Not on opening, not for a proposal; after the confirmation, and not for ever."""
    page = open_page("/tables/3/overlay?lang=it", wait=".bug")
    expect(page.locator(".lower")).to_have_count(0)
    hub.show(states.proposed_foul())
    expect(page.locator(".bug .live")).to_have_count(1)
    expect(page.locator(".lower")).to_have_count(0)
    hub.show(states.respotting())
    said, points = page.wait_for_function(  # in one look: it goes by itself
        """() => {
            const told = document.querySelector('.lower');
            return told && ['.said', '.points'].map((name) => told.querySelector(name)?.textContent ?? '');
        }"""
    ).json_value()
    assert "carambola 4" in said
    assert points == "+8"
    expect(page.locator(".lower")).to_have_count(0)
    plain = open_page("/tables/3/overlay?lower=0", wait=".bug")
    hub.show(states.five_pins())
    plain.wait_for_timeout(300)
    expect(plain.locator(".lower")).to_have_count(0)


@pytest.mark.report("R057")
def test_an_overlay_shown_again_never_shows_the_old_score(open_page: OpenPage, hub: FakeHub) -> None:
    """R057: hidden, the score changes, shown again: transparent until the fresh snapshot, then the new score; the old one never."""
    page = open_page("/tables/3/overlay", wait=".bug")
    page.evaluate("""() => {
        window.seen = [];
        new MutationObserver(() => window.seen.push(document.querySelector('.layer:not(.gone) .value')?.textContent ?? '')).observe(document.body, { subtree: true, childList: true, characterData: true });
        window.dispatchEvent(new CustomEvent('obsSourceVisibleChanged', { detail: { visible: false } }));
    }""")
    expect(page.locator(".bug")).to_have_count(0)
    assert opaque(page) == 0
    changed = states.five_pins()
    changed["players"]["A"]["score"] = 59
    hub.show(changed)
    page.wait_for_timeout(300)
    assert opaque(page) == 0
    page.evaluate(
        "() => { window.seen.length = 0; window.dispatchEvent(new CustomEvent('obsSourceVisibleChanged', { detail: { visible: true } })); }"
    )
    expect(page.locator(".bug .value").first).to_have_text("59")
    assert "47" not in page.evaluate("() => window.seen")


def test_a_dead_hub_empties_the_overlay(
    open_page: OpenPage, hub: FakeHub, server: Server, complaints: Complaints
) -> None:
    """Stale hides it instead of greying it; a fresh snapshot brings it back."""
    complaints.allow("Failed to load resource")
    page = open_page("/tables/3/overlay", wait=".bug")
    port = server.port
    server.stop()
    expect(page.locator(".bug")).to_have_count(0)
    still(page)
    assert opaque(page) == 0
    again = Server(hub, port=port)
    try:
        expect(page.locator(".bug")).to_be_visible()
    finally:
        again.stop()


def test_the_launcher_waits_for_the_hub(
    open_page: OpenPage, hub: FakeHub, server: Server, complaints: Complaints, tmp_path
) -> None:  # type: ignore[no-untyped-def]
    """Safe to open before the hub starts: the saved file shows nothing, then the overlay, without a touch."""
    complaints.allow("Failed to load")
    complaints.allow("foreign request: file://")
    complaints.allow("chrome-error")
    page = open_page("/tables/3/overlay", wait=".bug")
    html = page.request.get(f"{server.url}/tables/3/overlay.html")
    assert "attachment" in html.headers["content-disposition"]
    saved = tmp_path / "overlay.html"
    saved.write_text(html.text())
    port = server.port
    server.stop()
    page.goto(saved.as_uri())
    page.wait_for_timeout(500)
    assert page.locator("iframe").evaluate("frame => getComputedStyle(frame).visibility") == "hidden"
    again = Server(hub, port=port)
    try:
        expect(page.frame_locator("iframe").locator(".bug")).to_be_visible()
        expect(page.locator("iframe")).to_have_css("visibility", "visible")
    finally:
        again.stop()
