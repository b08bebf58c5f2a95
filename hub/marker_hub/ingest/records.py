"""Records: which of them are new, which wait for their birth, which a babbling node may not send."""

from __future__ import annotations

import asyncio
import logging
import time

from marker_hub import entries, wire
from marker_hub.ingest.lanes import Item, Work
from marker_hub.ingest.link import BURST_RECORDS, TableLink
from marker_hub.ingest.nodes import Node
from marker_hub.ingest.store import Store
from marker_hub.journal import Draft, Outcome, SeqRange
from marker_hub.metrics import Counter
from marker_hub.transport import Message

log = logging.getLogger("marker.ingest")

HOLD_S = 3.0
SUSTAINED_RECORDS = 2_000.0
FARTHEST = 1 << 17
"""Records ahead of all that a node has told of: more than its ring and its flash can hold, so a number beyond is none of its own."""


class RecordDesk:
    """One for all tables."""

    def __init__(self, store: Store, sustained: float = SUSTAINED_RECORDS) -> None:
        """sustained: records a second one node may send."""
        self._store = store
        self._registry = store.registry
        self._metrics = store.metrics
        self._loop = asyncio.get_running_loop()
        self._to_durable = store.metrics.histogram("receive_to_durable_seconds")
        self._counters: dict[str, Counter] = {}
        self._sustained = sustained

    def add_table(self, link: TableLink) -> None:
        """From now on records of this table are counted."""
        self._counters[link.id] = self._metrics.counter("records_total", table=link.id)

    def take(self, link: TableLink, message: Message, ev: wire.Ev) -> None:
        """Records of a node arrived."""
        unknown = next((record.ch for record in ev.e if record.ch not in link.channels), None)
        if unknown is not None:
            self._store.reject(message, "channel", f"channel {unknown} does not exist on the profile {link.profile}")
            return
        now = time.monotonic()
        if link.waiting or link.doubt is not None or self._registry.owner(link.id, ev.b) is None:
            link.waiting.append((message, ev, now))
            self._loop.call_later(HOLD_S + 0.01, self.release, link)
            return
        self._queue(link, message, ev)

    def release(self, link: TableLink) -> None:
        """Go on with records that waited for a birth; those that waited three seconds in vain are refused."""
        while link.waiting and link.doubt is None:
            message, ev, since = link.waiting[0]
            if self._registry.owner(link.id, ev.b) is not None:
                link.waiting.pop(0)
                self._queue(link, message, ev)
            elif time.monotonic() - since >= HOLD_S:
                link.waiting.pop(0)
                self._store.reject(message, "boot", f"no birth says whose boot {ev.b} is")
            else:
                return

    def _queue(self, link: TableLink, message: Message, ev: wire.Ev) -> None:
        arrived = time.perf_counter()
        mono, wall = self._store.mono_us(), self._store.wall_ms()
        link.lane.put(
            Item(lambda: self._make(link, message, ev, mono, wall, arrived), generation=max(1, message.generation))
        )

    def _make(
        self, link: TableLink, message: Message, ev: wire.Ev, mono: int, wall: int, arrived: float
    ) -> Work | None:
        node = self._registry.owner(link.id, ev.b)
        if node is None:
            self._store.reject(message, "boot", f"no birth says whose boot {ev.b} is")
            return None
        held = self._registry.held(node, ev.b)
        head = self._head(link, ev.b, held.head)
        if ev.s > head + FARTHEST:
            self._store.reject(message, "seq", f"record {ev.s} of boot {ev.b}: the node has told of {head} so far")
            return None
        gap = ev.s > held.head
        if not self._allow(link, len(ev.e)):
            self._shed(link, node, ev)
            self._store.settle(message)
            return None
        drafts: list[Draft] = []
        seq = ev.s
        for record in ev.e:
            if held.add(seq):
                body = entries.Obs(record.ch, record.kind, record.v, record.aux)
                drafts.append(Draft(link.id, body, mono, wall, None, node.id, ev.b, seq, record.t))
            seq += 1
        if len(drafts) < len(ev.e):
            self._metrics.count("duplicates_total", len(ev.e) - len(drafts), table=link.id)
        if gap and link.tracker is not None and link.tracker.boot == ev.b:
            self._metrics.count("gaps_total", table=link.id)
            link.tracker.expect(held.head, now=True)
        if not drafts:
            self._store.settle(message)
            return None

        def done(outcome: Outcome) -> None:
            if outcome.error is not None:
                self._registry.reload(node, ev.b)
                self._store.failed(outcome.error)
                return
            self._to_durable.observe(time.perf_counter() - arrived)
            made = [entry for entry in outcome.entries if entry is not None]
            self._counters[link.id].add(len(made))
            if len(made) < len(drafts):
                self._metrics.count("duplicates_total", len(drafts) - len(made), table=link.id)
            self._store.settle(message)
            link.sink.stepped(made)

        return Work(drafts, done)

    @staticmethod
    def _head(link: TableLink, boot: int, held: int) -> int:
        """The next number that this boot may give, by what is held and what the node has said of itself."""
        said = [told.head for told in (link.birth, link.health_raw) if told is not None and told.boot == boot]
        return max([held, *said])

    def _allow(self, link: TableLink, records: int) -> bool:
        """A token bucket: a babbling node may not drown the hall. A table in play makes fewer than 100 records a second."""
        now = time.monotonic()
        if link.filled:
            link.tokens = min(BURST_RECORDS, link.tokens + (now - link.filled) * self._sustained)
        link.filled = now
        if link.tokens < records:
            return False
        link.tokens -= records
        return True

    def _shed(self, link: TableLink, node: Node, ev: wire.Ev) -> None:
        """Drop what a babbling node sent, visibly: one entry a second says which records are missing."""
        last = ev.s + len(ev.e) - 1
        self._metrics.count("shed_records_total", len(ev.e), table=link.id)
        self._registry.held(node, ev.b).add_range(ev.s, last)
        if link.shed is None:
            link.shed = SeqRange(ev.s, last)
            self._loop.call_later(1.0, self._tell_shed, link, node, ev.b)
        else:
            link.shed = SeqRange(min(link.shed.first, ev.s), max(link.shed.last, last))

    def _tell_shed(self, link: TableLink, node: Node, boot: int) -> None:
        shed, link.shed = link.shed, None
        if shed is not None:
            log.error("table %s: its node babbles; records %d to %d were not kept", link.id, shed.first, shed.last)
            self._store.missing(link, node, boot, shed)
