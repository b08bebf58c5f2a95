"""Scoring through the rules alone: evidence of each shot to an adjudicator, a truthful referee at its sheet.

The harness knows the truth and asks the evidence engine itself what is possible; it believes nothing the adjudicator says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from marker_rules.errors import RulesError
from marker_rules.evidence import Evidence, Origin, possible, sheet, worst_case
from marker_rules.options import Options
from marker_rules.ruling import Ruling
from marker_sim.score import Judged, truth_fields

EITHER = "|"
ROUNDS = 40  # a sheet that is not done after so many answers never will be


@dataclass(frozen=True, slots=True)
class Case:
    """One shot to be judged: evidence with the referee's calls, his true answers, and the true ruling."""

    shot: int
    before: Any
    options: Options
    evidence: Evidence
    answers: Mapping[str, str]
    truth: Ruling
    story: str = ""
    injected: tuple[str, ...] = ()  # faults injected into this shot


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a sheet: its question, what is selected, what may be selected, whether the referee has touched it."""

    id: str
    selected: str | None
    answers: tuple[str, ...]
    undecided: bool


@dataclass(frozen=True, slots=True)
class Look:
    """What an adjudicator shows: the ruling one press would accept, whether it says that no other is possible, its rows."""

    ruling: Ruling
    certain: bool
    rows: tuple[Row, ...]
    taps: int


class Adjudicator(Protocol):
    """Whatever rules on evidence."""

    def look(self, shot: int, evidence: Evidence, before: Any, options: Options) -> Look:
        """The sheet for this evidence. Raises RulesError when it cannot be read."""
        ...


class Engine:
    """The evidence engine of the product."""

    def look(self, shot: int, evidence: Evidence, before: Any, options: Options) -> Look:  # noqa: ARG002 - the number is for others
        """The shot sheet as it is."""
        made = sheet(evidence, before, options)
        touched = (Origin.DECIDED, Origin.CHANGED)
        rows = tuple(
            Row(row.id, row.selected, tuple(answer.id for answer in row.answers), row.origin not in touched)
            for row in made.rows
        )
        return Look(made.proposal.ruling, made.certain, rows, made.taps)


def judge(case: Case, adjudicator: Adjudicator) -> Judged:
    """Let a truthful referee settle the shot on the adjudicator's sheet, and score it."""
    return judge_with(case, adjudicator)[0]


def judge_with(case: Case, adjudicator: Adjudicator) -> tuple[Judged, Look | None]:
    """The same with the sheet as it stood when it was accepted; None where the evidence could not be read."""
    evidence = case.evidence
    excluded = guessed = False
    first: int | None = None
    at_most = None
    look: Look | None = None
    truth = truth_fields(case.truth)
    for _ in range(ROUNDS):
        try:
            left = possible(evidence, case.before, case.options)
            if first is None:
                at_most = worst_case(evidence, case.before, case.options)
            look = adjudicator.look(case.shot, evidence, case.before, case.options)
        except RulesError:
            excluded = True
            break
        excluded = excluded or all(p.short != case.truth.short for p in left)
        open_rows = sum(row.undecided for row in look.rows)
        guessed = guessed or (look.certain and len(left) > 1)
        if first is None:
            first = open_rows
        change = next((row for row in look.rows if not _shows(row.selected, case.answers[row.id])), None)
        if change is None:
            break
        answer = next((a for a in change.answers if _shows(a, case.answers[change.id])), None)
        if answer is None:
            excluded = True
            break
        evidence = evidence.answered(change.id, answer)
    ruled = truth_fields(look.ruling) if look is not None else {}
    taps = look.taps if look else 0
    judged = Judged(case.shot, truth, ruled, first or 0, taps, at_most, excluded=excluded, guessed=guessed)
    return judged, look


def _shows(selected: str | None, wanted: str) -> bool:
    return selected is not None and (selected == wanted or wanted in selected.split(EITHER))
