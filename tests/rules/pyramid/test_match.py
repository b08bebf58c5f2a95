"""The match around the shots: lag, frames, choices, new racks, interference, runs, breaks, awards, manual rulings."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.game import Action, DueKind, ManualEntry, Setup, game
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.pyramid import breaks
from marker_rules.pyramid.games import DYNAMIC, FREE, GAMES
from marker_rules.pyramid.placing import added
from marker_rules.pyramid.state import Coloured, Hand, Pair, Phase, Stage, Table
from marker_rules.ruling import Placement, Turn
from marker_rules.scenario import ScenarioError, judge_scenario
from marker_rules.shot import Shot

A, B = Player.A, Player.B


class TestStart:
    @pytest.mark.parametrize("game_id", list(GAMES))
    def test_lag_first(self, game_id: GameId) -> None:
        """In the first frame the lag decides; the rack stands on the rear spot (RP-11.3a)."""
        state = GAMES[game_id].start(Setup(Options(game_id, {"race_to": 2})))
        due = GAMES[game_id].due(state)
        assert (due.kind, due.mode) == (DueKind.LAG, "break")
        assert due.placements == (Placement("rack 15", "rear"), Placement("C", "house"))
        assert game(game_id) is GAMES[game_id]

    def test_race_to_is_needed(self) -> None:
        with pytest.raises(IllegalInput, match="race_to"):
            FREE.start(Setup(Options(GameId.FREE)))

    def test_options_of_another_game(self) -> None:
        with pytest.raises(IllegalInput, match="dynamic-pyramid"):
            FREE.start(Setup(Options(GameId.DYNAMIC, {"race_to": 2})))

    def test_handicap(self, play: Any) -> None:
        """Balls given in advance count in the score of every frame and move no ball."""
        options = Options(GameId.FREE, {"race_to": 2})
        state = FREE.start(Setup(options, handicap={B: 2}, opener=B))
        assert (state.score, state.shelf, state.table) == (Pair(0, 2), Pair(), Table(16))
        with pytest.raises(IllegalInput, match="handicap"):
            FREE.start(Setup(options, handicap={B: 8}))
        match = play()
        match.set(handicap=Pair(1, 0), shelf=(6, 0), phase=Phase.PLAY)
        assert match.pot("w1").winner is A

    def test_ruling_of_another_game(self, play: Any) -> None:
        ruling = play("free").pot("w1")
        state = DYNAMIC.start(Setup(Options(GameId.DYNAMIC, {"race_to": 2}), opener=A))
        for attempt in (lambda: DYNAMIC.apply(state, ruling), lambda: DYNAMIC.result(ruling, state)):
            with pytest.raises(IllegalInput, match="not of dynamic"):
                attempt()


@pytest.mark.clause("RP-6.5.1")
@pytest.mark.clause("RP-11.3b")
class TestWhoBreaks:
    def test_lag_winner_breaks(self, play: Any) -> None:
        match = play(opener=None)
        match.act("lag", value="B")
        with pytest.raises(IllegalInput, match="B chooses"):
            match.act("choose", A, "break")
        match.act("choose", B, "break")
        assert (match.state.striker, match.state.breaker) == (B, B)

    def test_winner_of_the_previous_frame_breaks(self, play: Any) -> None:
        match = play(opener=B)
        match.dry()  # A comes to the table
        match.set(shelf=(7, 0))
        match.pot("w1")
        match.act("next_game")
        assert (match.state.breaker, match.state.table, match.state.shelf) == (A, Table(16), Pair())


class TestChoices:
    @pytest.mark.clause("RP-5.1")
    @pytest.mark.clause("RP-5.2")
    @pytest.mark.parametrize(("choice", "striker"), [("play", B), ("cede", A)])
    def test_clause_5(self, play: Any, choice: str, striker: Player) -> None:
        match = play()
        match.set(phase=Phase.PLAY)
        match.miss()
        due = match.rules.due(match.state)
        assert (due.kind, due.player, due.choices) == (DueKind.CHOICE, B, ("play", "cede"))
        with pytest.raises(IllegalInput, match="one of"):
            match.act("choose", B, "rerack_play")
        match.act("choose", B, choice)
        assert (match.state.striker, match.state.phase, match.state.pending) == (striker, Phase.PLAY, None)

    @pytest.mark.clause("RP-11.2.1")
    @pytest.mark.clause("RP-11.2.2")
    @pytest.mark.clause("RP-11.2.3")
    @pytest.mark.clause("RP-11.2.4")
    @pytest.mark.parametrize(
        ("choice", "striker", "phase"),
        [
            ("accept_play", B, Phase.PLAY),
            ("accept_cede", A, Phase.PLAY),
            ("rerack_play", B, Phase.BREAK),
            ("rerack_cede", A, Phase.BREAK),
        ],
    )
    @pytest.mark.parametrize(("keeps", "debt"), [(True, 1), (False, 0)])
    def test_clause_11_2(self, play: Any, choice: str, striker: Player, phase: Phase, keeps: bool, debt: int) -> None:
        """A new rack keeps the debt, or cancels it by the switch (AMB-14); accepting never does."""
        match = play(rerack_keeps_debt=keeps)
        match.miss(choice=choice)
        assert (match.state.striker, match.state.phase) == (striker, phase)
        assert match.state.debt.a == (debt if choice.startswith("rerack") else 1)
        if choice.startswith("rerack"):
            assert match.state.breaker is striker
            assert match.state.placements[0] == Placement("rack 15", "rear")

    def test_cancelled_debt_is_the_one_of_this_break(self, play: Any) -> None:
        match = play(rerack_keeps_debt=False)
        match.set(debt=(1, 0))
        match.miss(choice="rerack_cede")
        assert match.state.debt.a == 1

    def test_in_hand_after_an_illegal_break(self, play: Any) -> None:
        """Accepting keeps the cue ball in hand; a new rack puts it in the house."""
        match = play("dynamic")
        match.shot("strike C; pot C BL")
        assert match.state.table.coloured is Coloured.HAND
        kept = match.rules.act(match.state, Action("choose", B, "accept_play"))
        assert (kept.phase, kept.table.coloured) == (Phase.IN_HAND_ANY, Coloured.HAND)
        again = match.rules.act(match.state, Action("choose", B, "rerack_play"))
        assert (again.phase, again.table) == (Phase.BREAK, Table(15, Coloured.TABLE))

    def test_offence_while_choosing(self, play: Any) -> None:
        """The chooser offends before he has chosen: he pays, and the other chooses by clause 5 (AMB-44)."""
        match = play()
        match.set(shelf=(3, 2), phase=Phase.PLAY, table=Table(11))
        match.miss()
        match.shot("", "RP-15.1 B")
        assert (match.state.pending.chooser, match.state.shelf) == (A, Pair(2, 1))
        with pytest.raises(IllegalInput, match="no shot is due"):
            match.shot("strike C; contact C w1; pot w1 BL")

    def test_lag_only_when_due(self, play: Any) -> None:
        match = play()
        for kind, value in (
            ("lag", "A"),
            ("choose", "play"),
            ("next_game", ""),
            ("continue_run", ""),
            ("new_rack", ""),
        ):
            with pytest.raises(IllegalInput, match="waits for"):
                match.act(kind, A, value)


class TestFramesAndMatch:
    def test_race(self, play: Any) -> None:
        match = play(race_to=2)
        for frame in (1, 2):
            match.set(shelf=(7, 3), phase=Phase.PLAY, striker=A)
            match.pot("w1")
            assert match.state.frames.a == frame
            if frame == 1:
                assert match.state.stage is Stage.FRAME_OVER
                match.act("next_game")
        assert (match.state.stage, match.state.match_winner) == (Stage.MATCH_OVER, A)
        assert match.rules.due(match.state).kind is DueKind.OVER

    @pytest.mark.clause("RP-31.2c")
    @pytest.mark.clause("RP-31.3")
    def test_award_game(self, play: Any) -> None:
        match = play()
        with pytest.raises(IllegalInput, match="note"):
            match.act("award_game", B)
        match.act("award_game", B, note="conduct")
        state = match.state
        assert (state.frames, state.winner, state.stage) == (Pair(0, 1), B, Stage.FRAME_OVER)
        assert (state.log[-1].clause, state.log[-1].player, state.log[-1].note) == ("RP-31.2c", A, "conduct")
        assert match.rules.due(state).choices == ("next_game",)
        with pytest.raises(IllegalInput, match="no run"):
            match.act("continue_run", B)

    @pytest.mark.clause("RP-31.2d")
    @pytest.mark.parametrize(("value", "clause"), [("", "RP-31.2c"), ("exclusion", "RP-31.2d")])
    def test_award_match(self, play: Any, value: str, clause: str) -> None:
        match = play()
        match.act("award_match", B, value, note="did not appear")
        assert (match.state.match_winner, match.state.log[-1].clause) == (B, clause)
        assert match.rules.due(match.state).kind is DueKind.OVER
        with pytest.raises(IllegalInput, match="is over"):
            match.act("award_match", A, note="again")

    def test_award_names_a_player(self, play: Any) -> None:
        with pytest.raises(IllegalInput, match="which player"):
            play().act("award_game", note="why")

    def test_won_by_a_penalty(self, play: Any) -> None:
        """Under `opponent_plus_one` a foul may end the frame: no run, the next frame follows."""
        match = play(penalty_scheme="opponent_plus_one")
        match.set(shelf=(3, 7), phase=Phase.PLAY, table=Table(6))
        match.miss()
        assert (match.state.frames, match.rules.due(match.state).choices) == (Pair(0, 1), ("next_game",))


@pytest.mark.clause("RP-24.3")
class TestInterference:
    def test_values(self, play: Any) -> None:
        match = play()
        with pytest.raises(IllegalInput, match="restorable or lost"):
            match.act("interference", value="perhaps")

    def test_lost_while_a_choice_is_open(self, play: Any) -> None:
        match = play()
        match.set(shelf=(3, 2), phase=Phase.PLAY, table=Table(11))
        match.miss()
        match.act("interference", value="lost")
        assert (match.state.stage, match.state.pending, match.state.shelf) == (Stage.LAG, None, Pair(2, 2))
        assert match.state.placements[0].what == "rack 11"

    def test_cue_ball_in_hand_comes_to_the_house(self, play: Any) -> None:
        match = play("combined")
        match.set(phase=Phase.IN_HAND_HOUSE, table=Table(9, Coloured.HAND), shelf=(3, 3))
        match.act("interference", value="lost")
        assert (match.state.table, match.state.phase) == (Table(9, Coloured.TABLE), Phase.BREAK)

    def test_ends_the_run(self, play: Any) -> None:
        """A lag decides who plays on: the visit is over (our reading)."""
        match = play(sex="w")
        match.set(phase=Phase.PLAY)
        match.pot("w1", "w2")
        match.act("interference", value="lost")
        assert match.state.run.count == 0

    def test_while_playing_on(self, play: Any) -> None:
        match = play()
        match.set(shelf=(7, 0), phase=Phase.PLAY)
        match.pot("w1")
        match.act("continue_run")
        match.act("interference", value="lost")
        assert (match.state.stage, match.state.frames, match.state.series) == (Stage.FRAME_OVER, Pair(1, 0), False)

    def test_layout(self, play: Any) -> None:
        """The referee says what lies on the table."""
        match = play()
        match.act("layout", balls="12", coloured="shelf B")
        assert match.state.table == Table(12, Coloured.SHELF_B)
        for args in ({"balls": "17"}, {"balls": "many"}, {"coloured": "moon"}):
            with pytest.raises(IllegalInput):
                match.act("layout", **args)


class TestRuns:
    def won(self, play: Any, balls: int = 8, **options: Any) -> Any:
        match = play(**options)
        for n in range(balls):
            match.pot(f"w{n + 1}")
        return match

    def test_what_may_follow(self, play: Any) -> None:
        match = self.won(play)
        assert match.rules.due(match.state).choices == ("continue_run", "new_rack", "next_game")
        match.act("choose", A, "continue_run")
        assert match.rules.due(match.state).choices == ("new_rack",)

    def test_new_rack_at_once(self, play: Any) -> None:
        """The winning shot is a scoring shot too: the next frame may be racked right after it."""
        match = self.won(play)
        match.act("choose", A, "new_rack")
        assert (match.state.frame, match.state.run.count) == (2, 8)

    @pytest.mark.clause("RP-30.4d")
    def test_run_ends_with_the_table_by_the_switch(self, play: Any) -> None:
        match = self.won(play, run_across_frames=False, sex="w")
        match.act("new_rack")
        assert (match.state.run.count, [record.balls for record in match.state.runs]) == (0, [8])

    def test_next_game_ends_the_run(self, play: Any) -> None:
        match = self.won(play, sex="w")
        match.act("next_game")
        assert (match.state.run.count, [record.balls for record in match.state.runs]) == (0, [8])

    def test_not_playing_on_after_the_match(self, play: Any) -> None:
        match = self.won(play, race_to=1, sex="w")
        assert match.rules.due(match.state).choices == ("continue_run",)
        with pytest.raises(IllegalInput, match="waits for"):
            match.act("new_rack")
        match.act("end_run")
        assert [record.balls for record in match.state.runs] == [8]
        assert match.rules.due(match.state).choices == ()

    def test_playing_on_after_the_match(self, play: Any) -> None:
        match = self.won(play, race_to=1)
        match.act("continue_run")
        match.pot("w9")
        match.dry()
        assert (match.state.stage, match.state.match_winner) == (Stage.MATCH_OVER, A)

    @pytest.mark.parametrize(("race_to", "stage"), [(2, Stage.FRAME_OVER), (1, Stage.MATCH_OVER)])
    def test_emptied_table(self, play: Any, race_to: int, stage: Stage) -> None:
        """With no object ball left the run goes on with a new rack only."""
        match = self.won(play, race_to=race_to)
        match.act("continue_run")
        for n in range(9, 15):
            match.pot(f"w{n}")
        match.shot("strike C; contact C w15; pot w15 BL")
        assert (match.state.stage, match.state.table.balls) == (stage, 1)
        due = match.rules.due(match.state)
        assert due.choices == (("new_rack", "next_game") if race_to == 2 else ())
        assert [record.balls for record in match.state.runs] == ([] if race_to == 2 else [15])

    @pytest.mark.clause("RP-30.4c")
    def test_foul_while_playing_on(self, play: Any) -> None:
        match = self.won(play)
        match.act("continue_run")
        ruling = match.shot("strike w15; contact w15 w9; pot w9 BL", "RP-16 A")
        assert (ruling.series, ruling.run_over, ruling.run) == (True, True, 8)
        assert (match.state.score, match.state.stage, match.state.frames) == (Pair(8, 0), Stage.FRAME_OVER, Pair(1, 0))

    def test_offence_between_shots_while_playing_on(self, play: Any) -> None:
        match = self.won(play)
        match.act("continue_run")
        assert match.shot("", "RP-25 B sitting").run_over is False
        assert match.state.series
        assert match.shot("", "RP-26.1.14 A").run_over is True
        assert match.state.stage is Stage.FRAME_OVER

    @pytest.mark.clause("RP-25")
    @pytest.mark.clause("RP-30.4c")
    @pytest.mark.parametrize("facts", ["strike w15; contact w15 w9; pot w9 BL", "strike w15; contact w15 w9"])
    def test_disturbed_while_playing_on(self, play: Any, facts: str) -> None:
        """Restored, and the run goes on. Mutation: settled like a shot of the frame, which is then won a second time."""
        match = self.won(play)
        match.act("continue_run")
        before = match.state
        ruling = match.shot(facts, "RP-25 B sitting", disturbed="yes")
        assert (ruling.series, ruling.legal, ruling.run_over, ruling.credited) == (True, None, False, ())
        assert (ruling.penalties, ruling.chooser, ruling.next) == ((), None, "A")
        assert (match.state.frames, match.state.score) == (Pair(1, 0), Pair(8, 0))
        assert (match.state.series, match.state.run, match.state.table) == (True, before.run, before.table)

    @pytest.mark.clause("RP-25")
    def test_disturbed_in_hand_while_playing_on(self, play: Any) -> None:
        """The cue ball that was in hand is in hand again."""
        match = self.won(lambda **options: play("combined", **options))
        match.act("continue_run")
        match.set(phase=Phase.IN_HAND_HOUSE, table=Table(5, Coloured.HAND))
        ruling = match.shot("strike C; contact C w9; pot C BL", "RP-25 B sitting", disturbed="yes")
        assert (ruling.ball_in_hand, match.state.phase) == (Hand.HOUSE, Phase.IN_HAND_HOUSE)
        assert match.state.table == Table(5, Coloured.HAND)

    def test_object_ball_off_while_playing_on(self, play: Any) -> None:
        match = self.won(play)
        match.act("continue_run")
        ruling = match.shot("strike w15; contact w15 w9; pot w9 BL; off w10 floor")
        assert (ruling.respot, ruling.run, match.state.table.balls) == (("w10",), 9, 7)

    def test_cue_ball_while_playing_on(self, play: Any) -> None:
        match = play("combined")
        for n in range(8):
            match.pot(f"w{n + 1}")
        match.act("continue_run")
        ruling = match.pot("C")
        assert (ruling.whites_taken_for_cue_ball, ruling.ball_in_hand, ruling.run) == (1, "house", 9)
        assert match.state.phase is Phase.IN_HAND_HOUSE

    @pytest.mark.clause("RP-30.2m")
    @pytest.mark.clause("RP-30.2w")
    @pytest.mark.parametrize(
        ("sex", "player", "call"), [("m", A, 8), ("w", A, 5), ("mw", B, 5), ("wm", B, 8), ("wm", A, 5)]
    )
    def test_prompt(self, play: Any, sex: str, player: Player, call: int) -> None:
        match = play(opener=player, table_referee=False, sex=sex, target=20)
        prompts = [bool(match.pot(f"w{n + 1}").prompts) for n in range(9)]
        assert prompts.index(True) == call - 1
        assert prompts.count(True) == 1

    def test_called_in_time(self, play: Any) -> None:
        match = self.won(play, table_referee=False)
        match.act("hall_referee", A)
        match.act("continue_run")
        for n in range(9, 15):
            match.pot(f"w{n}")
        match.pot("C")
        match.act("end_run")  # one ball is left: nothing to play on
        assert [record.balls for record in match.state.runs] == [15]

    def test_called_too_late_or_for_nothing(self, play: Any) -> None:
        match = self.won(play, table_referee=False)
        with pytest.raises(IllegalInput, match="no run of B"):
            match.act("hall_referee", B)
        match.act("continue_run")
        match.pot("w9")
        with pytest.raises(IllegalInput, match="too late"):
            match.act("hall_referee", A)

    @pytest.mark.parametrize(("choice", "kept"), [("play", True), ("cede", False)])
    def test_interference_by_the_opponent_does_not_end_a_visit(self, play: Any, choice: str, kept: bool) -> None:
        match = play()
        match.set(phase=Phase.PLAY, shelf=(0, 2), table=Table(14))
        match.pot("w1", "w2")
        match.shot("", "RP-25 B sitting", choice=choice)
        assert (match.state.run.count == 2) is kept

    @pytest.mark.parametrize(("sex", "balls", "kept"), [("w", 7, []), ("w", 8, [8]), ("m", 14, []), ("m", 15, [15])])
    def test_from_how_many_balls_a_run_counts(self, play: Any, sex: str, balls: int, kept: list[int]) -> None:
        match = play(sex=sex, target=20)
        for n in range(balls):
            match.pot("C" if n == 14 else f"w{n + 1}")
        match.act("award_game", B, note="stopped")
        assert [record.balls for record in match.state.runs] == kept

    def test_ends_with_a_dry_shot(self, play: Any) -> None:
        """A run within a frame is recorded when the turn passes, and the next visit starts from nothing."""
        match = play(sex="w", target=20)
        for n in range(8):
            match.pot(f"w{n + 1}")
        match.dry()
        assert ([record.balls for record in match.state.runs], match.state.run.player) == ([8], None)
        match.pot("w9")
        assert (match.state.run.player, match.state.run.count) == (B, 1)

    def test_violation_after_the_shot_keeps_its_balls_in_the_run(self, play: Any) -> None:
        match = play(sex="w", target=20)
        for n in range(7):
            match.pot(f"w{n + 1}")
        match.shot("strike w15; contact w15 w9; pot w9 BL", "RP-15.1 A after")
        assert [record.balls for record in match.state.runs] == [8]


@pytest.mark.clause("RP-29.1a")
@pytest.mark.clause("RP-29.1b")
class TestBreaks:
    def test_one_each(self, play: Any) -> None:
        match = play()
        match.act("break_request", A)
        match.act("break_request", B)
        assert [(entry.clause, entry.player, entry.amount) for entry in match.state.log] == [
            ("RP-29.1a", A, 300),
            ("RP-29.1a", B, 300),
        ]
        with pytest.raises(IllegalInput, match="has used his break"):
            match.act("break_request", A)

    @pytest.mark.parametrize(("race_to", "granted"), [(3, False), (4, True), (5, True)])
    def test_extra_before_the_decider(self, play: Any, race_to: int, granted: bool) -> None:
        match = play(race_to=race_to)
        match.act("break_request", A)
        match.set(frames=(race_to - 1, race_to - 1))
        if not granted:
            with pytest.raises(IllegalInput) as refused:
                match.act("break_request", A)
            assert refused.value.code == "refused"
            return
        match.act("break_request", A)
        assert (match.state.extra_breaks.a, match.state.log[-1].clause) == (1, "RP-29.1b")
        with pytest.raises(IllegalInput):
            match.act("break_request", A)

    @pytest.mark.parametrize("frames", [(3, 2), (2, 3), (2, 2)])
    def test_only_before_the_decider(self, play: Any, frames: tuple[int, int]) -> None:
        match = play(race_to=4)
        match.act("break_request", A)
        match.set(frames=frames)
        with pytest.raises(IllegalInput):
            match.act("break_request", A)

    def test_not_once_it_is_under_way(self, play: Any) -> None:
        match = play(race_to=4)
        match.act("break_request", A)
        match.set(frames=(3, 3))
        match.pot("w1")
        with pytest.raises(IllegalInput):
            match.act("break_request", A)

    def test_between_frames(self, play: Any) -> None:
        match = play(race_to=4)
        match.act("break_request", A)
        match.set(frames=(2, 3), shelf=(7, 0), phase=Phase.PLAY)
        match.pot("w1")
        match.act("break_request", A)
        assert match.state.extra_breaks.a == 1

    @pytest.mark.clause("RP-29.3")
    @pytest.mark.parametrize(
        ("late_s", "full", "started"),
        [(0, 0, 0), (1, 0, 50), (59, 0, 50), (60, 50, 50), (61, 50, 100), (140, 100, 150)],
    )
    def test_fine(self, late_s: int, full: int, started: int) -> None:
        options = {name: Options(GameId.FREE, {"late_fine_rounding": name}) for name in ("full", "started")}
        assert breaks.late_fine_usd(late_s, options["full"]) == full
        assert breaks.late_fine_usd(late_s, options["started"]) == started

    def test_fine_only_on_television(self, play: Any) -> None:
        with pytest.raises(IllegalInput, match="television"):
            play().act("late", A, "100")
        with pytest.raises(IllegalInput, match="seconds"):
            play(live_tv=True).act("late", A, "soon")


class TestOutstanding:
    """What is to be placed, or taken off, before the next stroke: only a stroke makes it old."""

    def places(self, match: Any) -> list[tuple[str, str]]:
        return [(placed.what, placed.spot) for placed in match.state.placements]

    def test_a_penalty_between_strokes_adds_its_ball(self, play: Any) -> None:
        match = play("free")
        match.set(shelf=(2, 1), phase=Phase.PLAY, table=Table(13), placements=())
        match.shot("strike w5; contact w5 w1; pot w1 BL; cushion w5 left", "RP-16 A")
        assert self.places(match) == [("w1", "line-1"), ("white", "line-2")]
        match.shot(calls="RP-15.1 A after")
        assert self.places(match) == [("w1", "line-1"), ("white", "line-2"), ("white", "line-3")]
        match.act("choose", B, "play")
        assert len(self.places(match)) == 3
        match.shot(calls="RP-15.1 B after")
        assert self.places(match)[3:] == [("white", "line-4")]
        match.act("choose", A, "play")
        match.dry()
        assert self.places(match) == []

    def test_the_later_word_about_a_ball_holds(self) -> None:
        before = (Placement("rack 9", "rear"), Placement("C", "house"), Placement("white", "line-1"))
        more = (Placement("C", "line-1"), Placement("white", "line-2"))
        line = (Placement("white", "line-1"), Placement("C", "line-2"), Placement("white", "line-3"))
        assert added(before, more) == (Placement("rack 9", "rear"), *line)

    def test_the_rack_stays_due_before_the_break(self, play: Any) -> None:
        match = play("dynamic")
        rack = match.state.placements
        match.shot(calls="RP-15.1 A")
        assert (match.state.placements, match.state.phase) == (rack, Phase.BREAK)
        entry = ManualEntry({}, "late at the table", next=B, stroke=False)
        ruling = match.rules.manual(entry, match.state, match.options)
        after = match.rules.apply(match.state, ruling)
        assert (after.striker, after.phase, after.placements) == (B, Phase.BREAK, rack)
        broken = match.rules.manual(ManualEntry({}, "x", next=B), match.state, match.options)
        assert match.rules.apply(match.state, broken).phase is Phase.PLAY

    def test_a_white_for_the_cue_ball_is_still_to_be_taken(self, play: Any) -> None:
        match = play("combined")
        match.set(phase=Phase.PLAY, table=Table(15), placements=())
        match.shot("strike C; contact C w1; pot C BL")
        entry = ManualEntry({B: -1}, "conduct", next=A, stroke=False)
        after = match.rules.apply(match.state, match.rules.manual(entry, match.state, match.options))
        assert (match.state.to_take, after.to_take, after.taker) == (1, 1, A)
        over = match.rules.manual(ManualEntry({}, "x", next=A), match.state, match.options)
        assert match.rules.apply(match.state, over).to_take == 0

    def test_a_void_stroke_leaves_nothing_to_place_but_a_rack(self, play: Any) -> None:
        match = play("free")
        rack = match.state.placements
        match.shot("strike C; contact C w1; interference third-party")
        assert match.state.placements == rack
        match.set(phase=Phase.PLAY, placements=(Placement("white", "line-1"),))
        match.shot("pot w3 BL")
        assert self.places(match) == [("white", "line-1")], "a ball that fell by itself is put back beside what is due"
        match.shot("strike w5; contact w5 w1; interference third-party")
        assert self.places(match) == []


class TestManual:
    def test_note_is_needed(self, play: Any) -> None:
        match = play()
        with pytest.raises(IllegalInput, match="note"):
            match.rules.manual(ManualEntry({A: 1}, " "), match.state, match.options)

    def test_balls(self, play: Any) -> None:
        match = play()
        match.set(shelf=(3, 0), debt=(0, 1), phase=Phase.PLAY, table=Table(13))
        ruling = match.rules.manual(ManualEntry({A: -1, B: 2}, "recount", next=B), match.state, match.options)
        assert (ruling.manual, ruling.note, ruling.legal) == (True, "recount", None)
        assert (ruling.shelf, ruling.debt, ruling.table.balls) == (Pair(2, 1), Pair(0, 0), 13)
        after = match.rules.apply(match.state, ruling)
        assert (after.striker, after.stage) == (B, Stage.SHOT)

    def test_nothing_moves_without_points(self, play: Any) -> None:
        match = play()
        ruling = match.rules.manual(ManualEntry({}, "see protocol"), match.state, match.options)
        assert (ruling.score, ruling.next, ruling.table) == (Pair(), Turn.A, Table(16))

    def test_win(self, play: Any) -> None:
        match = play()
        match.set(shelf=(7, 0), phase=Phase.PLAY, table=Table(9))
        ruling = match.rules.manual(ManualEntry({A: 1}, "missed ball"), match.state, match.options)
        assert (ruling.winner, ruling.next) == (A, None)

    def test_in_hand(self, play: Any) -> None:
        match = play("combined")
        entry = ManualEntry({}, "cue ball to hand", ball_in_hand=True)
        ruling = match.rules.manual(entry, match.state, match.options)
        assert (ruling.ball_in_hand, ruling.phase, ruling.table.coloured) == (
            "house",
            Phase.IN_HAND_HOUSE,
            Coloured.HAND,
        )
        free = play("free")
        with pytest.raises(IllegalInput, match="free pyramid"):
            free.rules.manual(entry, free.state, free.options)

    def test_more_balls_than_there_are(self, play: Any) -> None:
        match = play()
        match.set(table=Table(1), shelf=(7, 7), phase=Phase.PLAY)
        with pytest.raises(IllegalInput, match="more balls"):
            match.rules.manual(ManualEntry({A: 2}, "x"), match.state, match.options)


BAD_BEFORE = [
    ({"striker": "C"}, "striker"),
    ({"phase": "opening"}, "phase"),
    ({"phase": "in-hand-house"}, "phase"),
    ({"shelf": {"A": -1}}, "shelf.A"),
    ({"shelf": [1, 2]}, "shelf"),
    ({"debt": {"A": True}}, "debt.A"),
    ({"table": 5}, "table"),
    ({"table": {"total": 17}}, "table.total"),
    ({"table": {"coloured": "moon"}}, "table.coloured"),
    ({"pins": []}, "pins"),
    ({"shelf": {"A": 0, "B": 8}}, "shelf"),
    ({"shelf": {"A": 8, "B": 8}, "run": 8}, "shelf"),
    ({"shelf": {"A": 8, "B": 2}, "run": 3, "phase": "break"}, "phase"),
    ({"shelf": {"A": 17}}, "shelf.A"),
    ({"shelf": {"A": 12, "B": 7}, "run": 9}, "shelf"),
    ({"shelf": {"A": 3, "B": 2}, "table": {"total": 12}}, "table"),
    ({"shelf": {"A": 3, "B": 2}, "table": {"total": 10}}, "table"),
    ({"shelf": {"A": 3, "B": 2}, "table": {"whites": 15, "coloured": "table"}}, "table"),
    ({"shelf": {"A": 0, "B": 2}, "table": {"total": 14, "coloured": "shelf A"}}, "table.coloured"),
    ({"table": {"coloured": "hand"}}, "table.coloured"),
    ({"phase": "break", "table": {"total": 9}, "shelf": {}}, "table"),
    ({"debt": {"A": -1}}, "debt.A"),
    ({"debt": {"A": 2}, "shelf": {"A": 1, "B": 0}}, "debt.A"),
    ({"debt": {"B": 1}, "shelf": {"A": 1, "B": 4}}, "debt.B"),
    ({"handicap": {"A": 8}}, "handicap.A"),
    ({"handicap": {"B": -1}}, "handicap.B"),
    ({"handicap": {"B": 3}, "shelf": {"A": 0, "B": 5}}, "shelf"),
    ({"extensions": {"A": 3}}, "extensions.A"),
    ({"run": -1}, "run"),
    ({"run": 1001}, "run"),
    ({"frozen": "maybe"}, "frozen"),
    ({"frozen": ["w1"]}, "frozen"),
]


@pytest.mark.parametrize(("before", "code"), BAD_BEFORE)
def test_before_that_cannot_be_read(before: Any, code: str) -> None:
    """A field of `before` that cannot be, or that no match can come to, is named; so it is on the command line."""
    with pytest.raises(IllegalInput) as caught:
        FREE.read_before(before, Options(GameId.FREE))
    assert caught.value.code == code
    assert f"before.{code}" in caught.value.message
    raw = {"id": "X", "game": "free-pyramid", "kind": "shot", "before": before, "facts": ["strike C"]}
    with pytest.raises(ScenarioError) as refused:
        judge_scenario(raw)
    assert refused.value.field == f"before.{code}"


@pytest.mark.parametrize(
    ("game", "before", "code"),
    [
        ("dynamic", {"shelf": {"A": 3, "B": 2}, "table": {"whites": 11}}, "table"),
        ("dynamic", {"shelf": {"A": 3, "B": 2}, "table": {"total": 10}}, "table"),
        ("dynamic", {"shelf": {"A": 9, "B": 7}, "run": 2}, "shelf"),
        ("dynamic", {"table": {"coloured": "hand"}}, "table.coloured"),
        ("combined", {"shelf": {"A": 3, "B": 2}, "phase": "in-hand-house", "table": {"whites": 12}}, "table"),
        ("combined", {"phase": "in-hand-any"}, "phase"),
    ],
)
def test_before_of_the_other_games(game: str, before: Any, code: str) -> None:
    rules = GAMES[GameId(f"{game}-pyramid")]
    with pytest.raises(IllegalInput) as caught:
        rules.read_before(before, Options(rules.id))
    assert caught.value.code == code


def test_what_a_switch_makes_possible_is_taken() -> None:
    """One debt a shot leaves balls beside debts; a foul for the opponent gives him a ball before the next break."""
    one = Options(GameId.FREE, {"debts_per_shot": "one"})
    assert FREE.read_before({"debt": {"A": 2}, "shelf": {"A": 1, "B": 0}}, one).score.a == -1
    plus = Options(GameId.FREE, {"penalty_scheme": "opponent_plus_one"})
    assert FREE.read_before({"phase": "break", "shelf": {"A": 0, "B": 1}}, plus).table.balls == 15
    here = Options(GameId.FREE, {"run_across_frames": False})
    with pytest.raises(IllegalInput) as caught:
        FREE.read_before({"run": 17}, here)
    assert caught.value.code == "run"


def test_before_defaults() -> None:
    state = FREE.read_before({"shelf": {"A": 3, "B": 2}}, Options(GameId.FREE))
    assert (state.table, state.striker, state.phase) == (Table(11), A, Phase.PLAY)
    given = {"shelf": {"A": 4, "B": 2}, "table": {"whites": 10, "coloured": "shelf A"}}
    whites = FREE.read_before(given, Options(GameId.FREE))
    assert whites.table == Table(10, Coloured.SHELF_A)
    total = DYNAMIC.read_before({"table": {"total": 11}}, Options(GameId.DYNAMIC))
    assert total.table == Table(10)
    for given in ({"phase": "in-hand-any"}, {"phase": "in-hand-any", "table": {"whites": 15, "coloured": "table"}}):
        assert DYNAMIC.read_before(given, Options(GameId.DYNAMIC)).table == Table(15, Coloured.HAND)
    with pytest.raises(IllegalInput, match="never lies on a shelf"):
        DYNAMIC.read_before({"table": {"whites": 3, "coloured": "shelf A"}}, Options(GameId.DYNAMIC))


def test_winner_at_the_table_plays_on() -> None:
    """A shelf at the target with its owner at the table means playing on: the frame stays, the run counts."""
    options = Options(GameId.FREE)
    state = FREE.read_before({"shelf": {"A": 8, "B": 2}, "run": 8}, options)
    assert (state.series, state.winner) == (True, A)
    ruling = FREE.rule(Shot(tuple(parse_facts(["strike C", "contact C w1", "pot w1 BL"]))), state, options)
    assert (ruling.run, ruling.score.a, ruling.next, ruling.may_continue_run) == (9, 8, Turn.A, A)
