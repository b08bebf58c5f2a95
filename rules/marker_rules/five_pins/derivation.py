"""Why: the steps of a five-pins ruling, written from what was found. Nothing is decided here.

A step names its clause, a phrase of the catalogue and the facts it rests on. `READINGS` says on which of our readings a
phrase rests; a ruling cites them beside the clauses.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from marker_rules.balls import Ball
from marker_rules.five_pins.fouls import Error
from marker_rules.five_pins.law import CAROM, Law
from marker_rules.five_pins.scoring import FULL_LAYOUT, Worth
from marker_rules.five_pins.state import FivePinsState, Mode
from marker_rules.five_pins.view import ShotView
from marker_rules.ruling import Step

CUE, OPENING_MODE = Ball.CUE, Mode.OPENING
BOTH_OTHERS = frozenset({Ball.OPPONENT, Ball.RED})
step = lru_cache(maxsize=4096)(Step)  # the same few hundred steps come back in stroke after stroke

TURN_PASSES = Step("FP-2.5", "turn_passes")
BALL_IN_HAND = Step("FP-H.1a", "ball_in_hand")
NO_BALL_IN_HAND = Step("FP-H.1b", "no_ball_in_hand")
TO_OPPONENT = Step("FP-7.0", "credited_to_opponent")
ALL_TO_OPPONENT = Step("FP-7.5", "all_to_opponent")
ALL_POINTS_TO_OPPONENT = Step("FP-8.4", "all_points_to_opponent")
ALL_PINS_TO_OPPONENT = Step("FP-7.4", "all_pins_to_opponent")
SUM = Step("FP-8.3", "sum")
INCOMPLETE = Step("FP-T.7b", "incomplete")
OPENING = Step("FP-4.9", "opening")
FOOT_AT_OPENING = Step("FP-4.5", "foot_at_opening")
FOOT_FREE = Step("FP-F.M", "foot_free")
ADDED = Step("FP-F.0a", "added")
SINGLE = Step("FP-F.0a", "single")
VOID = Step("FP-C.6", "void")
RESET_FOR_OPPONENT = Step("FP-C.6", "reset_for_opponent")
WAITING_IGNORED = Step("FP-F.P", "waiting_ignored")
PUT_BACK = Step("FP-T.4b", "put_back")
GAME_WON = Step("FP-2.2", "game_won")
BOTH_REACH_LIMIT = Step("FP-P.3", "both_reach_limit")
REFEREE_DECIDES = Step("FP-P.3", "referee_decides")

# What an error cites beside its own clause: letter -> steps. Facts are those of the error.
BESIDES: dict[str, tuple[tuple[str, str], ...]] = {
    "A": (("FP-4.7", "own_ball_only"),),
    "G": (("FP-7.1", "not_touched"),),
    "ZH": (("FP-2.6", "tip_only"),),
    "D": (("FP-J.1", "jumped"), ("FP-J.2", "jumped_once")),
}
OFF_CLAUSE = {Ball.CUE: "FP-J.3a", Ball.OPPONENT: "FP-J.3c", Ball.RED: "FP-J.3d"}

# The readings a step rests on, by its phrase; of an error by its clause.
READINGS: dict[str, tuple[str, ...]] = {
    "FP-F.A": ("A31",),
    "FP-F.B": ("A03", "A36"),
    "FP-F.V": ("A05",),
    "FP-F.G": ("A05", "A09"),
    "FP-F.D": ("A11", "A12"),
    "FP-F.E": ("A43",),
    "FP-F.I": ("A30",),
    "FP-F.K": ("A30",),
    "FP-F.L": ("A25",),
    "FP-F.M": ("A37",),
    "FP-F.N": ("A30", "A33"),
    "FP-F.O": ("A10",),
    "FP-F.P": ("A42",),
    "added": ("A04",),
    "all_pins_to_opponent": ("A25",),
    "all_to_opponent": ("A35",),
    "ball_in_hand": ("A47",),
    "bevuto_extra": ("A02",),
    "both_reach_limit": ("A44",),
    "both_touched_red": ("A08",),
    "centre": ("A07",),
    "centre_alone": ("A06", "A07"),
    "centre_incomplete": ("A06",),
    "credited_to_opponent": ("A01",),
    "first_carom": ("A08",),
    "foot_free": ("A37",),
    "free": ("A28",),
    "game_won": ("A32",),
    "hop_after": ("A10",),
    "hop_clipped": ("A10",),
    "interference": ("A49",),
    "lean_away": ("A26",),
    "lean_later": ("A26",),
    "lean_other": ("A26",),
    "no_ball_in_hand": ("A02",),
    "no_carom_after_red": ("A36",),
    "opening": ("A39",),
    "own_pins": ("A02",),
    "pass": ("A10",),
    "red_and_pins": ("A08",),
    "referee_decides": ("A35",),
    "reset_for_opponent": ("A24",),
    "same_instant": ("A38",),
    "shift": ("A27",),
    "shift_counts": ("A27",),
    "single": ("A04",),
    "turn_passes": ("A50",),
    "void": ("A24",),
    "waiting_erred": ("A29",),
    "waiting_ignored": ("A29",),
    "wrong_ball_struck": ("A31",),
}


def readings(steps: Iterable[Step]) -> tuple[str, ...]:
    """Our readings that a ruling with these steps rests on, each once."""
    found: dict[str, None] = {}
    for each in steps:
        text = each.text
        for name in READINGS.get(each.clause if text == "error" else text, ()):
            found[name] = None
    return tuple(found)


def contact_steps(steps: list[Step], view: ShotView, carom: bool, pins: bool, legal: bool) -> None:
    """After a correct contact: which of the legal strokes of clause 5 or 6 this was."""
    at = (view.opponent_at,)
    if view.same_instant:
        steps += (step("FP-8.2a", "same_instant", (), at), step("FP-F.B", "not_red_first", (), at))
    if view.both_touched:
        steps.append(step("FP-5.5", "both_touched_red", (), (view.carom_at,)))
    elif carom and pins:
        after = {ball for ball, at_pin in view.felled.values() if at_pin > view.carom_at}
        both = view.touched_red_again or after >= BOTH_OTHERS
        steps.append(step("FP-5.3" if both else "FP-5.2", "red_and_pins", (), (*at, view.carom_at)))
    elif carom:
        steps.append(step("FP-5.4" if view.carom == CAROM else "FP-5.6", "red_only", (), (*at, view.carom_at)))
    elif pins:
        steps.append(step("FP-5.1", "opponent_then_pins", (), at))
    elif legal:
        steps.append(step("FP-6.1", "nothing_made", (), at))


def made_steps(
    steps: list[Step], view: ShotView, before: FivePinsState, carom: tuple[Worth, ...], pins: tuple[Worth, ...]
) -> None:
    """What fell and what the carom was, part by part."""
    if view.felled:
        steps.append(step("FP-T.1", "pins_fell", (), tuple(dict.fromkeys([at for _, at in view.felled.values()]))))
        if view.chained:
            steps.append(step("FP-T.3", "chain", (), view.chained))
    if carom:
        part, at = carom[0], (view.carom_at,)
        steps.append(step(part.clause, part.phrase, (("points", part.points),), at))
        if view.touched_red_again or view.both_touched:
            steps.append(step("FP-8.2c", "first_carom", (), at))
    elif view.carom and not view.wrong:
        clause = "FP-8.2a" if view.carom == CAROM else "FP-8.2b"
        steps.append(step(clause, "no_carom_after_red", (), (view.carom_at,)))
    steps += [step(part.clause, part.phrase, (("points", part.points), ("n", part.count))) for part in pins]
    if pins and len(before.pins) < FULL_LAYOUT:
        steps.append(INCOMPLETE)
    if len(carom) + len(pins) > 1:
        steps.append(SUM)
    if before.mode is OPENING_MODE:
        steps.append(OPENING)


def own_pin_steps(steps: list[Step], view: ShotView, illegal: bool, extra: int) -> None:
    """The cue ball felled pins after a correct contact (FP-F.0b)."""
    steps.append(step("FP-F.0b", "own_pins", (), view.cue_after))
    if any(ball is not CUE for ball, _ in view.felled.values()):
        steps.append(ALL_PINS_TO_OPPONENT)
    steps.append(ALL_POINTS_TO_OPPONENT)
    if not illegal:
        steps.append(NO_BALL_IN_HAND)
    if extra:
        steps.append(step("FP-F.0c", "bevuto_extra", (("points", extra),)))


def error_steps(
    steps: list[Step], view: ShotView, errors: list[Error], law: Law, before: FivePinsState, cost: int, made: bool
) -> None:
    """Every error with what it cites, then what they cost together."""
    for error in errors:
        letter, facts = error.row.letter, error.facts
        steps.append(step(error.row.clause, "error", (), facts))
        for clause, phrase in BESIDES.get(letter, ()):
            steps.append(step(clause, phrase, (), facts))
        if letter == "A" and view.wrong_strike:
            steps.append(step("FP-7.3", "wrong_ball_struck", (), facts))
        elif letter == "B" and view.felled:
            steps.append(step("FP-7.2", "red_then_pins", (), facts))
        elif letter == "L" and view.moved:
            steps.append(step("FP-C.2" if view.cushion_first else "FP-C.1", "played_on_contact"))
        elif letter == "M" and before.mode is OPENING_MODE:
            steps.append(FOOT_AT_OPENING)
        elif letter == "D":
            for ball, at in zip(view.off, view.off_at, strict=True):
                steps.append(step(OFF_CLAUSE[ball], f"off_{ball}", (), (at,)))
    if view.lean_foul:
        steps.append(step("FP-T.6a", "lean_later", (), view.lean_foul))
    steps.append(step("FP-F.0d", "two_more", (("points", cost),)))
    if len(errors) + bool(view.lean_foul) > 1:
        steps.append(SINGLE if law.single else ADDED)
    if made:
        steps += (ALL_TO_OPPONENT, ALL_POINTS_TO_OPPONENT)


def noted_steps(steps: list[Step], view: ShotView) -> None:
    """What was seen and changed nothing, or only what must be put back."""
    steps += [step("FP-F.O", "hop_clipped", (), (at,)) for at in view.clipped]
    for clause, phrase, index in view.noted:
        steps.append(step(clause, phrase, (), (index,)))
        if clause == "FP-T.4a":
            steps.append(step("FP-T.4b", "put_back", (), (index,)))


def win_steps(steps: list[Step], limit: int, credited: int, points: int) -> None:
    """The game is won; `credited` is less than `points` where the score was cut."""
    steps += (step("FP-2.1", "limit", (("limit", limit),)), GAME_WON)
    if credited < points:
        steps.append(step("FP-2.3", "cut", (("credited", credited), ("points", points))))
