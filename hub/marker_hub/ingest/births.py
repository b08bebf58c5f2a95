"""Births and wills: who the node is, whether it is there, and whether its numbering started anew."""

from __future__ import annotations

import asyncio
import logging

from marker_hardware import wire as contract
from marker_hardware.wire import Topic
from marker_hub import entries, wire
from marker_hub.ingest.lanes import Item, Work
from marker_hub.ingest.link import Doubt, TableLink
from marker_hub.ingest.nodes import Node
from marker_hub.ingest.records import RecordDesk
from marker_hub.ingest.replay import ReplayTracker
from marker_hub.ingest.reports import ReportDesk
from marker_hub.ingest.store import Store
from marker_hub.journal import Draft, NodeRow, Outcome, Statement
from marker_hub.transport import Message, Session

log = logging.getLogger("marker.births")

CONFIRM_S = 1.0


class BirthDesk:
    """One for all tables."""

    def __init__(self, store: Store, records: RecordDesk, reports: ReportDesk) -> None:
        """records: what waits there goes on behind a birth. reports: told again once the birth they belong to is stored."""
        self._store = store
        self._records = records
        self._reports = reports
        self._registry = store.registry
        self._loop = asyncio.get_running_loop()
        self._number = 0

    def drop(self, link: TableLink) -> None:
        """The durable connection is lost; what waits is delivered again."""
        link.doubt = None

    def state(self, link: TableLink, message: Message, payload: wire.Birth | wire.Will) -> None:
        """A birth or will arrived on one of the sessions."""
        if message.session is Session.PLAIN:
            if message.retain:
                link.retained = [message]
                if link.drained:
                    self.read_retained(link)
            elif isinstance(payload, wire.Birth):
                self.heard(link, payload.boot, payload.head, live=True)
            return
        if isinstance(payload, wire.Will):
            self._will(link, message, payload)
        elif link.doubt is not None:
            # A newer birth of the same backlog: the doubtful one before it is history.
            self._resolve(link, link.doubt, new_epoch=False)
            self.state(link, message, payload)
        elif self._registry.goes_back(payload.uid, payload.boot, payload.head):
            self._ask(link, message, payload)
        else:
            self._admit(link, message, payload, new_epoch=False)

    def read_retained(self, link: TableLink) -> None:
        """What the broker keeps as the node's last state, read after the backlog: true unless something newer was heard."""
        for message in link.retained:
            payload = wire.decode(Topic.STATE, message.payload)
            if isinstance(payload, wire.Will):
                current = self._registry.current.get(link.id)
                if link.online is not False and (current is None or current[1] == payload.boot):
                    self._will(link, None, payload)
            elif self._registry.goes_back(payload.uid, payload.boot, payload.head):
                self._ask(link, message, payload)
            elif (
                link.birth is None
                or (link.birth.uid, link.birth.boot) != (payload.uid, payload.boot)
                or not link.online
            ):
                self._admit(link, message, payload, new_epoch=False)
        link.retained = []

    def heard(self, link: TableLink, boot: int, head: int, *, live: bool) -> None:
        """The node itself just said which boot it is in and how far it counts."""
        doubt = link.doubt
        if doubt is None or not live:
            return
        back = self._registry.goes_back(doubt.birth.uid, boot, head)
        self._resolve(link, doubt, new_epoch=back)

    # -- doubt -----------------------------------------------------------------------------------------------------

    def _ask(self, link: TableLink, message: Message, birth: wire.Birth) -> None:
        doubt = Doubt(message, birth)
        link.doubt = doubt
        self._number += 1
        command = wire.Info(f"who-{birth.boot}-{self._number}")
        self._store.transport.publish(wire.topic(link.id, Topic.CMD), wire.encode(command), qos=1, retain=False)

        def late() -> None:
            if link.doubt is doubt:
                self._resolve(link, doubt, new_epoch=False)

        self._loop.call_later(CONFIRM_S, late)

    def _resolve(self, link: TableLink, doubt: Doubt, *, new_epoch: bool) -> None:
        link.doubt = None
        if new_epoch:
            log.warning("table %s: node %s counts its boots anew (boot %d)", link.id, doubt.birth.uid, doubt.birth.boot)
        self._admit(link, doubt.message, doubt.birth, new_epoch=new_epoch)
        self._records.release(link)

    # -- journal ---------------------------------------------------------------------------------------------------

    def _will(self, link: TableLink, message: Message | None, will: wire.Will) -> None:
        current = self._registry.current.get(link.id)
        if current is not None and current[1] != will.boot and message is not None:
            # The will of an earlier connection, delivered after the node came back: not news.
            self._store.transport.ack(message)
            return
        link.online = False
        node = current[0] if current else None
        self._store.append(link, entries.Offline(will.boot), node=node, boot=will.boot, message=message)
        link.sink.node_changed(None, None)

    def _admit(self, link: TableLink, message: Message, birth: wire.Birth, *, new_epoch: bool) -> None:
        """Journal the birth as a barrier: records behind it are looked at when it is stored."""
        store = self._store

        def make() -> Work:
            node, row = self._registry.plan(link.id, birth.uid, new_epoch=new_epoch)
            draft = Draft(
                link.id,
                self._body(link, node, birth, retained=message.retain),
                store.mono_us(),
                store.wall_ms(),
                node=node.id,
                boot=birth.boot,
                dev_us=birth.t,
            )

            def done(outcome: Outcome) -> None:
                if outcome.error is not None:
                    store.failed(outcome.error)
                    return
                self._admitted(link, message, birth, node, [entry for entry in outcome.entries if entry is not None])

            return Work([draft], done, _node_statements(link.id, row))

        generation = message.generation if message.session is Session.DURABLE else 0
        link.lane.put(Item(make, alone=True, barrier=True, generation=generation))

    def _admitted(
        self, link: TableLink, message: Message, birth: wire.Birth, node: Node, made: list[entries.Entry]
    ) -> None:
        newest = birth.boot >= node.newest
        self._registry.admit(link.id, node, birth.boot, current=newest)
        self._store.settle(message)
        link.sink.stepped(made)
        if newest:
            link.online = True
            link.birth = birth
            self._track(link, node, birth.boot, birth.floor)
            if link.tracker is not None:
                link.tracker.expect(birth.head, now=False)
            link.sink.node_changed(int(birth.mode), birth.shot)
            if link.health_raw is not None and link.health_raw.boot == birth.boot:
                self._reports.health(link, link.health_raw)  # it came over the other session, before this was stored
        self._records.release(link)

    def _track(self, link: TableLink, node: Node, boot: int, floor: int) -> None:
        """From now on gaps of this boot are asked for; those of the boot before will not be filled any more."""
        if link.tracker is not None:
            if link.tracker.boot == boot and link.tracker.node == node.id:
                link.tracker.renewed(floor)
                return
            link.tracker.close(give_up=True)

        def send(command: wire.Replay) -> bool:
            # A node that is not connected yet (the broker was just restarted) was not asked.
            return bool(link.online and link.heard) and self._store.transport.publish(
                wire.topic(link.id, Topic.CMD), wire.encode(command), qos=1, retain=False
            )

        link.tracker = ReplayTracker(
            node.id,
            boot,
            self._registry.held(node, boot),
            later=self._loop.call_later,
            send=send,
            missing=lambda of_boot, gap: self._store.missing(link, node, of_boot, gap),
        )

    @staticmethod
    def _body(link: TableLink, node: Node, birth: wire.Birth, *, retained: bool) -> entries.Birth:
        channels = {link.names[name]: int(quality) for name, quality in birth.channels.items() if name in link.names}
        unc: dict[int, int] = {}
        for number, channel in contract.channels(link.profile).items():
            if channel.group.value in birth.unc_us:
                unc[number] = birth.unc_us[channel.group.value]
        return entries.Birth(
            boot=birth.boot,
            uid=birth.uid,
            epoch=node.epoch,
            profile=birth.profile.value,
            fw=birth.fw,
            reset=birth.reset,
            mode=int(birth.mode),
            floor=birth.floor,
            tail=birth.tail,
            head=birth.head,
            channels=channels,
            unc_us=unc,
            retained=retained,
        )


def _node_statements(table: str, row: NodeRow | None) -> list[Statement]:
    if row is None:
        return []
    return [("INSERT OR IGNORE INTO node(id, uid, epoch, tbl) VALUES(?,?,?,?)", (row.id, row.uid, row.epoch, table))]
