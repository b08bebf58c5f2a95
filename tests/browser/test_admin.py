"""The administrator's page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_fakes.live import LiveHub
from playwright.sync_api import Browser, expect

pytestmark = pytest.mark.browser


def test_the_administrator_sees_the_hub_backs_up_and_changes_a_pin(browser: Browser, tmp_path: Path) -> None:
    """At a real hub: state, a backup on request, a new PIN that holds and the old one that does not; not for a referee.
    The service page of the same hub draws its sensors."""
    live = LiveHub(tmp_path / "data")
    context = browser.new_context(viewport={"width": 1440, "height": 960})
    complaints: list[str] = []
    try:
        old = live.pins["1"]
        assert context.request.post(f"{live.url}/api/login", data={"table": "1", "pin": old}).status == 200
        assert context.request.get(f"{live.url}/api/admin").status == 403
        assert context.request.post(f"{live.url}/api/admin/pins/1", data={}).status == 403
        assert context.request.post(f"{live.url}/api/admin/backup", data={}).status == 403
        assert context.request.post(f"{live.url}/api/login", data={"token": live.admin}).status == 200
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.goto(f"{live.url}/admin?lang=en")
        row = page.locator("tbody tr", has_text="Referee").first
        expect(row.locator(".pin-code")).to_have_text("••••••")
        row.get_by_role("button", name="Show").click()
        expect(row.locator(".pin-code")).to_have_text(old)
        row.get_by_role("button", name="New PIN").click()
        expect(row.locator(".pin-code")).to_have_text(re.compile(rf"^(?!{old})\d{{6}}$"))
        new = row.locator(".pin-code").inner_text()
        expect(page.get_by_text("no backup")).to_have_count(1)
        page.get_by_role("button", name="Back up now").click()
        expect(page.get_by_text("no backup")).to_have_count(0)
        assert len(list((tmp_path / "data" / "backups").glob("*.sqlite3"))) == 1
        page.get_by_label("Sound on the display").check()
        expect(page.locator('a[href="/tables/1?kiosk=1&sound=1&volume=60"]')).to_have_count(1)
        page.get_by_role("link", name="Sensors").first.click()
        expect(page.locator(".unfitted")).to_contain_text("sensors = false")  # so the table of this hub is set up
        stranger = browser.new_context()
        assert stranger.request.post(f"{live.url}/api/login", data={"table": "1", "pin": old}).status == 401
        assert stranger.request.post(f"{live.url}/api/login", data={"table": "1", "pin": new}).status == 200
        stranger.close()
        assert complaints == []
        live.stop()
        live.start()
        assert live.pins["1"] == new
    finally:
        context.close()
        live.stop()
