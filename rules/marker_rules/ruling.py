"""What a shot was worth: the part of a ruling that is the same in every game.

A game adds its own fields in a subclass. All of them are plain frozen dataclasses of strings, numbers, enums and
tuples, so a ruling can be stored, compared and read back without knowing the code that made it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from marker_rules.balls import GameId, Player


class Turn(StrEnum):
    """Who strikes next."""

    A = "A"
    B = "B"
    REFEREE = "referee"  # he must decide first

    @staticmethod
    def of(player: Player) -> Turn:
        """The turn of `player`."""
        return Turn(player.value)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the derivation: `clause` did `text` (a key of the phrase catalogue, filled with `args`) because of `facts` (indices)."""

    clause: str
    text: str
    args: tuple[tuple[str, str | int], ...] = ()
    facts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the points: `name` as in the scenario files, `points` (negative: cancelled), credited to `to`."""

    name: str
    points: int
    to: Player


@dataclass(frozen=True, slots=True)
class Placement:
    """Something to be put back: `what` (pin or ball), `spot` a name of the table file, empty where the referee chooses."""

    what: str
    spot: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """Common part. `next` is None when game or frame is over; `chooser` chooses one of `choices` before play goes on.

    placements: what this ruling has put back; stroke: False when nothing was struck, and it only adds to what was due before.
    """

    game: GameId
    striker: Player
    next: Turn | None
    winner: Player | None = None
    chooser: Player | None = None
    choices: tuple[str, ...] = ()
    placements: tuple[Placement, ...] = ()
    interpretations: tuple[str, ...] = ()
    manual: bool = False
    note: str = ""
    stroke: bool = True
    steps: tuple[Step, ...] = ()

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clause ids this ruling rests on, each once, in the order of the derivation."""
        return tuple(dict.fromkeys(step.clause for step in self.steps))

    @property
    def short(self) -> str:
        """The ruling in one word, as in the evidence scenarios: `A+6`, `B+4*`, `0`, `F`, `F4`."""
        raise NotImplementedError  # pragma: no cover - every game has its own
