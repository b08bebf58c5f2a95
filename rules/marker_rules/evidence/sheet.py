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
from marker_rules.evidence.worlds import Shape, Spread, bits
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
    chosen, shares = _likeliest(partition.spread, left)
    given = {question: answer for question, answer in answers if question != PICK}
    rows = _rows(partition, picked, given, partition.spread.values[chosen], shares)
    return Look(chosen, found_in(partition, left), rows)


def _likeliest(spread: Spread, left: int) -> tuple[int, list[float]]:
    """The world of the likeliest answer to each question in turn, and the share of that answer given those above it."""
    shares = [1.0] * len(spread.features)
    for at, choices in enumerate(spread.choices):
        totals = {value: spread.weight(left & mask) for value, mask in choices.items() if left & mask}
        if totals:
            best = max(totals, key=totals.__getitem__)
            shares[at] = totals[best] / sum(totals.values())
            left &= choices[best] | spread.blank[at]
    return max(bits(left), key=lambda world: spread.weights[world]), shares


def _rows(
    partition: Partition, above: int, given: dict[str, str], selected: tuple[str | None, ...], shares: list[float]
) -> tuple[RowLook, ...]:
    """The questions that can still change the ruling while those above them stay as they are selected.

    A question that the others answer too is left out: how many balls fell does not matter to a foul, but that all of them
    fell would say that the cue ball did.
    """
    spread, agreeing = partition.spread, {}
    for question, answer in given.items():
        agreeing[question] = partition.all & spread.agreeing(question, answer)
    left_out: frozenset[int] = frozenset()
    shown = _shown(partition, above, agreeing, given, selected, left_out)
    for at in [row.at for row in shown[:-1] if spread.features[row.at].id not in given]:
        row = next((row for row in shown if row.at == at), None)
        if row is None or not _told_below(partition, row, given):
            continue
        without = _shown(partition, above, agreeing, given, selected, left_out | {at})
        if {row.at for row in without} < {row.at for row in shown}:
            left_out, shown = left_out | {at}, without
    return tuple([_looked_at(spread, row, given.get(spread.features[row.at].id), selected, shares) for row in shown])


class Shown(NamedTuple):
    """A question that matters: its place, the worlds it is asked over, and the world each answer leads to."""

    at: int
    pool: int
    targets: dict[str, int]


def _shown(
    partition: Partition,
    above: int,
    agreeing: dict[str, int],
    given: dict[str, str],
    selected: tuple[str | None, ...],
    left_out: frozenset[int],
) -> list[Shown]:
    """The questions that can change the ruling, each over the worlds of what is selected above it."""
    spread, shown = partition.spread, []
    for at, feature in enumerate(spread.features):
        if at in left_out:
            continue
        pool = above
        for question, mask in agreeing.items():
            if question != feature.id:
                pool &= mask
        targets = {
            value: _nearest(spread, part, selected, given)
            for value, mask in spread.choices[at].items()
            if (part := pool & mask)
        }
        if len({partition.keys[target] for target in targets.values()}) < 2:
            continue
        chosen = selected[at]
        shown.append(Shown(at, pool, targets))
        above &= spread.blank[at] | (spread.choices[at][chosen] if chosen is not None else 0)
    return shown


def _told_below(partition: Partition, row: Shown, given: dict[str, str]) -> bool:
    """Whether the questions below a row, as far as somebody saw their answers, settle the ruling without it."""
    features = partition.spread.features
    below = [at for at in range(row.at + 1, len(features)) if given.get(features[at].id) != UNSEEN]
    settled: dict[tuple[str | None, ...], int] = {}
    for world in bits(row.pool):
        values = partition.spread.values[world]
        if settled.setdefault(tuple([values[at] for at in below]), partition.keys[world]) != partition.keys[world]:
            return False
    return True


def _looked_at(
    spread: Spread, row: Shown, answer: str | None, selected: tuple[str | None, ...], shares: list[float]
) -> RowLook:
    """A row with what is selected in it, and why. answer: the referee's, None where he gave none."""
    chosen = selected[row.at]
    if answer == UNSEEN or (answer is None and shares[row.at] < table().preselect):
        origin = Origin.NEEDED
    elif answer is None:
        origin = Origin.LIKELY
    else:
        totals = {value: spread.weight(row.pool & spread.choices[row.at][value]) for value in row.targets}
        origin = Origin.DECIDED if max(totals, key=totals.__getitem__) == chosen else Origin.CHANGED
    return RowLook(row.at, tuple(row.targets.items()), None if origin is Origin.NEEDED else chosen, origin)


def _nearest(spread: Spread, part: int, selected: tuple[str | None, ...], given: dict[str, str]) -> int:
    """The likeliest world of `part` that keeps what was answered, then what is selected."""
    order = sorted(range(len(selected)), key=lambda at: spread.features[at].id not in given)
    for at in order:
        value = selected[at]
        kept = part & (spread.blank[at] if value is None else spread.choices[at][value])
        part = kept or part
    return max(bits(part), key=lambda world: spread.weights[world])
