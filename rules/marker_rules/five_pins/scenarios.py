"""The five-pins kinds of scenario: shot, placement, lag, match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.five_pins import wording
from marker_rules.five_pins.judge import judge
from marker_rules.five_pins.lag import Lane, judge_lag, parse_lag
from marker_rules.five_pins.match import breaks_of, match_winner, other_opener, read_lie
from marker_rules.five_pins.placement import place
from marker_rules.five_pins.reading import read_before, read_word, result
from marker_rules.five_pins.state import NIL
from marker_rules.options import Options
from marker_rules.scenario import ScenarioError, list_field, map_field, read_options, read_shot

GAME = GameId.FIVE_PINS


def shot(raw: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """One stroke, all facts known."""
    options = read_options(raw, GAME)
    try:
        before = read_before(map_field(raw, "before"), options)
    except IllegalInput as problem:
        raise ScenarioError(f"before.{problem.code}", problem.message) from problem
    ruling = judge(read_shot(raw), before, options)
    found = result(ruling)
    found["explain"] = wording.sentence(ruling, before, lang)
    return found


def placement(raw: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """Who plays from where after an error."""
    options = read_options(raw, GAME)
    try:
        placed = place(read_lie(map_field(raw, "given")), options)
    except IllegalInput as problem:
        raise ScenarioError(f"given.{problem.code}", problem.message) from problem
    return {
        "hand_half": placed.hand_half.value,
        "offender_ball": placed.offender.word if placed.offender else None,
        "red": placed.red.word if placed.red else None,
        "clauses": list(dict.fromkeys(step.clause for step in placed.steps)),
        "explain": wording.placed(placed, lang),
    }


def lag(raw: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """One try of the lag for the opening stroke."""
    read_options(raw, GAME)
    given = map_field(raw, "given")
    marks = [read_word(Lane, name, "given.late_marks") for name in list_field(given, "late_marks")]
    if len(set(marks)) < len(marks):
        raise ScenarioError("given.late_marks", "a second mark of the same player has already decided the lag")
    ruling = judge_lag(parse_lag(list_field(raw, "facts")), marks)
    return {
        "winner": ruling.winner.value if ruling.winner else None,
        "replay": ruling.replay,
        "late": [lane.value for lane in ruling.late],
        "clauses": list(ruling.clauses),
        "explain": wording.lag(ruling, lang),
    }


_MATCH_FIELDS = frozenset({"games", "opener1", "lag_winner", "results"})


def match(raw: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """A match as the winners of its games: openers, breaks, winner."""
    given = map_field(raw, "given")
    for name in given:
        if name not in _MATCH_FIELDS:
            raise ScenarioError(f"given.{name}", f"is not known; there are {', '.join(sorted(_MATCH_FIELDS))}")
    read_options(raw, GAME)  # names the switch that is wrong; the length of the match is checked below
    if given.get("games") is None:
        raise ScenarioError("given.games", "is missing")
    try:
        options = Options(GAME, {**map_field(raw, "options"), "games": given["games"]})
    except IllegalInput as problem:
        if problem.code != "odd":
            raise ScenarioError("given.games", problem.message) from problem
        return _refused("odd", ["FP-2.4"], lang)
    games = options["games"]
    opener = _player(given.get("opener1"), "given.opener1")
    if given.get("lag_winner") is not None:
        _player(given["lag_winner"], "given.lag_winner")
    played = _played(list_field(given, "results"), games, opener, options, lang)
    if given.get("lag_winner") is not None:  # the opener is his choice
        played["clauses"] = ["FP-3.10", *played["clauses"]]
    return played


def _refused(code: str, clauses: list[str], lang: str) -> dict[str, Any]:
    return {"error": code, "clauses": clauses, "explain": wording.refused(code, lang)}


def _player(value: object, field: str) -> Player:
    return read_word(Player, value, field)


def _played(results: list[Any], games: int, opener: Player, options: Options, lang: str) -> dict[str, Any]:
    openers: list[str] = []
    breaks: list[int] = []
    clauses = ["FP-2.4", "FP-4.8"]
    won, winner, excluded = NIL, None, False
    for number, entry in enumerate(results, 1):
        if winner is not None:
            return _refused("over", ["FP-9.2"] if excluded else ["FP-2.4"], lang)
        name, _, how = str(entry).partition(":")
        player = _player(name, f"given.results[{number - 1}]")
        if how not in ("", "forfeit", "exclude"):
            raise ScenarioError(f"given.results[{number - 1}]", f"'{how}' is not one of forfeit, exclude")
        lagged = number == games and games > 1 and options["decider_opening"] == "lag"
        openers.append("lag" if lagged else other_opener(opener, number).value)
        if how == "exclude":
            winner, excluded = player, True
            clauses.append("FP-9.2")
            continue
        if how == "forfeit":
            clauses.append("FP-9.1")
        won = won.plus(player, 1)
        winner = match_winner(won, number, games, options["play_all"])
        if winner is None and number in breaks_of(games, options):
            breaks.append(number)
            clauses.append("FP-4.10a" if number == 2 else "FP-4.10b")
    return {
        "openers": openers,
        "winner": winner.value if winner else None,
        "breaks_after": breaks,
        "games_won": won.words(),
        "clauses": list(dict.fromkeys(clauses)),
        "explain": wording.match(won, winner, excluded, lang),
    }
