"""How well people play: candidates are tried without error, the best is played with the error of a hand.

Two numbers are the skill: how many candidates are seen (`tries`) and how far the aim is off (`aim_deg`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from marker_sim.physics.table import Place
from marker_sim.rng import Stream
from marker_sim.uniform import Launch

SPEED_ERROR = 0.05
OFFSET_ERROR = 0.04  # in radii
MISCUE = 0.5
CHALK = 0.45  # nobody aims nearer to the edge than so many radii


@dataclass(frozen=True, slots=True)
class Skill:
    """`tries`: candidates looked at (five-pins, pyramid); `aim_deg`: standard deviation of the direction, degrees."""

    name: str
    tries: int
    aim_deg: float
    pyramid_tries: int
    pyramid_aim_deg: float


PRESETS = {
    "beginner": Skill("beginner", 1, 1.0, 6, 0.6),
    "club": Skill("club", 10, 0.6, 12, 0.3),
    "strong": Skill("strong", 40, 0.3, 12, 0.15),
}


def with_error(launch: Launch, aim_deg: float, chance: Stream) -> Launch:
    """The launch as the hand really does it; the tip never leaves the face of the ball."""
    side = launch.side + chance.gauss(0.0, OFFSET_ERROR)
    top = launch.top + chance.gauss(0.0, OFFSET_ERROR)
    far = math.hypot(side, top)
    if far > MISCUE:
        side, top = side * MISCUE / far, top * MISCUE / far
    return replace(
        launch,
        direction=launch.direction + chance.gauss(0.0, math.radians(aim_deg)),
        speed=max(0.1, launch.speed * (1.0 + chance.gauss(0.0, SPEED_ERROR))),
        side=side,
        top=top,
    )


def scooped(launch: Launch, chance: Stream) -> Launch:
    """A tip that got under the ball: it flies."""
    return replace(launch, up=chance.uniform(0.8, 3.2))


def aimed(cue: Place, at: Place, offset: float) -> float:
    """Direction from `cue` past `at` by `offset` to the left, rad; straight at it where it is nearer than the offset."""
    dx, dy = at[0] - cue[0], at[1] - cue[1]
    distance = math.hypot(dx, dy)
    turn = math.asin(max(-1.0, min(1.0, offset / distance))) if distance > 0.0 else 0.0
    return math.atan2(dy, dx) + turn


def mirrored(at: Place, wall: int, half_l: float, half_w: float) -> Place:
    """The image of `at` behind one of the four cushions, for a ball of no size."""
    x, y = at
    return ((2 * half_l - x, y), (-2 * half_l - x, y), (x, 2 * half_w - y), (x, -2 * half_w - y))[wall]


def five_pins_candidate(cue: Place, target: Place, edges: tuple[float, float], r: float, chance: Stream) -> Launch:
    """A shot at the opponent's ball: four in five straight, one in five off a cushion."""
    offset = chance.uniform(-0.95, 0.95) * 2.0 * r
    at = target if chance.chance(0.8) else mirrored(target, chance.below(4), edges[0] - r, edges[1] - r)
    side, top = chance.uniform(-0.3, 0.3), chance.uniform(-0.3, 0.3)
    return Launch(0, chance.uniform(0.8, 5.0), aimed(cue, at, offset), side, top)
