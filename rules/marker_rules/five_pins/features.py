"""What decides a five-pins stroke, and every way it can have gone given what was sensed. No points are known here.

Four answers and the set of pins decide every ruling. The combinations are the ends of the automaton for every set of
pins that can have fallen; the witness of each is the shortest way there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from itertools import chain, combinations
from math import prod
from typing import Any

from marker_rules.balls import Ball, Pin
from marker_rules.evidence.likelihood import table
from marker_rules.evidence.observations import Channel, Evidence, Kind
from marker_rules.evidence.worlds import NONE, Feature, Shape, World
from marker_rules.facts import Contact, Fact, Shift, Strike, Topple
from marker_rules.five_pins import sensed, standing
from marker_rules.five_pins.automaton import Event, Item, ways
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.sensed import PINS, Layout, Reading
from marker_rules.five_pins.state import FivePinsState, Mode
from marker_rules.options import Options

FOUR = (
    Feature("Q1", ("opponent", "red", NONE)),
    Feature("Q2", ("nobody", "cue", "opponent")),
    Feature("Q3", ("no", "before", "after")),
    Feature("Q4", ("yes", "no")),
)
ORDERED_AT_MOST = 12  # observations of unsure order; of more the order is not used at all
STRIKE = Strike(Ball.CUE)


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
        return (Feature("QP", tuple(pin for pin in PINS if pin in before.pins), Shape.SET), *FOUR)

    def reading(self, evidence: Evidence, before: Layout, options: Options) -> Reading:
        """What of the evidence decides how the stroke can have gone."""
        return sensed.read(evidence, before, options)

    def worlds(self, reading: Reading, options: Options) -> tuple[World, ...]:
        """Every end of the automaton, for every set of pins that can have fallen."""
        if not reading.struck:  # what moved is put back, by nobody's fault unless called
            moved = tuple(Shift(pin) for pin in PINS if pin in reading.slid)
            return (World((), partial(_idle, moved), kind="idle"),)
        slid, after_red = reading.slid, options["carom_after_red_first"]
        counts = slid if options["shifted_counts"] else frozenset()
        displaced = () if counts else tuple(Shift(pin) for pin in PINS if pin in slid)
        worlds: list[World] = []
        maybe = reading.maybe
        for chosen in _subsets(maybe):
            kept = [at for at in range(len(reading.events)) if at not in maybe or at in chosen]
            timed = {slot: pin for slot, at in enumerate(kept) if (pin := reading.events[at].pin) is not None}
            items = _items(reading, kept)
            for unreported in _subsets(reading.unknown):
                named = timed | {-1 - at: pin for at, pin in enumerate(unreported)}
                fell = frozenset(named.values())
                felled = ",".join([pin for pin in PINS if pin in fell]) or NONE
                number, centre, fit = len(fell), Pin.C in fell, _fit(reading, fell)
                counted = str(min(number, 3))
                for values, errors, story, length in ways(items, reading.unheard, len(unreported), after_red):
                    if not reading.called <= errors:
                        continue
                    worlds.append(
                        World(
                            (felled, *values),
                            partial(_facts, story, named, counts, displaced),
                            length,
                            kind=" ".join([*[value or "-" for value in values], counted]),
                            fit=fit,
                            alike=(values, number, centre, slid),
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

    def kind(self, before: FivePinsState, _options: Options) -> Hashable:
        """What of a state decides a ruling, the score apart."""
        return standing.kind(before)

    def lacking(self, before: FivePinsState, _options: Options) -> tuple[int, ...]:
        """The points both players lack to the limit."""
        return standing.lacking(before)

    def gain(self, ruling: FivePinsRuling) -> tuple[int, ...]:
        """The points of both players."""
        return ruling.points

    def stand_in(self, before: FivePinsState, lacking: tuple[int, ...], _options: Options) -> FivePinsState:
        """The state in which a stroke is sorted."""
        return standing.stand_in(before, lacking)


def _subsets(pins: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(combinations(pins, number) for number in range(len(pins) + 1))


def _items(reading: Reading, kept: list[int]) -> tuple[Item, ...]:
    """The events at these places as the automaton reads them; in doubt their order is left open."""
    masks = [sum([1 << i for i, of in enumerate(kept) if reading.order[at] >> of & 1]) for at in kept]
    if len(kept) > ORDERED_AT_MOST and any(mask != (1 << at) - 1 for at, mask in enumerate(masks)):
        masks = [0] * len(kept)
    events = [reading.events[at] for at in kept]
    return tuple(
        [
            Item(True, mask) if event.pin is not None else Item(False, mask, event.unsure, event.several)
            for event, mask in zip(events, masks, strict=True)
        ]
    )


def _idle(moved: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return moved


def _facts(
    story: tuple[Event, ...], named: dict[int, Pin], slid: frozenset[Pin], displaced: tuple[Fact, ...]
) -> tuple[Fact, ...]:
    """A story as facts; pins felled by the same ball in a row are one fact, those that slid are no falls."""
    facts: list[Fact] = [STRIKE]
    for ball, other, slot in story:
        if other is not None:
            facts.append(Contact(((ball, other),)))
            continue
        pin = named[slot]
        last = facts[-1]
        if pin in slid:
            facts.append(Shift(pin, ball))
        elif isinstance(last, Topple) and last.by is ball:
            facts[-1] = Topple((*last.pins, pin), ball)
        else:
            facts.append(Topple((pin,), ball))
    return (*facts, *displaced)


def _fit(reading: Reading, fell: frozenset[Pin]) -> float:
    """How well a set of pins explains what hint sensors of pins reported."""
    if not reading.hinted:
        return 1.0
    share = table().sensor
    factors: list[float] = []
    for pin, seen in reading.hinted:
        likely = share["pin_seen"] if pin in fell else share["pin_false"]
        factors.append(likely if seen else 1 - likely)
    return prod(sorted(factors))  # sorted: sets of pins that explain it equally well weigh the same to the last digit


MODEL = FivePinsModel()
