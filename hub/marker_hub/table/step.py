"""One entry carried out: dispatch by its body, and the bookkeeping that makes undo possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from marker_hub import entries as e
from marker_hub.phases import Phase
from marker_hub.table import amend, flow, node, pauses, play, shotclock, timers
from marker_hub.table.log import Vec
from marker_hub.table.state import Table, Work
from marker_hub.table.types import Announce, Effect

HANDLERS: dict[type, Callable[[Work, e.Entry, Any], None]] = {
    e.Obs: node.on_obs,
    e.Birth: node.on_birth,
    e.Offline: node.on_offline,
    e.Health: node.on_health,
    e.Head: node.on_head,
    e.Loss: node.on_loss,
    e.Missing: node.on_missing,
    e.ClockPair: node.on_clock,
    e.HubStarted: flow.on_hub_started,
    e.TimerExpired: timers.on_timer,
    e.Fault: flow.on_fault,
    e.MatchStarted: flow.on_match_started,
    e.LagSet: flow.on_lag,
    e.LayoutSet: flow.on_layout,
    e.Readied: flow.on_readied,
    e.Chosen: flow.on_chosen,
    e.ContactReset: flow.on_contact_reset,
    e.Placed: flow.on_placed,
    e.NewRack: flow.on_new_rack,
    e.RunContinued: flow.on_continue_run,
    e.Struck: play.on_struck,
    e.Stilled: play.on_stilled,
    e.Answered: play.on_answered,
    e.Called: play.on_called,
    e.CallTaken: play.on_call_taken,
    e.Picked: play.on_picked,
    e.Accepted: play.on_accepted,
    e.ManualRuled: play.on_manual,
    e.Reopened: play.on_reopened,
    e.NotAShot: play.on_not_a_shot,
    e.Interfered: play.on_interfered,
    e.Premature: play.on_premature,
    e.Amended: amend.on_amended,
    e.TimeCalled: shotclock.on_time_called,
    e.ExtensionGiven: shotclock.on_extension,
    e.ClockSet: flow.on_clock_set,
    e.BreakRequested: pauses.on_break_request,
    e.Held: play.on_held,
    e.Suspended: pauses.on_suspended,
    e.Resumed: pauses.on_resumed,
    e.Awarded: flow.on_awarded,
    e.Noted: flow.on_noted,
    e.GameStarted: pauses.on_next_game,
    e.RulesActed: flow.on_rules_acted,
    e.Closed: flow.on_closed,
}
"""Every body but Undone and Redone, which tell the rest of the story anew."""

IDLE_KEPT = 2000
"""Entries kept for undo after the last command of a finished match."""

NOT_COMMANDS: frozenset[type] = frozenset((*e.NODE_BODIES, *e.HUB_BODIES, e.Undone, e.Redone))


def is_command(body: e.Body) -> bool:
    """True for what a person did, which can be undone."""
    return type(body) not in NOT_COMMANDS


def step(table: Table, entry: e.Entry) -> tuple[Table, tuple[Effect, ...]]:
    """The table after one entry. Raises only where the program is wrong."""
    body = entry.body
    if isinstance(body, e.Undone):
        return _undo(table, entry, body.n)
    if isinstance(body, e.Redone):
        return _redo(table, entry, body.n)
    return _plain(table, entry)


def _plain(table: Table, entry: e.Entry) -> tuple[Table, tuple[Effect, ...]]:
    body = entry.body
    kind = type(body)
    command = kind not in NOT_COMMANDS
    work = Work(table)
    work.n = entry.n
    if kind is e.HubStarted:
        HANDLERS[kind](work, entry, body)
        work.mono_us = entry.mono_us
    else:
        if entry.mono_us > work.mono_us:
            work.mono_us = entry.mono_us
        if kind is e.MatchStarted and table.phase == Phase.IDLE:
            work.log, work.marks, work.voided = Vec(), Vec(), frozenset()
            work.done, work.undone = (), ()
            table = work.freeze()
        HANDLERS[kind](work, entry, body)
    if command or work.log or work.phase != Phase.IDLE:
        work.log = work.log.append(entry)
        _bound(work)
        if command:
            work.marks = work.marks.append((entry.n, table))
            work.done = (*work.done, entry.n)
            work.undone = ()
            work.decided_n = entry.n
    return work.freeze(), tuple(work.effects)


def _bound(work: Work) -> None:
    """After a match nothing can be undone for ever: past IDLE_KEPT entries without a command the log is let go."""
    if work.phase == Phase.IDLE and work.marks and len(work.log) - len(work.marks[-1][1].log) > IDLE_KEPT:
        work.log, work.marks, work.voided = Vec(), Vec(), frozenset()
        work.done, work.undone, work.match = (), (), None


def _retell(table: Table, entry: e.Entry, voided: frozenset[int], since: int) -> Table:
    """The same journal from `since` on, with other commands void."""
    at = max((at for at in range(len(table.marks)) if table.marks[at][0] <= since), default=None)
    if at is None:
        return table
    told: Table = table.marks[at][1]
    for at_log in range(len(told.log), len(table.log)):
        told = _again(told, table.log[at_log], voided)
    return msgspec.structs.replace(
        told, n=entry.n, log=told.log.append(entry), voided=voided, mono_us=max(told.mono_us, entry.mono_us)
    )


def _again(told: Table, old: e.Entry, voided: frozenset[int]) -> Table:
    """One entry of the journal once more; what is void leaves only its place."""
    if isinstance(old.body, (e.Undone, e.Redone)) or old.n in voided:
        return msgspec.structs.replace(
            told, n=old.n, log=told.log.append(old), marks=_marked(told, old), mono_us=told.mono_us
        )
    return _plain(told, old)[0]


def as_seen(table: Table, n: int) -> Table | None:
    """The table as it stood at position n, by what holds today; None where that is no longer known.

    Every command after `n` makes the answer meaningless (it may have been undone since): ask `decided_n` first.
    """
    at = max((at for at in range(len(table.marks)) if table.marks[at][0] <= n), default=None)
    if at is None or n > table.n:
        return None
    told: Table = table.marks[at][1]
    for at_log in range(len(told.log), len(table.log)):
        if table.log[at_log].n > n:
            break
        told = _again(told, table.log[at_log], table.voided)
    return told


def _marked(table: Table, entry: e.Entry) -> Vec[tuple[int, Any]]:
    return table.marks.append((entry.n, table)) if is_command(entry.body) else table.marks


def _undo(table: Table, entry: e.Entry, n: int) -> tuple[Table, tuple[Effect, ...]]:
    if not table.done or table.done[-1] != n:
        work = Work(table)
        work.n = entry.n
        return work.freeze(), ()
    told = _retell(table, entry, table.voided | {n}, n)
    made = msgspec.structs.replace(told, undone=(*table.undone, n), decided_n=entry.n)
    return made, _correction(table, made)


def _redo(table: Table, entry: e.Entry, n: int) -> tuple[Table, tuple[Effect, ...]]:
    if not table.undone or table.undone[-1] != n:
        work = Work(table)
        work.n = entry.n
        return work.freeze(), ()
    told = _retell(table, entry, table.voided - {n}, n)
    made = msgspec.structs.replace(told, undone=table.undone[:-1], decided_n=entry.n)
    return made, _correction(table, made)


def _correction(before: Table, after: Table) -> tuple[Effect, ...]:
    """One announcement for a correction that moved the score."""
    old = before.match.state if before.match is not None else None
    new = after.match.state if after.match is not None else None
    return () if old == new else (Announce("correction", {"n": after.n}),)
