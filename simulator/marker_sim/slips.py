"""Errors that are no physics: what a referee sees and calls, each at a rate of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from marker_rules.balls import GameId, Player
from marker_rules.shot import Call, When
from marker_sim.rng import Stream

EACH = 0.003  # per stroke and kind
FIVE_PINS = ("E", "ZH", "Z", "L", "M", "N", "P", "R")
PYRAMID = ("RP-13", "RP-14", "RP-15.1", "RP-16", "RP-17.1")
SITTING = {"five-pins": "P", "pyramid": "RP-25"}  # the player who waits touches something


@dataclass(frozen=True, slots=True)
class Rates:
    """`each`: probability a stroke of every error; `own`: other probabilities by code; `scoop`: a ball struck into the air."""

    each: float = EACH
    own: Mapping[str, float] = field(default_factory=dict)
    scoop: float = EACH

    def of(self, code: str) -> float:
        """Probability of one code a stroke."""
        return self.own.get(code, self.each)


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
