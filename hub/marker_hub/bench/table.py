"""`marker bench table`: one step of the table's fold beside reading its entry, over a match of five-pins with sensors.

The match is made first, as the service makes it (propose, entry, step) but without journal and network; then its entries
are folded several times. Per entry the best round counts: what is measured is the fold, not what else this machine does.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from marker_hardware.codes import Kind, Mode
from marker_hub import commands, entries, projections
from marker_hub import table as core
from marker_hub.bench.hall import BenchNode, start_match
from marker_hub.entries import Body, Entry
from marker_hub.table import Role, TableConfig

SHOTS = 60
ROUNDS = 5
HUB_AHEAD_US = 5_000_000
CONFIG = TableConfig("1", name="1", no=1)


class _Match:
    """A table with its node and a referee who answers what is asked and accepts."""

    def __init__(self) -> None:
        self.table = core.new_table(CONFIG)
        self.made: list[Entry] = []
        self.node = BenchNode(1, self._published)
        self.acked = ""
        self.born = False

    def put(self, body: Body, **envelope: Any) -> None:
        now = self.node.t + HUB_AHEAD_US
        entry = Entry("1", len(self.made) + 1, body, now, 0, **envelope)
        self.made.append(entry)
        self.table, _ = core.step(self.table, entry)

    def _published(self, suffix: str, payload: bytes) -> None:
        said = json.loads(payload)
        if suffix == "ev":
            for at, (t, ch, kind, v, aux) in enumerate(said["e"]):
                self.put(entries.Obs(ch, kind, v, aux), node=1, boot=said["b"], seq=said["s"] + at, dev_us=t)

    def follow(self) -> None:
        """The node does what the table wants of it, and says so."""
        wanted = core.desired(self.table)
        if wanted.command_id == self.acked:
            return
        self.acked = wanted.command_id
        mode = int(Mode[wanted.mode.upper()])
        if mode != self.node.mode or wanted.command == "arm":
            self.node.mode = mode
            self.node.send([(self.node.t, 63, int(Kind.MODE), mode, wanted.shot & 0xFFFF)])
        self.put(entries.Head(1, self.node.seq, wanted.command_id))

    def do(self, command: commands.Command) -> bool:
        made = core.propose(self.table, command, Role.REFEREE, self.node.t + HUB_AHEAD_US)
        if isinstance(made, core.Refusal):
            return False
        for body in made:
            self.put(body)
        self.follow()
        return True

    def shot(self) -> None:
        rows, pins = self.node.stroke()
        self.node.send(rows)
        self.do(commands.Still())
        for _ in range(6):
            row = next((row for row in projections.sheet_view(self.table)["rows"] if row["origin"] == "needed"), None)
            if row is None:
                break
            answer = row["answers"][0]["id"] if not row["multi"] else "none"
            self.do(commands.Answer(question=row["id"], answer=answer))
        self.do(commands.Accept(seen=self.table.n))
        self.node.respot(pins)
        self.do(commands.Ready())
        self.follow()


def match_entries(shots: int) -> list[Entry]:
    """The entries of a match of so many shots."""
    match = _Match()
    match.put(entries.HubStarted("bench"))
    match.put(
        entries.Birth(1, uid="1", channels=dict.fromkeys((*range(5), *range(16, 20), 22, *range(24, 28)), 0)), node=1
    )
    match.node.respot(list("CNESW"))
    match.do(start_match(1))
    match.do(commands.Ready())
    for _ in range(shots):
        match.shot()
    return match.made


def _best_us(work: Callable[[int], object], count: int, start: Callable[[], None]) -> list[float]:
    """Per item the best of ROUNDS, microseconds; `start` before each round."""
    best = [float("inf")] * count
    for _ in range(ROUNDS):
        start()
        for at in range(count):
            begun = time.perf_counter_ns()
            work(at)
            best[at] = min(best[at], (time.perf_counter_ns() - begun) / 1000)
    return best


def run(size: int = SHOTS) -> dict[str, Any]:
    """Figures of a match of `size` shots; `ratio` = median step beside the median reading of an entry."""
    made = match_entries(size)
    lines = [entries.encode_entry(entry) for entry in made]
    state = [core.new_table(CONFIG)]

    def begin() -> None:
        state[0] = core.new_table(CONFIG)

    def step(at: int) -> None:
        state[0], _ = core.step(state[0], made[at])

    steps = _best_us(step, len(made), begin)
    reads = _best_us(lambda at: entries.decode_entry(lines[at]), len(made), lambda: None)
    views = _best_us(lambda _at: projections.table_view(state[0], made[-1].mono_us), 200, lambda: None)
    ordered = sorted(steps)
    match = state[0].match
    return {
        "entries": len(made),
        "shots_judged": 0 if match is None else len(match.shots),
        "step_us_median": statistics.median(steps),
        "step_us_p99": ordered[int(len(ordered) * 0.99)],
        "step_us_mean": statistics.fmean(steps),
        "read_us_median": statistics.median(reads),
        "ratio": statistics.median(steps) / statistics.median(reads),
        "view_us_median": statistics.median(views),
        "target_step_us": 20,
    }
