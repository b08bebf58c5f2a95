"""The handler of the transport. One `TableLink` per configured table, one lane in each.

A durable message is acknowledged when its entries are committed, or when its rejection is: a poison message that was
never acknowledged would close the broker's window and stop delivery for every table. State never runs ahead of the
journal: tables are stepped from the outcome of the commit.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from marker_hardware import wire as contract
from marker_hardware.wire import ErrorCode, Topic
from marker_hub import entries, wire
from marker_hub.ingest.births import BirthDesk
from marker_hub.ingest.lanes import Item, Lane, Work
from marker_hub.ingest.nodes import Node, NodeRegistry
from marker_hub.ingest.replay import ReplayTracker
from marker_hub.journal import Draft, JournalWriter, Outcome, SeqRange
from marker_hub.metrics import Counter, Metrics
from marker_hub.transport import Message, Session, Transport, in_both

log = logging.getLogger("marker.ingest")

HOLD_S = 3.0
REJECT_BODY_BYTES = 2048
MOST_REFUSED = 200
"""Topics of which the last refused message is known, so that one the broker keeps is not refused again and again."""
CLOCK_JUMP_US = 5000
DRIFT_SPAN_US = 10_000_000
BURST_RECORDS = 10_000
SUSTAINED_RECORDS = 2_000.0
FARTHEST = 1 << 17
"""Records ahead of all that a node has told of: more than its ring and its flash can hold, so a number beyond is none of its own."""


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
class TableLink:
    """Ingest's side of one table."""

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
    drift_ppm: float | None = None
    first_clock: entries.ClockPair | None = None


def table_link(table: str, profile: str, sink: TableSink, lane: Lane, expected_uid: str = "") -> TableLink:
    """A link with the channels of its profile."""
    known = contract.channels(profile)
    names = {entry.name: number for number, entry in known.items()}
    return TableLink(table, profile, sink, lane, frozenset(known), names, expected_uid)


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
        self.transport = transport
        self.metrics = metrics
        self.journal = journal
        self.mono_us = mono_us
        self.wall_ms = wall_ms
        self.loop = asyncio.get_running_loop()
        self.births = BirthDesk(self)
        self._to_durable = metrics.histogram("receive_to_durable_seconds")
        self._records: dict[str, Counter] = {}
        self._on_failure = on_failure
        self._generation = 0
        self._refused = registry.refused(MOST_REFUSED)
        self._sustained = sustained
        self._handlers: dict[Topic, Callable[[TableLink, Message, Any], None]] = {
            Topic.EV: self._ev,
            Topic.STATE: self.births.state,
            Topic.HEALTH: self._health,
            Topic.CLK_REQ: self._clock,
            Topic.CMD_ACK: self._ack,
            Topic.BTN: self._button,
        }

    def add_table(self, link: TableLink) -> None:
        """From now on messages of this table are taken."""
        self.tables[link.id] = link
        self._records[link.id] = self.metrics.counter("records_total", table=link.id)

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
                self.births.drop(link)
            else:
                link.drained = False
                self.loop.call_later(1.0, self._drained, link)

    def on_message(self, message: Message) -> None:
        """See Handler.on_message."""
        try:
            self._route(message)
        except (
            Exception
        ):  # one message must never stop the others; it stays unacknowledged and is seen again after a reconnect
            log.exception("message on %s", message.topic)
            self._reject(message, "internal", "the hub could not process it; see the log")

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
            self._reject(
                message, "table" if address else "topic", f"no table of this hub has the topic {message.topic!r}"
            )
            return
        if address.topic in wire.FROM_HUB:  # our own publishes, which the one durable filter matches too
            if durable:
                self.transport.ack(message)
                if not message.retain:
                    self._drained(link)
            return
        link.heard = link.heard or not (durable or message.retain)
        if durable and (message.retain or address.topic is Topic.HEALTH):
            self.transport.ack(message)  # the plain session reads retained states and health
            return
        if address.topic is Topic.STATE and not message.payload:  # a removed node: the retained state was cleared
            self._settle(message)
            return
        try:
            payload = wire.decode(address.topic, message.payload)
        except wire.BadPayload as error:
            if not twice or address.topic is Topic.HEALTH:
                self._reject(message, error.code, str(error))
            return
        self._handlers[address.topic](link, message, payload)

    def _drained(self, link: TableLink) -> None:
        """Everything the broker had kept for us has arrived; what the retained states say is now newer than all of it."""
        if link.drained:
            return
        link.drained = True
        self.births.read_retained(link)

    def failed(self, error: str) -> None:
        """A commit failed: nothing of it may be acknowledged; the broker shall deliver it again."""
        self._on_failure(error)

    def settled(self) -> bool:
        """Whether every table's backlog and retained state were read and committed."""
        return all(link.drained and not link.lane.busy for link in self.tables.values())

    # -- rejects ---------------------------------------------------------------------------------------------------

    def _reject(self, message: Message, code: str, reason: str) -> None:
        body = message.payload[:REJECT_BODY_BYTES]
        if message.retain and self._refused.get(message.topic[:200]) == body:
            self._settle(message)  # kept by the broker, it comes with every connection; once is enough
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
                self._settle(message)
            else:
                self._refused.pop(row[1], None)
                self.failed(outcome.error)

        self.journal.append((), done, [(sql, row)])

    def _settle(self, message: Message) -> None:
        if message.session is Session.DURABLE:
            self.transport.ack(message)

    # -- records ---------------------------------------------------------------------------------------------------

    def _ev(self, link: TableLink, message: Message, ev: wire.Ev) -> None:
        unknown = next((record.ch for record in ev.e if record.ch not in link.channels), None)
        if unknown is not None:
            self._reject(message, "channel", f"channel {unknown} does not exist on the profile {link.profile}")
            return
        now = time.monotonic()
        if link.waiting or self.births.pending(link) or self.registry.owner(link.id, ev.b) is None:
            link.waiting.append((message, ev, now))
            self.loop.call_later(HOLD_S + 0.01, self.release, link)
            return
        self._queue_ev(link, message, ev)

    def release(self, link: TableLink) -> None:
        """Go on with records that waited for a birth; those that waited three seconds in vain are refused."""
        while link.waiting and not self.births.pending(link):
            message, ev, since = link.waiting[0]
            if self.registry.owner(link.id, ev.b) is not None:
                link.waiting.pop(0)
                self._queue_ev(link, message, ev)
            elif time.monotonic() - since >= HOLD_S:
                link.waiting.pop(0)
                self._reject(message, "boot", f"no birth says whose boot {ev.b} is")
            else:
                return

    def _queue_ev(self, link: TableLink, message: Message, ev: wire.Ev) -> None:
        arrived = time.perf_counter()
        mono, wall = self.mono_us(), self.wall_ms()
        link.lane.put(
            Item(lambda: self._make_ev(link, message, ev, mono, wall, arrived), generation=max(1, message.generation))
        )

    def _make_ev(
        self, link: TableLink, message: Message, ev: wire.Ev, mono: int, wall: int, arrived: float
    ) -> Work | None:
        node = self.registry.owner(link.id, ev.b)
        if node is None:
            self._reject(message, "boot", f"no birth says whose boot {ev.b} is")
            return None
        held = self.registry.held(node, ev.b)
        head = self._head(link, ev.b, held.head)
        if ev.s > head + FARTHEST:
            self._reject(message, "seq", f"record {ev.s} of boot {ev.b}: the node has told of {head} so far")
            return None
        gap = ev.s > held.head
        if not self._allow(link, len(ev.e)):
            self._shed(link, node, ev)
            self._settle(message)
            return None
        drafts: list[Draft] = []
        seq = ev.s
        for record in ev.e:
            if held.add(seq):
                body = entries.Obs(record.ch, record.kind, record.v, record.aux)
                drafts.append(Draft(link.id, body, mono, wall, None, node.id, ev.b, seq, record.t))
            seq += 1
        if len(drafts) < len(ev.e):
            self.metrics.count("duplicates_total", len(ev.e) - len(drafts), table=link.id)
        if gap and link.tracker is not None and link.tracker.boot == ev.b:
            self.metrics.count("gaps_total", table=link.id)
            link.tracker.expect(held.head, now=True)
        if not drafts:
            self._settle(message)
            return None

        def done(outcome: Outcome) -> None:
            if outcome.error is not None:
                self.registry.reload(node, ev.b)
                self.failed(outcome.error)
                return
            self._to_durable.observe(time.perf_counter() - arrived)
            made = [entry for entry in outcome.entries if entry is not None]
            self._records[link.id].add(len(made))
            if len(made) < len(drafts):
                self.metrics.count("duplicates_total", len(drafts) - len(made), table=link.id)
            self._settle(message)
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
        self.metrics.count("shed_records_total", len(ev.e), table=link.id)
        self.registry.held(node, ev.b).add_range(ev.s, last)
        if link.shed is None:
            link.shed = SeqRange(ev.s, last)
            self.loop.call_later(1.0, self._tell_shed, link, node, ev.b)
        else:
            link.shed = SeqRange(min(link.shed.first, ev.s), max(link.shed.last, last))

    def _tell_shed(self, link: TableLink, node: Node, boot: int) -> None:
        shed, link.shed = link.shed, None
        if shed is not None:
            log.error("table %s: its node babbles; records %d to %d were not kept", link.id, shed.first, shed.last)
            self.missing(link, node, boot, shed)

    # -- from the node's other topics ------------------------------------------------------------------------------

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
                self._settle(message)
            link.sink.stepped([entry for entry in outcome.entries if entry is not None])

        generation = message.generation if message is not None and message.session is Session.DURABLE else 0
        link.lane.put(Item(lambda: Work([draft], done), generation=generation))

    def missing(self, link: TableLink, node: Node, boot: int, gap: SeqRange) -> None:
        """Journal that these records will not come."""
        self.metrics.count("missing_records_total", gap.last - gap.first + 1, table=link.id)
        key = f"missing:{node.id}:{boot}:{gap.first}-{gap.last}"
        self.append(link, entries.Missing(boot, gap.first, gap.last), node=node, boot=boot, key=key)

    def _health(self, link: TableLink, message: Message, health: wire.Health) -> None:
        link.health_raw = health
        self.births.heard(link, health.boot, health.head, live=not message.retain)
        self.take_health(link, health)

    def take_health(self, link: TableLink, health: wire.Health) -> None:
        """What a health report says: clock, head, qualities."""
        if health.clk is not None and health.clk_ok:
            self._clock_pair(link, entries.ClockPair(health.boot, health.clk.t_dev, health.clk.off, health.clk.rtt))
        flags = ("brownout",) if health.brownout else ()
        channels = {link.names[name]: int(quality) for name, quality in health.channels.items() if name in link.names}
        body = entries.Health(health.boot, health.head, channels, flags)
        for name, quality in health.channels.items():
            self.metrics.gauge("channel_state", int(quality), table=link.id, channel=name)
        self._expect(link, health.boot, health.head)
        last = link.health
        news = last is None or (last.boot, last.channels, last.flags) != (body.boot, body.channels, body.flags)
        node = self.registry.owner(link.id, health.boot)
        if node is not None and (news or health.head > self.registry.held(node, health.boot).head):
            link.health = body
            self.append(link, body, node=node, boot=health.boot)

    def _clock_pair(self, link: TableLink, pair: entries.ClockPair) -> None:
        link.clock = pair
        self.metrics.gauge("node_clock_offset_seconds", pair.off / 1e6, table=link.id)
        first = link.first_clock
        if first is None or first.boot != pair.boot:
            link.first_clock, link.drift_ppm = pair, None
        elif pair.t_dev - first.t_dev >= DRIFT_SPAN_US:
            link.drift_ppm = round((pair.off - first.off) / (pair.t_dev - first.t_dev) * 1e6, 1)
        known = link.clock_journalled
        if known is None or known.boot != pair.boot or abs(known.off - pair.off) > CLOCK_JUMP_US:
            self.journal_clock(link)

    def journal_clock(self, link: TableLink) -> None:
        """Journal the newest clock pair, unless it is the one journalled last."""
        if link.clock is not None and link.clock != link.clock_journalled:
            link.clock_journalled = link.clock
            node = self.registry.owner(link.id, link.clock.boot)
            self.append(link, link.clock, node=node, boot=link.clock.boot)

    def _clock(self, link: TableLink, message: Message, request: wire.ClockRequest) -> None:
        del message
        t1 = self.mono_us()
        reply = wire.ClockReply(request.n, request.t0, t1, self.mono_us())
        self.transport.publish(wire.topic(link.id, Topic.CLK_REP), wire.encode(reply), qos=0, retain=False)

    def _ack(self, link: TableLink, message: Message, ack: wire.Ack) -> None:
        self.births.heard(link, ack.boot, ack.head, live=not message.retain)
        if link.tracker is not None and link.tracker.acked(ack):
            return
        if ack.code not in (ErrorCode.OK, ErrorCode.GAP):
            log.warning("table %s: the node refused %s: %s %s", link.id, ack.id, ack.code.name, ack.msg)
        link.sink.acknowledged(ack)
        self.journal_clock(link)
        node = self.registry.owner(link.id, ack.boot)
        self.append(link, entries.Head(ack.boot, ack.head, ack.id, int(ack.code)), node=node, boot=ack.boot)
        self._expect(link, ack.boot, ack.head)

    def _expect(self, link: TableLink, boot: int, head: int) -> None:
        if link.tracker is not None and link.tracker.boot == boot:
            link.tracker.expect(head, now=False)

    def _button(self, link: TableLink, message: Message, button: wire.Button) -> None:
        # The key of the command is the box's id: a redelivery after a crash gives the first result again.
        link.sink.button(button, lambda: self._settle(message))

    # -- replay ----------------------------------------------------------------------------------------------------

    def track(self, link: TableLink, node: Node, boot: int, floor: int) -> None:
        """From now on gaps of this boot are asked for; those of the boot before will not be filled any more."""
        if link.tracker is not None:
            if link.tracker.boot == boot and link.tracker.node == node.id:
                link.tracker.renewed(floor)
                return
            link.tracker.close(give_up=True)

        def send(command: wire.Replay) -> bool:
            # A node that is not connected yet (the broker was just restarted) was not asked.
            return bool(link.online and link.heard) and self.transport.publish(
                wire.topic(link.id, Topic.CMD), wire.encode(command), qos=1, retain=False
            )

        link.tracker = ReplayTracker(
            node.id,
            boot,
            self.registry.held(node, boot),
            later=self.loop.call_later,
            send=send,
            missing=lambda of_boot, gap: self.missing(link, node, of_boot, gap),
        )
