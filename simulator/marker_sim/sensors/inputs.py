"""What a node's inputs see, already stamped in the board's clock (us). Sinks turn these into frames or records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

PIEZO_FIRST = 16  # channels of the virtual board: PZ1..PZ6, click
CLICK = 22
SHIFT_FIRST = 64  # shift-register bits 0..15
UNREAD = 0xFFFF


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A comparator or shift-register edge. `aux`: on a piezo rise the peak in mV (0xFFFF = never read)."""

    t_us: int
    ch: int
    level: int
    aux: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """One 100 Hz scan of the five Hall sensors: 15 values in uT; `answered`: bit i = sensor i answered."""

    t_us: int
    values: tuple[int, ...]
    answered: int = 0x1F


@dataclass(frozen=True, slots=True)
class Hold:
    """`n` more scans like the last one, 10 ms apart, the first at `t_us`. `frozen`: identical raw vectors, a dead sensor."""

    t_us: int
    n: int
    frozen: bool = False


Input: TypeAlias = Edge | Scan | Hold


PERIOD_US = 10_000  # of the scans in a held stretch


def split(inputs: list[Input], at_us: int) -> tuple[list[Input], list[Input]]:
    """What happens up to a moment, and what after it; a held stretch is cut there."""
    before: list[Input] = []
    after: list[Input] = []
    for item in inputs:
        if item.t_us > at_us:
            after.append(item)
            continue
        if isinstance(item, Hold) and item.t_us + (item.n - 1) * PERIOD_US > at_us:
            n = (at_us - item.t_us) // PERIOD_US + 1
            before.append(Hold(item.t_us, n, item.frozen))
            after.append(Hold(item.t_us + n * PERIOD_US, item.n - n, item.frozen))
        else:
            before.append(item)
    return before, after


def is_piezo(item: Input) -> bool:
    """Whether a rail or the click disc made this input."""
    return isinstance(item, Edge) and item.ch < SHIFT_FIRST
