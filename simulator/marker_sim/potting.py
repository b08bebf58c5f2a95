"""Pyramid shots as a player sees them: lines of the ghost ball to the pockets, and safe shots off the cushions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from marker_rules.balls import Ball
from marker_sim.physics.boundary import Mouth
from marker_sim.physics.params import GRAVITY
from marker_sim.physics.table import Place, PlayTable
from marker_sim.players import aimed
from marker_sim.rng import Stream
from marker_sim.uniform import Launch

THIN = 0.35  # cosine of the thinnest cut that is looked at
FLAT = 0.9  # cosine of the flattest way into a mouth
WAYS = 400  # lines that are ranked at most


@dataclass(frozen=True, slots=True)
class Way:
    """`cue` sends `ball` along a straight line into a pocket. `ease`: the larger the easier; `ghost`: where the cue ball meets it."""

    cue: Ball
    ball: Ball
    ease: float
    ghost: Place
    mouth: Mouth
    run_m: float  # way of the object ball to the mouth
    cut: float  # rad


def ways(table: PlayTable, balls: Mapping[Ball, Place], cues: list[Ball]) -> list[Way]:
    """All lines that are not hopeless by themselves, easiest first; what stands in the way is not looked at."""
    found = []
    for name, at in balls.items():
        for mouth in table.boundary.mouths:
            dx, dy = mouth.mx - at[0], mouth.my - at[1]
            run = math.hypot(dx, dy)
            if run < 1e-6:
                continue
            ux, uy = dx / run, dy / run
            straight = -(ux * mouth.nx + uy * mouth.ny)
            if straight < FLAT:
                continue
            room = max(2e-4, 0.5 * (mouth.length * straight - 2.0 * table.ball_r))
            ghost = (at[0] - 2.0 * table.ball_r * ux, at[1] - 2.0 * table.ball_r * uy)
            for cue in cues:
                if cue is name or cue not in balls:
                    continue
                way = math.hypot(ghost[0] - balls[cue][0], ghost[1] - balls[cue][1])
                if way < 0.02:
                    continue
                cos_cut = ((ghost[0] - balls[cue][0]) * ux + (ghost[1] - balls[cue][1]) * uy) / way
                if cos_cut >= THIN:
                    ease = room * cos_cut / (way * run + 0.02)
                    found.append(Way(cue, name, ease, ghost, mouth, run, math.acos(min(1.0, cos_cut))))
    found.sort(key=lambda way: -way.ease)
    return found[:WAYS]


def clear(table: PlayTable, way: Way, balls: Mapping[Ball, Place]) -> bool:
    """Nothing stands in the way of either ball."""
    cue, at = balls[way.cue], balls[way.ball]
    lines = ((cue, way.ghost), (at, (way.mouth.mx, way.mouth.my)))
    others = [place for ball, place in balls.items() if ball not in (way.cue, way.ball)]
    return all(_distance(place, a, b) > 2.0 * table.ball_r for a, b in lines for place in others)


def _distance(p: Place, a: Place, b: Place) -> float:
    """From a point to a stretch."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    span = dx * dx + dy * dy
    t = max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / span)) if span > 0.0 else 0.0
    return math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)


def pot(table: PlayTable, way: Way, balls: Mapping[Ball, Place], index: int, chance: Stream) -> Launch:
    """Along the line, hard enough to arrive, with the sidespin that keeps the balls from throwing each other off the line."""
    cue = balls[way.cue]
    dx, dy = way.ghost[0] - cue[0], way.ghost[1] - cue[1]
    distance = math.hypot(dx, dy)
    cloth = table.params.cloth
    arrive = math.sqrt(2.0 * cloth.roll.v * GRAVITY * way.run_m) * 1.5 + chance.uniform(0.3, 1.2)
    speed = min(6.0, arrive / max(0.3, math.cos(way.cut)) + 0.25 * distance + 0.3)
    meets = math.sqrt(max((5.0 / 7.0 * speed) ** 2, speed**2 - 2.0 * cloth.slide.v * GRAVITY * distance))
    at = balls[way.ball]
    nx, ny = (at[0] - way.ghost[0]) / (2.0 * table.ball_r), (at[1] - way.ghost[1]) / (2.0 * table.ball_r)
    across = meets * (dy * nx - dx * ny) / distance  # speed of the cue ball along the tangent (-ny, nx)
    lost = math.copysign(cloth.spin.v * table.ball_r * distance / speed, across) if across else 0.0
    side = max(-0.45, min(0.45, (across + lost) / (2.5 * speed)))
    return Launch(index, speed, math.atan2(dy, dx), side, 0.0)


def safety(table: PlayTable, balls: Mapping[Ball, Place], cue: Ball, index: int, chance: Stream) -> Launch | None:
    """A thin hit at one of the nearest balls, fast enough for two cushions; None where no ball is left."""
    at = balls[cue]
    others = sorted((ball for ball in balls if ball is not cue), key=lambda b: math.dist(at, balls[b]))[:5]
    if not others:
        return None
    target = balls[chance.pick(others)]
    direction = aimed(at, target, chance.uniform(-0.9, 0.9) * 2.0 * table.ball_r)
    return Launch(index, chance.uniform(1.5, 4.5), direction, chance.uniform(-0.2, 0.2), chance.uniform(-0.2, 0.3))


def place_for(table: PlayTable, balls: Mapping[Ball, Place], inside: tuple[float, float], chance: Stream) -> Place:
    """A place for a cue ball in hand with x in `inside`: behind an easy line where one is free, else anywhere free."""
    for way in _from_behind(table, balls):
        back = chance.uniform(0.25, 0.6)
        ux, uy = (way[1][0] - way[0][0]), (way[1][1] - way[0][1])
        length = math.hypot(ux, uy)
        place = (way[0][0] - back * ux / length, way[0][1] - back * uy / length)
        if inside[0] <= place[0] <= inside[1] and table.free(place, balls.values()):
            return place
    while True:
        place = (chance.uniform(*inside), chance.uniform(-0.8, 0.8))
        if table.free(place, balls.values()):
            return place


def _from_behind(table: PlayTable, balls: Mapping[Ball, Place]) -> list[tuple[Place, Place]]:
    """(ball, mouth) pairs, easiest first."""
    found = []
    for at in balls.values():
        for mouth in table.boundary.mouths:
            run = math.hypot(mouth.mx - at[0], mouth.my - at[1])
            straight = -((mouth.mx - at[0]) * mouth.nx + (mouth.my - at[1]) * mouth.ny) / max(run, 1e-6)
            if straight >= FLAT:
                found.append((run / straight, at, (mouth.mx, mouth.my)))
    found.sort()
    return [(at, mouth) for _, at, mouth in found[:20]]
