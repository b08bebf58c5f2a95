"""Settings of every test, and the one real browser that the tests of pages share."""

import os
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, expect, sync_playwright

# Property tests are limited by their number of examples, never by the speed of the machine.
settings.register_profile("marker", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("marker")

# A page that will show something is waited for; the limit only keeps a fault from hanging on a busy machine.
expect.set_options(timeout=60_000)

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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A running Chromium. Without one the tests say so and are skipped; in CI that is a failure."""
    path = chromium_path()
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing: install the package chromium or set MARKER_CHROMIUM")
        pytest.skip("no Chromium: install the package chromium or set MARKER_CHROMIUM")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield made
        made.close()
