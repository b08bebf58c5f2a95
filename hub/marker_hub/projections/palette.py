"""The palette of calls: the rules' own letters and words, and which of them are possible now."""

from __future__ import annotations

from functools import cache
from typing import Any

from marker_hub.table.state import Table
from marker_rules.catalogue import LANGUAGES, clauses

Json = dict[str, Any]

PLACED = frozenset({"opening", "hand"})

PYRAMID = (
    # code, who can make it, between strokes, during a stroke
    ("RP-10.3b", ("striker",), True, False),
    ("RP-10.3c", ("striker",), True, True),
    ("RP-12.2", ("striker",), False, True),
    ("RP-13", ("striker",), False, True),
    ("RP-14", ("striker",), False, True),
    ("RP-15.1", ("striker",), True, True),
    ("RP-16", ("striker",), False, True),
    ("RP-17.1", ("striker",), False, True),
    ("RP-20.2", ("striker",), False, True),
    ("RP-22.3a", ("striker",), False, True),
    ("RP-22.3b", ("striker",), False, True),
    ("RP-23.4", ("striker",), True, True),
    ("RP-25", ("waiting",), True, True),
    ("RP-26.1.13", ("striker",), True, True),
    ("RP-26.1.14", ("striker",), True, True),
    ("RP-31.2a", ("striker", "waiting"), True, True),
    ("RP-31.2b", ("striker", "waiting"), True, True),
)
"""Calls of pyramid in the order of the text."""


def palette(table: Table) -> list[Json]:
    """Every call of the game, with who can make it now and, where it is not possible, why."""
    match = table.match
    if match is None:
        return []
    stroke = table.run is not None and not table.run.idle
    if match.game_id.is_pyramid:
        return [_pyramid(row, stroke) for row in PYRAMID if row[0] in clauses("pyramid")]
    placed = match.due.mode in PLACED or bool(match.options["foot_always"])
    return [_five_pins(row, stroke, placed) for row in _letters()]


@cache
def _letters() -> tuple[Any, ...]:
    from marker_rules.five_pins.law import ERRORS

    return tuple(ERRORS)


def _five_pins(row: Any, stroke: bool, placed: bool) -> Json:
    clause = clauses("five-pins")[row.clause]
    possible, reason = True, ""
    if not stroke and not row.idle:
        possible, reason = False, "needs-stroke"
    elif row.placing and not placed:
        possible, reason = False, "needs-placing"
    words = clause.short or clause.call or dict.fromkeys(LANGUAGES, row.letter)
    return {
        "code": row.letter,
        "clause": row.clause,
        "letter": clause.letter,
        "word": clause.call or words,
        "short": words,
        "by": ["striker", "waiting"] if row.waiting else ["striker"],
        "possible": possible,
        "reason": reason,
        "args": ["cue", "opponent", "red"] if row.letter == "D" else [],
    }


def _pyramid(row: tuple[str, tuple[str, ...], bool, bool], stroke: bool) -> Json:
    code, by, idle, during = row
    clause = clauses("pyramid")[code]
    possible = during if stroke else idle
    words = clause.short or clause.call or dict.fromkeys(LANGUAGES, code)
    return {
        "code": code,
        "clause": code,
        "letter": clause.letter,
        "word": clause.call or words,
        "short": words,
        "by": list(by),
        "possible": possible,
        "reason": "" if possible else "needs-stroke" if during else "only-between-strokes",
        "args": [],
    }
