"""Which strokes a score cannot tell apart: the stand-in of a state, by which rulings are sorted once for all scores.

A ruling depends on the score in one way only: whether its points bring a player to the limit (FP-2.2, FP-2.3). So a
stroke is judged with both players far from the limit, and again with those one point away who reach it by what they got.
Two strokes whose rulings differ there differ in every score in which the same players reach the limit, and only there.
"""

from __future__ import annotations

from collections.abc import Hashable

from marker_rules.evidence.worlds import FAR
from marker_rules.five_pins.state import FivePinsState, Score

LIMIT = 10_000


def kind(before: FivePinsState) -> Hashable:
    """What of a state decides a ruling, the score apart."""
    return before.striker, before.mode, before.pins, before.phase


def lacking(before: FivePinsState) -> tuple[int, int]:
    """The points both players lack to the limit, 0..FAR: no stroke brings more than 16 made and 2 for each of 16 errors."""
    limit, (a, b) = before.limit, before.score
    return max(0, min(FAR, limit - a)), max(0, min(FAR, limit - b))


def stand_in(before: FivePinsState, left: tuple[int, ...]) -> FivePinsState:
    """The same stroke in a game in which both players lack so many points to the limit."""
    a, b = left
    return FivePinsState(
        striker=before.striker,
        limit=LIMIT,
        score=Score(LIMIT - a, LIMIT - b),
        mode=before.mode,
        pins=before.pins,
        phase=before.phase,
    )
