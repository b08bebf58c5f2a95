"""How fast the simulator is on this machine, beside a plain loop in the same run; compare ratios, not absolute times."""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any

from marker_hardware.pinmap import Profile
from marker_rules.balls import FIVE_PINS_BALLS, Pin
from marker_sim import uniform
from marker_sim.physics.engine import Engine
from marker_sim.physics.telling import Cast, tell
from marker_sim.sensors.table import CaromSensors
from marker_sim.timeline import Timeline

SHOTS = 300
ROUNDS = 3
LOOP = 1_000_000
CAST = Cast(FIVE_PINS_BALLS, tuple(Pin))


def _loop() -> float:
    """A million additions, a second."""
    began = time.process_time()
    total = 0.0
    for number in range(LOOP):
        total += number * 0.5
    return LOOP / max(time.process_time() - began, 1e-9)


def _rate(work: Callable[[int], float], count: int) -> tuple[float, float]:
    """(shots, simulated seconds) a second of processor time."""
    began = time.process_time()
    simulated = sum(work(number) for number in range(count))
    spent = max(time.process_time() - began, 1e-9)
    return count / spent, simulated / spent


def _bare(draw: Callable[[int, int], Engine]) -> Callable[[int], float]:
    return lambda number: draw(1, number).run()


def _sensed(number: int) -> float:
    """A five-pins shot with its facts and everything its sensors do."""
    engine = uniform.five_pins(1, number)
    seconds = engine.run()
    timeline = Timeline(tuple(tell(engine, CAST, crossings=False, zones=False)), round(seconds * 1e9))
    CaromSensors(1, "1").shot(number, timeline, 0)
    return seconds


def measure(size: int | None = None) -> dict[str, Any]:
    """Medians of three rounds. `size`: five-pins shots a round; pyramid a third of it, breaks a tenth."""
    shots = size or SHOTS
    rows: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        rows.setdefault("baseline_loop", []).append(_loop())
        rate, real = _rate(_sensed, shots)
        rows.setdefault("five_pins_times_real_time", []).append(real)
        rows.setdefault("five_pins_shots_per_s", []).append(rate)
        rows.setdefault("pyramid_shots_per_s", []).append(_rate(_bare(uniform.pyramid), max(1, shots // 3))[0])
        rows.setdefault("break_shots_per_s", []).append(_rate(_bare(uniform.opening), max(1, shots // 10))[0])
    found: dict[str, Any] = {name: round(statistics.median(values), 1) for name, values in rows.items()}
    return {"profile": Profile.CAROM5.value, "shots": shots, **found, "pooltool_ratio": pooltool_ratio()}


def pooltool_ratio() -> float | None:
    """How many times faster than pooltool, None where it cannot be imported (see docs/developer/simulator.md)."""
    if importlib.util.find_spec("pooltool") is None:
        return None
    from marker_sim.pooltool import ratio

    return ratio()
