"""A table node without firmware: the firmware's own pure machines under CPython, and a small MQTT session of its own.

Birth, last will, health, clock requests, commands and replay as the real node does them. One per table; same use as BoardNode.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from marker_hardware import wire
from marker_hardware.wire import Mode, Profile, Topic
from marker_sim.detector import Detector
from marker_sim.sensors.inputs import Input
from marker_sim.sinks import packets
from marker_sim.sinks.frames import START_US
from marker_sim.sinks.packets import BadPacket, Packet, PacketKind, PacketSplitter, Publish
from marker_sim.sinks.secure import NOT_SECURE, Secure
from marker_sim.stage import Ready
from tablefw import wire as node_wire
from tablefw.clock import Offset
from tablefw.commands import Commands

KEEPALIVE_S = 3
SILENT_S = 4.5  # a broker answers every second's ping
CLOCK_S = 2.0
HEALTH_S = 5.0
BURST = 8
BURST_S = 0.1
RETRY_S = (0.05, 1.0)
LIMIT_S = 60.0
FIRMWARE = "direct"
UNC_US = {"pin": 10_000, "rail": 600, "click": 600, "gate": 600, "button": 1_000}


class NodeError(RuntimeError):
    """The node has no session with the broker, or something it waits for does not come."""


class _App:
    """What the firmware's command handlers act on."""

    def __init__(self, node: MqttNode) -> None:
        self._node = node
        self.session = node
        self.update = None

    @property
    def boot(self) -> int:
        return self._node.detector.boot

    @property
    def outbox(self) -> Any:
        return self._node.detector.outbox

    @property
    def modes(self) -> Any:
        return self._node.detector.modes

    @property
    def sensors(self) -> Any:
        return self._node.detector.sensors

    def sensors_now(self) -> None:
        self.sensors.tick(self._node.detector.now_us)

    async def selftest(self) -> dict[str, int]:
        """Every part of a simulated board answers as it should."""
        return dict(self.sensors.health.by_name())

    def info(self) -> dict[str, Any]:
        return {"fw": FIRMWARE, "boot": self.boot, "mode": self.modes.mode, "head": self.outbox.head}

    def reset_soon(self) -> None:
        self._node.reboot_asked = True


class MqttNode:
    """The node of `table` at a broker. speed: times real time, 0 = as fast as everything is acknowledged."""

    def __init__(
        self,
        table: str,
        host: str,
        port: int,
        user: str,
        password: str,
        profile: str,
        speed: float,
        secure: Secure = NOT_SECURE,
    ) -> None:
        self.table = table
        self.speed = speed
        self.profile = profile
        self.detector = Detector(profile)
        self.offset: Any = Offset()
        self.commands: Any = Commands(_App(self))
        self.reconnects = 0
        self.reboot_asked = False
        self.uid = hashlib.sha256(f"marker-sim {table}".encode()).hexdigest()[:16]
        self.sent: list[Publish] = []  # what went out last, for a recording; emptied by who reads it
        self.recording = False
        self._host, self._port, self._user, self._password = host, port, user, password
        self._tls = secure.context()
        self._writer: asyncio.StreamWriter | None = None
        self._pid = 0
        self._flight: dict[int, tuple[int, bool]] = {}  # packet id -> (records below, acknowledged), in the order sent
        self._changed = asyncio.Condition()
        self._up = False
        self._cause = "power_on"
        self._absent: frozenset[str] = frozenset()
        self._heard = time.monotonic()
        self._stopping = False
        self._tasks: list[asyncio.Task[None]] = []
        self._clk_n = 0
        self._at_us = 0
        self._began = time.monotonic()

    @classmethod
    async def start(
        cls,
        table: str,
        ready: Ready,
        directory: Path,  # noqa: ARG003 - as BoardNode.start
        speed: float,
        profile: str = Profile.CAROM5.value,
    ) -> MqttNode:
        """Start the node of `table` and wait for its session with the broker. Raises NodeError."""
        user, password = ready.broker_user(table)
        node = cls(table, ready.mqtt_host, ready.mqtt_port, user, password, profile, speed, ready.secure)
        try:
            await node.connect()
        except BaseException:  # also one that is stopped while it starts leaves no session behind
            await node.stop()
            raise
        return node

    # --- session ------------------------------------------------------------------------------------------------

    async def connect(self) -> None:
        """Keep a session up from now on; returns when the first one stands."""
        self._tasks.append(asyncio.create_task(self._run()))
        await self._until(lambda: self._up, "no session with the broker")

    def topic(self, name: Topic) -> str:
        """Full topic string."""
        return wire.topic(self.table, name)

    async def _run(self) -> None:
        delay = RETRY_S[0]
        while not self._stopping:
            with contextlib.suppress(OSError, BadPacket, asyncio.IncompleteReadError):
                await self._session()
                delay = RETRY_S[0]
            await self._down()
            await asyncio.sleep(delay)
            delay = min(2 * delay, RETRY_S[1])

    async def _down(self) -> None:
        self._up = False
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        async with self._changed:
            self._changed.notify_all()

    async def _session(self) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port, ssl=self._tls)
        self._writer = writer
        will = Publish(self.topic(Topic.STATE), node_wire.will(self.detector.boot).encode(), 1, True)
        client = f"marker-{self.table}"
        writer.write(packets.connect(client, self._user, self._password, will, KEEPALIVE_S))
        splitter = PacketSplitter()
        ping = asyncio.create_task(self._ping(writer))
        jobs: list[asyncio.Task[None]] = [ping]
        try:
            self._heard = time.monotonic()
            while data := await reader.read(65536):
                self._heard = time.monotonic()
                for packet in splitter.feed(data):
                    await self._packet(packet, jobs)
                async with self._changed:
                    self._changed.notify_all()
        finally:
            for job in jobs:
                job.cancel()

    async def _ping(self, writer: asyncio.StreamWriter) -> None:
        """Keep the session alive, and drop one on which nothing is heard any more: it may be open on this side only."""
        while True:
            await asyncio.sleep(1.0)
            if time.monotonic() - self._heard > SILENT_S:
                writer.transport.abort()
            writer.write(packets.PINGREQ)

    async def _packet(self, packet: Packet, jobs: list[asyncio.Task[None]]) -> None:
        match packet.kind:
            case PacketKind.CONNACK:
                if packet.body[1]:
                    raise BadPacket(f"the broker refused the login: code {packet.body[1]}")
                names = [(Topic.CMD, 1), (Topic.CLK_REP, 0), (Topic.DISPLAY, 1)]
                self._write(packets.subscribe(self._next_pid(), [(self.topic(name), qos) for name, qos in names]))
            case PacketKind.SUBACK:
                self.detector.outbox.rewind()
                self.offset.lost()
                self._flight.clear()
                self._publish(Topic.STATE, json.dumps(self.birth()).encode())
                self._up = True
                self.reconnects += 1
                jobs += [asyncio.create_task(self._clock()), asyncio.create_task(self._healths())]
                self.pump()
            case PacketKind.PUBACK:
                self._acked(packets.acked(packet))
            case PacketKind.PUBLISH:
                await self._message(Publish.of(packet))
            case _:
                pass

    def _acked(self, pid: int) -> None:
        """The ring goes on only past what was acknowledged without a hole before it."""
        if pid in self._flight:
            self._flight[pid] = (self._flight[pid][0], True)
        while self._flight and (first := next(iter(self._flight.items())))[1][1]:
            del self._flight[first[0]]
            if first[1][0] >= 0:
                self.detector.outbox.ack(first[1][0])

    async def _message(self, message: Publish) -> None:
        if message.qos:
            self._write(packets.puback(message.pid))
        if message.topic == self.topic(Topic.CMD):
            said = self.commands.receive(message.payload, message.retain)
            if said is not None:
                self._publish(Topic.CMD_ACK, said.encode())
            while self.commands.queue:
                self._publish(Topic.CMD_ACK, (await self.commands.step()).encode())
            self.pump()
        elif message.topic == self.topic(Topic.CLK_REP):
            reply = node_wire.clk_rep(message.payload)
            if reply and reply[0] == self._clk_n:
                self.offset.feed(reply[1], reply[2], reply[3], self.detector.now_us)

    def _next_pid(self) -> int:
        self._pid = self._pid % 65535 + 1
        return self._pid

    def _write(self, data: bytes) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(data)

    def _publish(self, name: Topic, payload: bytes, upto: int = -1) -> None:
        rule = wire.topic_rule(name)
        pid = self._next_pid() if rule.qos else 0
        if pid:
            self._flight[pid] = (upto, False)
        message = Publish(self.topic(name), payload, rule.qos, rule.retain, False, pid)
        if self.recording:
            self.sent.append(message)
        self._write(message.encode())

    async def resend(self, source: Any, boot: int, first: int, count: int, flags: int) -> None:
        """A batch asked for by `replay`, as the firmware's session sends it."""
        self._publish(Topic.EV, node_wire.batch(boot, source, first, count, flags).encode())

    def pump(self) -> None:
        """Send what the ring holds and was not sent yet."""
        box = self.detector.outbox
        while self._up and box.unsent():
            first, count = box.take(wire.records_max())
            self._publish(Topic.EV, node_wire.batch(self.detector.boot, box, first, count).encode(), first + count)

    async def _clock(self) -> None:
        burst = BURST
        while True:
            self._clk_n += 1
            self._publish(Topic.CLK_REQ, node_wire.clk_req(self._clk_n, self.detector.now_us).encode())
            burst -= 1
            await asyncio.sleep(BURST_S if burst > 0 else CLOCK_S)

    async def _healths(self) -> None:
        while True:
            self._publish(Topic.HEALTH, json.dumps(self.health()).encode())
            await asyncio.sleep(HEALTH_S)

    def without(self, *groups: wire.Group) -> None:
        """Sensors of these groups are not fitted: say so from now on."""
        channels = wire.channels(Profile(self.profile)).values()
        self._absent = frozenset(one.name for one in channels if one.group in groups)
        self._publish(Topic.STATE, json.dumps(self.birth()).encode())
        self._publish(Topic.HEALTH, json.dumps(self.health()).encode())

    def _channels(self) -> dict[str, int]:
        """Health of each channel by its name."""
        found: dict[str, int] = self.detector.sensors.health.by_name()
        return found | dict.fromkeys(self._absent, int(wire.Quality.ABSENT))

    def birth(self) -> dict[str, Any]:
        """Snapshot for the retained `state`."""
        box, sensors = self.detector.outbox, self.detector.sensors
        return {
            "v": 1,
            "online": True,
            "fw": FIRMWARE,
            "board": "direct",
            "boot": self.detector.boot,
            "uid": self.uid,
            "reset": self._cause,
            "cfg": "direct",
            "profile": self.profile,
            "mode": self.detector.modes.mode,
            "shot": self.detector.modes.shot,
            "floor": box.floor,
            "tail": box.tail,
            "head": box.head,
            "t": self.detector.now_us,
            "channels": self._channels(),
            "pins": sensors.snapshot(),
            "unc_us": UNC_US,
        }

    def health(self) -> dict[str, Any]:
        """Payload of `health`."""
        box, counts = self.detector.outbox, self.detector.sensors.piezo.counts
        return {
            "v": 1,
            "boot": self.detector.boot,
            "t": self.detector.now_us,
            "head": box.head,
            "mode": self.detector.modes.mode,
            "up": int(time.monotonic() - self._began),
            "channels": self._channels(),
            "clk": self.offset.best,
            "clk_ok": self.offset.ok,
            "link": None,
            "reconnects": self.reconnects,
            "overflow": 0,
            "rearms": 0,
            "dropped": box.dropped,
            "heap": 0,
            "v5": 5000,
            "brownout": False,
            "echo": counts["echo"],
            "xtalk": counts["xtalk"],
            "merged": counts["merged"],
            "bad_cmds": self.commands.bad,
        }

    # --- as the player of a table uses it -------------------------------------------------------------------------

    async def feed(self, inputs: list[Input], until_us: int) -> None:
        """Let the inputs happen, at the pace; returns when all records are acknowledged by the broker."""
        if self.speed:
            await self._paced(inputs, until_us)
        else:
            self.detector.feed(inputs)
        self.detector.until(until_us)
        self._at_us = max(self._at_us, until_us)
        self.pump()
        box = self.detector.outbox
        await self._until(lambda: self._up and not box.unsent() and box.tail >= box.sent, "records not acknowledged")

    async def _paced(self, inputs: list[Input], until_us: int) -> None:
        start_us = min(self._at_us, inputs[0].t_us) if inputs else self._at_us
        begun = time.monotonic()
        for item in inputs:
            wait = begun + (item.t_us - start_us) / 1e6 / self.speed - time.monotonic()
            if wait > 0.02:
                self.pump()
                await asyncio.sleep(wait)
            self.detector.feed([item])
        self.pump()
        await asyncio.sleep(max(0.0, begun + (until_us - start_us) / 1e6 / self.speed - time.monotonic()))

    async def _until(self, done: Callable[[], bool], problem: str) -> None:
        try:
            async with asyncio.timeout(LIMIT_S), self._changed:
                while not done():
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._changed.wait(), 0.1)
        except TimeoutError:
            raise NodeError(f"table {self.table}: {problem} within {LIMIT_S:.0f} s") from None

    async def armed(self) -> None:
        """Wait until the hub armed the node."""
        await self._until(lambda: self.detector.modes.mode == Mode.ARMED, "the hub did not arm the node")

    async def sleep(self, table_s: float) -> None:
        """Let table time pass where people watch."""
        if self.speed:
            await asyncio.sleep(table_s / self.speed)

    async def reboot(self, at_us: int) -> None:
        """Restart at play time `at_us`, as firmware does that says goodbye: the ring is lost, the next boot and its clock begin anew."""
        self._publish(Topic.STATE, node_wire.will(self.detector.boot).encode())
        self._write(packets.DISCONNECT)
        await self._restart(at_us, "reset")

    async def power_cut(self, at_us: int) -> None:
        """Cut the power at play time `at_us`: nothing more goes out, the last will speaks for the node."""
        await self._restart(at_us, "power_on")

    async def _restart(self, at_us: int, cause: str) -> None:
        self._cause = cause
        fresh = Detector(self.profile, origin_us=START_US - at_us, boot=self.detector.boot + 1)
        self._up = False
        self.detector = fresh
        self.offset = Offset()
        self.commands = Commands(_App(self))
        self.cut()
        await self._until(lambda: self._up, "no session after the restart")

    def cut(self) -> None:
        """Cut the connection without a farewell."""
        if self._writer is not None:
            self._writer.transport.abort()

    async def stop(self) -> None:
        """End the session."""
        self._stopping = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._down()
