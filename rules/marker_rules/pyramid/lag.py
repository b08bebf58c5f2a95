"""The lag (clause 6): six ways to lose it, the late stroke, and who is nearer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from marker_rules.balls import Player
from marker_rules.errors import IllegalInput, shown


@dataclass(frozen=True, slots=True)
class LagBall:
    """What the ball of one player did. dist_mm: rest distance from the front cushion, None when not measured."""

    back_rail: int = 1  # touches of the back cushion
    front_rail: int = 0  # allowed on the way back
    dist_mm: float | None = None
    entered_other_side: bool = False
    long_rail: bool = False
    potted: bool = False
    jumped: bool = False
    late: bool = False  # struck after the opponent's ball had reached the back cushion


class LagResult(StrEnum):
    """Who won it, or that it is played again."""

    A = "A"
    B = "B"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True)
class LagRuling:
    """The result and the clauses it rests on; faults per player."""

    result: LagResult
    clauses: tuple[str, ...]
    faults: Mapping[Player, tuple[str, ...]] = field(default_factory=dict)
    interpretations: tuple[str, ...] = ()


# every way to lose a lag at once: its clause and the test on a ball
FAULTS: tuple[tuple[str, Callable[[LagBall], bool]], ...] = (
    ("RP-6.2.1", lambda ball: ball.entered_other_side),
    ("RP-6.2.2", lambda ball: ball.back_rail == 0),
    ("RP-6.2.3", lambda ball: ball.potted),
    ("RP-6.2.4", lambda ball: ball.jumped),
    ("RP-6.2.5", lambda ball: ball.long_rail),
    ("RP-6.2.6", lambda ball: ball.back_rail > 1),
    ("RP-6.4", lambda ball: ball.late),
)


def faults(ball: LagBall) -> tuple[str, ...]:
    """The clauses by which this ball loses the lag."""
    return tuple(clause for clause, lost in FAULTS if lost(ball))


def judge_lag(
    a: LagBall, b: LagBall, *, undecidable: bool = False, collided: bool = False, appeal_upheld: bool = False
) -> LagRuling:
    """Who wins the lag.

    undecidable: the referee cannot tell whose ball is nearer. collided: the balls met; appeal_upheld: an early stroke
    on purpose was found (RP-6.4b); both mean another try (AMB-27). Raises IllegalInput when a distance is missing.
    """
    by = {Player.A: faults(a), Player.B: faults(b)}
    cited = (*by[Player.A], *by[Player.B])
    if collided:
        return LagRuling(LagResult.REPLAY, ("RP-6.1",), by, ("AMB-27",))
    if appeal_upheld:
        return LagRuling(LagResult.REPLAY, (*cited, "RP-6.4b"), by, ("AMB-27",))
    if by[Player.A] and by[Player.B]:
        readings = ("AMB-27",) if "RP-6.4" in cited else ()
        return LagRuling(LagResult.REPLAY, (*cited, "RP-6.3"), by, readings)
    if cited:
        return LagRuling(LagResult.B if by[Player.A] else LagResult.A, cited, by)
    if undecidable:
        return LagRuling(LagResult.REPLAY, ("RP-6.3",), by)
    if a.dist_mm is None or b.dist_mm is None:
        missing = Player.A if a.dist_mm is None else Player.B
        raise IllegalInput(f"lag: dist_mm of {missing} is missing; measure it or say undecidable", code="dist_mm")
    if a.dist_mm == b.dist_mm:
        return LagRuling(LagResult.REPLAY, ("RP-6.3",), by)
    return LagRuling(LagResult.A if a.dist_mm < b.dist_mm else LagResult.B, ("RP-6.1",), by)


MAX_TOUCHES = 100  # of one cushion by one ball
MAX_MM = 10_000  # farther than any table is long
_FLAGS = ("entered_other_side", "long_rail", "potted", "jumped", "late")


def read_ball(name: str, given: Any) -> LagBall:
    """The ball of player `name` from a scenario. Raises IllegalInput naming the field."""
    if not isinstance(given, Mapping):
        raise IllegalInput(f"given.{name}: {shown(given)} is no lag ball", code=name)
    for key in given:
        if key not in (*_FLAGS, "back_rail", "front_rail", "dist_mm"):
            raise IllegalInput(f"given.{name}.{key}: no such field", code=str(key))
    for key in ("back_rail", "front_rail"):
        value = given.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_TOUCHES:
            raise IllegalInput(f"given.{name}.{key}: {shown(value)} is no number of touches", code=key)
    dist = given.get("dist_mm")
    if dist is not None and (isinstance(dist, bool) or not isinstance(dist, int | float) or not 0 <= dist <= MAX_MM):
        raise IllegalInput(f"given.{name}.dist_mm: {shown(dist)} is no distance in mm", code="dist_mm")
    for flag in _FLAGS:
        if not isinstance(given.get(flag, False), bool):
            raise IllegalInput(f"given.{name}.{flag}: {shown(given[flag])} is neither true nor false", code=flag)
    return LagBall(
        back_rail=given.get("back_rail", 1),
        front_rail=given.get("front_rail", 0),
        dist_mm=dist,
        **{flag: given.get(flag, False) for flag in _FLAGS},
    )
