"""Helpers of the pyramid tests: judge a shot given as text, play a match act by act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.game import Action, Setup
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.pyramid.games import GAMES, PyramidGame
from marker_rules.pyramid.ruling import PyramidRuling
from marker_rules.pyramid.state import Pair, Phase, PyramidState
from marker_rules.shot import Call, Shot, When

A, B = Player.A, Player.B


def texts_of(facts: str) -> list[str]:
    """Facts separated by `; `."""
    return [text.strip() for text in facts.split(";") if text.strip()]


def calls_of(text: str) -> tuple[Call, ...]:
    """`RP-16 A during, RP-25 B sitting`; player (A) and time (during) may be left out."""
    calls = []
    for entry in filter(None, (part.strip() for part in text.split(","))):
        words = entry.split()
        by, when = (*words[1:], *("A", "during")[len(words) - 1 :])
        calls.append(Call(words[0], Player(by), When(when)))
    return tuple(calls)


def shot_of(facts: str = "", calls: str = "", **decided: str) -> Shot:
    return Shot(tuple(parse_facts(texts_of(facts))), calls_of(calls), tuple(decided.items()))


Judge = Callable[..., PyramidRuling]


def judge_shot(
    facts: str = "",
    *,
    game: str = "free",
    phase: str = "play",
    striker: Player = A,
    shelf: tuple[int, int] = (3, 2),
    debt: tuple[int, int] = (0, 0),
    calls: str = "",
    table: dict[str, Any] | None = None,
    decided: dict[str, str] | None = None,
    **options: Any,
) -> PyramidRuling:
    """Judge one shot of `game` (free, dynamic, combined) with `options` switches."""
    rules = GAMES[GameId(f"{game}-pyramid")]
    chosen = Options(rules.id, options)
    if phase == "break":
        shelf = shelf if shelf != (3, 2) else (0, 0)
    before: dict[str, Any] = {
        "striker": striker.value,
        "phase": phase,
        "shelf": {"A": shelf[0], "B": shelf[1]},
        "debt": {"A": debt[0], "B": debt[1]},
    }
    if table is not None:
        before["table"] = table
    return rules.rule(shot_of(facts, calls, **(decided or {})), rules.read_before(before, chosen), chosen)


@pytest.fixture
def judge() -> Judge:
    """`judge(facts, game=..., calls=..., switch=value)` -> ruling."""
    return judge_shot


class Match:
    """A match played act by act; every state it went through is kept."""

    def __init__(self, game: str = "free", opener: Player | None = A, **options: Any) -> None:
        self.rules: PyramidGame = GAMES[GameId(f"{game}-pyramid")]
        self.options = Options(self.rules.id, {"race_to": 3, **options})
        self.state: PyramidState = self.rules.start(Setup(self.options, opener=opener))
        self.ruling: PyramidRuling | None = None

    def shot(self, facts: str = "", calls: str = "", choice: str | None = None, **decided: str) -> PyramidRuling:
        ruling = self.rules.rule(shot_of(facts, calls, **decided), self.state, self.options)
        self.state = self.rules.apply(self.state, ruling, choice)
        self.ruling = ruling
        return ruling

    def act(
        self, kind: str, player: Player | None = None, value: str = "", note: str = "", **args: str
    ) -> PyramidState:
        self.state = self.rules.act(self.state, Action(kind, player, value, tuple(args.items()), note))
        return self.state

    def pot(self, *balls: str) -> PyramidRuling:
        """The striker pots `balls` legally."""
        cue = self.cue(*balls)
        target = next((ball for ball in balls if ball != cue), "w14")
        facts = f"strike {cue}; contact {cue} {target}; " + "; ".join(f"pot {ball} BL" for ball in balls)
        return self.shot(facts)

    def cue(self, *not_these: str) -> str:
        """The coloured ball where it must be struck, else a white that is not among `not_these`."""
        if self.rules.law.fixed_cue or self.state.phase is Phase.BREAK:
            return "C"
        return next(f"w{n}" for n in range(15, 0, -1) if f"w{n}" not in not_these)

    def dry(self) -> PyramidRuling:
        """A legal shot without a pot."""
        if self.state.phase is Phase.BREAK:
            return self.shot("strike C; contact C w1; cushion w1 foot; cushion w2 left; cushion w3 right")
        cue = self.cue()
        return self.shot(f"strike {cue}; contact {cue} w1; cushion w1 foot; cushion w1 left")

    def miss(self, choice: str | None = None) -> PyramidRuling:
        """No contact: a foul."""
        cue = self.cue()
        return self.shot(f"strike {cue}; cushion {cue} foot", choice=choice)

    def set(self, **fields: Any) -> None:
        """Put the state where a test begins; pairs may be given as tuples."""
        pairs = ("shelf", "debt", "frames", "extensions", "breaks")
        self.state = replace(
            self.state, **{name: Pair(*value) if name in pairs else value for name, value in fields.items()}
        )


@pytest.fixture
def play() -> type[Match]:
    """`play(game, opener, switch=value)` -> a match."""
    return Match


DIRECT = {"judge": judge_shot, "play": Match}  # what the fixtures give, for tools that call tests without pytest
