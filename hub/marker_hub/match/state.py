"""One match: the rules' state, and the story that led to it, kept so that any part of it can be told again differently."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, TypeAlias, get_type_hints

import msgspec

from marker_hub.assembler.run import ShotRun
from marker_hub.entries import Json, MatchStarted
from marker_rules.balls import GameId, Player
from marker_rules.game import Action, Due, Game, Setup, game
from marker_rules.options import Options
from marker_rules.ruling import Ruling

EDITION = "1"
"""Edition of the judging code, stored with each ruling; raised when a ruling may come out differently."""


class Status(StrEnum):
    """What became of a judged shot."""

    FINAL = "final"
    CORRECTED = "corrected"
    MANUAL = "manual"
    VOID = "void"
    OPEN = "open"  # after a correction its evidence allows several rulings: nothing counts until somebody decides


class ShotRecord(msgspec.Struct, frozen=True):
    """A judged shot. before: the rules' state it was judged in; old: the ruling before the last correction.

    n: journal position of the ruling; open: after a correction this shot needs a look (another striker by rule) or, with
    status OPEN and no ruling, a decision.
    given: what the referee entered for a manual ruling.
    placed: of a ruling between strokes, what was due to be put back and already had been.
    aside_n: position of the correction that set it aside, 0 where it counts.
    review: the ruling that late evidence or newer rules would give; the one decided stays until somebody takes or keeps it.
    """

    no: int
    game_no: int
    striker: str
    run: ShotRun
    before: Any
    ruling: Any
    status: Status
    n: int
    old: Any = None
    computed: Any = None
    given: Json | None = None
    note: str = ""
    by: str = ""
    edition: str = EDITION
    open: bool = False
    aside_n: int = 0
    review: Any = None
    placed: tuple[str, ...] = ()


class Act(msgspec.Struct, frozen=True):
    """Something that is not a shot, done to the rules' state at journal position n; aside_n as for shots."""

    action: Action
    n: int
    aside_n: int = 0


Item: TypeAlias = ShotRecord | Act


class MatchState(msgspec.Struct, frozen=True):
    """head: how it was arranged. start: the rules' state before the first item. state: the one now. next_no: the next shot's number."""

    head: MatchStarted
    options: Options
    start: Any
    state: Any
    items: tuple[Item, ...] = ()
    next_no: int = 1
    started_ms: int = 0
    signed: bool = False
    revision: int = 1

    @property
    def game_id(self) -> GameId:
        """Which game is played."""
        return GameId(self.head.game)

    @property
    def rules(self) -> Game:
        """The game behind its protocol."""
        return game(self.head.game)

    @property
    def due(self) -> Due:
        """What the rules wait for."""
        return due_of(self.head.game, self.state)

    @property
    def shots(self) -> tuple[ShotRecord, ...]:
        """The judged shots that count, in order."""
        return tuple(item for item in self.items if isinstance(item, ShotRecord) and not item.aside_n)

    @property
    def aside(self) -> tuple[ShotRecord, ...]:
        """Shots that an earlier correction set aside: kept, and back in their place when it is corrected again."""
        return tuple(item for item in self.items if isinstance(item, ShotRecord) and item.aside_n)

    @property
    def undecided(self) -> tuple[int, ...]:
        """Numbers of the shots that a correction left without a ruling: their points are in no score."""
        return tuple(record.no for record in self.shots if record.status is Status.OPEN)

    @property
    def reviews(self) -> tuple[ShotRecord, ...]:
        """Decided shots that would be ruled otherwise now."""
        return tuple(record for record in self.shots if isinstance(record.review, Ruling))

    @property
    def last(self) -> ShotRecord | None:
        """The last judged shot."""
        for item in reversed(self.items):
            if isinstance(item, ShotRecord) and not item.aside_n:
                return item
        return None

    def shot(self, no: int) -> ShotRecord | None:
        """A judged shot by its number."""
        for item in reversed(self.items):
            if isinstance(item, ShotRecord) and item.no == no:
                return item
        return None

    def with_shot(self, record: ShotRecord, state: Any) -> MatchState:
        """With one shot more."""
        return msgspec.structs.replace(
            self, items=(*self.items, record), state=state, next_no=max(self.next_no, record.no + 1)
        )

    def acted(self, action: Action, n: int) -> MatchState:
        """With one act more. Raises IllegalInput where the rules do not allow it now."""
        state = self.rules.act(self.state, action)
        return msgspec.structs.replace(self, items=(*self.items, Act(action, n)), state=state)

    def replace_shot(self, record: ShotRecord) -> MatchState:
        """With the record of one shot changed; the score is not touched."""
        items = tuple(record if isinstance(i, ShotRecord) and i.no == record.no else i for i in self.items)
        return msgspec.structs.replace(self, items=items)


@lru_cache(maxsize=4096)
def due_of(game_id: str, state: Any) -> Due:
    """What the rules wait for in a state; cached, because pages ask often and states are immutable."""
    return game(game_id).due(state)


def begin(head: MatchStarted, wall_ms: int = 0) -> MatchState:
    """The match before its first act. Raises IllegalInput naming the option that does not fit."""
    options = Options(GameId(head.game), head.options, head.preset)
    setup = Setup(
        options=options,
        handicap={Player(player): points for player, points in head.handicap.items()},
        opener=Player(head.opener) if head.opener else None,
        ball_of_a=head.ball_of_a,
    )
    state = game(head.game).start(setup)
    return MatchState(head=head, options=options, start=state, state=state, started_ms=wall_ms)


@cache
def ruling_type(game_id: str) -> type[Ruling]:
    """The class of a game's rulings, read from the signature of its judge."""
    made: type[Ruling] = get_type_hints(type(game(game_id)).rule)["return"]
    return made


def read_ruling(game_id: str, raw: Json) -> Ruling:
    """A stored ruling. Raises ValueError naming the field that cannot be read."""
    return msgspec.convert(raw, ruling_type(game_id), strict=False)


def striker_of(state: Any) -> str:
    """Who plays in a state of any game."""
    return str(state.striker.value)


def without_placed(state: Any, placed: tuple[str, ...]) -> Any:
    """The state in which only that is still to be put back which was not, for a ruling between strokes."""
    left = tuple(item for item in state.placements if item.what not in placed)
    return state if left == state.placements else replace(state, placements=left)


def with_striker(state: Any, player: str) -> Any:
    """The state with another player at the table (a correction keeps the one who really struck)."""
    return state if striker_of(state) == player else replace(state, striker=Player(player))
