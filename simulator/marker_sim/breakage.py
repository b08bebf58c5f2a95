"""The node of a played table with everything that is to go wrong around it: sensors, network, node, broker, hub."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path

from marker_sim.boardnode import BoardNode
from marker_sim.faults.profile import NETWORK, Kind, Stage
from marker_sim.faults.rig import Act, Rig
from marker_sim.faultynode import FaultyNode
from marker_sim.sinks.mqtt import MqttNode
from marker_sim.sinks.proxy import FaultProxy
from marker_sim.stage import HubProcess, Ready

Hook = Callable[[int], Awaitable[None]]


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
        proxy = FaultProxy(ready.mqtt_host, ready.mqtt_port, rig)
        stack.push_async_callback(proxy.stop)
        ready = await proxy.stand_in(ready)
    node = await kind.start(table, ready, folder, speed, profile)
    stack.push_async_callback(node.stop)
    return FaultyNode(node, rig, proxy, shot)


def hook(node: FaultyNode, hub: HubProcess | None, more: Iterable[tuple[int, Kind]] = ()) -> Hook | None:
    """What is done in the middle of each shot; None where nothing ever is. more: acts besides those of the rig, by shot.

    hub: None where it runs elsewhere; then nothing is done to it or its broker.
    """
    by_hand = list(more)
    if not by_hand and not node.rig.profile.stage(Stage.PROCESS) and not node.rig.profile.schedule:
        return None

    async def strike(shot: int) -> None:
        due = [Act(kind) for at, kind in by_hand if at == shot]
        by_hand[:] = [pair for pair in by_hand if pair[0] != shot]
        for act in [*due, *node.rig.acts(shot)]:
            if await node.act(act) or hub is None:
                continue
            if act.kind is Kind.HUB_KILL:
                await hub.kill()
                await hub.start()
            elif act.kind is Kind.BROKER_RESTART:
                hub.kill_broker()
            elif act.kind is Kind.BROKER_STOP:
                await hub.pause_broker(act.seconds)

    return strike
