"""Frames of the three pyramid games through the table, with sensors: pots by gates, choices, placing, clock, breaks, series."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import table as core

GAMES = ("free-pyramid", "dynamic-pyramid", "combined-pyramid")


def test_a_legal_break_credits_balls_and_the_turn_stays(free: Any) -> None:
    free.pots("P1", "P2")
    assert free.score == (2, 0)
    assert free.view["turn"] == "A"
    assert free.view["players"]["A"]["run"] == 2
    assert free.phase == "armed"


def test_a_frame_ends_at_the_target_and_its_winner_breaks(free: Any) -> None:
    for _ in range(4):
        free.pots("P1", "P2")
    assert free.phase == "game_over"
    assert free.view["players"]["A"]["games"] == 1
    assert [game["winner"] for game in free.view["games"]] == ["A"]
    free.do(c.NextGame())
    assert free.phase == "placing"
    free.do(c.Ready())
    assert free.view["turn"] == "A"
    for _ in range(4):
        free.pots("P1", "P2")
    assert free.phase == "match_over"
    assert free.view["winner"] == "A"


def test_a_foul_opens_two_choices_and_the_penalty_is_owed(free: Any) -> None:
    free.pots("P1")
    free.pots("P2")
    free.do(c.Strike())
    free.do(c.Call(code="RP-16", by="A"))
    free.now += 1_000_000
    free.do(c.Still())
    free.decide()
    assert free.view["proposal"]["ruling"]["short"] == "F"
    free.do(c.Accept())
    assert free.score == (1, 0)
    assert free.phase == "placing"
    assert free.view["due"] == {**free.view["due"], "kind": "choice", "player": "B", "choices": ["play", "cede"]}
    assert free.view["turn"] == "B"
    assert free.refuse(c.Ready()).code == "choice-open"
    free.do(c.Choice(value="cede"))
    assert free.view["turn"] == "A"
    free.do(c.Ready())
    assert free.phase == "armed"


@pytest.mark.clause("RP-11.2.1")
@pytest.mark.parametrize(
    ("choice", "turn", "mode"),
    [
        ("accept_play", "B", "play"),
        ("accept_cede", "A", "play"),
        ("rerack_play", "B", "break"),
        ("rerack_cede", "A", "break"),
    ],
)
def test_an_illegal_break_opens_four_choices(free: Any, choice: str, turn: str, mode: str) -> None:
    free.do(c.Strike())
    free.do(c.Call(code="RP-20.2", by="A"))
    free.now += 1_000_000
    free.do(c.Still())
    if free.phase == "asking":
        for row in free.sheet["rows"]:
            free.do(c.Answer(question=row["id"], answer=row["answers"][-1]["id"]))
    free.do(c.Accept())
    assert len(free.view["due"]["choices"]) == 4
    free.do(c.Choice(value=choice))
    assert free.view["turn"] == turn
    assert free.view["due"]["mode"] == mode


def test_the_winner_of_a_frame_may_play_on_and_have_a_new_rack(free: Any) -> None:
    for _ in range(4):
        free.pots("P1", "P2")
    assert free.phase == "game_over"
    free.do(c.ContinueRun())
    assert free.phase == "armed"
    free.pots("P1")
    assert free.view["players"]["A"]["run"] == 9
    assert free.view["players"]["A"]["games"] == 1
    free.do(c.NewRack())
    assert free.phase == "placing"
    assert free.view["match"]["game_no"] == 2
    assert free.score == (0, 0)
    free.do(c.Ready())
    free.pots("P1")
    assert free.view["players"]["A"]["run"] == 10


@pytest.mark.clause("RP-30.4c")
def test_a_run_played_on_ends_with_a_miss(free: Any) -> None:
    for _ in range(4):
        free.pots("P1", "P2")
    free.do(c.ContinueRun())
    free.pots(QL="legal")
    assert free.phase == "game_over"


def test_a_player_takes_his_break_and_the_clock_stands(free: Any) -> None:
    free.now += 10_000_000
    free.do(c.BreakRequest(by="A"))
    assert free.phase == "break"
    assert free.refuse(c.BreakRequest(by="A")).code == "phase"
    free.wait(301)
    assert free.phase == "placing"
    free.do(c.Ready())
    assert free.phase == "armed"
    assert free.view["clock"]["remaining_ms"] == 30_000
    assert free.refuse(c.BreakRequest(by="A")).code == "refused"


@pytest.mark.clause("RP-29.2")
def test_in_live_television_the_referee_permits_the_break(drivers: Any) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid(options={"live_tv": True})
    assert driver.view["clock"]["limit_s"] == 30
    assert driver.refuse(c.BreakRequest(by="B")).code == "refused"
    driver.do(c.BreakRequest(by="B", permitted=True))
    assert driver.phase == "break"
    driver.do(c.Resume())
    driver.do(c.Act(action="late", player="B", value="130"))


@pytest.mark.clause("RP-24.3")
def test_lost_position_means_a_new_rack_and_a_lag(free: Any) -> None:
    free.pots("P1")
    free.click()
    free.do(c.Interference(value="lost", note="a lamp fell"))
    assert free.phase == "lag"
    assert free.score == (1, 0)
    free.do(c.LagResult(winner="B"))
    free.do(c.Choice(value="break"))
    free.do(c.Ready())
    assert free.view["turn"] == "B"
    assert free.score == (1, 0)


def test_restorable_interference_voids_the_shot(free: Any) -> None:
    free.pots("P1")
    free.click()
    free.drop("P2")
    free.do(c.Interference(value="restorable"))
    assert free.phase == "armed"
    assert free.score == (1, 0)
    assert free.view["clock"]["remaining_ms"] == 40_000
    assert len(free.table.match.shots) == 1


@pytest.mark.clause("RP-31.2c")
@pytest.mark.clause("RP-31.2d")
def test_awards(free: Any) -> None:
    assert free.refuse(c.AwardGame(to="B", note="")).code
    free.do(c.AwardGame(to="B", note="declared lost"))
    assert free.phase == "game_over"
    free.do(c.Undo())
    free.do(c.AwardMatch(to="A", note="excluded"))
    assert free.phase == "match_over"
    assert any(isinstance(effect, core.MatchEnded) for effect in free.effects)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_plays_a_frame(drivers: Any, game: str) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid(game, options={"race_to": 1, "target": 4})
    for _ in range(12):
        if driver.phase == "match_over":
            break
        driver.pots("P1", QL="legal")
        if driver.phase in ("placing", "respotting"):
            if driver.view["due"]["kind"] == "choice":
                driver.do(c.Choice(value=driver.view["due"]["choices"][0]))
            driver.do(c.Ready())
    assert driver.phase == "match_over"
    assert driver.view["winner"] == "A"


def test_balls_to_place_are_ticked_off(drivers: Any) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid()
    driver.pots("P1")
    driver.do(c.Strike())
    driver.do(c.Call(code="RP-16", by="A"))
    driver.now += 1_000_000
    driver.do(c.Still())
    driver.decide()
    driver.do(c.Accept())
    driver.do(c.Choice(value="play"))
    todo = [item["what"] for item in driver.view["due"]["placements"]]
    assert todo
    for what in todo:
        assert driver.phase == "placing"
        driver.do(c.Place(what=what))
    assert driver.phase == "armed"
