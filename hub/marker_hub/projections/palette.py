"""The palette of calls: the rules' own letters and words, and which of them are possible now."""

from __future__ import annotations

from functools import cache
from typing import Any

from marker_hub.projections.public import number
from marker_hub.table.state import Table
from marker_rules.catalogue import LANGUAGES, clauses

Json = dict[str, Any]

PLACED = frozenset({"opening", "hand"})
FROM_ROWS = frozenset({"B", "V", "G"})
"""Errors that follow from the answers (first ball, pins, opponent's ball); called besides they would count twice."""

PYRAMID = (
    "RP-10.3b", "RP-10.3c", "RP-12.2", "RP-13", "RP-14", "RP-15.1", "RP-16", "RP-17.1", "RP-20.2", "RP-22.3a", "RP-22.3b",
    "RP-23.4", "RP-24.1", "RP-24.2", "RP-25", "RP-26.1.13", "RP-26.1.14", "RP-31.2a", "RP-31.2b",
)  # fmt: skip
"""Calls of pyramid in the order of the text."""

REMARKS = frozenset({"RP-10.3b", "RP-23.4", "RP-31.2a", "RP-31.2b"})
"""Entries of the record, without a penalty: sent as the command `log`."""

WAITING = frozenset({"RP-25", "RP-31.2a", "RP-31.2b"})
"""Calls that can be made against the player who waits."""


def palette(table: Table) -> list[Json]:
    """Every call of the game, with who can make it now and, where it is not possible, why."""
    match = table.match
    if match is None:
        return []
    stroke = table.run is not None and not table.run.idle
    if match.game_id.is_pyramid:
        return [_pyramid(code, stroke) for code in PYRAMID]
    placed = match.due.mode in PLACED or bool(match.options["foot_always"])
    return [_five_pins(row, stroke, placed) for row in _letters() if row.letter not in FROM_ROWS]


@cache
def _letters() -> tuple[Any, ...]:
    from marker_rules.five_pins.offences import ERRORS

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
        "number": number(row.clause),
        "word": clause.call or words,
        "short": words,
        "by": ["striker", "waiting"] if row.waiting else ["striker"],
        "possible": possible,
        "reason": reason,
        "args": ["cue", "opponent", "red"] if row.letter == "D" else [],
    }


@cache
def _idle_calls() -> frozenset[str]:
    from marker_rules.pyramid.offences import FOULS

    return frozenset(code for code, row in FOULS.items() if row.idle) | REMARKS


def _pyramid(code: str, stroke: bool) -> Json:
    clause = clauses("pyramid")[code]
    possible = stroke or code in _idle_calls()
    call = clause.call
    words = clause.short or call or dict.fromkeys(LANGUAGES, code)
    both = code in REMARKS - {"RP-10.3b", "RP-23.4"}
    return {
        "code": code,
        "clause": code,
        "letter": None,
        "number": number(code),
        "word": call or words,
        "short": words,
        "by": ["striker", "waiting"] if both else ["waiting"] if code in WAITING else ["striker"],
        "possible": possible,
        "reason": "" if possible else "needs-stroke",
        "args": [],
        "log": code in REMARKS,
    }
