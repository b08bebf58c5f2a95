"""Every way a shot can have gone, given its evidence: worlds, and the questions that tell them apart.

A game brings a `Model`: its decisive features, and for given evidence every combination of them that can have
happened, each with a witness, the shortest list of facts that realises it. What a combination is called, asked or
worth is not known here; `cases` has each judged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from marker_rules.balls import GameId
from marker_rules.evidence.kept import Kept
from marker_rules.evidence.likelihood import weights
from marker_rules.evidence.observations import UNSEEN, Channel, Evidence
from marker_rules.facts import Fact
from marker_rules.options import Options
from marker_rules.shot import Call

FAR = 99  # more than one shot can bring anybody
WORLDS = 10_000  # worlds kept at least, about a kilobyte each with what follows from them
SETS = 2048  # weights kept of sets of worlds
NONE = "none"  # nothing of a set, no ball
EITHER = "|"  # joins answers between which nothing depends: `red|none`


class Shape(StrEnum):
    """How an answer is given."""

    ONE = "one"  # one of at most three buttons
    SET = "set"  # a set, as `N,E`; one multi-select
    NUMBER = "number"  # how many; one selection


@dataclass(frozen=True, slots=True)
class Feature:
    """A question that a person at the table can answer.

    id: stable, documented (`Q1`). elements: the answers in their natural order, of a SET what it is made of.
    """

    id: str
    elements: tuple[str, ...] = ()
    shape: Shape = Shape.ONE

    def rank(self, value: str) -> tuple[int, ...]:
        """Where an answer stands among the others."""
        if self.shape is Shape.NUMBER:
            return (int(value),)
        places = [self.elements.index(part) for part in value.split(",") if part in self.elements]
        return len(places), *places

    def read(self, answer: str) -> tuple[str, ...]:
        """The values an answer stands for: `red|none` for two, a set in any order."""
        words = self._words(answer)
        if self.shape is not Shape.SET:
            return words
        return (",".join(part for part in self.elements if part in words) or NONE,)

    def strange(self, answer: str) -> str:
        """The first word of an answer that this question does not offer; empty where every word is offered."""
        words = self._words(answer)
        if self.shape is Shape.SET and words in ((NONE.upper(),), ("",)):
            return ""
        return next((word or answer for word in words if word not in self.elements), "")

    def _words(self, answer: str) -> tuple[str, ...]:
        if self.shape is Shape.SET:
            return tuple([word.strip().upper() for word in answer.split(",")])
        return tuple(answer.strip().lower().replace(" ", "-").split(EITHER))


class World(NamedTuple):
    """One combination of feature values (None: the question has no meaning in it) and its witness.

    tell: the witness as facts; length: how long a story that is. calls: offences that are part of this combination and
    have no fact of their own. kind: the row of the likelihood table it belongs to; fit: how well it explains hints, 0..1
    (only orders). alike: worlds that share it cannot differ in outcome, whatever evidence they come from (pins that are
    interchangeable), so that one of them is judged; None: it is judged by itself.
    """

    values: tuple[str | None, ...]
    tell: Callable[[], tuple[Fact, ...]]
    length: int = 0
    calls: tuple[Call, ...] = ()
    kind: str = ""
    fit: float = 1.0
    alike: Hashable = None

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The shortest list of facts that realises it."""
        return self.tell()


class Model(Protocol):
    """What a game tells the evidence engine.

    A reading is what of the evidence decides how a shot can have gone, and nothing else: equal readings have equal
    worlds. `kind`, `lacking` and `stand_in` do the same for states: rulings are sorted once in a stand-in, for all scores.
    """

    channels: tuple[Channel, ...]  # those it uses, least trustworthy first: that one yields when two contradict

    def view(self, before: Any) -> Any:
        """The part of a state that decides what can happen: layout and kind of shot, no score. Hashable."""
        ...

    def features(self, view: Any, options: Options) -> tuple[Feature, ...]:
        """The questions of this shot, in the order people find natural."""
        ...

    def reading(self, evidence: Evidence, view: Any, options: Options) -> Hashable:
        """What the believed observations and the calls leave open; enough to find worlds and features."""
        ...

    def worlds(self, reading: Any, options: Options) -> tuple[World, ...]:
        """Every combination that a reading leaves."""
        ...

    def hints(self, evidence: Evidence) -> tuple[str, ...]:
        """What the channels suggest without proving it, in the words of the likelihood table."""
        ...

    def kind(self, before: Any, options: Options) -> Hashable:
        """What of a state decides a ruling beside the world itself and how far the players are from the end."""
        ...

    def lacking(self, before: Any, options: Options) -> tuple[int, ...]:
        """What each player who can end the game now lacks to its end, 0..FAR; empty where a state stands for itself only."""
        ...

    def gain(self, ruling: Any) -> tuple[int, ...]:
        """What a ruling brings each of them; it ends the game where that is not less than what he lacks."""
        ...

    def stand_in(self, before: Any, lacking: tuple[int, ...], options: Options) -> Any:
        """A state of the same kind in which each of them lacks so much: FAR, 1 or 0.

        Worlds have the same outcome in `before` if and only if they have it in their stand-ins: far from the end for those
        who do not reach it by the ruling, at its brink for those who do. The ruling in one word is the same in both.
        """
        ...


@cache
def model(game_id: GameId) -> Model:
    """The model of a game."""
    found: Model = import_module(f"marker_rules.{'pyramid' if game_id.is_pyramid else 'five_pins'}.features").MODEL
    return found


class Spread:
    """The worlds of one kind of evidence, as bit sets by feature and value; the same for every score. Equal to itself only.

    choices: for each feature its values, each with the bit set of its worlds. blank: the worlds in which it has no
    meaning. values, weights: by world.
    """

    __slots__ = ("_weighed", "all", "blank", "choices", "features", "values", "weights", "worlds")

    def __init__(self, features: tuple[Feature, ...], worlds: tuple[World, ...], weighed: tuple[float, ...]) -> None:
        self.features = features
        self.worlds = worlds
        self.weights = weighed
        self._weighed: dict[int, float] = {}
        self.values = tuple(world.values for world in worlds)
        self.all = (1 << len(worlds)) - 1
        found: list[dict[str, int]] = [{} for _ in features]
        for at, row in enumerate(self.values):
            for masks, value in zip(found, row, strict=True):
                if value is not None:
                    masks[value] = masks.get(value, 0) | 1 << at
        self.choices = tuple(
            dict(sorted(masks.items(), key=lambda item: feature.rank(item[0])))
            for feature, masks in zip(features, found, strict=True)
        )
        self.blank = tuple(self.all & ~sum(masks.values()) for masks in self.choices)

    def weight(self, left: int) -> float:
        """The weight of a bit set of worlds; each is added up once."""
        found = self._weighed.get(left)
        if found is None:
            if len(self._weighed) > SETS:
                self._weighed.clear()
            found = self._weighed[left] = sum([self.weights[at] for at in bits(left)])
        return found

    def agreeing(self, question: str, answer: str) -> int:
        """The worlds that agree with an answer; all of them where the question has no meaning here, or nobody saw."""
        for at, feature in enumerate(self.features):
            if feature.id == question and answer != UNSEEN:
                masks = self.choices[at]
                return self.blank[at] | sum(masks.get(value, 0) for value in set(feature.read(answer)))
        return self.all


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


SPREADS: Kept[tuple[Hashable, ...], Spread] = Kept(WORLDS)


def spread_of(evidence: Evidence, before: Any, options: Options) -> Spread:
    """The worlds that the evidence leaves in a state."""
    of_game = model(options.game)
    view = of_game.view(before)
    reading, hints = of_game.reading(evidence, view, options), of_game.hints(evidence)
    key = (reading, hints, options)
    found = SPREADS.get(key)
    if found is None:
        worlds = of_game.worlds(reading, options)
        weighed = weights(options.game, [(world.kind, world.fit) for world in worlds], hints)
        found = SPREADS.put(key, Spread(of_game.features(view, options), worlds, weighed), len(worlds))
    return found
