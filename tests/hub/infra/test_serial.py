"""Nodes on cables: ports that vanish and come back, over pseudo-terminals."""

import asyncio
import json
import os
import pty
import tty
from collections.abc import Callable
from typing import Any

import pytest

from marker_hub import commands, entries
from marker_hub.entries import Birth, Obs, Offline
from marker_hub.serial_link import LOOK_EVERY_S, SerialNode
from marker_hub.transport.memory import MemoryBroker, MemoryClient

Run = Callable[[Any], Any]


class MemoryOutlet:
    """The outlet on the broker in memory."""

    def __init__(self, broker: MemoryBroker, table: str) -> None:
        self.broker, self.table = broker, table
        self.client: MemoryClient | None = None

    def open(self, will: bytes, on_command: Callable[[str, bytes], None]) -> None:
        self.client = self.broker.connect((f"table/{self.table}/state", will))
        self.client.subscribe(f"table/{self.table}/cmd", lambda _t, payload, _r: on_command("cmd", payload))

    def publish(self, suffix: str, payload: bytes, *, retain: bool) -> None:
        assert self.client is not None
        self.client.publish(f"table/{self.table}/{suffix}", payload, retain=retain)

    def drop(self) -> None:
        assert self.client is not None
        self.client.die()


class Board:
    """The device side of a cable: answers `info` with its birth, acknowledges commands."""

    def __init__(self, uid: str, birth: dict[str, Any]) -> None:
        self.uid = uid
        self.birth = birth | {"uid": uid}
        self.seq = 0
        self.device = ""
        self.master = -1

    def plug(self, *, elsewhere: str = "") -> None:
        """elsewhere: a name that the terminal must not have."""
        self.master, slave = pty.openpty()
        if os.ttyname(slave) == elsewhere:
            same = (self.master, slave)
            self.master, slave = pty.openpty()
            for descriptor in same:
                os.close(descriptor)
        tty.setraw(slave)
        self.device = os.ttyname(slave)
        self._slave = slave
        os.set_blocking(self.master, False)
        asyncio.get_running_loop().add_reader(self.master, self._readable)

    def unplug(self) -> None:
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        os.close(self._slave)
        self.device = ""

    def say(self, topic: str, payload: dict[str, Any]) -> None:
        os.write(self.master, json.dumps({"topic": topic, "payload": payload}).encode() + b"\n")

    def record(self, count: int) -> None:
        for _ in range(count):
            self.say("ev", {"b": self.birth["boot"], "s": self.seq, "e": [[1000 + self.seq, self.seq % 5, 1, 5, 0]]})
            self.seq += 1

    def _readable(self) -> None:
        try:
            raw = os.read(self.master, 65536)
        except OSError:
            return
        for line in raw.splitlines():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if said["topic"] != "cmd":
                continue
            command = said["payload"]
            if command["cmd"] == "info":
                os.write(self.master, b"I (1234) log output of the board\r\n")
                self.say("state", self.birth | {"head": self.seq})
            self.say(
                "cmd/ack", {"id": command["id"], "ok": True, "code": 0, "boot": self.birth["boot"], "head": self.seq}
            )


def start_match() -> commands.MatchStart:
    players = {"A": entries.PlayerInfo("Alfa"), "B": entries.PlayerInfo("Beta")}
    return commands.MatchStart(
        game="five-pins", players=players, key="k", options={"points_limit": 60, "games": 3}, opener="A", ball_of_a="white"
    )  # fmt: skip


@pytest.mark.report("R050")
@pytest.mark.report("R051")
def test_a_cable_pulled_in_mid_shot_comes_back_by_its_serial_number_and_the_other_never_notices(
    running: Any, birth: Callable[..., dict[str, Any]], in_loop: Run
) -> None:
    """R050, R051: the node is shown as lost, the shot is incomplete, the port is opened again under another name without a
    restart, at the next look (every half second); the second node was never interrupted.

    Mutation that turns it red: opening the remembered device path instead of looking for the serial number.
    """

    assert LOOK_EVERY_S <= 1

    async def play() -> None:
        async with running(tables=2) as bench:
            boards = {"usb-a": Board("a" * 16, birth(1)), "usb-b": Board("b" * 16, birth(1))}
            for board in boards.values():
                board.plug()
            cables = [
                SerialNode(
                    table,
                    usb,
                    MemoryOutlet(bench.broker, table),
                    find=lambda usb: boards[usb].device or None,
                    look_every_s=0.02,
                )
                for table, usb in (("1", "usb-a"), ("2", "usb-b"))
            ]
            tasks = [asyncio.ensure_future(cable.run()) for cable in cables]
            await bench.until(lambda: all(bench.hub.view(table)["node"] == "online" for table in "12"))
            assert (await bench.hub.command("1", start_match(), role="referee", session="s")).status == 200
            await bench.hub.command(
                "1", commands.Ready(key="r", seen=bench.hub.tables_by_id["1"].n), role="referee", session="s"
            )
            boards["usb-a"].record(4)
            await bench.until(lambda: len(bench.seqs("1")) == 4)
            first = boards["usb-a"].device
            boards["usb-a"].unplug()
            await bench.until(lambda: bench.hub.view("1")["node"] == "offline")
            assert [notice["code"] for notice in bench.hub.view("1")["notices"]].count("node-lost") == 1
            boards["usb-b"].record(3)
            boards["usb-a"].plug(elsewhere=first)
            assert boards["usb-a"].device != first
            await bench.until(lambda: bench.hub.view("1")["node"] == "online")
            boards["usb-a"].record(2)
            await bench.until(lambda: len(bench.seqs("1")) == 6 and len(bench.seqs("2")) == 3)
            assert (cables[0].losses, cables[1].losses) == (1, 0)
            assert [type(e.body) for e in bench.stored("1", Birth, Offline)] == [Birth, Offline, Birth]
            assert [type(e.body) for e in bench.stored("2", Birth, Offline)] == [Birth]
            assert [e.seq for e in bench.stored("2", Obs)] == [0, 1, 2]
            for cable, task in zip(cables, tasks, strict=True):
                await cable.stop(task)
            for board in boards.values():
                board.unplug()

    in_loop(play())


def test_noise_on_the_line_is_counted_and_ends_nothing(
    running: Any, birth: Callable[..., dict[str, Any]], in_loop: Run
) -> None:
    async def play() -> None:
        async with running() as bench:
            board = Board("c" * 16, birth(1))
            board.plug()
            cable = SerialNode(
                "1", "usb", MemoryOutlet(bench.broker, "1"), find=lambda _usb: board.device, look_every_s=0.02
            )
            task = asyncio.ensure_future(cable.run())
            await bench.until(lambda: bench.hub.view("1")["node"] == "online")
            for noise in (
                b"\xff\xfe\n",
                b'{"topic":"nowhere","payload":{}}\n',
                b'{"topic":5}\n',
                b'{"topic":"ev"\n',
                b"\n\n",
            ):
                os.write(board.master, noise)
            board.record(2)
            await bench.until(lambda: len(bench.seqs()) == 2)
            assert cable.bad_lines == 3
            await cable.stop(task)
            board.unplug()

    in_loop(play())
