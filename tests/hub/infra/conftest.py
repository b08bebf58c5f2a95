"""Parts that several tests of the infrastructure share: a node that speaks the wire, a hub on a broker in memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from marker_hub import entries
from marker_hub.config import BrokerKind, BrokerSection, Config, TableSection
from marker_hub.entries import Entry
from marker_hub.journal import Reader, database_path
from marker_hub.service import Hub, HubOptions
from marker_hub.transport.memory import MemoryBroker, MemoryClient

QUIET_TURNS = 20
"""Turns of the loop: an answer to an answer is handed on within a few."""
CHANNELS = ["C", "N", "E", "S", "W", "PZ1", "PZ2", "PZ3", "PZ4", "CLICK", "BTN_YES", "BTN_NO", "BTN_STILL", "BTN_UNDO"]


def birth_payload(boot: int, uid: str = "e6614103e7452d2f", **changes: Any) -> dict[str, Any]:
    """A birth as the firmware sends it."""
    made: dict[str, Any] = {
        "online": True, "boot": boot, "v": 1, "fw": "0.1.0", "board": "pico_w", "uid": uid, "reset": "power_on", "cfg": "1a2b3c4d",
        "profile": "carom5", "mode": 1, "shot": 0, "floor": 0, "tail": 0, "head": 0, "t": 1000,
        "channels": dict.fromkeys(CHANNELS, 0), "pins": {pin: [0, 0] for pin in "CNESW"},
        "unc_us": {"pin": 10000, "rail": 600, "click": 600, "gate": 600, "button": 1000},
    }  # fmt: skip
    return made | changes


def health_payload(boot: int, head: int, **changes: Any) -> dict[str, Any]:
    """A health report as the firmware sends it."""
    made: dict[str, Any] = {
        "v": 1, "boot": boot, "t": 5000, "head": head, "mode": 1, "up": 5, "channels": dict.fromkeys(CHANNELS, 0), "clk": None,
        "clk_ok": False, "link": -60, "reconnects": 0, "overflow": 0, "rearms": 0, "dropped": 0, "heap": 100000, "v5": 5000,
        "brownout": False, "echo": 0, "xtalk": 0, "merged": 0, "bad_cmds": 0,
    }  # fmt: skip
    return made | changes


class Node:
    """A node on the broker in memory: ring, acknowledgements, replay, will."""

    def __init__(self, broker: MemoryBroker, table: str = "1", uid: str = "e6614103e7452d2f", boot: int = 1) -> None:
        self.broker, self.table, self.uid, self.boot = broker, table, uid, boot
        self.ring: list[list[int]] = []
        self.floor = 0
        self.mode = 1
        self.commands: list[dict[str, Any]] = []
        self.answering = True
        self.client: MemoryClient | None = None

    def topic(self, suffix: str) -> str:
        return f"table/{self.table}/{suffix}"

    def connect(self) -> None:
        will = json.dumps({"online": False, "boot": self.boot, "v": 1}).encode()
        self.client = self.broker.connect((self.topic("state"), will))
        self.client.subscribe(self.topic("cmd"), self._command)
        self.birth()

    def say(self, suffix: str, payload: dict[str, Any], *, retain: bool = False) -> None:
        assert self.client is not None
        self.client.publish(self.topic(suffix), json.dumps(payload).encode(), retain=retain)

    def birth(self, **changes: Any) -> None:
        given = {"head": len(self.ring), "floor": self.floor, "mode": self.mode} | changes
        self.say("state", birth_payload(self.boot, self.uid, **given), retain=True)

    def health(self, **changes: Any) -> None:
        self.say("health", health_payload(self.boot, len(self.ring), **changes), retain=True)

    def record(self, count: int = 1, *, send: bool = True) -> None:
        """Push records and publish them (or lose them on the way: send=False)."""
        first = len(self.ring)
        for seq in range(first, first + count):
            self.ring.append([1000 + seq * 10, seq % 5, 1, seq % 60000, 0])
        if send:
            self.send(first, first + count - 1)

    def send(self, first: int, last: int, flags: int = 0) -> None:
        for start in range(first, last + 1, 16):
            rows = [[*row[:4], row[4] | flags] for row in self.ring[start : min(start + 16, last + 1)]]
            self.say("ev", {"b": self.boot, "s": start, "e": rows})

    def reboot(self, boot: int | None = None) -> None:
        """Power cut and a new start: the ring is gone."""
        assert self.client is not None
        self.client.die()
        self.boot = self.boot + 1 if boot is None else boot
        self.ring = []
        self.connect()

    def _command(self, _topic: str, payload: bytes, retain: bool) -> None:
        command = json.loads(payload)
        if retain:
            return
        self.commands.append(command)
        if not self.answering:
            return
        answer: dict[str, Any] = {"id": command["id"], "ok": True, "code": 0, "boot": self.boot, "head": len(self.ring)}
        if command["cmd"] == "replay":
            if command["boot"] != self.boot or command["from"] < self.floor:
                last = command["to"] if command["boot"] != self.boot else min(command["to"], self.floor - 1)
                answer |= {"ok": False, "code": 4, "gap": {"from": command["from"], "to": last}}
            if command["boot"] == self.boot:
                self.send(max(command["from"], self.floor), min(command["to"], len(self.ring) - 1), flags=32)
        elif command["cmd"] == "arm":
            self.mode = 2
        elif command["cmd"] == "mode":
            self.mode = command["mode"]
        self.say("cmd/ack", answer)


class Bench:
    """A hub on a broker in memory, its folder and what it stored."""

    def __init__(self, data: Path, broker: MemoryBroker, hub: Hub) -> None:
        self.data, self.broker, self.hub = data, broker, hub

    async def until(self, true: Callable[[], object], seconds: float = 60.0) -> None:
        """Wait for something, or fail saying so."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not true():
            assert asyncio.get_running_loop().time() < deadline, "it did not happen in time"
            await asyncio.sleep(0.002)

    async def quiet(self) -> None:
        """Until nothing is queued, in flight or unacknowledged, and nothing follows from what was."""

        def idle() -> bool:
            return not self.broker.unacknowledged and not any(t.lane.busy for t in self.hub.tables_by_id.values())

        await asyncio.sleep(0.005)
        turns = 0
        while turns < QUIET_TURNS:
            await self.until(idle)
            await asyncio.sleep(0)
            turns = turns + 1 if idle() else 0

    def stored(self, table: str = "1", *kinds: type) -> list[Entry]:
        with Reader(database_path(self.data)) as reader:
            return [entry for entry in reader.entries(table) if not kinds or isinstance(entry.body, kinds)]

    def seqs(self, table: str = "1") -> list[int | None]:
        return [entry.seq for entry in self.stored(table, entries.Obs)]

    def rejects(self) -> list[tuple[str, str]]:
        with Reader(database_path(self.data)) as reader:
            return [(row.topic, row.reason) for row in reader.rejects()]


Running = Callable[..., AbstractAsyncContextManager[Bench]]


def memory_config(tables: int = 1, **hub: Any) -> Config:
    """A configuration on the broker in memory."""
    from marker_hub.config import HubSection

    sections = tuple(TableSection(id=str(number)) for number in range(1, tables + 1))
    return Config(hub=HubSection(**hub), broker=BrokerSection(kind=BrokerKind.MEMORY), table=sections)


@pytest.fixture
def running(tmp_path: Path) -> Running:
    """`async with running(tables=2) as bench`: start a hub; a second one on the same folder continues it."""
    brokers: dict[str, MemoryBroker] = {}

    @asynccontextmanager
    async def start(
        tables: int = 1,
        *,
        broker: MemoryBroker | None = None,
        snapshots: bool = True,
        data: Path | None = None,
        **hub: Any,
    ) -> AsyncIterator[Bench]:
        used = broker or brokers.setdefault("", MemoryBroker())
        folder = data or tmp_path / "data"
        made = Hub(HubOptions(memory_config(tables, **hub), folder, memory=used, snapshots=snapshots))
        await made.start()
        try:
            yield Bench(folder, used, made)
        finally:
            await made.stop()

    return start


@pytest.fixture
def node_type() -> type[Node]:
    """The class of a node on the broker in memory."""
    return Node


@pytest.fixture
def in_loop() -> Callable[[Awaitable[Any]], Any]:
    """Run a coroutine to its end, with a limit."""

    def run(work: Awaitable[Any]) -> Any:
        async def limited() -> Any:
            return await asyncio.wait_for(work, 120)

        return asyncio.run(limited())

    return run


@pytest.fixture
def birth() -> Callable[..., dict[str, Any]]:
    """Makes a birth payload of a boot."""
    return birth_payload
