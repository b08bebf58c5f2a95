"""A five-pins match through the table: from the lag to the signed protocol."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import table as core


def test_opening_legal_shot_scores_and_passes_the_turn(carom: Any) -> None:
    carom.shot("N")
    assert carom.phase == "asking"
    assert carom.score == (0, 0)
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    assert carom.phase == "proposed"
    assert carom.view["proposal"]["ruling"]["short"] == "A+2"
    carom.do(c.Accept())
    assert carom.score == (2, 0)
    assert carom.phase == "respotting"
    assert carom.view["turn"] == "B"
    carom.stand("N")
    assert carom.phase == "armed"
    assert carom.view["pins"]["N"] == "standing"


def test_accept_on_the_sheet_takes_the_preselected_answers(carom: Any) -> None:
    carom.shot("N")
    proposal = carom.sheet["proposal"]["short"]
    assert not carom.sheet["needed"], "a pin fell: what touched it is likely enough to be selected"
    carom.do(c.Accept())
    assert carom.view["last"]["ruling"]["short"] == proposal


def test_foul_gives_ball_in_hand_and_waits_for_the_word_that_it_is_placed(carom: Any) -> None:
    carom.shot()
    carom.answer_all(Q1="red", Q4="yes")
    carom.do(c.Accept())
    assert carom.score == (0, 2)
    assert carom.view["mode"] == "hand"
    assert carom.phase == "placing"
    carom.click()
    carom.rail()
    assert carom.phase == "placing"
    carom.do(c.Ready())
    assert carom.phase == "armed"


def test_whole_match_with_lag_break_and_next_games(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(opener=None, options={"points_limit": 10, "games": 3})
    assert driver.phase == "lag"
    driver.do(c.LagResult(winner="B"))
    assert driver.phase == "placing"
    assert driver.view["due"]["choices"] == ["open", "give"]
    assert driver.refuse(c.Ready()).code == "choice-open"
    driver.do(c.Choice(value="give"))
    driver.do(c.Ready())
    assert driver.view["turn"] == "A"
    while driver.phase != "game_over":
        driver.play("NC" if driver.view["turn"] == "A" else "")
    assert driver.view["games"] == [{"n": 1, "winner": "A", "score": {"A": 10, "B": 0}, "forfeit": False}]
    driver.do(c.NextGame())
    assert driver.phase == "placing"
    driver.do(c.Ready())
    assert driver.view["turn"] == "B"
    while driver.phase != "game_over":
        driver.play("NC" if driver.view["turn"] == "B" else "")
    driver.do(c.NextGame())
    assert driver.phase == "break"
    assert driver.view["break"]["remaining_ms"] == 300_000
    driver.wait(299)
    assert driver.phase == "break"
    driver.wait(2)
    assert driver.phase == "placing"
    driver.do(c.Ready())
    while driver.phase != "match_over":
        driver.play("C" if driver.view["turn"] == "A" else "")
    assert driver.view["winner"] == "A"
    assert driver.view["players"]["A"]["games"] == 2
    driver.do(c.Close())
    assert driver.phase == "idle"
    assert any(isinstance(effect, core.MatchEnded) for effect in driver.effects)


def test_quiet_closes_the_shot_after_lull_and_silence(carom: Any) -> None:
    carom.click()
    assert carom.phase == "rolling"
    carom.wait(2.9)
    assert carom.phase == "rolling"
    carom.wait(0.2)
    assert carom.phase == "settling"
    carom.rail()
    assert carom.phase == "rolling"
    carom.wait(3.1)
    assert core.desired(carom.table).mode == "settling"
    carom.wait(5)
    assert carom.phase == "asking"


def test_undo_of_the_last_point_of_a_game_goes_back_across_its_end(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(options={"points_limit": 4, "games": 3})
    driver.play("NE")
    assert driver.phase == "game_over"
    driver.do(c.NextGame())
    driver.do(c.Undo())
    assert driver.phase == "game_over"
    driver.do(c.Undo())
    assert driver.phase == "proposed"
    assert driver.score == (0, 0)
    driver.do(c.Redo())
    driver.do(c.Redo())
    assert driver.phase == "placing"
    assert driver.view["match"]["game_no"] == 2


@pytest.mark.clause("FP-H.5a")
def test_without_sensors_the_wish_of_ball_in_hand_is_taken_while_the_stroke_is_awaited(drivers: Any) -> None:
    """Nothing is placed by hand there, so that the table is ready at once; the offender's ball can still be moved."""
    driver = drivers()
    driver.five_pins(manual=True)
    driver.do(c.Manual(points={"A": 0, "B": 2}, note="error", next="B", ball_in_hand=True))
    assert driver.phase == "armed"
    assert driver.view["due"]["choices"] == ["in_place", "start"]
    driver.do(c.Choice(value="start"))
    assert driver.phase == "armed"
    assert driver.view["due"]["chosen"] == "start"
    assert driver.refuse(c.Choice(value="elsewhere")).code == "choice"
    driver.do(c.Undo())
    assert (driver.phase, driver.view["due"]["chosen"]) == ("armed", None)
    driver.do(c.Choice(value="in_place"))
    driver.do(c.Strike())
    assert driver.refuse(c.Choice(value="start")).code == "phase"
