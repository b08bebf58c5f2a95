"""The reconciler: makes the node and the retained topics look like the table's desired state, again after every reconnect.

Effects are not actions. After a crash the fold alone says what is desired, command ids are derived from the state, and so
nothing is done twice under two ids.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from marker_hardware.wire import Mode, Topic
from marker_hub import wire
from marker_hub.table import Order, Topics
from marker_hub.transport import Session, Transport

log = logging.getLogger("marker.display")

RESEND_S = 1.0
RESEND_SLOW_S = 5.0
TRIES_FAST = 3
ASK_S = 5.0
RETAINED = (Topic.SCORE, Topic.SHOT, Topic.DISPLAY)

_encode = msgspec.json.Encoder(order="deterministic").encode


class Reconciler:
    """One table's outside."""

    def __init__(
        self,
        table: str,
        transport: Transport,
        order: Callable[[], Order],
        topics: Callable[[Topics | None], Topics],
    ) -> None:
        """order, topics: what is desired of this table's node now, and of its topics (given what was made of them last)."""
        self._table = table
        self._transport = transport
        self._order = order
        self._topics = topics
        self._shown: Topics | None = None
        self._told = False
        self._published: dict[Topic, bytes] = {}
        self._acked = ""
        self._sent = ""
        self._tries = 0
        self._timer: asyncio.TimerHandle | None = None
        self._asked: dict[str, asyncio.Future[wire.Ack]] = {}
        self._held = 0
        self.node_online = False
        self.refused = ""

    def refresh(self) -> None:
        """The table changed: send the node what it has not done yet, publish what differs."""
        self.follow()
        before = self._shown
        now = self._topics(before)
        if now is before and self._told:
            return
        payloads: tuple[tuple[Topic, dict[str, Any] | None], ...] = (
            (Topic.SCORE, now.score),
            (Topic.SHOT, now.shot_topic),
            (Topic.DISPLAY, now.display),
        )
        told = [self._retain(topic, payload) for topic, payload in payloads]
        self._told = all(told)
        self._shown = now

    def follow(self) -> None:
        """Send the node what it has not done yet: play waits for it."""
        if self.node_online:
            self._command(self._order())

    def link_up(self) -> None:
        """The session is new: the broker may have forgotten everything."""
        self._published.clear()
        self._told = False
        self._sent = ""
        self._tries = 0
        self.refresh()

    def mark(self) -> None:
        """Publish the score once more: when it comes back on the durable session, everything kept for us has come."""
        self._published.pop(Topic.SCORE, None)
        self._told = False
        self.refresh()

    def node_up(self, mode: int, shot: int) -> None:
        """A birth: the node is where it says; what it was told before may be forgotten."""
        del shot
        self.node_online = True
        order = self._order()
        # A node that only lost its link keeps its mode; `arm` again would clear the latches of a shot under way.
        if _mode(order) != mode:
            self._acked = ""
        self._sent = ""
        self._tries = 0
        self._command(order)

    def node_down(self) -> None:
        """The node is gone; it is told again when it comes back."""
        self.node_online = False
        self._stop_timer()

    def acknowledged(self, ack: wire.Ack) -> None:
        """The node answered. A refusal is not repeated before the desired state changes."""
        asked = self._asked.get(ack.id)
        if asked is not None:
            if not asked.done():
                asked.set_result(ack)
            return
        if ack.id == self._sent:
            self._acked = ack.id
            self.refused = "" if ack.ok else f"{ack.code.name} {ack.msg}".strip()
            self._stop_timer()

    async def ask(self, command: wire.Command, limit_s: float = ASK_S) -> wire.Ack | None:
        """Gives the node a command that play does not need, and its answer; None where it gives none within `limit_s`."""
        waiting: asyncio.Future[wire.Ack] = asyncio.get_running_loop().create_future()
        self._asked[command.id] = waiting
        try:
            self._transport.publish(wire.topic(self._table, Topic.CMD), wire.encode(command), qos=1, retain=False)
            return await asyncio.wait_for(waiting, limit_s)
        except TimeoutError:
            return None
        finally:
            del self._asked[command.id]

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Holds back the table's own commands: a node in service mode would refuse them, and keeps its answer to an id."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            self.follow()

    @property
    def in_step(self) -> bool:
        """Whether the node has confirmed the newest command."""
        return self._acked == self._order().command_id

    def close(self) -> None:
        """Stop resending."""
        self._stop_timer()

    def _retain(self, topic: Topic, payload: dict[str, Any] | None) -> bool:
        """True when the broker has this payload."""
        made = _encode(payload) if payload is not None else b""
        if self._published.get(topic) == made:
            return True
        told = self._transport.publish(wire.topic(self._table, topic), made, qos=1, retain=True)
        if told:
            self._published[topic] = made
        return told

    def _command(self, order: Order) -> None:
        if not self.node_online or self._held or not order.command_id or order.command_id == self._acked:
            return
        if order.command_id == self._sent and self._timer is not None:
            return
        if order.command_id != self._sent:
            self._tries = 0
        self._send(order)

    def _send(self, order: Order) -> None:
        self._stop_timer()
        command: wire.Command
        if order.command == "arm":
            command = wire.Arm(order.command_id, order.shot, order.layout)
        else:
            command = wire.SetMode(order.command_id, _mode(order))
        self._sent = order.command_id
        self._tries += 1
        if self._transport.connected(Session.PLAIN):
            self._transport.publish(wire.topic(self._table, Topic.CMD), wire.encode(command), qos=1, retain=False)
        delay = RESEND_S if self._tries < TRIES_FAST else RESEND_SLOW_S
        self._timer = asyncio.get_running_loop().call_later(delay, self._again)

    def _again(self) -> None:
        self._timer = None
        if self.node_online:
            if self._tries == TRIES_FAST:
                log.warning("table %s: the node does not answer %s", self._table, self._sent)
            self._command(self._order())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _mode(order: Order) -> Mode:
    return Mode[order.mode.upper()]
