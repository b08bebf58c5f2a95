"""The node of a played table with everything that is to go wrong around it: sensors, network, node, broker, hub."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path

from marker_sim.boardnode import BoardNode
from marker_sim.faults.profile import NETWORK, Kind, Stage
from marker_sim.faults.rig import Act, Rig
from marker_sim.faultynode import FaultyNode
from marker_sim.sinks.mqtt import MqttNode
from marker_sim.sinks.proxy import FaultProxy
from marker_sim.stage import HubProcess, Ready


async def fit(
    kind: type[BoardNode | MqttNode],
    table: str,
    ready: Ready,
    folder: Path,
    speed: float,
    profile: str,
    rig: Rig,
    shot: Callable[[], int],
    stack: AsyncExitStack,
) -> FaultyNode:
    """Start the node of `table` behind a fault proxy where the rig needs one. profile: carom5 or pyramid."""
    proxy: FaultProxy | None = None
    loses = any(spec.kind in NETWORK for spec in rig.profile.faults) or any(
        planned.do in NETWORK for planned in rig.profile.schedule
    )
    if rig.transport or loses:
        proxy = FaultProxy(ready.mqtt_host, ready.mqtt_port, rig, ready.secure)
        stack.push_async_callback(proxy.stop)
        ready = await proxy.stand_in(ready)
    node = await kind.start(table, ready, folder, speed, profile)
    stack.push_async_callback(node.stop)
    return FaultyNode(node, rig, proxy, shot)


class Breaks:
    """What is done to node, broker and hub within each shot. hub: None where it runs elsewhere; then nothing is done to it or its broker."""

    def __init__(self, node: FaultyNode, hub: HubProcess | None, by_hand: Iterable[tuple[int, Kind]]) -> None:
        self._node, self._hub = node, hub
        self._by_hand = list(by_hand)

    def moments(self, shot: int) -> list[float]:
        """When in the shot, ms after the strike, besides its middle."""
        return self._node.rig.moments(shot)

    async def strike(self, shot: int, at_ms: float | None = None) -> None:
        """Do what is due in the middle of the shot, or at one of its moments."""
        due = [Act(kind) for at, kind in self._by_hand if at == shot and at_ms is None]
        if due:
            self._by_hand = [pair for pair in self._by_hand if pair[0] != shot]
        for act in [*due, *self._node.rig.acts(shot, at_ms)]:
            await self._do(act)

    async def _do(self, act: Act) -> None:
        if await self._node.act(act) or self._hub is None:
            return
        if act.kind is Kind.HUB_KILL:
            await self._hub.kill()
            await self._hub.start()
        elif act.kind is Kind.BROKER_RESTART:
            self._hub.kill_broker()
        elif act.kind is Kind.BROKER_STOP:
            await self._hub.pause_broker(act.seconds)


def breaks(node: FaultyNode, hub: HubProcess | None, more: Iterable[tuple[int, Kind]] = ()) -> Breaks | None:
    """What is done within each shot; None where nothing ever is. more: acts besides those of the rig, by shot."""
    by_hand = list(more)
    if not by_hand and not node.rig.profile.stage(Stage.PROCESS) and not node.rig.profile.schedule:
        return None
    return Breaks(node, hub, by_hand)
