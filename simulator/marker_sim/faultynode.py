"""A node whose sensors, power and network fail as a rig of faults says; for its player it is a node like any other."""

from __future__ import annotations

from collections.abc import Callable

from marker_sim.boardnode import BoardNode
from marker_sim.faults.profile import NETWORK, Kind
from marker_sim.faults.rig import Act, Rig
from marker_sim.feed import Recorder
from marker_sim.sensors.inputs import Hold, Input, Scan
from marker_sim.sinks.mqtt import MqttNode
from marker_sim.sinks.proxy import FaultProxy


class FaultyNode:
    """`shot`: the number of the shot being played, asked for at each feed."""

    def __init__(self, node: BoardNode | MqttNode, rig: Rig, proxy: FaultProxy | None, shot: Callable[[], int]) -> None:
        self.node = node
        self.rig = rig
        self.proxy = proxy
        self.recorder: Recorder | None = None
        self._shot = shot
        self._last: Scan | None = None
        self._blind = False
        self._now_us = 0

    async def feed(self, inputs: list[Input], until_us: int) -> None:
        """Let the inputs happen as the faulty sensors give them."""
        self.rig.begin(self._shot())
        inputs = self.rig.signal(inputs) if self.rig.signals else inputs
        if self._blind:
            inputs = self._seeing(inputs)
        for item in inputs:
            if isinstance(item, Scan):
                self._last = item
        if self.recorder is not None:
            self.recorder.feed(inputs, until_us)
        await self.node.feed(inputs, until_us)
        self._now_us = max(self._now_us, until_us)

    def _seeing(self, inputs: list[Input]) -> list[Input]:
        """A node that has just started has no last scan to hold: the first held one is told in full."""
        for at, item in enumerate(inputs):
            if isinstance(item, Scan):
                self._blind = False
                break
            if isinstance(item, Hold) and self._last is not None:
                self._blind = False
                first = Scan(item.t_us, self._last.values, self._last.answered)
                rest = [Hold(item.t_us + 10_000, item.n - 1, item.frozen)] if item.n > 1 else []
                return [*inputs[:at], first, *rest, *inputs[at + 1 :]]
        return inputs

    async def armed(self) -> None:
        """Wait until the hub armed the node."""
        if self.recorder is not None:
            self.recorder.armed()
        await self.node.armed()

    async def sleep(self, table_s: float) -> None:
        """Let table time pass where people watch."""
        await self.node.sleep(table_s)

    async def act(self, act: Act) -> bool:
        """Do what concerns the node or its network; False for the others."""
        if act.kind in (Kind.REBOOT, Kind.POWER_CUT):
            self._blind = True
            restart = self.node.reboot if act.kind is Kind.REBOOT else self.node.power_cut
            await restart(self._now_us)
            return True
        if act.kind not in NETWORK or self.proxy is None:
            return False
        match act.kind:
            case Kind.WIFI_LOSS:
                self.proxy.down(act.seconds)
            case Kind.REFUSED_JOIN:
                self.proxy.refuse(act.seconds)
            case Kind.HALF_OPEN:
                self.proxy.half_open()
            case _:
                self.proxy.deny(act.tries)
        return True
