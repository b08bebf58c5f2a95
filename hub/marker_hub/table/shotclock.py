"""The shot clock of pyramid on a table. The rules hold its law; here it is started, stopped and asked, in hub seconds."""

from __future__ import annotations

from dataclasses import replace

from marker_hub.assembler.run import Opened, ShotRun, Stage
from marker_hub.entries import Called, Entry
from marker_hub.match.board import pair
from marker_hub.match.state import striker_of
from marker_hub.phases import ALLOWED, Event, Phase, fire
from marker_hub.table import shots
from marker_hub.table.state import Table, Work
from marker_hub.table.types import Announce
from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.game import Action
from marker_rules.pyramid import clock as law

TEN, TIME = "ten_seconds", "time"
OVERRUN = "RP-26.1.11"
OVERRUN_ASK = "overrun"
"""Question asked before the rules' own where the strike lies within the clock's uncertainty of zero: yes, no."""

GRACE_US = 1_000_000
"""How long a strike's message may be under way before the hub calls 'Time' by itself, us."""


def seconds(us: int) -> float:
    """Hub microseconds as the rules' clock counts."""
    return us / 1_000_000


def timed(work: Work) -> bool:
    """True when this match is played against the clock."""
    match = work.match
    if match is None or not match.game_id.is_pyramid or match.head.practice:
        return False
    return bool(match.options["shot_clock_s"] != 0)  # 0: agreed to play without; None: the rules' own limit


def on_armed(work: Work) -> None:
    """The table waits for a stroke: a clock that stood goes on, else one begins (RP-28.1a)."""
    match = work.match
    if match is None or not timed(work):
        work.clock = None
        return
    clock = work.clock
    if clock is not None and clock.struck_at is None and work.extra.get("clock_no") == shots.next_no(work):
        if clock.paused_at is not None:
            work.clock = law.resumed(clock, seconds(work.mono_us))
        return
    rest_us = work.extra.get("rest_us")
    now = seconds(work.mono_us)
    rest = now if rest_us is None else min(seconds(rest_us), now)
    done = now if "handled" in work.extra or rest_us is None else None
    used = pair(match.state.extensions)[striker_of(match.state)]
    at = law.start_time(rest, done, match.options)
    work.clock = law.start(law.ClockLaw.of(match.options), at, min(used, law.EXTENSIONS_PER_FRAME))
    work.extra = {key: value for key, value in work.extra.items() if key != "handled"}
    work.extra = {**work.extra, "clock_no": shots.next_no(work)}
    _rearm_calls(work)


def _rearm_calls(work: Work) -> None:
    work.extra = {key: value for key, value in work.extra.items() if key not in ("warned", "timed")}
    work.clear_notice("time", "time_called")


def stop(work: Work, at_us: int) -> None:
    """The clock stands (a break, an interruption, balls being placed)."""
    clock = work.clock
    if clock is not None and clock.struck_at is None and clock.paused_at is None:
        work.clock = law.paused(clock, seconds(at_us))


def resume(work: Work, at_us: int) -> None:
    """The clock goes on with what it had left."""
    clock = work.clock
    if clock is not None and clock.struck_at is None and clock.paused_at is not None:
        work.clock = law.resumed(clock, seconds(at_us))


def struck(work: Work, run: ShotRun, unc_us: int) -> ShotRun:
    """The stroke, at the time of its event; an overrun without extra time is a foul, near zero it is asked."""
    clock = work.clock
    if clock is None or clock.struck_at is not None:
        return run
    if clock.paused_at is not None:
        clock = law.resumed(clock, max(clock.paused_at, seconds(run.opened_us)))
    work.clock = clock = law.struck(clock, seconds(run.opened_us))
    _rearm_calls(work)
    over = seconds(run.opened_us) - clock.deadline
    if clock.can_extend or work.match is None or over <= -seconds(unc_us):
        return run
    if over <= seconds(unc_us):
        return shots.with_ask(run, OVERRUN_ASK)
    work.notice("overrun", shot=run.no)
    return run.call(Called(run.no, OVERRUN, striker_of(work.match.state)))


def not_struck(work: Work) -> None:
    """What opened the shot was no stroke: the clock goes on as if nothing had been."""
    if work.clock is not None:
        work.clock = replace(work.clock, struck_at=None)


def restart(work: Work) -> None:
    """The same stroke is played again from a restored position: its time begins anew."""
    work.clock = None
    work.extra = {key: value for key, value in work.extra.items() if key not in ("clock_no", "rest_us")}


def rebase(work: Work, now_us: int) -> None:
    """The hub's clock began anew: what was left stays, and stands until somebody starts it."""
    clock = work.clock
    if clock is None or clock.struck_at is not None:
        return
    left = law.left_s(clock, seconds(work.mono_us))
    now = seconds(now_us)
    work.clock = replace(clock, deadline=now + left, paused_at=now)
    work.notice("clock-paused")


def deadlines(work: Table | Work) -> tuple[tuple[int, str], ...]:
    """When 'ten seconds' and 'time' are due."""
    clock = work.clock
    if clock is None or work.phase != Phase.ARMED or clock.struck_at is not None or clock.paused_at is not None:
        return ()
    found = []
    zero = round(clock.deadline * 1_000_000)
    if clock.strict and "warned" not in work.extra:
        found.append((zero - law.WARNING_S * 1_000_000, TEN))
    if "timed" not in work.extra:
        grace = GRACE_US if clock.law.automatic and clock.can_extend else 0
        found.append((zero + grace, TIME))
    return tuple(found)


def ten(work: Work) -> None:
    """'10 seconds' (RP-28.3d)."""
    work.extra = {**work.extra, "warned": 1}
    work.effects.append(Announce(TEN))


def expired(work: Work) -> None:
    """Zero: prompts the referee; with the switch `auto_extension` the hub calls 'Time' itself."""
    clock = work.clock
    work.extra = {**work.extra, "timed": 1}
    if clock is None or work.match is None:
        return
    if clock.law.automatic and clock.can_extend and _heard(work):
        extend(work, clock.deadline, asked=False)
        work.effects.append(Announce(TIME))
        return
    work.notice("time", left=0, foul=int(not clock.can_extend))


def _heard(work: Work) -> bool:
    """False while the stroke may have been made in time and its record is still on its way: then a person decides."""
    return not work.sensors or (bool(work.link.online) and not work.link.behind)


def extend(work: Work, at: float, *, asked: bool) -> bool:
    """Spend an extra time; False where none is left."""
    clock, match = work.clock, work.match
    if clock is None or match is None:
        return False
    try:
        made = law.requested(clock, at) if asked else law.time_called(clock, at)
        work.match = match.acted(Action("extension", Player(striker_of(match.state))), work.n)
    except IllegalInput as error:
        work.refused("extension", error)
        return False
    work.clock = made
    _rearm_calls(work)
    return True


def on_time_called(work: Work, entry: Entry, _body: object) -> None:
    """'Time': an extra time is spent; with none left it is a foul (RP-28.3e)."""
    clock = work.clock
    if clock is None or work.match is None or Event.TIME_CALLED not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.TIME_CALLED)
        return
    if clock.can_extend:
        if extend(work, seconds(entry.mono_us), asked=False):
            fire(work, Event.TIME_CALLED)
            work.notice("time_called")
            work.effects.append(Announce(TIME))
        return
    call = Called(0, OVERRUN, striker_of(work.match.state), "after")
    work.run = ShotRun(
        no=shots.next_no(work), opened=Opened.CALL, opened_us=work.mono_us, stage=Stage.CLOSED, calls=(call,)
    )
    stop(work, work.mono_us)
    fire(work, Event.CLOCK_FOUL)
    shots.presented(work)


def on_extension(work: Work, entry: Entry, _body: object) -> None:
    """A player asked for extra time (RP-28.3b)."""
    if work.clock is None or Event.EXTENSION not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.EXTENSION)
        return
    if extend(work, seconds(entry.mono_us), asked=True):
        fire(work, Event.EXTENSION)


def refused(work: Work, by: str) -> str:
    """Key of the reason why a player cannot have extra time now; empty where he can."""
    match, clock = work.match, work.clock
    if match is None or clock is None:
        return "refuse.no_clock"
    if by != striker_of(match.state):
        return "refuse.not_striker"
    if not running(work):
        return "refuse.no_clock"
    if not clock.can_extend:
        return "refuse.no_extension"
    return ""


def running(work: Work) -> bool:
    """True while the time of a stroke runs: it has begun, does not stand, and the stroke has not been made."""
    clock = work.clock
    return clock is not None and clock.struck_at is None and clock.paused_at is None


def early(work: Work, now_us: int) -> bool:
    """True while 'Time' cannot be called yet."""
    return work.clock is None or seconds(now_us) < work.clock.deadline
