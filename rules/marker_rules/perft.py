"""Exhaustive counts of five-pins rulings over short stories, as chess engines count positions.

A story: K contacts of balls and one topple for each listed pin, in every order. The cue ball moves first; a contact
needs at least one moving ball and sets both moving; a pin is toppled by any ball that moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from marker_rules.balls import Ball, GameId, Pin, Player
from marker_rules.errors import IllegalInput
from marker_rules.facts import Contact, Fact, Strike, Topple
from marker_rules.five_pins.judge import judge
from marker_rules.five_pins.state import FivePinsState
from marker_rules.options import Options
from marker_rules.shot import Shot

MAX_CONTACTS = 6
PAIRS = ((Ball.CUE, Ball.OPPONENT), (Ball.CUE, Ball.RED), (Ball.OPPONENT, Ball.RED))
FIRST: tuple[Fact, ...] = (Strike(Ball.CUE),)
LIMIT = 1000  # no count may be changed by the end of a game


def stories(contacts: int, pins: Sequence[Pin]) -> Iterator[tuple[Fact, ...]]:
    """Every story, each once. contacts: 0..6; pins: distinct."""
    if not 0 <= contacts <= MAX_CONTACTS:
        raise IllegalInput(f"contacts: {contacts} is not from 0 to {MAX_CONTACTS}", code="contacts")
    if len(set(pins)) < len(pins):
        raise IllegalInput(f"pins: {','.join(pins)} names a pin twice", code="pins")
    return _stories(FIRST, contacts, tuple(pins), (Ball.CUE,))


def _stories(
    facts: tuple[Fact, ...], contacts: int, pins: tuple[Pin, ...], moving: tuple[Ball, ...]
) -> Iterator[tuple[Fact, ...]]:
    if not contacts and not pins:
        yield facts
        return
    if contacts:
        for pair in PAIRS:
            if pair[0] in moving or pair[1] in moving:
                now = tuple(dict.fromkeys((*moving, *pair)))
                yield from _stories((*facts, Contact((pair,))), contacts - 1, pins, now)
    for pin in pins:
        left = tuple(other for other in pins if other is not pin)
        for ball in moving:
            yield from _stories((*facts, Topple((pin,), ball)), contacts, left, moving)


def count(contacts: int, pins: Sequence[Pin], options: Options | None = None) -> dict[str, object]:
    """One row: `contacts`, `pins`, `strokes`, `by_ruling` (short ruling -> number of stories)."""
    rules = options or Options(GameId.FIVE_PINS)
    before = FivePinsState(striker=Player.A, limit=LIMIT, options=rules)
    found = Counter(judge(Shot(facts), before, rules).short for facts in stories(contacts, pins))
    return {
        "contacts": contacts,
        "pins": [pin.value for pin in pins],
        "strokes": found.total(),
        "by_ruling": dict(sorted(found.items())),
    }
