"""What decides a five-pins stroke, and every way it can have gone given what was sensed. No points are known here.

Four answers and the set of pins decide every ruling. A stroke is told by a small automaton: balls that move meet balls
and fell pins; its state holds no more than those answers need. Evidence is a partly ordered list of clicks and pins the
automaton must read; a channel that may miss something lets it take steps that nothing reported. The combinations are
the states it can end in, and the witness of each is the shortest way there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from typing import Any, NamedTuple

from marker_rules.balls import Ball, Pin, Player
from marker_rules.evidence.likelihood import table
from marker_rules.evidence.observations import Channel, Evidence, Flag, Kind, Quality, surely_before
from marker_rules.evidence.worlds import NONE, Feature, Shape, World
from marker_rules.facts import Contact, Fact, Shift, Strike, Topple
from marker_rules.five_pins.state import FivePinsState, Mode
from marker_rules.options import Options
from marker_rules.shot import Call, When

FOUR = (
    Feature("Q1", ("opponent", "red", NONE)),
    Feature("Q2", ("nobody", "cue", "opponent")),
    Feature("Q3", ("no", "before", "after")),
    Feature("Q4", ("yes", "no")),
)
ORDERED_AT_MOST = 12  # observations of unsure order; of more the order is not used at all


class Layout(NamedTuple):
    """What of a state decides how a stroke can go."""

    striker: Player
    mode: Mode
    pins: frozenset[Pin]


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


def _contacts(w: Ways) -> Iterator[tuple[Event, Ways]]:
    """Every meeting of two balls of which at least one moves; the cue ball always does."""
    yield (
        Event(Ball.CUE, Ball.OPPONENT),
        w._replace(opponent_moves=True, touched=True, first="opponent" if w.first == NONE else w.first),
    )
    reached = w.touched and w.red == "nobody"
    yield (
        Event(Ball.CUE, Ball.RED),
        w._replace(red_moves=True, first="red" if w.first == NONE else w.first, red="cue" if reached else w.red),
    )
    if w.opponent_moves or w.red_moves:
        meeting = Event(Ball.OPPONENT, Ball.RED) if w.opponent_moves else Event(Ball.RED, Ball.OPPONENT)
        yield meeting, w._replace(opponent_moves=True, red_moves=True, red="opponent" if reached else w.red)


def _falls(w: Ways, slot: int) -> Iterator[tuple[Event, Ways]]:
    """A pin felled by each ball that moves."""
    if w.opponent_moves:
        yield Event(Ball.OPPONENT, None, slot), w
    if w.red_moves:
        yield Event(Ball.RED, None, slot), w
    own = "before" if not w.touched or w.own == "before" else "after"
    yield Event(Ball.CUE, None, slot), w._replace(own=own)


@lru_cache(maxsize=1024)
def ways(
    items: tuple[Item, ...], unheard: bool, unreported: int, carom_after_red: bool
) -> tuple[tuple[Ways, tuple[Event, ...]], ...]:
    """The ends of the automaton with different answers, each with its shortest story.

    unheard: balls may meet without a click. unreported: so many pins fell, nobody knows when.
    """
    everything = (1 << len(items)) - 1
    start = (0, 0, Ways())
    came: dict[tuple[int, int, Ways], tuple[tuple[int, int, Ways], Event | None] | None] = {start: None}
    queue = deque([start])
    ends: dict[tuple[str | None, ...], tuple[int, int, Ways]] = {}
    while queue:
        node = queue.popleft()
        read, fell, w = node
        if read == everything and fell == unreported:
            ends.setdefault(w.values(carom_after_red), node)
        for event, following in _steps(items, unheard, unreported, node):
            if following not in came:
                came[following] = (node, event)
                (queue.append if event else queue.appendleft)(following)
    return tuple((end[2], _story(came, end)) for end in ends.values())


def _steps(
    items: tuple[Item, ...], unheard: bool, unreported: int, node: tuple[int, int, Ways]
) -> Iterator[tuple[Event | None, tuple[int, int, Ways]]]:
    read, fell, w = node
    tried: set[Item] = set()
    for at, item in enumerate(items):
        if read >> at & 1 or item.after & ~read:
            continue
        twin = Item(item.pin, _followers(items, at), item.may_be_none, item.may_be_more)
        if twin in tried:  # reading the one or the other is the same
            continue
        tried.add(twin)
        done = read | 1 << at
        if item.may_be_none:
            yield None, (done, fell, w)
        for event, to in _falls(w, at) if item.pin else _contacts(w):
            yield event, (done, fell, to)
            if item.may_be_more and not item.pin:
                yield event, (read, fell, to)
    if unheard:
        for event, to in _contacts(w):
            yield event, (read, fell, to)
    if fell < unreported:
        for event, to in _falls(w, -1 - fell):
            yield event, (read, fell + 1, to)


def _followers(items: tuple[Item, ...], at: int) -> int:
    """The items that come after item `at` for certain."""
    return sum(1 << other for other, item in enumerate(items) if item.after >> at & 1)


def _story(came: Any, node: Any) -> tuple[Event, ...]:
    events: list[Event] = []
    while came[node] is not None:
        node, event = came[node]
        if event is not None:
            events.append(event)
    return tuple(reversed(events))


@dataclass(frozen=True, slots=True)
class Pins:
    """The pins of a stroke, with the place of the observation that tells of each.

    fell: for certain. maybe: then or not at all. unknown: perhaps, nobody knows when. slid: displaced only.
    """

    fell: dict[int, Pin]
    maybe: dict[int, Pin]
    unknown: tuple[Pin, ...]
    slid: frozenset[Pin]

    @property
    def open(self) -> frozenset[Pin]:
        """The pins that must be asked for."""
        return frozenset((*self.maybe.values(), *self.unknown))


def _pins(evidence: Evidence, before: Layout, options: Options) -> Pins:
    fell: dict[int, Pin] = {}
    maybe: dict[int, Pin] = {}
    unknown, slid = [], set()
    for pin in (pin for pin in Pin if pin in before.pins):
        trust = evidence.trust(Kind.PIN, pin)
        reports = enumerate(evidence.observations) if trust.reports else ()
        seen = {at: o for at, o in reports if o.kind is Kind.PIN and o.what == pin}
        toppled = {at: o for at, o in seen.items() if Flag.SLID not in o.flags}
        if seen and not toppled:
            slid.add(pin)
            toppled = seen if options["shifted_counts"] else {}
        certain = [at for at, o in toppled.items() if o.bounds[0]]
        if certain:
            fell[certain[0]] = pin
        elif toppled:
            maybe[min(toppled)] = pin
        elif not trust.silence and pin not in slid:
            unknown.append(pin)
    return Pins(fell, maybe, tuple(unknown), frozenset(slid))


def _items(evidence: Evidence, places: list[int]) -> tuple[Item, ...]:
    """The observations at these places as the automaton reads them; in doubt their order is left open."""
    seen = [(at, evidence.observations[at]) for at in places]
    masks = [
        sum(1 << i for i, (at, a) in enumerate(seen) if at != then and surely_before(a, b, listed=at < then))
        for then, b in seen
    ]
    if len(seen) > ORDERED_AT_MOST and any(mask != (1 << at) - 1 for at, mask in enumerate(masks)):
        masks = [0] * len(seen)
    items = []
    for (_, observation), mask in zip(seen, masks, strict=True):
        least, most = observation.bounds
        pin = observation.kind is Kind.PIN
        items.append(Item(pin, mask, least == 0 and not pin, most != 1 and not pin))
    return tuple(items)


def _subsets(pins: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(combinations(pins, number) for number in range(len(pins) + 1))


class FivePinsModel:
    """Q1 first ball, Q2 red reached by, Q3 own ball felled a pin, Q4 opponent's ball touched at all, QP the pins."""

    channels = (Channel.CLICKS, Channel.PINS)

    def view(self, before: FivePinsState) -> Layout:
        """Who strikes, how, and which pins stand."""
        return Layout(before.striker, before.mode, before.pins)

    def features(self, before: Layout, _options: Options) -> tuple[Feature, ...]:
        """None where nothing was struck."""
        if before.mode is Mode.IDLE:
            return ()
        return (Feature("QP", tuple(pin for pin in Pin if pin in before.pins), Shape.SET), *FOUR)

    def worlds(self, evidence: Evidence, before: Layout, options: Options) -> tuple[World, ...]:
        """Every end of the automaton, for every set of pins that can have fallen."""
        pins = _pins(evidence, before, options)
        if before.mode is Mode.IDLE:  # nothing was struck: what moved is put back, by nobody's fault unless called
            moved = pins.slid.union(pins.fell.values())
            return (World((), tuple(Shift(pin) for pin in Pin if pin in moved), kind="idle"),)
        heard = evidence.trust(Kind.CLICK)
        clicks = [at for at, o in enumerate(evidence.observations) if o.kind is Kind.CLICK and heard.reports]
        displaced = tuple(Shift(pin) for pin in Pin if pin in pins.slid and not options["shifted_counts"])
        after_red: bool = options["carom_after_red_first"]
        worlds: list[World] = []
        for maybe in _subsets(tuple(pins.maybe)):
            timed = pins.fell | {at: pins.maybe[at] for at in maybe}
            places = sorted([*clicks, *timed])
            items = _items(evidence, places)
            for unreported in _subsets(pins.unknown):
                named = {slot: timed[at] for slot, at in enumerate(places) if at in timed}
                named |= {-1 - at: pin for at, pin in enumerate(unreported)}
                fell = frozenset(named.values())
                felled = ",".join(pin for pin in Pin if pin in fell) or NONE
                number, fit = str(min(len(fell), 3)), _fit(evidence, pins.open, fell)
                for end, story in ways(items, not heard.silence, len(unreported), after_red):
                    if not _agrees(end, evidence.calls, before):
                        continue
                    values = end.values(after_red)
                    worlds.append(
                        World(
                            values=(felled, *values),
                            facts=(Strike(Ball.CUE), *_facts(story, named, pins.slid), *displaced),
                            kind=" ".join([*(value or "-" for value in values), number]),
                            fit=fit,
                            alike=(values, len(fell), Pin.C in fell),
                        )
                    )
        return tuple(worlds)

    def hints(self, evidence: Evidence) -> tuple[str, ...]:
        """How many clicks were heard, and whether a pin fell before the first of them."""
        clicks = evidence.hinted(Kind.CLICK)
        if clicks is None:
            return ()
        pins = evidence.hinted(Kind.PIN) or ()
        first = next((o.kind for o in evidence.observations if o in clicks or o in pins), None)
        order = (f"first={first}",) if first and clicks and pins else ()
        return (f"clicks={min(len(clicks), 3)}", *order)


def _agrees(end: Ways, calls: tuple[Call, ...], before: Layout) -> bool:
    """Whether an end shows the errors B, V and G that the referee called: these are seen, not chosen."""
    shown = {"B": end.first == "red", "V": end.own == "before" and end.touched, "G": not end.touched}
    mine = [call.code for call in calls if call.by is before.striker and call.when is not When.SITTING]
    return "A" in mine or all(shown.get(code, True) for code in mine)


def _facts(story: tuple[Event, ...], named: dict[int, Pin], slid: frozenset[Pin]) -> tuple[Fact, ...]:
    """A story as facts; pins felled by the same ball in a row are one fact."""
    facts: list[Fact] = []
    for ball, other, slot in story:
        if other is not None:
            facts.append(Contact(((ball, other),)))
            continue
        pin = named[slot]
        last = facts[-1] if facts else None
        if pin in slid:
            facts.append(Shift(pin, ball))
        elif isinstance(last, Topple) and last.by is ball:
            facts[-1] = Topple((*last.pins, pin), ball)
        else:
            facts.append(Topple((pin,), ball))
    return tuple(facts)


def _fit(evidence: Evidence, asked: frozenset[Pin], fell: frozenset[Pin]) -> float:
    """How well a set of pins explains what hint sensors of pins reported."""
    share, fit = table().sensor, 1.0
    for pin in asked:
        if evidence.quality_of(Kind.PIN, pin) not in (Quality.OK, Quality.HINT):
            continue
        seen = any(o.kind is Kind.PIN and o.what == pin for o in evidence.observations)
        likely = share["pin_seen"] if pin in fell else share["pin_false"]
        fit *= likely if seen else 1 - likely
    return fit


MODEL = FivePinsModel()
