"""The five Hall sensors under the pins: poses in time become field vectors on a 100 Hz grid.

The vectors are those of the default calibration (dipole 10 mm above the sensor); static stretches are held, not repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from marker_rules.balls import Pin
from marker_sim.rng import Stream
from marker_sim.sensors.inputs import Hold, Input, Scan

PERIOD_US = 10_000
ORDER = (Pin.C, Pin.N, Pin.E, Pin.S, Pin.W)
NOISE_UT = 25.0


class Pose(Enum):
    """How a pin stands over its seat; the value is its field there, uT."""

    STANDING = (0, 0, 1500)
    TILTED = (230, 0, 800)
    FLAT = (-224, 0, 202)
    SLID = (515, 0, 752)
    GONE = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Change:
    """From `t_us` on `pin` is in `pose`."""

    t_us: int
    pin: Pin
    pose: Pose


def fall(pin: Pin, lost_us: int, speed: float) -> list[Change]:
    """A pin that tips over: base lost at `lost_us`, flat 40 to 120 ms later, the sooner the faster it was hit."""
    flat_after = int(120_000 - 80_000 * min(speed, 2.0) / 2.0)
    return [Change(lost_us, pin, Pose.TILTED), Change(lost_us + flat_after, pin, Pose.FLAT)]


def scans(poses: dict[Pin, Pose], changes: list[Change], start_us: int, end_us: int, chance: Stream) -> list[Input]:
    """The scans from `start_us` to `end_us`; `poses` is brought up to date with `changes`."""
    out: list[Input] = []
    waiting = sorted(changes, key=lambda c: c.t_us)
    at = start_us
    while at <= end_us:
        while waiting and waiting[0].t_us <= at:
            change = waiting.pop(0)
            poses[change.pin] = change.pose
        out.append(Scan(at, _vector(poses, chance)))
        at += PERIOD_US
        still_until = min(waiting[0].t_us, end_us) if waiting else end_us
        held = (still_until - at) // PERIOD_US
        while held > 0:
            n = min(held, 60_000)
            out.append(Hold(at, n))
            at += n * PERIOD_US
            held -= n
    return out


def _vector(poses: dict[Pin, Pose], chance: Stream) -> tuple[int, ...]:
    return tuple(round(chance.gauss(axis, NOISE_UT)) for pin in ORDER for axis in poses.get(pin, Pose.GONE).value)
