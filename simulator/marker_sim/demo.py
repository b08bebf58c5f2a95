"""The demonstration: a hall of simulated tables that play by themselves, with every part real but the tables.

Processes: the hub (with the broker it brings), one virtual board a table (the node's firmware), and here the players and
the truthful referee. Nothing is left behind, however it ends.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from marker_hardware import wire
from marker_hardware.pinmap import Profile
from marker_rules.balls import GameId, Player
from marker_rules.game import Setup, game
from marker_rules.options import Options
from marker_sim import away, breakage, faults
from marker_sim.away import Away
from marker_sim.boardnode import BoardNode
from marker_sim.faults import Injected, Kind, Rig
from marker_sim.faultynode import FaultyNode
from marker_sim.feedrecord import RecordingClient, recorder_of
from marker_sim.manner import Manner
from marker_sim.play import Style
from marker_sim.plays import play as players_of
from marker_sim.reading import Fitted
from marker_sim.sensors.table import sensors_of
from marker_sim.sinks.mqtt import MqttNode
from marker_sim.stage import HubProcess, Ready
from marker_sim.tabledriver import View
from marker_sim.tableplay import Progress, TablePlay, Verdict
from marker_sim.truth import TrueMatch

UNHURRIED = "tail_ms = 30000\nlull_ms = 10000\nquiet_ms = 30000\ncountdown_ms = 1000\n"
LONGEST = 1000  # shots over which the moments of faults are drawn where the match has no end set
BY_HAND = {"hub-kill": Kind.HUB_KILL, "broker-kill": Kind.BROKER_RESTART}
ARRIVAL_S = 30.0  # the last record may still be on its way, or be asked for again, on a busy machine

NAMES = (
    ("Константинопольский-Преображенский", "Иван", "ru"),
    ("Ёжиков", "Михаил", "ru"),
    ("Bianchi", "Chiara", "it"),
    ("De Angelis", "Niccolò", "it"),
    ("Whitfield", "Rose", "en"),
    ("Щербакова", "Юлия", "ru"),
    ("Rossi", "Matteo", "it"),
    ("Ferreira", "Ana", "en"),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong in the middle of shot `shot` of the first table: `hub-kill` or `broker-kill`."""

    kind: str
    shot: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play. `speed` 0 = as fast as the machine allows; `port` 0 = any free one; `direct`: nodes without firmware."""

    game: GameId
    seed: int
    shots: int
    options: Options
    speed: float
    tables: int
    data: Path
    port: int
    faults: tuple[Fault, ...] = ()
    direct: bool = False
    profile: str = ""  # fault profile of all tables
    style: Style = field(default_factory=Style)
    referee: Manner = field(default_factory=Manner)
    record: Path | None = None  # feed file of the first table
    fitted: Fitted = Fitted.HINTS
    drawn_over: int = 0  # shots over which the moments of faults are drawn; 0: over those that are played
    away: Away | None = None  # a hub that runs elsewhere; `data` then holds the node's memory only


@dataclass(slots=True)
class Hall:
    """The running demonstration, for whoever shows it."""

    plan: Plan
    url: str = ""
    tables: list[Progress] = field(default_factory=list)
    plays: list[TablePlay] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    state: str = "starting"


@dataclass(frozen=True, slots=True)
class TableResult:
    """How one table ended, or how it stands. `lost`, `duplicated`: None where the journal cannot be read from here."""

    table: str
    shots: int
    questions: int
    taps: int
    final_score: View
    ground_truth_score: View
    games: View
    wrong: tuple[View, ...]
    lost: int | None
    duplicated: int | None
    verdicts: tuple[Verdict, ...] = ()
    injected: tuple[Injected, ...] = ()
    uncalled: int = 0

    def handled(self, manner: Manner) -> dict[str, int]:
        """What the manner of the referee came to: his own errors, or what was accepted without one, left open, or never called; buttons."""
        if manner.at_buttons:
            return {"referee_errors": 0, "pressed": manner.pressed, "unheard": manner.unheard}
        if not manner.absent:
            return {"referee_errors": len(manner.errors)}
        accepted = sum(verdict.by_house for verdict in self.verdicts)
        return {"accepted_by_house": accepted, "left_open": self.shots - accepted, "uncalled": self.uncalled}

    def as_json(self) -> dict[str, Any]:
        """The fields of the result object."""
        return {
            "table": self.table,
            "shots": self.shots,
            "questions": self.questions,
            "taps": self.taps,
            "final_score": self.final_score,
            "ground_truth_score": self.ground_truth_score,
            "games": self.games,
            "wrong_rulings": len(self.wrong),
            "wrong": list(self.wrong),
            "lost": self.lost,
            "duplicated": self.duplicated,
        }


def profile_of(game_id: GameId) -> Profile:
    """The kind of table a game is played on."""
    return Profile.PYRAMID if game_id.is_pyramid else Profile.CAROM5


def _tables(plan: Plan) -> list[str]:
    """What tells the hub its tables.

    Where table time is not wall time, a machine that stands still for some seconds must not make a shot incomplete that
    on a real table would have ended in time.
    """
    waits = "" if plan.speed else UNHURRIED
    profile = profile_of(plan.game).value
    rows = [f'[[table]]\nid = "{n}"\nprofile = "{profile}"\n{waits}' for n in range(1, plan.tables + 1)]
    file = plan.data / "hub.toml"
    file.write_text("\n".join(rows), encoding="utf-8")
    return ["--config", str(file)]


def start_command(plan: Plan, table: int) -> dict[str, Any]:
    """The fields of the command that starts the match of a table."""
    names = [NAMES[(2 * table + i) % len(NAMES)] for i in range(2)]
    players = {
        player.value: {"name": name, "given": given, "lang": lang}
        for player, (name, given, lang) in zip(Player, names, strict=True)
    }
    return {
        "game": plan.game.value,
        "players": players,
        "options": plan.options.changed(),
        "policy": "auto" if plan.referee.absent else "referee",
        **({"id": f"demo-{plan.seed}-{table + 1}"} if plan.away is None else {}),
        **({"manual": True} if plan.fitted is Fitted.NONE else {}),
    }


async def run(plan: Plan, shown: Callable[[Hall], None]) -> list[TableResult]:
    """Play the whole demonstration; `shown` is called once with the hall before play begins. Raises StageError and what the parts raise."""
    hall = Hall(plan)
    async with AsyncExitStack() as stack:
        hub, ready = await _hub(plan, stack)
        hall.url = ready.url
        hall.plays = [await _table(plan, index, ready, hub, stack, hall) for index in range(plan.tables)]
        if plan.away is not None:
            await away.seen(plan.away, hall.plays[0].client)
        hall.state = "playing"
        shown(hall)
        async with asyncio.TaskGroup() as group:
            for play in hall.plays:
                group.create_task(play.play(plan.shots))
        hall.state = "over"
        return [await _settle(plan, play) for play in hall.plays]


async def _hub(plan: Plan, stack: AsyncExitStack) -> tuple[HubProcess | None, Ready]:
    """A hub of this hall's own, or the one that runs elsewhere."""
    if plan.away is not None:
        away.allowed(faults.load(plan.profile))
        return None, await away.reach(plan.away, profile_of(plan.game).value)
    port = ["--port", str(plan.port), "--broker", "auto"]
    hub = HubProcess(plan.data, ["--data", str(plan.data), *port, *_tables(plan)])
    stack.push_async_callback(hub.stop)
    return hub, await hub.start()


def so_far(hall: Hall) -> list[TableResult]:
    """How the tables stand in the middle of play."""
    return [_result(play, play.view, None, None) for play in hall.plays if play.view]


async def _table(
    plan: Plan, index: int, ready: Ready, hub: HubProcess | None, stack: AsyncExitStack, hall: Hall
) -> TablePlay:
    name = str(index + 1)  # from which all chance of the table is drawn
    table = name if plan.away is None else plan.away.table
    progress = Progress(table)
    hall.tables.append(progress)
    seed = plan.seed + index
    rules = game(plan.game)
    match = TrueMatch(plan.game, plan.options, rules.start(Setup(plan.options)))
    client = RecordingClient(ready.http_host, ready.http_port, ready.login(table))
    kind: type[BoardNode | MqttNode] = MqttNode if plan.direct else BoardNode
    rig = Rig(faults.load(plan.profile), seed, name, min(plan.drawn_over or plan.shots, LONGEST))
    folder = plan.data / f"node-{name}"
    node = await breakage.fit(
        kind, table, ready, folder, plan.speed, profile_of(plan.game).value, rig, lambda: len(match.shots), stack
    )
    if plan.fitted is Fitted.MAIN and isinstance(node.node, MqttNode):
        node.node.without(wire.Group.RAIL, wire.Group.CLICK)
    if plan.record is not None and index == 0:
        recorder = recorder_of(plan.game, seed, name, plan.options.changed(), plan.profile)
        client.recorder = node.recorder = recorder
        stack.callback(recorder.write, plan.record)
    by_hand = [(fault.shot, BY_HAND[fault.kind]) for fault in plan.faults] if index == 0 else []
    return TablePlay(
        progress,
        client,
        node,
        sensors_of(profile_of(plan.game), seed, name),
        match,
        players_of(plan.game, seed, name, plan.style),
        start_command(plan, index),
        breakage.breaks(node, hub, by_hand),
        plan.referee,
        plan.fitted,
    )


async def _settle(plan: Plan, play: TablePlay) -> TableResult:
    """Compare the end: hub against truth, and the journal against what the node numbered."""
    view = await play.look()
    counts = (None, None) if plan.away is not None else await _arrived(plan.data / "journal.sqlite3", play.table)
    return _result(play, view, *counts)


def _result(play: TablePlay, view: View, lost: int | None, duplicated: int | None) -> TableResult:
    verdicts = play.progress.verdicts
    wrong = tuple(
        {"shot": v.shot.number, "truth": v.shot.ruling.short, "hub": str(v.ruled.get("short"))}
        for v in verdicts
        if v.wrong
    )
    return TableResult(
        table=play.table,
        shots=len(verdicts),
        questions=sum(v.questions for v in verdicts),
        taps=sum(v.taps for v in verdicts),
        final_score=_scores(view),
        ground_truth_score=true_score(play.match),
        games={side: view["players"][side]["games"] for side in ("A", "B")},
        wrong=wrong,
        lost=lost,
        duplicated=duplicated,
        verdicts=tuple(verdicts),
        injected=tuple(play.node.rig.injected) if isinstance(play.node, FaultyNode) else (),
        uncalled=play.progress.uncalled,
    )


async def _arrived(path: Path, table: str) -> tuple[int, int]:
    """The counts of the journal once the records under way are there, or after some seconds."""
    deadline = time.monotonic() + ARRIVAL_S
    while True:
        lost, duplicated = journal_counts(path, table)
        if not lost or time.monotonic() > deadline:
            return lost, duplicated
        await asyncio.sleep(0.1)


def _scores(view: View) -> View:
    return {side: view["players"][side]["score"] for side in ("A", "B")}


def true_score(match: TrueMatch) -> View:
    """The score as it really is."""
    return {player.value: match.state.score.of(player) for player in Player}


def journal_counts(path: Path, table: str) -> tuple[int, int]:
    """(records lost without a word, records that stand there twice), by the heads the node reported.

    A record that the journal lacks and says that it lacks is not lost without a word: its shot is incomplete and asked about.
    """
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as journal:
        heads: dict[int, int] = {}
        known: dict[int, set[int]] = {}
        said = "SELECT kind, body FROM entry WHERE tbl = ? AND kind IN ('birth', 'health', 'head', 'missing')"
        for kind, body in journal.execute(said, (table,)):
            report = json.loads(body)
            boot = report["boot"]
            if kind == "missing":
                known.setdefault(boot, set()).update(range(report["from"], report["to"] + 1))
            else:
                heads[boot] = max(heads.get(boot, 0), report.get("head", 0))
        stored: list[tuple[int, int]] = list(
            journal.execute("SELECT boot, seq FROM entry WHERE tbl = ? AND seq IS NOT NULL", (table,))
        )
    for boot, seq in stored:
        known.setdefault(boot, set()).add(seq)
    lost = sum(len(set(range(head)) - known.get(boot, set())) for boot, head in heads.items())
    return lost, len(stored) - len(set(stored))
