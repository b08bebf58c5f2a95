"""What happens in a pyramid match besides shots: lag, choices, interference, extra time, breaks, sanctions, play-on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.game import Action
from marker_rules.pyramid import breaks, match
from marker_rules.pyramid import run as runs
from marker_rules.pyramid.clock import EXTENSIONS_PER_FRAME
from marker_rules.pyramid.state import (
    HAND_OF_PHASE,
    Coloured,
    LogEntry,
    PenaltySource,
    Phase,
    PyramidState,
    Stage,
    Table,
)
from marker_rules.pyramid.view import FULL

LOGGED = ("RP-10.3b", "RP-21.1", "RP-23.4", "RP-24.1", "RP-24.2", "RP-31.2a", "RP-31.2b", "RP-31.2c", "RP-31.2d")
SCORE = (Stage.SHOT, Stage.CHOICE)


def act(before: PyramidState, action: Action) -> PyramidState:
    """The state after `action`. Raises IllegalInput naming the action and what is possible; nothing has changed then."""
    handler = _HANDLERS.get(action.kind)
    if handler is None:
        raise IllegalInput(f"action '{action.kind}' is not known; there are {', '.join(_HANDLERS)}", code="action")
    return handler(before, action)


def _refuse(action: Action, why: str, code: str = "") -> IllegalInput:
    return IllegalInput(f"action '{action.kind}' {action.value}".rstrip() + f": {why}", code=code or action.kind)


def _player(action: Action) -> Player:
    if action.player is None:
        raise _refuse(action, "say which player")
    return action.player


def _arg(action: Action, name: str) -> str:
    return dict(action.args).get(name, "")


def _stage(before: PyramidState, action: Action, *stages: Stage) -> None:
    if before.stage not in stages:
        raise _refuse(action, f"not now, the match waits for '{before.stage}'", "stage")


def _note(action: Action) -> str:
    if not action.note.strip():
        raise _refuse(action, "say why in a note", "note")
    return action.note


def _entry(before: PyramidState, clause: str, player: Player | None, note: str = "", amount: int = 0) -> PyramidState:
    played = before.frames.a + before.frames.b
    return replace(before, log=(*before.log, LogEntry(clause, player, note, amount, played)))


# --- lag and choices --------------------------------------------------------------------------------------------------


def _lag(before: PyramidState, action: Action) -> PyramidState:
    """The result of a lag (RP-6): a winner, who then chooses, or another try."""
    _stage(before, action, Stage.LAG)
    if action.value == "replay":
        return before
    try:
        winner = Player(action.value)
    except ValueError:
        raise _refuse(action, "give A, B or replay") from None
    after = replace(before, stage=Stage.LAG_CHOICE, striker=winner)
    choice = _arg(action, "choice")
    return act(after, Action("choose", winner, choice)) if choice else after


def _choose(before: PyramidState, action: Action) -> PyramidState:
    if before.stage is Stage.LAG_CHOICE:
        return _choose_breaker(before, action)
    if before.stage is Stage.CHOICE:
        return _choose_after_foul(before, action)
    follow = {match.CONTINUE: _continue_run, match.NEW_RACK: _new_rack, match.NEXT_FRAME: _next_game}
    if action.value in follow:
        return follow[action.value](before, action)
    raise _refuse(action, f"no choice is open, the match waits for '{before.stage}'", "choice")


def _check_chooser(action: Action, chooser: Player, choices: tuple[str, ...]) -> None:
    if action.player not in (None, chooser):
        raise _refuse(action, f"{chooser} chooses, not {action.player}", "choice")
    if action.value not in choices:
        raise _refuse(action, f"give one of {', '.join(choices)}", "choice")


def _choose_breaker(before: PyramidState, action: Action) -> PyramidState:
    """The winner of the lag breaks (RP-6.5.1) or leaves it to the opponent (RP-6.5.2)."""
    winner = before.striker
    _check_chooser(action, winner, match.LAG_CHOICES)
    breaker = winner if action.value == "break" else winner.other
    return replace(before, stage=Stage.SHOT, striker=breaker, breaker=breaker)


def _choose_after_foul(before: PyramidState, action: Action) -> PyramidState:
    """The two options of clause 5 (RP-5.1, RP-5.2: full right to score, AMB-38) or the four of 11.2
    (RP-11.2.1, RP-11.2.2: accept; RP-11.2.3, RP-11.2.4: new rack).
    """
    pending = before.pending
    assert pending is not None
    _check_chooser(action, pending.chooser, pending.choices)
    how, _, who = action.value.rpartition("_")
    comes = pending.chooser if who == "play" else pending.offender
    after = replace(before, stage=Stage.SHOT, striker=comes, pending=None)
    if before.run.player is not None and before.run.player is not comes:
        after = match.end_run(after)
    if before.phase is Phase.IN_HAND_ANY_PREMIUM and comes is not before.striker:
        after = replace(after, phase=Phase.IN_HAND_ANY)  # a premium shot belongs to the player who earned it
    if how != "rerack":
        return after
    table = Table(before.table.balls, Coloured.TABLE)
    debt = before.debt
    cancelled = pending.penalty is not None and pending.penalty.source is PenaltySource.DEBT
    if cancelled and not before.options["rerack_keeps_debt"]:
        debt = debt.add(pending.offender, -1)  # AMB-14
    return replace(
        after,
        phase=Phase.BREAK,
        table=table,
        debt=debt,
        breaker=comes,
        placements=match.rack_placements(before.game, table),
    )


# --- frames, playing on -----------------------------------------------------------------------------------------------


def _next_game(before: PyramidState, action: Action) -> PyramidState:
    """The next frame without playing on: the run is over (RP-11.3b)."""
    _stage(before, action, Stage.FRAME_OVER)
    assert before.winner is not None
    return match.new_frame(match.end_run(before), before.winner)


def _continue_run(before: PyramidState, action: Action) -> PyramidState:
    """The winner of the frame plays on (RP-30.4b)."""
    _stage(before, action, Stage.FRAME_OVER, Stage.MATCH_OVER)
    if not match.may_play_on(before):
        raise _refuse(action, "no run to lengthen, or no object ball left on the table", "run")
    return replace(before, stage=Stage.SHOT, series=True)


def _end_run(before: PyramidState, action: Action) -> PyramidState:
    """The winner does not play on: his run is finished and entered in the record (RP-30.3)."""
    _stage(before, action, Stage.FRAME_OVER, Stage.MATCH_OVER)
    return match.end_run(before)


def _new_rack(before: PyramidState, action: Action) -> PyramidState:
    """After a scoring shot the winner has the next frame racked; the run goes on by the switch (RP-30.4d, AMB-21)."""
    running = before.stage is Stage.FRAME_OVER or (before.stage is Stage.SHOT and before.series)
    if not running or before.winner is None or before.match_winner is not None:
        raise _refuse(action, f"not now, the match waits for '{before.stage}'", "stage")
    if before.run.player is not before.winner:
        raise _refuse(action, "the run is over; the next frame is racked anyway", "run")
    kept = before if before.options["run_across_frames"] else match.end_run(before)
    return match.new_frame(kept, before.winner)


def _award_game(before: PyramidState, action: Action) -> PyramidState:
    """The frame is declared lost by the opponent of `player` (RP-31.2c)."""
    _stage(before, action, Stage.LAG, Stage.LAG_CHOICE, Stage.SHOT, Stage.CHOICE)
    if before.series:
        raise _refuse(action, "the frame is won already; the winner only plays on", "stage")
    winner, note = _player(action), _note(action)
    return match.win_frame(match.end_run(_entry(before, "RP-31.2c", winner.other, note)), winner)


def _award_match(before: PyramidState, action: Action) -> PyramidState:
    """The match is declared lost, or the opponent of `player` is removed (RP-31.2c, RP-31.2d)."""
    if before.stage is Stage.MATCH_OVER:
        raise _refuse(action, "the match is over", "stage")
    winner, note = _player(action), _note(action)
    clause = "RP-31.2d" if action.value == "exclusion" else "RP-31.2c"
    after = match.end_run(_entry(before, clause, winner.other, note))
    return replace(
        after, stage=Stage.MATCH_OVER, striker=winner, winner=None, pending=None, series=False, match_winner=winner
    )


# --- the table --------------------------------------------------------------------------------------------------------


def _interference(before: PyramidState, action: Action) -> PyramidState:
    """An outsider or an emergency (RP-24): put back, or, when that is impossible, a new rack and a lag."""
    _stage(before, action, *SCORE)
    if action.value == "restorable":
        return _entry(before, "RP-24.1", None, action.note)
    if action.value != "lost":
        raise _refuse(action, "give restorable or lost")
    after = match.end_run(_entry(before, "RP-24.3", None, action.note))
    if before.series:  # the frame is decided, there is nothing left to play for on this table
        return replace(after, stage=Stage.FRAME_OVER if before.match_winner is None else Stage.MATCH_OVER, series=False)
    table = _table_after_loss(before)
    return replace(
        after,
        stage=Stage.LAG,
        phase=Phase.BREAK,
        table=table,
        pending=None,
        to_take=0,
        placements=match.rack_placements(before.game, table),
    )


def _table_after_loss(before: PyramidState) -> Table:
    """Whites left on the table are racked; a coloured ball out of play comes back for a white (RP-24.3b).

    That swap changes no count: the white goes to the shelf the coloured ball was on.
    """
    return Table(before.table.balls, Coloured.TABLE)


def _layout(before: PyramidState, action: Action) -> PyramidState:
    """The referee says what lies on the table: args balls (as Table.balls), coloured."""
    _stage(before, action, *SCORE)
    balls, coloured = _arg(action, "balls"), _arg(action, "coloured")
    try:
        table = Table(
            int(balls) if balls else before.table.balls, Coloured(coloured) if coloured else before.table.coloured
        )
    except ValueError:
        raise _refuse(
            action, f"balls '{balls}', coloured '{coloured}': give a number and {', '.join(Coloured)}"
        ) from None
    if not 0 <= table.balls <= FULL[before.game]:
        raise _refuse(action, f"{table.balls} balls; give 0 to {FULL[before.game]}")
    return replace(before, table=table)


def _house(before: PyramidState, action: Action) -> PyramidState:
    """Combined: do all object balls lie in the house? Then the other end serves as a temporary house (RP-19.2b)."""
    _stage(before, action, *SCORE)
    if before.game is not GameId.COMBINED or HAND_OF_PHASE[before.phase] is None:
        raise _refuse(action, "only before an in-hand shot of combined pyramid", "phase")
    phases = {"all": Phase.IN_HAND_TEMP_HOUSE, "some": Phase.IN_HAND_HOUSE, "none": Phase.IN_HAND_HOUSE}
    if action.value not in phases:
        raise _refuse(action, "give all, some or none")
    return replace(before, phase=phases[action.value])


def _white(before: PyramidState, action: Action) -> PyramidState:
    """A white for the potted cue ball: taken, or not taken before the next stroke and so not counted (EXT-C3).

    It is the player's who potted the cue ball, whoever plays next; while he plays on only his run loses it (RP-30.4c).
    """
    if before.to_take == 0:
        raise _refuse(action, "no white is to be taken", "white")
    if action.value == "taken":
        return replace(before, to_take=0, runs=runs.taken(before.runs))
    if action.value != "left":
        raise _refuse(action, "give taken or left")
    _stage(before, action, *SCORE)
    if before.game is not GameId.COMBINED:
        raise _refuse(action, "only combined pyramid forfeits a white that was not taken (EXT-C3)", "white")
    taker, lost = before.taker or before.striker, before.to_take
    run, records = before.run, before.runs
    if run.player is taker:
        run = runs.without(run, lost)
    else:  # an offence after the shot ended it
        records = runs.not_taken(records, before.options)
    if before.series:
        if before.series_balls < lost:
            raise _refuse(action, "the frame is won with that ball; nothing of it is taken back", "white")
        table = replace(before.table, balls=before.table.balls + lost)
        left = before.series_balls - lost
        return replace(before, to_take=0, table=table, run=run, runs=records, series_balls=left)
    from_shelf = min(lost, before.shelf.of(taker))
    return replace(
        before,
        to_take=0,
        shelf=before.shelf.add(taker, -from_shelf),
        debt=before.debt.add(taker, lost - from_shelf),
        table=replace(before.table, balls=before.table.balls + from_shelf),
        run=run,
        runs=records,
    )


# --- time, breaks, conduct --------------------------------------------------------------------------------------------


def _extension(before: PyramidState, action: Action) -> PyramidState:
    """An extra time is used: called by the referee (RP-28.3a) or asked by the player (RP-28.3b), two a frame (RP-28.2a)."""
    player = _player(action)
    if before.extensions.of(player) >= EXTENSIONS_PER_FRAME:
        raise _refuse(action, f"{player} has used both extra times of this frame", "refused")
    return replace(before, extensions=before.extensions.add(player, 1))


def _break_request(before: PyramidState, action: Action) -> PyramidState:
    """A player asks for his break (RP-29.1a); args permission = yes or no in live television (RP-29.2)."""
    _stage(before, action, Stage.SHOT, Stage.CHOICE, Stage.FRAME_OVER)
    player = _player(action)
    grant = breaks.request(before, player, permission=_arg(action, "permission"))
    after = _entry(before, grant.clause, player, action.note, match.BREAK_S)
    if grant.extra:
        return replace(after, extra_breaks=after.extra_breaks.add(player, 1))
    return replace(after, breaks=after.breaks.add(player, 1))


def _late(before: PyramidState, action: Action) -> PyramidState:
    """A player came late after a break on the television table: a fine, no ball (RP-29.3). value: seconds."""
    player = _player(action)
    if not before.options["live_tv"]:
        raise _refuse(action, "fines for lateness exist only on the television table (live_tv)", "live_tv")
    if not action.value.isdigit():
        raise _refuse(action, "give the seconds of lateness as value")
    fine = breaks.late_fine_usd(int(action.value), before.options)
    return _entry(before, "RP-29.3", player, f"{action.value} s", fine)


def _hall_referee(before: PyramidState, action: Action) -> PyramidState:
    """A referee of the hall is called to see the run (RP-30.2m, RP-30.2w)."""
    return replace(before, run=runs.call_referee(before.run, _player(action)))


def _log(before: PyramidState, action: Action) -> PyramidState:
    """A remark, a warning or the like: an entry of the record and nothing else (RP-31.2.0, RP-31.3)."""
    if action.value not in LOGGED:
        raise _refuse(action, f"give one of {', '.join(LOGGED)}")
    return _entry(before, action.value, action.player, action.note)


_HANDLERS: dict[str, Callable[[PyramidState, Action], PyramidState]] = {
    "lag": _lag,
    "choose": _choose,
    "next_game": _next_game,
    "continue_run": _continue_run,
    "new_rack": _new_rack,
    "end_run": _end_run,
    "award_game": _award_game,
    "award_match": _award_match,
    "interference": _interference,
    "layout": _layout,
    "house": _house,
    "white": _white,
    "extension": _extension,
    "break_request": _break_request,
    "late": _late,
    "hall_referee": _hall_referee,
    "log": _log,
}
