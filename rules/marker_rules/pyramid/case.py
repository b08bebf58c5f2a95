"""One shot under judgement, and what sets one pyramid game apart from another."""

from __future__ import annotations

from dataclasses import dataclass

from marker_rules.balls import Ball, GameId
from marker_rules.options import Options
from marker_rules.pyramid.legality import Met
from marker_rules.pyramid.offences import Entered
from marker_rules.pyramid.ruling import Violation
from marker_rules.pyramid.state import Hand, Phase, PyramidState
from marker_rules.pyramid.story import Story
from marker_rules.ruling import Step
from marker_rules.shot import When


@dataclass(frozen=True, slots=True)
class GameLaw:
    """What sets one pyramid game apart. cue_credit, cue_foul: clauses of a cue ball potted legally, wrongly."""

    id: GameId
    fixed_cue: bool = False  # the coloured ball is the cue ball of every shot (RP-3.2)
    hand: Hand = Hand.ANYWHERE  # where a cue ball in hand is played from
    premium: bool = False  # a shot in hand after a credited cue ball is a premium shot (EXT-D2)
    house: bool = False  # an in-hand shot must meet a ball outside the house first (RP-19.2a)
    cue_credit: str = ""
    cue_foul: str = ""
    turn: str = "RP-20.1"  # clause cited for the turn (AMB-15)
    plus_one: str = "RP-5.0"  # clause cited for a ball to the opponent (AMB-09)


AFTER = When.AFTER
IN_HOUSE = frozenset({Phase.IN_HAND_HOUSE, Phase.IN_HAND_TEMP_HOUSE})


class Case:
    """One shot under judgement: inputs, and what has been found so far.

    restored: disturbed by the sitting player, everything put back. uncounted: potted by a legal shot, but not to be
    credited.
    """

    __slots__ = (
        *("before", "credited", "entered", "law", "legal", "met", "options", "readings", "restored", "steps", "story"),
        *("striker", "uncounted", "violations", "whites_taken"),
    )

    def __init__(self, law: GameLaw, before: PyramidState, options: Options, story: Story, entered: Entered) -> None:
        self.law = law
        self.before = before
        self.striker = before.striker  # whose shot is judged
        self.options = options
        self.story = story
        self.entered = entered
        self.violations: list[Violation] = list(entered.violations)
        self.met: Met | None = None
        self.legal = False
        self.credited: list[Ball] = []
        self.whites_taken = 0
        self.restored = False
        self.uncounted: list[Ball] = []
        self.readings: list[str] = []
        self.steps: list[Step] = []

    def spoiled(self) -> bool:
        """Whether a violation of the stroke itself makes the shot illegal (RP-20.2)."""
        return any(map(self.spoils, self.violations))

    def spoils(self, violation: Violation) -> bool:
        """Whether this violation voids the shot: by the striker, before its end."""
        return violation.by is self.striker and not self.is_late(violation)

    def is_late(self, violation: Violation) -> bool:
        """Whether it belongs to the time after the shot; a premature stroke does, when it spoils the new shot only."""
        if violation.when is AFTER:
            return True
        return violation.clause == "RP-12.2" and not self.options["premature_voids_previous"]
