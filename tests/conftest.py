"""Settings of every test, and the one real browser that the tests of pages share."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

T = TypeVar("T", BrowserContext, Page)

# Property tests are limited by their number of examples, never by the speed of the machine. In CI the examples of a test are
# the same in every run: what a new one finds is for whoever runs the tests at home, and no change of somebody else's is refused.
settings.register_profile(
    "marker",
    deadline=None,
    derandomize=os.environ.get("CI") == "true",
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("marker")

# A page that will show something is waited for; the limit only keeps a fault from hanging on a busy machine.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with the browser run last: its driver keeps an event loop in this thread, beside which no other may run."""
    items.sort(key=lambda item: "browser" in getattr(item, "fixturenames", ()))


def chromium_path() -> str | None:
    """The distribution's Chromium, or the one named by MARKER_CHROMIUM."""
    named = os.environ.get("MARKER_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def patient(make: Callable[..., T]) -> Callable[..., T]:
    """What it makes (a context, a page) waits as long for a click or an address as for what it will show."""

    def made(**options: Any) -> T:
        found = make(**options)
        found.set_default_timeout(PATIENCE_MS)
        return found

    return made


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A running Chromium. Without one the tests say so and are skipped; in CI that is a failure."""
    path = chromium_path()
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing: install the package chromium or set MARKER_CHROMIUM")
        pytest.skip("no Chromium: install the package chromium or set MARKER_CHROMIUM")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS, timeout=2 * PATIENCE_MS)
        made.new_context = patient(made.new_context)  # type: ignore[method-assign]
        made.new_page = patient(made.new_page)  # type: ignore[method-assign]
        yield made
        made.close()
