"""A broker in memory and the port on top of it: for unit tests, property tests, and where no broker can be started.

Semantics that matter to the hub are those of a real one: retained states, wills, a durable session that queues while the
hub is away and delivers again, in order, what was not acknowledged. Deliveries happen on the loop, never inside a call.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from marker_hub.transport import DURABLE_FILTER, PLAIN_FILTERS, Handler, Message, Session

Listener = Callable[[str, bytes, bool], None]
INFLIGHT = 100
TOPICS_KEPT = 4096
"""Topics whose listeners are remembered."""


class _Held(NamedTuple):
    topic: str
    payload: bytes


@lru_cache(maxsize=4096)
def matches(pattern: str, topic: str) -> bool:
    """Whether a topic filter with `+` and `#` selects a topic."""
    want, have = pattern.split("/"), topic.split("/")
    for index, part in enumerate(want):
        if part == "#":
            return True
        if index >= len(have) or part not in ("+", have[index]):
            return False
    return len(want) == len(have)


@lru_cache(maxsize=4096)
def _plain(topic: str) -> bool:
    return any(matches(pattern, topic) for pattern, _ in PLAIN_FILTERS)


class MemoryClient:
    """A node, a box or a page: publishes, listens, may die without a word."""

    def __init__(self, broker: MemoryBroker, will: tuple[str, bytes] | None) -> None:
        """Made by `MemoryBroker.connect`."""
        self._broker = broker
        self._will = will
        self.alive = True

    def subscribe(self, pattern: str, listener: Listener) -> None:
        """Call `listener(topic, payload, retain)` for matching messages, the retained ones first."""
        self._broker.subscribe(self, pattern, listener)
        for topic, payload in list(self._broker.retained.items()):
            if matches(pattern, topic):
                listener(topic, payload, True)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish with QoS 1. Nothing happens when this client is dead."""
        if self.alive:
            self._broker.route(topic, payload, retain=retain)

    def die(self) -> None:
        """The connection is gone without DISCONNECT: the broker publishes the will."""
        if self.alive:
            self.alive = False
            self._broker.clients.discard(self)
            if self._will is not None:
                self._broker.route(*self._will, retain=True)

    def close(self) -> None:
        """An orderly DISCONNECT: no will."""
        self.alive = False
        self._broker.clients.discard(self)


class MemoryBroker:
    """The broker. It survives the transports that use it, as a real one survives its clients."""

    def __init__(self) -> None:
        """Empty: no sessions, nothing retained."""
        self.retained: dict[str, bytes] = {}
        self.clients: set[MemoryClient] = set()
        self._subscriptions: list[tuple[str, MemoryClient, Listener]] = []
        self._by_topic: dict[str, list[tuple[MemoryClient, Listener]]] = {}
        self._transport: MemoryTransport | None = None
        self._durable_known = False
        self._queue: deque[_Held] = deque()
        self._inflight: OrderedDict[int, _Held] = OrderedDict()
        self._mids = itertools.count(1)

    def connect(self, will: tuple[str, bytes] | None = None) -> MemoryClient:
        """A new client; `will` is a topic and a payload, published retained when it dies."""
        client = MemoryClient(self, will)
        self.clients.add(client)
        return client

    def route(self, topic: str, payload: bytes, *, retain: bool) -> None:
        """Deliver a publish to everyone; an empty retained payload clears."""
        if retain:
            if payload:
                self.retained[topic] = payload
            else:
                self.retained.pop(topic, None)
        for client, listener in self._listeners(topic):
            if client in self.clients:
                listener(topic, payload, False)
        if self._durable_known and matches(DURABLE_FILTER, topic):
            self._queue.append(_Held(topic, payload))
        if self._transport is not None:
            self._transport.plain(topic, payload, retain=False)
            self.pump()

    def subscribe(self, client: MemoryClient, pattern: str, listener: Listener) -> None:
        """Called by the client."""
        self._subscriptions.append((pattern, client, listener))
        self._by_topic.clear()

    def _listeners(self, topic: str) -> list[tuple[MemoryClient, Listener]]:
        found = self._by_topic.get(topic)
        if found is None:
            if len(self._by_topic) >= TOPICS_KEPT:
                self._by_topic.clear()
            self._subscriptions = [item for item in self._subscriptions if item[1] in self.clients]
            found = [(client, listener) for pattern, client, listener in self._subscriptions if matches(pattern, topic)]
            self._by_topic[topic] = found
        return found

    def forget(self) -> None:
        """The broker was restarted without persistence: sessions and retained states are gone, connections cut."""
        self.retained.clear()
        self._queue.clear()
        self._inflight.clear()
        self._durable_known = False
        for client in list(self.clients):
            client.alive = False
        self.clients.clear()
        if self._transport is not None:
            self._transport.cut("broker restarted")

    def attach(self, transport: MemoryTransport) -> None:
        """The hub's sessions connect: what was not acknowledged is delivered again first."""
        self._transport = transport
        self._durable_known = True
        again = [*self._inflight.values(), *self._queue]
        self._inflight.clear()
        self._queue = deque(again)

    def detach(self, transport: MemoryTransport) -> None:
        """The hub's sessions are gone; the durable one goes on queueing."""
        if self._transport is transport:
            self._transport = None

    def pump(self) -> None:
        """Hand the hub what its window allows."""
        transport = self._transport
        while transport is not None and self._queue and len(self._inflight) < INFLIGHT:
            held = self._queue.popleft()
            mid = next(self._mids)
            self._inflight[mid] = held
            transport.durable(held.topic, held.payload, mid)

    def settle(self, mid: int) -> bool:
        """A message was acknowledged."""
        if self._inflight.pop(mid, None) is None:
            return False
        self.pump()
        return True

    @property
    def unacknowledged(self) -> int:
        """Messages the hub has not acknowledged, queued or in flight."""
        return len(self._inflight) + len(self._queue)


class MemoryTransport:
    """`Transport` on a MemoryBroker."""

    def __init__(self, broker: MemoryBroker, also: tuple[tuple[str, int], ...] = ()) -> None:
        """The broker may be shared with nodes and with a later transport. also: filters of the plain session besides its own."""
        self._also = also
        self.broker = broker
        self.generation = 0
        self._handler: Handler | None = None
        self._up = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self, handler: Handler) -> None:
        """See Transport.start."""
        self._handler = handler
        self._loop = asyncio.get_running_loop()
        self._connect()
        await asyncio.sleep(0)

    def _connect(self) -> None:
        assert self._handler is not None
        self.generation += 1
        self._up = True
        for topic, payload in list(self.broker.retained.items()):
            self.plain(topic, payload, retain=True)
        self._handler.on_link(Session.PLAIN, True, "")
        self.broker.attach(self)
        self._handler.on_link(Session.DURABLE, True, "")
        self.broker.pump()

    def plain(self, topic: str, payload: bytes, *, retain: bool) -> None:
        """A message for the plain session."""
        if _plain(topic) or any(matches(pattern, topic) for pattern, _ in self._also):
            self._soon(Message(Session.PLAIN, topic, payload, retain, 0, self.generation))

    def durable(self, topic: str, payload: bytes, mid: int) -> None:
        """A message for the durable session."""
        self._soon(Message(Session.DURABLE, topic, payload, False, mid, self.generation))

    def _soon(self, message: Message) -> None:
        assert self._loop is not None
        self._loop.call_soon(self._hand_over, message)

    def _hand_over(self, message: Message) -> None:
        if self._handler is not None and self._up and message.generation == self.generation:
            self._handler.on_message(message)

    def cut(self, reason: str) -> None:
        """The connection is lost; a new one follows on the next turn of the loop."""
        assert self._handler is not None
        assert self._loop is not None
        if not self._up:
            return
        self._up = False
        self.broker.detach(self)
        self._handler.on_link(Session.DURABLE, False, reason)
        self._handler.on_link(Session.PLAIN, False, reason)
        self._loop.call_soon(self._reconnect)

    def _reconnect(self) -> None:
        if self._handler is not None and not self._up:
            self._connect()

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> bool:
        """See Transport.publish."""
        del qos  # every delivery in memory is exactly once
        if not self._up:
            return False
        self.broker.route(topic, payload, retain=retain)
        return True

    def ack(self, message: Message) -> bool:
        """See Transport.ack."""
        return self._up and message.generation == self.generation and self.broker.settle(message.mid)

    def restart_durable(self, reason: str) -> None:
        """See Transport.restart_durable; both sessions share the connection here."""
        self.cut(reason)

    def connected(self, session: Session) -> bool:
        """See Transport.connected."""
        del session
        return self._up

    async def stop(self) -> None:
        """See Transport.stop."""
        self._up = False
        self._handler = None
        self.broker.detach(self)
