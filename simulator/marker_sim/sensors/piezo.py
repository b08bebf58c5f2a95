"""Cushion and click piezos: how a hit becomes a comparator pulse.

Amplitude A = k J exp(-loss d) with J = m (1 + e) v; comparator latency by amplitude; the peak hold keeps the output high
for 10.3 ms ln(hold / VTH) and a little more. The figures are those of the front-end simulation; no real disc has been measured.
What is particular to a disc (gain, frequency, ring-down, polarity, how much of a neighbour it feels) is drawn once a table.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from marker_hardware import calibration
from marker_sim.rng import Stream
from marker_sim.sensors.inputs import Edge

GAIN_V_PER_NS = 3.6
BALL_KG = 0.210
RESTITUTION = 0.85
LOSS_PER_M = 1.2  # along rail wood
USUAL_DISTANCE_M = 0.7  # where the player does not say where the ball met the rail
HOLD_RATIO = 0.84
CLIP_V = 2.86
EACH_HIT = 0.1  # a hit differs from the disc's constant by up to so much
FLOOR_NOISE_V = 0.020
ADC_MV = 3300.0
ADC_STEPS = 1023
READ_AFTER_MS = 0.3
# (amplitude V, latency us) of the comparator, rising amplitude
LATENCY = ((0.2, 71.0), (0.35, 43.0), (0.5, 34.0), (1.0, 22.0), (2.0, 16.0), (5.0, 9.0), (20.0, 6.0), (60.0, 5.0))


@dataclass(frozen=True, slots=True)
class Disc:
    """Constants of one disc: gain as a factor, resonance kHz, ring-down ms, wave speed m/s, share of late first half-waves."""

    gain: float = 1.0
    khz: float = 3.0
    ring_ms: float = 4.0
    wave_m_per_s: float = 1500.0
    late_half: float = 0.5
    loss_per_m: float = LOSS_PER_M

    @staticmethod
    def drawn(chance: Stream, *, slate: bool = False) -> Disc:
        """A disc as one may be; under the slate waves are dispersive and less damped than in wood."""
        return Disc(
            chance.uniform(0.9, 1.1),
            chance.uniform(1.5, 6.0),
            chance.uniform(2.0, 10.0),
            chance.uniform(300.0, 3000.0) if slate else chance.uniform(500.0, 3500.0),
            0.5,
            0.4 if slate else LOSS_PER_M,
        )


USUAL = Disc()


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that shook a disc: time, speed of approach (m/s), distance to the disc (m), source factor (1 = ball on this rail)."""

    t_us: float
    speed: float
    distance_m: float = USUAL_DISTANCE_M
    source: float = 1.0
    mass_kg: float = BALL_KG


def amplitude_v(hit: Hit, disc: Disc = USUAL) -> float:
    """Peak voltage at the disc."""
    impulse = hit.mass_kg * (1.0 + RESTITUTION) * hit.speed
    return GAIN_V_PER_NS * disc.gain * impulse * math.exp(-disc.loss_per_m * hit.distance_m) * hit.source


def latency_us(volts: float) -> float:
    """Comparator latency for a burst of `volts`, linear between the simulated points."""
    volts = min(max(volts, LATENCY[0][0]), LATENCY[-1][0])
    index = max(1, bisect_left([point[0] for point in LATENCY], volts))
    (v0, l0), (v1, l1) = LATENCY[index - 1], LATENCY[index]
    return l0 + (l1 - l0) * (volts - v0) / (v1 - v0)


def pulse_ms(volts: float, vth_v: float, ring_ms: float = USUAL.ring_ms) -> float:
    """How long the comparator stays high."""
    hold = min(HOLD_RATIO * volts, CLIP_V)
    tau = calibration.load().piezo.adc.hold_tau_ms
    return tau * math.log(max(hold / vth_v, 1.0)) + ring_ms * math.log(max(1.0, volts / CLIP_V)) + 0.7


def read_mv(held_v: float, chance: Stream) -> int:
    """What the ADC reads of a held peak 0.3 ms after the edge: decay, noise floor, steps of 3.3 V / 1023, one step either way."""
    decayed = held_v * math.exp(-READ_AFTER_MS / calibration.load().piezo.adc.hold_tau_ms)
    volts = decayed + chance.gauss(0.0, FLOOR_NOISE_V)
    step = round(volts * 1000.0 / ADC_MV * ADC_STEPS) + chance.below(3) - 1
    return round(max(0, min(ADC_STEPS, step)) * ADC_MV / ADC_STEPS)


def edges(hits: Iterable[Hit], ch: int, vth_v: float, chance: Stream, disc: Disc = USUAL) -> list[Edge]:
    """The comparator edges of one disc for `hits`. A hit while the output is high gives no edge, it only lengthens the pulse."""
    out: list[Edge] = []
    high_until = -math.inf
    for hit in sorted(hits, key=lambda h: h.t_us):
        volts = amplitude_v(hit, disc) * chance.uniform(1.0 - EACH_HIT, 1.0 + EACH_HIT)
        held = min(HOLD_RATIO * volts, CLIP_V)
        late = 500.0 / disc.khz if chance.chance(disc.late_half) else 0.0  # the first half-wave was the negative one
        if held <= vth_v:
            continue
        rise = hit.t_us + hit.distance_m / disc.wave_m_per_s * 1e6 + latency_us(volts) + late
        fall = rise + pulse_ms(volts, vth_v, disc.ring_ms) * 1000.0
        if rise < high_until:
            if fall > high_until:
                out[-1] = Edge(int(fall), ch, 0)
                high_until = fall
            continue
        out.append(Edge(int(rise), ch, 1, read_mv(held, chance)))
        out.append(Edge(int(fall), ch, 0))
        high_until = fall
    return out
