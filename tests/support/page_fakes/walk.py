"""Walks a real table (the pure core, no sensors) through a whole match and keeps one view and sheet of every phase."""

from __future__ import annotations

from typing import Any

from marker_hardware import wire
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core
from marker_hub.phases import Phase

Json = dict[str, Any]
LONG: dict[Any, e.PlayerInfo] = {
    "A": e.PlayerInfo("Константинопольский-Преображенский", "Аполлинарий", "ru"),
    "B": e.PlayerInfo("Bonaventura-Castelnuovo", "Niccolò", "it"),
}


class Walk:
    """One table and what its pages would be shown. `seen`: phase -> (view, sheet), the first of each."""

    def __init__(self, game: str, table: str = "3", *, manual: bool = True, node: bool = False) -> None:
        self.game, self.manual = game, manual
        profile = "carom5" if game == "five-pins" else "pyramid"
        self.table = core.new_table(core.TableConfig(id=table, name=table, no=1, profile=profile))
        self.n = 0
        self.now = 100_000_000
        self.seen: dict[str, tuple[Json, Json]] = {}
        self.keep()
        if node:
            self.put(e.Birth(boot=1, uid="u1", channels=dict.fromkeys(wire.channels(profile), 0)))

    def keep(self) -> None:
        view, sheet = projections.table_view(self.table, self.now), projections.sheet_view(self.table)
        self.seen.setdefault(view["phase"], (view, sheet))

    @property
    def phase(self) -> str:
        return str(self.table.phase)

    def put(self, body: e.Body) -> None:
        self.n += 1
        entry = e.Entry(tbl=self.table.config.id, n=self.n, body=body, mono_us=self.now, wall_ms=1_700_000_000_000)
        self.table, _ = core.step(self.table, entry)
        self.keep()

    def do(self, command: c.Command) -> bool:
        """A command; False where the table refuses it."""
        made = core.propose(self.table, command, core.Role.REFEREE, self.now)
        if isinstance(made, core.Refusal):
            return False
        for body in made:
            self.put(body)
        self.acknowledge()
        return True

    def acknowledge(self) -> None:
        """The node does what it is told."""
        if self.table.link.online:
            self.put(e.Head(1, 0, core.desired(self.table).command_id))

    def wait(self, seconds: float) -> None:
        """Time passes; what becomes due is journalled."""
        end = self.now + int(seconds * 1e6)
        while (due := core.deadline(self.table)) is not None and due[0] <= end:
            self.now = max(self.now, due[0])
            body = core.due_body(self.table)
            if body is None:
                break
            self.put(body)
        self.now = end

    def answer_all(self, prefer: tuple[str, ...] = ()) -> None:
        """Answers rows until the sheet can be accepted: a preferred answer, else the one chosen, else the first."""
        for _ in range(12):
            sheet = projections.sheet_view(self.table)
            row = next((row for row in sheet["rows"] if row["id"] in sheet["needed"] or row["selected"] is None), None)
            if row is None:
                return
            ids = [answer["id"] for answer in row["answers"]]
            chosen = next((name for name in prefer if name in ids), ids[0])
            if not self.do(c.Answer(question=row["id"], answer="none" if row["multi"] else chosen)):
                return

    def settle(self) -> None:
        """Everything between two strokes: choices, placing, next game, breaks."""
        for _ in range(12):
            if self.phase in ("armed", "match_over"):
                return
            due = projections.table_view(self.table, self.now)["due"] or {}
            if self.phase == "lag":
                self.do(c.LagResult(winner="A"))
            elif due.get("choices"):
                self.do(c.Choice(value=due["choices"][0]))
            elif self.phase == "break":
                self.do(c.Resume())
            elif self.phase == "game_over":
                self.do(c.NextGame())
            elif not self.do(c.Ready()):
                self.do(c.Layout(pins=("C", "N", "E", "S", "W")))

    def shot(self) -> None:
        """A stroke by hand with the answers as they are likeliest."""
        self.do(c.Strike())
        self.wait(4)
        self.do(c.Still())
        self.answer_all()
        self.do(c.Accept(seen=self.table.n))

    def match(self) -> None:
        """From the empty table to the end, by way of every phase."""
        five = self.game == "five-pins"
        options: Json = {"points_limit": 20, "games": 3} if five else {"race_to": 2, "shot_clock_s": 40}
        self.do(c.MatchStart(game=self.game, players=LONG, options=options, id="m-walk", manual=self.manual))  # type: ignore[arg-type]
        self.settle()
        for _ in range(2):
            self.shot()
            self.settle()
        self.do(c.Strike())
        self.wait(4)
        self.do(c.Still())
        self.do(c.Call(code="Z" if five else "RP-16", by=self._turn()))
        self.answer_all()
        self.keep()
        self.do(c.Accept(seen=self.table.n))
        self.do(c.Suspend(note="свет погас"))
        self.do(c.Resume())
        self.settle()
        self.do(c.Layout(pins=("C", "N", "E", "S"))) if five else None
        self.settle()
        self.do(c.BreakRequest(by="A", permitted=True))
        self.settle()
        self.do(c.AwardGame(to="A", note="неявка"))
        self.settle()
        self.do(c.AwardMatch(to="A", note="неявка"))

    def _turn(self) -> Any:
        turn = projections.table_view(self.table, self.now)["turn"]
        return turn if turn in ("A", "B") else "A"


NEIGHBOURS = {
    Phase.CONFIRMED: ("proposed", "armed"),
    Phase.PROPOSED: ("asking",),
    Phase.RESPOTTING: ("placing",),
    Phase.BREAK: ("game_over",),
    Phase.ROLLING: ("asking",),
    Phase.SETTLING: ("rolling", "asking"),
}
"""Where a walk passes through within one entry, or cannot stop: made from the view of a neighbour."""


def walked(game: str, table: str = "3") -> dict[str, tuple[Json, Json]]:
    """Phase -> (view, sheet) for every phase there is."""
    seen: dict[str, tuple[Json, Json]] = {}
    for node in (True, False):
        walk = Walk(game, table, manual=not node, node=node)
        walk.match()
        seen = walk.seen | seen
    for phase, neighbours in NEIGHBOURS.items():
        near = next((name for name in neighbours if name in seen), None)
        if phase.value not in seen and near is not None:
            view, sheet = seen[near]
            view = view | {"phase": phase.value}
            if phase is Phase.PROPOSED:
                view["proposal"] = {"shot": sheet["shot"], "ruling": sheet["proposal"]}
            if phase is Phase.BREAK:
                view["break"] = {"remaining_ms": 300_000, "running": True, "late_ms": 0}
            seen[phase.value] = (view, sheet)
    return seen
