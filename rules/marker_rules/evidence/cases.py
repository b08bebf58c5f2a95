"""The ruling of every world of a shot: one judge, no rule of its own.

The ruling of a world is `rule(witness)` and nothing else. Worlds are sorted by the outcome of their rulings, once for all
scores in which they sort alike: a game names for each state a stand-in of the same kind, far from the end of the game or
at its brink as the ruling needs, and what is judged there is kept. What is shown is judged in the state itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

from marker_rules.errors import IllegalFact, IllegalInput
from marker_rules.evidence.kept import Kept
from marker_rules.evidence.observations import CHANNEL_OF, PICK, UNSEEN, Channel, Evidence, Quality
from marker_rules.evidence.worlds import FAR, SPREADS, WORLDS, Spread, World, bits, model, spread_of
from marker_rules.facts import Fact
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.ruling import Ruling
from marker_rules.shot import Shot

T = TypeVar("T")

COURTS = 64  # kinds of states with what was entered, of which verdicts are kept; each up to 100 kB
NEARS = 8_000  # worlds kept, times different distances to the end of one shot
ONCE = 512  # questions and sheets kept of one partition


class Verdict(NamedTuple):
    """What a ruling changes, it in one word, and what it brings the players (as the game counts)."""

    outcome: Hashable
    short: str
    gain: tuple[int, ...]


def outcome(ruling: Ruling) -> Hashable:
    """What a ruling changes in the score and for who plays on; its reasons and what must be put back are not in it.

    One word is not enough: where both players erred, or only the one who waits, a pyramid shot is `F` in either case.
    """
    standing = (getattr(ruling, "score", None), getattr(ruling, "shelf", None), getattr(ruling, "debt", None))
    return (ruling.short, ruling.next, ruling.winner, ruling.chooser, ruling.choices, ruling.manual, standing)


class Court:
    """Judges worlds with what the referee entered, in stand-ins of one kind of state; alike ones once."""

    __slots__ = ("_calls", "_facts", "_gain", "_known", "_options", "_rule")

    def __init__(self, evidence: Evidence, options: Options) -> None:
        self._calls, self._facts = evidence.calls, evidence.facts
        self._options = options
        self._rule, self._gain = game(options.game).rule, model(options.game).gain
        self._known: dict[Hashable, Verdict | None] = {}

    def verdict(self, world: World, lacking: tuple[int, ...], stand_in: Any) -> Verdict | None:
        """The ruling of a world in a stand-in; None where it cannot be, with what the referee entered."""
        alike = world.alike if world.alike is not None and not self._facts else (world.facts, world.calls)
        key = (alike, lacking)
        if key in self._known:
            return self._known[key]
        try:
            ruling = self._rule(Shot(world.facts + self._facts, self._calls + world.calls), stand_in, self._options)
        except IllegalFact:
            if not self._facts:
                raise
            return self._known.setdefault(key, None)
        return self._known.setdefault(key, Verdict(outcome(ruling), ruling.short, self._gain(ruling)))


class Partition:
    """The worlds of a spread sorted by outcome. Equal to itself only.

    keys: the number of the outcome of each world, below 0 where it cannot be; worlds with equal numbers need no question
    between them. same: the bit set of the worlds with each outcome; shorts: each outcome in one word. all: those that can be.
    """

    __slots__ = ("_once", "all", "keys", "same", "shorts", "spread")

    def __init__(self, spread: Spread, same: tuple[int, ...], shorts: tuple[str, ...]) -> None:
        self.spread = spread
        self._once: dict[Hashable, Any] = {}
        self.same = same
        self.shorts = shorts
        self.all = sum(same)
        keys = [-1] * len(spread.worlds)
        for number, mask in enumerate(same):
            for at in bits(mask):
                keys[at] = number
        self.keys = tuple(keys)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What follows from this partition alone, made once and kept as long as it is."""
        if name not in self._once:
            if len(self._once) >= ONCE:
                self._once.clear()
            self._once[name] = make()
        found: T = self._once[name]
        return found


class Sorted:
    """The worlds of a spread in the classes that no state of one kind can tell apart, and how each score joins them."""

    __slots__ = ("_classes", "_court", "_joined", "_near", "_reach", "spread")

    def __init__(self, spread: Spread, court: Court, before: Any, options: Options) -> None:
        of_game = model(options.game)
        self.spread = spread
        self._court = court
        self._near: Kept[tuple[int, ...], Partition] = Kept(NEARS)
        self._joined: Kept[Hashable, Partition] = Kept(NEARS)
        far = (FAR,) * len(of_game.lacking(before, options))
        stand_in = of_game.stand_in(before, far, options)
        members: dict[Hashable, tuple[World, Verdict, list[int]]] = {}
        for at, world in enumerate(spread.worlds):
            verdict = court.verdict(world, far, stand_in)
            if verdict is not None:
                members.setdefault(verdict.outcome, (world, verdict, []))[2].append(at)
        self._classes = [
            (world, verdict.gain, sum([1 << at for at in places])) for world, verdict, places in members.values()
        ]
        gains = [gain for _, gain, _ in self._classes]
        self._reach = tuple([1 + max(of_one) for of_one in zip(*gains, strict=True)]) if far and gains else ()

    def partition(self, before: Any, options: Options) -> Partition:
        """The worlds sorted by their outcome in `before`; how much a player lacks beyond all reach does not matter."""
        lacking = model(options.game).lacking(before, options)
        near = tuple([min(pair) for pair in zip(lacking, self._reach, strict=False)])
        found = self._near.get(near)
        if found is None:
            found = self._near.put(near, self._join(before, near, options), len(self.spread.worlds))
        return found

    def _join(self, before: Any, lacking: tuple[int, ...], options: Options) -> Partition:
        of_game = model(options.game)
        stand_ins: dict[tuple[int, ...], Any] = {}
        joined: dict[Hashable, int] = {}
        shorts: list[str] = []
        for world, gain, mask in self._classes:
            name = tuple(
                [FAR if brings < lacks else min(lacks, 1) for brings, lacks in zip(gain, lacking, strict=False)]
            )
            if name not in stand_ins:
                stand_ins[name] = of_game.stand_in(before, name, options)
            verdict = self._court.verdict(world, name, stand_ins[name])
            if verdict is None:  # pragma: no cover - what can be far from the end can be at its brink
                continue
            if verdict.outcome not in joined:
                joined[verdict.outcome] = 0
                shorts.append(verdict.short)
            joined[verdict.outcome] |= mask
        key = (*joined.values(), *shorts)
        found = self._joined.get(key)
        if found is None:
            made = Partition(self.spread, tuple(joined.values()), tuple(shorts))
            found = self._joined.put(key, made, len(self.spread.worlds))
        return found


class Found(NamedTuple):
    """One outcome of a set of worlds: its number, the likeliest world of it, how many, their share of the likelihood."""

    key: int
    best: int
    worlds: int
    share: float


def found_in(partition: Partition, left: int) -> tuple[Found, ...]:
    """The different outcomes of the worlds in `left`, likeliest first."""
    return partition.once(("found", left), partial(_find, partition, left))


def _find(partition: Partition, left: int) -> tuple[Found, ...]:
    weighed, worlds = partition.spread.weights, partition.spread.worlds
    groups: dict[int, list[int]] = {}
    for at in bits(left):
        groups.setdefault(partition.keys[at], []).append(at)
    total = partition.spread.weight(left) or 1.0
    found = []
    for key, members in groups.items():
        best = max(members, key=lambda at: (weighed[at], -worlds[at].length, -at))
        found.append(Found(key, best, len(members), sum([weighed[at] for at in members]) / total))
    return tuple(sorted(found, key=lambda each: (-each.share, partition.shorts[each.key])))


@dataclass(frozen=True, slots=True)
class Possible:
    """One ruling that may be the true one. likelihood: 0..1 among all; key: the number of its outcome in its case."""

    short: str  # the ruling in one word
    worlds: int
    likelihood: float
    key: int
    _case: Case = field(repr=False, compare=False)
    _at: int = field(repr=False)

    @property
    def ruling(self) -> Ruling:
        """The ruling itself, made when it is asked for."""
        return self._case.ruling(self._at)

    @property
    def story(self) -> tuple[Fact, ...]:
        """The shortest facts that lead to it."""
        return self._case.spread.worlds[self._at].facts


class Case:
    """One shot before any answer: its worlds sorted by outcome, and their rulings, made when they are needed.

    conflict: channels that contradict others or the referee, and were therefore not believed.
    """

    __slots__ = ("_before", "_calls", "_facts", "_options", "_rulings", "conflict", "partition", "spread")

    def __init__(
        self, partition: Partition, evidence: Evidence, before: Any, options: Options, conflict: tuple[Channel, ...]
    ) -> None:
        self.partition = partition
        self.spread = partition.spread
        self.conflict = conflict
        self._calls, self._facts = evidence.calls, evidence.facts
        self._before, self._options = before, options
        self._rulings: dict[int, Ruling] = {}

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
        left = self.partition.all
        for question, answer in answers:
            left &= self._picked(answer) if question == PICK else self.spread.agreeing(question, answer)
        return left

    def after_picks(self, answers: Iterable[tuple[str, str]]) -> int:
        """The bit set of the worlds that agree with the rulings that were picked directly."""
        return self.after([pair for pair in answers if pair[0] == PICK])

    def _picked(self, short: str) -> int:
        if short == UNSEEN:
            return self.partition.all
        return sum(
            [mask for mask, name in zip(self.partition.same, self.partition.shorts, strict=True) if name == short]
        )

    def possible(self, each: Found, at: int | None = None) -> Possible:
        """One outcome for people, told by its likeliest world or another one of it."""
        short = self.partition.shorts[each.key]
        return Possible(short, each.worlds, each.share, each.key, self, each.best if at is None else at)

    def rulings_left(self, left: int) -> tuple[Possible, ...]:
        """The different outcomes of the worlds in `left`, likeliest first."""
        return tuple([self.possible(each) for each in found_in(self.partition, left)])


SORTED: Kept[tuple[Hashable, ...], Sorted] = Kept(WORLDS)
_COURTS: Kept[tuple[Hashable, ...], Court] = Kept(COURTS)


def _case(evidence: Evidence, before: Any, options: Options, doubted: tuple[Channel, ...]) -> Case:
    spread = spread_of(_without(evidence, doubted), before, options)
    entered = (model(options.game).kind(before, options), evidence.calls, evidence.facts, options)
    key = (spread, entered)
    found = SORTED.get(key)
    if found is None:
        court = _COURTS.get(entered) or _COURTS.put(entered, Court(evidence, options))
        found = SORTED.put(key, Sorted(spread, court, before, options), len(spread.worlds))
    return Case(found.partition(before, options), evidence, before, options, doubted)


def forget(*, verdicts: bool = True) -> None:
    """Forget all that is kept of shots, or all but the verdicts in stand-ins; nothing but time depends on it."""
    SPREADS.clear()
    SORTED.clear()
    if verdicts:
        _COURTS.clear()


def open_case(evidence: Evidence, before: Any, options: Options) -> tuple[Case, int]:
    """The case and the worlds that its answers leave, never none.

    Where channels contradict each other or the referee, the fewest and least trustworthy of them yield and are named in
    `conflict`: the referee's word enters the ruling. Raises IllegalInput when the answers contradict each other.
    """
    used = model(options.game).channels
    for number in range(len(used) + 1):
        for doubted in combinations(used, number):
            case = _case(evidence, before, options, doubted)
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
