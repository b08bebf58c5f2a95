"""The `before` of a scenario file as a state, and a ruling in the words of its `expect`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, TypeVar

from marker_rules.balls import ALL_PINS, Pin, Player
from marker_rules.errors import IllegalInput, shown
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.state import FivePinsState, Mode, Score
from marker_rules.options import Options
from marker_rules.ruling import Turn

FIELDS = frozenset({"striker", "score", "limit", "mode", "pins", "frozen"})
W = TypeVar("W", bound=StrEnum)


def read_word(kind: type[W], value: object, field: str) -> W:
    """One word of an enum. Raises IllegalInput naming the field, the value and what is allowed."""
    found: W | None = _words(kind).get(value) if isinstance(value, str) else None
    if found is None:
        raise IllegalInput(f"{field}: {shown(value)} is not one of {', '.join(kind)}", code=field)
    return found


@cache
def _words(kind: type[StrEnum]) -> dict[str, Any]:
    return {word.value: word for word in kind}


def _whole(value: object, field: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise IllegalInput(f"{field}: {shown(value)} is not a whole number from {low} to {high}", code=field)
    return value


def read_pins(value: object) -> frozenset[Pin]:
    """The pins standing. Raises IllegalInput."""
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise IllegalInput(f"pins: {shown(value)} is not a list of pins", code="pins")
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
        raise IllegalInput(f"before.{name}: is not known; there are {', '.join(sorted(FIELDS))}", code=str(name))
    score = before.get("score", _NO_SCORE)
    if not isinstance(score, Mapping) or score.keys() != {"A", "B"}:
        raise IllegalInput(f"score: {shown(score)} is not of the form {{A: points, B: points}}", code="score")
    pins = read_pins(before["pins"]) if "pins" in before else ALL_PINS
    given = (before.get("striker"), score["A"], score["B"], before.get("limit"), before.get("mode", "normal"))
    try:
        return _state(*given, pins, options)
    except TypeError:  # a value that cannot be a key of the cache is wrong, and is named without it
        return _state.__wrapped__(*given, pins, options)


_NO_SCORE = {"A": 0, "B": 0}


@lru_cache(maxsize=1024, typed=True)
def _state(
    striker: object, a: object, b: object, limit: object, mode: object, pins: frozenset[Pin], options: Options
) -> FivePinsState:
    """The same state again for the same words: the examples of a file mostly start alike."""
    most = _whole(options["points_limit"] if limit is None else limit, "limit", 1, 1_000_000)
    played = read_word(Mode, mode, "mode")
    if played is Mode.CONTACT_RESET and not options["contact_reset"]:
        raise IllegalInput(f"mode: '{played}' is switched off (contact_reset = false)", code="mode")
    return FivePinsState(
        striker=read_word(Player, striker, "striker"),
        limit=most,
        score=Score(_whole(a, "score.A", 0, most - 1), _whole(b, "score.B", 0, most - 1)),
        mode=played,
        pins=pins,
        options=options,
    )


_WORD: dict[object, str | None] = {None: None, **{word: word.value for word in (*Player, *Turn)}}


def result(ruling: FivePinsRuling) -> dict[str, Any]:
    """The ruling in the field names of `expect`; `clauses` and `interpretations` beside them."""
    return {
        "points": ruling.points.words(),
        "components": [[component.name, component.points] for component in ruling.components],
        "score": ruling.score.words(),
        "ball_in_hand": ruling.ball_in_hand,
        "next": _WORD[ruling.next],
        "respot": list(ruling.respot),
        "winner": _WORD[ruling.winner],
        "manual": ruling.manual,
        "short": ruling.short,
        "clauses": list(ruling.clauses),
        "interpretations": list(ruling.interpretations),
    }
