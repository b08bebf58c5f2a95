"""A real browser for the tests that watch the pages of a real hub."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The distribution's Chromium (or the one of MARKER_CHROMIUM); missing: a failure in CI, a plain skip elsewhere."""
    path = os.environ.get("MARKER_CHROMIUM") or shutil.which("chromium")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing: install the package chromium or set MARKER_CHROMIUM")
        pytest.skip("no Chromium: install the package chromium or set MARKER_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()
