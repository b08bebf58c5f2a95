"""The handler of the transport: every message goes to the desk of its topic.

A durable message is acknowledged when its entries are committed, or when its rejection is: a poison message that was
never acknowledged would close the broker's window and stop delivery for every table. State never runs ahead of the
journal: tables are stepped from the outcome of the commit.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from marker_hardware.wire import Topic
from marker_hub import wire
from marker_hub.ingest.births import BirthDesk
from marker_hub.ingest.link import TableLink
from marker_hub.ingest.nodes import NodeRegistry
from marker_hub.ingest.records import SUSTAINED_RECORDS, RecordDesk
from marker_hub.ingest.reports import ReportDesk
from marker_hub.ingest.store import Store
from marker_hub.journal import JournalWriter
from marker_hub.metrics import Metrics
from marker_hub.transport import Message, Session, Transport, in_both

log = logging.getLogger("marker.ingest")


class Ingest:
    """See the module. All methods run on the loop."""

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
        sustained: float = SUSTAINED_RECORDS,
    ) -> None:
        """on_failure: a commit failed; the service decides when to try again. sustained: records a second one node may send."""
        self.tables: dict[str, TableLink] = {}
        self.registry = registry
        self._store = Store(
            journal, registry, transport, metrics, mono_us=mono_us, wall_ms=wall_ms, on_failure=on_failure
        )
        self._records = RecordDesk(self._store, sustained)
        self._reports = ReportDesk(self._store)
        self._births = BirthDesk(self._store, self._records, self._reports)
        self._loop = asyncio.get_running_loop()
        self._generation = 0
        self._handlers: dict[Topic, Callable[[TableLink, Message, Any], None]] = {
            Topic.EV: self._records.take,
            Topic.STATE: self._births.state,
            Topic.HEALTH: self._health,
            Topic.CLK_REQ: self._clock,
            Topic.CMD_ACK: self._ack,
            Topic.BTN: self._button,
        }

    def add_table(self, link: TableLink) -> None:
        """From now on messages of this table are taken."""
        self.tables[link.id] = link
        self._records.add_table(link)

    # -- transport's handler ---------------------------------------------------------------------------------------

    def on_link(self, session: Session, up: bool, reason: str) -> None:
        """See Handler.on_link."""
        log.info("%s session %s %s", session.value, "up" if up else "down", reason)
        if session is Session.PLAIN:
            for link in self.tables.values():
                link.heard = False
            return
        for link in self.tables.values():
            if not up:
                link.lane.drop(self._generation)
                link.waiting.clear()
                self._births.drop(link)
            else:
                link.drained = False
                self._loop.call_later(1.0, self._drained, link)

    def on_message(self, message: Message) -> None:
        """See Handler.on_message."""
        try:
            self._route(message)
        except (
            Exception
        ):  # one message must never stop the others; it stays unacknowledged and is seen again after a reconnect
            log.exception("message on %s", message.topic)
            self._store.reject(message, "internal", "the hub could not process it; see the log")

    def _route(self, message: Message) -> None:
        durable = message.session is Session.DURABLE
        if durable:
            self._generation = message.generation
        address = wire.parse_topic(message.topic)
        link = self.tables.get(address.table) if address is not None else None
        twice = not durable and not message.retain and in_both(message.topic)
        if address is None or link is None:
            if twice:
                return
            self._store.reject(
                message, "table" if address else "topic", f"no table of this hub has the topic {message.topic!r}"
            )
            return
        if address.topic in wire.FROM_HUB:  # our own publishes, which the one durable filter matches too
            if durable:
                self._store.transport.ack(message)
                if not message.retain:
                    self._drained(link)
            return
        link.heard = link.heard or not (durable or message.retain)
        if durable and (message.retain or address.topic is Topic.HEALTH):
            self._store.transport.ack(message)  # the plain session reads retained states and health
            return
        if address.topic is Topic.STATE and not message.payload:  # a removed node: the retained state was cleared
            self._store.settle(message)
            return
        try:
            payload = wire.decode(address.topic, message.payload)
        except wire.BadPayload as error:
            if not twice or address.topic is Topic.HEALTH:
                self._store.reject(message, error.code, str(error))
            return
        self._handlers[address.topic](link, message, payload)

    def _drained(self, link: TableLink) -> None:
        """Everything the broker had kept for us has arrived; what the retained states say is now newer than all of it."""
        if link.drained:
            return
        link.drained = True
        self._births.read_retained(link)

    def settled(self) -> bool:
        """Whether every table's backlog and retained state were read and committed."""
        return all(link.drained and not link.lane.busy for link in self.tables.values())

    # -- topics that concern more than one desk ---------------------------------------------------------------------

    def _health(self, link: TableLink, message: Message, health: wire.Health) -> None:
        link.health_raw = health
        self._births.heard(link, health.boot, health.head, live=not message.retain)
        self._reports.health(link, health)

    def _clock(self, link: TableLink, _message: Message, request: wire.ClockRequest) -> None:
        self._reports.clock_asked(link, request)

    def _ack(self, link: TableLink, message: Message, ack: wire.Ack) -> None:
        self._births.heard(link, ack.boot, ack.head, live=not message.retain)
        self._reports.acknowledged(link, ack)

    def _button(self, link: TableLink, message: Message, button: wire.Button) -> None:
        # The key of the command is the box's id: a redelivery after a crash gives the first result again.
        link.sink.button(button, lambda: self._store.settle(message))
