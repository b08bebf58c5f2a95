"""The `before` of a scenario file as a state, and a ruling in the words of its `expect`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, TypeVar

from marker_rules.balls import ALL_PINS, Pin, Player
from marker_rules.errors import IllegalInput
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.state import FivePinsState, Mode, Score
from marker_rules.options import Options

FIELDS = frozenset({"striker", "score", "limit", "mode", "pins", "frozen"})
W = TypeVar("W", bound=StrEnum)


def read_word(kind: type[W], value: object, field: str) -> W:
    """One word of an enum. Raises IllegalInput naming the field, the value and what is allowed."""
    found: W | None = _words(kind).get(value) if isinstance(value, str) else None
    if found is None:
        raise IllegalInput(f"{field}: {value!r} is not one of {', '.join(kind)}", code=field)
    return found


@cache
def _words(kind: type[StrEnum]) -> dict[str, Any]:
    return {word.value: word for word in kind}


def _whole(value: object, field: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise IllegalInput(f"{field}: {value!r} is not a whole number from {low} to {high}", code=field)
    return value


def _score(value: object, limit: int) -> Score:
    if not isinstance(value, Mapping) or value.keys() != {"A", "B"}:
        raise IllegalInput(f"score: {value!r} is not of the form {{A: points, B: points}}", code="score")
    return Score(_whole(value["A"], "score.A", 0, limit - 1), _whole(value["B"], "score.B", 0, limit - 1))


def read_pins(value: object) -> frozenset[Pin]:
    """The pins standing. Raises IllegalInput."""
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise IllegalInput(f"pins: {value!r} is not a list of pins", code="pins")
    return _pins(tuple(value))


@lru_cache(maxsize=512)
def _pins(value: tuple[str, ...]) -> frozenset[Pin]:
    pins = [read_word(Pin, name, "pins") for name in value]
    if len(set(pins)) < len(pins):
        raise IllegalInput(f"pins: {', '.join(pins)} names a pin twice", code="pins")
    return frozenset(pins)


def read_before(before: Mapping[str, Any], options: Options) -> FivePinsState:
    """A single stroke's state. `limit` falls back to the option points_limit. Raises IllegalInput naming the field."""
    if not before.keys() <= FIELDS:
        name = next(name for name in before if name not in FIELDS)
        raise IllegalInput(f"before.{name} is not known; there are {', '.join(sorted(FIELDS))}", code=str(name))
    limit = _whole(before.get("limit", options["points_limit"]), "limit", 1, 1_000_000)
    return FivePinsState(
        striker=read_word(Player, before.get("striker"), "striker"),
        limit=limit,
        score=_score(before.get("score", {"A": 0, "B": 0}), limit),
        mode=read_word(Mode, before.get("mode", Mode.NORMAL.value), "mode"),
        pins=read_pins(before["pins"]) if "pins" in before else ALL_PINS,
        options=options,
    )


def result(ruling: FivePinsRuling) -> dict[str, Any]:
    """The ruling in the field names of `expect`; `clauses` and `interpretations` beside them."""
    return {
        "points": ruling.points.words(),
        "components": [[component.name, component.points] for component in ruling.components],
        "score": ruling.score.words(),
        "ball_in_hand": ruling.ball_in_hand,
        "next": ruling.next.value if ruling.next else None,
        "respot": list(ruling.respot),
        "winner": ruling.winner.value if ruling.winner else None,
        "manual": ruling.manual,
        "short": ruling.short,
        "clauses": list(ruling.clauses),
        "interpretations": list(ruling.interpretations),
    }
