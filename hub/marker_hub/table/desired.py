"""What node and retained topics must look like for a state of the table; a reconciler in the service makes it so."""

from __future__ import annotations

import math
from typing import Any

from marker_hub.assembler.reading import live_facts
from marker_hub.assembler.run import ShotRun, Stage
from marker_hub.match.board import board
from marker_hub.match.state import MatchState, ShotRecord, Status
from marker_hub.phases import Phase
from marker_hub.table.arming import arm_id, rest_id, settle_id, watch_id
from marker_hub.table.state import Table
from marker_hub.table.types import Desired, Order, Topics
from marker_rules.pyramid.clock import left_s

NAME_LETTERS = 8


def node_mode(table: Table) -> tuple[str, str, str]:
    """(mode, command, id of the command) for the node. Only arming clears the latches; coming back to rolling does not."""
    if not table.config.sensors or (table.match is not None and table.match.head.manual):
        return "idle", "mode", f"{table.config.id}-i0"
    run = _watched(table)
    if run is not None and run.stage is Stage.SETTLING:
        return "settling", "mode", settle_id(table, run)
    if run is not None or table.phase == Phase.ARMED:
        if table.mode_n > table.armed_n:
            return "armed", "mode", watch_id(table)
        return "armed", "arm", arm_id(table)
    return "idle", "mode", rest_id(table)


def _watched(table: Table) -> ShotRun | None:
    if table.queue and table.queue[-1].stage is not Stage.CLOSED:
        return table.queue[-1]
    run = table.run
    return run if run is not None and run.stage is not Stage.CLOSED else None


def desired(table: Table, now_us: int | None = None) -> Desired:
    """The whole desired state; now_us: hub time for the seconds on the node's display, default the last entry's."""
    said, shown = order(table), topics(table, table.mono_us if now_us is None else now_us)
    return Desired(
        mode=said.mode,
        command=said.command,
        command_id=said.command_id,
        layout=said.layout,
        shot=said.shot,
        score=shown.score,
        shot_topic=shown.shot_topic,
        display=shown.display,
    )


def order(table: Table) -> Order:
    """What the node must have been told."""
    mode, command, identity = node_mode(table)
    match = table.match if table.phase != Phase.IDLE else None
    run = _watched(table) or table.run
    number = run.no if run is not None else match.next_no if match is not None else 0
    layout = table.seats.expected if table.config.profile == "carom5" else ()
    return Order(mode, command, identity, layout, number)


def topics(table: Table, now_us: int, before: Topics | None = None) -> Topics:
    """The retained payloads; those of `before` again where nothing they are made of has changed."""
    match = table.match if table.phase != Phase.IDLE else None
    run = _watched(table) or table.run
    seconds = _seconds(table, now_us)
    made_of = (match, table.phase, run, seconds)
    if before is None:
        return Topics(_score(table, match), _shot(table, match), _display(table, match, seconds), made_of)
    same_match = before.made_of[0] is match and before.made_of[1] == table.phase
    same_shot = same_match and before.made_of[2] is run
    same_display = same_match and before.made_of[3] == seconds
    if same_shot and same_display:
        return before
    return Topics(
        before.score if same_match else _score(table, match),
        before.shot_topic if same_shot else _shot(table, match),
        before.display if same_display else _display(table, match, seconds),
        made_of,
    )


def _score(table: Table, match: MatchState | None) -> dict[str, Any]:
    if match is None:
        return {"v": 1, "n": table.n, "phase": table.phase, "match": None}
    now = board(match)
    made: dict[str, Any] = {
        "v": 1,
        "n": table.n,
        "match": match.head.id,
        "game": match.head.game,
        "game_no": now.game_no,
        "players": {who: info.name for who, info in match.head.players.items()},
        "score": now.score,
        "games": now.games,
        "turn": turn(table, match),
        "phase": table.phase,
        "final": table.phase == Phase.MATCH_OVER,
        "winner": now.winner,
    }
    if now.shelf is not None:
        made |= {"shelf": now.shelf, "debt": now.debt}
    if now.run is not None:
        made["run"] = {"player": now.run[0], "balls": now.run[1]}
    return made


def turn(table: Table, match: MatchState) -> str | None:
    """Who plays or chooses now."""
    due = match.due
    if table.phase in (Phase.LAG, Phase.GAME_OVER, Phase.MATCH_OVER, Phase.BREAK, Phase.IDLE):
        return None
    return due.player.value if due.player is not None else None


def _shot(table: Table, match: MatchState | None) -> dict[str, Any] | None:
    if match is None:
        return None
    run = _watched(table) or table.run
    if run is not None and not run.ask:
        facts = [[fact.kind, fact.what, fact.ms] for fact in live_facts(run, table.config.profile)]
        return {"v": 1, "n": table.n, "shot": run.no, "status": "provisional", "facts": facts}
    last = match.last
    return None if last is None else {"v": 1, "n": last.n, **shot_result(last)}


def shot_result(record: ShotRecord) -> dict[str, Any]:
    """A judged shot as the topic `shot` tells it."""
    ruling = record.ruling
    words = {Status.CORRECTED: "corrected", Status.OPEN: "provisional"}
    status = words.get(record.status, "final")
    if record.status is Status.VOID or ruling is None:
        return {"shot": record.no, "status": status, "result": "none", "points": {}, "clauses": []}
    foul = bool(getattr(ruling, "ball_in_hand", False)) or bool(getattr(ruling, "violations", ()))
    return {
        "shot": record.no,
        "status": status,
        "result": "foul" if foul else "legal",
        "short": ruling.short,
        "points": points_of(ruling),
        "clauses": list(ruling.clauses),
    }


def points_of(ruling: Any) -> dict[str, int]:
    """Points (pyramid: balls) credited to each player by a ruling of any game."""
    from marker_hub.match.board import pair

    points = getattr(ruling, "points", None)
    if points is not None and hasattr(points, "of"):
        return pair(points)
    made = {"A": 0, "B": 0}
    credited: Any = getattr(ruling, "credited", ())
    made[ruling.striker.value] = len(credited) if hasattr(credited, "__len__") else int(credited)
    return made


def _seconds(table: Table, now_us: int) -> int | None:
    """Seconds left on the shot clock, None where none is shown."""
    clock = table.clock
    return None if clock is None or table.phase != Phase.ARMED else math.ceil(left_s(clock, now_us / 1e6))


def _display(table: Table, match: MatchState | None, seconds: int | None) -> dict[str, Any]:
    if match is None:
        return {"a": None, "b": None, "turn": None, "clk": None, "blink": False, "text": " "}
    now = board(match)
    text = {Phase.BREAK: "PAUSE", Phase.SUSPENDED: "STOP"}.get(Phase(table.phase), "")
    who = turn(table, match)
    return {
        "a": now.score["A"],
        "b": now.score["B"],
        "turn": who.lower() if who else None,
        "clk": seconds,
        "blink": False,
        "text": text[:NAME_LETTERS],
    }
