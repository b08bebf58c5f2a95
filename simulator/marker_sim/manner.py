"""How the simulated referee works: at once or slowly, carefully or not, taking things back, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from marker_sim.rng import Stream

THINK_S = 1.2  # how long he looks at a sheet, table time
SLOW_S = (3.0, 6.0)


class Kind(StrEnum):
    """`truthful`: right and at once. `slow`: right, but table time passes before each thing he does. `sloppy`: answers wrong now
    and then; sees it at his next look, or only after he accepted, and puts it right. `undoing`: takes the first answer and the
    acceptance of every shot back and gives them again. `absent`: there is none; the house's rule accepts what is certain, and
    what it leaves open somebody who was asked to come decides. `buttons`: right and at once, with the four buttons of the table where
    they can say it, else at the page.
    """

    TRUTHFUL = "truthful"
    SLOW = "slow"
    SLOPPY = "sloppy"
    UNDOING = "undoing"
    ABSENT = "absent"
    BUTTONS = "buttons"


@dataclass(slots=True)
class Manner:
    """One referee. `sloppy`: probability that an answer is wrong at first; `errors`: shots in which he gave a wrong one.

    `pressed`: buttons of the table; `unheard`: presses after which nothing happened, so that he went to the page.
    """

    kind: Kind = Kind.TRUTHFUL
    seed: int = 1
    sloppy: float = 0.05
    errors: set[int] = field(default_factory=set)
    pressed: int = 0
    unheard: int = 0
    _undone: set[tuple[int, str]] = field(default_factory=set)
    _looked: set[int] = field(default_factory=set)
    _wrong: dict[int, dict[str, str]] = field(default_factory=dict)  # what he still takes for true after he accepted it

    @property
    def absent(self) -> bool:
        """Nobody referees."""
        return self.kind is Kind.ABSENT

    @property
    def at_buttons(self) -> bool:
        """He presses the table's buttons where he can."""
        return self.kind is Kind.BUTTONS

    def thinks_s(self, shot: int) -> float:
        """How long he looks before he does the next thing, table time."""
        if self.kind is Kind.SLOW:
            return Stream(self.seed, "referee", "slow", shot).uniform(*SLOW_S)
        return THINK_S

    def answers(self, shot: int, sheet: dict[str, Any], truth: dict[str, str]) -> dict[str, str]:
        """What he takes for true at this sheet: the truth, or, at his first look, sometimes something else in a row."""
        if shot in self._wrong:
            return self._wrong[shot]
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
        if shot in self.errors and chance.chance(0.5):
            self._wrong[shot] = said
        return said

    @staticmethod
    def _shown(row: dict[str, Any], others: list[str]) -> bool:
        """Whether the row shows something wrong already: then he would only have to leave it, and look again never."""
        return any(answer["selected"] and answer["id"] in others for answer in row["answers"])

    def takes_back(self, shot: int, what: str = "answer") -> bool:
        """Whether the answer or the acceptance (`what`) just given is taken back: once a shot, or because it was wrong."""
        if what == "accept" and self._wrong.pop(shot, None) is not None:
            return True
        if self.kind is not Kind.UNDOING or (shot, what) in self._undone:
            return False
        self._undone.add((shot, what))
        return True
