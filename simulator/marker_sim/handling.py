"""One shot in the hands of the simulated referee: what he calls, answers and accepts at the hub's sheet, and what it cost him."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from marker_rules.facts import Strike
from marker_sim.manner import Manner
from marker_sim.referee import DISTURBED, answers, called, to_change
from marker_sim.score import Watch
from marker_sim.tabledriver import TableDriver, View
from marker_sim.truth import TrueShot


@dataclass(slots=True)
class Handling:
    """`asked`: rows nobody had touched at his first look; `tapped`: calls, changed rows, the accept; `watch`: over his shoulder.

    `came`: where nobody referees, somebody had to come, because the house's rule left the shot open.
    """

    shot: TrueShot
    manner: Manner = field(default_factory=Manner)
    asked: int = 0
    tapped: int = 0
    watch: Watch = field(default_factory=Watch)
    came: bool = False
    _looked: bool = False
    _astray: bool = False  # a wrong answer of his own stands: what the hub makes of it is not the hub's fault

    async def step(self, table: TableDriver) -> bool:
        """The next thing he does at the sheet; True when that was the acceptance. Raises what commands raise."""
        sheet = await table.sheet()
        if self.manner.absent and not self.came and await self._left_to_the_house(table, sheet):
            return False
        call = self._to_call(sheet)
        if call is not None:
            self.tapped += await table.command("call", **call)  # one on an old view is pressed again, not counted twice
            return False
        self._look(sheet)
        truth = self._truth()
        said = self.manner.answers(self.shot.number, sheet, truth)
        change = to_change(sheet, said, sheet.get("question") if self.manner.at_buttons else None)
        self._astray = said != truth or (self._astray and change is not None)
        if not self._astray:
            self.watch.sees(sheet, table.view, self.shot.ruling.short, truth)
        if change is not None:
            if await table.command("answer", question=change[0], answer=change[1]):
                self.tapped += 1
                if self.manner.takes_back(self.shot.number):
                    await table.command("undo")
            return False
        accepted = await table.command("accept")
        self.tapped += accepted
        if accepted and self.manner.takes_back(self.shot.number, "accept"):
            return not await table.command("undo")
        return accepted

    async def _left_to_the_house(self, table: TableDriver, sheet: View) -> bool:
        """True while the countdown of the house's rule runs over a ruling to which nobody has to add anything."""
        if self._to_call(sheet) is None:
            self.watch.sees(sheet, table.view, self.shot.ruling.short, self._truth())
        countdown = table.view.get("countdown")
        self.came = countdown is None or countdown["held"]
        if not self.came and called(self.shot):  # what no sensor feels somebody has to say, before it is too late
            await table.command("hold")
            return True
        return not self.came

    def _truth(self) -> dict[str, str]:
        """His true answers. A call between strokes leaves nothing to answer."""
        struck = any(isinstance(item.fact, Strike) for item in self.shot.timeline.items)
        return answers(self.shot) if struck else {}

    def _to_call(self, sheet: View) -> dict[str, Any] | None:
        """The first call that he has to make and that the sheet does not hold."""
        entered = {(call["code"], call["by"]) for call in sheet["calls"]}
        for call, balls in called(self.shot):
            if (call.code, call.by.value) not in entered:
                extra = {"args": list(balls)} if balls else {}
                return {"code": call.code, "by": call.by.value, "when": call.when.value, **extra}
        return None

    def _look(self, sheet: View) -> None:
        if not self._looked:
            self._looked = all(row["id"] != DISTURBED for row in sheet["rows"])  # the rules ask only after that
            self.asked += sum(row["origin"] != "decided" for row in sheet["rows"])
