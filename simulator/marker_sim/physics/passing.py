"""Balls that roll through between two standing pins and touch neither: no error, and no jump (FP-F.O)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from marker_sim.physics.body import AIR, STANDING
from marker_sim.physics.engine import Engine
from marker_sim.physics.pins import Outcome
from marker_sim.physics.schedule import Kind, Leg

NEIGHBOURS = 1.5  # pins farther apart than so many times the least distance of two are no gate of the castle
CASTLE_M = 0.2  # crossings no farther apart on a ball's way belong to one run through it
SLOW = 1e-3  # m/s


@dataclass(frozen=True, slots=True)
class Passed:
    """Body `ball` crossed the line between two pins at `t`, s, at (x, y), m, with `speed`, m/s."""

    ball: int
    t: float
    x: float
    y: float
    speed: float


@dataclass(frozen=True, slots=True)
class _Gate:
    """Two neighbouring pins, and until when both stood."""

    x: float
    y: float
    tx: float
    ty: float
    length: float
    until: float


def passed(engine: Engine) -> list[Passed]:
    """Every passage of a finished shot whose `legs` were kept; one for each run through the castle, in time order."""
    found: list[Passed] = []
    gates = _gates(engine)
    for ball in range(engine.n_balls):
        legs = [leg for leg in engine.legs or () if leg.body == ball]
        ends = [*(leg.t for leg in legs[1:]), engine.now]
        seen = [
            through
            for leg, end in zip(legs, ends, strict=False)
            for gate in gates
            if (through := _through(leg, end, gate)) is not None
        ]
        found += _runs(engine, sorted(seen, key=lambda one: one.t))
    return sorted(found, key=lambda one: one.t)


def _gates(engine: Engine) -> list[_Gate]:
    """Pairs of the pins that stood before the stroke; none where fewer than two did."""
    fell = {e.pin: e.met for e in reversed(engine.pins.events) if e.outcome is Outcome.TOPPLED}
    seats = [pin for pin in engine.bodies[engine.n_balls :] if pin.phase is STANDING or pin.index in fell]
    first = {leg.body: leg for leg in reversed(engine.legs or ())}
    places = [(pin.index, first[pin.index].x, first[pin.index].y) for pin in seats if pin.index in first]
    pairs = list(combinations(places, 2))
    least = min((math.dist(a[1:], b[1:]) for a, b in pairs), default=0.0)
    gates = []
    for (i, x0, y0), (j, x1, y1) in pairs:
        length = math.hypot(x1 - x0, y1 - y0)
        if length <= NEIGHBOURS * least:
            until = min(fell.get(i, math.inf), fell.get(j, math.inf))
            gates.append(_Gate(x0, y0, (x1 - x0) / length, (y1 - y0) / length, length, until))
    return gates


def _through(leg: Leg, end: float, gate: _Gate) -> Passed | None:
    """Where the centre of a ball on the cloth crosses the line between the pins in one leg of its way."""
    if leg.phase == AIR:
        return None
    nx, ny = -gate.ty, gate.tx
    c0 = (leg.x - gate.x) * nx + (leg.y - gate.y) * ny
    c1, c2 = leg.vx * nx + leg.vy * ny, 0.5 * (leg.ax * nx + leg.ay * ny)
    for dt in _roots(c0, c1, c2):
        if not 0.0 < dt <= end - leg.t or leg.t + dt >= gate.until:
            continue
        x, y, _ = leg.at(leg.t + dt)
        if 0.0 < (x - gate.x) * gate.tx + (y - gate.y) * gate.ty < gate.length:
            speed = math.hypot(leg.vx + dt * leg.ax, leg.vy + dt * leg.ay)
            return Passed(leg.body, leg.t + dt, x, y, speed)
    return None


def _roots(c0: float, c1: float, c2: float) -> Sequence[float]:
    inside = c1 * c1 - 4.0 * c2 * c0
    if c2 == 0.0 or inside < 0.0:
        return (-c0 / c1,) if c2 == 0.0 and c1 else ()
    root = math.sqrt(inside)
    return sorted(((-c1 - root) / (2.0 * c2), (-c1 + root) / (2.0 * c2)))


def _runs(engine: Engine, seen: list[Passed]) -> Iterator[Passed]:
    """The first crossing of each run through the castle in which no pin was touched."""
    runs: list[list[Passed]] = []
    for one in seen:
        if runs and one.t - runs[-1][-1].t <= CASTLE_M / max(one.speed, SLOW):
            runs[-1].append(one)
        else:
            runs.append([one])
    for run in runs:
        near = 2.0 * engine.bodies[run[0].ball].r / max(run[-1].speed, SLOW)
        touched = [h.t for h in engine.log if h.kind is Kind.PIN and h.a == run[0].ball]
        if not any(run[0].t - near <= t <= run[-1].t + near for t in touched):
            yield run[0]
