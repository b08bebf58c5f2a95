"""The wire contract between node and hub: topics, channel names and numbers, enums. Source: hardware/wire.toml and pinmap.toml."""

import tomllib
from enum import StrEnum
from functools import cache
from typing import Any

import msgspec

from marker_hardware import data, pinmap, sensors, tables
from marker_hardware.codes import ErrorCode, Flag, HealthCode, Kind, Latch, LossCause, Mode, PinState, Quality, Topic
from marker_hardware.pinmap import Profile

__all__ = [
    "Channel",
    "ErrorCode",
    "Flag",
    "Group",
    "HealthCode",
    "Kind",
    "Latch",
    "LossCause",
    "Mode",
    "PinState",
    "Profile",
    "Quality",
    "Topic",
    "TopicRule",
    "channel",
    "channel_name",
    "channel_number",
    "channels",
    "payload_max",
    "records_max",
    "topic",
    "topic_rule",
]


class Group(StrEnum):
    """What kind of sensor a channel belongs to; the value is the key in sensors.toml, except `node`."""

    PIN = "pin"
    RAIL = "rail"
    CLICK = "click"
    GATE = "gate"
    BUTTON = "button"
    NODE = "node"


class Channel(msgspec.Struct, frozen=True):
    """A logical channel of one profile.

    name: connector or pin letter (PZ1, P3, C, BTN_YES); place: what the rules call it (`top`, `FL`, `C`), else the name;
    position: the name in pinmap.toml (`right_head`, `head_left`), else the place; quality: what it is worth when healthy.
    """

    number: int
    name: str
    group: Group
    place: str
    position: str
    unc_us: int
    quality: str


class TopicRule(msgspec.Struct, frozen=True, rename={"sender": "from"}):
    """Who publishes a topic and how."""

    suffix: str
    sender: str
    qos: int
    retain: bool


@cache
def _wire() -> dict[str, Any]:
    raw = data.resource("hardware", "wire.toml").read_text(encoding="utf-8")
    try:
        return tomllib.loads(raw)
    except tomllib.TOMLDecodeError as error:
        raise data.HardwareDataError("hardware/wire.toml", "", str(error), "correct the TOML syntax") from error


@cache
def _numbers() -> dict[str, int]:
    return pinmap.channel_numbers(_wire()["channels"], pinmap.load())


@cache
def _names() -> dict[int, str]:
    return {number: name for name, number in _numbers().items()}


def channel_name(number: int) -> str:
    """Name of a channel, e.g. 16 -> "PZ1". Raises KeyError naming the number."""
    try:
        return _names()[number]
    except KeyError:
        raise KeyError(f"channel {number} is not in hardware/wire.toml") from None


def channel_number(name: str) -> int:
    """Number of a channel, e.g. "PZ1" -> 16. Raises KeyError naming the channel."""
    try:
        return _numbers()[name]
    except KeyError:
        raise KeyError(f"channel {name!r} is not in hardware/wire.toml") from None


@cache
def channels(profile: Profile | str) -> dict[int, Channel]:
    """Every channel of a profile by its number, in ascending order."""
    pins = pinmap.load().profile[Profile(profile)]
    table = tables.load(Profile(profile))
    types = sensors.load().sensor
    found: list[tuple[str, Group, str, str]] = [(letter, Group.PIN, letter, letter) for letter in pins.pins]
    found += [(key, Group.RAIL, table.rails[key].rail, position) for key, position in pins.piezo.items()]
    if pins.click:
        found.append(("CLICK", Group.CLICK, "click", "click"))
    found += [(key, Group.GATE, table.pockets[key].rules_name, position) for key, position in pins.pockets.items()]
    found += [(bit, Group.BUTTON, bit, bit) for bit in pinmap.load().buttons()]
    made = []
    for name, group, place, position in found:
        kind = types[sensors.SensorKind(group.value)]
        made.append(Channel(channel_number(name), name, group, place, position, kind.unc_us, kind.quality))
    made.append(Channel(channel_number("NODE"), "NODE", Group.NODE, "node", "node", 0, "ok"))
    return {entry.number: entry for entry in sorted(made, key=lambda entry: entry.number)}


def channel(profile: Profile | str, number: int) -> Channel | None:
    """The channel of a profile, or None when this profile has none of that number."""
    return channels(profile).get(number)


def topic(table: str, name: Topic) -> str:
    """Full topic of a table, e.g. "table/t1/ev" for ("t1", Topic.EV)."""
    return f"{_wire()['prefix']}/{table}/{name.value}"


def topic_rule(name: Topic) -> TopicRule:
    """Sender, QoS and retained flag of a topic."""
    entry = next(entry for entry in _wire()["topics"].values() if entry["suffix"] == name.value)
    return msgspec.convert(entry, TopicRule)


def payload_max() -> int:
    """Largest payload in bytes that the broker accepts."""
    return int(_wire()["payload_max"])


def records_max() -> int:
    """Most records in one `ev` publish."""
    return int(_wire()["records_max"])
