"""Every way a five-pins stroke can go, as a small automaton: balls that move meet balls and fell pins.

Its state holds no more than four answers need: first ball, who reached red, whether the cue ball felled a pin, whether
the opponent's ball was touched. Evidence is a partly ordered list of clicks and pins the automaton must read; a channel
that may miss something lets it take steps that nothing reported. No points are known here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from marker_rules.balls import Ball
from marker_rules.evidence.worlds import NONE

PATTERNS = 1024  # lists of observations whose ends are kept, about 6 kB each

BALLS = CUE, OPPONENT, RED = Ball.CUE, Ball.OPPONENT, Ball.RED


class Ways(NamedTuple):
    """State of the automaton. first: ball the cue ball met first. touched: it met the opponent's ball.

    red: who reached red first after that. own: when the cue ball felled a pin, `before` if at any time before `touched`.
    """

    opponent_moves: bool = False
    red_moves: bool = False
    first: str = NONE
    touched: bool = False
    red: str = "nobody"
    own: str = "no"

    def values(self, carom_after_red: bool) -> tuple[str | None, ...]:
        """The answers to Q1, Q2, Q3, Q4; Q2 has no meaning where no carom can count (A36)."""
        carom = self.touched and (self.first != "red" or carom_after_red)
        return self.first, self.red if carom else None, self.own, "yes" if self.touched else "no"

    def errors(self) -> frozenset[str]:
        """The lettered errors it shows: red first, pins before the opponent's ball, opponent's ball not touched."""
        shown = {"B": self.first == "red", "V": self.own == "before" and self.touched, "G": not self.touched}
        return frozenset(letter for letter, seen in shown.items() if seen)


class Event(NamedTuple):
    """`ball` met `other`, or felled the pin of place `slot` in the list (of the unreported ones: below 0)."""

    ball: Ball
    other: Ball | None
    slot: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """One observation the automaton must read, after all the items in the bit set `after`.

    may_be_none: it may be nothing. may_be_more: it may be several in one.
    """

    pin: bool
    after: int
    may_be_none: bool = False
    may_be_more: bool = False


class Told(NamedTuple):
    """One end of the automaton: the answers it gives, the errors it shows, the shortest story that leads to it.

    length: of the story, with pins felled by one ball in a row as one.
    """

    values: tuple[str | None, ...]
    errors: frozenset[str]
    story: tuple[Event, ...]
    length: int


def _contacts(w: Ways) -> Iterator[tuple[Event, Ways]]:
    """Every meeting of two balls of which at least one moves; the cue ball always does."""
    yield (
        Event(CUE, OPPONENT),
        w._replace(opponent_moves=True, touched=True, first="opponent" if w.first == NONE else w.first),
    )
    reached = w.touched and w.red == "nobody"
    yield (
        Event(CUE, RED),
        w._replace(red_moves=True, first="red" if w.first == NONE else w.first, red="cue" if reached else w.red),
    )
    if w.opponent_moves or w.red_moves:
        meeting = Event(OPPONENT, RED) if w.opponent_moves else Event(RED, OPPONENT)
        yield meeting, w._replace(opponent_moves=True, red_moves=True, red="opponent" if reached else w.red)


def _falls(w: Ways) -> Iterator[tuple[Ball, Ways]]:
    """A pin felled by each ball that moves."""
    if w.opponent_moves:
        yield OPPONENT, w
    if w.red_moves:
        yield RED, w
    own = "before" if not w.touched or w.own == "before" else "after"
    yield CUE, w._replace(own=own)


class _Table:
    """The whole automaton in numbers: for each state what may happen, and the state after it."""

    __slots__ = ("contacts", "falls", "states")

    def __init__(self) -> None:
        numbers = {Ways(): 0}
        self.states = [Ways()]
        self.contacts: list[tuple[tuple[Event, int], ...]] = []
        self.falls: list[tuple[tuple[Ball, int], ...]] = []

        def number(w: Ways) -> int:
            if w not in numbers:
                numbers[w] = len(self.states)
                self.states.append(w)
            return numbers[w]

        for w in self.states:  # grows while it is walked
            self.contacts.append(tuple((event, number(to)) for event, to in _contacts(w)))
            self.falls.append(tuple((ball, number(to)) for ball, to in _falls(w)))


TABLE = _Table()


@lru_cache(maxsize=PATTERNS)
def ways(items: tuple[Item, ...], unheard: bool, unreported: int, carom_after_red: bool) -> tuple[Told, ...]:
    """The ends of the automaton with different answers, each with its shortest story.

    unheard: balls may meet without a click. unreported: so many pins fell, nobody knows when.
    """
    contacts, falls, width, rows = TABLE.contacts, TABLE.falls, len(TABLE.states), unreported + 1
    finish = ((1 << len(items)) - 1) * rows + unreported
    readable = _Readable(items)
    fall = {slot: {ball: Event(ball, None, slot) for ball in BALLS} for slot in range(-unreported, len(items))}
    came: dict[int, tuple[int, Event | None]] = {
        0: (-1, None)
    }  # a node: (items read, pins fallen, state) in one number
    queue = deque([0])
    ends: dict[tuple[str | None, ...], int] = {}
    while queue:
        node = queue.popleft()
        place, state = divmod(node, width)
        read, fell = divmod(place, rows)
        if place == finish:
            ends.setdefault(TABLE.states[state].values(carom_after_red), node)
        steps: list[tuple[Event | None, int]] = []
        for at, item in readable.after(read):
            done = ((read | 1 << at) * rows + fell) * width
            if item.may_be_none:
                steps.append((None, done + state))
            if item.pin:
                steps += [(fall[at][ball], done + to) for ball, to in falls[state]]
                continue
            for event, to in contacts[state]:
                steps.append((event, done + to))
                if item.may_be_more:
                    steps.append((event, place * width + to))
        if unheard:
            steps += [(event, place * width + to) for event, to in contacts[state]]
        if fell < unreported:
            steps += [(fall[-1 - fell][ball], (place + 1) * width + to) for ball, to in falls[state]]
        for step, following in steps:
            if following not in came:
                came[following] = (node, step)
                (queue.append if step else queue.appendleft)(following)
    return tuple([_told(TABLE.states[node % width], values, _story(came, node)) for values, node in ends.items()])


def _told(way: Ways, values: tuple[str | None, ...], story: tuple[Event, ...]) -> Told:
    joined = sum(
        first.other is None and second.other is None and first.ball is second.ball for first, second in pairwise(story)
    )
    return Told(values, way.errors(), story, len(story) - joined)


class _Readable:
    """Which items may be read next; of two that are alike, the first only."""

    __slots__ = ("_found", "_items", "_twins")

    def __init__(self, items: tuple[Item, ...]) -> None:
        self._items = items
        self._twins = [
            (item.pin, _followers(items, at), item.may_be_none, item.may_be_more) for at, item in enumerate(items)
        ]
        self._found: dict[int, list[tuple[int, Item]]] = {}

    def after(self, read: int) -> list[tuple[int, Item]]:
        """The items that may follow the bit set `read`."""
        found = self._found.get(read)
        if found is None:
            tried = set()
            found = []
            for at, item in enumerate(self._items):
                if read >> at & 1 or item.after & ~read or self._twins[at] in tried:
                    continue
                tried.add(self._twins[at])
                found.append((at, item))
            self._found[read] = found
        return found


def _followers(items: tuple[Item, ...], at: int) -> int:
    """The items that come after item `at` for certain."""
    return sum(1 << other for other, item in enumerate(items) if item.after >> at & 1)


def _story(came: dict[int, tuple[int, Event | None]], node: int) -> tuple[Event, ...]:
    events: list[Event] = []
    while node:
        node, step = came[node]
        if step is not None:
            events.append(step)
    return tuple(reversed(events))
