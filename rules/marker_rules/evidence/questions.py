"""The smallest thing to ask next: of all questions that still matter, the one with the best worst case.

The plan over a set of worlds is the minimax over the questions that every world of it can answer; ties go to the fewest
questions expected under the likelihood, then to the order people find natural. A question whose answers change nothing
is never asked, because no part of its split is nearer to one ruling.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from marker_rules.balls import GameId
from marker_rules.evidence.cases import Case, Partition, Possible, open_case
from marker_rules.evidence.observations import PICK, UNSEEN, Evidence
from marker_rules.evidence.phrases import answer_label, question_text
from marker_rules.evidence.worlds import EITHER, Shape, Spread, bits
from marker_rules.options import Options

PLANS = 5_000  # plans kept of one tree


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. id: what to put into `Evidence.answers`.

    `unknown` (did not see) always is an answer too, and leaves everything possible.
    """

    id: str
    game: GameId
    question: str
    _case: Case = field(repr=False, compare=False)
    _left: int = field(repr=False, compare=False)

    @property
    def possible(self) -> tuple[Possible, ...]:
        """The rulings it would leave, likeliest first."""
        return self._case.rulings_left(self._left)

    def label(self, lang: str) -> str:
        """The words on the button, in `ru`, `en` or `it`."""
        return answer_label(self.game, self.question, self.id, lang)


@dataclass(frozen=True, slots=True)
class Question:
    """id: stable (`Q1`, `QL`, `pick`); shape: buttons, a set or a number; elements: what a set is made of."""

    game: GameId
    id: str
    shape: Shape
    elements: tuple[str, ...]
    answers: tuple[Answer, ...]

    def text(self, lang: str) -> str:
        """The question in `ru`, `en` or `it`."""
        return question_text(self.game, self.id, lang)


@dataclass(frozen=True, slots=True)
class Plan:
    """worst, expected: how many questions decide the ruling from here; feature: the place of the next one, -1 if none."""

    worst: int
    expected: float
    feature: int


DECIDED = Plan(0, 0.0, -1)


class Tree:
    """The best order of asking over the worlds of one case; plans are made when they are needed and kept."""

    __slots__ = ("_keys", "_masks", "_plans", "_same", "_weight")

    def __init__(self, spread: Spread, keys: tuple[int, ...], same: tuple[int, ...]) -> None:
        self._keys = keys
        self._same = same
        self._weight = spread.weight
        self._plans: dict[tuple[int, frozenset[int]], Plan | None] = {}
        self._masks = [[mask for _, mask in _split(spread, keys, spread.all, at)] for at in range(len(spread.features))]

    def decided(self, left: int) -> bool:
        """Whether all worlds in `left` have the same outcome."""
        lowest = (left & -left).bit_length() - 1
        return not left & ~self._same[self._keys[lowest]]

    def parts(self, left: int, feature: int) -> list[int] | None:
        """`left` split by the answers to a question; None where it cannot be answered in some world, or splits nothing."""
        parts = [part for mask in self._masks[feature] if (part := left & mask)]
        return parts if len(parts) > 1 and sum(parts) == left else None

    def plan(self, left: int, closed: frozenset[int] = frozenset()) -> Plan | None:
        """The best plan for `left` without the questions in `closed`; None where those left cannot decide it."""
        if self.decided(left):
            return DECIDED
        if (left, closed) in self._plans:
            return self._plans[left, closed]
        best: Plan | None = None
        for feature in range(len(self._masks)):
            found = None if feature in closed else self._ask(left, feature, closed, best)
            if found is not None and (
                best is None or (found.worst, found.expected + 1e-9) < (best.worst, best.expected)
            ):
                best = found
        if len(self._plans) >= PLANS:
            self._plans.clear()
        self._plans[left, closed] = best
        return best

    def _ask(self, left: int, feature: int, closed: frozenset[int], best: Plan | None) -> Plan | None:
        """The plan that begins with `feature`; None where it decides less or, at worst, asks more than `best`."""
        worst, expected, total = 0, 0.0, 0.0
        for part in self.parts(left, feature) or ():
            plan = self.plan(part, closed)
            if plan is None or (best is not None and plan.worst >= best.worst):
                return None
            weight = self._weight(part)
            worst, expected, total = max(worst, plan.worst), expected + weight * plan.expected, total + weight
        return Plan(worst + 1, expected / total + 1, feature) if total else None

    def useful(self, left: int, closed: frozenset[int]) -> int | None:
        """The first question that at least splits `left`, where none can decide it any more."""
        for feature in range(len(self._masks)):
            if feature not in closed and self.parts(left, feature):
                return feature
        return None


def _split(spread: Spread, keys: tuple[int, ...], left: int, feature: int) -> list[tuple[list[str], int]]:
    """The answers to a question and the worlds of `left` they leave; answers between which nothing depends are one."""
    merged: dict[frozenset[tuple[object, ...]], tuple[list[str], int]] = {}
    for value, mask in spread.choices[feature].items():
        if part := left & mask:
            rows = ((spread.values[at], keys[at]) for at in bits(part))
            rest = frozenset((*row[:feature], *row[feature + 1 :], key) for row, key in rows)
            names, worlds = merged.get(rest, ([], 0))
            merged[rest] = ([*names, value], worlds | part)
    return list(merged.values())


def tree(partition: Partition) -> Tree:
    """The tree of a partition; shots that differ in the score only share it."""
    return partition.once("tree", partial(Tree, partition.spread, partition.keys, partition.same))


class Asked(NamedTuple):
    """What to ask in one partition: the place of the question (None: the ruling itself), its answers with their worlds."""

    at: int | None
    answers: tuple[tuple[str, int], ...]


def _ask(partition: Partition, left: int, closed: frozenset[int]) -> Asked | None:
    """What to ask next over the worlds `left`, when nobody saw the answers to `closed`; None when they are decided."""
    plans, spread = tree(partition), partition.spread
    plan = plans.plan(left, closed)
    if plan is DECIDED:
        return None
    at = plan.feature if plan is not None else plans.useful(left, closed)
    if at is None:
        return Asked(None, ())
    if spread.features[at].shape is Shape.ONE:
        return Asked(at, tuple((EITHER.join(names), part) for names, part in _split(spread, partition.keys, left, at)))
    return Asked(at, tuple((value, part) for value, mask in spread.choices[at].items() if (part := left & mask)))


NOTHING: frozenset[int] = frozenset()


def _closed(case: Case, evidence: Evidence) -> frozenset[int]:
    """The questions that nobody can answer (`unknown`)."""
    unseen = {question for question, answer in evidence.answers if answer == UNSEEN}
    if not unseen:
        return NOTHING
    return frozenset(at for at, feature in enumerate(case.spread.features) if feature.id in unseen)


def next_question(evidence: Evidence, before: Any, options: Options) -> Question | None:
    """What to ask next; None when one ruling is left. When nobody saw what decides, it is the ruling itself (`pick`)."""
    case, left = open_case(evidence, before, options)
    partition, closed, game = case.partition, _closed(case, evidence), options.game
    asked = partition.once(("asked", left, closed), partial(_ask, partition, left, closed))
    if asked is None:
        return None
    if asked.at is None:
        same = partition.same
        rulings = tuple(Answer(p.short, game, PICK, case, left & same[p.key]) for p in case.rulings_left(left))
        return Question(game, PICK, Shape.ONE, (), rulings)
    feature = case.spread.features[asked.at]
    answers = tuple([Answer(name, game, feature.id, case, part) for name, part in asked.answers])
    return Question(game, feature.id, feature.shape, feature.elements, answers)


def worst_case(evidence: Evidence, before: Any, options: Options) -> int:
    """How many questions decide the ruling whatever is answered (`unknown` apart)."""
    case, left = open_case(evidence, before, options)
    plan = tree(case.partition).plan(left, _closed(case, evidence))
    return plan.worst if plan is not None else 1
