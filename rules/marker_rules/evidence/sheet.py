"""The shot sheet: all that is still open, on one screen, with the likeliest answers selected beforehand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from marker_rules.balls import GameId
from marker_rules.evidence.likelihood import table
from marker_rules.evidence.observations import PICK, UNSEEN, Channel, Evidence
from marker_rules.evidence.phrases import answer_label, question_text
from marker_rules.evidence.worlds import Case, Possible, Shape, bits, open_case
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
    ruling: Ruling
    game: GameId
    question: str

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


def sheet(evidence: Evidence, before: Any, options: Options) -> Sheet:
    """Everything a person needs to decide the shot. Raises IllegalInput when the answers contradict each other."""
    case, left = open_case(evidence, before, options)
    found = case.rulings_left(left)
    chosen, shares = _likeliest(case, left)
    key = case.keys[chosen]
    same = next(p for p in found if p.key == key)
    world = case.spread.worlds[chosen]
    return Sheet(
        proposal=replace(same, ruling=case.ruling(chosen), story=world.facts),
        rows=_rows(case, evidence, world.values, shares, options.game),
        certain=len(found) == 1,
        direct=found if 1 < len(found) <= DIRECT else (),
        conflict=case.conflict,
    )


def _likeliest(case: Case, left: int) -> tuple[int, list[float]]:
    """The world of the likeliest answer to each question in turn, and the share of that answer given those above it."""
    shares = [1.0] * len(case.spread.features)
    for at, choices in enumerate(case.spread.choices):
        totals = {value: case.spread.weight(left & mask) for value, mask in choices.items() if left & mask}
        if totals:
            best = max(totals, key=totals.__getitem__)
            shares[at] = totals[best] / sum(totals.values())
            left &= choices[best] | case.spread.blank[at]
    return max(bits(left), key=lambda world: case.spread.weights[world]), shares


def _rows(
    case: Case, evidence: Evidence, selected: tuple[str | None, ...], shares: list[float], game: GameId
) -> tuple[Row, ...]:
    """The questions that can still change the ruling while those above them stay as they are selected."""
    given = {question: answer for question, answer in evidence.answers if question != PICK}
    above = case.after([pair for pair in evidence.answers if pair[0] == PICK])
    rows = []
    for at, feature in enumerate(case.spread.features):
        pool = above & case.after([pair for pair in given.items() if pair[0] != feature.id])
        targets = {
            value: _nearest(case, part, selected, given)
            for value, mask in case.spread.choices[at].items()
            if (part := pool & mask)
        }
        if len({case.keys[target] for target in targets.values()}) < 2:
            continue
        answers = tuple(RowAnswer(v, case.ruling(t), game, feature.id) for v, t in targets.items())
        chosen, answer = selected[at], given.get(feature.id)
        if answer == UNSEEN or (answer is None and shares[at] < table().preselect):
            origin = Origin.NEEDED
        elif answer is None:
            origin = Origin.LIKELY
        else:
            totals = {value: case.spread.weight(pool & case.spread.choices[at][value]) for value in targets}
            origin = Origin.DECIDED if max(totals, key=totals.__getitem__) == chosen else Origin.CHANGED
        shown = None if origin is Origin.NEEDED else chosen
        rows.append(Row(game, feature.id, feature.shape, feature.elements, answers, shown, origin))
        above &= case.spread.blank[at] | (case.spread.choices[at][chosen] if chosen is not None else 0)
    return tuple(rows)


def _nearest(case: Case, part: int, selected: tuple[str | None, ...], given: dict[str, str]) -> int:
    """The likeliest world of `part` that keeps what was answered, then what is selected."""
    order = sorted(range(len(selected)), key=lambda at: case.spread.features[at].id not in given)
    for at in order:
        value = selected[at]
        kept = part & (case.spread.blank[at] if value is None else case.spread.choices[at][value])
        part = kept or part
    return max(bits(part), key=lambda world: case.spread.weights[world])
