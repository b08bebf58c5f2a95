"""Which errors a stroke holds, from its facts and the referee's calls, and what they cost (FP-F.0a, FP-F.0d)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.five_pins.law import ERROR, RED_FIRST_FLAT, Law
from marker_rules.five_pins.offences import ERROR_OF, ERRORS, NOT_BESIDES_WRONG_BALL, ErrorRow
from marker_rules.five_pins.state import Mode
from marker_rules.five_pins.view import ShotView
from marker_rules.shot import Call

PLACED = frozenset({Mode.OPENING, Mode.HAND})  # the modes in which a ball is placed first (FP-F.M)


SHOWN = tuple(row for row in ERRORS if row.shown is not None)  # all there can be when nothing was called


@dataclass(frozen=True, slots=True)
class Error:
    """One error found: its row, and the facts that show it (empty: the referee's call or the absence of a fact)."""

    row: ErrorRow
    facts: tuple[int, ...] = ()


def split_calls(calls: Iterable[Call], striker: Player) -> tuple[frozenset[str], tuple[str, ...]]:
    """Letters called against the striker, and against the player who waits. Raises IllegalInput naming the call."""
    mine: set[str] = set()
    theirs: dict[str, None] = {}
    for call in calls:
        row = ERROR_OF.get(call.code)
        if row is None:
            raise IllegalInput(
                f"call '{call.code}' is not an error of five-pins; there are {', '.join(ERROR_OF)}", code="call"
            )
        if call.by is striker:
            mine.add(call.code)
        elif row.waiting:
            theirs[call.code] = None
        else:
            can = ", ".join(each.letter for each in ERRORS if each.waiting)
            raise IllegalInput(
                f"call '{call.code}' by {call.by}: the waiting player can only make {can}; call it against the striker",
                code="call",
            )
    return frozenset(mine), tuple(theirs)


def stroke_errors(view: ShotView, called: frozenset[str], mode: Mode, law: Law) -> list[Error]:
    """The lettered errors of a stroke, each once, in the order of the text."""
    found: list[Error] = []
    if not called and view.unsuspicious:
        return found
    for row in ERRORS if called else SHOWN:
        shown = row.shown(view) if row.shown is not None else None
        if shown is None:
            if row.letter not in called or (row.placing and mode not in PLACED and not law.foot_always):
                continue
            shown = ()
        if view.wrong and row.letter in NOT_BESIDES_WRONG_BALL:
            continue
        if row.letter == "G" and law.red_flat and found and any(error.row.letter == "B" for error in found):
            continue
        found.append(Error(row, shown))
    return found


def idle_errors(called: frozenset[str]) -> list[Error]:
    """The striker's errors between strokes (A30; error N also by FP-H.6). Raises IllegalInput for one that needs a stroke."""
    found = [Error(row) for row in ERRORS if row.letter in called]
    for error in found:
        if not error.row.idle:
            raise IllegalInput(
                f"call '{error.row.letter}' needs a stroke, and the facts hold none (no strike)", code="call"
            )
    return found


def costs(letters: Iterable[str], lean: bool, law: Law) -> list[tuple[str, int]]:
    """(component name, points) of the errors of one player in one stroke."""
    if not law.single:
        parts = [(f"foul.{letter}", RED_FIRST_FLAT if letter == "B" and law.red_flat else ERROR) for letter in letters]
        return [*parts, ("foul.lean", ERROR)] if lean else parts
    red, others = [], lean
    for letter in letters:
        if letter == "B":
            red.append(("foul.B", RED_FIRST_FLAT if law.red_flat else ERROR))
        else:
            others = True
    return [*red, ("foul.other", ERROR)] if others else red
