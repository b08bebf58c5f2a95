"""The five Hall sensors under the pins: poses in time become field vectors on a 100 Hz grid.

A pin carries a small magnet along its axis; its field at the sensor is that of a dipole at the distance `GAP_MM`. What is
particular to a seat (strength, place of the sensor) is drawn once a table, where a pin is set down each time anew.
Static stretches are held, not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from marker_hardware import calibration
from marker_rules.balls import ALL_PINS, Pin
from marker_sim.rng import Stream
from marker_sim.sensors.inputs import Hold, Input, Scan

PERIOD_US = 10_000
ORDER = (Pin.C, Pin.N, Pin.E, Pin.S, Pin.W)
NOISE_UT = 25.0
FIELD_UT = 1500.0  # of a pin on its spot
GAP_MM = 10.0
STRENGTH_SD = 0.02  # of a seat, after its calibration
OFFSET_SD_MM = 0.25  # of the sensor beside the spot, left after its calibration
PLACED_SD_MM = 0.5  # an axis: where a hand sets a pin
PLACED_MAX_MM = 1.2  # farther off he sets it again: the table shows it as not standing
WARM_SD_C = 3.0  # from the day of calibration
Field = tuple[float, float, float]


class Pose(Enum):
    """What a pin does over its seat; the value is the field there for a seat without peculiarities, uT."""

    STANDING = (0.0, 0.0, 1500.0)
    TILTED = (230.0, 0.0, 800.0)
    FLAT = (-224.0, 0.0, 202.0)
    SLID = (643.0, 0.0, 751.0)
    GONE = (0.0, 0.0, 0.0)


def upright(x_mm: float, y_mm: float) -> Field:
    """Field of an upright pin whose axis is (x, y) beside the sensor, uT."""
    aside = math.hypot(x_mm, y_mm)
    r2 = GAP_MM * GAP_MM + aside * aside
    scale = FIELD_UT * GAP_MM**3 / (2.0 * r2**2.5)
    out = 3.0 * GAP_MM * scale
    return out * x_mm, out * y_mm, (2.0 * GAP_MM * GAP_MM - aside * aside) * scale


@dataclass(frozen=True, slots=True)
class Change:
    """From `t_us` on `pin` is in `pose`. `slid_mm`: an upright pin was pushed so far."""

    t_us: int
    pin: Pin
    pose: Pose
    slid_mm: float = 0.0


def fall(pin: Pin, lost_us: int, speed: float) -> list[Change]:
    """A pin that tips over: base lost at `lost_us`, flat 40 to 120 ms later, the sooner the faster it was hit."""
    flat_after = int(120_000 - 80_000 * min(speed, 2.0) / 2.0)
    return [Change(lost_us, pin, Pose.TILTED), Change(lost_us + flat_after, pin, Pose.FLAT)]


class Seats:
    """The five seats of a table: constants drawn once from its seed, and what is over them now."""

    def __init__(self, seed: int, table: str) -> None:
        chance = Stream(seed, table, "seats")
        warm = chance.gauss(0.0, WARM_SD_C)
        tempco = calibration.load().pin.magnet.tempco_pct_per_c / 100.0
        self._gain = {pin: (1.0 + chance.gauss(0.0, STRENGTH_SD)) * (1.0 + tempco * warm) for pin in ORDER}
        self._offset = {pin: (chance.gauss(0.0, OFFSET_SD_MM), chance.gauss(0.0, OFFSET_SD_MM)) for pin in ORDER}
        self._axis = dict(self._offset)  # where the axis of the standing pin is
        self._placing = Stream(seed, table, "placed")
        self.poses: dict[Pin, Pose] = dict.fromkeys(ALL_PINS, Pose.STANDING)

    def apply(self, change: Change) -> None:
        """Bring one seat up to date."""
        if change.pose is Pose.STANDING and self.poses[change.pin] is not Pose.STANDING:
            self._set_down(change.pin)
        elif change.pose is Pose.SLID:
            x, y = self._axis[change.pin]
            self._axis[change.pin] = (x + change.slid_mm, y)
        self.poses[change.pin] = change.pose

    def _set_down(self, pin: Pin) -> None:
        x, y = self._offset[pin]
        while True:
            dx, dy = self._placing.gauss(0.0, PLACED_SD_MM), self._placing.gauss(0.0, PLACED_SD_MM)
            if math.hypot(dx, dy) <= PLACED_MAX_MM:
                self._axis[pin] = (x + dx, y + dy)
                return

    def field(self, pin: Pin) -> Field:
        """The field at the sensor of a seat now, without noise, uT."""
        pose = self.poses[pin]
        x, y, z = upright(*self._axis[pin]) if pose in (Pose.STANDING, Pose.SLID) else pose.value
        gain = self._gain[pin]
        return gain * x, gain * y, gain * z

    @property
    def standing(self) -> frozenset[Pin]:
        """Pins that stand upright near enough to their spots for nobody to put them right."""
        return frozenset(pin for pin, pose in self.poses.items() if pose is Pose.STANDING)

    def scans(self, changes: Iterable[Change], start_us: int, end_us: int, chance: Stream) -> list[Input]:
        """The scans from `start_us` to `end_us`, on a grid of its own phase; the seats are brought up to date with `changes`."""
        out: list[Input] = []
        waiting = sorted(changes, key=lambda c: c.t_us)
        at = start_us
        while at <= end_us:
            while waiting and waiting[0].t_us <= at:
                self.apply(waiting.pop(0))
            out.append(Scan(at, self._vector(chance)))
            at += PERIOD_US
            still_until = min(waiting[0].t_us, end_us) if waiting else end_us
            held = (still_until - at) // PERIOD_US
            while held > 0:
                n = min(held, 60_000)
                out.append(Hold(at, n))
                at += n * PERIOD_US
                held -= n
        for change in waiting:  # what happens after the last scan is seen by the next one
            self.apply(change)
        return out

    def _vector(self, chance: Stream) -> tuple[int, ...]:
        return tuple(round(chance.gauss(axis, NOISE_UT)) for pin in ORDER for axis in self.field(pin))
