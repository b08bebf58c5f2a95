"""Faults between node and broker: publishes in, what really goes on the wire out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from marker_sim.faults.profile import Kind, Spec
from marker_sim.rng import Stream
from marker_sim.sinks.packets import Publish

FOREIGN = 1_000  # boots later than the node's own
JUMP = 1 << 31  # numbers later: none that the node will ever give

Note = Callable[[Kind, str], None]


class Cut(NamedTuple):
    """The connection breaks now; nothing after it goes out."""

    why: str = "lost before its acknowledgement"


class Answer(NamedTuple):
    """The node is told that the broker has packet `pid`."""

    pid: int


Wire: TypeAlias = Publish | Cut | Answer


def newest_us(payload: bytes) -> int:
    """Device time of the newest record of an `ev` payload; 0 where it is none."""
    try:
        return max(int(record[0]) for record in json.loads(payload)["e"])
    except (ValueError, KeyError, TypeError, IndexError):
        return 0


class TransportFilter:
    """One transport fault; only `ev` is touched unless said otherwise."""

    def __init__(self, spec: Spec, chance: Stream, note: Note) -> None:
        self.spec = spec
        self.chance = chance
        self.note = note

    def feed(self, item: Publish) -> list[Wire]:
        """What goes on for one publish."""
        if not item.topic.endswith("/ev"):
            return [item]
        return [*self.due(item), *self.event(item)]

    def due(self, item: Publish) -> list[Wire]:  # noqa: ARG002 - for those that hold something
        """What was held and goes out before this publish."""
        return []

    def event(self, item: Publish) -> list[Wire]:
        """What goes on for one batch of records."""
        return [item]

    def flush(self) -> list[Wire]:
        """What is still held."""
        return []

    def strikes(self) -> bool:
        """Whether this fault strikes now."""
        rate = self.spec.number("rate")
        return rate > 0 and self.chance.chance(rate)


class Duplicate(TransportFilter):
    """Sent twice, with the DUP flag or without."""

    def event(self, item: Publish) -> list[Wire]:
        """Once, or twice."""
        if not self.strikes():
            return [item]
        self.note(self.spec.kind, item.topic)
        return [item, item._replace(dup=bool(self.spec.number("dup")))]


class Late(TransportFilter):
    """Acknowledged to the node, but on its way for some table time, perhaps past the end of the shot."""

    def __init__(self, spec: Spec, chance: Stream, note: Note) -> None:
        super().__init__(spec, chance, note)
        self._held: list[tuple[int, Publish]] = []

    def due(self, item: Publish) -> list[Wire]:
        """What has been on its way long enough."""
        now = newest_us(item.payload)
        ready: list[Wire] = [held for at, held in self._held if at <= now]
        self._held = [pair for pair in self._held if pair[0] > now]
        return ready

    def event(self, item: Publish) -> list[Wire]:
        """At once, or held."""
        if not self.strikes():
            return [item]
        delay = int(self.chance.uniform(self.spec.number("min_s"), self.spec.number("max_s")) * 1e6)
        self.note(self.spec.kind, f"{delay / 1e6:.1f} s")
        self._held.append((newest_us(item.payload) + delay, item))
        return [Answer(item.pid)]

    def flush(self) -> list[Wire]:
        """All that is held."""
        ready: list[Wire] = [held for _, held in self._held]
        self._held = []
        return ready


class Lost(TransportFilter):
    """Gone before its acknowledgement (the connection breaks) or after it (the node never knows)."""

    def event(self, item: Publish) -> list[Wire]:
        """At once, or never."""
        if not self.strikes():
            return [item]
        before = self.chance.chance(self.spec.number("before"))
        self.note(self.spec.kind, "before its acknowledgement" if before else "after its acknowledgement")
        return [Cut()] if before else [Answer(item.pid)]


class Reorder(TransportFilter):
    """Overtaken by up to `window` - 1 later batches."""

    def __init__(self, spec: Spec, chance: Stream, note: Note) -> None:
        super().__init__(spec, chance, note)
        self._held: list[tuple[int, Publish]] = []

    def event(self, item: Publish) -> list[Wire]:
        """The batch, and those it has just overtaken; or nothing yet."""
        self._held = [(left - 1, held) for left, held in self._held]
        ready: list[Wire] = [held for left, held in self._held if left <= 0]
        self._held = [pair for pair in self._held if pair[0] > 0]
        if not self.strikes():
            return [item, *ready]
        later = 1 + self.chance.below(max(1, int(self.spec.number("window")) - 1))
        self.note(self.spec.kind, f"behind {later} batches")
        self._held.append((later, item))
        return [Answer(item.pid), *ready]

    def flush(self) -> list[Wire]:
        """All that is held."""
        ready: list[Wire] = [held for _, held in self._held]
        self._held = []
        return ready


class Malformed(TransportFilter):
    """After a good batch one that no node should send."""

    def event(self, item: Publish) -> list[Wire]:
        """The batch, and now and then a broken copy of it."""
        if not self.strikes():
            return [item]
        name, payload, retain = self._broken(item.payload)
        self.note(self.spec.kind, name)
        return [item, item._replace(payload=payload, retain=retain)]

    def _broken(self, payload: bytes) -> tuple[str, bytes, bool]:
        good = json.loads(payload)
        first = good["e"][0]
        ways: list[tuple[str, bytes, bool]] = [
            ("truncated", payload[: max(1, len(payload) // 2)], False),
            ("wrong type", json.dumps({**good, "s": "seven"}).encode(), False),
            ("not a number", payload.replace(b'"e":[[', b'"e":[[NaN,', 1), False),
            ("huge", json.dumps({**good, "e": [[1 << 60, *first[1:]]]}).encode(), False),
            ("extra key", json.dumps({**good, "x": 1}).encode(), False),
            ("bad UTF-8", payload[:-1] + b"\xff\xfe}", False),
            ("no such channel", json.dumps({**good, "e": [[first[0], 63, *first[2:]]]}).encode(), False),
            ("retained", payload, True),
            ("foreign boot", json.dumps({**good, "b": good["b"] + FOREIGN}).encode(), False),
            ("jump of the numbers", json.dumps({**good, "s": good["s"] + JUMP}).encode(), False),
        ]
        return self.chance.pick(ways)


class Asymmetry(TransportFilter):
    """Clock requests and replies take unequally long; the proxy holds them back. Nothing else is touched."""

    _said = False

    def delays_s(self) -> tuple[float, float]:
        """How long a request and a reply are on their way besides."""
        if not self._said:
            self._said = True
            self.note(self.spec.kind, f"{self.spec.number('up_ms'):g} ms and {self.spec.number('down_ms'):g} ms")
        return self.spec.number("up_ms") / 1000, self.spec.number("down_ms") / 1000


FILTERS: dict[Kind, type[TransportFilter]] = {
    Kind.DUPLICATE: Duplicate,
    Kind.LATE: Late,
    Kind.LOST: Lost,
    Kind.REORDER: Reorder,
    Kind.MALFORMED: Malformed,
    Kind.ASYMMETRY: Asymmetry,
}


def through(filters: list[TransportFilter], item: Publish) -> list[Wire]:
    """One publish through all filters in turn."""
    items: list[Wire] = [item]
    for one in filters:
        items = [made for each in items for made in (one.feed(each) if isinstance(each, Publish) else [each])]
    return items
