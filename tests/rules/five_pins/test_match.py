"""The match around the strokes: start, lag, choice, openers, breaks, forfeits, exclusion, handicap, contact reset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from marker_rules.balls import ALL_PINS, GameId, Pin, Player
from marker_rules.errors import IllegalInput
from marker_rules.five_pins.game import FIVE_PINS
from marker_rules.five_pins.match import START_PLACEMENTS
from marker_rules.five_pins.state import FivePinsState, Half, Mode, Phase, Score
from marker_rules.game import Action, DueKind, ManualEntry, Setup, game
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.ruling import Placement, Turn
from marker_rules.shot import Call, Shot

A, B = Player.A, Player.B
CENTRE = ("strike cue", "contact cue opponent", "topple C by opponent")
MISS = ("strike cue",)


def setup(games: int = 3, limit: int = 8, opener: Player | None = A, **switches: Any) -> Setup:
    return Setup(Options(GameId.FIVE_PINS, {"games": games, "points_limit": limit, **switches}), opener=opener)


def play(state: FivePinsState, *facts: str, calls: tuple[Call, ...] = (), choice: str | None = None) -> FivePinsState:
    ruling = FIVE_PINS.rule(Shot(parse_facts(facts), calls), state, state.options)
    return FIVE_PINS.apply(state, ruling, choice)


def act(state: FivePinsState, kind: str, **how: Any) -> FivePinsState:
    return FIVE_PINS.act(state, Action(kind, **how))


def win(state: FivePinsState, player: Player) -> FivePinsState:
    """`player` wins the running game to 8 with one centre pin; the other one only touches first if he must."""
    if state.striker is not player:
        state = play(state, "strike cue", "contact cue opponent")
    return play(state, *CENTRE)


def test_the_game_is_found_by_its_name() -> None:
    assert game("five-pins") is FIVE_PINS


@pytest.mark.clause("FP-2.1")
@pytest.mark.parametrize("missing", ["points_limit", "games"])
def test_limit_and_length_must_be_given(missing: str) -> None:
    given = {"points_limit": 50, "games": 3}
    del given[missing]
    with pytest.raises(IllegalInput) as caught:
        FIVE_PINS.start(Setup(Options(GameId.FIVE_PINS, given)))
    assert caught.value.code == missing


@pytest.mark.clause("FP-3.10")
@pytest.mark.parametrize(("choice", "opener"), [("open", B), ("give", A)])
def test_the_winner_of_the_lag_opens_or_gives_the_opening_away(choice: str, opener: Player) -> None:
    state = FIVE_PINS.start(setup(opener=None))
    assert FIVE_PINS.due(state).kind is DueKind.LAG
    state = act(state, "lag", value="B")
    due = FIVE_PINS.due(state)
    assert (due.kind, due.player, due.choices) == (DueKind.CHOICE, B, ("open", "give"))
    state = act(state, "choose", value=choice)
    due = FIVE_PINS.due(state)
    assert (due.kind, due.player, due.mode) == (DueKind.SHOT, opener, "opening")


@pytest.mark.clause("FP-3.7")
def test_late_twice_loses_the_lag() -> None:
    state = FIVE_PINS.start(setup(opener=None))
    state = act(state, "lag", value="replay", args=(("late", "A"),))
    assert (state.phase, state.late_marks) == (Phase.LAG, (A,))
    state = act(state, "lag", value="replay", args=(("late", "B"),))
    assert (state.phase, state.late_marks) == (Phase.LAG, (A, B))
    state = act(state, "lag", value="replay", args=(("late", "A"),))
    assert (state.phase, state.lag_winner) == (Phase.LAG_CHOICE, B)


@pytest.mark.clause("FP-4.1")
@pytest.mark.clause("FP-4.2")
@pytest.mark.clause("FP-4.3")
def test_the_opening_position() -> None:
    state = FIVE_PINS.start(setup(opener=B))
    assert (state.striker, state.mode, state.pins, state.hand_half) == (B, Mode.OPENING, ALL_PINS, Half.LOWER)
    assert set(FIVE_PINS.due(state).placements) == {Placement("red", "red"), Placement("opponent", "upper")}


@pytest.mark.clause("FP-4.8")
def test_openers_alternate_to_the_end_of_the_match() -> None:
    state = FIVE_PINS.start(setup(games=5, opener=B))
    openers = []
    for winner in (A, B, B, A, B):
        openers.append(state.striker)
        state = win(state, winner)
        if state.phase is Phase.NEXT_GAME:
            state = act(state, "next_game")
    assert openers == [B, A, B, A, B]
    assert (state.phase, state.winner, state.games_won) == (Phase.OVER, B, Score(2, 3))
    assert [result.opener for result in state.results] == openers


@pytest.mark.clause("FP-2.4")
def test_the_majority_ends_the_match() -> None:
    state = FIVE_PINS.start(setup(games=3))
    state = act(win(state, A), "next_game")
    state = win(state, A)
    assert (state.winner, FIVE_PINS.due(state).kind) == (A, DueKind.OVER)
    with pytest.raises(IllegalInput, match="waits for 'over'"):
        act(state, "next_game")
    with pytest.raises(IllegalInput, match="waits for 'over'"):
        play(state, *MISS)


@pytest.mark.clause("FP-2.4")
def test_play_all_does_not_stop_at_the_majority() -> None:
    state = FIVE_PINS.start(setup(games=3, play_all=True))
    state = act(win(state, A), "next_game")
    state = act(win(state, A), "next_game")
    assert state.phase is Phase.SHOT
    state = win(state, B)
    assert (state.phase, state.winner, state.games_won) == (Phase.OVER, A, Score(2, 1))


@pytest.mark.clause("FP-4.10a")
@pytest.mark.clause("FP-4.10b")
@pytest.mark.parametrize(
    ("games", "switches", "after"),
    [
        (3, {}, [2]),
        (5, {}, [2, 4]),
        (7, {}, [2, 6]),
        (9, {}, [2, 8]),
        (11, {}, []),
        (5, {"breaks": {5: [1, 3]}}, [1, 3]),
    ],
)
def test_breaks(games: int, switches: dict[str, Any], after: list[int]) -> None:
    """Five minutes after the games the switch names; none after the end of the match."""
    state = FIVE_PINS.start(setup(games=games, **switches))
    found = []
    for number in range(1, games + 1):
        state = win(state, A if number % 2 else B)
        if state.phase is Phase.OVER:
            break
        seconds = FIVE_PINS.due(state).break_s
        assert seconds in (0, 300)
        if seconds:
            found.append(number)
        state = act(state, "next_game")
    assert (found, state.winner) == (after, A)


@pytest.mark.clause("FP-4.8")
def test_the_decider_may_need_a_new_lag() -> None:
    state = FIVE_PINS.start(setup(games=3, decider_opening="lag"))
    state = act(win(state, A), "next_game")
    assert state.phase is Phase.SHOT
    state = act(win(state, B), "next_game")
    assert (state.phase, state.score, state.pins) == (Phase.LAG, Score(), ALL_PINS)
    state = act(act(state, "lag", value="A"), "choose", value="give")
    assert (state.striker, state.mode, state.game_no) == (B, Mode.OPENING, 3)


def test_one_game_is_a_match_and_needs_no_second_lag() -> None:
    state = FIVE_PINS.start(setup(games=1, decider_opening="lag"))
    assert win(state, B).winner is B


@pytest.mark.clause("FP-9.1")
def test_leaving_without_leave_loses_the_game() -> None:
    state = play(FIVE_PINS.start(setup(games=3)), *MISS)
    state = act(state, "award_game", player=B, note="A left the hall")
    assert (state.phase, state.results[0].forfeit, state.results[0].score) == (Phase.NEXT_GAME, True, Score(0, 2))
    state = act(state, "next_game")
    state = act(state, "award_game", player=B, note="did not come back")
    assert (state.phase, state.winner) == (Phase.OVER, B)


@pytest.mark.clause("FP-9.2")
def test_refusing_to_play_loses_the_match() -> None:
    state = act(FIVE_PINS.start(setup(games=5)), "award_match", player=B, note="A refused")
    assert (state.phase, state.winner, state.forfeit_match) == (Phase.OVER, B, True)


@pytest.mark.clause("FP-P.4")
def test_a_game_may_be_ordered_to_be_replayed() -> None:
    state = play(FIVE_PINS.start(setup(opener=B)), *MISS)
    state = act(state, "replay_game", note="power cut, decided with the chief referee")
    assert (state.striker, state.mode, state.score, state.game_no) == (B, Mode.OPENING, Score(), 1)


@pytest.mark.parametrize(("kind", "player"), [("award_game", A), ("award_match", A), ("replay_game", None)])
def test_decisions_need_a_note(kind: str, player: Player | None) -> None:
    with pytest.raises(IllegalInput, match="needs a note"):
        act(FIVE_PINS.start(setup()), kind, player=player, note="  ")


def test_an_awarded_first_game_before_any_opening_leads_to_a_lag() -> None:
    state = act(FIVE_PINS.start(setup(opener=None)), "award_game", player=B, note="A absent")
    assert act(state, "next_game").phase is Phase.LAG


def test_handicap_starts_every_game() -> None:
    state = FIVE_PINS.start(replace(setup(games=3), handicap={B: 5}))
    assert state.score == Score(0, 5)
    state = act(win(state, A), "next_game")
    assert state.score == Score(0, 5)
    for wrong in (8, -1):
        with pytest.raises(IllegalInput) as caught:
            FIVE_PINS.start(replace(setup(), handicap={A: wrong}))
        assert caught.value.code == "handicap"


@pytest.mark.clause("FP-3.4")
@pytest.mark.clause("FP-4.7")
def test_a_player_keeps_his_ball_for_the_match() -> None:
    state = act(FIVE_PINS.start(setup(opener=None)), "ball", player=B, value="white")
    assert state.ball_of_a == "yellow"
    state = act(state, "ball", player=A, value="white")
    state = act(act(state, "lag", value="A"), "choose", value="open")
    assert act(state, "ball", player=A, value="white").ball_of_a == "white"
    with pytest.raises(IllegalInput, match=r"FP-4\.7"):
        act(state, "ball", player=A, value="yellow")
    with pytest.raises(IllegalInput, match="white, yellow"):
        act(state, "ball", player=A, value="blue")


@pytest.mark.clause("FP-3.4")
def test_white_may_belong_to_whoever_opens() -> None:
    state = FIVE_PINS.start(setup(opener=B, ball_assignment="opener_white"))
    assert state.ball_of_a == "yellow"
    state = act(win(state, A), "next_game")
    assert (state.striker, state.ball_of_a) == (A, "yellow")
    assert FIVE_PINS.start(setup(opener=A, ball_assignment="opener_white")).ball_of_a == "white"


# --- strokes change the state -----------------------------------------------------------------------------------------


@pytest.mark.clause("FP-H.1a")
def test_an_error_gives_ball_in_hand_and_the_turn() -> None:
    state = play(FIVE_PINS.start(setup(limit=50)), *MISS)
    due = FIVE_PINS.due(state)
    assert (due.kind, due.player, due.mode, due.choices) == (DueKind.SHOT, B, "hand", ("in_place", "start"))
    state = play(state, "strike cue", "contact cue opponent")
    assert (state.striker, state.mode) == (A, Mode.NORMAL)
    assert FIVE_PINS.due(state).choices == ()


@pytest.mark.clause("FP-H.5a")
def test_the_starting_place_may_be_asked_for() -> None:
    state = play(FIVE_PINS.start(setup(limit=50)), *MISS, choice="start")
    assert (state.hand_half, state.placements) == (Half.LOWER, (Placement("opponent", "upper"),))
    with pytest.raises(IllegalInput, match="no ball in hand"):
        act(FIVE_PINS.start(setup()), "choose", value="start")
    with pytest.raises(IllegalInput, match="in_place, start"):
        act(state, "choose", value="open")


@pytest.mark.clause("FP-H.2a")
def test_the_referee_says_where_the_offenders_ball_lies() -> None:
    state = play(FIVE_PINS.start(setup(limit=50)), "strike cue", "contact cue opponent", "topple N by cue", "off red")
    assert state.pins == ALL_PINS
    args = (("offender_half", "lower"),)
    placed = act(state, "place", args=args)
    assert placed.hand_half is Half.UPPER
    assert placed.placements == (Placement("N", "N"), Placement("red", "red"))
    with pytest.raises(IllegalInput, match="it jumped off the table"):
        act(state, "place", value="start", args=(("upper_spot", "red"),))
    missed = play(FIVE_PINS.start(setup(limit=50)), *MISS)
    blocked = act(missed, "place", value="start", args=(("upper_spot", "red"),))
    assert (blocked.hand_half, blocked.placements[-1]) == (Half.UPPER, Placement("opponent", "lower"))
    with pytest.raises(IllegalInput, match="no ball in hand"):
        act(FIVE_PINS.start(setup()), "place", args=args)


@pytest.mark.clause("FP-J.3a")
@pytest.mark.clause("FP-J.3c")
def test_balls_off_are_named_by_their_roles_in_the_stroke_to_come() -> None:
    """The ball that jumped is placed without being named again; the next striker's own ball is in hand."""
    start = FIVE_PINS.start(setup(limit=50))
    state = play(start, "strike cue", "contact cue opponent", "off cue")
    assert (state.striker, state.placements) == (B, (Placement("opponent"),))
    placed = act(state, "place", args=(("opponent_half", "lower"), ("upper_spot", "red")))
    assert (placed.hand_half, placed.placements) == (Half.LOWER, (Placement("opponent", "red"),))
    state = play(start, "strike cue", "contact cue opponent", "off opponent")
    assert state.placements == (Placement("cue"),)
    placed = act(state, "place", args=(("offender_half", "lower"),))
    assert (placed.hand_half, placed.placements) == (Half.UPPER, ())
    between = play(start, "off red", calls=(Call("K", B),))
    assert (between.striker, between.placements) == (A, (Placement("opponent", "upper"), Placement("red", "red")))


@pytest.mark.clause("FP-J.3d")
def test_what_is_still_to_be_put_back_stays_due_between_strokes() -> None:
    """Until the next stroke the list only grows: by what was called, and by what the referee enters himself."""
    start = FIVE_PINS.start(setup(limit=50))
    state = play(start, "strike cue", "contact cue opponent", "topple N by opponent", "off red")
    n, red = Placement("N", "N"), Placement("red", "red")
    assert (state.striker, state.placements) == (B, (n, red))
    assert play(state, calls=(Call("K", B),)).placements == (n, red)
    assert play(state, calls=(Call("K", A),)).placements == (n, red)
    assert play(state, "shift E").placements == (n, red, Placement("E", "E"))
    assert play(state, "shift N", "off red").placements == (n, red), "the later word, once"
    entry = ManualEntry({A: 2}, "spoke during the stroke", next=B, stroke=False)
    assert FIVE_PINS.apply(state, FIVE_PINS.manual(entry, state, state.options)).placements == (n, red)
    over = ManualEntry({A: 2}, "another stroke altogether", next=B)
    assert FIVE_PINS.apply(state, FIVE_PINS.manual(over, state, state.options)).placements == ()
    assert play(state, "strike cue", "contact cue opponent").placements == ()


def test_balls_still_to_be_put_back_change_their_roles_with_the_turn() -> None:
    """The ball of the player who comes in hand goes to no spot any more."""
    start = FIVE_PINS.start(setup(limit=50))
    off = play(start, "strike cue", "contact cue opponent", "off cue")
    assert off.placements == (Placement("opponent"),)
    assert play(off, calls=(Call("K", B),)).placements == (Placement("cue"),)
    assert play(off, calls=(Call("K", A),)).placements == (Placement("opponent"),)
    opening = play(start, calls=(Call("K", A),))
    assert (opening.striker, opening.mode) == (B, Mode.HAND)
    assert opening.placements == (Placement("red", "red"), Placement("cue"))
    waiting = play(start, calls=(Call("K", B),))
    assert (waiting.striker, waiting.placements) == (A, START_PLACEMENTS)
    entry = ManualEntry({}, "the other one opens", next=B, stroke=False)
    given = FIVE_PINS.apply(start, FIVE_PINS.manual(entry, start, start.options))
    assert (given.mode, given.placements) == (Mode.NORMAL, (Placement("red", "red"), Placement("cue", "upper")))


@pytest.mark.clause("FP-J.3d")
def test_a_ball_still_off_is_off_for_the_starting_place_too() -> None:
    start = FIVE_PINS.start(setup(limit=50))
    state = play(start, "strike cue", "contact cue opponent", "off red")
    state = play(state, calls=(Call("K", B),), choice="start")
    assert (state.striker, state.placements) == (A, (Placement("red", "red"), Placement("opponent", "upper")))


@pytest.mark.clause("FP-4.5")
def test_an_opening_stroke_stays_one_after_a_ruling_before_it() -> None:
    start = FIVE_PINS.start(setup(limit=50))
    entry = ManualEntry({B: 2}, "late at the table", next=A, stroke=False)
    after = FIVE_PINS.apply(start, FIVE_PINS.manual(entry, start, start.options))
    assert (after.mode, after.hand_half, after.score) == (Mode.OPENING, Half.LOWER, Score(0, 2))
    hand = play(start, *MISS)
    taken = ManualEntry({}, "no ball in hand", next=B, stroke=False)
    assert FIVE_PINS.apply(hand, FIVE_PINS.manual(taken, hand, hand.options)).mode is Mode.NORMAL


@pytest.mark.clause("FP-T.7a")
@pytest.mark.clause("FP-T.6c")
@pytest.mark.clause("FP-T.7c")
def test_pins_taken_off_stay_off_until_their_place_is_free() -> None:
    state = act(FIVE_PINS.start(setup(limit=50)), "layout", value="C,E,S,W")
    assert state.pins == ALL_PINS - {Pin.N}
    state = play(state, "strike cue", "contact cue opponent", "topple E by opponent")
    assert state.pins == ALL_PINS - {Pin.N}
    state = play(state, "strike cue", "contact cue opponent", "free N")
    assert state.pins == ALL_PINS
    with pytest.raises(IllegalInput, match="twice"):
        act(state, "layout", value="C,C")


@pytest.mark.clause("FP-C.5")
def test_contact_reset_puts_the_balls_back_for_the_same_striker() -> None:
    state = play(FIVE_PINS.start(setup(limit=50)), "strike cue", "contact cue opponent")
    reset = act(state, "contact_reset")
    assert (reset.striker, reset.mode, reset.pins) == (B, Mode.CONTACT_RESET, ALL_PINS)
    assert set(reset.placements) == {Placement("red", "red"), Placement("opponent", "upper")}
    after = play(reset, *CENTRE)
    assert (after.score, after.striker, after.mode) == (Score(), A, Mode.NORMAL)
    felled = act(play(FIVE_PINS.start(setup(limit=50)), *CENTRE), "contact_reset")
    assert felled.placements == (Placement("C", "C"), *START_PLACEMENTS), "the pin still stands up first"


def test_contact_reset_where_it_is_not_possible() -> None:
    off = FIVE_PINS.start(setup(limit=50, contact_reset=False))
    with pytest.raises(IllegalInput, match="switched off"):
        act(play(off, "strike cue", "contact cue opponent"), "contact_reset")
    for state in (FIVE_PINS.start(setup()), play(FIVE_PINS.start(setup(limit=50)), *MISS)):
        with pytest.raises(IllegalInput, match="ball is in hand"):
            act(state, "contact_reset")


@pytest.mark.clause("FP-F.K")
def test_between_strokes() -> None:
    """The striker's error passes the turn with ball in hand; the waiting player's gives it to the striker."""
    start = FIVE_PINS.start(setup(limit=50))
    assert play(start, calls=(Call("K", A),)).striker is B
    state = play(start, calls=(Call("K", B),))
    assert (state.striker, state.mode, state.score) == (A, Mode.HAND, Score(2, 0))
    moved = play(start, "shift E")
    assert (moved.striker, moved.mode, moved.hand_half) == (A, Mode.OPENING, Half.LOWER)


@pytest.mark.clause("FP-H.6")
def test_ball_in_hand_passes_back_when_it_is_touched_too_early() -> None:
    state = play(FIVE_PINS.start(setup(limit=50)), *MISS)
    state = play(state, calls=(Call("N", B),))
    assert (state.striker, state.mode, state.score) == (A, Mode.HAND, Score(2, 2))
    state = play(state, calls=(Call("N", A),))
    assert (state.striker, state.mode, state.score) == (B, Mode.HAND, Score(2, 4))


@pytest.mark.clause("FP-X.1")
def test_interference_changes_nothing_until_the_referee_rules() -> None:
    state = play(FIVE_PINS.start(setup(limit=50)), "strike cue", "contact cue opponent")
    assert play(state, *CENTRE, "interference third-party") == state


@pytest.mark.clause("FP-P.3")
def test_manual_ruling() -> None:
    state = play(FIVE_PINS.start(setup(limit=50)), "strike cue", "contact cue opponent")
    entry = ManualEntry({A: 4}, "the ball was stopped by a spectator", next=B, ball_in_hand=True)
    ruling = FIVE_PINS.manual(entry, state, state.options)
    assert (ruling.manual, ruling.points, ruling.next, ruling.note) == (True, Score(4, 0), Turn.B, entry.note)
    after = FIVE_PINS.apply(state, ruling)
    assert (after.score, after.striker, after.mode) == (Score(4, 0), B, Mode.HAND)
    assert FIVE_PINS.manual(ManualEntry({}, "no foul"), state, state.options).next is Turn.A
    winning = FIVE_PINS.manual(ManualEntry({B: 50}, "by decision", ball_in_hand=True), state, state.options)
    assert (winning.winner, winning.next, winning.ball_in_hand) == (B, None, False)
    cut = FIVE_PINS.manual(ManualEntry({A: 50}, "by decision"), after, state.options)
    assert (cut.score, cut.points) == (Score(50, 0), Score(50, 0))
    assert "FP-2.3" in cut.clauses


@pytest.mark.clause("FP-P.3")
@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (ManualEntry({A: 2}, ""), "note"),
        (ManualEntry({A: 2}, " \n"), "note"),
        (ManualEntry({A: -2}, "x"), "points"),
        (ManualEntry({A: 51}, "x"), "points"),
        (ManualEntry({A: 50, B: 50}, "x"), "points"),
    ],
)
def test_manual_ruling_that_is_refused(entry: ManualEntry, code: str) -> None:
    state = FIVE_PINS.start(setup(limit=50))
    with pytest.raises(IllegalInput) as caught:
        FIVE_PINS.manual(entry, state, state.options)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("kind", "how", "words"),
    [
        ("dance", {}, "not known in five-pins"),
        ("lag", {"value": "A"}, "waits for 'shot'"),
        ("next_game", {}, "waits for 'shot'"),
        ("award_game", {"note": "x"}, "needs a player"),
    ],
)
def test_acts_that_are_refused(kind: str, how: dict[str, Any], words: str) -> None:
    with pytest.raises(IllegalInput, match=words):
        act(FIVE_PINS.start(setup()), kind, **how)


def test_lag_values_that_are_refused() -> None:
    state = FIVE_PINS.start(setup(opener=None))
    for how in ({"value": "C"}, {"value": "replay", "args": (("late", "C"),)}):
        with pytest.raises(IllegalInput):
            act(state, "lag", **how)
    with pytest.raises(IllegalInput, match="open or give"):
        act(act(state, "lag", value="A"), "choose", value="start")


@pytest.mark.clause("FP-S.1")
@pytest.mark.clause("FP-S.2")
@pytest.mark.parametrize("kind", ["log", "interference"])
def test_conduct_is_recorded_and_changes_nothing(kind: str) -> None:
    state = FIVE_PINS.start(setup())
    assert act(state, kind, value="FP-S.2", player=B) == state
