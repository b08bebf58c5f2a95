"""Sentences about five-pins rulings: name, colon, carom, pins, errors; then who gets what, ball in hand, the win.

Source of the words: `data/five-pins-phrases.toml` and the calls of the clause catalogue. No name is ever declined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from marker_rules.balls import Player
from marker_rules.catalogue import clauses
from marker_rules.explain import phrase, quoted_letter
from marker_rules.five_pins.lag import LagRuling
from marker_rules.five_pins.law import SIDE_PIN
from marker_rules.five_pins.offences import ERROR_OF
from marker_rules.five_pins.placement import Placed
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.state import FivePinsState, Score
from marker_rules.ruling import Component, Turn

FAMILY = "five-pins"
LETTERS = frozenset(ERROR_OF)
_PLAYERS, _REFEREE = tuple(Player), Turn.REFEREE


def _say(key: str, lang: str, **args: str | int) -> str:
    return phrase(FAMILY, f"say_{key}", lang, args)


@cache
def _part(name: str, points: int, lang: str) -> str:
    """One component in words."""
    if name == "side":
        return _say(f"side_{points // SIDE_PIN}", lang, points=points)
    head, _, letter = name.partition(".")
    if letter in LETTERS:
        return _say("error", lang, points=points, **_letter(letter, lang))
    return _say(
        {"foul.other": "other", "foul.lean": "lean", "manual": "manual_points"}.get(name, head), lang, points=points
    )


@cache
def _letter(letter: str, lang: str) -> dict[str, str]:
    clause = clauses(FAMILY)[f"FP-F.{letter}"]
    assert clause.letter is not None  # every lettered error has both (tested)
    assert clause.call is not None
    return {"letter": quoted_letter(clause.letter[lang], lang), "call": clause.call[lang]}


def _did(ruling: FivePinsRuling, lang: str) -> list[str]:
    """What the striker did: made, own pins, errors."""
    own = [c for c in ruling.components if not (ruling.waiting_letters and _is_waiting(c, ruling))]
    parts = [_part(c.name, c.points, lang) for c in own if not c.name.startswith("foul.")]
    if ruling.own_pins:
        parts.append(_say("own_pins", lang))
    fouls = [c for c in own if c.name.startswith("foul.")]
    if any(c.name == "foul.other" for c in fouls):  # single_plus_red: each error is named, their cost once
        parts += [_say("error_free", lang, **_letter(letter, lang)) for letter in ruling.letters if letter != "B"]
    return parts + [_part(c.name, c.points, lang) for c in fouls]


def _is_waiting(component: Component, ruling: FivePinsRuling) -> bool:
    return component.name.startswith("foul.") and component.to is ruling.striker


def sentence(
    ruling: FivePinsRuling, before: FivePinsState, lang: str, names: Mapping[Player, str] | None = None
) -> str:
    """One sentence on a ruling. names: shown for A and B, unchanged."""
    who: Callable[[Player], str] = (lambda player: names[player]) if names else str
    if ruling.next is _REFEREE:
        both = any(step.text == "both_reach_limit" for step in ruling.steps)
        return f"{who(ruling.striker)}: {_say('both_limit' if both else 'referee', lang)}."
    if ruling.manual:
        clauses_said = [f"{_say('manual', lang)} – {ruling.note}"]
    else:
        parts = _did(ruling, lang)
        if not parts and not ruling.waiting_letters:
            parts = [_say("legal" if ruling.stroke else "nothing", lang)]
        clauses_said = [f"{who(ruling.striker)}: {', '.join(parts)}"] if parts else []
        if ruling.waiting_letters:
            waiting = [_part(c.name, c.points, lang) for c in ruling.components if _is_waiting(c, ruling)]
            clauses_said.append(f"{who(ruling.striker.other)}: {', '.join(waiting)}")
    clauses_said += _gains(ruling, before, lang, who)
    return "; ".join(clauses_said) + "."


def _gains(ruling: FivePinsRuling, before: FivePinsState, lang: str, who: Callable[[Player], str]) -> list[str]:
    """Who is credited what, who has ball in hand, who wins."""
    said = []
    for player in _PLAYERS:
        parts = []
        points = ruling.points.of(player)
        if points:
            credited = ruling.score.of(player) - before.score.of(player)
            cut = credited < points
            parts.append(_cut(credited, points, lang) if cut else _plus(points, lang))
        if ruling.ball_in_hand and ruling.next == player.value:
            parts.append(_say("hand", lang))
        if ruling.winner is player:
            parts.append(_say("wins", lang))
        if parts:
            said.append(f"{who(player)}: {', '.join(parts)}")
    return said


@cache
def _plus(points: int, lang: str) -> str:
    return _say("plus", lang, points=points)


def _cut(credited: int, points: int, lang: str) -> str:
    return _say("cut", lang, credited=credited, points=points)


def placed(result: Placed, lang: str) -> str:
    """One sentence on a placement."""
    parts = []
    if result.red:
        parts.append(_say("ball_to", lang, ball="red", spot=result.red.word))
    if result.offender:
        parts.append(_say("ball_to", lang, ball="offender", spot=result.offender.word))
    else:
        parts.append(_say("stays", lang))
    parts.append(_say("hand_half", lang, half=result.hand_half.value))
    return _sentence(parts)


def lag(ruling: LagRuling, lang: str) -> str:
    """One sentence on a lag: the deciding step and what follows."""
    why = [phrase(FAMILY, step.text, lang, dict(step.args)) for step in ruling.steps if step.text != "lag_choice"]
    if ruling.winner is not None:
        return _sentence([*why, _say("lag_won", lang, lane=ruling.winner.value)])
    marks = ", ".join(phrase(FAMILY, f"word_{lane}", lang) for lane in ruling.late)
    late = [_say("lag_marks", lang, lanes=marks)] if marks else []
    return _sentence([*why, _say("lag_again", lang), *late])


def match(won: Score, winner: Player | None, excluded: bool, lang: str) -> str:
    """One sentence on how a match stands."""
    games = f"{won.a}:{won.b}"
    if winner is None:
        return _sentence([_say("match_open", lang, won=games)])
    key = "match_excluded" if excluded else "match_won"
    return _sentence([_say(key, lang, player=winner.value, won=games)])


def refused(code: str, lang: str) -> str:
    """One sentence on what configuration or the record refuses (`odd`, `over`)."""
    return _sentence([phrase(FAMILY, f"refused_{code}", lang)])


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."
