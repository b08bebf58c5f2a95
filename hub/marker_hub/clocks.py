"""Time as values: device time to hub time, shot clock, breaks, countdowns. Nothing here reads a clock."""

from __future__ import annotations

import msgspec

DRIFT_PPM = 60
"""Assumed worst drift between device and hub crystal, parts in a million (both 30 ppm)."""

FOREIGN_UNC_US = 2_000_000
"""Uncertainty of a device time for which no clock pair is known: the time of arrival is taken, us."""


class Pair(msgspec.Struct, frozen=True):
    """At device time t_dev of `boot` the hub's monotonic clock read t_dev + off; half of rtt bounds the error (us)."""

    boot: int
    t_dev: int
    off: int
    rtt: int


def to_hub(pairs: tuple[Pair, ...], boot: int, t_dev: int, received_us: int) -> tuple[int, int]:
    """Device time -> (hub monotonic us, uncertainty us) by the pair nearest in device time; without one the arrival counts."""
    best: Pair | None = None
    for pair in pairs:
        if pair.boot == boot and (best is None or abs(pair.t_dev - t_dev) < abs(best.t_dev - t_dev)):
            best = pair
    if best is None:
        return received_us, FOREIGN_UNC_US
    unc = best.rtt // 2 + abs(t_dev - best.t_dev) * DRIFT_PPM // 1_000_000
    return t_dev + best.off, unc


def order(a: tuple[int, int], b: tuple[int, int]) -> int | None:
    """-1: a before b, 1: b before a, None: unknown. a, b: (hub us, uncertainty us).

    Decided only where the distance exceeds the sum of both uncertainties; nearer events have no order.
    """
    apart = b[0] - a[0]
    if abs(apart) <= a[1] + b[1]:
        return None
    return -1 if apart > 0 else 1


class Countdown(msgspec.Struct, frozen=True):
    """A clock that runs down. `left_us` at `since_us`; not running: it stands still. `limit_us`: what it started with."""

    limit_us: int
    left_us: int
    since_us: int = 0
    running: bool = False

    def remaining(self, now_us: int) -> int:
        """What is left at now_us, us; negative after zero."""
        return self.left_us - (now_us - self.since_us) if self.running else self.left_us

    def due(self) -> int | None:
        """Hub time of zero, or None while it stands."""
        return self.since_us + self.left_us if self.running else None

    def paused(self, now_us: int) -> Countdown:
        """Standing still from now_us on."""
        return Countdown(self.limit_us, self.remaining(now_us), now_us, running=False)

    def resumed(self, now_us: int) -> Countdown:
        """Running again from now_us on."""
        return self if self.running else Countdown(self.limit_us, self.left_us, now_us, running=True)


def started(limit_us: int, at_us: int) -> Countdown:
    """A countdown that began at at_us (which may lie in the past)."""
    return Countdown(limit_us, limit_us, at_us, running=True)


def standing(limit_us: int) -> Countdown:
    """A countdown that has not begun."""
    return Countdown(limit_us, limit_us)
