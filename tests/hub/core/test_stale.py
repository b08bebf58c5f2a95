"""Nothing twice, nothing on a stale view: what was decided by an old picture of the table is asked again."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import table as core
from marker_hub.table.propose import DECIDING, MADE, may_be_of
from marker_hub.table.step import as_seen


def proposed(driver: Any) -> int:
    """A shot that only waits for its acceptance; the position at which that was shown."""
    driver.shot("N")
    driver.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    assert driver.phase == "proposed"
    return int(driver.table.n)


def test_an_undo_after_seen_makes_an_acceptance_stale(carom: Any) -> None:
    carom.shot("N")
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="before")
    seen = carom.table.n
    carom.do(c.Undo())
    assert carom.sheet["acceptable"]
    assert carom.refuse(c.Accept(seen=seen)).code == "stale"
    carom.do(c.Redo())
    assert carom.refuse(c.Accept(seen=seen)).code == "stale"
    carom.do(c.Accept(seen=carom.table.n))


def test_a_position_the_journal_has_not_reached_is_stale(carom: Any) -> None:
    """The page saw another journal: a backup was restored under it."""
    proposed(carom)
    commands = (
        c.Accept(seen=10**6),
        c.Answer(question="Q1", answer="red", seen=10**6),
        c.Suspend(note="x", seen=10**6),
    )
    for command in commands:
        assert carom.refuse(command).code == "stale"
    assert carom.score == (0, 0)


def test_a_pin_that_falls_after_seen_makes_an_acceptance_stale(carom: Any) -> None:
    """The balls still roll, the sheet is answered, the thumb is on its way: the last pin falls."""
    carom.click()
    carom.now += 300_000
    carom.click()
    carom.fall("N")
    carom.wait(3.2)
    assert carom.phase == "settling"
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    seen = carom.table.n
    assert carom.sheet["proposal"]["short"] == "A+2"
    carom.fall("S")
    assert carom.sheet["proposal"]["short"] == "A+4"
    assert carom.refuse(c.Accept(seen=seen)).code == "stale"
    carom.do(c.Accept(seen=carom.table.n))
    assert carom.score == (4, 0)


def test_a_record_that_changes_nothing_does_not(carom: Any) -> None:
    seen = proposed(carom)
    carom.rail()
    carom.put(e.ClockPair(1, carom.t, carom.OFFSET, 1000))
    assert carom.table.n > seen
    carom.do(c.Accept(seen=seen))
    assert carom.score == (2, 0)


def test_two_referees_who_tap_at_once_do_it_once(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(options={"points_limit": 2, "games": 3, "breaks": {}})
    seen = proposed(driver)
    driver.do(c.Accept(seen=seen))
    assert driver.refuse(c.Accept(seen=seen)).code == "stale"
    seen = driver.table.n
    driver.do(c.NextGame(seen=seen))
    assert driver.refuse(c.NextGame(seen=seen)).code == "stale"
    driver.do(c.Ready())
    seen = driver.table.n
    driver.do(c.Strike(seen=seen))
    assert driver.refuse(c.Strike(seen=seen)).code == "stale"
    assert driver.view["pending"] == []


def test_a_correction_made_on_another_preview_is_stale(carom: Any) -> None:
    carom.play("N")
    carom.play("E")
    seen = carom.table.n
    carom.shot("")
    carom.do(c.Amend(shot=2, changes=e.Change(pins=("E", "S")), seen=seen))
    assert carom.refuse(c.Amend(shot=1, changes=e.Change(void=True), seen=seen)).code == "stale"
    carom.do(c.Amend(shot=1, changes=e.Change(void=True), seen=carom.table.n))


@pytest.mark.parametrize("kind", DECIDING, ids=lambda kind: kind.__struct_config__.tag)
def test_what_decides_is_compared_with_the_newest_decision(carom: Any, kind: Any) -> None:
    """Before anything else is looked at: every one of these commands is stale after somebody else's."""
    fields: dict[type, dict[str, Any]] = {
        c.Manual: {"points": {"A": 1}, "note": "x"}, c.Pick: {"ruling": "A+2"}, c.LagResult: {"winner": "A"},
        c.Choice: {"value": "open"}, c.AwardGame: {"to": "A", "note": "x"}, c.AwardMatch: {"to": "A", "note": "x"},
        c.Interference: {"value": "lost"}, c.Extension: {"by": "A"}, c.BreakRequest: {"by": "A"},
    }  # fmt: skip
    seen = carom.table.n
    carom.do(c.Log(code="FP-P.1"))
    assert carom.refuse(kind(seen=seen, **fields.get(kind, {}))).code == "stale"


def test_the_table_as_it_was_seen(carom: Any) -> None:
    hashes = {}
    carom.play("N")
    carom.do(c.Undo())
    for _ in range(3):
        carom.rail()
        hashes[carom.table.n] = core.state_hash(carom.table)
    for n, digest in hashes.items():
        then = as_seen(carom.table, n)
        assert then is not None
        assert (then.n, core.state_hash(then)) == (n, digest)
    assert as_seen(carom.table, carom.table.n + 1) is None


def test_a_stored_body_tells_which_command_its_key_stood_for(carom: Any) -> None:
    assert set(MADE) == set(c.Command.__args__)
    assert may_be_of(e.Answered(1, "Q1", "red"), c.Answer(question="Q1", answer="red"))
    assert not may_be_of(e.Answered(1, "Q1", None), c.Answer(question="Q1", answer="red"))
    assert not may_be_of(e.Awarded("game", "A", "x"), c.AwardMatch(to="A", note="x"))
    assert not may_be_of(e.Stilled(), c.Accept())
