"""The pyramid kinds of scenario: shot, lag, clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marker_rules.balls import GameId
from marker_rules.errors import IllegalInput, shown
from marker_rules.options import Options
from marker_rules.pyramid import clock as clocks
from marker_rules.pyramid import wording
from marker_rules.pyramid.games import GAMES
from marker_rules.pyramid.lag import judge_lag, read_ball
from marker_rules.scenario import ScenarioError, list_field, map_field, read_options, read_shot, text_field

MAX_S = 86_400  # a day; no shot takes longer
DEFAULT_GAME = GameId.FREE  # `game: pyramid` holds for all three


def game_of(raw: Mapping[str, Any]) -> GameId:
    """The game of a scenario; one that holds for all three is judged as free pyramid."""
    name = text_field(raw, "game")
    return DEFAULT_GAME if name == "pyramid" else GameId(name)


def shot(raw: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """One shot, all facts known."""
    rules = GAMES[game_of(raw)]
    options = read_options(raw, rules.id)
    try:
        before = rules.read_before(map_field(raw, "before"), options)
    except IllegalInput as problem:
        raise ScenarioError(f"before.{problem.code}", problem.message) from problem
    ruling = rules.rule(read_shot(raw), before, options)
    found = rules.result(ruling, before)
    found["clauses"] = list(ruling.clauses)
    found["explain"] = wording.sentence(ruling, before, lang)
    return found


_LAG_FIELDS = frozenset({"A", "B", "undecidable", "collided", "collide", "collision", "appeal_upheld"})


def lag(raw: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """A lag: what both balls did, who has won it."""
    read_options(raw, game_of(raw))
    given = map_field(raw, "given")
    for name in given:
        if name not in _LAG_FIELDS:
            raise ScenarioError(f"given.{name}", f"is not known; there are {', '.join(sorted(_LAG_FIELDS))}")
    for name in _LAG_FIELDS - {"A", "B"}:
        if not isinstance(given.get(name, False), bool):
            raise ScenarioError(f"given.{name}", f"expected true or false, got {shown(given[name])}")
    for name in ("A", "B"):
        if name not in given:
            raise ScenarioError(f"given.{name}", "is missing")
    ruling = judge_lag(
        read_ball("A", given["A"]),
        read_ball("B", given["B"]),
        undecidable=given.get("undecidable", False),
        collided=any(given.get(name, False) for name in ("collided", "collide", "collision")),
        appeal_upheld=given.get("appeal_upheld", False),
    )
    return {
        "result": ruling.result.value,
        "clauses": list(ruling.clauses),
        "explain": wording.lag(ruling, lang),
    }


def clock(raw: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """One shot against the clock; 'Time' is called as soon as the limit has passed."""
    options = read_options(raw, game_of(raw))
    given = map_field(raw, "given")
    law = _clock_law(given, options)
    used = given.get("extensions_used_before", 0)
    most = clocks.EXTENSIONS_PER_FRAME
    if isinstance(used, bool) or not isinstance(used, int) or not 0 <= used <= most:
        problem = f"expected a whole number from 0 to {most}, got {shown(used)}"
        raise ScenarioError("given.extensions_used_before", problem)
    state = clocks.start(law, 0.0, used)
    calls: list[list[Any]] = []
    said: set[float] = set()
    for index, (event, at) in enumerate(_timeline(given)):
        state = _pass_time(state, at, calls, said)
        if event == "strike":
            state = clocks.struck(state, at)
            if index + 1 < len(list_field(given, "timeline")):
                raise ScenarioError(f"given.timeline[{index + 1}]", "comes after the stroke")
        elif state.can_extend:
            state = clocks.requested(state, at)
            calls.append([clocks.ClockCall.EXTENSION.value, _number(at)])
        else:
            calls.append([clocks.ClockCall.REFUSED.value, _number(at)])
    return {
        "extensions_used_after": state.used,
        "foul": state.foul,
        "calls": calls,
        "clauses": list(_clock_clauses(calls, law)),
        "explain": wording.clock(state, lang),
    }


def _pass_time(state: clocks.ShotClock, until: float, calls: list[list[Any]], said: set[float]) -> clocks.ShotClock:
    """Say everything that falls due before `until`; each due 'Time' is taken as called at once."""
    while True:
        due = [call for call in clocks.due_calls(state, until) if call.at not in said]
        if not due:
            return state
        for call in due:
            said.add(call.at)
            calls.append([call.call.value, _number(call.at)])
            if call.call is clocks.ClockCall.TIME:
                state = clocks.time_called(state, call.at)


def _number(at: float) -> float | int:
    return int(at) if at == int(at) else at


def _clock_law(given: Mapping[str, Any], options: Options) -> clocks.ClockLaw:
    law = clocks.ClockLaw.of(options)
    limit = given.get("limit_s", law.limit_s)
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not clocks.WARNING_S < limit <= MAX_S:
        expected = f"expected seconds above {clocks.WARNING_S} and up to {MAX_S}"
        raise ScenarioError("given.limit_s", f"{expected}, got {shown(limit)}")
    return clocks.ClockLaw(limit, law.per_shot, law.added, law.automatic)


def _timeline(given: Mapping[str, Any]) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for index, entry in enumerate(list_field(given, "timeline")):
        where = f"given.timeline[{index}]"
        if not isinstance(entry, list | tuple) or len(entry) != 2 or entry[0] not in ("strike", "request"):
            raise ScenarioError(where, f"expected [strike or request, seconds], got {shown(entry)}")
        at = entry[1]
        since = found[-1][1] if found else 0
        if isinstance(at, bool) or not isinstance(at, int | float) or not since <= at <= MAX_S:
            expected = f"expected seconds that do not decrease, up to {MAX_S}"
            raise ScenarioError(f"{where}[1]", f"{expected}, got {shown(at)}")
        found.append((entry[0], float(at)))
    return found


def _clock_clauses(calls: list[list[Any]], law: clocks.ClockLaw) -> tuple[str, ...]:
    cited = ["RP-28.1b" if law.limit_s == clocks.LIMIT_TV_S else "RP-28.1a"]
    of_call = {
        clocks.ClockCall.TIME: ("RP-28.2a", "RP-28.2b", "RP-28.3a"),
        clocks.ClockCall.TEN_SECONDS: ("RP-28.3c", "RP-28.3d"),
        clocks.ClockCall.FOUL: ("RP-28.3e", "RP-26.1.11"),
        clocks.ClockCall.EXTENSION: ("RP-28.2a", "RP-28.3b"),
        clocks.ClockCall.REFUSED: ("RP-28.2a", "RP-28.3b"),
    }
    for name, _ in calls:
        cited.extend(of_call[clocks.ClockCall(name)])
    return tuple(dict.fromkeys(cited))
