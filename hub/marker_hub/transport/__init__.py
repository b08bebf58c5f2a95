"""The port between hub and broker: subscribe, publish, acknowledge. Implementations: `mqtt` (paho) and `memory`.

Two sessions: the **durable** one gets `table/+/+` and is acknowledged by hand after the commit; the **plain** one (a
clean session) reads retained `state` and `health`, `cmd/ack` and `clk/req`, and publishes. Both on the hub's loop.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, Protocol

DURABLE_FILTER = "table/+/+"
"""One filter only: two would lose their mutual order on some brokers, and so `ev` could come before its birth."""

PLAIN_FILTERS = (("table/+/state", 1), ("table/+/health", 1), ("table/+/cmd/ack", 1), ("table/+/clk/req", 0))


def in_both(topic: str) -> bool:
    """Whether both sessions get a topic: each brings its own copy of a message, the durable one the copy that counts."""
    return topic.count("/") == 2 and topic.startswith("table/") and topic.endswith(("/state", "/health"))


class Session(Enum):
    """Which of the two sessions."""

    DURABLE = "durable"
    PLAIN = "plain"


class Message(NamedTuple):
    """One message that arrived. mid and generation identify it for the acknowledgement; retain: an old state, not news."""

    session: Session
    topic: str
    payload: bytes
    retain: bool
    mid: int
    generation: int


class TransportError(Exception):
    """The broker cannot be reached or refuses us; the text says which, where and the remedy."""


class Handler(Protocol):
    """Who gets the messages. Called on the loop; must not block and must not raise."""

    def on_message(self, message: Message) -> None:
        """A message arrived."""

    def on_link(self, session: Session, up: bool, reason: str) -> None:
        """A session came up (subscribed) or was lost."""


class Transport(Protocol):
    """The port."""

    async def start(self, handler: Handler) -> None:
        """Connect: first the plain session until the retained states are read, then the durable one. Raises TransportError."""

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> bool:
        """Publish from the plain session; False when there is no link (the reconciler repeats after a reconnect)."""

    def ack(self, message: Message) -> bool:
        """Acknowledge a durable message; False and nothing sent when its connection is not the current one."""

    def restart_durable(self, reason: str) -> None:
        """Drop the durable connection, so that the broker delivers again what was not acknowledged."""

    def connected(self, session: Session) -> bool:
        """Whether a session is up."""

    async def stop(self) -> None:
        """Disconnect in order; the durable session stays on the broker."""
