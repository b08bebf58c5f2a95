"""Pyramid: the balls on the table and on the shelves are always the same balls; who counts others is told so."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub.match.board import ball_count

GAMES = [("free-pyramid", 16), ("dynamic-pyramid", 15), ("combined-pyramid", 15)]


def codes(driver: Any) -> list[str]:
    return [notice["code"] for notice in driver.view["notices"] if notice["code"].startswith("count")]


@pytest.mark.parametrize(("game", "full"), GAMES)
def test_balls_move_and_none_is_lost(drivers: Any, game: str, full: int) -> None:
    """Scored, charged, owed, paid: table and shelves stay the whole set."""
    driver = drivers(profile="pyramid", sensors=False)
    driver.pyramid(game)
    for balls, foul in (("2", False), ("0", True), ("1", False), ("0", True), ("0", True), ("2", False)):
        driver.do(c.Strike())
        if foul:
            driver.do(c.Call(code="RP-16", by=driver.view["turn"]))
        driver.decide(QG=balls)
        driver.do(c.Accept())
        while driver.phase in ("placing", "respotting"):
            choices = driver.view["due"]["choices"]
            driver.do(c.Choice(value=choices[0]) if choices else c.Ready())
        count = ball_count(driver.table.match)
        assert count is not None
        assert (count.missing, count.full) == (0, full)
        assert codes(driver) == []
    assert driver.view["players"]["A"]["debt"] + driver.view["players"]["B"]["debt"] >= 0


@pytest.mark.parametrize(("game", "full"), GAMES)
@pytest.mark.parametrize(("off", "code"), [(-1, "count-less"), (1, "count-more")])
def test_a_count_that_does_not_fit_is_shown_until_it_does(
    drivers: Any, game: str, full: int, off: int, code: str
) -> None:
    driver = drivers(profile="pyramid", sensors=False)
    driver.pyramid(game)
    driver.do(c.Strike())
    driver.decide(QG="2")
    driver.do(c.Accept())
    while driver.phase in ("placing", "respotting"):
        driver.do(c.Ready())
    assert driver.view["balls"] == {"on_table": full - 2, "shelves": {"A": 2, "B": 0}, "full": full, "missing": 0}
    driver.do(c.Layout(balls=full - 2 + off))
    (notice,) = [notice for notice in driver.view["notices"] if notice["code"].startswith("count")]
    assert notice == {"code": code, "args": {"table": full - 2 + off, "shelves": 2, "full": full, "n": 1}}
    driver.do(c.Strike())
    assert codes(driver) == [code], "it does not go away by itself"
    driver.do(c.NotAShot())
    driver.do(c.Layout(balls=full - 2))
    assert codes(driver) == []


def test_a_correction_that_moves_a_ball_under_a_counted_table_is_noticed(drivers: Any) -> None:
    """The referee counted; then the shot before it is corrected: one of the two is wrong."""
    from marker_hub.entries import Change

    driver = drivers(profile="pyramid", sensors=False)
    driver.pyramid()
    driver.do(c.Strike())
    driver.decide(QG="2")
    driver.do(c.Accept())
    driver.do(c.Layout(balls=14))
    assert codes(driver) == []
    driver.do(c.Amend(shot=1, changes=Change(answers={"QG": "1"})))
    assert codes(driver) == ["count-less"]
    driver.do(c.Undo())
    assert codes(driver) == []


def test_five_pins_counts_no_balls(carom: Any) -> None:
    assert carom.view["balls"] is None
