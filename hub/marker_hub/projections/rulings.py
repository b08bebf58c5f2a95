"""A ruling in the words and numbers of the pages."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from marker_hub.match.board import name, pair
from marker_hub.match.state import MatchState
from marker_hub.projections.public import decided, public
from marker_hub.projections.said import limit, said
from marker_hub.table.desired import points_of
from marker_rules.balls import Player
from marker_rules.catalogue import LANGUAGES, clauses
from marker_rules.errors import RulesError
from marker_rules.explain import sentence
from marker_rules.options import family
from marker_rules.ruling import Ruling

Json = dict[str, Any]


@lru_cache(maxsize=2048)
def _said(ruling: Ruling, before: Any, a: str, b: str) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    names = {Player.A: a, Player.B: b}
    subject: str | None = ruling.striker.value
    made = []
    for lang in LANGUAGES:
        try:
            short = said(ruling, before, lang, names)
        except (ModuleNotFoundError, KeyError, RulesError):
            made.append((lang, ruling.short))
            continue
        subject = None if short.subject is None else short.subject.value
        made.append((lang, short.text))
    return subject, tuple(made)


@lru_cache(maxsize=2048)
def _sentences(ruling: Ruling, before: Any, a: str, b: str) -> tuple[tuple[str, str], ...]:
    names = {Player.A: a, Player.B: b}
    made = []
    for lang in LANGUAGES:
        try:
            made.append((lang, sentence(ruling, before, lang, names)))
        except (ModuleNotFoundError, KeyError, RulesError):
            made.append((lang, ruling.short))
    return tuple(made)


def sentences(match: MatchState, ruling: Ruling, before: Any) -> Json:
    """One sentence in each language, with the players' names."""
    players = match.head.players
    return dict(_sentences(ruling, before, players["A"].name, players["B"].name))


def kind(ruling: Any) -> str:
    """points, zero, foul or manual."""
    if ruling.manual:
        return "manual"
    if is_foul(ruling):
        return "foul"
    return "points" if any(points_of(ruling).values()) else "zero"


def is_foul(ruling: Any) -> bool:
    """True when a player erred."""
    return bool(
        getattr(ruling, "letters", ())
        or getattr(ruling, "waiting_letters", ())
        or getattr(ruling, "own_pins", False)
        or getattr(ruling, "violations", ())
    )


def brief(ruling: Ruling) -> Json:
    """The short form beside an answer."""
    points = points_of(ruling)
    return {"short": ruling.short, "to": receiver(points), "points": points}


def net_balls(ruling: Any, before: Any) -> Json:
    """Pyramid: what a player's count (balls on the shelf less balls owed) changes by, penalty balls included."""
    earlier, after = getattr(before, "score", None), getattr(ruling, "score", None)
    if earlier is None or after is None or not hasattr(earlier, "of"):
        return points_of(ruling)
    return {player.value: after.of(player) - earlier.of(player) for player in Player}


def receiver(points: Json) -> str | None:
    """The one player who is credited, if it is one."""
    credited = [who for who, value in points.items() if value]
    return credited[0] if len(credited) == 1 else None


@lru_cache(maxsize=1024)
def clause_words(game_family: str, clause: str, lang: str) -> str:
    """The clause in our own words, for a long press."""
    row = clauses(game_family).get(clause)
    return row.text[lang] if row is not None else clause


def ruling_view(match: MatchState, ruling: Any, before: Any) -> Json:
    """R of the view model."""
    points = points_of(ruling) if not ruling.game.is_pyramid else net_balls(ruling, before)
    after = getattr(ruling, "score", None)
    subject, short = _said(ruling, before, match.head.players["A"].name, match.head.players["B"].name)
    return {
        "short": ruling.short,
        "to": receiver(points),
        "points": points,
        "clauses": list(ruling.clauses),
        "decided": list(decided(ruling)),
        "public": public(ruling),
        "sentence": sentences(match, ruling, before),
        "said": dict(short),
        "subject": subject,
        "striker": ruling.striker.value,
        "limit": limit(ruling, before),
        "kind": kind(ruling),
        "ball_in_hand": bool(getattr(ruling, "ball_in_hand", False)),
        "components": [[part.name, part.points, part.to.value] for part in getattr(ruling, "components", ())],
        "score_after": pair(after) if after is not None and hasattr(after, "of") else None,
        "next": ruling.next.value if ruling.next is not None else None,
        "winner": name(ruling.winner),
        "choices": list(ruling.choices),
        "chooser": name(ruling.chooser),
        "note": ruling.note,
        "family": family(ruling.game),
        "interpretations": list(ruling.interpretations),
    }
