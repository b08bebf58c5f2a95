"""Sentences about pyramid rulings: name, colon, balls, debts, offences; then penalty, in hand, who chooses or comes next.

Source of the words: `data/pyramid-phrases.toml`. No name is ever declined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from marker_rules.balls import Player
from marker_rules.catalogue import phrases
from marker_rules.explain import phrase
from marker_rules.pyramid.derivation import slug
from marker_rules.pyramid.offences import UNAIDED
from marker_rules.pyramid.ruling import CLAUSE_11_2, PyramidRuling
from marker_rules.pyramid.state import PenaltySource, PyramidState

if TYPE_CHECKING:
    from marker_rules.pyramid.clock import ShotClock
    from marker_rules.pyramid.lag import LagRuling

FAMILY = "pyramid"
Who = Callable[[Player], str]


def _say(key: str, lang: str, **args: str | int) -> str:
    return phrase(FAMILY, f"say_{key}", lang, args)


def plural(n: int, lang: str) -> str:
    """The plural category of `n`: one, few or many (ru), one or many (en, it)."""
    if lang != "ru":
        return "one" if n == 1 else "many"
    if n % 10 == 1 and n % 100 != 11:
        return "one"
    return "few" if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else "many"


def _count(key: str, n: int, lang: str) -> str:
    return _say(f"{key}_{plural(n, lang)}", lang, n=n)


def sentence(ruling: PyramidRuling, before: PyramidState, lang: str, names: Mapping[Player, str] | None = None) -> str:
    """One sentence on a ruling. names: shown for A and B, unchanged."""
    who: Who = (lambda player: names[player]) if names else (lambda player: player.value)
    if ruling.manual:
        said = [f"{_say('manual', lang)} – {ruling.note}"]
    elif ruling.void:
        fell = any(step.clause == UNAIDED for step in ruling.steps)  # between two shots: there is none to repeat
        said = [_say("put_back", lang)] if fell else [f"{who(ruling.striker)}: {_say('void', lang)}"]
    else:
        said = _did(ruling, lang, who)
    said += _follows(ruling, before, lang, who)
    return "; ".join(said) + "."


def _did(ruling: PyramidRuling, lang: str, who: Who) -> list[str]:
    """What the shot was worth, and each player's offences."""
    parts = []
    if ruling.credited:
        parts.append(_count("balls", len(ruling.credited), lang))
    if ruling.debt_paid:
        parts.append(_count("debt_paid", ruling.debt_paid, lang))
    if ruling.whites_taken_for_cue_ball:
        parts.append(_say("white_for_cue", lang))
    own = [violation for violation in ruling.violations if violation.by is ruling.striker]
    if not ruling.credited and not own and ruling.legal:
        parts.append(_say("legal", lang))
    parts += [_offence(violation.clause, lang) for violation in own]
    said = [f"{who(ruling.striker)}: {', '.join(parts)}"] if parts else []
    others = [_offence(v.clause, lang) for v in ruling.violations if v.by is not ruling.striker]
    if others:
        said.append(f"{who(ruling.striker.other)}: {', '.join(others)}")
    if ruling.series and ruling.run_over:
        said.append(f"{_say('run', lang)} {ruling.run}")
    return said


def _offence(clause: str, lang: str) -> str:
    key = f"say_foul_{slug(clause)}"
    return phrases(FAMILY)[key][lang]


def _follows(ruling: PyramidRuling, before: PyramidState, lang: str, who: Who) -> list[str]:
    """Penalty balls, the win, ball in hand, who chooses or comes next."""
    said = []
    for penalty in ruling.penalties:
        key = "from_shelf" if penalty.source is PenaltySource.SHELF else "owed"
        said.append(f"{who(penalty.player)}: {_say(key, lang)}")
    if ruling.taken:
        gaining = Player.A if ruling.shelf.a > before.shelf.a and Player.A is not ruling.striker else None
        said.append(f"{who(gaining or ruling.striker.other)}: {_say('plus_one', lang)}")
    if ruling.winner is not None and not ruling.series:
        said.append(f"{who(ruling.winner)}: {_say('wins', lang)}")
    elif ruling.chooser is not None:
        four = ruling.choices == CLAUSE_11_2
        said.append(f"{who(ruling.chooser)}: {_say('chooses_four' if four else 'chooses', lang)}")
    elif ruling.next is not None:
        said.append(f"{_say('next', lang)} {who(Player(ruling.next.value))}")
    if ruling.ball_in_hand is not None and ruling.winner is None:
        said.append(_say(f"hand_{ruling.ball_in_hand.value}", lang))
    return said


def lag(ruling: LagRuling, lang: str) -> str:
    """One sentence on a lag."""
    if ruling.result.value == "replay":
        return _say("lag_replay", lang) + "."
    return _say("lag_won", lang, by=ruling.result.value) + "."


def clock(state: ShotClock, lang: str) -> str:
    """One sentence on the time of a shot."""
    key = "time_foul" if state.foul else "in_time"
    return f"{_say(key, lang)}; {_count('extensions', state.used, lang)}."
