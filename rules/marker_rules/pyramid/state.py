"""Where a pyramid match stands: frozen values, changed only by `match.apply` and `match.act`.

Shelf: balls a player has scored. Debt: penalty balls he owes (RP-27.1a). Score = shelf - debt + handicap.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from marker_rules.balls import GameId, Player
from marker_rules.options import Options
from marker_rules.ruling import Placement


class Phase(StrEnum):
    """How the next shot is played."""

    BREAK = "break"
    PLAY = "play"
    IN_HAND_HOUSE = "in-hand-house"
    IN_HAND_TEMP_HOUSE = "in-hand-temp-house"
    IN_HAND_ANY = "in-hand-any"  # dynamic: cue ball wrongly potted or off, no premium
    IN_HAND_ANY_PREMIUM = "in-hand-any-premium"


class Hand(StrEnum):
    """From where a cue ball in hand is played."""

    ANYWHERE = "anywhere"
    HOUSE = "house"


HAND_OF_PHASE = {
    Phase.BREAK: None,
    Phase.PLAY: None,
    Phase.IN_HAND_HOUSE: Hand.HOUSE,
    Phase.IN_HAND_TEMP_HOUSE: Hand.HOUSE,
    Phase.IN_HAND_ANY: Hand.ANYWHERE,
    Phase.IN_HAND_ANY_PREMIUM: Hand.ANYWHERE,
}


class Stage(StrEnum):
    """What the match waits for."""

    LAG = "lag"
    LAG_CHOICE = "lag-choice"
    SHOT = "shot"
    CHOICE = "choice"
    FRAME_OVER = "frame-over"
    MATCH_OVER = "match-over"


class Coloured(StrEnum):
    """Where the coloured ball is; `unknown` when a shelf it lay on gave back a ball and nobody said which."""

    TABLE = "table"
    SHELF_A = "shelf A"
    SHELF_B = "shelf B"
    HAND = "hand"
    UNKNOWN = "unknown"

    @staticmethod
    def shelf(player: Player) -> Coloured:
        """The shelf of `player`."""
        return Coloured.SHELF_A if player is Player.A else Coloured.SHELF_B


A = Player.A  # looked up once: the judge asks for it many times a shot


@dataclass(frozen=True, slots=True)
class Pair:
    """One whole number for each player."""

    a: int = 0
    b: int = 0

    def of(self, player: Player) -> int:
        """The number of `player`."""
        return self.a if player is A else self.b

    def put(self, player: Player, value: int) -> Pair:
        """The pair with `value` for `player`."""
        return Pair(value, self.b) if player is A else Pair(self.a, value)

    def add(self, player: Player, change: int) -> Pair:
        """The pair with `change` added for `player`."""
        if not change:
            return self
        return Pair(self.a + change, self.b) if player is A else Pair(self.a, self.b + change)

    def as_dict(self) -> dict[str, int]:
        """In the form of the scenario files."""
        return {"A": self.a, "B": self.b}


NONE_EACH = Pair()


ON_SHELF = frozenset({Coloured.SHELF_A, Coloured.SHELF_B})


@dataclass(frozen=True, slots=True)
class Table:
    """What lies on the table. `free`: the coloured ball is a ball like the others (free pyramid).

    `balls`: every ball on it, the coloured one included, in free pyramid (0..16); white balls in the other two (0..15).
    """

    balls: int
    coloured: Coloured = Coloured.TABLE


EMPTY_TABLE = Table(0)


class PenaltySource(StrEnum):
    """Where a penalty ball comes from."""

    SHELF = "shelf"
    DEBT = "debt"  # nothing on the shelf: owed (RP-27.1a)


@dataclass(frozen=True, slots=True)
class Penalty:
    """One penalty ball of `player`."""

    player: Player
    source: PenaltySource


@dataclass(frozen=True, slots=True)
class Pending:
    """An open choice: `chooser` picks one of `choices` after an offence of `offender`."""

    chooser: Player
    choices: tuple[str, ...]
    offender: Player
    penalty: Penalty | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Balls of one visit (RP-30). `seen`: a referee of the hall was called in time; `missed`: he was not."""

    player: Player | None = None
    count: int = 0
    seen: bool = False
    missed: bool = False
    recorded: int = 0  # balls a referee has seen


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A finished run that counts for the longest run (RP-30.1m, RP-30.3). `frame`: the frame in which it ended.

    untaken: balls of it for which the white is still to be taken (EXT-C3).
    """

    player: Player
    balls: int
    frame: int
    untaken: int = 0


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the match record that is no ball: sanction, remark, fine (`amount` in US dollars), break (in seconds).

    played: frames that were finished then.
    """

    clause: str
    player: Player | None
    note: str = ""
    amount: int = 0
    played: int = 0


@dataclass(frozen=True, slots=True)
class PyramidState:
    """A whole match as far as the rules need it."""

    game: GameId
    options: Options
    stage: Stage
    striker: Player
    phase: Phase
    table: Table
    shelf: Pair = NONE_EACH
    debt: Pair = NONE_EACH
    handicap: Pair = NONE_EACH
    frame: int = 1
    frames: Pair = NONE_EACH  # frames won
    breaker: Player | None = None
    pending: Pending | None = None
    placements: tuple[Placement, ...] = ()  # to be placed before the next shot
    to_take: int = 0  # whites to be taken off before the next stroke, for a potted cue ball
    taker: Player | None = None  # whose they are; not always the player who comes to the table
    winner: Player | None = None  # of the frame just finished
    series: bool = False  # the winner of the frame plays on (RP-30.4b)
    series_balls: int = 0  # balls potted while playing on
    run: Run = Run()
    runs: tuple[RunRecord, ...] = ()
    extensions: Pair = NONE_EACH  # extra times used in this frame (RP-28.2a)
    breaks: Pair = NONE_EACH  # five-minute breaks used (RP-29.1a)
    extra_breaks: Pair = NONE_EACH  # extra breaks used (RP-29.1b)
    match_winner: Player | None = None
    log: tuple[LogEntry, ...] = ()

    @property
    def score(self) -> Pair:
        """Score of the frame as it reads on the board (RP-27.1b)."""
        return Pair(
            self.shelf.a - self.debt.a + self.handicap.a,
            self.shelf.b - self.debt.b + self.handicap.b,
        )
