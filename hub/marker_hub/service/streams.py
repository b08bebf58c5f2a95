"""Subscriptions of pages: the newest state per table and kind, never a queue that grows."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Any

from marker_hub.web.port import StreamEvent

ANNOUNCE_KEPT_MS = 10_000
ANNOUNCE_MAX = 32


class _Subscriber:
    __slots__ = ("announcements", "dirty", "referee", "tables", "wake")

    def __init__(self, tables: frozenset[str], *, referee: bool) -> None:
        self.tables = tables
        self.referee = referee
        self.dirty: dict[tuple[str, str], StreamEvent] = {}
        self.announcements: deque[StreamEvent] = deque(maxlen=ANNOUNCE_MAX)
        self.wake = asyncio.Event()


class Streams:
    """All open streams of a hub."""

    def __init__(self) -> None:
        """None open."""
        self._subscribers: set[_Subscriber] = set()
        self._recent: deque[tuple[int, StreamEvent]] = deque(maxlen=256)
        self.closed = False

    def __len__(self) -> int:
        """Open streams."""
        return len(self._subscribers)

    def wanted(self, table: str, *, referee: bool) -> bool:
        """Whether anyone would see a change (of the sheet)."""
        return any(table in sub.tables and (sub.referee or not referee) for sub in self._subscribers)

    def publish(self, event: StreamEvent) -> None:
        """Give everyone who watches the table the new state; what he had not read yet is replaced."""
        for sub in self._subscribers:
            if event.table in sub.tables and (event.event != "sheet" or sub.referee):
                sub.dirty[(event.event, event.table)] = event
                sub.wake.set()

    def announce(self, event: StreamEvent, now_ms: int) -> None:
        """Say something once; kept ten seconds for pages that come back."""
        self._recent.append((now_ms, event))
        for sub in self._subscribers:
            if event.table in sub.tables:
                sub.announcements.append(event)
                sub.wake.set()

    def recent(self, tables: Sequence[str], since_ms: int) -> list[StreamEvent]:
        """Announcements of these tables made since then."""
        wanted = set(tables)
        return [event for at, event in self._recent if at >= since_ms and event.table in wanted]

    async def subscribe(self, tables: Sequence[str], *, referee: bool) -> AsyncIterator[StreamEvent]:
        """Changes from the first `anext` on."""
        sub = _Subscriber(frozenset(tables), referee=referee)
        self._subscribers.add(sub)
        try:
            while not self.closed:
                await sub.wake.wait()
                sub.wake.clear()
                while sub.announcements or sub.dirty:
                    # The state first: an announcement must not be on a page that still shows the score before it.
                    if sub.dirty:
                        key = next(iter(sub.dirty))
                        yield sub.dirty.pop(key)
                    else:
                        yield sub.announcements.popleft()
        finally:
            self._subscribers.discard(sub)

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        for sub in self._subscribers:
            sub.wake.set()


def announcement(table: str, n: int, kind: str, args: dict[str, Any]) -> StreamEvent:
    """The event of one announcement."""
    return StreamEvent("announce", table, n, {"kind": kind, **args})
