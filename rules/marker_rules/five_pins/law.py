"""The law of five-pins as values: what pins, caroms and errors are worth, how long a break is, the switches as plain fields.

A value stands here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from marker_rules.options import Options

SIDE_PIN = 2  # FP-8.1a
CENTRE_PIN = 4  # FP-8.1b; also alone from an incomplete layout (FP-8.1c, A06)
CAROM = 4  # FP-8.2a: cue ball on the opponent's ball, then on red
RICOCHET = 3  # FP-8.2b: the opponent's ball on red
ERROR = 2  # FP-F.0d: each lettered error, once (FP-F.0a)
RED_FIRST_FLAT = 4  # FP-F.B with switch red_first = always_4
BREAK_S = 300  # FP-4.10a


@dataclass(frozen=True, slots=True)
class Law:
    """The switches of one Options value as plain fields, read once a match instead of once a shot."""

    bevuto_extra: int
    red_flat: bool
    single: bool
    centre_alone: int
    need_full: bool
    leaning_later: bool
    shifted_counts: bool
    waiting_counts: bool
    wrong_ball_pins: bool
    carom_after_red: bool
    foot_always: bool


@lru_cache(maxsize=64)
def law(options: Options) -> Law:
    """The switches that a stroke needs."""
    return Law(
        bevuto_extra=options["bevuto_extra"],
        red_flat=options["red_first"] == "always_4",
        single=options["stacking"] == "single_plus_red",
        centre_alone=options["centre_alone"],
        need_full=options["need_full"],
        leaning_later=options["leaning_pin"] == "later",
        shifted_counts=options["shifted_counts"],
        waiting_counts=options["waiting_player_errors"] == "count",
        wrong_ball_pins=options["wrong_ball_pins"],
        carom_after_red=options["carom_after_red_first"],
        foot_always=options["foot_always"],
    )
