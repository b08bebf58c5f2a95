"""The simulated referee at the buttons of his table: which one says what he wants to enter, and whether the hub took it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

from marker_sim.manner import Manner
from marker_sim.rng import Stream
from marker_sim.sensors.button import LASTS_US, Button, press
from marker_sim.tabledriver import TableDriver, View

UNHEARD_S = 15.0  # wall time after which a press has done nothing; a busy machine may stand still for long
LOOK_S = 0.5
BY_PHASE: dict[tuple[str, str], Button] = {
    ("still", "rolling"): Button.STILL,
    ("still", "settling"): Button.STILL,
    ("ready", "placing"): Button.YES,
    ("ready", "respotting"): Button.YES,
    ("accept", "proposed"): Button.YES,
}


class Buttons:
    """The buttons of one driven table. A press is board time that passes; what it did is seen in the table's view."""

    def __init__(self, table: TableDriver, manner: Manner, seed: int) -> None:
        self._table, self._manner, self._seed = table, manner, seed

    async def say(self, kind: str, fields: dict[str, Any]) -> bool | None:
        """Say a command by a button: whether the hub took it; None where no button says it, or the press did nothing."""
        button = await self._button(kind, fields)
        if button is None:
            return None
        before = self._table.view
        self._manner.pressed += 1
        chance = Stream(self._seed, self._table.table, "button", self._manner.pressed)
        await self._table.feel([*press(button, self._table.now_us, chance)], LASTS_US)
        deadline = time.monotonic() + UNHEARD_S
        while (taken := await self._taken(kind, fields, before)) is None:
            if time.monotonic() > deadline:
                self._manner.unheard += 1
                return None
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._table.changed(), LOOK_S)
        return taken

    async def _button(self, kind: str, fields: dict[str, Any]) -> Button | None:
        phase = self._table.view["phase"]
        if kind != "answer" or phase != "asking":
            return BY_PHASE.get((kind, phase))
        sheet = await self._table.sheet()
        if sheet["question"] != fields["question"]:
            return None
        said = {sheet["buttons"].get(key): button for key, button in (("a1", Button.YES), ("a2", Button.NO))}
        return said.get(fields["answer"])

    async def _taken(self, kind: str, fields: dict[str, Any], before: View) -> bool | None:
        """True: it is done. False: something else happened. None: nothing yet."""
        view = await self._table.look()
        if kind == "accept" and self._table.shots_counted > _shots(before):
            return True
        if view["phase"] != before["phase"]:
            return kind != "accept"
        if kind != "answer":
            return None
        sheet = await self._table.sheet()
        row = next((row for row in sheet["rows"] if row["id"] == fields["question"]), None)
        done = row is None or any(a["selected"] and a["id"] == fields["answer"] for a in row["answers"])
        return True if done or sheet["question"] != fields["question"] else None


def _shots(view: View) -> int:
    return int((view.get("match") or {}).get("shots", 0))
