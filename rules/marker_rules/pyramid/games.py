"""The three games of Russian pyramid: one base, small differences as data (`GameLaw`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marker_rules.balls import GameId
from marker_rules.errors import IllegalInput
from marker_rules.game import Action, Due, ManualEntry, Setup
from marker_rules.options import Options
from marker_rules.pyramid import actions, match, view
from marker_rules.pyramid.case import GameLaw
from marker_rules.pyramid.judge import judge
from marker_rules.pyramid.ruling import PyramidRuling
from marker_rules.pyramid.state import Hand, PyramidState
from marker_rules.ruling import Ruling
from marker_rules.shot import Shot

LAWS = {
    GameId.FREE: GameLaw(GameId.FREE, turn="EXT-F3", plus_one="EXT-F6"),
    GameId.DYNAMIC: GameLaw(
        GameId.DYNAMIC,
        fixed_cue=True,
        hand=Hand.ANYWHERE,
        premium=True,
        cue_credit="EXT-D2",
        cue_foul="EXT-D4",
    ),
    GameId.COMBINED: GameLaw(
        GameId.COMBINED,
        fixed_cue=True,
        hand=Hand.HOUSE,
        house=True,
        cue_credit="EXT-C2",
        cue_foul="EXT-C6",
        plus_one="EXT-C7",
    ),
}


class PyramidGame:
    """One pyramid game behind the `Game` protocol."""

    def __init__(self, law: GameLaw) -> None:
        self.law = law
        self.id = law.id

    def start(self, setup: Setup) -> PyramidState:
        """The state before the first act of a match. Raises IllegalInput when `race_to` is missing."""
        return match.start(self.id, setup)

    def rule(self, shot: Shot, before: PyramidState, options: Options) -> PyramidRuling:
        """Judge one shot, or offences between shots (no facts). Raises IllegalFact, IllegalInput."""
        return judge(self.law, shot, before, options)

    def manual(self, entry: ManualEntry, before: PyramidState, options: Options) -> PyramidRuling:
        """The referee's own ruling; points are balls gained (or lost). Raises IllegalInput without a note."""
        return match.manual(entry, before, options)

    def apply(self, before: PyramidState, ruling: Ruling, choice: str | None = None) -> PyramidState:
        """The state after a ruling and, at once, the choice it opened."""
        if not isinstance(ruling, PyramidRuling) or ruling.game is not self.id:
            raise IllegalInput(f"this ruling is one of {ruling.game}, not of {self.id}", code="ruling")
        after = match.apply(before, ruling)
        if choice is None:
            return after
        return actions.act(after, Action("choose", player=ruling.chooser, value=choice))

    def act(self, before: PyramidState, action: Action) -> PyramidState:
        """The state after something that is not a shot. Raises IllegalInput where the rules do not allow it now."""
        return actions.act(before, action)

    def due(self, state: PyramidState) -> Due:
        """What the rules wait for."""
        return match.due(state)

    def read_before(self, before: Mapping[str, Any], options: Options) -> PyramidState:
        """A state from the `before` of a scenario. Raises IllegalInput naming the field."""
        return view.read_before(self.id, before, options)

    def result(self, ruling: Ruling, before: PyramidState) -> dict[str, Any]:  # noqa: ARG002 - the protocol of all games
        """The ruling in the field names of the scenario files."""
        if not isinstance(ruling, PyramidRuling) or ruling.game is not self.id:
            raise IllegalInput(f"this ruling is one of {ruling.game}, not of {self.id}", code="ruling")
        return view.result(ruling)


FREE = PyramidGame(LAWS[GameId.FREE])
DYNAMIC = PyramidGame(LAWS[GameId.DYNAMIC])
COMBINED = PyramidGame(LAWS[GameId.COMBINED])
GAMES = {game.id: game for game in (FREE, DYNAMIC, COMBINED)}
