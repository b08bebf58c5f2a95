"""Getting ready for a stroke: layout complete, table armed, shot opened."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from marker_hub.assembler.channels import pin_healthy
from marker_hub.assembler.reading import PinView, pin_views
from marker_hub.assembler.run import Opened, Rec, ShotRun, Stage
from marker_hub.assembler.seats import Seat
from marker_hub.clocks import to_hub
from marker_hub.match.board import board
from marker_hub.phases import Event, Phase, fire
from marker_hub.table import shotclock, shots
from marker_hub.table.state import Table, Work
from marker_hub.table.types import Announce, MatchEnded
from marker_rules.game import DueKind


def entered(work: Work) -> None:
    """What follows when the phase has just become another one, by whatever way."""
    phase = Phase(work.phase)
    if phase is Phase.RESPOTTING or phase is Phase.PLACING:
        work.mode_n = work.n
        rearm(work)
    elif phase is Phase.ARMED:
        arm(work)
    elif phase in (Phase.ASKING, Phase.PROPOSED):
        shots.presented(work)
    elif phase in (Phase.GAME_OVER, Phase.MATCH_OVER, Phase.BREAK, Phase.LAG, Phase.SUSPENDED, Phase.IDLE):
        work.mode_n = work.n
        work.countdown_us = None


def rearm(work: Work) -> None:
    """Go on by itself as soon as nothing is left to do by hand."""
    if work.match is None or work.run is not None or work.match.due.kind is not DueKind.SHOT:
        return
    before = work.phase
    if work.phase == Phase.RESPOTTING and (work.hand_is_due() or work.layout_is_complete()):
        fire(work, Event.READY)
        if work.phase == Phase.PLACING:
            work.mode_n = work.n
    if work.phase == Phase.PLACING and not work.hand_is_due() and work.layout_is_complete():
        fire(work, Event.READY)
    if work.phase == Phase.ARMED and before != Phase.ARMED:
        arm(work)


def arm_id(table: Table | Work) -> str:
    """Id of the one command that arms the node for the stroke to come."""
    return f"{table.config.id}-a{table.armed_n}"


def rest_id(table: Table | Work) -> str:
    """Id of the one command that lets the node rest."""
    return f"{table.config.id}-i{table.mode_n}"


def settle_id(table: Table | Work, run: ShotRun) -> str:
    """Id of the one command that asks the node where its stream is while the balls come to rest."""
    return f"{table.config.id}-s{run.settle_n}"


def watch_id(table: Table | Work) -> str:
    """Id of the one command that lets the node watch on, its latches kept."""
    return f"{table.config.id}-m{table.mode_n}"


def given_n(table: Table | Work, command: str) -> int:
    """The entry after which a command of the table was given, read from its id; 0 for one of somebody else."""
    own, dash, rest = command.rpartition("-")
    known = own == table.config.id and dash and rest[:1] in ("a", "i", "m", "s") and rest[1:].isascii()
    return int(rest[1:]) if known and rest[1:].isdigit() else 0


def arm(work: Work) -> None:
    """The table waits for a stroke: latches are cleared by the node, what happened before is no part of the next shot."""
    work.armed_n = work.mode_n = work.n
    work.extra = {key: value for key, value in work.extra.items() if key != "wait"}
    work.pre, work.pre_us = (), None
    work.mark, work.unsorted, work.unseen = None, (), None
    work.clear_notice("knock", "bump", "withdrawn", "loss", "incomplete", "struck-early")
    shotclock.on_armed(work)


def strike_now(work: Work, opened: Opened, rec: Rec | None = None, *, early: bool = False) -> None:
    """A stroke was made: the shot opens, at once or (while an earlier one is judged) behind it."""
    if work.run is not None:
        run = shots.opened_early(work, shots.open_shot(work, opened, rec))
        work.queue = (*work.queue, run)
        work.notice("struck-early", shot=run.no)
        return
    run = shots.open_shot(work, opened, rec)
    if early:
        run = shots.opened_early(work, run)
        work.notice("struck-early", shot=run.no)
    if not fire(work, Event.STRIKE):
        shots.unexpected(work, Event.STRIKE)
        return
    unc_us = to_hub(work.link.pairs, rec.boot, rec.t, rec.mono_us)[1] if rec is not None else 0
    work.run = shotclock.struck(work, run, unc_us)
    if not work.sensors:
        shots.request_close(work, pressed=True)


def after_ruling(work: Work) -> None:
    """Once a ruling holds: the next waiting shot becomes the current one, seats are set, the phase follows the rules."""
    match = work.match
    assert match is not None
    work.placed, work.ticked, work.countdown_us, work.held = False, (), None, False
    work.pre, work.pre_us = (), None
    _seats_by_ruling(work)
    if work.run is not None and not work.run.idle and work.run.rest_us is not None:
        work.extra = {**work.extra, "rest_us": work.run.rest_us}
    work.run = None
    if work.queue and match.due.kind is DueKind.SHOT:
        work.run, work.queue = work.queue[0], work.queue[1:]
    fire(work, Event.ADVANCE)
    entered(work)
    if work.phase == Phase.MATCH_OVER:
        work.effects.append(Announce("match", {"winner": board(match).winner}))
        work.effects.append(MatchEnded(match.head.id, match.revision))
    elif work.phase == Phase.GAME_OVER:
        work.effects.append(Announce("game", {"n": board(match).game_no}))


def _slid(views: Mapping[str, PinView], pin: str) -> bool:
    return pin in views and views[pin].slid


def _seats_by_ruling(work: Work) -> None:
    """Seats whose sensor is not healthy, or did not see the fall that was ruled, take the ruling's word."""
    if work.profile != "carom5" or work.match is None:
        return
    down = {placement.what for placement in work.match.due.placements}
    quality = work.link.quality if work.sensors else {}
    said = dict(work.seats.said)
    views = pin_views(work.run, work.profile) if work.run is not None else {}
    for pin in work.seats.expected:
        healthy = pin_healthy(quality, work.profile, pin)
        unseen = pin in down and (pin not in views or not views[pin].most) and not _slid(views, pin)
        if not healthy or unseen or work.seats.seat(pin) is Seat.UNKNOWN:
            said[pin] = Seat.DOWN.value if pin in down else Seat.STANDING.value
    work.seats = msgspec.structs.replace(work.seats, said=said)


def drop_shot(work: Work, *, placed: bool = False) -> None:
    """The current shot is void; one that waited behind it takes its place. placed: what was placed by hand still is."""
    work.run = None
    if work.queue:
        work.run, work.queue = work.queue[0], work.queue[1:]
    work.countdown_us = None
    work.placed = work.placed and placed


def closed_waiting(work: Work) -> bool:
    """True when the current shot is closed and waits for its ruling."""
    return work.run is not None and work.run.stage is Stage.CLOSED
