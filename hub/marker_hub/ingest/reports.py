"""What a node says of itself besides records: its clock, how far it counts, the state of its channels."""

from __future__ import annotations

import logging

from marker_hardware.wire import ErrorCode, Topic
from marker_hub import entries, wire
from marker_hub.ingest.link import TableLink
from marker_hub.ingest.store import Store

log = logging.getLogger("marker.ingest")

CLOCK_JUMP_US = 5000
DRIFT_SPAN_US = 10_000_000


class ReportDesk:
    """One for all tables."""

    def __init__(self, store: Store) -> None:
        """store: where what was said is kept."""
        self._store = store

    def health(self, link: TableLink, health: wire.Health) -> None:
        """What a health report says: clock, head, qualities."""
        if health.clk is not None and health.clk_ok:
            self._clock_pair(link, entries.ClockPair(health.boot, health.clk.t_dev, health.clk.off, health.clk.rtt))
        flags = ("brownout",) if health.brownout else ()
        channels = {link.names[name]: int(quality) for name, quality in health.channels.items() if name in link.names}
        body = entries.Health(health.boot, health.head, channels, flags)
        for name, quality in health.channels.items():
            self._store.metrics.gauge("channel_state", int(quality), table=link.id, channel=name)
        self._expect(link, health.boot, health.head)
        last = link.health
        news = last is None or (last.boot, last.channels, last.flags) != (body.boot, body.channels, body.flags)
        node = self._store.registry.owner(link.id, health.boot)
        if node is not None and (news or health.head > self._store.registry.held(node, health.boot).head):
            link.health = body
            self._store.append(link, body, node=node, boot=health.boot)

    def _clock_pair(self, link: TableLink, pair: entries.ClockPair) -> None:
        link.clock = pair
        self._store.metrics.gauge("node_clock_offset_seconds", pair.off / 1e6, table=link.id)
        first = link.first_clock
        if first is None or first.boot != pair.boot:
            link.first_clock, link.drift_ppm = pair, None
        elif pair.t_dev - first.t_dev >= DRIFT_SPAN_US:
            link.drift_ppm = round((pair.off - first.off) / (pair.t_dev - first.t_dev) * 1e6, 1)
        known = link.clock_journalled
        if known is None or known.boot != pair.boot or abs(known.off - pair.off) > CLOCK_JUMP_US:
            self._journal_clock(link)

    def _journal_clock(self, link: TableLink) -> None:
        """Journal the newest clock pair, unless it is the one journalled last."""
        if link.clock is not None and link.clock != link.clock_journalled:
            link.clock_journalled = link.clock
            node = self._store.registry.owner(link.id, link.clock.boot)
            self._store.append(link, link.clock, node=node, boot=link.clock.boot)

    def clock_asked(self, link: TableLink, request: wire.ClockRequest) -> None:
        """Answer with the hub's own time at arrival and at sending, us."""
        t1 = self._store.mono_us()
        reply = wire.ClockReply(request.n, request.t0, t1, self._store.mono_us())
        self._store.transport.publish(wire.topic(link.id, Topic.CLK_REP), wire.encode(reply), qos=0, retain=False)

    def acknowledged(self, link: TableLink, ack: wire.Ack) -> None:
        """The node answered a command: of the replay or of the reconciler."""
        if link.tracker is not None and link.tracker.acked(ack):
            return
        if ack.code not in (ErrorCode.OK, ErrorCode.GAP):
            log.warning("table %s: the node refused %s: %s %s", link.id, ack.id, ack.code.name, ack.msg)
        link.sink.acknowledged(ack)
        self._journal_clock(link)
        node = self._store.registry.owner(link.id, ack.boot)
        self._store.append(link, entries.Head(ack.boot, ack.head, ack.id, int(ack.code)), node=node, boot=ack.boot)
        self._expect(link, ack.boot, ack.head)

    def _expect(self, link: TableLink, boot: int, head: int) -> None:
        if link.tracker is not None and link.tracker.boot == boot:
            link.tracker.expect(head, now=False)
