"""One match for the pages: games, shots, what happened in each of them."""

from __future__ import annotations

from typing import Any

from marker_hardware import wire as contract
from marker_hardware.wire import Group, Kind
from marker_hub import projections
from marker_hub.assembler.run import ShotRun
from marker_hub.entries import Entry
from marker_hub.export.record import MatchRecord, folded
from marker_hub.match.board import board
from marker_hub.match.state import MatchState, ShotRecord
from marker_hub.projections.acts import awards
from marker_hub.projections.in_words import answered, called
from marker_hub.table import Table
from marker_rules.balls import GameId

_EVENTS = {Group.PIN: "pin", Group.RAIL: "cushion", Group.CLICK: "click", Group.GATE: "pot"}
_SHOWN = frozenset({Kind.HIT, Kind.LOST, Kind.DROP})


def match_detail(record: MatchRecord) -> dict[str, Any]:
    """JSON of GET /api/matches/{id}."""
    table = folded(record.head, record.entries)
    found = dict(record.head.match)
    match = table.match
    if match is None:
        return found | {"games_list": []}
    now = board(match)
    found |= {
        "limit": match.options.get("points_limit"),
        "target": match.options.get("target"),
        "games": now.games,
        "winner": now.winner,
        "revision": match.revision,
        "practice": match.head.practice,
        "awards": awards(match),
        "games_list": _games(table, match, record),
    }
    return found


def _games(table: Table, match: MatchState, record: MatchRecord) -> list[dict[str, Any]]:
    del table
    now = board(match)
    at = {entry.n: entry for entry in record.entries}
    lines = {line.n: line for line in now.results}
    numbers = sorted({shot.game_no for shot in match.shots} | set(lines))
    games = []
    for number in numbers:
        line = lines.get(number)
        shots = [_shot(match, shot, at) for shot in match.shots if shot.game_no == number]
        score = line.score if line is not None and line.score else (shots[-1]["score"] if shots else {"A": 0, "B": 0})
        games.append({"n": number, "winner": line.winner if line else None, "score": score, "shots": shots})
    return games


def _shot(match: MatchState, shot: ShotRecord, at: dict[int, Entry]) -> dict[str, Any]:
    view = projections.record_view(match, shot)
    entry = at.get(shot.n)
    score = (view["ruling"] or {}).get("score_after") or board(match, shot.before).score
    return view | {"score": score, "at_ms": entry.wall_ms if entry else None, "events": events(shot.run, match.game_id)}


def events(run: ShotRun, game: GameId) -> list[dict[str, Any]]:
    """What was observed, answered and called in one shot; ms from its first record."""
    rows: list[dict[str, Any]] = []
    records = sorted(run.records, key=lambda rec: (rec.boot, rec.t, rec.seq))
    start = records[0].t if records else 0
    for rec in records:
        channel = contract.channel(contract.Profile.CAROM5, rec.ch) or contract.channel(
            contract.Profile.PYRAMID, rec.ch
        )
        kind = _EVENTS.get(channel.group) if channel is not None else None
        if kind is None or channel is None or rec.kind not in _SHOWN:
            continue
        rows.append(
            {
                "ms": round((rec.t - start) / 1000, 1),
                "unc_ms": channel.unc_us / 1000,
                "kind": kind,
                "what": channel.place,
                "source": "node",
                "channel": channel.name,
                "volts": rec.v / 1000 if rec.kind == Kind.HIT and rec.v != 65535 else None,
                "weak": rec.doubtful,
            }
        )
    rows += [
        {
            "ms": None,
            "unc_ms": None,
            "kind": "answer",
            "what": f"{q}: {a}",
            "text": answered(game, q, a),
            "source": "referee",
            "weak": False,
        }
        for q, a in run.answers
    ]
    rows += [
        {
            "ms": None,
            "unc_ms": None,
            "kind": "call",
            "what": f"{call.code} {call.by}",
            "called": called(game, call.code),
            "by": call.by,
            "source": "referee",
            "weak": False,
        }
        for call in run.calls
    ]
    return [{"i": number, **row} for number, row in enumerate(rows, 1)]
