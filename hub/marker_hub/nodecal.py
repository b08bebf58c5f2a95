"""Calibration of the pins of a table: guided steps, the mean fields the node measures, and the curve of a displaced pin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from marker_hardware import calibration
from marker_hub.provision import Channel, NodeError, enter_service

PINS = ("C", "N", "E", "S", "W")
CURVE_MM = range(15)
GAPS_MM = tuple(g / 10 for g in range(60, 141))
Vector = tuple[float, float, float]
Ask = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PinCalibration:
    """What goes into the node's configuration, and what the technician should read.

    spread: standard deviation of the placements by pin, as a part of the field of the standing pin.
    """

    data: dict[str, Any]
    spread: dict[str, float]
    gap_mm: float
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuietTable:
    """Noise of the piezo channels of a quiet table, mV (99.9th percentile), and the comparator threshold it asks for."""

    noise_mv: int
    threshold_mv: int

    @property
    def usable(self) -> bool:
        """Whether a threshold within the limits is enough."""
        return self.threshold_mv <= round(calibration.load().piezo.vth.max_mv)

    @property
    def remedy(self) -> str:
        """What to do about a table that is too noisy."""
        return "more noise than a cushion hit may be; look for a loose disc or a cable beside a motor, then repeat"


def quiet(node: Channel) -> QuietTable:
    """Measure for ten seconds (calibration.toml: quiet_s). The node goes into service mode and stays there."""
    seconds = round(calibration.load().piezo.vth.quiet_s)
    enter_service(node)
    noise_mv, threshold_mv = node.request("calibrate", timeout=10 + 4 * seconds, step="noise", s=seconds)
    return QuietTable(noise_mv, threshold_mv)


def upright(offset_mm: float, gap_mm: float) -> tuple[float, float]:
    """(along, across) field of an upright dipole at an offset, as a part of its field at offset 0."""
    square = offset_mm**2 + gap_mm**2
    cube = (gap_mm / math.sqrt(square)) ** 3
    return (3 * gap_mm**2 - square) / (2 * square) * cube, 1.5 * gap_mm * offset_mm / square * cube


def curve(gap_mm: float) -> list[list[int]]:
    """[offset mm, along, across] in permille, the form of the node's configuration."""
    return [[r, *(round(1000 * part) for part in upright(r, gap_mm))] for r in CURVE_MM]


def fit_gap(slid: Sequence[tuple[float, float]], offset_mm: float) -> float:
    """Distance of magnet and sensor, mm, that fits the fields (along, across) of pins displaced by offset_mm best."""

    def distance(gap: float) -> float:
        along, across = upright(offset_mm, gap)
        u, v = math.asinh(20 * along), math.asinh(20 * across)
        return sum((math.asinh(20 * a) - u) ** 2 + (math.asinh(20 * b) - v) ** 2 for a, b in slid)

    return min(GAPS_MM, key=distance)


def measure(node: Channel, scans: int) -> list[Vector]:
    """Mean field of every pin sensor in uT. Raises NodeError naming sensors that did not answer."""
    result = node.request("calibrate", timeout=10 + scans / 50, step="scan", n=scans)
    silent = [PINS[i] for i in range(len(PINS)) if result["missing"] >> i & 1]
    if silent:
        raise NodeError(
            f"sensor of pin {', '.join(silent)} does not answer; check its plug on the pin board, then repeat"
        )
    mean = result["mean"]
    return [(mean[3 * i], mean[3 * i + 1], mean[3 * i + 2]) for i in range(len(PINS))]


def calibrate(node: Channel, ask: Ask, technician: str, date: str, placements: int | None = None) -> PinCalibration:
    """Guide through: seats empty, pins placed several times, pins slid. `ask` shows a step and returns when it is done."""
    limits = calibration.load().pin.cal
    placements = placements or limits.placed
    enter_service(node)
    ask("Take every pin off the table.")
    empty = measure(node, limits.empty)
    placed: list[list[Vector]] = []
    for n in range(placements):
        ask(f"Place all five pins on their spots ({n + 1} of {placements}); lift and place each one anew.")
        placed.append([_minus(b, e) for b, e in zip(measure(node, limits.empty), empty, strict=True)])
    slid: list[tuple[float, float]] = []
    means = [_mean([row[i] for row in placed]) for i in range(len(PINS))]
    for n in range(limits.slid_dirs):
        ask(
            f"Slide every pin {limits.slid_mm} mm off its spot, upright ({n + 1} of {limits.slid_dirs}: another direction)."
        )
        for i, b in enumerate(measure(node, limits.empty)):
            x, y, z = _minus(b, empty[i])
            norm = max(1.0, _length(means[i]))
            slid.append((z / norm, math.hypot(x, y) / norm))
    return _result(empty, placed, means, fit_gap(slid, limits.slid_mm), technician, date)


def _result(
    empty: list[Vector],
    placed: list[list[Vector]],
    means: list[Vector],
    gap: float,
    technician: str,
    date: str,
) -> PinCalibration:
    limits = calibration.load().pin
    warnings: list[str] = []
    spread: dict[str, float] = {}
    for i, pin in enumerate(PINS):
        norm = _length(means[i])
        if norm < 1:
            raise NodeError(f"pin {pin}: no field of a magnet; is the magnet in the pin, is the pin on its spot?")
        spread[pin] = math.sqrt(sum(_length(_minus(row[i], means[i])) ** 2 for row in placed) / len(placed)) / norm
        if spread[pin] > limits.rule.standing_d / 2:
            warnings.append(
                f"pin {pin}: placements differ by {spread[pin]:.0%} of its field; place it more exactly, repeat"
            )
    low, high = limits.magnet.gap_mm
    if not low - 1 <= gap <= high + 1:
        warnings.append(
            f"magnet to sensor {gap:.1f} mm, meant are {low:g} to {high:g} mm; check the depth of the pockets"
        )
    pins = {
        pin: {"b0": [round(x) for x in means[i]], "empty": [round(x) for x in empty[i]]} for i, pin in enumerate(PINS)
    }
    data = {"pins": pins, "curve": curve(gap), "technician": technician, "date": date}
    return PinCalibration(data, spread, gap, tuple(warnings))


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _mean(vectors: Sequence[Vector]) -> Vector:
    n = len(vectors)
    return sum(v[0] for v in vectors) / n, sum(v[1] for v in vectors) / n, sum(v[2] for v in vectors) / n


def _length(v: Vector) -> float:
    return math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
