"""Five-pins behind the game protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.five_pins import match, reading
from marker_rules.five_pins.judge import judge
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.state import FivePinsState, Phase, Score
from marker_rules.game import Action, Due, ManualEntry, Setup
from marker_rules.options import Options
from marker_rules.ruling import Component, Step, Turn
from marker_rules.shot import Shot


class FivePins:
    """The five-pins game. All methods are pure; states and rulings are frozen values."""

    id = GameId.FIVE_PINS

    def start(self, setup: Setup) -> FivePinsState:
        """The state before the first act: the lag, or the opening stroke where the opener is given. Raises IllegalInput."""
        return match.start(setup)

    def rule(self, shot: Shot, before: FivePinsState, options: Options) -> FivePinsRuling:
        """Judge one shot. Raises IllegalFact and IllegalInput."""
        return judge(shot, before, options)

    def manual(
        self,
        entry: ManualEntry,
        before: FivePinsState,
        options: Options,  # noqa: ARG002 - the protocol's; no switch changes what the referee enters
    ) -> FivePinsRuling:
        """The referee's own ruling (FP-P.3). `next` None: the other player. Raises IllegalInput without a note."""
        note = entry.note.strip()
        if not note:
            raise IllegalInput("a manual ruling needs a note: it is written into the match record", code="note")
        if before.phase is not Phase.SHOT:
            raise IllegalInput(f"no ruling can be made while the match waits for '{before.phase}'", code="phase")
        credit = [entry.points.get(player, 0) for player in Player]
        if any(isinstance(points, bool) or points < 0 or points > before.limit for points in credit):
            raise IllegalInput(f"points {credit} must be whole numbers from 0 to {before.limit}", code="points")
        points = Score(*credit)
        raw = Score(before.score.a + points.a, before.score.b + points.b)
        if raw.a >= before.limit and raw.b >= before.limit:
            raise IllegalInput("both players would reach the limit; credit only the one who wins", code="points")
        winner = Player.A if raw.a >= before.limit else Player.B if raw.b >= before.limit else None
        steps = [Step("FP-P.3", "manual", (("note", note),))]
        if winner:
            steps.append(Step("FP-2.2", "game_won"))
            if raw.of(winner) > before.limit:
                steps.append(Step("FP-2.3", "cut", (("credited", before.limit - before.score.of(winner)),)))
        return FivePinsRuling(
            game=GameId.FIVE_PINS,
            striker=before.striker,
            next=None if winner else Turn.of(entry.next or before.striker.other),
            winner=winner,
            placements=entry.placements,
            interpretations=("A35",),
            manual=True,
            note=note,
            stroke=entry.stroke,
            steps=tuple(steps),
            points=points,
            score=raw.capped(before.limit),
            components=tuple(Component("manual", points.of(player), player) for player in Player if points.of(player)),
            ball_in_hand=entry.ball_in_hand and winner is None,
        )

    def apply(self, before: FivePinsState, ruling: FivePinsRuling, choice: str | None = None) -> FivePinsState:
        """The state after a ruling; `choice` as in `Due.choices` (`in_place`, `start`)."""
        return match.apply(before, ruling, choice)

    def act(self, before: FivePinsState, action: Action) -> FivePinsState:
        """The state after something that is not a stroke; kinds: see `match.ACTIONS`. Raises IllegalInput."""
        return match.act(before, action)

    def due(self, state: FivePinsState) -> Due:
        """What the rules wait for."""
        return match.due(state)

    def read_before(self, before: Mapping[str, Any], options: Options) -> FivePinsState:
        """A state from the `before` of a scenario file."""
        return reading.read_before(before, options)

    def result(
        self,
        ruling: FivePinsRuling,
        before: FivePinsState,  # noqa: ARG002 - the protocol's; a five-pins ruling holds all that is asked
    ) -> dict[str, Any]:
        """The ruling in the field names of `expect`."""
        return reading.result(ruling)


FIVE_PINS = FivePins()
