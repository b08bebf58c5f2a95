"""The reconciler: makes the node and the retained topics look like the table's desired state, again after every reconnect.

Effects are not actions. After a crash the fold alone says what is desired, command ids are derived from the state, and so
nothing is done twice under two ids.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import msgspec

from marker_hardware.wire import Mode, Topic
from marker_hub import wire
from marker_hub.table import Desired
from marker_hub.transport import Session, Transport

log = logging.getLogger("marker.display")

RESEND_S = 1.0
RESEND_SLOW_S = 5.0
TRIES_FAST = 3
RETAINED = (Topic.SCORE, Topic.SHOT, Topic.DISPLAY)

_encode = msgspec.json.Encoder(order="deterministic").encode


class Reconciler:
    """One table's outside."""

    def __init__(self, table: str, transport: Transport, desired: Callable[[], Desired]) -> None:
        """desired: the newest desired state of this table."""
        self._table = table
        self._transport = transport
        self._desired = desired
        self._published: dict[Topic, bytes] = {}
        self._acked = ""
        self._sent = ""
        self._tries = 0
        self._timer: asyncio.TimerHandle | None = None
        self.node_online = False
        self.refused = ""

    def refresh(self) -> None:
        """The table changed: publish what differs, send the node what it has not done yet."""
        desired = self._desired()
        payloads: tuple[tuple[Topic, dict[str, Any] | None], ...] = (
            (Topic.SCORE, desired.score),
            (Topic.SHOT, desired.shot_topic),
            (Topic.DISPLAY, desired.display),
        )
        for topic, payload in payloads:
            self._retain(topic, _encode(payload) if payload is not None else b"")
        self._command(desired)

    def link_up(self) -> None:
        """The session is new: the broker may have forgotten everything."""
        self._published.clear()
        self._sent = ""
        self._tries = 0
        self.refresh()

    def mark(self) -> None:
        """Publish the score once more: when it comes back on the durable session, everything kept for us has come."""
        self._published.pop(Topic.SCORE, None)
        self.refresh()

    def node_up(self, mode: int, shot: int) -> None:
        """A birth: the node is where it says; what it was told before may be forgotten."""
        del shot
        self.node_online = True
        desired = self._desired()
        # A node that only lost its link keeps its mode; `arm` again would clear the latches of a shot under way.
        if _mode(desired) != mode:
            self._acked = ""
        self._sent = ""
        self._tries = 0
        self._command(desired)

    def node_down(self) -> None:
        """The node is gone; it is told again when it comes back."""
        self.node_online = False
        self._stop_timer()

    def acknowledged(self, ack: wire.Ack) -> None:
        """The node answered. A refusal is not repeated before the desired state changes."""
        if ack.id == self._sent:
            self._acked = ack.id
            self.refused = "" if ack.ok else f"{ack.code.name} {ack.msg}".strip()
            self._stop_timer()

    @property
    def in_step(self) -> bool:
        """Whether the node has confirmed the newest command."""
        return self._acked == self._desired().command_id

    def close(self) -> None:
        """Stop resending."""
        self._stop_timer()

    def _retain(self, topic: Topic, payload: bytes) -> None:
        if self._published.get(topic) != payload and self._transport.publish(
            wire.topic(self._table, topic), payload, qos=1, retain=True
        ):
            self._published[topic] = payload

    def _command(self, desired: Desired) -> None:
        if not self.node_online or not desired.command_id or desired.command_id == self._acked:
            return
        if desired.command_id == self._sent and self._timer is not None:
            return
        if desired.command_id != self._sent:
            self._tries = 0
        self._send(desired)

    def _send(self, desired: Desired) -> None:
        self._stop_timer()
        command: wire.Command
        mode = _mode(desired)
        if desired.command == "arm":
            command = wire.Arm(desired.command_id, desired.shot, desired.layout)
        else:
            command = wire.SetMode(desired.command_id, mode)
        self._sent = desired.command_id
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
            self._command(self._desired())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _mode(desired: Desired) -> Mode:
    return Mode[desired.mode.upper()]
