"""What the pins and the carom of a stroke are worth, whoever gets it (FP-8.1 to FP-8.3)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from marker_rules.balls import Pin
from marker_rules.five_pins.law import CAROM, CENTRE_PIN, RICOCHET, SIDE_PIN

FULL_LAYOUT = len(Pin)
CENTRE = Pin.C


@dataclass(frozen=True, slots=True)
class Worth:
    """One part of what was made: component name, points, the clause and phrase that say so."""

    name: str
    points: int
    clause: str
    phrase: str
    count: int = 1
    interpretations: tuple[str, ...] = ()


@cache
def _pins(centre: bool, side: int, full: bool, need_full: bool, alone: int) -> tuple[Worth, ...]:
    parts: list[Worth] = []
    if centre and side:
        parts.append(Worth("centre", CENTRE_PIN, "FP-8.1b", "centre", 1, ("A07",)))
    elif centre and (full or not need_full):
        parts.append(Worth("centre_alone", alone, "FP-8.1c", "centre_alone", 1, ("A06", "A07")))
    elif centre:
        parts.append(Worth("centre", CENTRE_PIN, "FP-8.1c", "centre_incomplete", 1, ("A06",)))
    if side:
        parts.append(Worth("side", SIDE_PIN * side, "FP-8.1a", "side", side))
    return tuple(parts)


def pins_worth(felled: Collection[Pin], standing: Collection[Pin], need_full: bool, alone: int) -> tuple[Worth, ...]:
    """felled: the pins that count, each once. standing: before the stroke. alone: value of the centre pin alone.

    'Alone' and 'full layout' are judged per stroke (A07): a pin that counts anywhere in it takes the centre's 8 away.
    """
    if not felled:
        return ()
    centre = CENTRE in felled
    return _pins(centre, len(felled) - centre, len(standing) == FULL_LAYOUT, need_full, alone)


CAROM_WORTH = Worth("carom", CAROM, "FP-8.2a", "carom")
RICOCHET_WORTH = Worth("ricochet", RICOCHET, "FP-8.2b", "ricochet")


def carom_worth(value: int) -> tuple[Worth, ...]:
    """value: 0, 4 or 3, from the first touch of red after the contact (FP-8.2c)."""
    if not value:
        return ()
    return (CAROM_WORTH,) if value == CAROM else (RICOCHET_WORTH,)
