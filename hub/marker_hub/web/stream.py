"""Server-sent events: hello, snapshot, then changes; a beat every two seconds; the newest state for slow readers.

A page that comes back always gets a snapshot. `Last-Event-ID` only decides which announcements of the last 10 seconds
it hears again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from functools import lru_cache

import msgspec

from marker_hub.web.port import HubPort, Json, StreamEvent

BEAT_S = 2.0
RETRY_MS = 500
REPLAY_MS = 10_000

_encoder = msgspec.json.Encoder()


def frame(event: str, data: Json, event_id: str | None = None) -> bytes:
    """One event in the text form of the standard; JSON has no line breaks, so one data line holds it."""
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}event: {event}\ndata: ".encode() + _encoder.encode(data) + b"\n\n"


@lru_cache(maxsize=256)
def _carried(event: StreamEvent) -> bytes:
    """The text of a change: encoded once, however many pages watch the table."""
    return frame(event.event, event.data | {"table": event.table}, f"{event.table}:{event.n}")


def beat(hub: HubPort, tables: Sequence[str]) -> bytes:
    """Proof of life: the hub's clock, and the position of each table so that a page notices what it missed."""
    return frame("beat", {"now_ms": hub.now_ms(), "n": {table: hub.position(table) for table in tables}})


def _repeats(hub: HubPort, tables: Sequence[str], last_id: str | None) -> list[StreamEvent]:
    """Announcements after the one the page saw last; none for a page that comes for the first time."""
    table, _, position = (last_id or "").rpartition(":")
    if not table or not position.isdigit():
        return []
    recent = hub.announcements(tables, since_ms=hub.now_ms() - REPLAY_MS)
    return [event for event in recent if event.table != table or event.n > int(position)]


async def events(
    hub: HubPort, tables: Sequence[str], *, referee: bool, hello: Json, last_id: str | None, beat_s: float = BEAT_S
) -> AsyncGenerator[bytes, None]:
    """The whole stream of one page, until the page goes away."""
    source = hub.subscribe(tables, referee=referee)
    pending: asyncio.Future[StreamEvent] = asyncio.ensure_future(anext(source))
    try:
        await asyncio.sleep(0)  # the subscription stands before the snapshot is taken: nothing falls between the two
        yield f"retry: {RETRY_MS}\n\n".encode()
        yield frame("hello", hello | {"now_ms": hub.now_ms()})
        snapshot: Json = {"tables": {table: hub.view(table) for table in tables}}
        if referee:
            snapshot["sheets"] = {table: hub.sheet(table) for table in tables}
        newest = max(((view["n"], table) for table, view in snapshot["tables"].items()), default=(0, ""))
        yield frame("snapshot", snapshot, f"{newest[1]}:{newest[0]}")
        for event in _repeats(hub, tables, last_id):
            yield frame(event.event, event.data | {"table": event.table, "repeated": True})
        loop = asyncio.get_running_loop()
        next_beat = loop.time()
        while True:
            if loop.time() >= next_beat:
                yield beat(hub, tables)
                next_beat = loop.time() + beat_s
            done, _ = await asyncio.wait({pending}, timeout=max(0.0, next_beat - loop.time()))
            if done:
                try:
                    event = pending.result()
                except StopAsyncIteration:
                    return
                yield _carried(event)
                pending = asyncio.ensure_future(anext(source))
    finally:
        pending.cancel()
        with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
            await pending
        close = getattr(source, "aclose", None)
        if close is not None:
            await close()
