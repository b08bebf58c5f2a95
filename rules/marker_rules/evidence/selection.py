"""What a sheet selects beforehand: one world, row by row from the top, each row as likely as those above it make it.

An answer changes what is selected below it, never above it, unless nothing else is left there: a person who answers one
row finds the others as they were. What it makes of a row above is still said, by how likely that row is now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from marker_rules.evidence.observations import UNSEEN
from marker_rules.evidence.worlds import Spread, bits


class Selected(NamedTuple):
    """world: the one proposed. shares: for each question how likely its selected answer is, given everything, 0..1."""

    world: int
    shares: tuple[float, ...]


def answered(spread: Spread, given: Mapping[str, str]) -> dict[int, int]:
    """The answers by the place of their question: the worlds in which it has a meaning and that answer."""
    found = {}
    for at, feature in enumerate(spread.features):
        answer = given.get(feature.id, UNSEEN)
        if answer != UNSEEN:
            found[at] = sum(spread.choices[at].get(value, 0) for value in set(feature.read(answer)))
    return found


def select(spread: Spread, left: int, told: Mapping[int, int]) -> Selected:
    """The world to propose of those in `left`. told: the answers, see `answered`; they agree with a world of `left`."""
    full = left
    for at, mask in told.items():
        full &= mask | spread.blank[at]
    for mask in told.values():  # who answers a question speaks of a shot in which it has a meaning
        full = full & mask or full
    above = left
    shares = []
    for at, choices in enumerate(spread.choices):
        open_, blank = {value: part for value, mask in choices.items() if (part := full & mask)}, spread.blank[at]
        if not open_:
            shares.append(1.0)
            above = above & blank or full
            continue
        before = {value: part for value in open_ if (part := above & choices[value])} or open_
        best = max(before, key=lambda value: spread.weight(before[value]))
        shares.append(spread.weight(open_[best]) / sum([spread.weight(part) for part in open_.values()]))
        kept = choices[best] | (0 if at in told else blank)
        full &= kept
        above = above & kept or full
    return Selected(max(bits(full), key=lambda world: spread.weights[world]), tuple(shares))
