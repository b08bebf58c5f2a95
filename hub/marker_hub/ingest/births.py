"""Births and wills: who the node is, whether it is there, and whether its numbering started anew."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from marker_hardware import wire as contract
from marker_hardware.wire import Topic
from marker_hub import entries, wire
from marker_hub.ingest.lanes import Item, Work
from marker_hub.ingest.nodes import Node
from marker_hub.journal import Draft, NodeRow, Outcome, Statement
from marker_hub.transport import Message, Session

if TYPE_CHECKING:
    from marker_hub.ingest.core import Ingest, TableLink

log = logging.getLogger("marker.births")

CONFIRM_S = 1.0


@dataclass(slots=True)
class _Doubt:
    """A birth that would take the numbering back, until the node itself has said where it stands."""

    message: Message
    birth: wire.Birth


class BirthDesk:
    """One for all tables; part of Ingest."""

    def __init__(self, ingest: Ingest) -> None:
        """ingest: the owner."""
        self._ingest = ingest
        self._doubts: dict[str, _Doubt] = {}
        self._number = 0

    def pending(self, link: TableLink) -> bool:
        """Whether a birth of this table waits for its confirmation; records wait with it."""
        return link.id in self._doubts

    def drop(self, link: TableLink) -> None:
        """The durable connection is lost; what waits is delivered again."""
        self._doubts.pop(link.id, None)

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
        elif link.id in self._doubts:
            # A newer birth of the same backlog: the doubtful one before it is history.
            self._resolve(link, new_epoch=False)
            self.state(link, message, payload)
        elif self._ingest.registry.goes_back(payload.uid, payload.boot, payload.head):
            self._ask(link, message, payload)
        else:
            self._admit(link, message, payload, new_epoch=False)

    def read_retained(self, link: TableLink) -> None:
        """What the broker keeps as the node's last state, read after the backlog: true unless something newer was heard."""
        for message in link.retained:
            payload = wire.decode(Topic.STATE, message.payload)
            if isinstance(payload, wire.Will):
                current = self._ingest.registry.current.get(link.id)
                if link.online is not False and (current is None or current[1] == payload.boot):
                    self._will(link, None, payload)
            elif self._ingest.registry.goes_back(payload.uid, payload.boot, payload.head):
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
        doubt = self._doubts.get(link.id)
        if doubt is None or not live:
            return
        back = self._ingest.registry.goes_back(doubt.birth.uid, boot, head)
        self._resolve(link, new_epoch=back)

    # -- doubt -----------------------------------------------------------------------------------------------------

    def _ask(self, link: TableLink, message: Message, birth: wire.Birth) -> None:
        doubt = _Doubt(message, birth)
        self._doubts[link.id] = doubt
        self._number += 1
        command = wire.Info(f"who-{birth.boot}-{self._number}")
        self._ingest.transport.publish(wire.topic(link.id, Topic.CMD), wire.encode(command), qos=1, retain=False)

        def late() -> None:
            if self._doubts.get(link.id) is doubt:
                self._resolve(link, new_epoch=False)

        self._ingest.loop.call_later(CONFIRM_S, late)

    def _resolve(self, link: TableLink, *, new_epoch: bool) -> None:
        doubt = self._doubts.pop(link.id)
        if new_epoch:
            log.warning("table %s: node %s counts its boots anew (boot %d)", link.id, doubt.birth.uid, doubt.birth.boot)
        self._admit(link, doubt.message, doubt.birth, new_epoch=new_epoch)
        self._ingest.release(link)

    # -- journal ---------------------------------------------------------------------------------------------------

    def _will(self, link: TableLink, message: Message | None, will: wire.Will) -> None:
        current = self._ingest.registry.current.get(link.id)
        if current is not None and current[1] != will.boot and message is not None:
            # The will of an earlier connection, delivered after the node came back: not news.
            self._ingest.transport.ack(message)
            return
        link.online = False
        node = current[0] if current else None
        self._ingest.append(link, entries.Offline(will.boot), node=node, boot=will.boot, message=message)
        link.sink.node_changed(None, None)

    def _admit(self, link: TableLink, message: Message, birth: wire.Birth, *, new_epoch: bool) -> None:
        """Journal the birth as a barrier: records behind it are looked at when it is stored."""
        ingest = self._ingest

        def make() -> Work:
            node, row = ingest.registry.plan(link.id, birth.uid, new_epoch=new_epoch)
            draft = Draft(
                link.id,
                self._body(link, node, birth, retained=message.retain),
                ingest.mono_us(),
                ingest.wall_ms(),
                node=node.id,
                boot=birth.boot,
                dev_us=birth.t,
            )

            def done(outcome: Outcome) -> None:
                if outcome.error is not None:
                    ingest.failed(outcome.error)
                    return
                self._admitted(link, message, birth, node, [entry for entry in outcome.entries if entry is not None])

            return Work([draft], done, _node_statements(link.id, row))

        generation = message.generation if message.session is Session.DURABLE else 0
        link.lane.put(Item(make, alone=True, barrier=True, generation=generation))

    def _admitted(
        self, link: TableLink, message: Message, birth: wire.Birth, node: Node, made: list[entries.Entry]
    ) -> None:
        ingest = self._ingest
        newest = birth.boot >= node.newest
        ingest.registry.admit(link.id, node, birth.boot, current=newest)
        if message.session is Session.DURABLE:
            ingest.transport.ack(message)
        link.sink.stepped(made)
        if newest:
            link.online = True
            link.birth = birth
            ingest.track(link, node, birth.boot, birth.floor)
            if link.tracker is not None:
                link.tracker.expect(birth.head, now=False)
            link.sink.node_changed(int(birth.mode), birth.shot)
            if link.health_raw is not None and link.health_raw.boot == birth.boot:
                ingest.take_health(link, link.health_raw)  # it came over the other session, before this was stored
        ingest.release(link)

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
