"""What the winner of a frame of pyramid does with it: he plays on to lengthen his run, has the next frame racked within it, or breaks anew.

Drawn from the match's own seed and the number of shots, so that every driver of the same match does the same.
"""

from __future__ import annotations

from marker_rules.game import DueKind
from marker_rules.pyramid.match import CONTINUE, NEW_RACK, NEXT_FRAME
from marker_sim.rng import Stream
from marker_sim.truth import TrueMatch

LIKELY = {CONTINUE: 0.5, NEW_RACK: 0.2, NEXT_FRAME: 0.3}
RACKS_ANEW = 0.15  # before each stroke of a run that goes on


def after_frame(match: TrueMatch, seed: int, table: str) -> str:
    """`continue_run`, `new_rack` or `next_game` after a game that is not the last; of five-pins always the next game."""
    chance = Stream(seed, table, "after the frame", len(match.shots))
    offered = [(name, LIKELY[name]) for name in match.due.choices if name in LIKELY]
    return chance.weighted(offered) if len(offered) > 1 else NEXT_FRAME


def plays_on(match: TrueMatch, seed: int, table: str) -> bool:
    """Whether the winner of the match plays on after its last frame (RP-30.4b)."""
    offered = match.due.kind is DueKind.OVER and CONTINUE in match.due.choices
    return offered and Stream(seed, table, "after the match", len(match.shots)).chance(LIKELY[CONTINUE])


def racks_anew(match: TrueMatch, seed: int, table: str) -> bool:
    """Whether a player whose run goes on has the next frame racked before this stroke (RP-30.4d)."""
    offered = match.due.kind is DueKind.SHOT and NEW_RACK in match.due.choices
    return offered and Stream(seed, table, "new rack", len(match.shots)).chance(RACKS_ANEW)
