"""The shot clock (clause 28) as pure state: it moves only by events that carry their own journalled time.

Times are seconds on one clock, floats, counted from anywhere; a stroke exactly at the limit is in time. What is due at
a moment (`due_calls`) is derived and never stored, so a message that arrives late changes nothing: the time of the
event decides. Paused while balls are placed, in breaks and during an interference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from marker_rules.errors import IllegalInput
from marker_rules.options import Options

EXTENSIONS_PER_FRAME = 2  # RP-28.2a
WARNING_S = 10  # RP-28.3d
LIMIT_S = 40  # RP-28.1a
LIMIT_TV_S = 30  # RP-28.1b


class ClockCall(StrEnum):
    """What is called at the table. `TIME` is prompted by the hub and called by the referee."""

    TIME = "Time"
    TEN_SECONDS = "10 s"
    FOUL = "foul"
    EXTENSION = "extension by player"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ClockLaw:
    """What the options say about time."""

    limit_s: float = LIMIT_S
    per_shot: int = 2  # extra times in one shot (AMB-23)
    added: bool = False  # extra time is added to the rest of the limit instead of counted from the call
    automatic: bool = False  # the hub calls "Time" itself

    @staticmethod
    def of(options: Options) -> ClockLaw:
        """The clock of a match."""
        limit = options["shot_clock_s"] or (LIMIT_TV_S if options["live_tv"] else LIMIT_S)
        return ClockLaw(
            limit_s=limit,
            per_shot=options["extensions_per_shot"],
            added=options["extension_mode"] == "added",
            automatic=options["auto_extension"],
        )


@dataclass(frozen=True, slots=True)
class ShotClock:
    """The time of one shot. used: extra times of this player in this frame, those of this shot included."""

    law: ClockLaw
    deadline: float
    used: int = 0
    used_here: int = 0
    paused_at: float | None = None
    struck_at: float | None = None

    @property
    def strict(self) -> bool:
        """No extra time is left in the frame: the referee times every shot (RP-28.3c)."""
        return self.used >= EXTENSIONS_PER_FRAME

    @property
    def can_extend(self) -> bool:
        """Whether an extra time may still be used in this shot."""
        return not self.strict and self.used_here < self.law.per_shot

    @property
    def foul(self) -> bool:
        """Whether the stroke came too late with no extra time left (RP-28.3e)."""
        return self.struck_at is not None and self.struck_at > self.deadline and not self.can_extend


@dataclass(frozen=True, slots=True)
class DueCall:
    """A call that is due since `at`."""

    call: ClockCall
    at: float


def start_time(rest: float, done: float | None, options: Options) -> float:
    """When the clock starts (RP-28.1a, AMB-24).

    rest: when the balls stopped (journalled, back-dated). done: when what had to be placed or chosen was done; None
    when nothing had to be. With the switch `clock_start` = stopped it always starts at the rest.
    """
    if done is None or options["clock_start"] == "stopped":
        return rest
    return max(rest, done)


def start(law: ClockLaw, at: float, used: int = 0) -> ShotClock:
    """A clock that starts at `at`; used: extra times the player has used in this frame, 0 to 2."""
    if not 0 <= used <= EXTENSIONS_PER_FRAME:
        raise IllegalInput(f"{used} extra times used; a frame has {EXTENSIONS_PER_FRAME}", code="extensions")
    return ShotClock(law, at + law.limit_s, used)


def due_calls(clock: ShotClock, now: float) -> tuple[DueCall, ...]:
    """Calls due at `now`, in order: ten seconds in strict timing, then time or foul once the limit has passed."""
    if clock.paused_at is not None:
        now = min(now, clock.paused_at)
    if clock.struck_at is not None:
        now = min(now, clock.struck_at)
    due = []
    warning = clock.deadline - WARNING_S
    if clock.strict and now > warning:
        due.append(DueCall(ClockCall.TEN_SECONDS, warning))
    if now > clock.deadline:
        due.append(DueCall(ClockCall.TIME if clock.can_extend else ClockCall.FOUL, clock.deadline))
    return tuple(due)


def time_called(clock: ShotClock, at: float) -> ShotClock:
    """The referee calls "Time": an extra time is used, its seconds run from the call (RP-28.3a).

    Raises IllegalInput when none is left, or when the limit has not passed.
    """
    _running(clock, at)
    if at < clock.deadline:
        raise IllegalInput(f"'Time' at {at}: {clock.deadline - at} s are left", code="early")
    return _extend(clock, at)


def requested(clock: ShotClock, at: float) -> ShotClock:
    """The player asks for extra time (RP-28.3b). Raises IllegalInput with code `refused` when none is left."""
    _running(clock, at)
    return _extend(clock, at)


def _extend(clock: ShotClock, at: float) -> ShotClock:
    if not clock.can_extend:
        raise IllegalInput(f"extra time refused at {at}: {clock.used} of {EXTENSIONS_PER_FRAME} used", code="refused")
    start_from = clock.deadline if clock.law.added else at
    return replace(clock, deadline=start_from + clock.law.limit_s, used=clock.used + 1, used_here=clock.used_here + 1)


def struck(clock: ShotClock, at: float) -> ShotClock:
    """The stroke, at the time of its event, whenever its message arrives."""
    _running(clock, at)
    return replace(clock, struck_at=at)


def paused(clock: ShotClock, at: float) -> ShotClock:
    """The clock stands from `at` on."""
    _running(clock, at)
    return replace(clock, paused_at=at)


def resumed(clock: ShotClock, at: float) -> ShotClock:
    """The clock goes on at `at` with the time it had left."""
    if clock.paused_at is None:
        raise IllegalInput(f"the clock was not paused at {at}", code="running")
    return replace(clock, deadline=clock.deadline + at - clock.paused_at, paused_at=None)


def left_s(clock: ShotClock, now: float) -> float:
    """Seconds left at `now`, never below 0."""
    for end in (clock.paused_at, clock.struck_at):
        if end is not None:
            now = min(now, end)
    return max(0.0, clock.deadline - now)


def _running(clock: ShotClock, at: float) -> None:
    if clock.struck_at is not None:
        raise IllegalInput(f"the stroke was made at {clock.struck_at}; nothing is timed at {at}", code="struck")
    if clock.paused_at is not None:
        raise IllegalInput(f"the clock stands since {clock.paused_at}; resume it first", code="paused")
