"""What a game must offer, and the registry of games. Everything else in the product asks a game only through this.

A state is a frozen value that holds a whole match as far as the rules need it. It changes only by `apply` (a ruling of
a shot) and `act` (everything that is not a shot); `due` says what the rules wait for now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.options import Options
from marker_rules.ruling import Placement, Ruling
from marker_rules.shot import Shot


@dataclass(frozen=True, slots=True)
class Setup:
    """How a match is arranged: switches and settings are inside `options` (points_limit and games, or race_to)."""

    options: Options
    handicap: Mapping[Player, int] = field(default_factory=dict)  # points or balls at the start of each game
    opener: Player | None = None  # None: a lag decides
    ball_of_a: str = ""  # five-pins: "white" or "yellow" once assigned


class DueKind(StrEnum):
    """What the rules wait for."""

    LAG = "lag"
    CHOICE = "choice"
    SHOT = "shot"
    NEXT_GAME = "next-game"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Due:
    """`player`: who strikes or chooses; `choices`: what he may choose; `placements`: to be done before; `break_s`: break due before the next game, s."""

    kind: DueKind
    player: Player | None = None
    choices: tuple[str, ...] = ()
    placements: tuple[Placement, ...] = ()
    mode: str = ""  # how the shot is played (`opening`, `hand`, `break`, `in-hand-house`, ...)
    break_s: int = 0


@dataclass(frozen=True, slots=True)
class Action:
    """Something that is not a shot: `kind` as listed by the game, `player` concerned, `value` and `args` as it needs.

    Kinds every game knows: `lag` (value winner A, B or `replay`; args late=..), `choose` (value one of the choices
    due), `layout` (value what stands or lies on the table), `award_game`, `award_match` (player = who gets it, note),
    `next_game`, `interference` (value restorable or lost), `log` (value clause id). A game adds its own.
    """

    kind: str
    player: Player | None = None
    value: str = ""
    args: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class ManualEntry:
    """A referee's own ruling (FP-P.3 and alike). The note is mandatory. stroke: False when nothing was struck."""

    points: Mapping[Player, int]
    note: str
    next: Player | None = None
    ball_in_hand: bool = False
    placements: tuple[Placement, ...] = ()
    stroke: bool = True


class Game(Protocol):
    """One game. `S` and `R` of a game are its own State and Ruling classes; callers treat them as opaque frozen values."""

    id: GameId

    def start(self, setup: Setup) -> Any:
        """The state before the first act of a match."""
        ...

    def rule(self, shot: Shot, before: Any, options: Options) -> Ruling:
        """Judge one shot. Raises MalformedFact, IllegalFact, IllegalInput."""
        ...

    def manual(self, entry: ManualEntry, before: Any, options: Options) -> Ruling:
        """The referee's own ruling as a ruling. Raises IllegalInput without a note."""
        ...

    def apply(self, before: Any, ruling: Ruling, choice: str | None = None) -> Any:
        """The state after a ruling (and, at once, the choice it opened). Where nothing was struck, `before.placements` still are due."""
        ...

    def act(self, before: Any, action: Action) -> Any:
        """The state after something that is not a shot. Raises IllegalInput where the rules do not allow it now."""
        ...

    def due(self, state: Any) -> Due:
        """What the rules wait for in `state`."""
        ...

    def read_before(self, before: Mapping[str, Any], options: Options) -> Any:
        """A state from the `before` of a scenario file. Raises IllegalInput naming the field."""
        ...

    def result(self, ruling: Ruling, before: Any) -> dict[str, Any]:
        """The ruling in the field names of the scenario files' `expect`."""
        ...


_MODULES = {
    GameId.FIVE_PINS: ("marker_rules.five_pins.game", "FIVE_PINS"),
    GameId.FREE: ("marker_rules.pyramid.games", "FREE"),
    GameId.DYNAMIC: ("marker_rules.pyramid.games", "DYNAMIC"),
    GameId.COMBINED: ("marker_rules.pyramid.games", "COMBINED"),
}


@cache
def game(game_id: GameId | str) -> Game:
    """The game of that name. Raises IllegalInput naming the games there are."""
    try:
        module, name = _MODULES[GameId(game_id)]
    except ValueError:
        names = ", ".join(GameId)
        raise IllegalInput(f"game '{game_id}' is not known; there are {names}", code="game") from None
    found: Game = getattr(import_module(module), name)
    return found
