"""From what happened in the engine to facts in the words of the rules: the ground truth of a shot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from marker_rules.balls import Ball, Pin
from marker_rules.facts import (
    Contact,
    Cross,
    Cushion,
    Fact,
    Frozen,
    Hop,
    Jaw,
    Off,
    Pass,
    Pot,
    Restand,
    Return,
    Shift,
    Strike,
    Topple,
    Wobble,
    Zone,
)
from marker_sim.physics.body import Body, Phase
from marker_sim.physics.boundary import Boundary
from marker_sim.physics.engine import Engine, Happened, Kind
from marker_sim.physics.passing import passed
from marker_sim.physics.pins import Outcome
from marker_sim.timeline import Timed

SAME_S = 1e-6  # two contacts closer than this are one instant
FROZEN_M = 1e-4
ZONE_M = 0.136
NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Cast:
    """Who the bodies of the engine are: ball names by index, pin names by index after the balls."""

    balls: tuple[Ball, ...]
    pins: tuple[Pin, ...] = ()

    def pin(self, index: int) -> Pin:
        """The pin of a body index."""
        return self.pins[index - len(self.balls)]


def frozen_before(boundary: Boundary, balls: Mapping[Ball, tuple[float, float]], radius: float) -> list[Fact]:
    """Balls that lie against a rail before the shot."""
    found: list[Fact] = []
    for ball, (x, y) in balls.items():
        for nose in boundary.noses:
            along = (x - nose.x0) * nose.tx + (y - nose.y0) * nose.ty
            gap = (x - nose.x0) * nose.nx + (y - nose.y0) * nose.ny - radius
            if gap <= FROZEN_M and 0.0 <= along <= nose.length:
                found.append(Frozen(ball, nose.rail))
    return found


def tell(engine: Engine, cast: Cast, *, crossings: bool, zones: bool, cushions: bool = True) -> list[Timed]:
    """The facts of a finished shot in time order. `crossings`, `zones`: told only where the game's rules know them.

    Balls that pass between pins are told where the engine kept their ways (`legs`).
    `cushions`: told unless nobody wants to know which were met.
    """
    told: list[Timed] = []
    meeting: list[Happened] = []  # balls that meet in the same instant
    for happened in engine.log:
        if meeting and (happened.kind is not Kind.BALL or happened.t - meeting[0].t > SAME_S):
            told.append(_contact(meeting, cast))
            meeting = []
        if happened.kind is Kind.BALL:
            meeting.append(happened)
            continue
        if happened.kind is Kind.NOSE and not cushions:
            continue
        fact = _fact(happened, cast, crossings=crossings)
        if fact is not None:
            told.append(_timed(happened, fact, happened.vn))
    if meeting:
        told.append(_contact(meeting, cast))
    told += _pins(engine, cast)
    told += [
        Timed(round(one.t * NS), Pass(cast.balls[one.ball]), one.speed, (one.x * 1000, one.y * 1000))
        for one in passed(engine)
    ]
    told.sort(key=lambda item: item.t_ns)
    if zones:
        told += _zones(engine, cast)
    return told


def _contact(meeting: Sequence[Happened], cast: Cast) -> Timed:
    pairs = tuple(dict.fromkeys(_pair(happened, cast) for happened in meeting))
    return _timed(meeting[0], Contact(pairs), max(happened.vn for happened in meeting))


def _timed(h: Happened, fact: Fact, strength: float) -> Timed:
    return Timed(round(h.t * NS), fact, strength, (h.x * 1000, h.y * 1000))


def _pair(h: Happened, cast: Cast) -> tuple[Ball, Ball]:
    a, b = sorted((h.a, h.b))
    return cast.balls[a], cast.balls[b]


def _fact(h: Happened, cast: Cast, *, crossings: bool) -> Fact | None:
    ball = cast.balls[h.a] if h.a < len(cast.balls) else None
    if ball is None:
        return None
    if h.kind is Kind.STRIKE:
        return Strike(ball)
    if h.kind is Kind.NOSE and h.rail:
        return Cushion(ball, h.rail)
    if h.kind is Kind.JAW and h.pocket and h.rail:
        return Jaw(ball, h.pocket) if h.pocket.value.startswith("M") else Cushion(ball, h.rail)
    if h.kind is Kind.POT and h.pocket:
        return Pot(ball, h.pocket)
    if h.kind is Kind.CROSS and crossings:
        return Cross(ball)
    if h.kind in (Kind.OFF, Kind.FRAME):
        return Off(ball, "floor" if h.kind is Kind.OFF else "frame")
    if h.kind is Kind.RETURN:
        return Return(ball, "rail-top")
    return Hop(ball) if h.kind is Kind.HOP else None


def _pins(engine: Engine, cast: Cast) -> list[Timed]:
    out = []
    for event in engine.pins.events:
        pin = cast.pin(event.pin)
        body = engine.bodies[event.pin]
        fact: Fact
        if event.outcome is Outcome.TOPPLED:
            fact = Topple((pin,), cast.balls[event.root], event.chain)
        elif event.outcome is Outcome.SHIFTED:
            fact = Shift(pin, cast.balls[event.root])
        elif event.outcome is Outcome.RESTOOD:
            fact = Restand(pin)
        else:
            fact = Wobble(pin)
        out.append(Timed(round(event.at * NS), fact, event.vn, (body.x * 1000, body.y * 1000), event.shift_m * 1000))
    return out


def _zones(engine: Engine, cast: Cast) -> list[Timed]:
    """Balls that came to rest in a pocket's zone, all at the end of the shot."""
    end = round(engine.now * NS)
    moved = {h.a for h in engine.log} | {h.b for h in engine.log}
    out = []
    for index, ball in enumerate(cast.balls):
        body = engine.bodies[index]
        if body.phase is Phase.GONE or index not in moved:
            continue
        at = (body.x * 1000, body.y * 1000)
        near = (m for m in engine.boundary.mouths if math.hypot(body.x - m.mx, body.y - m.my) <= ZONE_M)
        out += [Timed(end, Zone(ball, mouth.pocket), 0.0, at) for mouth in near]
    return out


def places(engine: Engine, cast: Cast) -> dict[Ball, tuple[float, float]]:
    """Where the balls lie now, m; balls that left the table are missing."""
    return {
        ball: (body.x, body.y)
        for ball, body in zip(cast.balls, _balls(engine.bodies, len(cast.balls)), strict=True)
        if body.phase is not Phase.GONE
    }


def _balls(bodies: Sequence[Body], count: int) -> Sequence[Body]:
    return bodies[:count]
