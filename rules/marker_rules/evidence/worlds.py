"""Every way a shot can have gone, given its evidence, and the ruling of each: one judge, no rule of its own.

A game brings a `Model`: its decisive features, and for given evidence every combination of them that can have
happened, each with a witness, the shortest list of facts that realises it. The ruling of a combination is
`rule(witness)` and nothing else. What a combination is called, asked or worth is not known here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import combinations
from typing import Any, Protocol

from marker_rules.balls import GameId
from marker_rules.errors import IllegalInput
from marker_rules.evidence.likelihood import weights
from marker_rules.evidence.observations import CHANNEL_OF, PICK, UNSEEN, Channel, Evidence, Quality
from marker_rules.facts import Fact
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.ruling import Ruling
from marker_rules.shot import Call, Shot

CACHED = 4096  # cases kept; one is some 20 kB at most
JUDGED = 1 << 15  # rulings kept
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
    """

    values: tuple[str | None, ...]
    facts: tuple[Fact, ...]
    calls: tuple[Call, ...] = ()
    kind: str = ""
    fit: float = 1.0


class Model(Protocol):
    """What a game tells the evidence engine."""

    channels: tuple[Channel, ...]  # those it uses, least trustworthy first: that one yields when two contradict

    def features(self, before: Any, options: Options) -> tuple[Feature, ...]:
        """The questions of this shot, in the order people find natural."""
        ...

    def worlds(self, evidence: Evidence, before: Any, options: Options) -> tuple[World, ...]:
        """Every combination that the believed observations and the calls leave."""
        ...

    def calls(self, evidence: Evidence) -> tuple[Call, ...]:
        """The calls that are not already facts of the worlds."""
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


@dataclass(frozen=True)
class Case:
    """What the evidence leaves before any answer: worlds, the ruling of each, and how likely each is.

    conflict: channels that contradict others or the referee, and were therefore not believed.
    """

    features: tuple[Feature, ...]
    worlds: tuple[World, ...]
    rulings: tuple[Ruling, ...]
    weights: tuple[float, ...]
    conflict: tuple[Channel, ...] = ()

    @cached_property
    def keys(self) -> tuple[int, ...]:
        """For each world the number of its outcome; equal numbers need no question between them."""
        numbers: dict[Hashable, int] = {}
        return tuple(numbers.setdefault(outcome(ruling), len(numbers)) for ruling in self.rulings)

    @cached_property
    def choices(self) -> tuple[dict[str, int], ...]:
        """For each feature its values, each with the bit set of its worlds."""
        found: list[dict[str, int]] = [{} for _ in self.features]
        for at, world in enumerate(self.worlds):
            for values, value in zip(found, world.values, strict=True):
                if value is not None:
                    values[value] = values.get(value, 0) | 1 << at
        return tuple(
            dict(sorted(values.items(), key=lambda item: feature.rank(item[0])))
            for feature, values in zip(self.features, found, strict=True)
        )

    @cached_property
    def blank(self) -> tuple[int, ...]:
        """For each feature the bit set of the worlds in which it has no meaning."""
        return tuple(self.all & ~sum(values.values()) for values in self.choices)

    def weight(self, worlds: int) -> float:
        """The weight of a bit set of worlds."""
        return sum(self.weights[at] for at in bits(worlds))

    @property
    def all(self) -> int:
        """The bit set of all worlds."""
        return (1 << len(self.worlds)) - 1

    def after(self, answers: Sequence[tuple[str, str]]) -> int:
        """The bit set of the worlds that agree with the answers."""
        left = self.all
        places = {feature.id: at for at, feature in enumerate(self.features)}
        for question, answer in answers:
            if answer == UNSEEN:
                continue
            if question == PICK:
                left &= _mask(ruling.short == answer for ruling in self.rulings)
            elif (at := places.get(question)) is not None:
                named = self.choices[at]
                left &= self.blank[at] | sum(named.get(value, 0) for value in set(self.features[at].read(answer)))
        return left

    def rulings_left(self, left: int) -> tuple[Possible, ...]:
        """The different outcomes of the worlds in `left`, likeliest first."""
        total = sum(self.weights[at] for at in bits(left)) or 1.0
        groups: dict[int, list[int]] = {}
        for at in bits(left):
            groups.setdefault(self.keys[at], []).append(at)
        found = []
        for key, members in groups.items():
            best = max(members, key=lambda at: (self.weights[at], -len(self.worlds[at].facts), -at))
            weight = sum(self.weights[at] for at in members)
            found.append(Possible(self.rulings[best], self.worlds[best].facts, len(members), weight / total, key))
        return tuple(sorted(found, key=lambda p: (-p.likelihood, p.short)))


def outcome(ruling: Ruling) -> Hashable:
    """What a ruling changes in the score and for who plays on; its reasons and what must be put back are not in it."""
    return (ruling.short, ruling.next, ruling.winner, ruling.chooser, ruling.choices, ruling.manual)


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _mask(flags: Iterator[bool]) -> int:
    return sum(1 << at for at, flag in enumerate(flags) if flag)


@lru_cache(maxsize=JUDGED)
def _judge(shot: Shot, before: Any, options: Options) -> Ruling:
    return game(options.game).rule(shot, before, options)


@lru_cache(maxsize=CACHED)
def _survey(evidence: Evidence, before: Any, options: Options) -> Case:
    """The case of evidence without answers."""
    of_game = model(options.game)
    worlds = of_game.worlds(evidence, before, options)
    calls = of_game.calls(evidence)
    return Case(
        features=of_game.features(before, options),
        worlds=worlds,
        rulings=tuple(
            _judge(Shot(world.facts + evidence.facts, calls + world.calls), before, options) for world in worlds
        ),
        weights=weights(options.game, [(w.kind, w.fit) for w in worlds], of_game.hints(evidence)),
    )


def open_case(evidence: Evidence, before: Any, options: Options) -> tuple[Case, int]:
    """The case and the worlds that its answers leave, never none.

    Where channels contradict each other or the referee, the fewest and least trustworthy of them yield and are named in
    `conflict`: the referee's word enters the ruling. Raises IllegalInput when the answers contradict each other.
    """
    bare = replace(evidence, answers=())
    used = model(options.game).channels
    for number in range(len(used) + 1):
        for doubted in combinations(used, number):
            case = _survey(_without(bare, doubted), before, options)
            left = case.after(evidence.answers)
            if left:
                return (replace(case, conflict=doubted) if doubted else case), left
    given = ", ".join(f"{question}={answer}" for question, answer in evidence.answers)
    raise IllegalInput(f"no shot agrees with all the answers ({given}); take one of them back", code="answers")


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
