"""Facts as text and back: `format_fact(parse_fact(text)) == text` for every text in normal form.

The words are those of the scenario files. Parsing raises nothing but `MalformedFact`, which says which fact, which
word, and what was expected there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NoReturn, TypeVar

from marker_rules import facts as f
from marker_rules.balls import SIDE_POCKETS, Ball, Pin, Pocket, Rail
from marker_rules.errors import MalformedFact, cut

W = TypeVar("W", bound=StrEnum)

MAX_TEXT = 400  # characters of one fact; a note is the longest
MAX_FACTS = 400  # facts of one shot; a break of 16 balls has about 120


class _Words:
    """The words of one fact, taken from left to right."""

    __slots__ = ("at", "position", "text", "words")

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.words = text.split()
        self.at = 0

    def fail(self, token: str, expected: str) -> NoReturn:
        found = f"'{cut(token)}'" if token else "nothing"
        raise MalformedFact(
            f"fact {self.position + 1} '{cut(self.text)}': {found} where {expected} was expected",
            position=self.position,
            token=token,
            expected=expected,
        )

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self) -> str:
        word = self.peek()
        self.at += 1
        return word

    def one_of(self, kind: type[W], what: str) -> W:
        word = self.take()
        try:
            return kind(word)
        except ValueError:
            self.fail(word, f"{what} ({', '.join(kind)})")

    def ball(self) -> Ball:
        return self.one_of(Ball, "a ball")

    def pin(self) -> Pin:
        return self.one_of(Pin, "a pin")

    def rail(self) -> Rail:
        return self.one_of(Rail, "a cushion")

    def pocket(self) -> Pocket:
        return self.one_of(Pocket, "a pocket")

    def word(self, *allowed: str) -> str:
        found = self.take()
        if found not in allowed:
            self.fail(found, " or ".join(f"'{a}'" for a in allowed))
        return found

    def rest(self) -> str:
        words = self.words[self.at :]
        self.at = len(self.words)
        return " ".join(words)

    def end(self) -> None:
        if self.at < len(self.words):
            self.fail(self.peek(), "the end of the fact")


def _contact(w: _Words) -> f.Fact:
    pairs: list[tuple[Ball, Ball]] = []
    unmoved = False
    while True:
        first, second = w.ball(), w.ball()
        if first is second:
            w.fail(second, "another ball than the first (a ball cannot meet itself)")
        pairs.append((first, second))
        if w.peek() == "unmoved" and len(pairs) == 1:
            w.take()
            unmoved = True
        if w.peek() != "&" or unmoved:
            return f.Contact(tuple(pairs), unmoved)
        w.take()
        w.word("contact")


def _pins(w: _Words) -> tuple[Pin, ...]:
    token = w.take()
    pins: list[Pin] = []
    for name in token.split(","):
        try:
            pin = Pin(name)
        except ValueError:
            w.fail(token, f"pins out of {','.join(Pin)}, joined by commas")
        if pin in pins:
            w.fail(token, f"each pin once ({pin} stands twice)")
        pins.append(pin)
    return tuple(pins)


def _topple(w: _Words) -> f.Fact:
    pins = _pins(w)
    w.word("by")
    chain = w.peek() == "pin"
    if chain:
        w.take()
        w.word("of")
    return f.Topple(pins, w.ball(), chain)


def _shift(w: _Words) -> f.Fact:
    pin = w.pin()
    if not w.peek():
        return f.Shift(pin)
    w.word("by")
    return f.Shift(pin, w.ball())


def _lean(w: _Words) -> f.Fact:
    pin = w.pin()
    w.word("on")
    return f.Lean(pin, w.ball(), w.one_of(f.LeanHow, "how it fell"))


def _return(w: _Words) -> f.Fact:
    ball = w.ball()
    where = w.rest()
    if not where:
        w.fail("", "where it ran")
    return f.Return(ball, where)


def _jaw(w: _Words) -> f.Fact:
    ball, pocket = w.ball(), w.pocket()
    if pocket not in SIDE_POCKETS:
        w.fail(pocket, "a side pocket (ML, MR)")
    return f.Jaw(ball, pocket)


_READERS: dict[str, Callable[[_Words], f.Fact]] = {
    "strike": lambda w: f.Strike(w.ball()),
    "contact": _contact,
    "cushion": lambda w: f.Cushion(w.ball(), w.rail()),
    "topple": _topple,
    "restand": lambda w: f.Restand(w.pin()),
    "wobble": lambda w: f.Wobble(w.pin()),
    "shift": _shift,
    "free": lambda w: f.Free(w.pin()),
    "lean": _lean,
    "hop": lambda w: f.Hop(w.ball()),
    "pass": lambda w: f.Pass(w.ball()),
    "off": lambda w: f.Off(w.ball(), w.rest()),
    "return": _return,
    "support": lambda w: f.Support(w.ball()),
    "pot": lambda w: f.Pot(w.ball(), w.pocket()),
    "back": lambda w: f.Back(w.ball(), w.pocket()),
    "jaw": _jaw,
    "cross": lambda w: f.Cross(w.ball()),
    "zone": lambda w: f.Zone(w.ball(), w.pocket()),
    "frozen": lambda w: f.Frozen(w.ball(), w.rail()),
    "interference": lambda w: f.Interference(w.one_of(f.Disturbance, "what interfered")),
    "note": lambda w: f.Note(w.rest()),
}


def parse_fact(text: str, position: int = 0) -> f.Fact:
    """Read one fact. `position` (0-based) is only used in the error. Raises MalformedFact."""
    if not isinstance(text, str):
        raise MalformedFact(
            f"fact {position + 1}: expected text, got {type(text).__name__}", position=position, expected="text"
        )
    if len(text) > MAX_TEXT:
        raise MalformedFact(
            f"fact {position + 1}: {len(text)} characters, at most {MAX_TEXT} are read", position=position
        )
    words = _Words(text, position)
    verb = words.take()
    reader = _READERS.get(verb)
    if reader is None:
        words.fail(verb, f"one of {', '.join(_READERS)}")
    fact = reader(words)
    words.end()
    return fact


def parse_facts(texts: Iterable[str]) -> tuple[f.Fact, ...]:
    """Read the facts of one shot, in order. Raises MalformedFact with the position of the bad one."""
    read = tuple(parse_fact(text, i) for i, text in enumerate(texts))
    if len(read) > MAX_FACTS:
        raise MalformedFact(f"{len(read)} facts in one shot, at most {MAX_FACTS} are read", position=MAX_FACTS)
    return read


def _format_contact(c: f.Contact) -> str:
    text = " & ".join(f"contact {a} {b}" for a, b in c.pairs)
    return text + " unmoved" if c.unmoved else text


def format_fact(fact: f.Fact) -> str:
    """The fact in the notation; the inverse of `parse_fact`."""
    match fact:
        case f.Contact():
            return _format_contact(fact)
        case f.Topple(pins, by, chain):
            return f"topple {','.join(pins)} by {'pin of ' if chain else ''}{by}"
        case f.Shift(pin, by_ball):
            return f"shift {pin}" + (f" by {by_ball}" if by_ball else "")
        case f.Lean(pin, ball, how):
            return f"lean {pin} on {ball} {how}"
        case f.Off(ball, where) | f.Return(ball, where):
            verb = "off" if isinstance(fact, f.Off) else "return"
            return f"{verb} {ball}" + (f" {where}" if where else "")
        case f.Cushion(ball, rail) | f.Frozen(ball, rail):
            return f"{'cushion' if isinstance(fact, f.Cushion) else 'frozen'} {ball} {rail}"
        case f.Pot(ball, pocket) | f.Back(ball, pocket) | f.Jaw(ball, pocket) | f.Zone(ball, pocket):
            return f"{type(fact).__name__.lower()} {ball} {pocket}"
        case f.Strike(ball) | f.Hop(ball) | f.Pass(ball) | f.Support(ball) | f.Cross(ball):
            return f"{type(fact).__name__.lower()} {ball}"
        case f.Restand(pin) | f.Wobble(pin) | f.Free(pin):
            return f"{type(fact).__name__.lower()} {pin}"
        case f.Interference(kind):
            return f"interference {kind}"
        case f.Note(text):
            return f"note {text}" if text else "note"
