"""Scenarios: one worked example as plain data, judged and compared with what it expects.

Pure: reading files is the caller's. Each kind of scenario of each family of games is handled by a function of that
family, found by name in `HANDLERS`, so that a game adds its own without touching this module. A handler gets the raw
scenario and the language and returns the result in the field names of `expect`, with `clauses` and `explain`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, TypeAlias

from marker_rules.balls import GameId, Player
from marker_rules.catalogue import LANGUAGES
from marker_rules.errors import MAX_SHOWN, IllegalFact, IllegalInput, MalformedFact, RulesError, cut, shown
from marker_rules.facts import Fact
from marker_rules.notation import MAX_FACTS, parse_fact, parse_facts
from marker_rules.options import Options, family
from marker_rules.shot import Call, Shot, When

Raw: TypeAlias = Mapping[str, Any]
Handler: TypeAlias = Callable[[Raw, str], dict[str, Any]]

# (kind, family) -> module and function. Modules are imported when the first scenario of their kind comes.
HANDLERS: dict[tuple[str, str], tuple[str, str]] = {
    ("shot", "five-pins"): ("marker_rules.five_pins.scenarios", "shot"),
    ("placement", "five-pins"): ("marker_rules.five_pins.scenarios", "placement"),
    ("lag", "five-pins"): ("marker_rules.five_pins.scenarios", "lag"),
    ("match", "five-pins"): ("marker_rules.five_pins.scenarios", "match"),
    ("shot", "pyramid"): ("marker_rules.pyramid.scenarios", "shot"),
    ("lag", "pyramid"): ("marker_rules.pyramid.scenarios", "lag"),
    ("clock", "pyramid"): ("marker_rules.pyramid.scenarios", "clock"),
    ("evidence", "five-pins"): ("marker_rules.evidence.scenarios", "evidence"),
    ("evidence", "pyramid"): ("marker_rules.evidence.scenarios", "evidence"),
}
# What the referee may have decided, by family; in five-pins all he sees is a fact or a call.
DECISIONS = {"pyramid": ("marker_rules.pyramid.offences", "DECIDED")}
FAMILY_OF = {**{game.value: family(game) for game in GameId}, "pyramid": "pyramid"}
_ABOUT = frozenset({"id", "game", "kind", "title", "topic", "note", "notes", "source", "clauses", "depends_on"})
_JUDGED = frozenset({"options", "before", "facts", "calls", "referee", "given", "expect"})
_EVIDENCE = frozenset({"sensors", "observations", "answers", "gap"})
KEYS = _ABOUT | _JUDGED | _EVIDENCE
UNJUDGED = frozenset({"prose"})  # worked examples in words; typed tests carry their ids
AS_SET = frozenset({"respot", "violations", "credited", "options", "possible", "clauses"})
AS_MULTISET = frozenset({"components"})
_UNORDERED = AS_SET | AS_MULTISET
AT_MOST = frozenset({"questions_at_most"})  # the result may be better than expected


class ScenarioError(Exception):
    """A scenario that cannot be judged; `field` is where, in dotted form (`before.striker`)."""

    def __init__(self, field: str, message: str) -> None:
        field, message = _once(cut(field), _LONG_WORD.sub(lambda word: cut(word[0]), message))
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


_LONG_WORD = re.compile(rf"\S{{{MAX_SHOWN + 1},}}")
_PLACE = re.compile(r"[\w.\[\]-]+")


def _once(field: str, message: str) -> tuple[str, str]:
    """Place and message without the place said twice; the longer of two places for the same field stands."""
    place, colon, rest = message.partition(": ")
    if not colon or not _PLACE.fullmatch(place):
        return field, message
    if field == place or field.endswith(f".{place}"):
        return field, rest
    if place.startswith((f"{field}.", f"{field}[")) or place.endswith(f".{field}"):
        return cut(place), rest
    return field, message


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One field that is not as expected."""

    field: str
    expected: Any
    got: Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """ok: None where nothing was expected, or nothing can be judged (prose)."""

    id: str
    ok: bool | None
    result: dict[str, Any]
    mismatch: tuple[Mismatch, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The line that `marker adjudicate` prints, as plain data."""
        return {
            "id": self.id,
            "ok": self.ok,
            "result": self.result,
            "mismatch": [{"field": m.field, "expected": m.expected, "got": m.got} for m in self.mismatch],
        }


@cache
def _handler(kind: str, family: str) -> Handler:
    module, name = HANDLERS[kind, family]
    handler: Handler = getattr(import_module(module), name)
    return handler


def scenario_id(raw: object) -> str:
    """The id of a scenario that may be malformed, for an error message."""
    found = raw.get("id") if isinstance(raw, Mapping) else None
    return cut(found) if isinstance(found, str) and found else "(no id)"


def judge_scenario(raw: object, lang: str = "en") -> Outcome:
    """Judge one scenario. Raises ScenarioError where it is malformed."""
    if lang not in LANGUAGES:
        raise IllegalInput(f"language '{lang}' is not known; there are {', '.join(LANGUAGES)}", code="lang")
    if type(raw) is not dict and not isinstance(raw, Mapping):
        raise ScenarioError("scenario", f"expected a mapping, got {shown(raw)}")
    name = text_field(raw, "id")
    for key in raw:
        if key not in KEYS:
            raise ScenarioError(str(key), f"is not a field of a scenario; there are {', '.join(sorted(KEYS))}")
    kind, family = text_field(raw, "kind"), _family(raw)
    if kind in UNJUDGED:
        title = raw.get("title")
        return Outcome(name, None, {"clauses": [], "explain": title if isinstance(title, str) else ""})
    if (kind, family) not in HANDLERS:
        kinds = sorted({known for known, of in HANDLERS if of == family} | UNJUDGED)
        raise ScenarioError("kind", f"'{cut(kind)}' is not known for {family}; there are {', '.join(kinds)}")
    expect = map_field(raw, "expect")
    if raw.get("referee"):
        _check_decisions(map_field(raw, "referee"), family)
    try:
        result = _handler(kind, family)(raw, lang)
    except RulesError as problem:
        if problem.code != expect.get("error") or not problem.code:
            raise ScenarioError(_field_of(problem), problem.message) from problem
        result = {"error": problem.code, "clauses": [], "explain": problem.message}
    try:
        mismatch = compare(expect, result)
    except RecursionError as problem:
        raise ScenarioError("expect", "is nested too deeply") from problem
    return Outcome(name, not mismatch if expect else None, result, mismatch)


def _check_decisions(given: Raw, family: str) -> None:
    """Raises ScenarioError naming a decision that no rule of these games asks for."""
    known: frozenset[str] = frozenset()
    if family in DECISIONS:
        module, name = DECISIONS[family]
        known = getattr(import_module(module), name)
    for key in given:
        if key not in known:
            there = f"there are {', '.join(sorted(known))}" if known else f"{family} knows none: write facts and calls"
            raise ScenarioError(f"referee.{key}", f"is not a decision of the referee; {there}")


def _field_of(problem: RulesError) -> str:
    if isinstance(problem, MalformedFact | IllegalFact):
        within = problem.within if isinstance(problem, MalformedFact) else "facts"
        return within if problem.position is None else f"{within}[{problem.position}]"
    return problem.code or "scenario"


def _family(raw: Raw) -> str:
    game = text_field(raw, "game")
    found = FAMILY_OF.get(game)
    if found is None:
        raise ScenarioError("game", f"'{cut(game)}' is not known; there are {', '.join(FAMILY_OF)}")
    return found


# --- comparing ------------------------------------------------------------------------------------------------------


def compare(expect: Raw, result: Mapping[str, Any]) -> tuple[Mismatch, ...]:
    """The expected fields that differ; only fields present in `expect` are looked at."""
    return tuple(
        Mismatch(field, expected, result.get(field))
        for field, expected in expect.items()
        if field not in result or not _agrees(field, expected, result[field])
    )


def _agrees(field: str, expected: Any, got: Any) -> bool:
    if field in AT_MOST:
        return isinstance(got, int) and isinstance(expected, int) and got <= expected
    if _same(expected, got):
        return True
    if field in _UNORDERED and isinstance(expected, list) and isinstance(got, list | tuple):
        wanted, found = Counter(map(_key, expected)), Counter(map(_key, got))
        return wanted == found if field in AS_MULTISET else wanted.keys() == found.keys()
    return False


def _same(expected: Any, got: Any) -> bool:
    """Equal as plain data: true and 1 differ, lists equal tuples, keys compare as text."""
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if expected == got:
        return True
    if isinstance(expected, dict) and isinstance(got, Mapping) and len(expected) == len(got):
        found = {str(key): value for key, value in got.items()}
        return all(str(key) in found and _same(value, found[str(key)]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(got, list | tuple) and len(expected) == len(got):
        return all(map(_same, expected, got))
    return False


def _key(value: Any) -> Any:
    """A hashable form of an item of an unordered list."""
    if isinstance(value, list | tuple):
        return tuple(map(_key, value))
    return repr(value) if isinstance(value, Mapping) else value


# --- reading fields, for handlers -------------------------------------------------------------------------------------


def text_field(raw: Raw, field: str) -> str:
    """A text that must be there and not empty."""
    value = raw.get(field)
    if not isinstance(value, str) or not value:
        problem = "is missing" if field not in raw else f"expected text, got {shown(value)}"
        raise ScenarioError(field, problem)
    return value


def map_field(raw: Raw, field: str) -> Raw:
    """A mapping; empty where the field is absent or null."""
    value = raw.get(field)
    if value is None:
        return {}
    if type(value) is not dict and not isinstance(value, Mapping):
        raise ScenarioError(field, f"expected a mapping, got {shown(value)}")
    return value


def list_field(raw: Raw, field: str) -> list[Any]:
    """A list; empty where the field is absent or null."""
    value = raw.get(field)
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise ScenarioError(field, f"expected a list, got {shown(value)}")
    return list(value)


@lru_cache(maxsize=256)
def _cached_options(game: GameId, given: tuple[tuple[str, Any], ...]) -> Options:
    return Options(game, dict(given))


def read_options(raw: Raw, game: GameId) -> Options:
    """The options of a scenario; the same value again for the same switches."""
    given = map_field(raw, "options")
    try:
        return _cached_options(game, tuple(given.items())) if given else _cached_options(game, ())
    except TypeError:  # a table as a value cannot be a key of the cache
        try:
            return Options(game, given)
        except IllegalInput as problem:
            raise ScenarioError(f"options.{problem.code}", problem.message) from problem
    except IllegalInput as problem:
        raise ScenarioError(f"options.{problem.code}", problem.message) from problem


@lru_cache(maxsize=4096)
def _cached_fact(text: str) -> Fact:
    return parse_fact(text)


def read_facts(raw: Raw) -> tuple[Fact, ...]:
    """The facts of a scenario. Raises MalformedFact with the position."""
    texts = list_field(raw, "facts")
    if len(texts) <= MAX_FACTS:
        try:
            return tuple([_cached_fact(text) for text in texts])
        except (MalformedFact, TypeError):
            pass  # read again without the cache, which knows no positions
    return parse_facts(texts)


_CALL_FIELDS = frozenset({"foul", "by", "when"})
_PLAYERS = {player.value: player for player in Player}
_WHENS = {when.value: when for when in When}


def read_calls(raw: Raw) -> tuple[Call, ...]:
    """What the referee called. Raises ScenarioError naming the call."""
    calls = []
    for index, entry in enumerate(list_field(raw, "calls")):
        where = f"calls[{index}]"
        if not isinstance(entry, dict) or not _CALL_FIELDS.issuperset(entry):
            raise ScenarioError(where, f"expected {{foul: CODE, by: A or B, when: ...}}, got {shown(entry)}")
        code, by, when = entry.get("foul"), entry.get("by"), entry.get("when", "during")
        if not isinstance(code, str) or not code:
            raise ScenarioError(f"{where}.foul", f"expected a code, got {shown(code)}")
        if not isinstance(by, str) or by not in _PLAYERS:
            raise ScenarioError(f"{where}.by", f"{shown(by)} is not one of A, B")
        if not isinstance(when, str) or when not in _WHENS:
            raise ScenarioError(f"{where}.when", f"{shown(when)} is not one of {', '.join(_WHENS)}")
        calls.append(Call(code, _PLAYERS[by], _WHENS[when]))
    return tuple(calls)


def read_shot(raw: Raw) -> Shot:
    """Facts, calls and the referee's decisions of a scenario."""
    decided = tuple((str(key), str(value)) for key, value in map_field(raw, "referee").items())
    return Shot(read_facts(raw), read_calls(raw) if raw.get("calls") else (), decided)
