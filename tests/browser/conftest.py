"""For the tests of the pages: a fresh browser context and a fake hub for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from page_fakes import states
from page_fakes.hub import Complaints, FakeHub, OpenPage, Server
from playwright.sync_api import Browser, BrowserContext, Page

PIN = "246810"


@pytest.fixture
def hub() -> FakeHub:
    """Five-pins on table 3, free pyramid on table 5."""
    made = FakeHub(clock=states.NOW_MS)
    made.views["3"] = states.five_pins()
    made.views["5"] = states.pyramid()
    return made


@pytest.fixture
def server(hub: FakeHub) -> Iterator[Server]:
    """The web part around that hub."""
    made = Server(hub)
    yield made
    made.stop()


@pytest.fixture
def complaints() -> Complaints:
    """Shared by all pages of a test."""
    return Complaints()


@pytest.fixture
def open_page(browser: Browser, server: Server, complaints: Complaints) -> Iterator[OpenPage]:
    """Opens a page: `open_page("/tables/3", size=(1920, 1080), role="referee", lang="ru")`; `before(page)` is
    called on the empty page. At the end nothing may have complained."""
    contexts: list[BrowserContext] = []

    def make(
        path: str,
        *,
        size: tuple[int, int] = (1920, 1080),
        role: str = "",
        wait: str = "main",
        before: Callable[[Page], object] | None = None,
        **options: Any,
    ) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        contexts.append(context)
        if role:
            body = {"token": "key-of-the-administrator"} if role == "admin" else {"table": "*", "pin": PIN}
            assert context.request.post(f"{server.url}/api/login", data=body).status == 200
        page = context.new_page()
        page.on(
            "console",
            lambda message: (
                complaints.append(f"{message.type}: {message.text}") if message.type in {"error", "warning"} else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((server.url, "data:"))
                else complaints.append(f"foreign request: {request.url}")
            ),
        )
        if before is not None:
            before(page)
        page.goto(f"{server.url}{path}")
        page.wait_for_selector(wait)
        if before is None:
            page.evaluate("document.fonts.ready.then(() => true)")
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints.unexpected() == []
