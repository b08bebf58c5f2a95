"""What goes in and out of a table besides entries: configuration, refusals, effects, the desired state of the outside."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from marker_hub.entries import Rejudged


class Role(StrEnum):
    """What a session may do; each role includes the ones before it."""

    VIEWER = "viewer"
    PLAYER = "player"
    REFEREE = "referee"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """Order of the roles, 0 lowest."""
        return list(Role).index(self)


class TableConfig(msgspec.Struct, frozen=True):
    """One table. id: [a-z0-9_-]{1,16}; profile: carom5 or pyramid; times in ms (HUB.md section 3).

    quality: channel number -> `ok` or `hint`, where a commissioning report promoted or demoted a healthy channel.
    """

    id: str
    name: str = ""
    no: int = 0
    profile: str = "carom5"
    lull_ms: int = 3000
    quiet_ms: int = 8000
    tail_ms: int = 2000
    disturb_ms: int = 1000
    bump_ms: int = 400
    countdown_ms: int = 5000
    sensors: bool = True
    quality: dict[int, str] = {}


class Refusal(msgspec.Struct, frozen=True):
    """Why a command is not possible now. code `stale` means: look at the fresh view and decide again (HTTP 409)."""

    code: str
    text_key: str
    args: dict[str, str | int] = {}
    n: int = 0


class Announce(msgspec.Struct, frozen=True):
    """Say it once on displays: kind ruling, correction, ten_seconds, time, break_over, award, game, match; `args` as the kind needs."""

    kind: str
    args: dict[str, Any] = {}


class Unexpected(msgspec.Struct, frozen=True):
    """An event that this phase does not handle: counted and shown, never raised."""

    event: str
    phase: str


class MatchEnded(msgspec.Struct, frozen=True):
    """The match is over or its record changed afterwards: write the export."""

    match: str
    revision: int = 1


Effect: TypeAlias = Announce | Unexpected | MatchEnded


class Desired(msgspec.Struct, frozen=True):
    """What the outside must look like for this state; a reconciler makes it so.

    mode: node mode (`idle`, `armed`, `settling`); command: `arm` (clears the latches) or `mode`; command_id: the id of the one command that brings it about, the same
    for the same state; layout: pins expected to stand (sent with `armed`); shot: number of the shot to come or running;
    score, shot_topic, display: payloads of the retained topics.
    """

    mode: str
    command: str
    command_id: str
    layout: tuple[str, ...]
    shot: int
    score: dict[str, Any]
    shot_topic: dict[str, Any] | None
    display: dict[str, Any]


class Order(msgspec.Struct, frozen=True):
    """What the node must have been told: the part of `Desired` that play waits for, cheap enough for every batch of entries."""

    mode: str
    command: str
    command_id: str
    layout: tuple[str, ...]
    shot: int


class Topics(msgspec.Struct, frozen=True):
    """The payloads of the retained topics, and of what they were made: the same objects give the same payloads.

    `n` inside a payload is the position at which it was made, so that entries that change nothing publish nothing.
    """

    score: dict[str, Any]
    shot_topic: dict[str, Any] | None
    display: dict[str, Any]
    made_of: tuple[Any, ...] = ()


class ShotDiff(msgspec.Struct, frozen=True):
    """One shot of a preview: its short ruling before and after (None: none, void or set aside)."""

    shot: int
    old: str | None
    new: str | None
    open: bool = False


class Preview(msgspec.Struct, frozen=True):
    """What a correction would do. after: the match as it would stand (match.state.MatchState); shot: the one changed."""

    shots: tuple[ShotDiff, ...]
    score_old: dict[str, int]
    score_new: dict[str, int]
    winner_old: str | None
    winner_new: str | None
    opener_old: str | None
    opener_new: str | None
    set_aside: tuple[int, ...]
    rulings: tuple[Rejudged, ...]
    after: Any = None
    shot: int = 0
