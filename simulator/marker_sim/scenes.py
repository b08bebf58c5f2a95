"""Scenes: one shot, or a moment without one, told from a file. Scenario files tell facts; timelines also say when, how hard,
and what the sensors did besides (`docs/developer/simulator.md`, Scripted timelines).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from marker_hardware import wire
from marker_hardware.wire import Group, Profile
from marker_rules.balls import GameId, Pin
from marker_rules.facts import Contact, Cushion, Fact, Free, Interference, Lean, Strike, Support, Topple
from marker_rules.game import game
from marker_rules.notation import parse_fact
from marker_rules.options import Options
from marker_rules.scenario import Raw, map_field, read_calls, read_facts, read_options, text_field
from marker_rules.shot import Call
from marker_sim.sensors.hall import Change, Pose
from marker_sim.sensors.inputs import SHIFT_FIRST, Edge
from marker_sim.sensors.table import NOTHING, Besides
from marker_sim.timeline import MS, Timed, Timeline
from marker_sim.truth import TrueShot

STEP_MS = 150
REST_MS = 3_000
STRENGTH = {Strike: 2.0, Contact: 1.0, Cushion: 1.0, Topple: 0.6}  # m/s
USUAL = 0.5  # m/s, of any other fact
SEEN_ONLY = (Lean, Support, Interference, Free)  # no sensor feels these; the referee says them
LONGEST_MS = 600_000
MOST = 5_000  # edges of one row
KEYS = frozenset({"id", "game", "kind", "title", "note", "options", "before", "timeline", "rest_ms", "calls", "expect"})
ROWS: dict[str, frozenset[str]] = {
    "fact": frozenset({"at_ms", "fact", "strength", "mm"}),
    "edge": frozenset({"at_ms", "edge", "mv", "beam", "for_ms", "times", "every_ms"}),
    "pin": frozenset({"at_ms", "pin", "pose", "mm"}),
}


class ScriptError(ValueError):
    """A scene that cannot be played: its id, where, and why."""


@dataclass(frozen=True, slots=True)
class Scene:
    """`shot`: None where nobody strikes; `expect`: fields of the ruling that must come out; `besides`: inputs no fact explains."""

    id: str
    game: GameId
    options: Options
    before: Any
    timeline: Timeline
    besides: Besides
    expect: Mapping[str, Any]
    shot: TrueShot | None

    @property
    def profile(self) -> Profile:
        """The table it is played on."""
        return Profile.PYRAMID if self.game.is_pyramid else Profile.CAROM5


def timeline(facts: tuple[Fact, ...], calls: tuple[Call, ...], decided: tuple[tuple[str, str], ...] = ()) -> Timeline:
    """Facts in their order, 150 ms apart, with usual strengths."""
    items = tuple(Timed(at * STEP_MS * MS, fact, strength_of(fact)) for at, fact in enumerate(facts))
    return Timeline(items, (len(facts) * STEP_MS + REST_MS) * MS, calls, decided)


def strength_of(fact: Fact) -> float:
    """How hard it usually happens, m/s."""
    return STRENGTH.get(type(fact), USUAL)


def library() -> list[Path]:
    """The scripted timelines that come with the package."""
    folder = resources.files("marker_sim") / "timelines"
    return sorted(Path(str(item)) for item in folder.iterdir() if item.name.endswith(".yaml"))


def read_scene(raw: Raw) -> Scene:
    """A scene of kind `shot` (facts) or `timeline`. Raises ScriptError, ScenarioError, RulesError."""
    name, kind = text_field(raw, "id"), raw.get("kind")
    if kind not in ("shot", "timeline"):
        raise ScriptError(f"{name}: kind '{kind}' cannot be played; there are shot, timeline")
    try:
        game_id = GameId(text_field(raw, "game"))
    except ValueError:
        raise ScriptError(f"{name}: game '{raw.get('game')}' is not known; there are {', '.join(GameId)}") from None
    options = read_options(raw, game_id)
    rules = game(game_id)
    before = rules.read_before(map_field(raw, "before"), options)
    expect = map_field(raw, "expect")
    if kind == "shot":
        told, besides = timeline(read_facts(raw), read_calls(raw)), NOTHING
    else:
        _known(raw, KEYS, name)
        told, besides = _told(raw, name, game_id)
    shot = None
    if told.items or told.calls:
        truth = rules.rule(told.shot, before, options)
        shot = TrueShot(1, truth.striker, told, truth, before)
    return Scene(name, game_id, options, before, told, besides, expect, shot)


def _known(given: Mapping[str, Any], allowed: frozenset[str], where: str) -> None:
    for key in given:
        if key not in allowed:
            raise ScriptError(f"{where}: '{key}' is not known; there are {', '.join(sorted(allowed))}")


def _told(raw: Raw, name: str, game_id: GameId) -> tuple[Timeline, Besides]:
    """What a timeline tells: facts in time order, the moment of rest, and what the sensors did besides."""
    rows = raw.get("timeline")
    if not isinstance(rows, list) or not rows:
        raise ScriptError(f"{name}: timeline: give a list of rows, each with at_ms and fact, edge or pin")
    facts: list[Timed] = []
    edges: list[Edge] = []
    changes: list[Change] = []
    for at, row in enumerate(rows):
        where = f"{name}: timeline[{at}]"
        kind = next((key for key in ROWS if isinstance(row, Mapping) and key in row), None)
        if kind is None:
            raise ScriptError(f"{where}: give a mapping with one of {', '.join(ROWS)}")
        _known(row, ROWS[kind], where)
        if kind == "fact":
            facts.append(_fact(row, where, after=len(facts)))
        elif kind == "edge":
            edges += _edges(row, where, Profile.PYRAMID if game_id.is_pyramid else Profile.CAROM5)
        else:
            changes.append(_change(row, where))
    facts.sort(key=lambda item: item.t_ns)
    last_ms = max((item.t_ns // MS for item in facts), default=0)
    last_ms = max([last_ms, *(edge.t_us // 1000 for edge in edges), *(change.t_us // 1000 for change in changes)])
    rest = _number(raw, "rest_ms", name, 0.0, LONGEST_MS, default=last_ms + REST_MS)
    if rest < last_ms:
        raise ScriptError(f"{name}: rest_ms {rest:g} lies before the last row, {last_ms} ms")
    told = Timeline(tuple(facts), round(rest * MS), read_calls(raw))
    return told, Besides(tuple(sorted(edges)), tuple(sorted(changes, key=lambda change: change.t_us)))


def _number(
    row: Mapping[str, Any], key: str, where: str, low: float, high: float, default: float | None = None
) -> float:
    value = row.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ScriptError(f"{where}: {key} {value!r}: give a number from {low:g} to {high:g}")
    return float(value)


def _at_us(row: Mapping[str, Any], where: str, default: float | None = None) -> int:
    return round(_number(row, "at_ms", where, 0.0, LONGEST_MS, default) * 1000)


def _fact(row: Mapping[str, Any], where: str, after: int) -> Timed:
    fact = parse_fact(str(row["fact"]))
    at = _at_us(row, where, default=after * STEP_MS)
    strength = _number(row, "strength", where, 0.0, 20.0, default=strength_of(fact))
    return Timed(at * 1000, fact, strength, None, _number(row, "mm", where, 0.0, 60.0, default=0.0))


def _edges(row: Mapping[str, Any], where: str, profile: Profile) -> list[Edge]:
    """A pulse of a piezo (`mv`: its peak) or a beam of a gate that is dark, once or `times`, `every_ms`."""
    named = {channel.name: channel for channel in wire.channels(profile).values()}
    pulses = (Group.RAIL, Group.CLICK, Group.GATE)
    channel = named.get(str(row["edge"]))
    if channel is None or channel.group not in pulses:
        there = ", ".join(name for name, one in named.items() if one.group in pulses)
        raise ScriptError(f"{where}: edge '{row['edge']}' is no channel of a {profile} table; there are {there}")
    gate = channel.group is Group.GATE
    start, lasts = _at_us(row, where), round(_number(row, "for_ms", where, 0.01, 10_000.0, default=10.0) * 1000)
    times = int(_number(row, "times", where, 1, MOST, default=1))
    step = round(_number(row, "every_ms", where, 0.05, 10_000.0, default=2 * lasts / 1000) * 1000)
    number, active, peak = channel.number, 1, 0
    if gate:
        if row.get("beam") not in ("a", "b"):
            raise ScriptError(f"{where}: beam {row.get('beam')!r}: give a or b")
        first = min(one.number for one in named.values() if one.group is Group.GATE)
        number, active = SHIFT_FIRST + 2 * (number - first) + (row["beam"] == "b"), 0
    else:
        peak = round(_number(row, "mv", where, 0, 3300, default=800))
    out: list[Edge] = []
    for at in range(times):
        begin = start + at * step
        out += [Edge(begin, number, active, peak), Edge(begin + lasts, number, 1 - active)]
    return out


def _choice(row: Mapping[str, Any], key: str, where: str, read: Callable[[str], Any], there: list[str]) -> Any:
    try:
        return read(str(row.get(key)))
    except (ValueError, KeyError):
        raise ScriptError(f"{where}: {key} '{row.get(key)}': give one of {', '.join(there)}") from None


def _change(row: Mapping[str, Any], where: str) -> Change:
    pin: Pin = _choice(row, "pin", where, Pin, list(Pin))
    pose: Pose = _choice(row, "pose", where, lambda word: Pose[word.upper()], [one.name.lower() for one in Pose])
    return Change(_at_us(row, where), pin, pose, _number(row, "mm", where, 0.0, 60.0, default=0.0))
