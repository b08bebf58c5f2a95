"""The four push buttons of a table: contacts that bounce, read through the shift register; level 0 is pressed."""

from __future__ import annotations

from enum import StrEnum

from marker_hardware import pinmap
from marker_sim.rng import Stream
from marker_sim.sensors.inputs import SHIFT_FIRST, Edge

BOUNCE_US = (300, 6_000)
MOST_EDGES = 8
HELD_US = (80_000, 300_000)  # far from the second that means something else
LASTS_US = HELD_US[1] + 2 * BOUNCE_US[1]


class Button(StrEnum):
    """Their names in the pin map."""

    YES = "BTN_YES"
    NO = "BTN_NO"
    STILL = "BTN_STILL"
    UNDO = "BTN_UNDO"


def press(button: Button, at_us: int, chance: Stream) -> list[Edge]:
    """One short press at `at_us`: down, up, and what the contact does besides."""
    channel = SHIFT_FIRST + pinmap.load().shift.bits.index(button)
    up_us = at_us + round(chance.uniform(*HELD_US))
    return [*_bounce(channel, at_us, 0, chance), *_bounce(channel, up_us, 1, chance)]


def _bounce(channel: int, at_us: int, level: int, chance: Stream) -> list[Edge]:
    """From the other level to `level` in 1 to 7 edges within 0.3 to 6 ms."""
    more = chance.below(MOST_EDGES // 2)
    span = chance.uniform(*BOUNCE_US)
    times = sorted(round(chance.uniform(1.0, span)) for _ in range(2 * more))
    return [Edge(at_us + us, channel, level ^ (at & 1)) for at, us in enumerate([0, *times])]
