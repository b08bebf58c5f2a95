"""The lettered errors of five-pins as a table: letter, clause, the facts that show it, who can make it and when.

The rulings walk these rows; the coverage page and the foul palette are made from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from marker_rules.five_pins.view import ShotView


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One lettered error.

    shown: facts that show it -> indices of those facts, None where they do not; no function = only the referee can tell.
    idle: can be made between strokes (A30). waiting: the player who waits can make it (A29).
    placing: exists only while a ball is placed and struck from hand (opening, ball in hand) unless foot_always.
    """

    letter: str
    clause: str
    shown: Callable[[ShotView], tuple[int, ...] | None] | None = None
    idle: bool = False
    waiting: bool = False
    placing: bool = False


def _wrong_ball(view: ShotView) -> tuple[int, ...] | None:
    return view.wrong_strike or None


def _red_first(view: ShotView) -> tuple[int, ...] | None:
    return (view.red_first,) if view.red_first >= 0 else None


def _pins_first(view: ShotView) -> tuple[int, ...] | None:
    return view.cue_before or None if view.opponent_at >= 0 else None


def _never_touched(view: ShotView) -> tuple[int, ...] | None:
    return () if view.opponent_at < 0 else None


def _ball_off(view: ShotView) -> tuple[int, ...] | None:
    return view.off_at or None


def _double_hit(view: ShotView) -> tuple[int, ...] | None:
    return view.strikes_again or None


def _hopped(view: ShotView) -> tuple[int, ...] | None:
    return view.hopped or None


def _touched(view: ShotView) -> tuple[int, ...] | None:
    return view.strikes_other or None


# In the order of the text. V needs a later contact and G none at all (A05, A09); besides A neither of B, V, G counts (A31).
ERRORS: tuple[ErrorRow, ...] = (
    ErrorRow("A", "FP-F.A", _wrong_ball),
    ErrorRow("B", "FP-F.B", _red_first),
    ErrorRow("V", "FP-F.V", _pins_first),
    ErrorRow("G", "FP-F.G", _never_touched),
    ErrorRow("D", "FP-F.D", _ball_off),
    ErrorRow("E", "FP-F.E"),
    ErrorRow("ZH", "FP-F.ZH"),
    ErrorRow("Z", "FP-F.Z", _double_hit),
    ErrorRow("I", "FP-F.I", idle=True, waiting=True),
    ErrorRow("K", "FP-F.K", idle=True, waiting=True),
    ErrorRow("L", "FP-F.L"),
    ErrorRow("M", "FP-F.M", placing=True),
    ErrorRow("N", "FP-F.N", idle=True),
    ErrorRow("O", "FP-F.O", _hopped),
    ErrorRow("P", "FP-F.P", _touched, idle=True, waiting=True),
    ErrorRow("R", "FP-F.R"),
)
ERROR_OF = {row.letter: row for row in ERRORS}
NOT_BESIDES_WRONG_BALL = frozenset("BVG")  # FP-F.A, A31
