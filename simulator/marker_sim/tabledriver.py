"""A table of a running hub, driven from its public pages: what the players of a match and of scenes have in common.

Keeps the newest view from the hub's own stream, enters commands on it, and lets the sensors feel; board time is kept here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from marker_sim.hubclient import HubClient, Refused
from marker_sim.sensors.inputs import Input
from marker_sim.sensors.table import TableSensors

View = dict[str, Any]
BETWEEN_US = 1_500_000  # board time between the end of one act and the next
DECIDING = ("asking", "proposed")
STALE = 409


class Node(Protocol):
    """The node of a table, as its player needs it; times in board microseconds."""

    async def feed(self, inputs: list[Input], until_us: int) -> None:
        """Let the inputs happen; returns when everything up to `until_us` is with the broker."""
        ...

    async def armed(self) -> None:
        """Wait until the node is in mode `armed`; whether by the arming for the stroke to come the table's view says."""
        ...

    async def sleep(self, table_s: float) -> None:
        """Let table time pass where people watch; nothing in pace `max`."""
        ...


@dataclass(slots=True)
class Shown:
    """What a screen may show of a driven table: its id and the hub's newest view of it, empty before the first."""

    table: str
    view: View = field(default_factory=dict)


class TableDriver:
    """Base of whoever plays at one table of a hub. `client`: logged in there; `shown`: kept up to date."""

    def __init__(self, client: HubClient, node: Node, sensors: TableSensors, shown: Shown) -> None:
        self.client = client
        self.node = node
        self.sensors = sensors
        self.shown = shown
        self.now_us = BETWEEN_US
        self._changed = asyncio.Event()

    @property
    def table(self) -> str:
        """Id of the table."""
        return self.shown.table

    @property
    def view(self) -> View:
        """The newest view of the table."""
        return self.shown.view

    @property
    def path(self) -> str:
        """Where the hub's interface has the table."""
        return f"/api/tables/{self.table}"

    # --- what the hub shows --------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """The view is kept up to date from the hub's stream as long as this lasts."""
        follower = asyncio.create_task(self._follow())
        try:
            yield
        finally:
            follower.cancel()
            await asyncio.gather(follower, return_exceptions=True)

    async def _follow(self) -> None:
        async for view in self.client.views(self.table):
            self.take(view)

    def take(self, view: View) -> None:
        """Keep a view unless a newer one is known."""
        if view.get("n", 0) >= self.shown.view.get("n", 0):
            self.shown.view = view
            self._changed.set()

    async def look(self) -> View:
        """Ask for the view. Raises HubUnreachable."""
        self.take(await self.client.get(self.path))
        return self.view

    async def sheet(self) -> View:
        """The shot sheet as it is now."""
        found: View = await self.client.get(f"{self.path}/sheet")
        return found

    async def changed(self) -> None:
        """Wait for the next view."""
        self._changed.clear()
        await self._changed.wait()

    @property
    def shots_counted(self) -> int:
        """How many shots the hub has judged in this match."""
        return int((self.view.get("match") or {}).get("shots", 0))

    @property
    def last_ruling(self) -> View:
        """The ruling of the shot judged last, as the hub shows it; empty where there is none."""
        return (self.view.get("last") or {}).get("ruling") or {}

    # --- what is entered -----------------------------------------------------------------------------------------

    async def command(self, kind: str, **fields: Any) -> bool:
        """One command on the view as it is now; False where the hub says that the view was old. Raises Refused."""
        try:
            answer = await self.client.command(self.table, self.view.get("n", 0), kind, **fields)
        except Refused as refused:
            if refused.status != STALE:
                raise
            self.take(refused.body["view"])
            return False
        self.take(answer["view"])
        return True

    # --- what is felt --------------------------------------------------------------------------------------------

    async def feel(self, inputs: list[Input], lasts_us: int, *, pause: bool = True) -> None:
        """Let the inputs happen, then, unless more follows at once, some quiet. lasts_us: from now on."""
        until = self.now_us + lasts_us
        await self.node.feed(inputs, until)
        if pause:
            self.now_us = until + BETWEEN_US
