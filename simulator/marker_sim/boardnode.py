"""A virtual board as the node of a played table: inputs become frames, board time becomes wall time at the pace asked for."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from marker_hardware.wire import Mode
from marker_sim.sensors.inputs import Edge, Hold, Input, Scan
from marker_sim.sinks import frames
from marker_sim.sinks.frames import Frame
from marker_sim.sinks.node import BoardConfig, VirtualBoard
from marker_sim.stage import Ready

SLICE_US = 50_000  # board time sent at once where people watch


def to_frames(item: Input, origin_us: int) -> list[Frame]:
    """The frames of one input; `origin_us` is the board's clock at play time 0."""
    at = origin_us + item.t_us
    match item:
        case Edge(_, ch, level, aux):
            return [frames.edge(at, ch, level, aux)]
        case Scan(_, values, answered):
            vectors = [(values[i], values[i + 1], values[i + 2]) for i in range(0, 15, 3)]
            return [frames.field(at, vectors, answered)]
        case Hold(_, n, frozen):
            return frames.hold(at, n, frozen=frozen)


class BoardNode:
    """The node of one table. `speed`: times real time, 0 = as fast as everything is acknowledged."""

    def __init__(self, board: VirtualBoard, speed: float) -> None:
        self.board = board
        self.speed = speed
        self.origin_us = frames.START_US
        self._wall = time.monotonic()
        self._at_us = 0

    @classmethod
    async def start(cls, table: str, ready: Ready, directory: Path, speed: float, profile: str = "carom5") -> BoardNode:
        """Start the board of `table` and wait for its session with the broker. Raises VirtualMachineMissing, BoardError."""
        user, password = ready.broker_user(table)
        place = (ready.mqtt_host, ready.mqtt_port)
        config = BoardConfig(table, profile, *place, user, password, tls=int(ready.secure.level), ca=ready.secure.ca)
        board = VirtualBoard(config, directory)
        try:
            await board.start()
        except BaseException:  # also one that is stopped while it starts leaves no process behind
            await board.stop()
            raise
        return cls(board, speed)

    async def feed(self, inputs: list[Input], until_us: int) -> None:
        """Let the inputs happen in board time, at the pace; returns when all is acknowledged by the broker."""
        if self.speed:
            await self._paced(inputs, until_us)
        else:
            await self.board.send([frame for item in inputs for frame in to_frames(item, self.origin_us)])
        self._at_us = max(self._at_us, until_us)
        await self.board.sync(self.origin_us + until_us)

    async def _paced(self, inputs: list[Input], until_us: int) -> None:
        """Send what happens in each slice of board time when its wall time has come."""
        start_us = min(self._at_us, inputs[0].t_us) if inputs else self._at_us
        begun = time.monotonic()
        waiting = list(inputs)
        at = start_us
        while at < until_us:
            at = min(at + SLICE_US, until_us)
            await asyncio.sleep(max(0.0, begun + (at - start_us) / 1e6 / self.speed - time.monotonic()))
            due: list[Frame] = []
            while waiting and waiting[0].t_us <= at:
                due += self._cut(waiting, at)
            await self.board.send(due)
            await self.board.time(self.origin_us + at, 0)

    def _cut(self, waiting: list[Input], at: int) -> list[Frame]:
        """The frames of the first input up to `at`; a longer hold stays with its rest."""
        item = waiting.pop(0)
        if isinstance(item, Hold):
            n = min(item.n, (at - item.t_us) // 10_000 + 1)
            if n < item.n:
                waiting.insert(0, Hold(item.t_us + n * 10_000, item.n - n, item.frozen))
                item = Hold(item.t_us, n, item.frozen)
        return to_frames(item, self.origin_us)

    async def armed(self) -> None:
        """Wait until the hub armed the node."""
        await self.board.wait_mode(Mode.ARMED)

    async def sleep(self, table_s: float) -> None:
        """Let table time pass where people watch."""
        if self.speed:
            await asyncio.sleep(table_s / self.speed)

    async def reboot(self, at_us: int) -> None:
        """The chip resets at play time `at_us`; its clock begins anew."""
        await self.board.reset()
        self.origin_us = frames.START_US - at_us

    async def power_cut(self, at_us: int) -> None:
        """Cut the power at play time `at_us`, in the middle of a write to flash, and start again."""
        await self.board.restart(torn=True)
        self.origin_us = frames.START_US - at_us

    async def stop(self) -> None:
        """End the board."""
        await self.board.stop()
