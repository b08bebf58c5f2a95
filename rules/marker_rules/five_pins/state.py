"""The state of a five-pins match as far as the rules need it: one frozen value, changed only by `apply` and `act`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from marker_rules.balls import ALL_PINS, GameId, Pin, Player
from marker_rules.options import Options
from marker_rules.ruling import Placement

_A = Player.A


class Mode(StrEnum):
    """How the next stroke is played."""

    NORMAL = "normal"
    OPENING = "opening"  # first stroke of a game (FP-4.1 to FP-4.6)
    HAND = "hand"  # ball in hand (FP-H.1a)
    CONTACT_RESET = "contact-reset"  # after the three balls were set up anew (FP-C.5, FP-C.6)
    IDLE = "idle"  # no stroke was made: something happened between strokes


class Phase(StrEnum):
    """What the match waits for; `due` turns it into the words of the game protocol."""

    LAG = "lag"
    LAG_CHOICE = "lag-choice"
    SHOT = "shot"
    NEXT_GAME = "next-game"
    OVER = "over"


class Half(StrEnum):
    """Half of the table, or the line between them."""

    UPPER = "upper"
    LOWER = "lower"
    MIDLINE = "midline"


class Score(NamedTuple):
    """Points of both players, player A first."""

    a: int = 0
    b: int = 0

    def of(self, player: Player) -> int:
        """The points of one player."""
        return self.a if player is _A else self.b

    def plus(self, player: Player, points: int) -> Score:
        """The score with `points` added for one player."""
        return Score(self.a + points, self.b) if player is _A else Score(self.a, self.b + points)

    def capped(self, limit: int) -> Score:
        """Cut down to the limit of the game (FP-2.3)."""
        return Score(min(limit, self.a), min(limit, self.b))

    def words(self) -> dict[str, int]:
        """As in the scenario files: `{"A": 3, "B": 0}`."""
        return {"A": self.a, "B": self.b}


NIL = Score()


class GameResult(NamedTuple):
    """One finished game. `forfeit`: awarded, not won by points; the score is kept as it stood (FP-9.1)."""

    winner: Player
    score: Score
    opener: Player
    forfeit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FivePinsState:
    """score: this game, 0..limit. pins: standing now. hand_half: where the striker with ball in hand places his ball.

    games: length of the match, 1 for a single scenario. `results`: the finished games, in order; `lag_winner` holds
    the choice in phase LAG_CHOICE. `forfeit_match`: the match was awarded (FP-9.2).
    """

    striker: Player
    limit: int
    score: Score = NIL
    mode: Mode = Mode.NORMAL
    pins: frozenset[Pin] = ALL_PINS
    phase: Phase = Phase.SHOT
    game_no: int = 1
    games: int = 1
    opener: Player | None = None
    first_opener: Player | None = None
    results: tuple[GameResult, ...] = ()
    winner: Player | None = None
    forfeit_match: bool = False
    lag_winner: Player | None = None
    late_marks: tuple[Player, ...] = ()
    ball_of_a: str = ""
    handicap: Score = NIL
    placements: tuple[Placement, ...] = ()
    hand_half: Half | None = None
    options: Options = field(default_factory=lambda: Options(GameId.FIVE_PINS))

    @property
    def games_won(self) -> Score:
        """Games won so far."""
        won_a = sum(result.winner is Player.A for result in self.results)
        return Score(won_a, len(self.results) - won_a)
