"""What the pages need of the hub. The service implements it; the tests of the pages use a fake."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from marker_hub.commands import Command

Json: TypeAlias = dict[str, Any]


class UnknownTable(LookupError):
    """No table has that id."""


class StreamEvent(msgspec.Struct, frozen=True, eq=False):
    """One thing to tell the pages. `n` is the journal position it belongs to; data of `table` and `sheet` is the whole new state.

    Equal only to itself, so that its text can be kept for all streams that carry it.
    """

    event: Literal["table", "sheet", "announce", "service"]
    table: str
    n: int
    data: Json


class CommandResult:
    """Answer to a command: HTTP status (200, 409, 422, 503) and JSON body as the contract of POST .../commands says."""

    __slots__ = ("_body", "_make", "status")

    def __init__(self, status: int, body: Json | Callable[[], Json]) -> None:
        """body: the body, or what makes it of values kept for it; it is made once, when somebody reads it."""
        self.status = status
        self._body: Json | None = None if callable(body) else body
        self._make = body if callable(body) else None

    @property
    def body(self) -> Json:
        """The JSON body."""
        if self._body is None:
            assert self._make is not None
            self._body, self._make = self._make(), None
        return self._body


class HubPort(Protocol):
    """The hub as seen from the web. Synchronous methods answer from memory; the others may read the journal."""

    def now_ms(self) -> int:
        """The hub's clock, UTC, ms since the epoch. All clocks of all pages follow it."""
        ...

    def tables(self) -> list[str]:
        """Ids of the tables in the order of the hall."""
        ...

    def view(self, table: str) -> Json:
        """View model of a table. Raises UnknownTable."""
        ...

    def position(self, table: str) -> int:
        """Journal position of a table's newest state, as `n` of its view. Raises UnknownTable."""
        ...

    def sheet(self, table: str, shot: int | None = None) -> Json:
        """Shot sheet of a table (referee): of the running shot, or of closed shot `shot`. Raises UnknownTable."""
        ...

    def subscribe(self, tables: Sequence[str], *, referee: bool) -> AsyncIterator[StreamEvent]:
        """Changes of those tables from now on; `referee` adds `sheet` events. A slow reader gets the newest state and holds nobody up."""
        ...

    def announcements(self, tables: Sequence[str], *, since_ms: int) -> list[StreamEvent]:
        """Announcements made since `since_ms` (at most the last 10 s are kept)."""
        ...

    async def command(self, table: str, command: Command, *, role: str, session: str) -> CommandResult:
        """Proposes, journals and steps one command. A key seen before gives the first result again. Raises UnknownTable."""
        ...

    async def matches(self) -> list[Json]:
        """All matches, newest first."""
        ...

    async def match(self, match_id: str) -> Json | None:
        """One match with its games, shots and events, or None."""
        ...

    async def service(self, table: str) -> Json:
        """Sensors, node and events of a table for the technician. Raises UnknownTable."""
        ...

    async def set_threshold(self, table: str, millivolts: int) -> CommandResult:
        """Sets and keeps the threshold of the node's piezos, mV. Raises UnknownTable."""
        ...

    async def self_test(self, table: str) -> CommandResult:
        """Lets the node test its sensors now. Raises UnknownTable."""
        ...

    async def admin(self) -> Json:
        """Version, health, journal, backups, settings, and the tables with their PINs: for the administrator alone."""
        ...

    async def back_up(self) -> str:
        """Makes a backup now; why it failed, else an empty text."""
        ...

    def new_pin(self, table: str) -> str:
        """Another referee's PIN for a table, kept from now on. Raises OSError where it cannot be kept."""
        ...

    async def export(self, match_id: str, form: str) -> tuple[str, bytes] | None:
        """Media type and bytes of a match in the form jsonl, csv or pdf; None if there is no such match."""
        ...

    def health(self) -> Json:
        """Whether the hub records and reaches its broker: {"ok": bool, ...}."""
        ...

    def metrics(self) -> str:
        """Counters in the Prometheus text form."""
        ...
