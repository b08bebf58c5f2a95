"""Who plays: what a table's driver asks of a game being played by physics. It knows where the balls lie; the driver does not.

A driver (with a hub or without) goes by what the rules are waiting for in `match.due`:

    lag        `lag()`: the winner, or `replay` (with who struck late)
    choice     `choose(match)`: one of `match.due.choices`
    shot       `prepare(match)`: acts the referee must enter before the stroke (pins that cannot stand, the temporary
               house), to be done on the truth and at the hub; then `stroke(match, number)`: the finished shot, told as a
               timeline, balls left where they came to rest; then `match.strike(timeline)`
    next game  `match.game.act(...)`; the balls are set up anew by the next `stroke`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from marker_rules.balls import Player
from marker_rules.game import Action
from marker_sim.physics.engine import Engine
from marker_sim.physics.table import PlayTable
from marker_sim.players import PRESETS, Skill
from marker_sim.slips import DEFAULT_RATE, Rates
from marker_sim.timeline import Timeline
from marker_sim.truth import TrueMatch
from marker_sim.uniform import Launch


@dataclass(frozen=True, slots=True)
class LagOutcome:
    """`winner` None: to be repeated; `late`: players who struck late."""

    winner: Player | None
    late: tuple[Player, ...] = ()


class Play(Protocol):
    """One match being played. The same `seed` and `name` (of the table) play the same match, whatever drives it."""

    seed: int
    name: str
    table: PlayTable
    last: Engine | None  # the shot just played
    launch: Launch | None  # how it was struck

    def lag(self) -> LagOutcome:
        """Both players strike for the opening."""
        ...

    def choose(self, match: TrueMatch) -> str:
        """What the player who has the choice takes."""
        ...

    def prepare(self, match: TrueMatch) -> tuple[Action, ...]:
        """What the referee has to say before the next stroke, in this order; nothing is changed by asking."""
        ...

    def stroke(self, match: TrueMatch, number: int) -> Timeline:
        """Place what the rules want placed, play stroke `number` (1..) and tell it. Raises SimulationError."""
        ...


@dataclass(frozen=True, slots=True)
class Style:
    """How both players play. `slips`: errors no sensor feels, a stroke; `check`: invariants at every event; `trace`: ways are kept to be drawn.

    `table`: another table than the shipped one of the game's profile; `check_every`: the same for one stroke in so many, 0 for none.
    """

    skill: Skill = PRESETS["club"]
    slips: Rates = DEFAULT_RATE
    check: bool = False
    trace: bool = False
    table: PlayTable | None = None
    check_every: int = 0

    def checks(self, seed: int, number: int) -> bool:
        """Whether the invariants are tested at every event of stroke `number` of a match; at its end they are in any case."""
        return self.check or (self.check_every > 0 and (seed + number) % self.check_every == 0)
