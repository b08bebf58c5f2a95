"""A TCP proxy on loopback between a node and its broker, which does to the node's publishes what a rig of faults says."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

from marker_sim.faults.rig import Rig
from marker_sim.faults.transport import Answer, Cut
from marker_sim.sinks import packets
from marker_sim.sinks.packets import BadPacket, Packet, PacketKind, PacketSplitter, Publish
from marker_sim.stage import Ready

OWN_PIDS = range(50_000, 65_536)  # ids of what the proxy itself sends; a node's session never counts so far


class FaultProxy:
    """Stands for the broker at a port of its own."""

    def __init__(self, host: str, port: int, rig: Rig) -> None:
        self._host, self._port, self._rig = host, port, rig
        self._server: asyncio.Server | None = None
        self._pid = OWN_PIDS.start
        self._seen: set[int] = set()
        self._links: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._down_until = 0.0

    async def start(self) -> int:
        """Listen on loopback; the port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def stand_in(self, ready: Ready) -> Ready:
        """The hall with this proxy in the broker's place."""
        return replace(ready, mqtt_host="127.0.0.1", mqtt_port=await self.start())

    def down(self, seconds: float) -> None:
        """No network for so long (wall time)."""
        self._down_until = asyncio.get_running_loop().time() + seconds
        self._abort()

    def _abort(self) -> None:
        for writer in list(self._links):
            writer.transport.abort()

    async def stop(self) -> None:
        """Close everything."""
        if self._server is not None:
            self._server.close()
        self._down_until = float("inf")
        self._abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if asyncio.get_running_loop().time() < self._down_until:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        upstream: asyncio.StreamWriter | None = None
        with contextlib.suppress(OSError, BadPacket):
            broker, upstream = await asyncio.open_connection(self._host, self._port)
            self._links |= {writer, upstream}
            back = asyncio.create_task(self._downwards(broker, writer))
            try:
                await self._upwards(reader, writer, upstream)
            finally:
                back.cancel()
        for end in (writer, upstream):
            if end is not None:
                self._links.discard(end)
                end.transport.abort()

    async def _upwards(
        self, reader: asyncio.StreamReader, node: asyncio.StreamWriter, broker: asyncio.StreamWriter
    ) -> None:
        splitter = PacketSplitter()
        self._seen = set()
        while data := await reader.read(65536):
            for packet in splitter.feed(data):
                if packet.kind != PacketKind.PUBLISH:
                    broker.write(packet.raw)
                elif not self._publish(Publish.of(packet), node, broker):
                    return
            await broker.drain()

    def _publish(self, item: Publish, node: asyncio.StreamWriter, broker: asyncio.StreamWriter) -> bool:
        """Do with one publish what the rig says; False when the connection is to break."""
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

    def _next(self) -> int:
        self._pid = self._pid + 1 if self._pid + 1 in OWN_PIDS else OWN_PIDS.start
        return self._pid

    async def _downwards(self, broker: asyncio.StreamReader, node: asyncio.StreamWriter) -> None:
        splitter = PacketSplitter()
        with contextlib.suppress(OSError, BadPacket):
            while data := await broker.read(65536):
                for packet in splitter.feed(data):
                    if not self._own(packet):
                        node.write(packet.raw)
                await node.drain()
        node.transport.abort()

    @staticmethod
    def _own(packet: Packet) -> bool:
        return packet.kind == PacketKind.PUBACK and packets.acked(packet) in OWN_PIDS
