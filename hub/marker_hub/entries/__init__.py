"""Journal entries: everything that ever happened at a table, and the only thing its state is made of.

`Entry` is the envelope (table, position, times, identity), `Body` the tagged union of what happened, always in the past
tense. Wall time and randomness enter the hub only here. Bodies are stored as JSON; a change of meaning raises
`FOLD_VERSION`, so that snapshots made by older code are not used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeAlias

import msgspec

from marker_hub.entries.base import FOLD_VERSION, Json, PlayerInfo, Policy, Side
from marker_hub.entries.between import (
    Awarded,
    BreakRequested,
    Chosen,
    ClockSet,
    Closed,
    ContactReset,
    ExtensionGiven,
    GameStarted,
    Held,
    LagSet,
    LayoutSet,
    MatchStarted,
    NewRack,
    Noted,
    Placed,
    Readied,
    Resumed,
    RulesActed,
    RunContinued,
    Suspended,
    TimeCalled,
)
from marker_hub.entries.node import (
    Birth,
    ClockPair,
    Fault,
    Head,
    Health,
    HubStarted,
    Loss,
    Missing,
    Obs,
    Offline,
    TimerExpired,
)
from marker_hub.entries.shot import (
    Accepted,
    Amended,
    Answered,
    Called,
    CallTaken,
    Change,
    Interfered,
    ManualRuled,
    NotAShot,
    Picked,
    Premature,
    Redone,
    Rejudged,
    Reopened,
    Stilled,
    Struck,
    Undone,
)

Body: TypeAlias = (
    Obs
    | Birth
    | Offline
    | Health
    | Head
    | Loss
    | Missing
    | ClockPair
    | HubStarted
    | TimerExpired
    | Fault
    | MatchStarted
    | LagSet
    | LayoutSet
    | Readied
    | Chosen
    | ContactReset
    | Placed
    | NewRack
    | RunContinued
    | Struck
    | Stilled
    | Answered
    | Called
    | CallTaken
    | Picked
    | Accepted
    | ManualRuled
    | Reopened
    | NotAShot
    | Interfered
    | Premature
    | Amended
    | Undone
    | Redone
    | TimeCalled
    | ExtensionGiven
    | ClockSet
    | BreakRequested
    | Held
    | Suspended
    | Resumed
    | Awarded
    | Noted
    | GameStarted
    | RulesActed
    | Closed
)
"""Everything that can stand in the journal; the tag is the field `k`."""

NODE_BODIES = (Obs, Birth, Offline, Health, Head, Loss, Missing, ClockPair)
"""Bodies that come from the node's side; all others are commands or the hub's own."""

HUB_BODIES = (HubStarted, TimerExpired, Fault)


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A body with its envelope.

    tbl: table id; n: position, 1.. without gaps per table; mono_us: hub's monotonic clock; wall_ms: UTC, ms since the
    epoch; key: idempotency key of a command; node, boot, seq, dev_us: identity and device time of a record.
    """

    tbl: str
    n: int
    body: Body
    mono_us: int
    wall_ms: int
    key: str | None = None
    node: int | None = None
    boot: int | None = None
    seq: int | None = None
    dev_us: int | None = None
    role: str | None = None
    session: str | None = None


_body_encoder = msgspec.json.Encoder()
_body_decoder: msgspec.json.Decoder[Body] = msgspec.json.Decoder(Body)
_entry_encoder = msgspec.json.Encoder()
_entry_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode(body: Body) -> bytes:
    """The body as it is stored: JSON, fields in the order of their declaration."""
    return _body_encoder.encode(body)


def decode(raw: bytes) -> Body:
    """A stored body. Raises msgspec.ValidationError (a ValueError) naming the field that does not fit."""
    return _body_decoder.decode(raw)


def kind_of(body: Body) -> str:
    """The tag of a body, as stored in the journal's column `kind`."""
    tag = type(body).__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def encode_entry(entry: Entry) -> bytes:
    """A whole entry as one JSON line of a match record."""
    return _entry_encoder.encode(entry)


def decode_entry(raw: bytes | str) -> Entry:
    """A whole entry from a match record. Raises msgspec.ValidationError."""
    return _entry_decoder.decode(raw)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise NotImplementedError(f"{type(value).__name__} cannot stand in a journalled value")


_canonical = msgspec.json.Encoder(order="deterministic", enc_hook=_plain)


def canonical(value: Any) -> bytes:
    """The one byte form of a frozen value (dataclass, struct, mapping, enum, set): keys and sets sorted."""
    return _canonical.encode(value)


def plain(value: Any) -> Json:
    """A frozen dataclass as plain JSON types, for a stored ruling."""
    made = msgspec.json.decode(canonical(value))
    assert isinstance(made, dict)
    return made


def digest(value: Any) -> bytes:
    """128-bit hash of the canonical form."""
    return hashlib.blake2b(canonical(value), digest_size=16).digest()


__all__ = [
    "FOLD_VERSION",
    "HUB_BODIES",
    "NODE_BODIES",
    "Accepted",
    "Amended",
    "Answered",
    "Awarded",
    "Birth",
    "Body",
    "BreakRequested",
    "CallTaken",
    "Called",
    "Change",
    "Chosen",
    "ClockPair",
    "ClockSet",
    "Closed",
    "ContactReset",
    "Entry",
    "ExtensionGiven",
    "Fault",
    "GameStarted",
    "Head",
    "Health",
    "Held",
    "HubStarted",
    "Interfered",
    "Json",
    "LagSet",
    "LayoutSet",
    "Loss",
    "ManualRuled",
    "MatchStarted",
    "Missing",
    "NewRack",
    "NotAShot",
    "Noted",
    "Obs",
    "Offline",
    "Picked",
    "Placed",
    "PlayerInfo",
    "Policy",
    "Premature",
    "Readied",
    "Redone",
    "Rejudged",
    "Reopened",
    "Resumed",
    "RulesActed",
    "RunContinued",
    "Side",
    "Stilled",
    "Struck",
    "Suspended",
    "TimeCalled",
    "TimerExpired",
    "Undone",
    "canonical",
    "decode",
    "decode_entry",
    "digest",
    "encode",
    "encode_entry",
    "kind_of",
    "plain",
]
