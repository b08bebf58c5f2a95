"""Asking the rules: what a shot may have been worth, what is still open, what is proposed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from marker_hub.assembler.reading import evidence
from marker_hub.assembler.run import ShotRun
from marker_rules.errors import IllegalFact, IllegalInput, MalformedFact, Undecided
from marker_rules.evidence.observations import PICK, Evidence
from marker_rules.evidence.questions import Question, next_question
from marker_rules.evidence.sheet import Sheet, sheet
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.ruling import Ruling
from marker_rules.shot import Shot

RULES_ERRORS = (IllegalInput, IllegalFact, MalformedFact, Undecided)


class Judged(NamedTuple):
    """What the rules say of a shot: the one ruling that is left or the likeliest, the sheet, or why they cannot say."""

    ruling: Ruling | None
    certain: bool
    sheet: Sheet | None
    problem: str = ""

    @property
    def acceptable(self) -> bool:
        """True when one press may accept: a ruling is proposed and no row is left without a selected answer."""
        return self.ruling is not None and (self.sheet is None or not self.sheet.needed)


@lru_cache(maxsize=2048)
def _sheet(seen: Evidence, before: Any, options: Options) -> Sheet | str:
    try:
        return sheet(seen, before, options)
    except RULES_ERRORS as error:
        return error.message


@lru_cache(maxsize=2048)
def _question(seen: Evidence, before: Any, options: Options) -> Question | None:
    try:
        return next_question(seen, before, options)
    except RULES_ERRORS:
        return None


def evidence_of(run: ShotRun, profile: str, override: tuple[tuple[int, str], ...]) -> Evidence:
    """The evidence of a run, with the ruling that was picked directly, if any."""
    seen = evidence(run, profile, override)
    return seen.answered(PICK, run.picked) if run.picked else seen


def judge(run: ShotRun, state: Any, options: Options, profile: str, override: tuple[tuple[int, str], ...]) -> Judged:
    """What the rules make of a run in a state. Never raises: a contradiction comes back as `problem`."""
    return _judge(_Asked(run, state, options, profile, override))


class _Asked:
    """A run in a state; equal only to the same objects, which never change. Step, command, page and sheet ask one after another."""

    __slots__ = ("options", "override", "profile", "run", "state")

    def __init__(
        self, run: ShotRun, state: Any, options: Options, profile: str, override: tuple[tuple[int, str], ...]
    ) -> None:
        self.run, self.state, self.options, self.profile, self.override = run, state, options, profile, override

    def __hash__(self) -> int:
        return hash((id(self.run), id(self.state)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Asked)
            and self.run is other.run
            and self.state is other.state
            and self.options is other.options
            and (self.profile, self.override) == (other.profile, other.override)
        )


@lru_cache(maxsize=256)
def _judge(asked: _Asked) -> Judged:
    run, state, options = asked.run, asked.state, asked.options
    seen = evidence_of(run, asked.profile, asked.override)
    if run.idle:
        try:
            ruling = game(options.game).rule(Shot(seen.facts, seen.calls, tuple(run.answers)), state, options)
        except RULES_ERRORS as error:
            return Judged(None, False, None, error.message)
        return Judged(ruling, True, None)
    made = _sheet(seen, state, options)
    if isinstance(made, str):
        return Judged(None, False, None, made)
    return Judged(made.proposal.ruling, made.certain, made)


def question(
    run: ShotRun, state: Any, options: Options, profile: str, override: tuple[tuple[int, str], ...]
) -> Question | None:
    """The next question of the sheet, one at a time (buttons, API)."""
    return None if run.idle else _question(evidence_of(run, profile, override), state, options)
