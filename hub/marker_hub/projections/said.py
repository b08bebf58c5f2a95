"""The short form of a ruling's sentence for display, overlay and lists: the subject apart, and without the points.

The page writes the name before it and draws the points beside it. Everything comes from the one sentence that
`marker_rules.explain` makes; nothing is worded here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marker_rules.balls import Player
from marker_rules.catalogue import phrases
from marker_rules.explain import phrase, sentence
from marker_rules.options import family
from marker_rules.ruling import Ruling

_MARKS = {Player.A: "\ue000", Player.B: "\ue001"}
_POINTS = re.compile(r"^[+−]\d")
_SHOWN_ELSEWHERE = ("say_chooses", "say_chooses_four")  # who may choose what stands where the choice is made


@dataclass(frozen=True, slots=True)
class Said:
    """`subject`: whose name the page writes before `text`; None where the sentence speaks of nobody (a manual ruling)."""

    subject: Player | None
    text: str


def said(ruling: Ruling, before: Any, lang: str, names: Mapping[Player, str]) -> Said:
    """What was done, then consequences other than points; whoever is not the subject is named. Raises as `sentence`."""
    name = family(ruling.game)
    wins = phrase(name, "say_wins", lang)
    elsewhere = {phrase(name, key, lang) for key in _SHOWN_ELSEWHERE if key in phrases(name)}
    subject, kept = None, []
    for segment in sentence(ruling, before, lang, _MARKS).removesuffix(".").split("; "):
        player = next((player for player, mark in _MARKS.items() if segment.startswith(f"{mark}: ")), None)
        if player is None:
            if not any(mark in segment for mark in _MARKS.values()):  # who comes next is shown by the table itself
                kept.append(segment)
            continue
        rest = segment.partition(": ")[2]
        parts = rest.split(", ")
        counted = bool(_POINTS.match(parts[0]))  # what is credited stands beside the sentence in large digits
        words = ", ".join(parts[1:] if counted else parts)
        if not words or words in elsewhere:
            continue
        if subject is None and not kept:
            subject = player
        named = player is not subject and (not counted or wins in parts)
        kept.append(f"{_MARKS[player]}: {words}" if named else words)
    text = ", ".join(kept)
    for player, mark in _MARKS.items():
        text = text.replace(mark, names[player])
    return Said(subject, text)


def limit(ruling: Any, before: Any) -> dict[str, int] | None:
    """Points wanted and given where a shot was cut to the limit of the game, else None."""
    points, after, earlier = (
        getattr(thing, name, None) for thing, name in ((ruling, "points"), (ruling, "score"), (before, "score"))
    )
    if points is None or after is None or earlier is None or not hasattr(points, "of") or not hasattr(earlier, "of"):
        return None
    for player in Player:
        wanted, given = points.of(player), after.of(player) - earlier.of(player)
        if 0 <= given < wanted:
            return {"wanted": wanted, "given": given}
    return None
