"""What a scoreboard needs of the rules' state of any game: the one place that knows how the families name it."""

from __future__ import annotations

from typing import Any, NamedTuple

from marker_hub.match.state import MatchState, due_of
from marker_rules.balls import Player
from marker_rules.game import DueKind


class GameLine(NamedTuple):
    """A finished game or frame."""

    n: int
    winner: str
    score: dict[str, int] | None
    forfeit: bool


class Board(NamedTuple):
    """score, games (won so far) by player; shelf, debt, extensions: pyramid only; run: (player, balls) while one lasts."""

    game_no: int
    striker: str
    score: dict[str, int]
    games: dict[str, int]
    opener: str | None
    winner: str | None
    results: tuple[GameLine, ...]
    mode: str
    shelf: dict[str, int] | None = None
    debt: dict[str, int] | None = None
    extensions: dict[str, int] | None = None
    run: tuple[str, int] | None = None
    ball_of_a: str = ""


def pair(value: Any) -> dict[str, int]:
    """A per-player number of either family."""
    return {player.value: int(value.of(player)) for player in Player}


def name(player: Any) -> str | None:
    """A player's letter."""
    return player.value if player is not None else None


def game_no(state: Any) -> int:
    """Number of the game or frame being played, 1.."""
    found = getattr(state, "game_no", None)
    return int(found if found is not None else getattr(state, "frame", 1))


def board(match: MatchState, state: Any = None) -> Board:
    """The board of a match, or of another state of it."""
    state = match.state if state is None else state
    if match.game_id.is_pyramid:
        return _pyramid(match, state)
    results = tuple(
        GameLine(at + 1, row.winner.value, pair(row.score), row.forfeit) for at, row in enumerate(state.results)
    )
    return Board(
        game_no=state.game_no,
        striker=state.striker.value,
        score=pair(state.score),
        games=pair(state.games_won),
        opener=name(state.opener),
        winner=name(state.winner),
        results=results,
        mode=state.mode.value,
        ball_of_a=state.ball_of_a,
    )


def _pyramid(match: MatchState, state: Any) -> Board:
    due = due_of(match.head.game, state)
    run = state.run
    return Board(
        game_no=state.frame,
        striker=state.striker.value,
        score=pair(state.score),
        games=pair(state.frames),
        opener=name(state.breaker),
        winner=name(due.player) if due.kind is DueKind.OVER else None,
        results=_frames(match),
        mode=state.phase.value,
        shelf=pair(state.shelf),
        debt=pair(state.debt),
        extensions=pair(state.extensions),
        run=(run.player.value, run.count) if run.player is not None and run.count else None,
    )


def _frames(match: MatchState) -> tuple[GameLine, ...]:
    """The finished frames, read from the story: the pyramid state keeps only their number."""
    lines: list[GameLine] = []
    won = {"A": 0, "B": 0}
    state = match.start
    for item in (*match.items, None):
        after = match.state if item is None else getattr(item, "before", None)
        if after is None or (item is not None and item.aside_n):
            continue
        now = pair(after.frames)
        for player in ("A", "B"):
            if now[player] > won[player]:
                lines.append(GameLine(len(lines) + 1, player, pair(state.score), forfeit=False))
        won, state = now, after
    return tuple(lines)


class BallCount(NamedTuple):
    """Pyramid: balls on the table and on the shelves, which together are `full` (free 16; else the 15 whites)."""

    on_table: int
    shelves: dict[str, int]
    full: int

    @property
    def missing(self) -> int:
        """How many balls nobody accounts for; negative: more than there are."""
        return self.full - self.on_table - sum(self.shelves.values())


def ball_count(match: MatchState) -> BallCount | None:
    """The count of the game being played; None where the game has no shelves."""
    if not match.game_id.is_pyramid:
        return None
    from marker_rules.pyramid.view import FULL

    state = match.state
    return BallCount(state.table.balls, pair(state.shelf), FULL[match.game_id])
