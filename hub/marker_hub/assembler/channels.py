"""What the channel numbers of a table mean, and how far each is trusted when healthy: data of hardware/, cached."""

from __future__ import annotations

from functools import cache

from marker_hardware import wire
from marker_hardware.codes import Kind, Quality
from marker_hardware.wire import Channel, Group
from marker_rules.evidence import observations as ev

PIN_GROUP = Group.PIN
CLICK_CHANNEL = wire.channel_number("CLICK")

MOTION = frozenset({Kind.MOVE, Kind.STATE, Kind.LOST, Kind.HIT, Kind.DROP, Kind.BACK})
"""Record kinds that show that something moved on the table."""

_SICK = {
    Quality.NOISY: ev.Quality.NOISY,
    Quality.STUCK: ev.Quality.STUCK,
    Quality.ABSENT: ev.Quality.ABSENT,
}


@cache
def channels(profile: str) -> dict[int, Channel]:
    """The channels of a profile by number."""
    return wire.channels(profile)


@cache
def numbers(profile: str, group: Group) -> tuple[int, ...]:
    """The channel numbers of one group, ascending."""
    return tuple(number for number, channel in channels(profile).items() if channel.group is group)


@cache
def pin_channel(profile: str, pin: str) -> int | None:
    """The channel of a pin, None where the profile has no pins."""
    for number in numbers(profile, Group.PIN):
        if channels(profile)[number].place == pin:
            return number
    return None


def pin_healthy(quality: dict[int, int], profile: str, pin: str) -> bool:
    """True when the sensor of a pin is there and without fault."""
    number = pin_channel(profile, pin)
    return number is not None and quality.get(number) == Quality.OK


def group_of(profile: str, number: int) -> Group | None:
    """The group of a channel, None for a number this profile does not have."""
    channel = channels(profile).get(number)
    return None if channel is None else channel.group


@cache
def trust(profile: str, number: int, code: int | None, override: str | None = None) -> ev.Quality:
    """How far a channel may be believed: its fault, or what a healthy one is worth. code None: never reported, absent."""
    if code is None:
        return ev.Quality.ABSENT
    if code != Quality.OK:
        return _SICK.get(Quality(code), ev.Quality.ABSENT)
    return ev.Quality(override or channels(profile)[number].quality)
