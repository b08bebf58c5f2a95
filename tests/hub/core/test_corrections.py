"""Undo, redo, amend, preview, re-opened games: every decision can be changed later, and nothing is rewritten silently."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import table as core
from marker_hub.entries import Change


def amend(driver: Any, shot: int, **changes: Any) -> None:
    driver.do(c.Amend(shot=shot, changes=Change(**changes)))


def preview(driver: Any, shot: int, **changes: Any) -> core.Preview:
    made = core.preview(driver.table, c.Amend(shot=shot, changes=Change(**changes), dry_run=True))
    assert isinstance(made, core.Preview), made
    return made


def test_undo_of_any_depth_and_redo_are_the_identity(carom: Any) -> None:
    hashes = [core.state_hash(carom.table)]
    depth = 0
    for pins in ("N", "", "EC"):
        before = len(carom.table.done)
        carom.play(pins)
        depth += len(carom.table.done) - before
        hashes.append(core.state_hash(carom.table))
    for _ in range(depth):
        carom.do(c.Undo())
    for _ in range(depth):
        carom.do(c.Redo())
    assert core.state_hash(carom.table) == hashes[-1]
    assert carom.refuse(c.Redo()).code == "nothing"


def test_undo_survives_a_snapshot(carom: Any) -> None:
    carom.play("N")
    raw = core.dump(carom.table)
    carom.table = core.load(carom.config, raw)
    carom.do(c.Undo())
    assert carom.phase == "proposed"
    assert carom.score == (0, 0)


def test_a_new_command_ends_the_chance_to_redo(carom: Any) -> None:
    carom.shot("N")
    carom.do(c.Answer(question="Q1", answer="red"))
    carom.do(c.Undo())
    carom.do(c.Answer(question="Q1", answer="opponent"))
    assert carom.refuse(c.Redo()).code == "nothing"


def test_undo_of_an_accept_after_the_next_strike_keeps_the_new_shot(carom: Any) -> None:
    carom.play("N")
    carom.click()
    carom.now += 300_000
    carom.rail()
    assert carom.phase == "rolling"
    carom.do(c.Undo())
    assert carom.phase == "proposed"
    assert carom.view["pending"] == [2]
    carom.do(c.Reopen())
    carom.answer_all(Q2="cue")
    carom.do(c.Accept())
    assert carom.score == (6, 0)
    assert carom.phase in ("rolling", "settling")
    assert carom.view["live"]["shot"] == 2


def test_match_start_can_be_undone(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins()
    while driver.table.done:
        driver.do(c.Undo())
    assert driver.phase == "idle"
    driver.do(c.Redo())
    assert driver.phase in ("lag", "placing")


@pytest.mark.report("R024")
def test_correcting_an_earlier_shot_moves_the_total_at_once(drivers: Any) -> None:
    """R024: shot 3 of game 1 is corrected while game 2 is running."""
    driver = drivers()
    driver.five_pins(options={"points_limit": 12, "games": 3})
    for pins in ("N", "", "", "E", "C", "", "NE"):
        driver.play(pins)
    assert driver.phase == "game_over"
    driver.do(c.NextGame())
    driver.do(c.Ready())
    driver.play("N")
    assert driver.view["games"][0]["score"] == {"A": 12, "B": 2}
    assert driver.score == (0, 2)
    made = preview(driver, 2, answers={"Q2": "cue"})
    assert [(diff.shot, diff.old, diff.new) for diff in made.shots] == [(2, "0", "B+4")]
    assert made.score_old == made.score_new == {"A": 0, "B": 2}
    amend(driver, 2, answers={"Q2": "cue"})
    assert driver.view["games"][0]["score"] == {"A": 12, "B": 6}
    assert driver.score == (0, 2)
    made = preview(driver, 3, answers={"Q2": "cue"})
    assert made.set_aside == (6, 7)
    amend(driver, 3, answers={"Q2": "cue"})
    assert driver.view["games"][0]["score"] == {"A": 12, "B": 6}
    assert driver.view["aside"] == [6, 7]
    assert driver.view["match"]["game_no"] == 2
    assert driver.score == (0, 2)
    kinds = [effect.kind for effect in driver.effects if isinstance(effect, core.Announce)]
    assert kinds.count("correction") == 2


@pytest.mark.report("R023")
def test_a_game_that_is_not_won_after_all_opens_again(drivers: Any) -> None:
    """R023: the last shot of game 1 is corrected after game 2 has begun; nothing of game 2 is lost."""
    driver = drivers()
    driver.five_pins(options={"points_limit": 6, "games": 3})
    driver.play("NC")
    assert driver.phase == "game_over"
    driver.do(c.NextGame())
    driver.do(c.Ready())
    driver.play("E")
    driver.play("")
    assert driver.view["players"]["B"]["score"] == 2
    made = preview(driver, 1, pins=("N",))
    assert made.set_aside == (2, 3)
    assert driver.view["match"]["game_no"] == 2
    amend(driver, 1, pins=("N",))
    assert driver.view["match"]["game_no"] == 1
    assert driver.view["games"] == []
    assert driver.score == (2, 0)
    assert driver.view["aside"] == [2, 3]
    assert driver.phase in ("armed", "respotting", "placing")
    assert driver.view["turn"] == "B"
    amend(driver, 1, pins=("N", "C"))
    assert driver.view["aside"] == []
    assert driver.view["match"]["game_no"] == 2
    assert driver.score == (0, 2)


@pytest.mark.report("R031")
def test_a_correction_that_decides_the_match_earlier_is_shown_before_it_is_made(drivers: Any) -> None:
    """R031: during game 3 game 2 is corrected so that the match was over after it."""
    driver = drivers()
    driver.five_pins(options={"points_limit": 4, "games": 3, "breaks": {}})
    driver.play("NE")
    driver.do(c.NextGame())
    driver.do(c.Ready())
    driver.play("")
    driver.play("N")
    driver.play("NE")
    assert driver.view["players"]["B"]["games"] == 1
    driver.do(c.NextGame())
    driver.do(c.Ready())
    driver.play("N")
    before = driver.view
    made = preview(driver, 3, pins=("N", "W"))
    assert made.winner_old is None
    assert made.winner_new == "A"
    assert made.set_aside == (4, 5)
    assert driver.view == before
    amend(driver, 3, pins=("N", "W"))
    assert driver.phase == "match_over"
    assert driver.view["winner"] == "A"
    kinds = [type(entry.body).__name__ for entry in driver.journal]
    assert kinds.count("Accepted") == 5
    driver.do(c.Undo())
    assert driver.phase != "match_over"
    assert driver.view["players"]["B"]["games"] == 1


@pytest.mark.parametrize(
    ("change", "score"),
    [
        ({"calls": (("Z", "A", "during"),)}, (0, 4)),
        ({"pins": ("N", "C")}, (6, 0)),
        ({"void": True}, (0, 0)),
        ({"delete": True}, (0, 0)),
        ({"ruling": {"points": {"B": 5}}, "note": "seen on video"}, (0, 5)),
        ({"answers": {"Q3": "after"}}, (0, 2)),
    ],
)
def test_every_part_of_a_shot_can_be_amended(carom: Any, change: dict[str, Any], score: tuple[int, int]) -> None:
    carom.play("N")
    amend(carom, 1, **change)
    assert carom.score == score


def test_a_manual_ruling_needs_a_note(carom: Any) -> None:
    carom.play("N")
    refusal = core.preview(carom.table, c.Amend(shot=1, changes=Change(ruling={"points": {"A": 3}})))
    assert isinstance(refusal, core.Refusal)
    assert carom.refuse(c.Amend(shot=1, changes=Change(ruling={"points": {"A": 3}}))).code == "note"
    assert carom.refuse(c.Manual(points={"A": 3}, note=" ")).code == "note"


def test_a_forgotten_shot_can_be_inserted(carom: Any) -> None:
    carom.play("N")
    amend(carom, 1, insert_after=True, striker="B", answers={"Q1": "opponent", "Q2": "nobody", "Q3": "no"}, pins=("E",))
    assert carom.score == (2, 2)
    assert [record.no for record in carom.table.match.shots] == [1, 2]
    assert carom.view["turn"] == "A"


def test_another_striker_keeps_the_later_strikers_and_lists_them(carom: Any) -> None:
    carom.play("N")
    carom.play("E")
    amend(carom, 1, striker="B")
    assert carom.score == (0, 4)
    assert [record.no for record in carom.table.match.shots if record.open] != []
    assert "out-of-turn" in carom.notices()
    assert carom.view["undecided"] == []


def test_corrections_do_not_block_live_entry(carom: Any) -> None:
    carom.play("N")
    carom.click()
    carom.now += 200_000
    carom.rail()
    amend(carom, 1, answers={"Q2": "cue"})
    assert carom.phase == "rolling"
    assert carom.score == (6, 0)
    carom.now += 1_000_000
    carom.do(c.Still())
    assert carom.phase == "asking"


def test_a_closed_shot_that_does_not_exist_is_refused(carom: Any) -> None:
    assert carom.refuse(c.Amend(shot=7, changes=Change(void=True))).code == "shot"


def test_limit_is_undone_to_the_points_before_the_cut(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(options={"points_limit": 8, "games": 1})
    driver.play("NC")
    driver.play("")
    driver.play("NC")
    assert driver.score == (8, 0)
    assert driver.phase == "match_over"
    driver.do(c.Undo())
    assert driver.score == (6, 0)
    driver.do(c.Redo())
    driver.do(c.Close())
    driver.do(c.Undo())
    assert driver.phase == "match_over"


def finished(driver: Any) -> None:
    driver.five_pins(options={"points_limit": 6, "games": 1})
    driver.play("N")
    driver.play("")
    driver.play("NE")
    assert driver.view["winner"] == "A"


@pytest.mark.parametrize("signed", [False, True])
def test_a_finished_match_is_corrected_until_the_next_one_begins(drivers: Any, signed: bool) -> None:
    driver = drivers()
    finished(driver)
    if signed:
        driver.do(c.Close())
    driver.effects.clear()
    amend(driver, 2, answers={"Q2": "cue"})
    assert driver.phase == ("idle" if signed else "match_over")
    assert driver.table.match.revision == 2
    assert [record.ruling.short for record in driver.table.match.shots] == ["A+2", "B+4", "A+4"]
    assert [effect.revision for effect in driver.effects if isinstance(effect, core.MatchEnded)] == [2]
    if not signed:
        driver.do(c.Close())
    driver.five_pins()
    assert driver.refuse(c.Amend(shot=2, changes=Change(void=True))).code == "shot"


def test_a_signed_match_that_is_not_won_any_more_goes_on_and_is_signed_anew(drivers: Any) -> None:
    driver = drivers()
    finished(driver)
    driver.do(c.Close())
    made = preview(driver, 3, pins=("N",))
    assert (made.winner_old, made.winner_new) == ("A", None)
    amend(driver, 3, pins=(), answers={"Q1": "opponent"})
    assert driver.phase in ("respotting", "armed", "placing")
    assert driver.score == (2, 0)
    assert not driver.table.match.signed
    driver.do(c.Undo())
    assert driver.phase == "idle"
    assert driver.table.match.signed
    assert driver.table.match.revision == 1


def test_without_a_match_nothing_can_be_corrected(drivers: Any) -> None:
    driver = drivers()
    assert driver.refuse(c.Amend(shot=1, changes=Change(void=True))).code == "match"
