"""Every way a shot can have gone, given its evidence, and the ruling of each: one judge, no rule of its own.

A game brings a `Model`: its decisive features, and for given evidence every combination of them that can have
happened, each with a witness, the shortest list of facts that realises it. The ruling of a combination is
`rule(witness)` and nothing else. What a combination is called, asked or worth is not known here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from itertools import combinations
from typing import Any, Protocol

from marker_rules.balls import GameId
from marker_rules.errors import IllegalFact, IllegalInput
from marker_rules.evidence.likelihood import weights
from marker_rules.evidence.observations import CHANNEL_OF, PICK, UNSEEN, Channel, Evidence, Quality
from marker_rules.facts import Fact
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.ruling import Ruling
from marker_rules.shot import Call, Shot

SPREADS = 64  # kinds of evidence kept; without any sensor one is half a megabyte
CASES = 64  # shots kept
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
        words = answer.strip().lower().replace(" ", "-")
        if self.shape is not Shape.SET:
            return tuple(words.split(EITHER))
        named = {word.upper() for word in words.split(",")}
        return (",".join(part for part in self.elements if part in named) or NONE,)


@dataclass(frozen=True, slots=True)
class World:
    """One combination of feature values (None: the question has no meaning in it) and its witness.

    kind: the row of the likelihood table it belongs to; fit: how well it explains hints, 0..1 (only orders).
    calls: offences that are part of this combination and have no fact of their own.
    alike: worlds that share it cannot differ in outcome (pins that are interchangeable), so that one of them is judged.
    """

    values: tuple[str | None, ...]
    facts: tuple[Fact, ...]
    calls: tuple[Call, ...] = ()
    kind: str = ""
    fit: float = 1.0
    alike: Hashable = None


class Model(Protocol):
    """What a game tells the evidence engine."""

    channels: tuple[Channel, ...]  # those it uses, least trustworthy first: that one yields when two contradict

    def view(self, before: Any) -> Any:
        """The part of a state that decides what can happen: layout and kind of shot, no score. Hashable."""
        ...

    def features(self, view: Any, options: Options) -> tuple[Feature, ...]:
        """The questions of this shot, in the order people find natural."""
        ...

    def worlds(self, evidence: Evidence, view: Any, options: Options) -> tuple[World, ...]:
        """Every combination that the believed observations and the calls leave."""
        ...

    def hints(self, evidence: Evidence) -> tuple[str, ...]:
        """What the channels suggest without proving it, in the words of the likelihood table."""
        ...


def model(game_id: GameId) -> Model:
    """The model of a game."""
    found: Model = import_module(f"marker_rules.{'pyramid' if game_id.is_pyramid else 'five_pins'}.features").MODEL
    return found


@dataclass(frozen=True, slots=True)
class Possible:
    """One ruling that may be the true one. story: the shortest facts that lead to it; likelihood: 0..1 among all."""

    ruling: Ruling
    story: tuple[Fact, ...]
    worlds: int
    likelihood: float
    key: int = 0  # the number of the outcome in its case

    @property
    def short(self) -> str:
        """The ruling in one word."""
        return self.ruling.short


class Spread:
    """The worlds of one kind of evidence, as bit sets by feature and value; the same for every score. Equal to itself only.

    choices: for each feature its values, each with the bit set of its worlds. blank: the worlds in which it has no
    meaning. values, weights: by world.
    """

    __slots__ = ("all", "blank", "choices", "features", "values", "weights", "worlds")

    def __init__(self, features: tuple[Feature, ...], worlds: tuple[World, ...], weighed: tuple[float, ...]) -> None:
        self.features = features
        self.worlds = worlds
        self.weights = weighed
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
        """The weight of a bit set of worlds."""
        return sum(self.weights[at] for at in bits(left))

    def agreeing(self, question: str, answer: str) -> int:
        """The worlds that agree with an answer; all of them where the question has no meaning here, or nobody saw."""
        for at, feature in enumerate(self.features):
            if feature.id == question and answer != UNSEEN:
                masks = self.choices[at]
                return self.blank[at] | sum(masks.get(value, 0) for value in set(feature.read(answer)))
        return self.all


class Case:
    """One shot before any answer: its worlds and the ruling of each, made when it is needed.

    all: the bit set of the worlds that what the referee entered leaves. keys: the number of the outcome of each.
    conflict: channels that contradict others or the referee, and were therefore not believed.
    """

    __slots__ = ("_before", "_calls", "_facts", "_options", "_rulings", "all", "conflict", "keys", "spread")

    def __init__(
        self, spread: Spread, evidence: Evidence, before: Any, options: Options, conflict: tuple[Channel, ...]
    ) -> None:
        self.spread = spread
        self.conflict = conflict
        self._calls, self._facts = evidence.calls, evidence.facts
        self._before, self._options = before, options
        self._rulings: dict[int, Ruling] = {}
        self.all = spread.all
        self.keys = self._number()

    def _number(self) -> tuple[int, ...]:
        """For each world the number of its outcome; equal numbers need no question between them."""
        numbers: dict[Hashable, int] = {}
        known: dict[Hashable, int] = {}
        keys = []
        for at, world in enumerate(self.spread.worlds):
            alike = at if world.alike is None or self._facts else world.alike
            if alike not in known:
                try:
                    known[alike] = numbers.setdefault(outcome(self.ruling(at)), len(numbers))
                except IllegalFact:
                    if not self._facts:
                        raise
                    known[alike] = -1  # cannot be, with what the referee entered
            keys.append(known[alike])
            self.all &= ~(1 << at) if known[alike] < 0 else -1
        return tuple(keys)

    def ruling(self, at: int) -> Ruling:
        """The ruling of a world."""
        found = self._rulings.get(at)
        if found is None:
            world = self.spread.worlds[at]
            shot = Shot(world.facts + self._facts, self._calls + world.calls)
            found = self._rulings[at] = game(self._options.game).rule(shot, self._before, self._options)
        return found

    def after(self, answers: Iterable[tuple[str, str]]) -> int:
        """The bit set of the worlds that agree with the answers."""
        left = self.all
        for question, answer in answers:
            left &= self._picked(answer) if question == PICK else self.spread.agreeing(question, answer)
        return left

    def _picked(self, short: str) -> int:
        if short == UNSEEN:
            return self.all
        picked = {self.keys[at] for at, ruling in self._rulings.items() if ruling.short == short}
        return sum(self.having(key) for key in picked)

    def having(self, key: int) -> int:
        """The bit set of the worlds with an outcome, by its number."""
        return sum(1 << at for at, of in enumerate(self.keys) if of == key)

    def rulings_left(self, left: int) -> tuple[Possible, ...]:
        """The different outcomes of the worlds in `left`, likeliest first."""
        weighed, worlds = self.spread.weights, self.spread.worlds
        groups: dict[int, list[int]] = {}
        for at in bits(left):
            groups.setdefault(self.keys[at], []).append(at)
        total = self.spread.weight(left) or 1.0
        found = []
        for key, members in groups.items():
            best = max(members, key=lambda at: (weighed[at], -len(worlds[at].facts), -at))
            share = sum(weighed[at] for at in members) / total
            found.append(Possible(self.ruling(best), worlds[best].facts, len(members), share, key))
        return tuple(sorted(found, key=lambda p: (-p.likelihood, p.short)))


def outcome(ruling: Ruling) -> Hashable:
    """What a ruling changes in the score and for who plays on; its reasons and what must be put back are not in it.

    One word is not enough: where both players erred, or only the one who waits, a pyramid shot is `F` in either case.
    """
    standing = (getattr(ruling, "score", None), getattr(ruling, "shelf", None), getattr(ruling, "debt", None))
    return (ruling.short, ruling.next, ruling.winner, ruling.chooser, ruling.choices, ruling.manual, standing)


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@lru_cache(maxsize=SPREADS)
def _spread(evidence: Evidence, view: Any, options: Options) -> Spread:
    of_game = model(options.game)
    worlds = of_game.worlds(evidence, view, options)
    return Spread(
        of_game.features(view, options),
        worlds,
        weights(options.game, [(world.kind, world.fit) for world in worlds], of_game.hints(evidence)),
    )


@lru_cache(maxsize=CASES)
def _case(evidence: Evidence, before: Any, options: Options, doubted: tuple[Channel, ...]) -> Case:
    believed = _without(evidence, doubted)
    return Case(_spread(believed, model(options.game).view(before), options), believed, before, options, doubted)


def open_case(evidence: Evidence, before: Any, options: Options) -> tuple[Case, int]:
    """The case and the worlds that its answers leave, never none.

    Where channels contradict each other or the referee, the fewest and least trustworthy of them yield and are named in
    `conflict`: the referee's word enters the ruling. Raises IllegalInput when the answers contradict each other.
    """
    bare = replace(evidence, answers=())
    used = model(options.game).channels
    for number in range(len(used) + 1):
        for doubted in combinations(used, number):
            case = _case(bare, before, options, doubted)
            if left := case.after(evidence.answers):
                return case, left
    given = [f"{question}={answer}" for question, answer in evidence.answers]
    given += [f"call {call.code}" for call in evidence.calls]
    raise IllegalInput(
        f"no shot agrees with all that was entered ({', '.join(given) or 'facts'}); take one of them back",
        code="answers",
    )


def _without(evidence: Evidence, doubted: tuple[Channel, ...]) -> Evidence:
    """The same, with these channels and their single sensors as hints."""
    if not doubted:
        return evidence
    kinds = {kind for kind, channel in CHANNEL_OF.items() if channel in doubted}
    kept = tuple(
        (name, Quality.HINT if name in doubted and quality is Quality.OK else quality)
        for name, quality in evidence.quality
        if name in set(Channel) or name.partition(" ")[0] not in kinds
    )
    return replace(evidence, quality=kept)


def possible(evidence: Evidence, before: Any, options: Options) -> tuple[Possible, ...]:
    """Every ruling that the evidence leaves, likeliest first; the true one is among them, and there is always one."""
    case, left = open_case(evidence, before, options)
    return case.rulings_left(left)
