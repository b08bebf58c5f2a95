"""The shot sheet: all that is still open, on one screen, with the likeliest answers selected beforehand."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, NamedTuple

from marker_rules.balls import GameId
from marker_rules.evidence.cases import Case, Found, Partition, Possible, found_in, open_case
from marker_rules.evidence.likelihood import table
from marker_rules.evidence.observations import PICK, UNSEEN, Channel, Evidence
from marker_rules.evidence.phrases import answer_label, question_text
from marker_rules.evidence.selection import answered, select
from marker_rules.evidence.worlds import Shape, bits
from marker_rules.options import Options
from marker_rules.ruling import Ruling

DIRECT = 4  # so many rulings left are also offered as buttons


class Origin(StrEnum):
    """Where the selected answer of a row comes from."""

    LIKELY = "likely"  # selected beforehand
    CHANGED = "changed"  # the referee chose another one than was selected
    NEEDED = "needed"  # nothing is selected: no answer is likely enough, or nobody saw it
    DECIDED = "decided"  # the referee confirmed the one that was selected


@dataclass(frozen=True, slots=True)
class RowAnswer:
    """One button: the ruling it would give, all other rows as they are."""

    id: str
    game: GameId
    question: str
    short: str  # the ruling in one word
    _case: Case = field(repr=False, compare=False)
    _at: int = field(repr=False)

    @property
    def ruling(self) -> Ruling:
        """The ruling itself, made when it is asked for."""
        return self._case.ruling(self._at)

    def label(self, lang: str) -> str:
        """The words on the button, in `ru`, `en` or `it`."""
        return answer_label(self.game, self.question, self.id, lang)


@dataclass(frozen=True, slots=True)
class Row:
    """One question that can change the proposal. selected: the id of an answer, None where origin is `needed`."""

    game: GameId
    id: str
    shape: Shape
    elements: tuple[str, ...]
    answers: tuple[RowAnswer, ...]
    selected: str | None
    origin: Origin

    def text(self, lang: str) -> str:
        """The question in `ru`, `en` or `it`."""
        return question_text(self.game, self.id, lang)


@dataclass(frozen=True, slots=True)
class Sheet:
    """proposal: what one press accepts (a preview while a row is `needed`). certain: no other ruling is possible.

    direct: the rulings left, where they are 2 to 4. conflict: channels that contradict others or the referee.
    """

    proposal: Possible
    rows: tuple[Row, ...]
    certain: bool
    direct: tuple[Possible, ...]
    conflict: tuple[Channel, ...]

    @property
    def needed(self) -> tuple[str, ...]:
        """The rows without which nothing can be accepted."""
        return tuple(row.id for row in self.rows if row.origin is Origin.NEEDED)

    @property
    def undecided(self) -> int:
        """Rows that the referee has not touched."""
        return sum(row.origin in (Origin.LIKELY, Origin.NEEDED) for row in self.rows)

    @property
    def taps(self) -> int:
        """Presses so far and the accept."""
        return 1 + sum(row.origin in (Origin.CHANGED, Origin.DECIDED) for row in self.rows)


class RowLook(NamedTuple):
    """A row without its rulings: the place of the question, the world each answer leads to, what is selected and why."""

    at: int
    targets: tuple[tuple[str, int], ...]
    selected: str | None
    origin: Origin


class Look(NamedTuple):
    """A sheet without its rulings, the same for every score that sorts the worlds alike. chosen: the world proposed."""

    chosen: int
    found: tuple[Found, ...]
    rows: tuple[RowLook, ...]


def sheet(evidence: Evidence, before: Any, options: Options) -> Sheet:
    """Everything a person needs to decide the shot. Raises IllegalInput when the answers contradict each other."""
    case, left = open_case(evidence, before, options)
    partition, game = case.partition, options.game
    answers, picked = evidence.answers, case.after_picks(evidence.answers)
    look = partition.once(("look", left, answers, picked), partial(_look, partition, left, answers, picked))
    chosen, found, rows = look
    key = partition.keys[chosen]
    return Sheet(
        proposal=case.possible(next(each for each in found if each.key == key), chosen),
        rows=tuple([_row(case, row, game) for row in rows]),
        certain=len(found) == 1,
        direct=tuple([case.possible(each) for each in found]) if 1 < len(found) <= DIRECT else (),
        conflict=case.conflict,
    )


def _row(case: Case, look: RowLook, game: GameId) -> Row:
    feature, partition = case.spread.features[look.at], case.partition
    answers = [
        RowAnswer(value, game, feature.id, partition.shorts[partition.keys[world]], case, world)
        for value, world in look.targets
    ]
    return Row(game, feature.id, feature.shape, feature.elements, tuple(answers), look.selected, look.origin)


def _look(partition: Partition, left: int, answers: tuple[tuple[str, str], ...], picked: int) -> Look:
    """The sheet over the worlds `left`; picked: those that a ruling named directly leaves."""
    given = {question: answer for question, answer in answers if question != PICK}
    choosing = _Choosing(partition, picked, given)
    return Look(choosing.selected.world, found_in(partition, left), choosing.rows())


class _Shown(NamedTuple):
    """A question that matters: its place, the worlds it is asked over, and the world each answer leads to."""

    at: int
    pool: int
    targets: dict[str, int]


class _Choosing:
    """Which questions of a partition a sheet shows. picked: the worlds a named ruling leaves; given: the answers so far."""

    __slots__ = ("_given", "_partition", "_picked", "_spread", "_told", "selected")

    def __init__(self, partition: Partition, picked: int, given: dict[str, str]) -> None:
        self._partition, self._spread = partition, partition.spread
        self._picked, self._given = picked, given
        self._told = answered(partition.spread, given)
        self.selected = select(partition.spread, picked, self._told)

    def rows(self) -> tuple[RowLook, ...]:
        """The questions that can still change the ruling while those above them stay as they are selected.

        A question that the others answer too is left out: how many balls fell does not matter to a foul, but that all of
        them fell would say that the cue ball did.
        """
        left_out: frozenset[int] = frozenset()
        shown = self._shown(left_out)
        for at in [row.at for row in shown[:-1] if self._spread.features[row.at].id not in self._given]:
            row = next((row for row in shown if row.at == at), None)
            if row is None or not self._told_below(row):
                continue
            without = self._shown(left_out | {at})
            if {row.at for row in without} < {row.at for row in shown}:
                left_out, shown = left_out | {at}, without
        return tuple([self._look(row) for row in shown])

    def _shown(self, left_out: frozenset[int]) -> list[_Shown]:
        """The questions that matter, each over the worlds of what is selected above it.

        One that was answered is asked over all worlds: what is selected above may itself follow from its answer.
        """
        spread, shown = self._spread, []
        values, above = spread.values[self.selected.world], self._picked
        for at in range(len(spread.features)):
            if at in left_out:
                continue
            pool = self._others(at) & (self._picked if at in self._told else above)
            targets = {
                value: select(spread, self._picked, self._told | {at: mask}).world
                for value, mask in spread.choices[at].items()
                if pool & mask
            }
            value = values[at]
            if len({self._partition.keys[world] for world in targets.values()}) < 2 and not self._hides(
                at, value, pool
            ):
                continue
            shown.append(_Shown(at, pool, targets))
            above &= spread.blank[at] | (spread.choices[at][value] if value is not None else 0)
        return shown

    def _hides(self, at: int, value: str | None, pool: int) -> bool:
        """Whether another answer, though it proposes the same ruling, opens rows below it that lead to one not within reach now."""
        if value is None:
            return False
        reach = pool & self._spread.choices[at][value]
        other = pool & ~self._spread.blank[at] & ~reach
        return any(mask & other and not mask & reach for mask in self._partition.same)

    def _others(self, at: int) -> int:
        """The worlds that the answers to all other questions leave."""
        left = self._partition.all
        for other, mask in self._told.items():
            if other != at:
                left &= mask | self._spread.blank[other]
        return left

    def _told_below(self, row: _Shown) -> bool:
        """Whether the questions below a row settle the ruling without it: those that always have a meaning and somebody saw."""
        features, blank, keys = self._spread.features, self._spread.blank, self._partition.keys
        unseen = {at for at, feature in enumerate(features) if self._given.get(feature.id) == UNSEEN}
        below = [at for at in range(row.at + 1, len(features)) if at not in unseen and not row.pool & blank[at]]
        settled: dict[tuple[str | None, ...], int] = {}
        for world in bits(row.pool):
            values = self._spread.values[world]
            if settled.setdefault(tuple([values[at] for at in below]), keys[world]) != keys[world]:
                return False
        return True

    def _look(self, row: _Shown) -> RowLook:
        """A row with what is selected in it, and why."""
        at, spread = row.at, self._spread
        chosen, answer = spread.values[self.selected.world][at], self._given.get(spread.features[at].id)
        if answer == UNSEEN or (answer is None and self.selected.shares[at] < table().preselect):
            origin = Origin.NEEDED
        elif answer is None:
            origin = Origin.LIKELY
        else:
            others = {other: mask for other, mask in self._told.items() if other != at}
            likely = spread.values[select(spread, self._picked, others).world][at]
            origin = Origin.DECIDED if likely == chosen else Origin.CHANGED
        return RowLook(at, tuple(row.targets.items()), None if origin is Origin.NEEDED else chosen, origin)
