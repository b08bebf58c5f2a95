"""A pyramid match: what a ruling makes of the state, and what the rules wait for. Everything that is not a shot: `actions`."""

from __future__ import annotations

from dataclasses import replace

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.game import Due, DueKind, ManualEntry, Setup
from marker_rules.options import Options
from marker_rules.pyramid import run as runs
from marker_rules.pyramid.penalties import Account
from marker_rules.pyramid.placing import added
from marker_rules.pyramid.ruling import PyramidRuling
from marker_rules.pyramid.state import (
    HAND_OF_PHASE,
    NONE_EACH,
    Coloured,
    Hand,
    Pair,
    Pending,
    Phase,
    PyramidState,
    Stage,
    Table,
)
from marker_rules.pyramid.view import FULL
from marker_rules.ruling import Placement, Step, Turn

LAG_CHOICES = ("break", "cede")
CONTINUE, NEW_RACK, NEXT_FRAME = "continue_run", "new_rack", "next_game"
BREAK_S = 300  # a break of the match lasts five minutes (RP-29.1a)


def rack_placements(game: GameId, table: Table) -> tuple[Placement, ...]:
    """The opening position: the whites racked on the rear spot, the coloured ball in the house (RP-7.1, RP-7.2)."""
    whites = table.balls - (1 if game is GameId.FREE else 0)
    return (Placement(f"rack {whites}", "rear"), Placement("C", "house"))


def start(game: GameId, setup: Setup) -> PyramidState:
    """Before the first act: a lag decides who breaks, unless an opener is given (RP-11.3a)."""
    options = setup.options
    if options.game is not game:
        raise IllegalInput(f"the options are those of {options.game}, the match is {game}", code="game")
    if options["race_to"] is None:
        raise IllegalInput("option 'race_to' is missing; give the wins that end the match", code="race_to")
    handicap = Pair(setup.handicap.get(Player.A, 0), setup.handicap.get(Player.B, 0))
    if not all(0 <= balls < options["target"] for balls in (handicap.a, handicap.b)):
        raise IllegalInput(f"handicap {handicap.a}, {handicap.b}: give 0 to {options['target'] - 1}", code="handicap")
    table = Table(FULL[game])
    opener = setup.opener
    return PyramidState(
        game=game,
        options=options,
        stage=Stage.LAG if opener is None else Stage.SHOT,
        striker=opener or Player.A,
        phase=Phase.BREAK,
        table=table,
        handicap=handicap,
        breaker=opener,
        placements=rack_placements(game, table),
    )


def new_frame(state: PyramidState, breaker: Player) -> PyramidState:
    """The next frame: the winner of the previous one breaks (RP-11.3b), extra times start anew (RP-28.2a)."""
    table = Table(FULL[state.game])
    return replace(
        state,
        stage=Stage.SHOT,
        striker=breaker,
        phase=Phase.BREAK,
        table=table,
        shelf=NONE_EACH,
        debt=NONE_EACH,
        frame=state.frame + 1,
        breaker=breaker,
        pending=None,
        placements=rack_placements(state.game, table),
        to_take=0,
        winner=None,
        series=False,
        series_balls=0,
        extensions=NONE_EACH,
    )


def end_run(state: PyramidState) -> PyramidState:
    """Close the run that is going on and keep it, if it counts (RP-30.3)."""
    to_take = state.to_take if state.taker is state.run.player else 0
    run, records = runs.finish(state.run, state.options, state.frame, to_take)
    return replace(state, run=run, runs=state.runs + records)


def win_frame(state: PyramidState, winner: Player) -> PyramidState:
    """The frame goes to `winner`, and the match when it is his last one needed."""
    frames = state.frames.add(winner, 1)
    race_to = state.options["race_to"]
    over = race_to is not None and frames.of(winner) >= race_to
    return replace(
        state,
        stage=Stage.MATCH_OVER if over else Stage.FRAME_OVER,
        striker=winner,
        winner=winner,
        frames=frames,
        pending=None,
        match_winner=winner if over else None,
    )


def apply(before: PyramidState, ruling: PyramidRuling) -> PyramidState:
    """The state after a ruling. Raises IllegalInput when the ruling is not one of this state.

    Where nothing was struck, what was to be put on the table or taken off it still is.
    """
    if before.stage not in (Stage.SHOT, Stage.CHOICE) or ruling.striker is not before.striker:
        raise IllegalInput(
            f"the ruling of a shot by {ruling.striker} does not fit: '{before.stage}', {before.striker} at the table",
            code="ruling",
        )
    if ruling.void:  # a stroke put back: what was due before it has been done, but a rack is built again
        done = ruling.stroke and before.phase is not Phase.BREAK
        return replace(before, placements=()) if done and before.placements else before
    run = runs.extend(before.run, ruling.striker, len(ruling.credited), before.options)
    if before.run.player is not ruling.striker and not ruling.credited:
        run = before.run
    to_take, taker = ruling.whites_taken_for_cue_ball, ruling.striker if ruling.whites_taken_for_cue_ball else None
    records = runs.taken(before.runs)
    if not ruling.stroke or (ruling.legal is None and not ruling.manual):  # what was to be taken still is (EXT-C3)
        to_take, taker, records = before.to_take, before.taker, before.runs
    after = replace(
        before,
        shelf=ruling.shelf,
        debt=ruling.debt,
        table=ruling.table,
        phase=ruling.phase,
        placements=ruling.placements if ruling.stroke else added(before.placements, ruling.placements),
        to_take=to_take,
        taker=taker,
        run=run,
        runs=records,
        pending=None,
    )
    if ruling.run_over:
        after = end_run(after)
    if ruling.series:
        after = replace(after, series_balls=before.series_balls + len(ruling.credited))
        return _series_over(after) if ruling.run_over or object_balls(after) <= 0 else after
    if ruling.winner is not None:
        return win_frame(after, ruling.winner)
    if ruling.chooser is not None:
        penalty = ruling.penalties[-1] if ruling.penalties else None
        if before.pending is not None and before.pending.offender is ruling.chooser.other:
            penalty = before.pending.penalty  # what a new rack may cancel is the penalty of the break
        pending = Pending(ruling.chooser, ruling.choices, ruling.chooser.other, penalty)
        return replace(after, stage=Stage.CHOICE, pending=pending)
    if ruling.next is None or ruling.next is Turn.REFEREE:
        raise IllegalInput("the ruling names no next player", code="ruling")
    return replace(after, stage=Stage.SHOT, striker=Player(ruling.next.value))


def _series_over(state: PyramidState) -> PyramidState:
    """Nothing is left to play for on this table; a run that is still open can go on with a new rack only."""
    if state.match_winner is not None:
        return replace(end_run(state), stage=Stage.MATCH_OVER, series=False)
    return replace(state, stage=Stage.FRAME_OVER, series=False)


def object_balls(state: PyramidState) -> int:
    """Object balls on the table."""
    return state.table.balls - (1 if state.game is GameId.FREE else 0)


def may_play_on(state: PyramidState) -> bool:
    """Whether the winner of the frame can lengthen his run: he won it by his own shot, the run is open, balls are left."""
    return state.winner is not None and state.run.player is state.winner and object_balls(state) > 0


def due(state: PyramidState) -> Due:
    """What the rules wait for in `state`."""
    mode = state.phase.value
    match state.stage:
        case Stage.LAG:
            return Due(DueKind.LAG, placements=state.placements, mode=mode)
        case Stage.LAG_CHOICE:
            return Due(DueKind.CHOICE, state.striker, LAG_CHOICES, state.placements, mode)
        case Stage.CHOICE:
            assert state.pending is not None
            return Due(DueKind.CHOICE, state.pending.chooser, state.pending.choices, state.placements, mode)
        case Stage.SHOT:
            rack = (NEW_RACK,) if state.series and state.match_winner is None else ()
            return Due(DueKind.SHOT, state.striker, rack, state.placements, mode)
        case Stage.FRAME_OVER:
            open_run = state.run.player is not None and state.run.player is state.winner
            play_on = (CONTINUE,) if may_play_on(state) else ()
            rack = (NEW_RACK,) if open_run else ()
            return Due(DueKind.NEXT_GAME, state.winner, (*play_on, *rack, NEXT_FRAME))
        case Stage.MATCH_OVER:
            return Due(DueKind.OVER, state.match_winner, (CONTINUE,) if may_play_on(state) else ())


def manual(entry: ManualEntry, before: PyramidState, options: Options) -> PyramidRuling:
    """The referee's own ruling: balls gained (from the table, debts first) or lost (to the table, else owed)."""
    if not entry.note.strip():
        raise IllegalInput("a manual ruling needs a note that says why", code="note")
    if before.stage not in (Stage.SHOT, Stage.CHOICE):
        raise IllegalInput(f"no shot is due: the match waits for '{before.stage}'", code="stage")
    account = Account.of(before, options)
    for player, change in entry.points.items():
        if change > 0:
            account.credit(player, change)
        for _ in range(-change):
            account.charge(player)
    if account.balls < 0:
        raise IllegalInput(f"manual ruling: {-account.balls} more balls than lie on the table", code="points")
    winner = account.winner()
    hand = (Hand.HOUSE if before.game is GameId.COMBINED else Hand.ANYWHERE) if entry.ball_in_hand else None
    if hand is not None and before.game is GameId.FREE:
        raise IllegalInput("manual ruling: in free pyramid no cue ball comes in hand", code="ball_in_hand")
    if hand is not None:
        account.coloured = Coloured.HAND
    elif HAND_OF_PHASE[before.phase] is None and account.coloured is Coloured.HAND:
        account.coloured = Coloured.TABLE
    phases = {None: Phase.PLAY, Hand.HOUSE: Phase.IN_HAND_HOUSE, Hand.ANYWHERE: Phase.IN_HAND_ANY}
    comes = entry.next or before.striker
    broken = entry.stroke or before.phase is not Phase.BREAK  # else the break is still to come
    return PyramidRuling(
        game=before.game,
        striker=before.striker,
        next=None if winner else Turn.of(comes),
        winner=winner,
        placements=entry.placements,
        manual=True,
        note=entry.note,
        steps=(Step("RP-31.3", "manual", (("note", entry.note),)),),
        legal=None,
        legal_by=None,
        shelf=account.shelf,
        debt=account.debt,
        score=account.score(),
        table=account.table,
        ball_in_hand=hand,
        phase=phases[hand] if broken or hand is not None else before.phase,
        stroke=entry.stroke,
        run=runs.balls_before(before.run, before.striker),
        run_over=comes is not before.striker,
    )
