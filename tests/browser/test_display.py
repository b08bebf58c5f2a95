"""The table display: what a spectator may and may not see."""

from __future__ import annotations

import re
from typing import Any

import pytest
from page_fakes import states
from page_fakes.hub import Complaints, FakeHub, OpenPage, Server, still
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def score(page: Page, side: str) -> str:
    """The numeral of a side."""
    return page.locator(f".side.{side} .score").inner_text().strip()


def test_live_pins_are_provisional_and_move_no_score(open_page: OpenPage, hub: FakeHub) -> None:
    """A fallen pin lies on the diamond, dashed; the scores stay as decided until the ruling is confirmed."""
    page = open_page("/tables/3")
    hub.show(states.live_two_pins())
    expect(page.locator(".caption")).to_contain_text("упали 2 фишки")
    expect(page.locator(".caption .tag.provisional")).to_have_text("предварительно")
    expect(page.locator(".diamond .provisional")).to_have_count(2)
    assert (score(page, "a"), score(page, "b")) == ("47", "38")
    expect(page.locator(".band .tag.ruling")).to_have_text("Решение")


def test_a_proposal_carries_a_question_mark_and_does_not_score(open_page: OpenPage, hub: FakeHub) -> None:
    """Proposed points stand in chalk with a question mark; the score waits for the confirmation."""
    page = open_page("/tables/3")
    hub.show(states.proposed_foul())
    expect(page.locator(".band.provisional .points")).to_contain_text("+4?")
    expect(page.locator(".band .said")).to_have_text("Ёжиков: ошибка Б – красный шар, игра с руки")
    assert score(page, "a") == "55"
    hub.show(
        states.five_pins(
            turn="A",
            last={"shot": 43, "status": "final", "ruling": states.RED_FIRST, "old": None},
            players=states.proposed_foul()["players"]
            | {"A": states.player(states.LONG, ball="white", score=59, games=1)},
        )
    )
    expect(page.locator(".side.a .score")).to_have_text("59")
    expect(page.locator(".band .points")).not_to_contain_text("?")


def test_no_connection_is_never_a_living_page(
    open_page: OpenPage, hub: FakeHub, server: Server, complaints: Complaints
) -> None:
    """Within seconds of the hub's death: banner, stripes, no green, the time of the last data; alive again by itself after the restart."""
    complaints.allow("Failed to load resource")
    page = open_page("/tables/5")
    port = server.port
    server.stop()
    expect(page.locator(".banner")).to_contain_text("Нет связи")
    expect(page.locator(".banner")).to_contain_text("21:38:05")
    assert page.locator(".side.a").evaluate("side => getComputedStyle(side, '::before').backgroundColor") in {
        "rgba(0, 0, 0, 0)",
        "transparent",
    }
    shown = page.locator(".clock .number").inner_text()
    page.wait_for_timeout(1300)
    assert page.locator(".clock .number").inner_text() == shown, "a clock without a hub runs on"
    again = Server(hub, port=port)
    try:
        hub.show(
            states.pyramid(
                clock={"remaining_ms": 33_000, "running": False, "limit_s": 40, "warn": False, "expired": False}
            )
        )
        expect(page.locator(".banner")).to_have_count(0)
        expect(page.locator(".clock .number")).to_have_text("33")
    finally:
        again.stop()


def test_the_corrected_score_shows_the_old_one_struck(open_page: OpenPage, hub: FakeHub) -> None:
    """A correction says so once: tag, and the old score struck through beside the new one."""
    page = open_page("/tables/3")
    corrected = states.five_pins(
        last={
            "shot": 41,
            "status": "corrected",
            "ruling": states.ruling(striker="B", to="B", points={"A": 0, "B": 3}),
            "old": states.SIX,
        }
    )
    corrected["players"]["B"]["score"] = 35
    hub.show(corrected)
    expect(page.locator(".side.b .score")).to_have_text("35")
    expect(page.locator(".side.b .old")).to_have_text("38")
    expect(page.locator(".band .tag.corrected")).to_have_text("Исправлено")


def test_nothing_moves_when_scores_grow_and_names_are_long(open_page: OpenPage, hub: FakeHub) -> None:
    """One digit or three, short name or long, Russian or Italian: the parts of the board stay where they are."""
    page = open_page("/tables/3")
    still(page)
    parts = [".top", ".side.a", ".centre", ".side.b", ".band", ".side.a .plate", ".diamond"]

    def boxes() -> list[dict[str, float]]:
        return [page.locator(part).bounding_box() or {} for part in parts]

    before = boxes()
    for value, name in (
        (7, states.SHORT),
        (100, states.LONG),
        (-12, {"name": "Константинопольская-Преображенская-Ё", "given": "", "lang": "ru"}),
    ):
        hub.show(
            states.five_pins(
                players={
                    "A": states.player(name, ball="white", score=value, games=12),
                    "B": states.player(states.SHORT, ball="yellow", score=value, games=11),
                }
            )
        )
        expect(page.locator(".side.a .score")).to_have_text(re.sub("-", "−", str(value)))
        still(page)
        assert boxes() == before
        overflow = page.evaluate("""() => [...document.querySelectorAll('.fit, .score, .games, .points')].filter((el) => {
            const box = el.getBoundingClientRect();
            const room = el.closest('section').getBoundingClientRect();
            return box.left < room.left - 1 || box.right > room.right + 1;
        }).map((el) => el.textContent)""")
        assert overflow == []


def test_a_name_whose_letters_come_late_is_fitted_again(open_page: OpenPage, hub: FakeHub) -> None:
    """Kazakh letters are in a face that no page needed before: when it comes, the name stands as if it had been there."""
    hub.views["3"]["players"]["A"] = states.player(
        {"name": "ҚҒҢҮҺ" * 6, "given": "", "lang": "kk"}, ball="white", score=7, games=1
    )
    look = """() => {
        const el = document.querySelector('.side.a .plate .fit');
        return { style: el.getAttribute('style'), width: Math.round(el.getBoundingClientRect().width), room: el.parentElement.clientWidth };
    }"""
    there = open_page("/tables/3", wait=".board")
    still(there)
    expected = there.evaluate(look)
    held: list[Any] = []

    def hold(page: Page) -> None:
        page.route("**/marker-name-600-cyrillic-ext*", lambda route: held.append(route))  # noqa: PLW0108 - it wants a function of its own

    late = open_page("/tables/3", wait=".board", before=hold)
    late.wait_for_function("() => document.querySelector('.side.a .plate .fit')")
    while not held:
        late.wait_for_timeout(20)
    assert len(held) == 1
    unfitted = late.evaluate(look)
    held[0].continue_()
    still(late)
    assert late.evaluate(look) == expected
    assert expected["width"] <= expected["room"] + 1
    assert unfitted != expected, "the face made no difference: the test proves nothing"


def test_a_negative_score_has_a_true_minus(open_page: OpenPage) -> None:
    """U+2212, never a hyphen; debt by rings and word."""
    page = open_page("/tables/5")
    assert score(page, "b") == "\u22122"
    expect(page.locator(".side.b .shelf")).to_contain_text("Долг 2")
    expect(page.locator(".side.b .slot.debt")).to_have_count(2)
    expect(page.locator(".side.a .slot.filled")).to_have_count(5)


def test_the_ten_seconds_have_three_carriers(open_page: OpenPage, hub: FakeHub) -> None:
    """Colour, tag and number; above ten seconds none of them."""
    page = open_page("/tables/5")
    expect(page.locator(".clock.warn")).to_have_count(1)
    expect(page.locator(".caption .tag.call")).to_have_text("«10 секунд»")
    hub.show(
        states.pyramid(clock={"remaining_ms": 31_500, "running": False, "limit_s": 40, "warn": False, "expired": False})
    )
    expect(page.locator(".clock .number")).to_have_text("32")
    expect(page.locator(".clock.warn")).to_have_count(0)
    expect(page.locator(".clock .unit")).to_have_text("пауза")
