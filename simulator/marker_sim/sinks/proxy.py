"""A TCP proxy on loopback between a node and its broker, which does to the node's publishes what a rig of faults says."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

from marker_sim.faults.rig import Rig
from marker_sim.faults.transport import Answer, Cut
from marker_sim.sinks import packets
from marker_sim.sinks.packets import BadPacket, Packet, PacketKind, PacketSplitter, Publish
from marker_sim.sinks.secure import NOT_SECURE, Secure
from marker_sim.stage import Ready

OWN_PIDS = range(50_000, 65_536)  # ids of what the proxy itself sends; a node's session never counts so far
CLOCK_REQUEST, CLOCK_REPLY = "/clk/req", "/clk/rep"
WRONG_CONNACKS = (
    bytes((0x20, 2, 0, 3)),  # server unavailable
    bytes((0x20, 2, 0, 5)),  # not authorised
    bytes((0x20, 2, 1, 0)),  # accepted, with a session that a clean one cannot have
    bytes((0x20, 3, 0, 0, 0)),  # longer than it may be
    bytes((0x90, 3, 0, 1, 0)),  # no CONNACK at all
)
DENIED_S = 0.05


class FaultProxy:
    """Stands for the broker at a port of its own."""

    def __init__(self, host: str, port: int, rig: Rig, secure: Secure = NOT_SECURE) -> None:
        self._host, self._port_of_broker, self._rig = host, port, rig
        self._tls = secure.context()
        self._delays = rig.clock_delays_s()
        self._server: asyncio.Server | None = None
        self._pid = OWN_PIDS.start
        self._seen: set[int] = set()
        self._links: set[asyncio.StreamWriter] = set()
        self._pairs: dict[asyncio.StreamWriter, asyncio.StreamWriter] = {}  # node's end -> broker's end
        self._tasks: set[asyncio.Task[None]] = set()
        self._down_until = 0.0
        self._denied = 0
        self._frozen: set[asyncio.StreamWriter] = set()
        self._port = 0

    async def start(self) -> int:
        """Listen on loopback; the port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)
        self._port = int(self._server.sockets[0].getsockname()[1])
        return self._port

    async def stand_in(self, ready: Ready) -> Ready:
        """The hall with this proxy in the broker's place; on this computer nothing has to be encrypted."""
        return replace(ready, mqtt_host="127.0.0.1", mqtt_port=await self.start(), secure=NOT_SECURE)

    def down(self, seconds: float) -> None:
        """No network for so long (wall time)."""
        self._down_until = asyncio.get_running_loop().time() + seconds
        self._abort()

    def refuse(self, seconds: float) -> None:
        """Nobody listens for so long (wall time): every connection is refused."""
        if self._server is None:
            return
        self._server.close()
        self._abort()
        self._keep(asyncio.create_task(self._listen_again(seconds)))

    async def _listen_again(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.start()

    def deny(self, tries: int) -> None:
        """The connection breaks, and the next `tries` logins are answered with a refusal or with nonsense."""
        self._denied = tries
        self._abort()

    def half_open(self) -> None:
        """The connection is gone for the broker; the node is not told and hears nothing more on it."""
        for node, broker in self._pairs.items():
            self._frozen.add(node)
            broker.transport.abort()

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _abort(self) -> None:
        for writer in list(self._links):
            writer.transport.abort()

    async def stop(self) -> None:
        """Close everything."""
        self._down_until = float("inf")
        for task in self._tasks:
            task.cancel()
        if self._server is not None:
            self._server.close()
        self._abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if asyncio.get_running_loop().time() < self._down_until:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        if task is not None:
            self._keep(task)
        upstream: asyncio.StreamWriter | None = None
        with contextlib.suppress(OSError, BadPacket, asyncio.CancelledError):
            if self._denied:
                await self._deny(reader, writer)
                return
            broker, upstream = await asyncio.open_connection(self._host, self._port_of_broker, ssl=self._tls)
            self._links |= {writer, upstream}
            self._pairs[writer] = upstream
            back = asyncio.create_task(self._downwards(broker, writer))
            try:
                await self._upwards(reader, writer, upstream)
            finally:
                back.cancel()
        self._pairs.pop(writer, None)
        self._frozen.discard(writer)
        for end in (writer, upstream):
            if end is not None:
                self._links.discard(end)
                end.transport.abort()

    async def _deny(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a login as no broker in order would."""
        self._links.add(writer)
        await reader.read(65536)
        writer.write(WRONG_CONNACKS[self._denied % len(WRONG_CONNACKS)])
        self._denied -= 1
        await writer.drain()
        await asyncio.sleep(DENIED_S)
        self._links.discard(writer)
        writer.transport.abort()

    async def _upwards(
        self, reader: asyncio.StreamReader, node: asyncio.StreamWriter, broker: asyncio.StreamWriter
    ) -> None:
        splitter = PacketSplitter()
        self._seen = set()
        while data := await reader.read(65536):
            if node in self._frozen:
                continue
            for packet in splitter.feed(data):
                if packet.kind != PacketKind.PUBLISH:
                    broker.write(packet.raw)
                elif not self._publish(Publish.of(packet), node, broker):
                    return
            await broker.drain()

    def _publish(self, item: Publish, node: asyncio.StreamWriter, broker: asyncio.StreamWriter) -> bool:
        """Do with one publish what the rig says; False when the connection is to break."""
        if item.topic.endswith(CLOCK_REQUEST):
            self._later(self._delays[0], broker, item.encode())
            return True
        for out in self._rig.send(item):
            match out:
                case Cut():
                    return False
                case Answer(pid):
                    self._seen.add(pid)
                    node.write(packets.puback(pid))
                case Publish():
                    own = out.pid == item.pid and out.pid not in self._seen
                    broker.write((out if own else out._replace(pid=self._next())).encode())
                    self._seen.add(out.pid if own else 0)
        return True

    @staticmethod
    def _later(seconds: float, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Write now, or when its time on the way is over and the connection still stands."""

        def write() -> None:
            if not writer.is_closing():
                writer.write(data)

        if seconds:
            asyncio.get_running_loop().call_later(seconds, write)
        else:
            write()

    def _next(self) -> int:
        self._pid = self._pid + 1 if self._pid + 1 in OWN_PIDS else OWN_PIDS.start
        return self._pid

    async def _downwards(self, broker: asyncio.StreamReader, node: asyncio.StreamWriter) -> None:
        splitter = PacketSplitter()
        with contextlib.suppress(OSError, BadPacket):
            while data := await broker.read(65536):
                for packet in splitter.feed(data):
                    if not self._own(packet):
                        reply = packet.kind == PacketKind.PUBLISH and Publish.of(packet).topic.endswith(CLOCK_REPLY)
                        self._later(self._delays[1] if reply else 0.0, node, packet.raw)
                await node.drain()
        if node not in self._frozen:
            node.transport.abort()

    @staticmethod
    def _own(packet: Packet) -> bool:
        return packet.kind == PacketKind.PUBACK and packets.acked(packet) in OWN_PIDS
