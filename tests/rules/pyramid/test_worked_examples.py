"""The worked examples in words of the conformance suite, each in a typed form that carries its id."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.game import DueKind
from marker_rules.options import Options
from marker_rules.pyramid import clock, rack
from marker_rules.pyramid.lag import LagBall, LagResult, judge_lag
from marker_rules.pyramid.placing import SpottingLine, places
from marker_rules.pyramid.state import Coloured, Phase, Stage, Table

A, B = Player.A, Player.B
SUITE = Path(__file__).parents[2] / "conformance" / "pyramid-other.yaml"
PROSE = {row["id"]: row for row in yaml.safe_load(SUITE.read_text(encoding="utf-8")) if row["kind"] == "prose"}
DONE: dict[str, str] = {}
FOUR = ("accept_play", "accept_cede", "rerack_play", "rerack_cede")
LINE = SpottingLine()
PITCH = LINE.pitch


def example(scenario: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Mark a test as the typed form of a worked example; its clauses become marks."""

    def mark(test: Callable[..., None]) -> Callable[..., None]:
        assert scenario not in DONE, f"{scenario} has a test already"
        DONE[scenario] = test.__name__
        for clause in PROSE[scenario]["clauses"]:
            test = pytest.mark.clause(clause)(test)
        return test

    return mark


def test_every_worked_example_has_a_typed_form() -> None:
    """No example in words is left without a test."""
    assert sorted(PROSE) == sorted(DONE)


# --- lag ------------------------------------------------------------------------------------------------------------


@example("RP-PL-10")
def test_pl_10_appeal_upheld(play: Any) -> None:
    """RP-PL-10: a late player's appeal against an early stroke is upheld: repeat, a remark may be given."""
    late = LagBall(dist_mm=100, late=True)
    assert judge_lag(LagBall(dist_mm=200), late).result is LagResult.A
    assert judge_lag(LagBall(dist_mm=200), late, appeal_upheld=True).result is LagResult.REPLAY
    match = play(opener=None)
    match.act("lag", value="replay")
    match.act("log", A, "RP-31.2a", "early stroke")
    assert match.state.stage is Stage.LAG
    assert match.state.log[-1].clause == "RP-31.2a"


@example("RP-PL-11")
def test_pl_11_winner_gives_the_break_away(play: Any) -> None:
    """RP-PL-11: the winner of the lag leaves the break to his opponent."""
    match = play(opener=None)
    match.act("lag", value="A")
    assert match.rules.due(match.state).choices == ("break", "cede")
    match.act("choose", A, "cede")
    due = match.rules.due(match.state)
    assert (match.state.breaker, due.kind, due.player, due.mode) == (B, DueKind.SHOT, B, "break")


# --- clock ------------------------------------------------------------------------------------------------------------


@example("RP-PC-12")
def test_pc_12_time_foul(judge: Any) -> None:
    """RP-PC-12: no stroke was made: a shelf ball, the position stands, the opponent chooses."""
    ruling = judge("", calls="RP-26.1.11 A")
    assert FROM(ruling) == ("A", "shelf")
    assert ruling.shelf.as_dict() == {"A": 2, "B": 2}
    assert (ruling.respot, [p.spot for p in ruling.placements]) == ((), ["line-1"])
    assert (ruling.chooser, ruling.choices) == (B, ("play", "cede"))


def FROM(ruling: Any) -> tuple[str, str]:  # noqa: N802 - reads as in the scenario: penalty from
    return (ruling.penalty.player.value, ruling.penalty.source.value)


@example("RP-PC-13")
def test_pc_13_counters(play: Any) -> None:
    """RP-PC-13: extra times are counted by player and start anew in each frame."""
    match = play()
    for player in (A, A, B):
        match.act("extension", player)
    assert match.state.extensions.as_dict() == {"A": 2, "B": 1}
    with pytest.raises(IllegalInput) as refused:
        match.act("extension", A)
    assert refused.value.code == "refused"
    law = clock.ClockLaw.of(match.options)
    assert clock.start(law, 0, match.state.extensions.a).strict
    assert not clock.start(law, 0, match.state.extensions.b).strict
    match.set(shelf=(7, 0), phase=Phase.PLAY)
    match.pot("w1")
    match.act("next_game")
    assert match.state.extensions.as_dict() == {"A": 0, "B": 0}


@example("RP-PC-14")
def test_pc_14_clock_while_balls_are_placed() -> None:
    """RP-PC-14: balls at rest at 0, placed at 22, choice at 27: the clock starts at 27, by the switch at 0."""
    assert clock.start_time(0, 27, Options(GameId.FREE)) == 27
    assert clock.start_time(0, 27, Options(GameId.FREE, {"clock_start": "stopped"})) == 0
    assert clock.start_time(3, None, Options(GameId.FREE)) == 3


# --- spotting ---------------------------------------------------------------------------------------------------------


@example("RP-PH-01")
def test_ph_01_hanging_ball_falls_alone(judge: Any) -> None:
    """RP-PH-01: it is restored, the safety is judged without it."""
    ruling = judge("strike C; contact C w3; cushion w3 left; cushion w3 foot; pot w6 BL", calls="RP-21.1 A")
    assert (ruling.legal_by, ruling.credited, ruling.penalties, ruling.respot) == ("RP-18.2", (), (), ())


@example("RP-PH-02")
def test_ph_02_hanging_ball_in_the_way(play: Any) -> None:
    """RP-PH-02: the shot is void and repeated by the same player."""
    match = play()
    match.set(shelf=(1, 0), phase=Phase.PLAY, placements=())
    before = match.state
    ruling = match.shot("strike C; contact C w3; pot w6 BL", "RP-21.2 A")
    assert (ruling.void, ruling.next, ruling.penalties) == (True, "A", ())
    assert match.state == before


@example("RP-PH-03")
def test_ph_03_moving_ball_hesitates(judge: Any) -> None:
    """RP-PH-03: a moving ball that drops late was potted by the shot, however late."""
    ruling = judge("strike C; contact C w6; note 3 s later; pot w6 BL")
    assert (ruling.credited, ruling.next) == (("w6",), "A")


@example("RP-PH-04")
def test_ph_04_hanging_ball_between_shots(play: Any) -> None:
    """RP-PH-04: no shot runs: back to the edge, the score stays."""
    match = play()
    match.set(phase=Phase.PLAY)
    before = match.state
    match.shot("pot w6 BL")
    assert match.state == before


@example("RP-PH-05")
def test_ph_05_one_ball() -> None:
    """RP-PH-05: the rear spot."""
    assert places(1) == ((887.5, 0.0),)


@example("RP-PH-06")
def test_ph_06_three_balls() -> None:
    """RP-PH-06: from the rear spot towards the back cushion with small gaps."""
    assert [x for x, _ in places(3)] == pytest.approx([887.5, 887.5 + PITCH, 887.5 + 2 * PITCH])
    assert LINE.ball_d < PITCH < LINE.ball_d + 3


@example("RP-PH-07")
def test_ph_07_rear_spot_occupied() -> None:
    """RP-PH-07: behind the ball that stands there, close but not touching."""
    assert places(1, obstacles=[(887.5, 0.0)])[0] == pytest.approx((887.5 + PITCH, 0.0))


@example("RP-PH-08")
def test_ph_08_line_blocked_part_way() -> None:
    """RP-PH-08: the first on the rear spot, the others behind the obstacle."""
    found = [x for x, _ in places(3, obstacles=[(987.5, 0.0)])]
    assert found == pytest.approx([887.5, 987.5 + PITCH, 987.5 + 2 * PITCH])
    assert 987.5 - 887.5 - LINE.ball_d == 32  # the gap the example names


@example("RP-PH-09")
def test_ph_09_line_full() -> None:
    """RP-PH-09: thirteen fit to the back cushion, the fourteenth goes on the extension towards the centre."""
    found = [x for x, _ in places(14)]
    assert all(887.5 <= x <= 1741 for x in found[:13])
    assert found[13] == pytest.approx(887.5 - PITCH)


@example("RP-PH-10")
def test_ph_10_spotted_ball_as_cue_ball(play: Any) -> None:
    """RP-PH-10: in Amerikanka a placed ball may be the cue ball."""
    match = play()
    match.set(shelf=(1, 2), phase=Phase.PLAY, table=Table(13))
    match.shot("strike w7; contact w7 w3; off w3 floor; cushion w7 left; cushion w7 foot")
    assert match.shot("strike w3; contact w3 w7; pot w7 BL").legal is True


@example("RP-PH-11")
def test_ph_11_spotted_ball_in_nevskaya(judge: Any) -> None:
    """RP-PH-11: in Nevskaya it is an object ball only."""
    ruling = judge("strike w3; contact w3 w7; pot w7 BL", game="dynamic")
    assert [v.clause for v in ruling.violations] == ["RP-20.2"]


# --- interference -----------------------------------------------------------------------------------------------------


@example("RP-PI-01")
def test_pi_01_spectator_between_shots(play: Any) -> None:
    """RP-PI-01: put back, no penalty, the same player."""
    match = play()
    match.act("interference", value="restorable")
    assert (match.state.striker, match.state.score.as_dict()) == (A, {"A": 0, "B": 0})
    assert match.state.log[-1].clause == "RP-24.1"


@example("RP-PI-02")
def test_pi_02_spectator_bumps_the_player(judge: Any) -> None:
    """RP-PI-02: the shot is void, the pot does not count, he repeats it."""
    ruling = judge("strike C; contact C w3; pot w3 BL; interference third-party")
    assert (ruling.void, ruling.credited, ruling.next, ruling.penalties) == (True, (), "A", ())


@example("RP-PI-03")
def test_pi_03_lights_go_out(judge: Any) -> None:
    """RP-PI-03: the same in an emergency."""
    ruling = judge("strike C; contact C w3; interference force-majeure")
    assert (ruling.void, ruling.next) == (True, "A")


@example("RP-PI-04")
def test_pi_04_unrestorable(play: Any) -> None:
    """RP-PI-04: nine whites racked 0,2,3,4, coloured ball in the house, lag, break, score kept."""
    match = play()
    match.set(shelf=(3, 3), phase=Phase.PLAY, table=Table(10))
    match.act("interference", value="lost")
    state = match.state
    assert (state.stage, state.phase, state.score.as_dict()) == (Stage.LAG, Phase.BREAK, {"A": 3, "B": 3})
    assert [(p.what, p.spot) for p in state.placements] == [("rack 9", "rear"), ("C", "house")]
    assert rack.rows(9) == (0, 2, 3, 4)
    match.act("lag", value="B", choice="break")
    assert match.rules.due(match.state).mode == "break"


@example("RP-PI-05")
def test_pi_05_coloured_ball_on_a_shelf(play: Any) -> None:
    """RP-PI-05: the coloured ball comes back for a white: ten are racked 1,2,3,4, the score stays."""
    match = play()
    match.set(shelf=(3, 2), phase=Phase.PLAY, table=Table(11, Coloured.SHELF_A))
    match.act("interference", value="lost")
    assert (match.state.table, match.state.score.as_dict()) == (Table(11, Coloured.TABLE), {"A": 3, "B": 2})
    assert match.state.placements[0].what == "rack 10"
    assert rack.rows(10) == (1, 2, 3, 4)


@example("RP-PI-06")
def test_pi_06_unrestorable_with_a_debt(play: Any) -> None:
    """RP-PI-06: thirteen whites 0,1,3,4,5; the debt is kept."""
    match = play("dynamic")
    match.set(shelf=(0, 2), debt=(1, 0), phase=Phase.PLAY, table=Table(13))
    match.act("interference", value="lost")
    assert match.state.placements[0].what == "rack 13"
    assert rack.rows(13) == (0, 1, 3, 4, 5)
    assert match.state.score.as_dict() == {"A": -1, "B": 2}


@example("RP-PI-07")
def test_pi_07_illegal_break_after_a_rerack(play: Any) -> None:
    """RP-PI-07: 11.2 applies after a break by 24.3; a new rack then holds the penalty ball too (AMB-30)."""
    match = play()
    match.set(shelf=(3, 3), phase=Phase.PLAY, table=Table(10))
    match.act("interference", value="lost")
    match.act("lag", value="A", choice="break")
    ruling = match.shot("strike C; contact C w1; cushion w1 foot")
    assert (FROM(ruling), ruling.choices, ruling.shelf.a) == (("A", "shelf"), FOUR, 2)
    match.act("choose", B, "rerack_play")
    assert match.state.placements[0].what == "rack 10"


@example("RP-PI-08")
def test_pi_08_sitting_player_out_of_turn(judge: Any) -> None:
    """RP-PI-08: the sitting player pays, the position is restored, the other chooses."""
    ruling = judge("", calls="RP-25 B sitting")
    assert FROM(ruling) == ("B", "shelf")
    assert (ruling.chooser, ruling.shelf.as_dict()) == (A, {"A": 3, "B": 1})


# --- ceremony of the break ----------------------------------------------------------------------------------------------


@example("RP-PB-02")
def test_pb_02_warned_and_corrects(play: Any) -> None:
    """RP-PB-02: no foul, the break is still to be played."""
    match = play()
    match.act("log", A, "RP-10.3b")
    assert (match.state.stage, match.state.phase, match.state.score.a) == (Stage.SHOT, Phase.BREAK, 0)
    assert match.shot("strike C; contact C w1; pot w2 BL", warned="True", corrected="True").legal is True


@example("RP-PB-03")
def test_pb_03_warned_and_plays(judge: Any) -> None:
    """RP-PB-03: by default a foul, treated as an illegal break."""
    ruling = judge("strike C; contact C w1; pot w2 BL", phase="break", calls="RP-10.3c A")
    assert ([v.clause for v in ruling.violations][-1], ruling.choices) == ("RP-10.3c", FOUR)


@example("RP-PB-04")
def test_pb_04_adjusts_before_the_stroke(play: Any) -> None:
    """RP-PB-04: until it is in play the cue ball may be adjusted: nothing is entered, nothing is charged."""
    match = play()
    assert match.shot("note adjusted by hand; strike C; contact C w1; pot w2 BL").violations == ()


@example("RP-PB-05")
def test_pb_05_touches_after_the_stroke(judge: Any) -> None:
    """RP-PB-05: touching the cue ball in play is a forbidden touch; two options, it was no break that fails 11.1."""
    rails = "strike C; contact C w1; cushion w1 foot; cushion w2 left; cushion w3 right"
    ruling = judge(rails, phase="break", calls="RP-10.5 A")
    assert [v.clause for v in ruling.violations] == ["RP-15.1"]
    assert (FROM(ruling), ruling.chooser, ruling.choices) == (("A", "debt"), B, ("play", "cede"))


@example("RP-PB-06")
def test_pb_06_ball_on_the_house_line(judge: Any) -> None:
    """RP-PB-06: it is outside the house, so hitting it first from hand is right: the referee does not name it."""
    on_line = judge(
        "strike C; contact C w3; pot w3 ML", game="combined", phase="in-hand-house", decided={"house": "w5"}
    )
    assert on_line.legal is True
    inside = judge("strike C; contact C w5; pot w5 ML", game="combined", phase="in-hand-house", decided={"house": "w5"})
    assert [v.clause for v in inside.violations] == ["RP-19.2a"]


# --- sequences --------------------------------------------------------------------------------------------------------


@example("RP-PQ-01")
def test_pq_01_ceded_offender_pots(play: Any) -> None:
    """RP-PQ-01: a ceded shot carries the full right to score (AMB-38)."""
    match = play()
    match.set(shelf=(2, 2), phase=Phase.PLAY, table=Table(12))
    match.miss()
    assert match.state.shelf.as_dict() == {"A": 1, "B": 2}
    match.act("choose", B, "cede")
    assert match.state.striker is A
    match.shot("strike C; contact C w3; pot w3 BL")
    assert (match.state.shelf.as_dict(), match.state.striker) == ({"A": 2, "B": 2}, A)


@example("RP-PQ-02")
def test_pq_02_illegal_break_and_rerack(play: Any) -> None:
    """RP-PQ-02: the debt survives the new rack and is paid by the second break; the next foul is owed again."""
    match = play()
    match.shot("strike C; contact C w1; cushion w1 foot")
    assert (match.state.score.as_dict(), match.state.pending.chooser) == ({"A": -1, "B": 0}, B)
    match.act("choose", B, "rerack_cede")
    assert (match.state.table, match.state.debt.a, match.state.phase) == (Table(16), 1, Phase.BREAK)
    ruling = match.shot("strike C; contact C w1; pot w12 BL")
    assert (ruling.debt_paid, match.state.score.a, match.state.striker) == (1, 0, A)
    match.miss()
    assert (match.state.score.as_dict(), match.state.pending.chooser) == ({"A": -1, "B": 0}, B)


@example("RP-PQ-04")
def test_pq_04_debt_of_two(play: Any) -> None:
    """RP-PQ-04: -2, -1, 0, 1 and a run of three."""
    match = play()
    match.set(debt=(2, 0), phase=Phase.PLAY)
    scores = []
    for ball in ("w1", "w2", "w3"):
        match.pot(ball)
        scores.append(match.state.score.a)
    assert scores == [-1, 0, 1]
    assert (match.state.shelf.a, match.state.debt.a, match.state.run.count) == (1, 0, 3)


@example("RP-PQ-05")
def test_pq_05_winner_breaks(play: Any) -> None:
    """RP-PQ-05: the winner of the previous frame breaks, without a lag."""
    match = play()
    match.set(shelf=(0, 7), phase=Phase.PLAY, striker=B, table=Table(9))
    match.pot("w1")
    match.act("next_game")
    assert (match.state.breaker, match.state.stage, match.state.frame) == (B, Stage.SHOT, 2)


@example("RP-PQ-06")
def test_pq_06_both_players_foul(judge: Any) -> None:
    """RP-PQ-06: 3 -> 2 and 2 -> 1; B offended last, so A chooses."""
    ruling = judge("strike C; contact C w3; pot w3 BL", calls="RP-16 A during, RP-25 B sitting")
    assert (ruling.shelf.as_dict(), ruling.chooser) == ({"A": 2, "B": 1}, A)


@example("RP-PQ-07")
def test_pq_07_moskovskaya_cue_ball_off(play: Any) -> None:
    """RP-PQ-07: ceded, the offender must play from the house and hit a ball outside it first."""
    match = play("combined")
    match.set(shelf=(3, 2), phase=Phase.PLAY, table=Table(10))
    match.shot("strike C; contact C w3; off C floor", choice="cede")
    due = match.rules.due(match.state)
    assert (due.player, due.mode, match.state.table.coloured) == (A, "in-hand-house", Coloured.HAND)
    ruling = match.shot("strike C; contact C w3; pot w3 BL", "RP-19.2a A")
    assert [v.clause for v in ruling.violations] == ["RP-19.2a"]


# --- runs -------------------------------------------------------------------------------------------------------------


def won_by_run(play: Any, balls: int = 8, **options: Any) -> Any:
    """A match in which A has won the first frame with a run of `balls` from the break."""
    match = play(**options)
    for n in range(balls):
        match.pot(f"w{n + 1}")
    assert match.state.stage is Stage.FRAME_OVER
    return match


@example("RP-PR-02")
def test_pr_02_eight_then_three_then_a_miss(play: Any) -> None:
    """RP-PR-02: a run of 11 counts for women only; the frame stays 8."""
    for sex, recorded in (("m", ()), ("w", (11,))):
        match = won_by_run(play, sex=sex)
        match.act("continue_run")
        for ball in ("w9", "w10", "w11"):
            match.pot(ball)
        match.dry()
        assert (match.state.score.a, match.state.stage) == (8, Stage.FRAME_OVER)
        assert tuple(record.balls for record in match.state.runs) == recorded


@example("RP-PR-03")
def test_pr_03_eight_then_seven(play: Any) -> None:
    """RP-PR-03: fifteen is a record for a man."""
    match = won_by_run(play)
    match.act("continue_run")
    match.pot("w9", "w10")
    match.pot("w11", "w12", "w13")
    match.pot("C", "w14")
    match.act("end_run")  # one ball is left: nothing to miss
    assert [(record.player, record.balls, record.frame) for record in match.state.runs] == [(A, 15, 1)]


@example("RP-PR-05")
def test_pr_05_rerack_after_a_scoring_shot(play: Any) -> None:
    """RP-PR-05: frame 2 starts, A breaks, run 9 so far, score 0:0."""
    match = won_by_run(play)
    match.act("continue_run")
    match.pot("w9")
    match.act("new_rack")
    state = match.state
    assert (state.frame, state.breaker, state.run.count) == (2, A, 9)
    assert (state.score.as_dict(), state.phase) == ({"A": 0, "B": 0}, Phase.BREAK)


@example("RP-PR-06")
def test_pr_06_run_over_two_frames(play: Any) -> None:
    """RP-PR-06: 9, then a break with 2 and six more: run 17, frame 2 won, recorded."""
    match = won_by_run(play)
    match.act("continue_run")
    match.pot("w9")
    match.act("new_rack")
    match.pot("w1", "w2")
    for n in range(3, 9):
        match.pot(f"w{n}")
    assert (match.state.run.count, match.state.frames.a, match.state.score.a) == (17, 2, 8)
    match.act("next_game")
    assert [record.balls for record in match.state.runs] == [17]


@example("RP-PR-07")
def test_pr_07_rerack_after_a_miss(play: Any) -> None:
    """RP-PR-07: refused, the run is over; the next frame is racked anyway."""
    match = won_by_run(play)
    match.act("continue_run")
    match.pot("w9")
    match.dry()
    with pytest.raises(IllegalInput, match="run is over"):
        match.act("new_rack")
    match.act("next_game")
    assert (match.state.frame, match.state.run.count) == (2, 0)


@example("RP-PR-09")
def test_pr_09_no_table_referee(play: Any) -> None:
    """RP-PR-09: at 8 a man must call a referee; uncalled, later balls are not recorded."""
    match = play(table_referee=False)
    for n in range(7):
        assert match.pot(f"w{n + 1}").prompts == ()
    assert match.pot("w8").prompts == ("RP-30.2m",)
    match.act("continue_run")
    for n in range(9, 16):
        match.pot(f"w{n}")
    assert (match.state.run.count, match.state.run.recorded) == (15, 8)
    match.act("end_run")
    assert match.state.runs == ()


@example("RP-PR-11")
def test_pr_11_run_is_not_the_score(play: Any) -> None:
    """RP-PR-11: three before the visit, then 2, 1, 2: frame 8, run 5."""
    match = play()
    match.set(shelf=(3, 0), phase=Phase.PLAY, table=Table(13))
    match.pot("w1", "w2")
    match.pot("w3")
    match.pot("w4", "w5")
    assert (match.state.score.a, match.state.run.count) == (8, 5)


@example("RP-PR-12")
def test_pr_12_cue_ball_pots_count_in_the_run(play: Any) -> None:
    """RP-PR-12: a white, the cue ball, a white: run 3."""
    match = play("combined")
    match.set(phase=Phase.PLAY)
    match.pot("w1")
    match.pot("C")
    match.pot("w2")
    assert (match.state.run.count, match.state.score.a) == (3, 3)


@example("RP-PR-13")
def test_pr_13_foul_at_fourteen(play: Any) -> None:
    """RP-PR-13: the illegally potted ball makes no fifteen, the frame stays."""
    match = won_by_run(play)
    match.act("continue_run")
    for n in range(9, 15):
        match.pot(f"w{n}")
    assert match.state.run.count == 14
    ruling = match.shot("strike C; contact C w15; pot w15 BL", "RP-16 A")
    assert (ruling.run, ruling.run_over, ruling.penalties, ruling.choices) == (14, True, (), ())
    assert (match.state.runs, match.state.score.a, match.state.stage) == ((), 8, Stage.FRAME_OVER)


# --- match and conduct ------------------------------------------------------------------------------------------------


def level_match(play: Any, race_to: int, **options: Any) -> Any:
    match = play(race_to=race_to, **options)
    match.set(frames=(race_to - 1, race_to - 1))
    return match


@example("RP-PM-04")
def test_pm_04_break_kept_until_the_decider(play: Any) -> None:
    """RP-PM-04: at 4:4 he has his regular break, and no extra one after it; by the switch none at all."""
    match = level_match(play, 5)
    match.act("break_request", B)
    assert (match.state.breaks.b, match.state.log[-1].clause) == (1, "RP-29.1a")
    with pytest.raises(IllegalInput, match="lost the extra"):
        match.act("break_request", B)
    strict = level_match(play, 5, unused_break_before_decider="none")
    with pytest.raises(IllegalInput, match=r"RP-29\.1c"):
        strict.act("break_request", B)


@example("RP-PM-05")
def test_pm_05_race_to_three(play: Any) -> None:
    """RP-PM-05: no extra break below four wins."""
    match = play(race_to=3)
    match.act("break_request", A)
    match.set(frames=(2, 2))
    with pytest.raises(IllegalInput, match="has used his break"):
        match.act("break_request", A)


@example("RP-PM-06")
def test_pm_06_live_television(play: Any) -> None:
    """RP-PM-06: the table referee must permit a break."""
    match = play(live_tv=True)
    for permission in ("no", ""):
        with pytest.raises(IllegalInput, match="must permit") as refused:
            match.act("break_request", A, permission=permission)
        assert refused.value.code == "refused"
    match.act("break_request", A, permission="yes")
    assert match.state.breaks.a == 1


@example("RP-PM-07")
def test_pm_07_late_on_television(play: Any) -> None:
    """RP-PM-07: 140 s late are 2 full minutes, 100 dollars; every started minute: 150; no ball."""
    for rounding, fine in (("full", 100), ("started", 150)):
        match = play(live_tv=True, late_fine_rounding=rounding)
        match.act("late", A, "140")
        assert (match.state.log[-1].clause, match.state.log[-1].amount) == ("RP-29.3", fine)
        assert match.state.score.as_dict() == {"A": 0, "B": 0}


@example("RP-PM-10")
def test_pm_10_cue_laid_down(judge: Any) -> None:
    """RP-PM-10: a shelf ball and the choice of clause 5."""
    ruling = judge("", calls="RP-26.1.14 A")
    assert FROM(ruling) == ("A", "shelf")
    assert (ruling.shelf.as_dict(), ruling.chooser, ruling.choices) == ({"A": 2, "B": 2}, B, ("play", "cede"))


@example("RP-PM-11")
def test_pm_11_gauging(play: Any) -> None:
    """RP-PM-11: a warning in the record, no penalty."""
    match = play()
    before = match.state.score
    match.act("log", A, "RP-23.4", "ball from the shelf as a gauge")
    match.act("log", A, "RP-31.2b")
    assert [entry.clause for entry in match.state.log] == ["RP-23.4", "RP-31.2b"]
    assert (match.state.score, match.state.stage) == (before, Stage.SHOT)


@example("RP-PM-12")
def test_pm_12_marks_before_the_stroke(judge: Any) -> None:
    """RP-PM-12: with an empty shelf the ball is owed."""
    ruling = judge("", shelf=(0, 2), calls="RP-26.1.13 A")
    assert FROM(ruling) == ("A", "debt")
    assert (ruling.score.as_dict(), ruling.chooser) == ({"A": -1, "B": 2}, B)


@example("RP-PM-14")
def test_pm_14_spinning_ball(judge: Any) -> None:
    """RP-PM-14: a ball spinning on the spot is moving: the stroke came too early."""
    ruling = judge("strike C; contact C w3; pot w3 BL; note a ball still spins", calls="RP-12.2 A")
    assert [v.clause for v in ruling.violations] == ["RP-12.2"]
