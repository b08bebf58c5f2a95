"""Which shots a score cannot tell apart: the stand-in of a state, by which rulings are sorted once for all scores.

Shelf and debt move by the same balls in every state; only the end of the frame changes a ruling (RP-30.4a). So a shot is
judged with both players far from it, and again at its brink where its balls bring the striker there. Where a foul gives
the opponent a ball (`opponent_plus_one`) balls on the table, debts and both scores decide together, and where somebody
has the balls to win before the shot everything ends it: such a state stands for itself.
"""

from __future__ import annotations

from collections.abc import Hashable

from marker_rules.balls import Player
from marker_rules.evidence.worlds import FAR
from marker_rules.options import Options
from marker_rules.pyramid.state import Pair, PyramidState

SHELF = Pair(1, 1)  # so that a penalty shows


def _left(before: PyramidState, options: Options) -> tuple[int, int]:
    """The balls both players lack to win the frame."""
    score, target = before.score, options["target"]
    return target - score.a, target - score.b


def _itself(before: PyramidState, options: Options) -> bool:
    """Whether the state stands for itself."""
    return options["penalty_scheme"] == "opponent_plus_one" or min(_left(before, options)) <= 0


def kind(before: PyramidState, options: Options) -> Hashable:
    """What of a state decides a ruling, the score and the balls on the table apart."""
    shot = (before.striker, before.stage, before.phase, before.series, before.winner, before.pending)
    if _itself(before, options):
        return (*shot, before.shelf, before.debt, before.handicap, before.table)
    return shot


def lacking(before: PyramidState, options: Options) -> tuple[int, ...]:
    """The balls the striker lacks to win, 1..FAR (16 are on the table); empty where the state stands for itself."""
    if _itself(before, options):
        return ()
    a, b = _left(before, options)
    return (min(FAR, a if before.striker is Player.A else b),)


def stand_in(before: PyramidState, left: tuple[int, ...], options: Options) -> PyramidState:
    """The same shot in a frame of which the striker lacks so many balls and his opponent all."""
    if not left:
        return before
    away = Pair(-FAR, -FAR)
    return PyramidState(
        game=before.game,
        options=options,
        stage=before.stage,
        striker=before.striker,
        phase=before.phase,
        table=before.table,
        shelf=SHELF,
        handicap=away.put(before.striker, options["target"] - SHELF.a - left[0]),
        pending=before.pending,
        winner=before.winner,
        series=before.series,
    )
