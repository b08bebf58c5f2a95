"""The port over MQTT 3.1.1 with paho, inside the asyncio loop.

paho's callbacks only hand things over. Its `connect` blocks, so it runs in a worker thread; the socket callbacks then
fire in that thread and use `call_soon_threadsafe`. Every connection gets a fresh client object: nothing queued on a lost
connection is sent on the next one, because the reconciler publishes the current state anyway.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import socket
import time
from typing import Any, NamedTuple

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from marker_hub.transport import DURABLE_FILTER, PLAIN_FILTERS, Handler, Message, Session, TransportError

log = logging.getLogger("marker.transport")

KEEPALIVE_S = 5
CONNECT_TIMEOUT_S = 5.0
START_S = 15.0
BACKOFF_FIRST_S = 0.1
BACKOFF_MAX_S = 5.0
MISC_S = 0.2
BARRIER_S = 10.0


class Endpoint(NamedTuple):
    """Where the broker is and who we are. hub: id of this hub, part of both client ids and of the presence topic."""

    host: str
    port: int
    user: str
    password: str
    hub: str


class _Connection:
    """One MQTT session with its own reconnect loop. `generation` grows with every connection that was accepted."""

    def __init__(
        self,
        session: Session,
        endpoint: Endpoint,
        handler: Handler,
        will: tuple[str, bytes] | None,
        also: tuple[tuple[str, int], ...] = (),
    ) -> None:
        self.session = session
        self.generation = 0
        self.up = False
        self.refused = ""
        self.login_refused = False
        self._endpoint = endpoint
        self._handler = handler
        self._will = will
        self._also = also
        self._loop = asyncio.get_running_loop()
        self._client: paho.Client | None = None
        self._closed = asyncio.Event()
        self._ready = asyncio.Event()
        self._stopping = False
        self._accepted = False
        self._live = False
        self._task: asyncio.Task[None] | None = None
        self._misc: asyncio.TimerHandle | None = None

    # -- life ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._task = self._loop.create_task(self._run(), name=f"mqtt-{self.session.value}")

    async def wait_ready(self, timeout: float) -> bool:
        """Whether it came up in time; ends at once where the broker refuses the login."""
        deadline = self._loop.time() + timeout
        while not self.up and not self.login_refused and self._loop.time() < deadline:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ready.wait(), 0.05)
        return self.up

    async def stop(self) -> None:
        self._stopping = True
        client = self._client
        if client is not None and self.up:
            client.disconnect()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), 1.0)
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._drop()

    async def _run(self) -> None:
        delay = BACKOFF_FIRST_S
        while not self._stopping:
            self._closed.clear()
            began = self._loop.time()
            try:
                await self._connect()
                await self._closed.wait()
            except (OSError, TransportError) as error:
                self.refused = str(error)
                log.debug("%s: %s", self.session.value, error)
            finally:
                self._drop()
            if self._accepted or self._loop.time() - began > BACKOFF_MAX_S:
                delay = BACKOFF_FIRST_S
            self._accepted = False
            await asyncio.sleep(delay * (0.75 + random.random() / 2))
            delay = min(delay * 2, BACKOFF_MAX_S)

    async def _connect(self) -> None:
        client = self._new_client()
        self._client = client
        try:
            await asyncio.wait_for(
                asyncio.to_thread(client.connect, self._endpoint.host, self._endpoint.port, KEEPALIVE_S),
                CONNECT_TIMEOUT_S,
            )
        except TimeoutError:
            raise TransportError("no TCP connection within 5 s") from None
        self._tick()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ready_or_closed(), CONNECT_TIMEOUT_S)
        if not self.up and not self._closed.is_set():
            raise TransportError("no answer to CONNECT within 5 s")

    async def _ready_or_closed(self) -> None:
        waits = [asyncio.create_task(self._ready.wait()), asyncio.create_task(self._closed.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()

    def _drop(self) -> None:
        if self._misc is not None:
            self._misc.cancel()
            self._misc = None
        client, self._client = self._client, None
        if client is not None:
            client.on_disconnect = None
            sock = client.socket()
            if sock is not None and sock.fileno() >= 0:
                self._loop.remove_reader(sock.fileno())
                self._loop.remove_writer(sock.fileno())
                with contextlib.suppress(OSError):
                    sock.close()
        self._lost("the connection was closed")

    def _lost(self, reason: str) -> None:
        self._ready.clear()
        self._live = False
        self._closed.set()
        if self.up:
            self.up = False
            self._handler.on_link(self.session, False, reason)

    def kill(self) -> None:
        """Cut the connection without DISCONNECT; the run loop connects again."""
        self._drop()

    # -- paho ------------------------------------------------------------------------------------------------------

    def _new_client(self) -> paho.Client:
        durable = self.session is Session.DURABLE
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"marker-hub-{self._endpoint.hub}" + ("" if durable else "-plain"),
            clean_session=not durable,
            protocol=paho.MQTTv311,
            manual_ack=durable,
            reconnect_on_failure=False,
        )
        client.username_pw_set(self._endpoint.user, self._endpoint.password)
        client.max_inflight_messages_set(1000)
        client.connect_timeout = CONNECT_TIMEOUT_S
        if self._will is not None:
            client.will_set(self._will[0], self._will[1], qos=1, retain=True)
        client.on_socket_open = self._socket_open
        client.on_socket_close = self._socket_close
        client.on_socket_register_write = self._want_write
        client.on_socket_unregister_write = self._no_write
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        return client

    def _on_connect(self, client: paho.Client, _data: Any, flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self.refused = f"the broker refused the login: {reason}"
            self.login_refused = True
            self._closed.set()
            return
        self.generation += 1
        self._accepted = True
        self._live = True
        filters = [(DURABLE_FILTER, 1)] if self.session is Session.DURABLE else list(PLAIN_FILTERS)
        if self.session is Session.PLAIN:
            filters += [(f"hub/{self._endpoint.hub}/online", 1), *self._also]
        client.subscribe(filters)
        log.debug("%s: connected, session present: %s", self.session.value, flags.session_present)
        if self.session is Session.DURABLE and flags.session_present:
            self._came_up()  # the subscription stands; its confirmation may come only after a long backlog

    def _on_subscribe(self, _client: Any, _data: Any, _mid: int, reasons: Any, _properties: Any) -> None:
        refused = [str(reason) for reason in reasons if reason.is_failure]
        if refused:
            self.refused = f"the broker refused a subscription: {', '.join(refused)}"
            self._closed.set()
            return
        if not self.up:
            self._came_up()

    def _came_up(self) -> None:
        self.up = True
        self.refused = ""
        self._ready.set()
        self._handler.on_link(self.session, True, "")

    def _on_disconnect(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if client is self._client:
            if not self.up and not self.refused:
                self.refused = f"the broker closed the connection: {reason}"
            self._lost(str(reason))

    def _on_message(self, client: Any, _data: Any, message: paho.MQTTMessage) -> None:
        if client is self._client:
            self._handler.on_message(
                Message(
                    self.session, message.topic, bytes(message.payload), message.retain, message.mid, self.generation
                )
            )

    # Socket callbacks: `connect` runs in a worker thread, so everything goes through call_soon_threadsafe.

    def _socket_open(self, client: paho.Client, _data: Any, sock: Any) -> None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._loop.call_soon_threadsafe(self._add_reader, client, sock)

    def _add_reader(self, client: paho.Client, sock: Any) -> None:
        if sock.fileno() >= 0 and client is self._client:
            self._loop.add_reader(sock.fileno(), self._readable, client)

    def _readable(self, client: paho.Client) -> None:
        client.loop_read()

    def _socket_close(self, _client: Any, _data: Any, sock: Any) -> None:
        descriptor = sock.fileno()
        if descriptor >= 0:
            self._loop.call_soon_threadsafe(self._forget, descriptor) if not self._on_loop() else self._forget(
                descriptor
            )

    def _on_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    def _forget(self, descriptor: int) -> None:
        self._loop.remove_reader(descriptor)
        self._loop.remove_writer(descriptor)

    def _want_write(self, client: paho.Client, _data: Any, sock: Any) -> None:
        if self._on_loop():
            self._add_writer(client, sock)
        else:
            self._loop.call_soon_threadsafe(self._add_writer, client, sock)

    def _add_writer(self, client: paho.Client, sock: Any) -> None:
        if sock.fileno() >= 0 and client is self._client and client.want_write():
            self._loop.add_writer(sock.fileno(), client.loop_write)

    def _no_write(self, _client: Any, _data: Any, sock: Any) -> None:
        descriptor = sock.fileno()
        if descriptor >= 0 and self._on_loop():
            self._loop.remove_writer(descriptor)

    def _tick(self) -> None:
        client = self._client
        if client is None:
            return
        client.loop_misc()
        self._misc = self._loop.call_later(MISC_S, self._tick)

    # -- traffic ---------------------------------------------------------------------------------------------------

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        client = self._client
        return bool(
            client is not None
            and self.up
            and client.publish(topic, payload, qos, retain).rc == MQTTErrorCode.MQTT_ERR_SUCCESS
        )

    def ack(self, message: Message) -> bool:
        client = self._client
        # A resumed session delivers right after CONNACK, before our SUBSCRIBE is answered: those count too.
        if client is None or not self._live or message.generation != self.generation:
            return False
        return client.ack(message.mid, 1) == MQTTErrorCode.MQTT_ERR_SUCCESS


class _Barrier:
    """Passes messages on and notices when our own presence comes back: everything retained has then been read."""

    def __init__(self, handler: Handler, topic: str) -> None:
        self._handler = handler
        self._topic = topic
        self.payload = b""
        self.passed = asyncio.Event()

    def on_message(self, message: Message) -> None:
        if message.topic == self._topic:
            if message.payload == self.payload:
                self.passed.set()
            return
        self._handler.on_message(message)

    def on_link(self, session: Session, up: bool, reason: str) -> None:
        self._handler.on_link(session, up, reason)


class MqttTransport:
    """`Transport` over a broker. One object per hub process."""

    def __init__(
        self, endpoint: Endpoint, presence: bytes, absence: bytes, also: tuple[tuple[str, int], ...] = ()
    ) -> None:
        """presence, absence: payloads of `hub/<id>/online`; absence is the last will and the farewell.

        also: filters of the plain session besides its own.
        """
        self._also = also
        self.endpoint = endpoint
        self._topic = f"hub/{endpoint.hub}/online"
        self._presence = presence
        self._absence = absence
        self._plain: _Connection | None = None
        self._durable: _Connection | None = None

    async def start(self, handler: Handler) -> None:
        """See Transport.start."""
        barrier = _Barrier(handler, self._topic)
        barrier.payload = self._presence
        self._plain = _Connection(Session.PLAIN, self.endpoint, barrier, (self._topic, self._absence), self._also)
        self._plain.start()
        await self._wait(self._plain)
        self.announce()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(barrier.passed.wait(), BARRIER_S)
        self._durable = _Connection(Session.DURABLE, self.endpoint, handler, None)
        self._durable.start()
        await self._wait(self._durable)

    async def _wait(self, connection: _Connection) -> None:
        if not await connection.wait_ready(START_S):
            reason = connection.refused or "no answer"
            await self.stop()
            where = f"{self.endpoint.host}:{self.endpoint.port}"
            raise TransportError(
                f"broker {where}: {reason}; check its address, that it runs, and the password of user '{self.endpoint.user}'"
            )

    def announce(self) -> None:
        """Publish our presence; again after every reconnect."""
        self.publish(self._topic, self._presence, qos=1, retain=True)

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> bool:
        """See Transport.publish."""
        return self._plain is not None and self._plain.publish(topic, payload, qos, retain)

    def ack(self, message: Message) -> bool:
        """See Transport.ack."""
        return self._durable is not None and self._durable.ack(message)

    def restart_durable(self, reason: str) -> None:
        """See Transport.restart_durable."""
        log.warning("durable session restarted: %s", reason)
        if self._durable is not None:
            self._durable.kill()

    def connected(self, session: Session) -> bool:
        """See Transport.connected."""
        connection = self._plain if session is Session.PLAIN else self._durable
        return connection is not None and connection.up

    async def stop(self) -> None:
        """See Transport.stop."""
        if self._durable is not None:
            await self._durable.stop()
        if self._plain is not None:
            if self.publish(self._topic, self._absence, qos=1, retain=True):
                await asyncio.sleep(0.02)
            await self._plain.stop()


def probe(endpoint: Endpoint, timeout: float = 1.0) -> str:
    """Whether a broker answers and accepts the login: "" when it does, else why not. Blocks; for supervision and doctor."""
    result = ["no CONNACK"]

    def connected(client: paho.Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        result[0] = str(reason) if reason.is_failure else ""
        client.disconnect()

    client = paho.Client(
        CallbackAPIVersion.VERSION2, client_id=f"marker-probe-{random.getrandbits(40):x}", reconnect_on_failure=False
    )
    client.username_pw_set(endpoint.user, endpoint.password)
    client.on_connect = connected
    client.connect_timeout = timeout
    try:
        client.connect(endpoint.host, endpoint.port, 5)
    except OSError as error:
        return str(error.strerror or error)
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline and client.loop(0.02) == MQTTErrorCode.MQTT_ERR_SUCCESS:
        pass
    return result[0]
