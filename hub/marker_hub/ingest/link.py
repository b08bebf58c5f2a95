"""Ingest's side of one table: what is known of its node, and what waits for something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from marker_hardware import wire as contract
from marker_hub import entries, wire
from marker_hub.ingest.lanes import Lane
from marker_hub.ingest.replay import ReplayTracker
from marker_hub.journal import SeqRange
from marker_hub.transport import Message

BURST_RECORDS = 10_000


class TableSink(Protocol):
    """What ingest needs of a table."""

    def stepped(self, made: list[entries.Entry]) -> None:
        """Entries of this table were committed, in order."""

    def acknowledged(self, ack: wire.Ack) -> None:
        """The node answered a command of the reconciler."""

    def node_changed(self, mode: int | None, shot: int | None) -> None:
        """A birth arrived (mode and shot as it says), or the node was lost (None)."""

    def button(self, button: wire.Button, done: Callable[[], None]) -> None:
        """A key of a wireless button box; `done` when what it meant is stored, or it meant nothing."""


@dataclass(slots=True)
class Doubt:
    """A birth that would take the numbering back, until the node itself has said where it stands."""

    message: Message
    birth: wire.Birth


@dataclass(slots=True)
class TableLink:
    """One table. waiting: records whose birth is not stored yet, with the time (s) they came at; they wait while `doubt` lasts."""

    id: str
    profile: str
    sink: TableSink
    lane: Lane
    channels: frozenset[int]
    names: Mapping[str, int]
    expected_uid: str = ""
    waiting: list[tuple[Message, wire.Ev, float]] = field(default_factory=list)
    tracker: ReplayTracker | None = None
    clock: entries.ClockPair | None = None
    clock_journalled: entries.ClockPair | None = None
    health: entries.Health | None = None
    health_raw: wire.Health | None = None
    online: bool | None = None
    heard: bool = False
    tokens: float = float(BURST_RECORDS)
    filled: float = 0.0
    shed: SeqRange | None = None
    drained: bool = False
    retained: list[Message] = field(default_factory=list)
    birth: wire.Birth | None = None
    doubt: Doubt | None = None
    drift_ppm: float | None = None
    first_clock: entries.ClockPair | None = None


def table_link(table: str, profile: str, sink: TableSink, lane: Lane, expected_uid: str = "") -> TableLink:
    """A link with the channels of its profile."""
    known = contract.channels(profile)
    names = {entry.name: number for number, entry in known.items()}
    return TableLink(table, profile, sink, lane, frozenset(known), names, expected_uid)
