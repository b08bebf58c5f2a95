"""What entries between shots do: match, lag, layout, choices, placing, awards, notes."""

from __future__ import annotations

import msgspec

from marker_hub.assembler.run import ShotRun
from marker_hub.assembler.seats import PINS
from marker_hub.clocks import started
from marker_hub.entries import (
    Awarded,
    Chosen,
    ClockSet,
    Closed,
    ContactReset,
    Entry,
    Fault,
    HubStarted,
    LagSet,
    LayoutSet,
    MatchStarted,
    NewRack,
    Noted,
    Placed,
    Readied,
    RulesActed,
    RunContinued,
)
from marker_hub.match.state import begin, striker_of
from marker_hub.phases import ALLOWED, Event, Phase, fire
from marker_hub.table import arming, shotclock, shots
from marker_hub.table.state import Work
from marker_hub.table.types import Announce, MatchEnded
from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.game import Action, DueKind


def on_hub_started(work: Work, entry: Entry, _body: HubStarted) -> None:
    """Monotonic time began anew: running deadlines start again from here, clocks stand."""
    now = entry.mono_us
    work.queue = tuple(_restarted(run, now) for run in work.queue)
    if work.run is not None:
        work.run = _restarted(work.run, now)
    shotclock.rebase(work, now)
    if work.pause is not None and work.pause.running:
        left = max(0, work.pause.remaining(work.mono_us))
        work.pause = msgspec.structs.replace(started(work.pause.limit_us, now), left_us=left)
    if work.countdown_us is not None:
        work.countdown_us = now + work.config.countdown_ms * 1000
    if work.pre_us is not None:
        work.pre_us = now
    work.unsorted = tuple(msgspec.structs.replace(rec, mono_us=now) for rec in work.unsorted)
    work.link = msgspec.structs.replace(work.link, pairs=())
    work.mono_us = now


def _restarted(run: ShotRun, now: int) -> ShotRun:
    return msgspec.structs.replace(run, last_us=now, opened_us=now, rest_us=None)


def on_fault(work: Work, _entry: Entry, body: Fault) -> None:
    """An entry could not be carried out."""
    work.fault = body.text
    work.notice("fault", at=body.at)


def on_match_started(work: Work, entry: Entry, body: MatchStarted) -> None:
    """A match begins."""
    if Event.MATCH_START not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.MATCH_START)
        return
    work.match = begin(body, entry.wall_ms)
    work.run, work.queue, work.pre, work.pre_us = None, (), (), None
    work.clock = work.pause = None
    work.placed, work.ticked, work.fault, work.notices = False, (), "", ()
    work.extra, work.countdown_us, work.held = {}, None, False
    work.seats = msgspec.structs.replace(work.seats, off=())
    fire(work, Event.MATCH_START)
    arming.entered(work)


def act(work: Work, action: Action, entry: Entry) -> bool:
    """Do something to the rules' state; False (and a notice) where they do not allow it."""
    assert work.match is not None
    try:
        work.match = work.match.acted(action, entry.n)
    except IllegalInput as error:
        work.refused(action.kind, error)
        return False
    return True


def on_lag(work: Work, entry: Entry, body: LagSet) -> None:
    """A lag was won or must be replayed."""
    if work.match is None or Event.LAG_RESULT not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.LAG_RESULT)
        return
    late = (("late", ",".join(body.late)),) if body.late else ()
    if not act(work, Action("lag", value=body.winner, args=late), entry):
        return
    if body.choice and work.match.due.kind is DueKind.CHOICE:
        act(work, Action("choose", value=body.choice), entry)
    work.placed, work.pre = False, ()
    fire(work, Event.LAG_RESULT)
    arming.entered(work)


def on_chosen(work: Work, entry: Entry, body: Chosen) -> None:
    """A choice was made."""
    if work.match is None or Event.CHOICE not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.CHOICE)
        return
    if act(work, Action("choose", work.match.due.player, body.value), entry):
        work.extra = {**work.extra, "handled": 1}
        fire(work, Event.CHOICE)
        arming.entered(work)


def on_layout(work: Work, entry: Entry, body: LayoutSet) -> None:
    """The referee said what stands or lies on the table."""
    counted = body.balls is not None and work.match is not None and work.match.game_id.is_pyramid
    if counted:
        act(work, Action("layout", args=(("balls", str(body.balls)),)), entry)
    elif work.profile == "carom5":
        before = work.seats.expected
        work.seats = work.seats.say(body.standing, body.off)
        changed = work.seats.expected != before
        if changed and work.match is not None and work.match.due.kind is DueKind.SHOT and work.run is None:
            act(work, Action("layout", value=",".join(work.seats.expected)), entry)
    if work.match is None or work.run is not None:
        return
    if not fire(work, Event.LAYOUT):
        shots.unexpected(work, Event.LAYOUT)
        return
    arming.entered(work)


def on_readied(work: Work, _entry: Entry, _body: Readied) -> None:
    """All is placed."""
    if work.match is None or Event.READY not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.READY)
        return
    work.placed = True
    work.extra = {**work.extra, "handled": 1}
    if work.profile == "carom5":
        work.seats = work.seats.all_stand()
    if not fire(work, Event.READY):
        work.placed = False
        return
    arming.entered(work)


def on_placed(work: Work, _entry: Entry, body: Placed) -> None:
    """One placement ticked off."""
    kept = tuple(what for what in work.ticked if what != body.what)
    work.ticked = (*kept, body.what) if body.done else kept
    work.extra = {**work.extra, "handled": 1}
    if work.profile == "carom5" and body.done and body.what in work.seats.expected:
        standing = tuple(pin for pin in work.seats.expected if work.seats.seat(pin).value == "standing")
        work.seats = work.seats.say((*standing, body.what), None)
    arming.rearm(work)


def on_contact_reset(work: Work, entry: Entry, _body: ContactReset) -> None:
    """Balls to their starting places out of a hopeless contact."""
    if work.match is None or Event.CONTACT_RESET not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.CONTACT_RESET)
        return
    if act(work, Action("contact_reset", Player(striker_of(work.match.state))), entry):
        work.placed, work.ticked = False, tuple(what for what in work.ticked if what in PINS)
        fire(work, Event.CONTACT_RESET)
        arming.entered(work)


def on_awarded(work: Work, entry: Entry, body: Awarded) -> None:
    """A game or the match was given to a player, or a game is replayed."""
    event = Event.AWARD_MATCH if body.what == "match" else Event.AWARD_GAME
    if work.match is None or event not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, event)
        return
    kind = "replay_game" if body.to == "replay" else f"award_{body.what}"
    player = Player(body.to) if body.to in ("A", "B") else None
    if not act(work, Action(kind, player, note=body.note), entry):
        return
    work.run, work.queue, work.countdown_us, work.placed = None, (), None, False
    work.pause = None
    fire(work, event)
    arming.entered(work)
    work.effects.append(Announce("award", {"what": body.what, "to": body.to}))
    if work.phase == Phase.MATCH_OVER:
        work.effects.append(MatchEnded(work.match.head.id, work.match.revision))


def on_noted(work: Work, entry: Entry, body: Noted) -> None:
    """For the record only; the rules may count it (warnings)."""
    if work.match is None or not fire(work, Event.LOG_CALL):
        shots.unexpected(work, Event.LOG_CALL)
        return
    player = Player(body.by) if body.by in ("A", "B") else None
    act(work, Action("log", player, body.code, note=body.note), entry)


def on_rules_acted(work: Work, entry: Entry, body: RulesActed) -> None:
    """Something only the rules have to know; what they wait for may change by it."""
    if work.match is None or Event.LOG_CALL not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.LOG_CALL)
        return
    player = Player(body.player) if body.player in ("A", "B") else None
    if act(work, Action(body.kind, player, body.value, tuple(body.args.items()), body.note), entry):
        fire(work, Event.LOG_CALL)
        arming.rearm(work)


def on_closed(work: Work, _entry: Entry, _body: Closed) -> None:
    """The protocol is signed."""
    if work.match is None or not fire(work, Event.CLOSE_MATCH):
        shots.unexpected(work, Event.CLOSE_MATCH)
        return
    work.match = msgspec.structs.replace(work.match, signed=True)
    work.effects.append(MatchEnded(work.match.head.id, work.match.revision))
    arming.entered(work)


def on_clock_set(work: Work, _entry: Entry, body: ClockSet) -> None:
    """The referee stopped or started the shot clock."""
    if body.running:
        work.clear_notice("clock-paused")
        shotclock.resume(work, work.mono_us)
    else:
        shotclock.stop(work, work.mono_us)


def on_new_rack(work: Work, entry: Entry, _body: NewRack) -> None:
    """Series play: a new rack."""
    if work.match is not None and act(work, Action("new_rack"), entry):
        fire(work, Event.NEW_RACK)
        arming.entered(work)


def on_continue_run(work: Work, entry: Entry, _body: RunContinued) -> None:
    """Series play after the frame."""
    if work.match is not None and act(work, Action("continue_run"), entry):
        fire(work, Event.CONTINUE_RUN)
        arming.entered(work)
