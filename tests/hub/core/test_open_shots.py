"""A shot that a correction leaves without one ruling counts for nobody until somebody decides it: never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core
from marker_hub.match.state import Status


def amend(driver: Any, shot: int, **changes: Any) -> None:
    driver.do(c.Amend(shot=shot, changes=e.Change(**changes)))


def look(driver: Any, shot: int, **changes: Any) -> dict[str, Any]:
    made = core.preview(driver.table, c.Amend(shot=shot, changes=e.Change(**changes), dry_run=True))
    assert isinstance(made, core.Preview), made
    return projections.preview_view(driver.table, made)


def test_answers_that_ask_more_leave_the_shot_open_until_they_are_given(carom: Any) -> None:
    """Red was first after all: by which ball the opponent's was then reached nobody said."""
    carom.play("N")
    carom.play("E")
    assert carom.score == (2, 2)
    shown = look(carom, 1, answers={"Q1": "red"})
    assert shown["changed"][0]["open"]
    assert shown["undecided"] == [1]
    asked = {row["id"]: row for row in shown["sheet"]["rows"]}
    assert not shown["sheet"]["certain"]
    assert "Q4" in asked
    amend(carom, 1, answers={"Q1": "red"})
    assert carom.score == (0, 2), "nothing is guessed"
    assert carom.view["undecided"] == [1]
    assert carom.view["notices"][0] == {"code": "open", "args": {"shots": [1]}}
    assert carom.view["last"]["shot"] == 2
    assert core.desired(carom.table).shot_topic["shot"] == 2
    amend(carom, 1, answers={name: row["selected"] or row["answers"][0]["id"] for name, row in asked.items()})
    assert carom.view["undecided"] == []
    assert "open" not in carom.notices()
    assert carom.table.match.shots[0].status is Status.CORRECTED
    assert carom.score != (0, 2)


def test_a_shot_without_a_ruling_is_kept_by_the_journal_whatever_the_code_says_later(carom: Any) -> None:
    carom.play("N")
    amend(carom, 1, answers={"Q1": "red"})
    body = next(entry.body for entry in reversed(carom.journal) if isinstance(entry.body, e.Amended))
    assert [(item.shot, item.ruling, item.open) for item in body.rulings] == [(1, None, True)]
    carom.play("")
    carom.do(c.Undo())
    assert carom.view["undecided"] == [1]


def test_the_protocol_is_not_signed_over_a_shot_without_a_ruling(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(options={"points_limit": 4, "games": 1})
    driver.play("N")
    driver.play("")
    driver.play("NE")
    assert driver.phase == "match_over"
    amend(driver, 2, answers={"Q1": "red"})
    assert driver.phase == "match_over"
    refusal = driver.refuse(c.Close())
    assert refusal.code == "undecided"
    assert "2" in projections.refusal_text(refusal)["ru"]
    amend(driver, 2, answers={"Q1": "opponent"})
    driver.do(c.Close())


def test_pages_and_record_name_it(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins()
    driver.play("N")
    amend(driver, 1, answers={"Q1": "red"})
    view = projections.record_view(driver.table.match, driver.table.match.shots[0])
    assert (view["status"], view["ruling"]) == ("open", None)
    assert view["old"]["short"] == "A+2"
    assert driver.view["last"] is None
    sheet = projections.sheet_view(driver.table, 1)
    assert not sheet["certain"]
    assert sheet["rows"]


@pytest.mark.parametrize("game", ["free-pyramid", "dynamic-pyramid", "combined-pyramid"])
def test_a_later_shot_that_becomes_the_break_is_open(drivers: Any, game: str) -> None:
    """Shot 1 never was: shot 2 was the break, and whether it met its conditions nobody was asked."""
    driver = drivers(profile="pyramid", sensors=False)
    driver.pyramid(game)
    for balls in ("0", "0", "2"):
        driver.do(c.Strike())
        driver.decide(QG=balls)
        driver.do(c.Accept())
        while driver.phase in ("placing", "respotting"):
            driver.do(c.Ready())
    assert [record.striker for record in driver.table.match.shots] == ["A", "B", "A"]
    shown = look(driver, 1, delete=True)
    assert [(item["shot"], item["open"]) for item in shown["changed"]] == [(1, False), (2, True)]
    assert shown["undecided"] == [2]
    amend(driver, 1, delete=True)
    assert driver.view["undecided"] == [2]
    assert driver.score == (2, 0), "shot 3 counts as it did"
    assert driver.table.match.shots[0].striker == "B"
    amend(driver, 2, answers={"QM": "met"})
    assert driver.view["undecided"] == []
    assert driver.score == (2, 0)
    driver.do(c.Undo())
    assert driver.view["undecided"] == [2]
    driver.do(c.Undo())
    assert driver.view["undecided"] == []
    assert len(driver.table.match.shots) == 3
