"""The people of the simulated hall: one table's node plays its records, its referee answers and accepts what is proposed.

They wait for the table instead of asking it again and again, so that what is measured is the hub and not its guests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from marker_hub import commands
from marker_hub.bench.hall import BenchNode, start_match
from marker_hub.entries import Entry
from marker_hub.phases import Phase
from marker_hub.service import Hub
from marker_hub.service.tables import TableRuntime
from marker_hub.table.state import Work
from marker_hub.transport.memory import MemoryBroker, MemoryClient

PER_MESSAGE = 8
"""Records in one publish; a node sends up to 16, or what came within 5 ms."""

PATIENCE_S = 60.0
"""A table whose shots take longer than this and a second each has stopped: the bench ends with an error."""


def sender(client: MemoryClient, number: int) -> Callable[[str, bytes], None]:
    """What a node of table `number` publishes with."""
    return lambda suffix, payload: client.publish(f"table/{number}/{suffix}", payload)


class Table:
    """One table of the hall with the people at it."""

    def __init__(self, hub: Hub, broker: MemoryBroker, number: int) -> None:
        """Connects the node; nothing is sent before `play`."""
        client = broker.connect()
        self.number = number
        self.hub = hub
        self.runtime: TableRuntime = hub.tables_by_id[str(number)]
        self.node = BenchNode(number, sender(client, number))
        self._moved = asyncio.Event()
        self._commands = 0
        client.subscribe(f"table/{number}/cmd", lambda _topic, payload, _retain: self.node.on_command(payload))
        _watch(self.runtime, self._moved)

    async def play(self, shots: int) -> int:
        """Whole shots, from the stroke to the pins put up again. Returns how many records the node sent."""
        async with asyncio.timeout(PATIENCE_S + shots):
            return await self._play(shots)

    async def _play(self, shots: int) -> int:
        self.node.born()
        await self._until(self._all_in)
        assert await self._say(start_match(self.number)) == 200
        for _ in range(shots):
            await self._until_armed()
            rows, felled = self.node.stroke()
            self.node.send(rows, PER_MESSAGE)
            await self._until(self._all_in)
            await self._judge()
            self.node.respot(felled)
            await self._until(self._all_in)
        return self.node.seq

    def _all_in(self) -> bool:
        registry = self.hub.ingest.registry
        owner = registry.owner(str(self.number), 1)
        return owner is not None and registry.held(owner, 1).head >= self.node.seq and not self.runtime.lane.busy

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._moved.clear()
            await self._moved.wait()

    async def _say(self, command: commands.Command) -> int:
        result = await self.hub.command(str(self.number), command, role="referee", session="bench")
        return result.status

    def _key(self) -> str:
        self._commands += 1
        return f"{self.number}-{self._commands}"

    async def _until_armed(self) -> None:
        while True:
            await self._until(lambda: self._all_in() and self.runtime.reconciler.in_step)
            if self.runtime.value.phase == Phase.ARMED:
                return
            assert await self._say(commands.Ready(key=self._key(), seen=self.runtime.n)) == 200

    async def _judge(self) -> None:
        """Balls still, open rows answered, the proposal accepted."""
        table = self.runtime
        while True:
            seen = table.n
            if table.value.phase in (Phase.ROLLING, Phase.SETTLING):
                closing = table.value.run is not None and table.value.run.closing
                if not closing:
                    await self._say(commands.Still(key=self._key(), seen=seen))
                await self._until(lambda: self._all_in() and table.value.phase not in (Phase.ROLLING, Phase.SETTLING))
            elif table.value.phase == Phase.ASKING:
                await self._say(self._decided(seen))
            elif table.value.phase == Phase.PROPOSED:
                await self._say(commands.Accept(key=self._key(), seen=seen))
            else:
                return
            await self._until(self._all_in)

    def _decided(self, seen: int) -> commands.Command:
        """The first open row answered with its first answer, or the proposal taken."""
        sheet = Work(self.runtime.value).judged().sheet
        row = next((row for row in sheet.rows if row.selected is None), None) if sheet is not None else None
        if row is None:
            return commands.Accept(key=self._key(), seen=seen)
        return commands.Answer(key=self._key(), seen=seen, question=row.id, answer=row.answers[0].id)


def _watch(table: TableRuntime, moved: asyncio.Event) -> None:
    """From now on `moved` is set whenever the table has stepped."""
    step = table.stepped

    def stepped(made: list[Entry]) -> None:
        step(made)
        moved.set()

    table.stepped = stepped  # type: ignore[method-assign] # the bench looks on; the product has no such hook
