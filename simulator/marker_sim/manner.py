"""How the simulated referee works: at once or slowly, carefully or not, and whether he takes rulings back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from marker_sim.rng import Stream

THINK_S = 1.2  # how long he looks at a sheet, table time
SLOW_S = (3.0, 6.0)


class Kind(StrEnum):
    """`truthful`: right and at once. `slow`: right, in his own time. `sloppy`: answers wrong now and then, sees it at his
    next look and puts it right. `undoing`: takes the
    first answer of every sheet back and gives it again, which must change nothing.
    """

    TRUTHFUL = "truthful"
    SLOW = "slow"
    SLOPPY = "sloppy"
    UNDOING = "undoing"


@dataclass(slots=True)
class Manner:
    """One referee. `sloppy`: probability that an answer is wrong at first; `errors`: shots in which he gave a wrong one."""

    kind: Kind = Kind.TRUTHFUL
    seed: int = 1
    sloppy: float = 0.05
    errors: set[int] = field(default_factory=set)
    _undone: set[int] = field(default_factory=set)
    _looked: set[int] = field(default_factory=set)

    def thinks_s(self, shot: int) -> float:
        """How long he looks before he does the next thing, table time."""
        if self.kind is Kind.SLOW:
            return Stream(self.seed, "referee", "slow", shot).uniform(*SLOW_S)
        return THINK_S

    def answers(self, shot: int, sheet: dict[str, Any], truth: dict[str, str]) -> dict[str, str]:
        """What he takes for true at this sheet: the truth, or, at his first look, sometimes something else in a row."""
        if self.kind is not Kind.SLOPPY or shot in self._looked:
            return truth
        self._looked.add(shot)
        chance = Stream(self.seed, "referee", "sloppy", shot)
        said = dict(truth)
        for row in sheet["rows"]:
            wrong = chance.chance(self.sloppy)
            if row["multi"] or row["id"] not in said:
                continue
            others = [a["id"] for a in row["answers"] if said[row["id"]] not in a["id"].split("|")]
            if wrong and others and not self._shown(row, others):
                said[row["id"]] = chance.pick(others).split("|")[0]
                self.errors.add(shot)
        return said

    @staticmethod
    def _shown(row: dict[str, Any], others: list[str]) -> bool:
        """Whether the row shows something wrong already: then he would only have to leave it, and look again never."""
        return any(answer["selected"] and answer["id"] in others for answer in row["answers"])

    def takes_back(self, shot: int) -> bool:
        """Whether the answer just given is taken back; once a shot."""
        if self.kind is not Kind.UNDOING or shot in self._undone:
            return False
        self._undone.add(shot)
        return True
