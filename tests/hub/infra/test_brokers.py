"""One suite for every broker the hub can live on: mosquitto, the embedded one, the one in memory.

What a broker lacks (topic rights, a durable store) is said here and nowhere needed: identity and replay make up for it.
"""

import asyncio
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from marker_hub.broker import BrokerError, ManagedBroker, choose, process
from marker_hub.broker.files import box_user
from marker_hub.broker.manager import find_program
from marker_hub.config import BrokerKind, BrokerSection
from marker_hub.credentials import load_secrets
from marker_hub.transport import Message, Session, Transport, TransportError
from marker_hub.transport.memory import MemoryBroker, MemoryTransport
from marker_hub.transport.mqtt import Endpoint, MqttTransport, probe

Run = Callable[[Any], Any]
OWN = [BrokerKind.MOSQUITTO, BrokerKind.EMBEDDED]
ALL = [*OWN, BrokerKind.MEMORY]
LIMIT_S = 60.0
"""Only against hanging: how long a busy machine may take."""


def needs(kind: BrokerKind) -> None:
    """Skip where the program is missing; in CI that is a failure."""
    missing = (kind is BrokerKind.MOSQUITTO and not find_program("mosquitto")) or (
        kind is BrokerKind.EMBEDDED and importlib.util.find_spec("iotcore") is None
    )
    if missing:
        assert os.environ.get("CI") != "true", f"CI needs {kind.value}"
        pytest.skip(f"{kind.value} is not installed")


class Ears:
    """A handler that remembers."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.links: list[tuple[Session, bool]] = []

    def on_message(self, message: Message) -> None:
        self.messages.append(message)

    def on_link(self, session: Session, up: bool, reason: str) -> None:
        del reason
        self.links.append((session, up))

    def of(self, session: Session, *, retain: bool | None = None) -> list[tuple[str, bytes]]:
        return [(m.topic, m.payload) for m in self.messages if m.session is session and retain in (None, m.retain)]


class Speaker:
    """A node over MQTT or in memory."""

    def __init__(
        self, place: "Place", user: str = "1", will: tuple[str, bytes] | None = None, keepalive: int = 5
    ) -> None:
        place.leftovers.append(self.end)
        self.memory = place.memory.connect(will) if place.memory is not None else None
        self.heard: list[tuple[str, bytes, bool]] = []
        self.published: list[int] = []
        if self.memory is None:
            assert place.endpoint is not None
            self.mqtt = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"speaker-{user}-{id(self)}")
            self.mqtt.username_pw_set(user, place.passwords[user])
            if will:
                self.mqtt.will_set(*will, qos=1, retain=True)
            self.mqtt.on_message = lambda _c, _d, m: self.heard.append((m.topic, bytes(m.payload), m.retain))
            self.mqtt.on_publish = lambda _c, _d, mid, *_: self.published.append(mid)
            self.mqtt.reconnect_delay_set(1, 1)
            self.mqtt.max_inflight_messages_set(500)
            self.mqtt.connect(place.endpoint.host, place.endpoint.port, keepalive)
            self.mqtt.loop_start()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        if self.memory is not None:
            self.memory.publish(topic, payload, retain=retain)
        else:
            self.mqtt.publish(topic, payload, 1, retain).wait_for_publish(LIMIT_S)

    def listen(self, pattern: str) -> None:
        if self.memory is not None:
            self.memory.subscribe(pattern, lambda t, p, r: self.heard.append((t, p, r)))
        else:
            ready = threading.Event()
            self.mqtt.on_subscribe = lambda *_: ready.set()
            self.mqtt.subscribe(pattern, 1)
            assert ready.wait(LIMIT_S)

    def die(self) -> None:
        """No DISCONNECT: the socket just closes."""
        if self.memory is not None:
            self.memory.die()
            return
        self.mqtt.loop_stop()
        sock = self.mqtt.socket()
        assert sock is not None
        sock.close()

    def close(self) -> None:
        if self.memory is not None:
            self.memory.close()
        else:
            self.mqtt.disconnect()
            self.mqtt.loop_stop()

    async def end(self) -> None:
        """Nothing of it is left, however far the test came: no thread, no socket."""
        if self.memory is None and hasattr(self, "mqtt"):
            await asyncio.to_thread(self.close)
            sock = self.mqtt.socket()
            if sock is not None:
                sock.close()


class Place:
    """A running broker. `leftovers`: what ends everything that a test made around it."""

    def __init__(self, kind: BrokerKind, folder: Path) -> None:
        self.kind, self.folder = kind, folder
        self.memory: MemoryBroker | None = MemoryBroker() if kind is BrokerKind.MEMORY else None
        self.managed: ManagedBroker | None = None
        self.endpoint: Endpoint | None = None
        self.passwords: dict[str, str] = {}
        self.leftovers: list[Callable[[], Awaitable[None]]] = []

    async def start(self) -> None:
        if self.memory is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            secrets = load_secrets(self.folder, ("1", "2")).mqtt
            boxes = {box_user(table): password for table, password in secrets.boxes.items()}
            self.passwords = {"hub": secrets.hub, "view": secrets.view, **secrets.tables, **boxes}
            self.managed = ManagedBroker(BrokerSection(kind=self.kind), secrets, self.folder / "broker", "t")
            self.endpoint = await self.managed.start()

    async def stop(self) -> None:
        """A failure inside must not make the next test fail: speakers and transports end too, and the process is waited for."""
        for end in reversed(self.leftovers):
            await end()
        if self.managed is not None:
            await self.managed.stop()

    def leave(self) -> None:
        """The hub is gone; its broker is not."""
        assert self.managed is not None
        assert self.managed._watch is not None
        self.managed._watch.cancel()

    def transport(self) -> Transport:
        made: Transport
        if self.memory is not None:
            made = MemoryTransport(self.memory)
        else:
            assert self.endpoint is not None
            made = MqttTransport(self.endpoint, f'{{"t":{time.monotonic_ns()}}}'.encode(), b"{}")
        self.leftovers.append(made.stop)
        return made


@asynccontextmanager
async def broker(kind: BrokerKind, folder: Path) -> AsyncIterator[Place]:
    needs(kind)
    place = Place(kind, folder)
    try:
        await place.start()
        yield place
    finally:
        await place.stop()


async def until(true: Callable[[], object], seconds: float = LIMIT_S) -> None:
    deadline = asyncio.get_running_loop().time() + seconds
    while not true():
        assert asyncio.get_running_loop().time() < deadline, "it did not happen in time"
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("kind", ALL)
def test_what_was_not_acknowledged_comes_again_in_order(kind: BrokerKind, tmp_path: Path, in_loop: Run) -> None:
    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            ears = Ears()
            transport = place.transport()
            await transport.start(ears)
            node = Speaker(place)
            for number in range(12):
                await asyncio.to_thread(node.publish, "table/1/ev", str(number).encode())
            await until(lambda: len(ears.of(Session.DURABLE)) == 12)
            for message in [m for m in ears.messages if m.session is Session.DURABLE][:4]:
                assert transport.ack(message)
            await asyncio.sleep(0.2)
            stale = ears.messages[-1]
            ears.messages.clear()
            transport.restart_durable("drill")
            await until(lambda: len(ears.of(Session.DURABLE)) >= 8)
            await asyncio.sleep(0.2)
            assert [p for _, p in ears.of(Session.DURABLE)] == [str(n).encode() for n in range(4, 12)]
            assert not transport.ack(stale), "an acknowledgement of the connection before must not be sent"
            node.close()
            await transport.stop()

    in_loop(play())


@pytest.mark.parametrize("kind", ALL)
def test_one_filter_keeps_the_order_across_topics(kind: BrokerKind, tmp_path: Path, in_loop: Run) -> None:
    """Live and from the queue of an absent hub: a birth stays before its records."""

    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            ears = Ears()
            transport = place.transport()
            await transport.start(ears)
            node = Speaker(place)
            topics = ["table/1/state", "table/1/ev", "table/1/ev", "table/1/health", "table/1/ev"] * 4

            def send(offset: int) -> None:
                for number, topic in enumerate(topics):
                    node.publish(topic, str(offset + number).encode(), retain=topic.endswith("state"))

            await asyncio.to_thread(send, 0)
            await until(lambda: len(ears.of(Session.DURABLE, retain=False)) == 20)
            for message in ears.messages:
                if message.session is Session.DURABLE:
                    transport.ack(message)
            await asyncio.sleep(0.2)
            await transport.stop()
            await asyncio.to_thread(send, 100)
            again = Ears()
            second = place.transport()
            await second.start(again)
            await until(lambda: len(again.of(Session.DURABLE, retain=False)) >= 20)
            assert [int(p) for _, p in ears.of(Session.DURABLE, retain=False)] == list(range(20))
            assert [int(p) for _, p in again.of(Session.DURABLE, retain=False)] == list(range(100, 120))
            node.close()
            await second.stop()

    in_loop(play())


@pytest.mark.parametrize("kind", ALL)
def test_retained_states_are_read_before_anything_else_and_can_be_cleared(
    kind: BrokerKind, tmp_path: Path, in_loop: Run
) -> None:
    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            node = Speaker(place)
            await asyncio.to_thread(node.publish, "table/1/state", b"born", retain=True)
            ears = Ears()
            transport = place.transport()
            await transport.start(ears)
            await asyncio.sleep(0)
            await until(lambda: ("table/1/state", b"born") in ears.of(Session.PLAIN, retain=True))
            await asyncio.to_thread(node.publish, "table/1/state", b"", retain=True)
            await asyncio.sleep(0.1)
            await transport.stop()
            again = Ears()
            second = place.transport()
            await second.start(again)
            await asyncio.sleep(0.2)
            assert again.of(Session.PLAIN, retain=True) == []
            node.close()
            await second.stop()

    in_loop(play())


@pytest.mark.report("R044")
@pytest.mark.parametrize("kind", ALL)
def test_the_will_of_a_node_that_vanished_is_the_retained_state(kind: BrokerKind, tmp_path: Path, in_loop: Run) -> None:
    """R044: power cut without a disconnect; a hub that starts afterwards reads `offline` first."""

    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            node = Speaker(place, will=("table/1/state", b"offline"))
            await asyncio.to_thread(node.publish, "table/1/state", b"online", retain=True)
            await asyncio.to_thread(node.die)
            watcher = Speaker(place, "hub" if place.memory is None else "1")
            watcher.listen("table/1/state")
            await until(lambda: any(payload == b"offline" for _, payload, _ in watcher.heard))
            ears = Ears()
            transport = place.transport()
            await transport.start(ears)
            await until(lambda: ears.of(Session.PLAIN, retain=True))
            assert ears.of(Session.PLAIN, retain=True) == [("table/1/state", b"offline")]
            watcher.close()
            await transport.stop()

    in_loop(play())


@pytest.mark.parametrize("kind", ALL)
def test_three_thousand_and_one_messages_wait_for_an_absent_hub(kind: BrokerKind, tmp_path: Path, in_loop: Run) -> None:
    """mosquitto's default would drop all beyond a thousand without a word."""

    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            transport = place.transport()
            await transport.start(Ears())
            await transport.stop()
            node = Speaker(place)

            def send() -> None:
                if node.memory is not None:
                    for number in range(3001):
                        node.publish("table/1/ev", str(number).encode())
                    return
                infos = [node.mqtt.publish("table/1/ev", str(number).encode(), 1) for number in range(3001)]
                for info in infos:
                    info.wait_for_publish(LIMIT_S)

            await asyncio.to_thread(send)
            ears = Ears()
            second = place.transport()

            class Acking(Ears):
                def on_message(self, message: Message) -> None:
                    super().on_message(message)
                    if message.session is Session.DURABLE:
                        second.ack(message)

            ears = Acking()
            await second.start(ears)
            await until(lambda: len(ears.of(Session.DURABLE, retain=False)) >= 3001)
            assert [int(p) for _, p in ears.of(Session.DURABLE, retain=False)] == list(range(3001))
            node.close()
            await second.stop()

    in_loop(play())


@pytest.mark.parametrize("kind", OWN)
def test_strangers_are_refused_and_only_the_asked_address_is_bound(
    kind: BrokerKind, tmp_path: Path, in_loop: Run
) -> None:
    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            assert place.endpoint is not None
            assert await asyncio.to_thread(probe, place.endpoint) == ""
            assert await asyncio.to_thread(probe, place.endpoint._replace(password="wrong")) != ""
            assert await asyncio.to_thread(probe, place.endpoint._replace(user="", password="")) != ""
            assert await asyncio.to_thread(probe, place.endpoint._replace(host="127.0.0.2")) != ""
            for path in place.folder.rglob("*"):
                if path.is_file():
                    assert not path.stat().st_mode & 0o077, f"{path} can be read by others"

    in_loop(play())


def test_topic_rights_of_mosquitto_keep_a_node_at_its_table(tmp_path: Path, in_loop: Run) -> None:
    """The embedded broker has none (doctor says so); the hub needs none, but a hall does."""

    async def play() -> None:
        async with broker(BrokerKind.MOSQUITTO, tmp_path) as place:
            ears = Ears()
            transport = place.transport()
            await transport.start(ears)
            one, viewer = Speaker(place, "1"), Speaker(place, "view")
            viewer.listen("table/1/score")
            one.listen("table/1/cmd")
            await asyncio.to_thread(one.publish, "table/1/ev", b"mine")
            box = Speaker(place, box_user("1"))
            await asyncio.to_thread(box.publish, "table/1/btn", b"pressed")
            for user, topic in (
                ("1", "table/2/ev"),
                ("1", "table/1/score"),
                ("1", "table/1/btn"),
                ("view", "table/1/cmd"),
                (box_user("1"), "table/1/ev"),
                (box_user("1"), "table/2/btn"),
            ):
                forger = Speaker(place, user)  # it is cut off for it, so it is one of its own
                forger.mqtt.publish(topic, b"forged", 1)
                await asyncio.sleep(0.1)
                forger.close()
            transport.publish("table/1/cmd", b"do", qos=1, retain=False)
            transport.publish("table/1/score", b"true", qos=1, retain=True)
            await until(lambda: one.heard and viewer.heard)
            await until(lambda: {b"mine", b"pressed"} <= {payload for _, payload in ears.of(Session.DURABLE)})
            await asyncio.sleep(0.2)
            assert one.heard == [("table/1/cmd", b"do", False)]
            assert [payload for _, payload, _ in viewer.heard] == [b"true"]
            assert b"forged" not in {payload for _, payload in ears.of(Session.DURABLE)}
            one.close()
            viewer.close()
            box.close()
            await transport.stop()

    in_loop(play())


@pytest.mark.parametrize("kind", OWN)
def test_a_killed_broker_is_started_again_and_the_sessions_come_back(
    kind: BrokerKind, tmp_path: Path, in_loop: Run
) -> None:
    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            assert place.managed is not None
            ears = Ears()
            transport = place.transport()
            await transport.start(ears)
            first = place.managed.pid
            assert first is not None
            os.kill(first, signal.SIGKILL)
            await until(lambda: place.managed is not None and place.managed.restarts == 1)
            assert place.managed.pid != first
            await until(lambda: {(Session.DURABLE, False), (Session.PLAIN, False)} <= set(ears.links))
            await until(lambda: transport.connected(Session.DURABLE) and transport.connected(Session.PLAIN))
            node = Speaker(place)
            await asyncio.to_thread(node.publish, "table/1/ev", b"after")
            await until(lambda: ("table/1/ev", b"after") in ears.of(Session.DURABLE))
            node.close()
            await transport.stop()

    in_loop(play())


@pytest.mark.parametrize("kind", OWN)
def test_a_port_that_is_taken_before_the_broker_listens_is_given_up(
    kind: BrokerKind, tmp_path: Path, in_loop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine any connection may get the port that was free a moment ago. Mutation: trying the same port again."""
    needs(kind)
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    spawned = process.spawn

    def spawn(*args: Any) -> subprocess.Popen[bytes]:
        taken.listen()
        return spawned(*args)

    free = [taken.getsockname()[1]]
    chosen = process.free_port
    monkeypatch.setattr(process, "spawn", spawn)
    monkeypatch.setattr(process, "free_port", lambda listen: free.pop() if free else chosen(listen))
    monkeypatch.setattr(process, "port_freed", lambda *_: True)

    async def play() -> None:
        secrets = load_secrets(tmp_path, ("1",)).mqtt
        managed = ManagedBroker(BrokerSection(kind=kind), secrets, tmp_path / "broker", "t")
        endpoint = await managed.start()
        assert endpoint.port != taken.getsockname()[1]
        assert managed.notices == []
        await managed.stop()

    with taken:
        in_loop(play())


@pytest.mark.parametrize("again", [False, True])
def test_a_broker_that_is_just_being_started_is_stopped_too(
    again: bool, tmp_path: Path, in_loop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told to end in the middle of a start, the first one or one after a death: nothing is left running.

    Mutation: a start whose thread goes on unwatched leaves its broker behind.
    """
    needs(BrokerKind.MOSQUITTO)
    spawned: list[subprocess.Popen[bytes]] = []
    begun, go_on = threading.Event(), threading.Event()

    def spawn(*args: Any) -> subprocess.Popen[bytes]:
        if len(spawned) == again:
            begun.set()
            assert go_on.wait(LIMIT_S)
        spawned.append(process_spawn(*args))
        return spawned[-1]

    process_spawn = process.spawn
    monkeypatch.setattr(process, "spawn", spawn)

    async def play() -> None:
        secrets = load_secrets(tmp_path, ("1",)).mqtt
        managed = ManagedBroker(BrokerSection(kind=BrokerKind.MOSQUITTO), secrets, tmp_path / "broker", "t")
        starting = asyncio.ensure_future(managed.start())
        if again:
            await starting
            spawned[0].kill()
        await asyncio.to_thread(begun.wait, LIMIT_S)
        starting.cancel()
        stopping = asyncio.ensure_future(managed.stop())
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(starting, stopping, return_exceptions=True)
        await managed.stop()

    in_loop(play())
    assert len(spawned) == 1 + again
    assert [child.poll() is None for child in spawned] == [False] * len(spawned)


@pytest.mark.parametrize("kind", OWN)
def test_an_orphan_is_adopted_with_its_sessions_and_replaced_when_its_configuration_changed(
    kind: BrokerKind, tmp_path: Path, in_loop: Run
) -> None:
    async def play() -> None:
        async with broker(kind, tmp_path) as place:
            assert place.managed is not None
            transport = place.transport()
            await transport.start(Ears())
            await transport.stop()
            node = Speaker(place)
            await asyncio.to_thread(node.publish, "table/1/ev", b"kept")
            place.leave()
            pid, port = place.managed.pid, place.managed.endpoint.port
            assert pid is not None
            async with broker(kind, tmp_path) as second:
                assert second.managed is not None
                assert (second.managed.adopted, second.managed.pid, second.managed.endpoint.port) == (True, pid, port)
                ears = Ears()
                after = second.transport()
                await after.start(ears)
                await until(lambda: ("table/1/ev", b"kept") in ears.of(Session.DURABLE))
                await after.stop()
                second.leave()
                secrets = load_secrets(tmp_path, ("1", "2", "3")).mqtt  # a table more: other users
                third = ManagedBroker(BrokerSection(kind=kind), secrets, tmp_path / "broker", "t")
                try:
                    endpoint = await third.start()
                    assert (third.adopted, endpoint.port) == (False, port)
                    assert not process.exists(pid)
                    await until(node.mqtt.is_connected)
                finally:
                    await third.stop()

    in_loop(play())


HEADLESS = """
import ctypes, os, socket, threading
listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: os.read(0, 1) and os._exit(0)).start()
print(listener.getsockname()[1], flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
def test_a_process_that_ends_is_there_until_its_last_thread_has_let_go_of_the_port() -> None:
    """A broker of many threads that was told to end is a zombie while one of them still holds the port."""
    ending = subprocess.Popen([sys.executable, "-c", HEADLESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert ending.stdin is not None
    assert ending.stdout is not None
    stat = Path(f"/proc/{ending.pid}/stat")
    try:
        port = int(ending.stdout.readline())
        while stat.read_text().rsplit(")", 1)[1].split()[0] != "Z":
            time.sleep(0.01)
        assert not process.port_free("127.0.0.1", port)
        assert process.exists(ending.pid)
        ending.stdin.write(b".")
        ending.stdin.close()
        process.terminate(ending.pid, None)
        assert not process.exists(ending.pid)
        assert process.port_free("127.0.0.1", port)
    finally:
        ending.kill()
        ending.wait()
        ending.stdout.close()


def test_a_broker_waits_for_the_port_that_the_nodes_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_loop: Run
) -> None:
    """What held it lets go: the same port. It never does: another one, and the hall is told."""

    async def play() -> None:
        async with broker(BrokerKind.MOSQUITTO, tmp_path) as place:
            assert place.endpoint is not None
            port = place.endpoint.port
        with socket.create_server(("127.0.0.1", port)) as taken:
            asyncio.get_running_loop().call_later(0.3, taken.close)
            async with broker(BrokerKind.MOSQUITTO, tmp_path) as place:
                assert place.endpoint is not None
                assert place.managed is not None
                assert (place.endpoint.port, place.managed.notices) == (port, [])
        monkeypatch.setattr("marker_hub.broker.manager.RELEASE_S", 0.1)
        with socket.create_server(("127.0.0.1", port)):
            async with broker(BrokerKind.MOSQUITTO, tmp_path) as place:
                assert place.endpoint is not None
                assert place.managed is not None
                assert place.endpoint.port != port
                (notice,) = place.managed.notices
                assert notice.code == "broker-port-changed"
                assert f"port {port} is in use" in notice.text

    in_loop(play())


def test_a_taken_port_is_one_clear_line_and_leaves_nothing(tmp_path: Path, in_loop: Run) -> None:
    needs(BrokerKind.MOSQUITTO)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        secrets = load_secrets(tmp_path, ("1",)).mqtt
        made = ManagedBroker(BrokerSection(kind=BrokerKind.MOSQUITTO, port=port), secrets, tmp_path / "b", "t")
        with pytest.raises(BrokerError, match=f"broker port 127.0.0.1:{port} is in use"):
            in_loop(made.start())
        assert made.pid is None


def test_what_is_not_there_is_said_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_loop: Run
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("marker_hub.broker.manager._EXTRA_DIRS", ())
    with pytest.raises(BrokerError, match="mosquitto was not found; install it"):
        choose(BrokerSection(kind=BrokerKind.MOSQUITTO))
    if importlib.util.find_spec("iotcore") is not None:
        assert choose(BrokerSection()) is BrokerKind.EMBEDDED
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(BrokerError, match="neither the program mosquitto nor the package iotcore"):
        choose(BrokerSection())
    secrets = load_secrets(tmp_path, ("1",)).mqtt
    external = ManagedBroker(BrokerSection(url="mqtt://127.0.0.1:1"), secrets, tmp_path, "t")
    with pytest.raises(BrokerError, match=r"broker 127\.0\.0\.1:1: Connection refused; check the address"):
        in_loop(external.start())


def test_a_refused_login_is_said_and_not_waited_for(tmp_path: Path, in_loop: Run) -> None:
    async def play() -> None:
        async with broker(BrokerKind.MOSQUITTO, tmp_path) as place:
            assert place.endpoint is not None
            transport = MqttTransport(place.endpoint._replace(password="no"), b"{}", b"{}")
            with pytest.raises(TransportError, match="refused the login"):
                await transport.start(Ears())

    in_loop(play())


def test_presence_is_retained_and_turns_to_absent(tmp_path: Path, in_loop: Run) -> None:
    async def play() -> None:
        async with broker(BrokerKind.MOSQUITTO, tmp_path) as place:
            assert place.endpoint is not None
            transport = MqttTransport(
                place.endpoint, json.dumps({"online": True}).encode(), json.dumps({"online": False}).encode()
            )
            await transport.start(Ears())
            viewer = Speaker(place, "view")
            viewer.listen("hub/+/online")
            await until(lambda: viewer.heard)
            await transport.stop()
            await until(lambda: len(viewer.heard) >= 2)
            assert [json.loads(p)["online"] for _, p, _ in viewer.heard] == [True, False]
            viewer.close()

    in_loop(play())
