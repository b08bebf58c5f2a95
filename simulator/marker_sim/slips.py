"""Errors that are no physics: what a referee sees and calls, each at a rate of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from marker_rules.balls import Ball, GameId, Player
from marker_rules.facts import Strike
from marker_rules.shot import Call, When
from marker_sim.rng import Stream
from marker_sim.timeline import Timed

EACH = 0.003  # per stroke and kind
FIVE_PINS = ("E", "ZH", "Z", "L", "M", "N", "P", "R")
PYRAMID = ("RP-13", "RP-14", "RP-15.1", "RP-16", "RP-17.1")
SITTING = {"five-pins": "P", "pyramid": "RP-25"}  # the player who waits touches something


@dataclass(frozen=True, slots=True)
class Rates:
    """`each`: probability a stroke of every error; `own`: other probabilities by code; `scoop`: a ball struck into the air.

    `wrong_ball`: the opponent's ball struck for the own one (five-pins); `felt`: sensors feel what of an error can be felt.
    """

    each: float = EACH
    own: Mapping[str, float] = field(default_factory=dict)
    scoop: float = EACH
    wrong_ball: float = 0.0
    felt: bool = False

    @staticmethod
    def every(rate: float) -> Rates:
        """Each error as often as every other, also those that are strokes of their own, and felt where they can be."""
        return Rates(rate, {}, rate, rate, felt=True)

    def of(self, code: str) -> float:
        """Probability of one code a stroke."""
        return self.own.get(code, self.each)


DOUBLE_HIT = "Z"
AGAIN_S = (0.012, 0.08)  # from the first touch of the tip to the second
AGAIN_M_S = (0.3, 1.5)
DEFAULT_RATE = Rates()
NONE = Rates(0.0, {}, 0.0)


def slips(game: GameId, striker: Player, rates: Rates, chance: Stream) -> tuple[Call, ...]:
    """The calls of one stroke; at most one, since two at once tell nothing new and are rarer than one in 10,000."""
    codes = PYRAMID if game.is_pyramid else FIVE_PINS
    for code in codes:
        if chance.chance(rates.of(code)):
            return (Call(code, striker),)
    code = SITTING["pyramid" if game.is_pyramid else "five-pins"]
    if chance.chance(rates.of(f"{code} sitting")):
        return (Call(code, striker.other, When.SITTING),)
    return ()


def felt(calls: tuple[Call, ...], rates: Rates, chance: Stream) -> tuple[Timed, ...]:
    """What sensors feel of these errors: the tip that touches the ball again (FP-F.Z)."""
    if not rates.felt or not any(call.code == DOUBLE_HIT for call in calls):
        return ()
    return (Timed(round(chance.uniform(*AGAIN_S) * 1e9), Strike(Ball.CUE), chance.uniform(*AGAIN_M_S)),)
