"""Shots as they come in matches of the three pyramid games, for `marker bench rules`: pots, dry shots, breaks, fouls."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from marker_rules.balls import GameId, Player
from marker_rules.game import game
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.shot import Call, Shot

BEFORE = {"striker": "A", "phase": "play", "shelf": {"A": 3, "B": 2}}
BREAK = {"striker": "A", "phase": "break"}
PLAY_STORIES: tuple[tuple[str, ...], ...] = (
    ("contact C w1", "pot w1 BL"),
    ("contact C w1", "cushion C left", "pot w1 MR"),
    ("cushion C foot", "contact C w4", "pot w4 FL"),
    ("contact C w1", "contact w1 w2", "pot w2 BL", "pot C FR"),
    ("contact C w1", "cushion w1 foot", "cushion w1 left"),
    ("contact C w1", "cross w1", "cushion w1 foot"),
    ("contact C w1", "cushion C right", "cushion w1 foot", "contact w1 w3", "cross C"),
    ("contact C w1", "cushion w1 foot"),
    ("cushion C foot",),
    ("contact C w1", "off C floor"),
)
BREAK_STORIES: tuple[tuple[str, ...], ...] = (
    ("contact C w1", "cushion w2 left", "cushion w3 right", "cushion w4 foot"),
    ("contact C w1", "cushion w2 left", "pot w3 ML"),
    ("contact C w1", "cushion w2 left"),
)

Rule = tuple[GameId, Shot, Any, Options]


def pyramid_shots(count: int, seed: int) -> Iterable[Rule]:
    """Game, shot, state and options of each; one in twenty is a break, three in a hundred have a call."""
    rng = Random(seed)
    options = {name: Options(name) for name in (GameId.FREE, GameId.DYNAMIC, GameId.COMBINED)}
    states = {
        (name, breaks): game(name).read_before(BREAK if breaks else BEFORE, chosen)
        for name, chosen in options.items()
        for breaks in (True, False)
    }
    for _ in range(count):
        name, breaks = rng.choice(list(options)), rng.random() < 0.05
        story = rng.choice(BREAK_STORIES if breaks else PLAY_STORIES)
        calls = (Call(rng.choice(("RP-15.1", "RP-16", "RP-17.1")), Player.A),) if rng.random() < 0.03 else ()
        yield name, Shot(parse_facts(["strike C", *story]), calls), states[name, breaks], options[name]
