"""Subscriptions of pages: the newest state per table and kind, never a queue that grows."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from marker_hub.web.port import StreamEvent

ANNOUNCE_KEPT_MS = 10_000
ANNOUNCE_MAX = 32


class Said:
    """One announcement: put into words only when a page hears it."""

    __slots__ = ("_event", "_kind", "_make", "_n", "table")

    def __init__(self, table: str, n: int, kind: str, make: Callable[[], dict[str, Any]]) -> None:
        """make: what stands in it besides its kind, of values kept for it."""
        self.table = table
        self._n = n
        self._kind = kind
        self._make = make
        self._event: StreamEvent | None = None

    @property
    def event(self) -> StreamEvent:
        """The event; the same for every page."""
        if self._event is None:
            self._event = StreamEvent("announce", self.table, self._n, {"kind": self._kind, **self._make()})
        return self._event


class _Subscriber:
    __slots__ = ("announcements", "dirty", "referee", "tables", "wake")

    def __init__(self, tables: frozenset[str], *, referee: bool) -> None:
        self.tables = tables
        self.referee = referee
        self.dirty: dict[str, dict[str, StreamEvent]] = {}  # by table: its view, then the sheet of that same view
        self.announcements: deque[StreamEvent] = deque(maxlen=ANNOUNCE_MAX)
        self.wake = asyncio.Event()


class Streams:
    """All open streams of a hub."""

    def __init__(self) -> None:
        """None open."""
        self._subscribers: set[_Subscriber] = set()
        self._watching: dict[str, set[_Subscriber]] = {}
        self._recent: deque[tuple[int, Said]] = deque(maxlen=256)
        self.closed = False

    def __len__(self) -> int:
        """Open streams."""
        return len(self._subscribers)

    def wanted(self, table: str, *, referee: bool) -> bool:
        """Whether anyone would see a change (of the sheet)."""
        watching = self._watching.get(table, ())
        return bool(watching) and (not referee or any(sub.referee for sub in watching))

    def publish(self, event: StreamEvent) -> None:
        """Give everyone who watches the table the new state; what he had not read yet is replaced."""
        for sub in self._watching.get(event.table, ()):
            if event.event != "sheet" or sub.referee:
                sub.dirty.setdefault(event.table, {})[event.event] = event
                sub.wake.set()

    def announce(self, said: Said, now_ms: int) -> None:
        """Say something once; kept ten seconds for pages that come back."""
        while self._recent and self._recent[0][0] < now_ms - ANNOUNCE_KEPT_MS:
            self._recent.popleft()
        self._recent.append((now_ms, said))
        for sub in self._watching.get(said.table, ()):
            sub.announcements.append(said.event)
            sub.wake.set()

    def recent(self, tables: Sequence[str], since_ms: int) -> list[StreamEvent]:
        """Announcements of these tables made since then."""
        wanted = set(tables)
        return [said.event for at, said in self._recent if at >= since_ms and said.table in wanted]

    async def subscribe(self, tables: Sequence[str], *, referee: bool) -> AsyncIterator[StreamEvent]:
        """Changes from the first `anext` on."""
        sub = _Subscriber(frozenset(tables), referee=referee)
        self._subscribers.add(sub)
        for table in sub.tables:
            self._watching.setdefault(table, set()).add(sub)
        try:
            while not self.closed:
                await sub.wake.wait()
                sub.wake.clear()
                while sub.announcements or sub.dirty:
                    # The state first: an announcement must not be on a page that still shows the score before it.
                    if sub.dirty:
                        for event in sub.dirty.pop(next(iter(sub.dirty))).values():
                            yield event
                    else:
                        yield sub.announcements.popleft()
        finally:
            self._subscribers.discard(sub)
            for table in sub.tables:
                self._watching[table].discard(sub)

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        for sub in self._subscribers:
            sub.wake.set()
