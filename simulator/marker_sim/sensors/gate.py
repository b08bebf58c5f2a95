"""Pocket gates: two beams in the throat of the bag, sampled at 2 kHz through the shift register."""

from __future__ import annotations

import math
from dataclasses import dataclass

from marker_hardware import calibration
from marker_sim.physics.params import GRAVITY
from marker_sim.rng import Stream
from marker_sim.sensors.inputs import SHIFT_FIRST, Edge

SAMPLE_US = 500
FALL_M = (0.05, 0.10)  # from the slate to beam A
KEPT = 0.5  # of the speed into the pocket; the bag takes the rest
BESIDE = 0.6  # a ball passes up to so much of its radius beside the middle of the beam
RATTLE_P = 0.01  # the bag swings through beam A for a moment
RATTLE_MS = (0.5, 2.5)
QUEUE_US = 15_000  # the next ball is that far behind at least: it cannot be where this one is
MISS_MM = 1.0  # shorter chords than this are not seen


@dataclass(frozen=True, slots=True)
class Passage:
    """One ball through one gate: when beams A and B are interrupted and lit again, us."""

    a_dark: int
    a_lit: int
    b_dark: int
    b_lit: int


def passage(pot_us: float, speed: float, ball_r: float, chance: Stream) -> Passage:
    """The way of a ball that crossed the fall line at `pot_us` with `speed` m/s."""
    fall = chance.uniform(*FALL_M)
    inward = KEPT * speed
    v = math.sqrt(inward * inward + 2.0 * GRAVITY * fall)
    reach_s = min(0.15, max(0.02, math.sqrt(2.0 * fall / GRAVITY) * chance.uniform(0.6, 1.2)))
    chord = max(MISS_MM / 1000.0, 2.0 * ball_r * math.sqrt(1.0 - chance.uniform(0.0, BESIDE) ** 2))
    gap = calibration.load().gate.beam.gap_mm / 1000.0
    a = pot_us + reach_s * 1e6
    b = a + gap / v * 1e6
    dark = chord / v * 1e6
    return Passage(_sampled(a), _sampled(a + dark), _sampled(b), _sampled(b + dark))


def _sampled(us: float) -> int:
    """The sample that sees it."""
    return math.ceil(us / SAMPLE_US) * SAMPLE_US


def edges(gate: int, pots: list[tuple[float, float]], ball_r: float, chance: Stream) -> list[Edge]:
    """Edges of gate `gate` (0..5) for balls potted at (us, m/s) in time order; the bag lets one ball through after the other."""
    a_bit, b_bit = SHIFT_FIRST + 2 * gate, SHIFT_FIRST + 2 * gate + 1
    out: list[Edge] = []
    free_from = -math.inf
    for at, speed in pots:
        went = passage(at, speed, ball_r, chance)
        wait = max(0, _sampled(free_from + QUEUE_US - went.a_dark)) if free_from > -math.inf else 0
        out += [Edge(went.a_dark + wait, a_bit, 0), Edge(went.b_dark + wait, b_bit, 0)]
        out += [Edge(went.a_lit + wait, a_bit, 1), Edge(went.b_lit + wait, b_bit, 1)]
        free_from = went.b_lit + wait
        if chance.chance(RATTLE_P):
            shakes = free_from + 150_000
            out += [
                Edge(int(shakes), a_bit, 0),
                Edge(_sampled(shakes + chance.uniform(*RATTLE_MS) * 1000), a_bit, 1),
            ]
    return out
