"""Deadlines of a table: values in the state, journalled when they pass, never a running timer."""

from __future__ import annotations

import msgspec

from marker_hub.assembler.run import Opened, ShotRun, Stage
from marker_hub.entries import Body, Entry, TimerExpired
from marker_hub.phases import Event, Phase, fire
from marker_hub.table import shotclock, shots
from marker_hub.table.node import taken_as_it_came
from marker_hub.table.pauses import end_break
from marker_hub.table.state import Table, Work
from marker_hub.table.types import Announce

LULL, QUIET, TAIL, DISTURB, ACCEPT, BREAK = "lull", "quiet", "tail", "disturb", "accept", "break"
SORT = "sort"
"""The node did not say where it was armed: what came since then is taken as it came."""


def deadlines(table: Table | Work) -> tuple[tuple[int, str], ...]:
    """Every deadline as (hub us, name)."""
    found: list[tuple[int, str]] = []
    config = table.config
    run = _watched(table)
    if run is not None and not run.ask and table.phase != Phase.SUSPENDED:
        if run.closing:
            found.append((run.last_us + config.tail_ms * 1000, TAIL))
        elif run.stage is Stage.ROLLING:
            found.append((run.last_us + config.lull_ms * 1000, LULL))
        elif table.link.online is not False:
            found.append((run.last_us + config.quiet_ms * 1000, QUIET))
    if table.pre_us is not None and table.phase == Phase.ARMED:
        found.append((table.pre_us + config.disturb_ms * 1000, DISTURB))
    if table.unsorted and table.phase == Phase.ARMED:
        found.append((table.unsorted[0].mono_us + config.disturb_ms * 1000, SORT))
    if table.countdown_us is not None and table.phase == Phase.PROPOSED:
        found.append((table.countdown_us, ACCEPT))
    found += shotclock.deadlines(table)
    if table.pause is not None and table.phase == Phase.BREAK:
        due = table.pause.due()
        if due is not None:
            found.append((due, BREAK))
    return tuple(found)


def _watched(table: Table | Work) -> ShotRun | None:
    if table.queue and table.queue[-1].stage is not Stage.CLOSED:
        return table.queue[-1]
    run = table.run
    return run if run is not None and run.stage is not Stage.CLOSED else None


def next_deadline(table: Table | Work) -> tuple[int, str] | None:
    """The earliest deadline."""
    return min(deadlines(table), default=None)


def on_timer(work: Work, entry: Entry, body: TimerExpired) -> None:
    """A deadline passed. One that is not due (any more) is noted and does nothing."""
    due = {name: at for at, name in deadlines(work)}
    if body.name not in due or entry.mono_us < due[body.name]:
        return
    handler = _HANDLERS.get(body.name)
    if handler is not None:
        handler(work)


def _lull(work: Work) -> None:
    run = work.watched
    if run is None:
        return
    if work.run is not None and run.no == work.run.no:
        fire(work, Event.LULL)
    work.set_watched(shots.settle(work, run))


def _quiet(work: Work) -> None:
    shots.request_close(work, pressed=False)


def _tail(work: Work) -> None:
    run = work.watched
    if run is not None:
        work.notice("incomplete", reason="tail")
        shots.close(work, run)


def _disturb(work: Work) -> None:
    """Something moved and nobody struck: a bump of the table is noted, anything else is asked."""
    pins = [rec for rec in work.pre if shots.moves_pin(work, rec)]
    lost = any(shots.disturbs(rec) and not shots.moves_back(rec) for rec in work.pre)
    span = max((rec.t for rec in pins), default=0) - min((rec.t for rec in pins), default=0)
    together = len({rec.ch for rec in pins}) >= 3 and span <= work.config.bump_ms * 1000
    if together and not any(shots.felled(rec) for rec in work.pre):
        fire(work, Event.BUMP)
        work.notice("bump")
        work.pre_us = None
        return
    if not lost:
        work.pre_us = None
        return
    run = shots.open_shot(work, Opened.ASKED)
    work.run = msgspec.structs.replace(run, ask="disturbed", from_t=None)
    fire(work, Event.DISTURB)
    work.mode_n = work.n


def _break(work: Work) -> None:
    end_break(work)
    work.effects.append(Announce("break_over"))


def _accept(work: Work) -> None:
    """The countdown ran out without a stored ruling beside it (the service journals Accepted instead)."""


_HANDLERS = {LULL: _lull, QUIET: _quiet, TAIL: _tail, DISTURB: _disturb, BREAK: _break, ACCEPT: _accept}
_HANDLERS[SORT] = taken_as_it_came
_HANDLERS |= {shotclock.TEN: shotclock.ten, shotclock.TIME: shotclock.expired}


def due_body(table: Table) -> Body | None:
    """What to journal when the next deadline passes: its expiry, or the acceptance a countdown stood for."""
    due = next_deadline(table)
    if due is None:
        return None
    if due[1] == ACCEPT:
        from marker_hub.entries import Side
        from marker_hub.table.propose_shot import accept_body

        body = accept_body(Work(table), Side.COUNTDOWN)
        return body if body is not None else TimerExpired(due[1])
    return TimerExpired(due[1])
