"""Where play stands still between shots and games: the next game, breaks, interruptions and how each of them ends."""

from __future__ import annotations

import msgspec

from marker_hub.clocks import started
from marker_hub.entries import BreakRequested, Entry, GameStarted, Resumed, Suspended
from marker_hub.phases import ALLOWED, Event, Phase, fire
from marker_hub.table import arming, shotclock, shots
from marker_hub.table.flow import act
from marker_hub.table.state import Work
from marker_rules.balls import Player
from marker_rules.game import Action
from marker_rules.pyramid.match import BREAK_S


def begin_game(work: Work) -> None:
    """The rules go on to the next game."""
    assert work.match is not None
    work.match = work.match.acted(Action("next_game"), work.n)
    work.placed, work.ticked = False, ()
    work.seats = msgspec.structs.replace(work.seats, off=())
    shotclock.restart(work)


def on_next_game(work: Work, _entry: Entry, _body: GameStarted) -> None:
    """The next game: first the break, if the schedule has one."""
    if work.match is None or Event.NEXT_GAME not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.NEXT_GAME)
        return
    if work.break_is_due():
        work.pause = started(work.match.due.break_s * 1_000_000, work.mono_us)
    else:
        begin_game(work)
    fire(work, Event.NEXT_GAME)
    arming.entered(work)


def on_break_request(work: Work, entry: Entry, body: BreakRequested) -> None:
    """A player's break."""
    if work.match is None or Event.BREAK_REQUEST not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.BREAK_REQUEST)
        return
    args = (("permission", "yes"),) if body.permitted else ()
    if not act(work, Action("break_request", Player(body.by), args=args), entry):
        return
    shotclock.stop(work, work.mono_us)
    work.pause = started(BREAK_S * 1_000_000, work.mono_us)
    work.before_pause = work.phase
    fire(work, Event.BREAK_REQUEST)
    arming.entered(work)


def end_break(work: Work) -> None:
    """The break is over: on to the next game, or back to where it was asked for."""
    work.pause = None
    if work.game_is_over() and work.before_pause != Phase.GAME_OVER:
        begin_game(work)
    if work.was_armed():
        work.placed = False
        work.extra = {**work.extra, "wait": 1}
    fire(work, Event.BREAK_OVER)
    work.before_pause = ""
    arming.entered(work)


def on_suspended(work: Work, _entry: Entry, body: Suspended) -> None:
    """The match is interrupted; a shot that was running is closed as incomplete."""
    if Event.SUSPEND not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.SUSPEND)
        return
    run = work.watched
    if run is not None:
        work.set_watched(run)
        shots.close(work, run.missing("suspended"))
    work.before_pause = work.phase
    shotclock.stop(work, work.mono_us)
    if work.pause is not None:
        work.pause = work.pause.paused(work.mono_us)
    fire(work, Event.SUSPEND)
    work.notice("suspended", note=body.note)
    arming.entered(work)


def on_resumed(work: Work, _entry: Entry, _body: Resumed) -> None:
    """Go on."""
    if work.phase == Phase.BREAK:
        end_break(work)
    elif work.phase == Phase.SUSPENDED:
        work.clear_notice("suspended")
        if work.was_in_break() and work.pause is not None:
            work.pause = work.pause.resumed(work.mono_us)
        work.placed = False
        fire(work, Event.RESUME)
        arming.entered(work)
    else:
        shots.unexpected(work, Event.RESUME)
