"""From a command to what is journalled for it, or to the reason why it is refused. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub.match.judge import RULES_ERRORS
from marker_hub.phases import Event, Phase
from marker_hub.table import amend, propose_between, propose_shot
from marker_hub.table.refusing import need, refuse
from marker_hub.table.state import Table, Work
from marker_hub.table.step import as_seen
from marker_hub.table.types import Preview, Refusal, Role
from marker_rules.errors import IllegalInput

Result: TypeAlias = "tuple[e.Body, ...] | Refusal"

SHOT_COMMANDS = (
    c.Answer,
    c.Unanswer,
    c.Call,
    c.Uncall,
    c.Pick,
    c.PickStanding,
    c.Accept,
    c.Manual,
    c.Reopen,
    c.NotAShot,
)
"""Commands about the current shot: refused as stale when the shot changed since the page saw it."""

DECIDING = (
    c.Accept,
    c.Manual,
    c.Undo,
    c.Redo,
    c.NotAShot,
    c.Pick,
    c.Reopen,
    c.Strike,
    c.LagResult,
    c.Choice,
    c.NextGame,
    c.AwardGame,
    c.AwardMatch,
    c.Interference,
    c.TimeCalled,
    c.Extension,
    c.BreakRequest,
    c.NewRack,
    c.ContinueRun,
    c.ContactReset,
    c.Close,
)
"""Commands that would do something else when somebody else did something first: two taps of two referees are one."""

CORRECTIONS = (e.Amended, e.Undone, e.Redone, e.Awarded)

PLAYER_COMMANDS = (c.MatchStart, c.Hold, c.Extension, c.BreakRequest, c.Still, c.Strike, c.Ready, c.Choice, c.LagResult)
"""What a player may do in any match; in a self-refereed one also everything about the shot."""

SELF_COMMANDS = (*SHOT_COMMANDS, c.Layout, c.Place, c.NextGame, c.Undo, c.Redo, c.Resume, c.Close, c.Interference)


def propose(table: Table, command: c.Command, role: Role, mono_us: int) -> Result:
    """The bodies to journal for a command (all or none), or a Refusal."""
    work = Work(table)
    work.mono_us = max(table.mono_us, mono_us)
    refused = _allowed(work, command, role) or _stale(work, table, command)
    if refused is not None:
        return refused
    handler = _HANDLERS[type(command)]
    try:
        made = handler(work, command)
    except IllegalInput as error:
        return refuse(work, error.code or "rules", "refuse.rules", reason=error.message, command=c.kind_of(command))
    if isinstance(made, Refusal):
        outdated = made.code == "phase" and 0 < command.seen < work.n
        return Refusal("stale", "refuse.stale", made.args, work.n) if outdated else made
    return made if isinstance(made, tuple) else (made,)


def _allowed(work: Work, command: c.Command, role: Role) -> Refusal | None:
    if role.rank >= Role.REFEREE.rank:
        return None
    if role is Role.PLAYER:
        own = work.match is not None and work.phase != Phase.IDLE and work.match.head.policy is not e.Policy.REFEREE
        if isinstance(command, PLAYER_COMMANDS) or (own and isinstance(command, SELF_COMMANDS)):
            return None
    return refuse(work, "role", "refuse.role", role=role.value)


def _stale(work: Work, table: Table, command: c.Command) -> Refusal | None:
    """A command that was meant for an earlier state of the table: since `seen` somebody else decided.

    An acceptance always says what it was based on; without `seen` (0) it is based on nothing and so is stale. A position
    the journal has not reached belongs to another journal (a backup was restored): whoever saw it has not seen this one.
    """
    seen = command.seen
    if isinstance(command, c.Accept) and seen <= 0 < work.n:
        return refuse(work, "stale", "refuse.stale")
    if not seen:
        return None
    outdated = seen > work.n
    if isinstance(command, DECIDING):
        outdated = outdated or work.decided_n > seen
    if isinstance(command, SHOT_COMMANDS) and work.match is not None and work.match.last is not None:
        outdated = outdated or work.match.last.n > seen
    if isinstance(command, c.Amend):
        outdated = outdated or _corrected_since(table, seen)
    if isinstance(command, c.Accept):
        outdated = outdated or _other_proposal(work, table, seen)
    return refuse(work, "stale", "refuse.stale") if outdated else None


def _corrected_since(table: Table, seen: int) -> bool:
    """True when another correction was made since: the preview showed other scores than would follow now."""
    for at in range(len(table.log) - 1, -1, -1):
        entry = table.log[at]
        if entry.n <= seen:
            return False
        if isinstance(entry.body, CORRECTIONS):
            return True
    return False


def _other_proposal(work: Work, table: Table, seen: int) -> bool:
    """True when records came since that make another ruling of the shot than the one on the page that was pressed."""
    if seen == table.n or work.run is None:
        return False
    then = as_seen(table, seen)
    if then is None or then.run is None or then.run.no != work.run.no:
        return True
    return then.run is not table.run and _result(Work(then)) != _result(work)


def _result(work: Work) -> Any:
    """What would stand if the proposal were accepted, by whatever story."""
    ruling = work.judged().ruling
    return None if ruling is None or work.match is None else work.match.rules.result(ruling, work.before)


def _undo(work: Work, _command: c.Undo) -> Any:
    return e.Undone(work.done[-1]) if work.done else refuse(work, "nothing", "refuse.nothing_to_undo")


def _redo(work: Work, _command: c.Redo) -> Any:
    return e.Redone(work.undone[-1]) if work.undone else refuse(work, "nothing", "refuse.nothing_to_redo")


def _amend(work: Work, command: c.Amend) -> Any:
    refused = need(work, Event.CORRECTED)
    if refused is not None:
        return refused
    if work.match is None:
        return refuse(work, "match", "refuse.no_match")
    return amend.body(work, command.shot, command.changes)


_HANDLERS: dict[type, Callable[[Work, Any], Any]] = {
    **propose_between.HANDLERS,
    **propose_shot.HANDLERS,
    c.Undo: _undo,
    c.Redo: _redo,
    c.Amend: _amend,
}


MADE: dict[type, tuple[type, ...]] = {
    c.MatchStart: (e.MatchStarted,),
    c.LagResult: (e.LagSet,),
    c.Choice: (e.Chosen,),
    c.Ready: (e.Readied,),
    c.Layout: (e.LayoutSet,),
    c.Place: (e.Placed,),
    c.Answer: (e.Answered,),
    c.Unanswer: (e.Answered,),
    c.Call: (e.Called,),
    c.Uncall: (e.CallTaken,),
    c.Pick: (e.Picked,),
    c.PickStanding: (e.Answered, e.LayoutSet),
    c.Strike: (e.Struck,),
    c.Still: (e.Stilled,),
    c.Premature: (e.Premature,),
    c.Accept: (e.Accepted,),
    c.Hold: (e.Held,),
    c.Manual: (e.ManualRuled,),
    c.Reopen: (e.Reopened,),
    c.NotAShot: (e.NotAShot,),
    c.Interference: (e.Interfered,),
    c.Undo: (e.Undone,),
    c.Redo: (e.Redone,),
    c.Amend: (e.Amended,),
    c.NextGame: (e.GameStarted,),
    c.AwardGame: (e.Awarded,),
    c.AwardMatch: (e.Awarded,),
    c.Suspend: (e.Suspended,),
    c.Resume: (e.Resumed,),
    c.Extension: (e.ExtensionGiven,),
    c.TimeCalled: (e.TimeCalled,),
    c.ClockSet: (e.ClockSet,),
    c.BreakRequest: (e.BreakRequested,),
    c.ContactReset: (e.ContactReset,),
    c.NewRack: (e.NewRack,),
    c.ContinueRun: (e.RunContinued,),
    c.Act: (e.RulesActed,),
    c.Log: (e.Noted,),
    c.Close: (e.Closed,),
}
"""What stands in the journal for a command: by this a repeated key is known to name the same command after a restart."""


def may_be_of(body: e.Body, command: c.Command) -> bool:
    """True where a stored body can have been made by a command of this kind."""
    if isinstance(command, c.Answer | c.Unanswer) and isinstance(body, e.Answered):
        return (body.answer is None) == isinstance(command, c.Unanswer)
    if isinstance(command, c.AwardGame | c.AwardMatch) and isinstance(body, e.Awarded):
        return (body.what == "match") == isinstance(command, c.AwardMatch)
    return isinstance(body, MADE[type(command)])


def preview(table: Table, command: c.Command) -> Preview | Refusal:
    """What an Amend would do, without doing it."""
    work = Work(table)
    if not isinstance(command, c.Amend) or work.match is None:
        return refuse(work, "preview", "refuse.preview")
    try:
        return amend.preview(work, command.shot, command.changes)
    except RULES_ERRORS as error:
        return refuse(work, error.code or "rules", "refuse.rules", reason=error.message, command=c.kind_of(command))
