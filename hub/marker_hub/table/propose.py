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

PLAYER_COMMANDS = (c.MatchStart, c.Hold, c.Extension, c.BreakRequest, c.Still, c.Strike, c.Ready, c.Choice, c.LagResult)
"""What a player may do in any match; in a self-refereed one also everything about the shot."""

SELF_COMMANDS = (*SHOT_COMMANDS, c.Layout, c.Place, c.NextGame, c.Undo, c.Redo, c.Resume, c.Close, c.Interference)


def propose(table: Table, command: c.Command, role: Role, mono_us: int) -> Result:
    """The bodies to journal for a command (all or none), or a Refusal."""
    work = Work(table)
    work.mono_us = max(table.mono_us, mono_us)
    refused = _allowed(work, command, role) or _stale(work, command)
    if refused is not None:
        return refused
    handler = _HANDLERS[type(command)]
    try:
        made = handler(work, command)
    except IllegalInput as error:
        return refuse(work, error.code or "rules", "refuse.rules", reason=error.message)
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


def _stale(work: Work, command: c.Command) -> Refusal | None:
    """A command that was meant for an earlier state of the shot: since `seen` somebody else decided.

    An acceptance always says what it was based on; without `seen` (0) it is based on nothing and so is stale.
    """
    if isinstance(command, c.Accept) and command.seen <= 0 < work.n:
        return refuse(work, "stale", "refuse.stale")
    if not command.seen:
        return None
    if not isinstance(command, (*SHOT_COMMANDS, c.Undo, c.Redo)):
        return None
    changed = work.done and work.done[-1] > command.seen
    if changed and isinstance(command, (c.Accept, c.Manual, c.Undo, c.Redo, c.NotAShot, c.Pick, c.Reopen)):
        return refuse(work, "stale", "refuse.stale")
    record = work.match.last if work.match is not None else None
    if record is not None and record.n > command.seen:
        return refuse(work, "stale", "refuse.stale")
    return None


def _undo(work: Work, _command: c.Undo) -> Any:
    return e.Undone(work.done[-1]) if work.done else refuse(work, "nothing", "refuse.nothing_to_undo")


def _redo(work: Work, _command: c.Redo) -> Any:
    return e.Redone(work.undone[-1]) if work.undone else refuse(work, "nothing", "refuse.nothing_to_redo")


def _amend(work: Work, command: c.Amend) -> Any:
    refused = need(work, Event.CORRECTED)
    if refused is not None:
        return refused
    return amend.body(work, command.shot, command.changes)


_HANDLERS: dict[type, Callable[[Work, Any], Any]] = {
    **propose_between.HANDLERS,
    **propose_shot.HANDLERS,
    c.Undo: _undo,
    c.Redo: _redo,
    c.Amend: _amend,
}


def preview(table: Table, command: c.Command) -> Preview | Refusal:
    """What an Amend would do, without doing it."""
    work = Work(table)
    if not isinstance(command, c.Amend) or work.match is None:
        return refuse(work, "preview", "refuse.preview")
    try:
        return amend.preview(work, command.shot, command.changes)
    except RULES_ERRORS as error:
        return refuse(work, error.code or "rules", "refuse.rules", reason=error.message)
