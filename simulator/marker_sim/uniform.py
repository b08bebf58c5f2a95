"""Shots without skill, drawn evenly: for timing statistics, invariants and speed. Not how people play."""

from __future__ import annotations

import math
from dataclasses import dataclass

from marker_hardware.pinmap import Profile
from marker_rules.balls import Pin
from marker_sim.physics.engine import Engine
from marker_sim.physics.table import Place, PlayTable, shipped
from marker_sim.rng import Stream

RACK_GAP_M = 50e-6
RACK_JITTER_M = 10e-6
ROWS = 5


@dataclass(frozen=True, slots=True)
class Launch:
    """How a ball is struck: index, speed m/s, direction rad, offsets in radii, `up` m/s of a raised cue."""

    ball: int
    speed: float
    direction: float
    side: float = 0.0
    top: float = 0.0
    up: float = 0.0

    def on(self, engine: Engine) -> None:
        """Strike so."""
        engine.strike(self.ball, self.speed, self.direction, self.side, self.top, self.up)


def anywhere(table: PlayTable, count: int, chance: Stream) -> list[Place]:
    """`count` balls that overlap neither each other nor a pin."""
    balls: list[Place] = []
    edge = table.boundary
    while len(balls) < count:
        place = (
            chance.uniform(-edge.half_l + table.ball_r, edge.half_l - table.ball_r),
            chance.uniform(-edge.half_w + table.ball_r, edge.half_w - table.ball_r),
        )
        if table.free(place, balls) and not table.covered(place):
            balls.append(place)
    return balls


def _launch(chance: Stream) -> Launch:
    return Launch(
        0,
        chance.uniform(0.5, 5.0),
        chance.uniform(-math.pi, math.pi),
        chance.uniform(-0.35, 0.35),
        chance.uniform(-0.35, 0.35),
    )


def five_pins(seed: int, number: int, *, check: bool = False) -> Engine:
    """Shot `number` of three balls somewhere, all pins standing; struck, not yet run."""
    table, chance = shipped(Profile.CAROM5), Stream(seed, "uniform", "five-pins", number)
    engine = table.engine(anywhere(table, 3, chance), tuple(Pin), check=check, chance=chance)
    _launch(chance).on(engine)
    return engine


def pyramid(seed: int, number: int, *, balls: int = 9, check: bool = False) -> Engine:
    """Shot `number` of `balls` balls somewhere; struck, not yet run."""
    table, chance = shipped(Profile.PYRAMID), Stream(seed, "uniform", "pyramid", number)
    engine = table.engine(anywhere(table, balls, chance), check=check)
    _launch(chance).on(engine)
    return engine


def rack(table: PlayTable, chance: Stream) -> list[Place]:
    """The fifteen whites in a triangle, its tip on the rear spot, with the gaps of a real rack."""
    x, y = table.spots["rear"]
    apart = 2.0 * table.ball_r + RACK_GAP_M
    return [
        (
            x + row * apart * math.sqrt(3.0) / 2.0 + chance.gauss(0.0, RACK_JITTER_M),
            y + (place - row / 2.0) * apart + chance.gauss(0.0, RACK_JITTER_M),
        )
        for row in range(ROWS)
        for place in range(row + 1)
    ]


def opening(seed: int, number: int, *, check: bool = False) -> Engine:
    """Break `number`: sixteen balls, the cue ball from the house at the tip of the rack; struck, not yet run."""
    table, chance = shipped(Profile.PYRAMID), Stream(seed, "uniform", "break", number)
    cue = (table.spots["front"][0], chance.uniform(-0.3, 0.3))
    whites = rack(table, chance)
    engine = table.engine([cue, *whites], check=check)
    direction = math.atan2(whites[0][1] - cue[1], whites[0][0] - cue[0]) + chance.gauss(0.0, math.radians(0.6))
    Launch(0, chance.uniform(4.0, 8.0), direction).on(engine)
    return engine
