"""What every desk of ingest stands on: journal, registry, transport and clocks; store a body, refuse or settle a message."""

from __future__ import annotations

import logging
from collections.abc import Callable

from marker_hub import entries
from marker_hub.ingest.lanes import Item, Work
from marker_hub.ingest.link import TableLink
from marker_hub.ingest.nodes import Node, NodeRegistry
from marker_hub.journal import Draft, JournalWriter, Outcome, SeqRange
from marker_hub.metrics import Metrics
from marker_hub.transport import Message, Session, Transport, in_both

log = logging.getLogger("marker.ingest")

REJECT_BODY_BYTES = 2048
MOST_REFUSED = 200
"""Topics of which the last refused message is known, so that one the broker keeps is not refused again and again."""


class Store:
    """One for all tables. All methods run on the loop."""

    def __init__(
        self,
        journal: JournalWriter,
        registry: NodeRegistry,
        transport: Transport,
        metrics: Metrics,
        *,
        mono_us: Callable[[], int],
        wall_ms: Callable[[], int],
        on_failure: Callable[[str], None],
    ) -> None:
        """on_failure: a commit failed; the service decides when to try again."""
        self.registry = registry
        self.transport = transport
        self.metrics = metrics
        self.mono_us = mono_us
        self.wall_ms = wall_ms
        self._journal = journal
        self._on_failure = on_failure
        self._refused = registry.refused(MOST_REFUSED)

    def failed(self, error: str) -> None:
        """A commit failed: nothing of it may be acknowledged; the broker shall deliver it again."""
        self._on_failure(error)

    def settle(self, message: Message) -> None:
        """Nothing more is to be done for this message."""
        if message.session is Session.DURABLE:
            self.transport.ack(message)

    def reject(self, message: Message, code: str, reason: str) -> None:
        """Keep what cannot be taken, with the reason; it is settled when that is committed."""
        body = message.payload[:REJECT_BODY_BYTES]
        if message.retain and self._refused.get(message.topic[:200]) == body:
            self.settle(message)  # kept by the broker, it comes with every connection; once is enough
            return
        if in_both(message.topic):
            self._refused[message.topic[:200]] = body
            if len(self._refused) > MOST_REFUSED:
                self._refused.pop(next(iter(self._refused)))
        self.metrics.count("rejects_total", reason=code)
        log.warning("refused a message on %s: %s", message.topic[:100], reason)
        row = (self.wall_ms(), message.topic[:200], f"{code}: {reason}"[:500], body)
        sql = "INSERT INTO reject(wall_ms, topic, reason, body) VALUES(?,?,?,?)"

        def done(outcome: Outcome) -> None:
            if outcome.error is None:
                self.settle(message)
            else:
                self._refused.pop(row[1], None)
                self.failed(outcome.error)

        self._journal.append((), done, [(sql, row)])

    def append(
        self,
        link: TableLink,
        body: entries.Body,
        *,
        node: Node | None = None,
        boot: int | None = None,
        key: str | None = None,
        message: Message | None = None,
    ) -> None:
        """Journal one body that is no record, then step it."""
        draft = Draft(link.id, body, self.mono_us(), self.wall_ms(), key, node.id if node else None, boot)

        def done(outcome: Outcome) -> None:
            if outcome.error is not None:
                self.failed(outcome.error)
                return
            if message is not None:
                self.settle(message)
            link.sink.stepped([entry for entry in outcome.entries if entry is not None])

        generation = message.generation if message is not None and message.session is Session.DURABLE else 0
        link.lane.put(Item(lambda: Work([draft], done), generation=generation))

    def missing(self, link: TableLink, node: Node, boot: int, gap: SeqRange) -> None:
        """Journal that these records will not come."""
        self.metrics.count("missing_records_total", gap.last - gap.first + 1, table=link.id)
        key = f"missing:{node.id}:{boot}:{gap.first}-{gap.last}"
        self.append(link, entries.Missing(boot, gap.first, gap.last), node=node, boot=boot, key=key)
