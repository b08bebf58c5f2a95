"""What a pyramid shot was worth."""

from __future__ import annotations

from dataclasses import dataclass

from marker_rules.balls import Ball, Player
from marker_rules.frozen import quickly_made
from marker_rules.pyramid.state import EMPTY_TABLE, NONE_EACH, Hand, Pair, Penalty, Phase, Table
from marker_rules.ruling import Ruling
from marker_rules.shot import When


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach of the rules: `clause` as in the scenario files, who, when."""

    clause: str
    by: Player
    when: When = When.DURING


CLAUSE_5 = ("play", "cede")
CLAUSE_11_2 = ("accept_play", "accept_cede", "rerack_play", "rerack_cede")


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class PyramidRuling(Ruling):
    """`legal` is None where no shot was judged (no stroke was made, or the shot is void and played again).

    shelf, debt, score, table: after the ruling. `taken`: balls the opponent of an offender takes from the table
    (penalty scheme `opponent_plus_one`). `phase`: how the next shot is played. `run`: balls of the striker's visit.
    """

    legal: bool | None
    legal_by: str | None
    violations: tuple[Violation, ...] = ()
    credited: tuple[Ball, ...] = ()
    respot: tuple[str, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    debt_paid: int = 0
    whites_taken_for_cue_ball: int = 0
    taken: int = 0
    ball_in_hand: Hand | None = None
    may_continue_run: Player | None = None
    shelf: Pair = NONE_EACH
    debt: Pair = NONE_EACH
    score: Pair = NONE_EACH
    table: Table = EMPTY_TABLE
    phase: Phase = Phase.PLAY
    void: bool = False
    series: bool = False
    run: int = 0
    run_over: bool = False
    prompts: tuple[str, ...] = ()  # clauses that ask the players for something now (RP-30.2m)

    @property
    def penalty(self) -> Penalty | None:
        """The penalty ball, or the first of two when both players offended."""
        return self.penalties[0] if self.penalties else None

    @property
    def balls_to_place(self) -> int:
        """Balls to be put on the table: respots, paid debts, penalty balls of a shelf; a ball in hand is not counted."""
        return len(self.placements)

    @property
    def short(self) -> str:
        """`A+2`, `0`, `F` the striker's foul (two options), `F4` (four); `*` with the cue ball in hand.

        What a foul does not take away stands before it, with its player: `A+2/FA` touched a ball after the shot,
        `0/FB` disturbed by the waiting player, `F/FB` both erred.
        """
        offenders = dict.fromkeys(violation.by for violation in self.violations)
        if self.striker in offenders and not self.credited:
            del offenders[self.striker]
            text = "F4" if len(self.choices) == len(CLAUSE_11_2) else "F"
        else:
            text = f"{self.striker}+{len(self.credited)}" if self.credited else "0"
        text += "".join(f"/F{player}" for player in offenders)
        return text if self.ball_in_hand is None else text + "*"
