"""What a check reads, finds and reports."""

from enum import StrEnum

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong: rule or limit, where, and the sentence with value and remedy."""

    rule: str
    place: str
    message: str

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.rule}: {self.place}: {self.message}"


class Outcome(StrEnum):
    """What came of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of one check; reason only when it was skipped."""

    number: int
    title: str
    outcome: Outcome
    problems: tuple[Problem, ...] = ()
    reason: str = ""
    seconds: float = 0.0
