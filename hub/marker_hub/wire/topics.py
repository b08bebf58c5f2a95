"""Topic strings and the decoder of each topic."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

import msgspec

from marker_hardware import wire as contract
from marker_hardware.wire import Topic
from marker_hub.wire import messages

TABLE_ID = re.compile(r"[a-z0-9_-]{1,16}")

TYPES: dict[Topic, Any] = {
    Topic.EV: messages.Ev,
    Topic.STATE: messages.NodeState,
    Topic.HEALTH: messages.Health,
    Topic.CLK_REQ: messages.ClockRequest,
    Topic.CLK_REP: messages.ClockReply,
    Topic.CMD: messages.Command,
    Topic.CMD_ACK: messages.Ack,
    Topic.BTN: messages.Button,
    Topic.SCORE: messages.Score,
    Topic.SHOT: messages.ShotFacts,
    Topic.DISPLAY: messages.Display,
}
"""Which Struct (or union) each topic carries."""


class _Online(msgspec.Struct):
    online: bool


_DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in TYPES.items() if name is not Topic.STATE}
FROM_HUB = frozenset(name for name in Topic if contract.topic_rule(name).sender == "hub")
"""Topics that the hub itself publishes."""

_ENCODER = msgspec.json.Encoder()
_PREFIX = contract.topic("x", Topic.EV).split("/", maxsplit=1)[0]
_LIMIT = contract.payload_max()
_BIRTH = msgspec.json.Decoder(messages.Birth)
_WILL = msgspec.json.Decoder(messages.Will)
_ONLINE = msgspec.json.Decoder(_Online)
_VERSIONED = frozenset({Topic.STATE, Topic.HEALTH, Topic.SCORE, Topic.SHOT})


class BadPayload(ValueError):
    """A payload that the contract refuses; the text is the reason that is journalled, shown and counted."""

    def __init__(self, code: str, text: str) -> None:
        """`code` is one word for counters: size, json, field, version, table, topic, channel."""
        self.code = code
        super().__init__(text)


class Address(NamedTuple):
    """Table and topic of a message."""

    table: str
    topic: Topic


@cache
def topic(table: str, name: Topic) -> str:
    """Full topic string. Raises ValueError when the table id is not `[a-z0-9_-]{1,16}`."""
    if not TABLE_ID.fullmatch(table):
        raise ValueError(f"table id {table!r}: use 1 to 16 of a-z, 0-9, _ and -")
    return contract.topic(table, name)


def hub_online_topic(hub: str) -> str:
    """Retained presence topic of a hub."""
    return f"hub/{hub}/online"


_SUFFIXES = {name.value: name for name in Topic}


@lru_cache(maxsize=8192)
def parse_topic(text: str) -> Address | None:
    """Table and topic of a topic string, or None when it is not one of ours."""
    prefix, _, rest = text.partition("/")
    table, _, suffix = rest.partition("/")
    name = _SUFFIXES.get(suffix)
    if prefix != _PREFIX or name is None or not TABLE_ID.fullmatch(table):
        return None
    return Address(table, name)


def decode(name: Topic, payload: bytes) -> Any:
    """Decode and validate. Raises BadPayload with a code and a reason that names the place."""
    if len(payload) > _LIMIT:
        raise BadPayload("size", f"{len(payload)} bytes; at most {_LIMIT} are allowed")
    try:
        if name is Topic.STATE:  # the two forms differ by a boolean, which a tagged union cannot be told by
            return (_BIRTH if _ONLINE.decode(payload).online else _WILL).decode(payload)
        return _DECODERS[name].decode(payload)
    except msgspec.ValidationError as error:
        if name in _VERSIONED and (version := _version(payload)) not in (None, messages.VERSION):
            text = f"version {version!r}; this hub speaks version {messages.VERSION}: update the older side"
            raise BadPayload("version", text) from error
        raise BadPayload("field", str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadPayload("json", str(error)) from error


def _version(payload: bytes) -> object:
    try:
        value = msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value.get("v") if isinstance(value, dict) else None


def encode(payload: Any) -> bytes:
    """Compact JSON of a payload Struct."""
    return _ENCODER.encode(payload)
