"""The pin map: every net of the node, the shift chain and the profiles. Source: hardware/pinmap.toml."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Literal

import msgspec

from marker_hardware import data


class Profile(StrEnum):
    """What a node is fitted for; the value is the key in pinmap.toml and on the wire."""

    CAROM5 = "carom5"
    PYRAMID = "pyramid"


class Pin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One GPIO of the board and the net on it. group/index/adc_ch only for the piezo inputs and the shift chain."""

    gpio: int
    net: str
    func: str
    dir: Literal["in", "out", "io"]
    pull: str | None = None
    drive: str | None = None
    active: Literal["high", "low"] | None = None
    group: str | None = None
    index: int | None = None
    adc_ch: int | None = None
    note: str = ""


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Board limits: external load on 3V3(OUT) in mA, GPIOs the radio owns."""

    max_3v3_ma: float
    reserved_gpio: tuple[int, ...]


class Shift(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The 74HC165 chain: bits in the order they are shifted out, idle word (one character a bit), poll rate in Hz."""

    bits: tuple[str, ...]
    idle: str
    poll_hz: int


class ProfilePins(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a profile uses: pin letters in channel order; pockets and piezo map a connector to its position."""

    click: bool
    pins: tuple[str, ...]
    pockets: dict[str, str]
    piezo: dict[str, str]


class PinMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file."""

    schema: Literal[1]
    board: Literal["pico_w", "pico_2_w"]
    revision: str
    pin: tuple[Pin, ...]
    limits: Limits
    shift: Shift
    profile: dict[Profile, ProfilePins]

    def piezo(self) -> tuple[Pin, ...]:
        """Inputs of the piezo front end in channel order; the last one is the click."""
        return tuple(sorted((p for p in self.pin if p.group == "piezo"), key=lambda p: p.index or 0))

    def pockets(self) -> tuple[str, ...]:
        """Gate names P1..P6, from the shift bits."""
        return tuple(bit[:-1] for bit in self.shift.bits if bit.endswith("A") and not bit.startswith("BTN_"))

    def buttons(self) -> tuple[str, ...]:
        """Button bits in channel order."""
        return tuple(bit for bit in self.shift.bits if bit.startswith("BTN_"))


def channel_numbers(first: Mapping[str, int], pins: PinMap) -> dict[str, int]:
    """Channel name -> number in a record, every profile together: C..W, PZ1..PZ6, CLICK, P1..P6, buttons, NODE.

    first: table `channels` of wire.toml.
    """
    letters: dict[str, int] = {}
    for profile in pins.profile.values():
        letters |= {letter: first["pin_first"] + i for i, letter in enumerate(profile.pins)}
    rails = [p.net.removesuffix("_HIT") for p in pins.piezo()[:-1]]
    numbers = letters | {name: first["piezo_first"] + i for i, name in enumerate(rails)} | {"CLICK": first["click"]}
    numbers |= {name: first["gate_first"] + i for i, name in enumerate(pins.pockets())}
    numbers |= {name: first["button_first"] + i for i, name in enumerate(pins.buttons())}
    return numbers | {"NODE": first["node"]}


@cache
def load() -> PinMap:
    """Read the shipped pin map. Raises HardwareDataError naming file, key and value."""
    return data.load(PinMap, "hardware", "pinmap.toml")
