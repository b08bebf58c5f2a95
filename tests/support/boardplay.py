"""What tests do with a running virtual board: stand the pins, press a button, send a command, wait for something."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from marker_sim.sinks import frames
from marker_sim.sinks.node import VirtualBoard

LIMIT_S = 60.0  # only against hanging: the machine may be busy
AGAIN_S = 8.0  # a command sent while the node was connecting again has reached nobody
STANDING = [(0, 0, 1500)] * 5
FALLEN = (-224, 0, 202)


async def soon(test: Callable[[], Any], seconds: float = LIMIT_S) -> Any:
    """Poll without blocking the board's event loop."""
    end = time.monotonic() + seconds
    while True:
        found = test()
        if found:
            return found
        assert time.monotonic() < end, "not in time"
        await asyncio.sleep(0.02)


async def stand(board: VirtualBoard) -> int:
    """Pins standing and known; returns the board time after."""
    us = board.now_us + 10_000
    await board.send([frames.field(us, STANDING), *frames.hold(us + 10_000, 40)])
    await board.sync(us + 600_000)
    return us + 600_000


def presses(us: int, n: int, step: int = 120_000) -> list[frames.Frame]:
    """n presses of BTN_YES, released each time: 2n records."""
    out = []
    for i in range(n):
        out += [frames.edge(us + i * step, 76, 0), frames.edge(us + i * step + step // 2, 76, 1)]
    return out


async def command(listener: Any, cmd_id: str, cmd: str, **arguments: object) -> dict[str, Any]:
    """Send and wait for the acknowledgement without blocking the loop; sent again as the hub does: the node carries an id out once."""

    def answers() -> list[dict[str, Any]]:
        return [a for a in listener.of("cmd/ack") if a["id"] == cmd_id]

    end = time.monotonic() + LIMIT_S
    while not answers():
        assert time.monotonic() < end, f"no answer to {cmd} {cmd_id}"
        await asyncio.to_thread(listener.command, cmd_id, cmd, wait=False, **arguments)
        again = time.monotonic() + AGAIN_S
        while not answers() and time.monotonic() < again:
            await asyncio.sleep(0.02)
    return answers()[-1]
