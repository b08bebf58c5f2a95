"""Weight, first paint, work per update, and one clock for all pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest
from page_fakes import sheets, states
from page_fakes.hub import FakeHub, OpenPage, Server
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser
KB = 1000
LIMITS = {
    "/tables/3": 300,
    "/": 200,
    "/tables/3/overlay": 200,
    "/tables/3/referee": 250,
    "/service/5": 300,
    "/matches/m1": 300,
}


@pytest.mark.parametrize(("path", "limit"), list(LIMITS.items()))
def test_a_page_is_light(browser: Browser, hub: FakeHub, server: Server, path: str, limit: int) -> None:
    """Everything the first visit loads, fonts included, without the stream and data."""
    hub.sheets["3"] = sheets.sheet_42()
    hub.services["5"] = states.service_pyramid()
    hub.match_data["m1"] = states.recorded_match(4, 1)
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    context.request.post(f"{server.url}/api/login", data={"token": "key-of-the-administrator"})
    page = context.new_page()
    finished: list[Any] = []
    page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108 - it wants a function of its own
    page.goto(f"{server.url}{path}")
    page.wait_for_selector("main")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(300)
    sizes = {one.url: one.sizes()["responseBodySize"] for one in list(finished) if "/api/" not in one.url}
    total = sum(sizes.values())
    context.close()
    assert 20 * KB < total <= limit * KB, sorted(sizes.items(), key=lambda item: -item[1])[:6]


def first_paint(browser: Browser, url: str, wait: str) -> float:
    """First contentful paint of a page in a fresh context, ms."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(wait)
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    found = float(page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    context.close()
    return found


def work_of(page: Page) -> Callable[[], float]:
    """A function that tells the processor time of the page's main thread from now on, s; other programs do not count."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        values = {item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]}
        return float(values["TaskDuration"])

    return busy


JOB = """() => {
    for (let at = 0; at < 150; at += 1) {
        const made = document.createElement('div');
        for (let n = 0; n < 60; n += 1) {
            const part = document.createElement('span');
            part.textContent = `${at} ${n}`;
            made.append(part);
        }
        document.body.append(made);
        made.getBoundingClientRect();
        made.remove();
    }
}"""
JOB_S = 0.12
"""Processor time of that job on the machine that the limits were set on."""


def slowness(page: Page, busy: Callable[[], float]) -> float:
    """How much more processor time this machine needs for the same work of a page, right now; at least 1."""
    took = []
    for _ in range(3):
        before = busy()
        page.evaluate(JOB)
        took.append(busy() - before)
    return max(1.0, median(took) / JOB_S)


def test_the_display_paints_within_a_second(browser: Browser, server: Server) -> None:
    """On loopback with a cold cache, once of ten times; on a machine that is busy with other things a bare line of text,
    painted right before, says how much slower everything is."""
    tries = []
    for _ in range(10):
        bare = first_paint(browser, f"{server.url}/healthz", "pre")
        tries.append((first_paint(browser, f"{server.url}/tables/3", ".board"), max(1000.0, 6 * bare)))
        if tries[-1][0] < tries[-1][1]:
            return
    pytest.fail(f"first paint and limit, ms: {tries}")


def test_ten_updates_a_second_cost_little(open_page: OpenPage, hub: FakeHub) -> None:
    """Script, style and layout of the page itself take under 10 % of a core at ten updates a second; of a slow one, as much
    more as a job of known size takes on it."""
    page = open_page("/tables/3", wait=".board")
    busy = work_of(page)
    views = []
    for down in range(6):  # pins fall one after another, then the sheet, the proposal, the ruling
        view = states.live_two_pins()
        fallen = "NESWC"[:down]
        view["pins"] = states.STANDING | dict.fromkeys(fallen, "down")
        view["live"] = {
            "shot": 42,
            "facts": [{"kind": "pin", "what": pin, "ms": 1} for pin in fallen],
            "pins_down": down,
            "pots": 0,
        }
        views.append(view)
    views += [
        views[-1] | {"phase": "asking"},
        views[-1] | {"phase": "asking"},
        states.proposed_foul(),
        states.respotting(),
    ]
    hub.show(views[0])
    page.wait_for_timeout(500)
    before, started = busy(), time.perf_counter()
    for at in range(40):
        hub.show(views[at % len(views)])
        page.wait_for_timeout(max(1, int((started + (at + 1) * 0.1 - time.perf_counter()) * 1000)))
    used, passed = busy() - before, time.perf_counter() - started
    limit = 0.10 * slowness(page, busy)
    assert used / passed < limit, f"{used / passed:.1%} of a core, limit {limit:.1%}"


@pytest.mark.report("R032")
def test_all_clocks_change_on_the_same_step(open_page: OpenPage, hub: FakeHub) -> None:
    """R032: shot clock, break timer and hall follow one hub clock: at 999 ms into the second none has changed, at 1000 ms all have."""
    hub.views["8"] = states.hall()[-1] | {"now_ms": hub.clock}
    hub.views["8"]["break"] = {"remaining_ms": 191_000}
    hub.views["5"]["clock"] = {"remaining_ms": 31_000, "running": True, "limit_s": 40, "warn": False, "expired": False}
    pages = [
        open_page("/tables/5", wait=".clock .number"),
        open_page("/tables/8", wait=".clock .number"),
        open_page("/", wait=".line-row"),
    ]

    def at(ms: int) -> list[str]:
        """What the pages show when the hub's clock stands at `ms` after the snapshot."""
        texts = []
        for page in pages:
            page.evaluate("(now) => { performance.now = () => now; }", 1e9 + ms)
        hub.clock = states.NOW_MS + ms
        for table in ("5", "8"):
            hub.views[table] = hub.views[table] | {"n": hub.views[table]["n"]}
        for page in pages:
            page.evaluate("() => dispatchEvent(new Event('resize'))")
            texts.append(
                page.evaluate(
                    "() => document.querySelector('.clock .number')?.textContent ?? [...document.querySelectorAll('.now')].map((el) => el.textContent).join('|')"
                )
            )
        return texts

    for page in pages:  # from here on the page's clock stands still; the next beat ties it to the hub's
        page.evaluate("() => { performance.now = () => 1e9; }")
    for table in ("5", "8"):  # a state with another score: drawn, it has tied the clocks
        view = hub.views[table]
        players = view["players"] | {"A": view["players"]["A"] | {"score": 77}}
        hub.show(view | {"players": players, "clock": view["clock"], "break": view["break"]})
    for page in pages[:2]:
        expect(page.locator(".side.a .score")).to_have_text("77")
        expect(page.locator(".banner")).to_have_count(0)
    expect(pages[2].locator(".score.a").filter(has_text="77")).to_have_count(2)
    expect(pages[2].locator(".line-row.stale")).to_have_count(0)
    start, before, after, later = at(0), at(999), at(1000), at(1999)
    assert start == before
    assert after == later
    assert all(one != other for one, other in zip(before, after, strict=True))
    assert before[0] == "31"
    assert after[0] == "30"


def test_five_hundred_shots_of_history(open_page: OpenPage, hub: FakeHub) -> None:
    """A long match: the page itself works for less than two seconds, the list scrolls in its own box, a row opens its replay."""
    hub.match_data["m1"] = states.recorded_match(shots=500, game_count=1)
    page = open_page("/matches/m1", size=(1440, 960), wait=".shots-table")
    busy = work_of(page)
    page.reload()
    page.wait_for_selector(".shots-table")
    used = busy()
    limit = 2 * slowness(page, busy)
    assert 0 < used < limit, f"{used:.1f} s, limit {limit:.1f} s"
    expect(page.locator(".shots-table tbody tr")).to_have_count(500)
    assert page.evaluate("() => document.documentElement.scrollHeight") < 2200
    page.locator(".shots-table tbody tr").nth(250).click()
    expect(page.locator(".replay h2")).to_have_text("Удар 250, повтор")
    page.get_by_role("button", name="Назад").click()
    expect(page.locator(".replay .fill").first).to_have_text("событие 6 из 7")
