"""Cushion and click piezos: how a hit becomes a comparator pulse.

Amplitude A = k J exp(-1.2 d) with J = m (1 + e) v; comparator latency by amplitude; the peak hold keeps the output high
for 10.3 ms ln(hold / VTH) and a little more. The figures are those of the front-end simulation; no real disc has been measured.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

from marker_sim.rng import Stream
from marker_sim.sensors.inputs import Edge

GAIN_V_PER_NS = 3.6
BALL_KG = 0.210
RESTITUTION = 0.85
LOSS_PER_M = 1.2
USUAL_DISTANCE_M = 0.7  # where the player does not say where the ball met the rail
WAVE_M_PER_S = 1500.0
HOLD_RATIO = 0.84
CLIP_V = 2.86
HOLD_TAU_MS = 10.3
RING_TAU_MS = 4.0
# (amplitude V, latency us) of the comparator, rising amplitude
LATENCY = ((0.2, 71.0), (0.35, 43.0), (0.5, 34.0), (1.0, 22.0), (2.0, 16.0), (5.0, 9.0), (20.0, 6.0), (60.0, 5.0))


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that shook a disc: time, speed of approach (m/s), distance to the disc (m), source factor (1 = ball on this rail)."""

    t_us: float
    speed: float
    distance_m: float = USUAL_DISTANCE_M
    source: float = 1.0


def amplitude_v(hit: Hit) -> float:
    """Peak voltage at the disc."""
    impulse = BALL_KG * (1.0 + RESTITUTION) * hit.speed
    return GAIN_V_PER_NS * impulse * math.exp(-LOSS_PER_M * hit.distance_m) * hit.source


def latency_us(volts: float) -> float:
    """Comparator latency for a burst of `volts`, linear between the simulated points."""
    volts = min(max(volts, LATENCY[0][0]), LATENCY[-1][0])
    index = max(1, bisect_left([point[0] for point in LATENCY], volts))
    (v0, l0), (v1, l1) = LATENCY[index - 1], LATENCY[index]
    return l0 + (l1 - l0) * (volts - v0) / (v1 - v0)


def pulse_ms(volts: float, vth_v: float) -> float:
    """How long the comparator stays high."""
    hold = min(HOLD_RATIO * volts, CLIP_V)
    return HOLD_TAU_MS * math.log(max(hold / vth_v, 1.0)) + RING_TAU_MS * math.log(max(1.0, volts / CLIP_V)) + 0.7


def edges(hits: list[Hit], ch: int, vth_v: float, chance: Stream) -> list[Edge]:
    """The comparator edges of one disc for `hits` in time order. A hit while the output is high gives no edge, it only lengthens the pulse."""
    out: list[Edge] = []
    high_until = -math.inf
    for hit in sorted(hits, key=lambda h: h.t_us):
        volts = amplitude_v(hit) * chance.uniform(0.9, 1.1)
        held = min(HOLD_RATIO * volts, CLIP_V)
        if held <= vth_v:
            continue
        negative_first = chance.chance(0.5)
        rise = hit.t_us + hit.distance_m / WAVE_M_PER_S * 1e6 + latency_us(volts) + (170.0 if negative_first else 0.0)
        fall = rise + pulse_ms(volts, vth_v) * 1000.0
        if rise < high_until:
            if fall > high_until:
                out[-1] = Edge(int(fall), ch, 0)
                high_until = fall
            continue
        out.append(Edge(int(rise), ch, 1, int(held * 1000)))
        out.append(Edge(int(fall), ch, 0))
        high_until = fall
    return out
