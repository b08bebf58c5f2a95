"""A match played without a hub: the rules are asked what they wait for, the players do it, the truth is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from marker_rules.balls import GameId
from marker_rules.game import Action, DueKind, Setup, game
from marker_rules.options import Options
from marker_rules.pyramid.match import CONTINUE, NEW_RACK
from marker_sim.after_frame import after_frame, plays_on, racks_anew
from marker_sim.play import Play, Style
from marker_sim.plays import play
from marker_sim.truth import TrueMatch, TrueShot

DEFAULTS: dict[bool, dict[str, int]] = {False: {"points_limit": 60, "games": 3}, True: {"race_to": 3}}


@dataclass(slots=True)
class Matchplay:
    """One match and its players."""

    match: TrueMatch
    players: Play

    @staticmethod
    def new(
        game_id: GameId, seed: int, *, table: str = "1", style: Style | None = None, given: dict[str, Any] | None = None
    ) -> Matchplay:
        """A match that nobody has begun. `given`: options besides the defaults of the demonstration."""
        options = Options(game_id, {**DEFAULTS[game_id.is_pyramid], **(given or {})})
        match = TrueMatch(game_id, options, game(game_id).start(Setup(options)))
        return Matchplay(match, play(game_id, seed, table, style))

    def shots(self) -> Iterator[TrueShot]:
        """Every shot until the match is over, each with the state it was played in."""
        while self.ready():
            timeline = self.players.stroke(self.match, len(self.match.shots) + 1)
            yield self.match.strike(timeline)

    def ready(self) -> bool:
        """Do what the rules wait for until it is a stroke; False when the match is over."""
        while True:
            due = self.match.due
            if due.kind is DueKind.OVER:
                if not plays_on(self.match, self.players.seed, self.players.name):
                    return False
                self._act(Action(CONTINUE))
            elif due.kind is DueKind.SHOT:
                if racks_anew(self.match, self.players.seed, self.players.name):
                    self._act(Action(NEW_RACK))
                    continue
                for act in self.players.prepare(self.match):
                    self._act(act)
                return True
            elif due.kind is DueKind.LAG:
                self._lag()
            elif due.kind is DueKind.CHOICE:
                self._act(Action("choose", due.player, self.players.choose(self.match)))
            else:
                self._act(Action(after_frame(self.match, self.players.seed, self.players.name)))

    def _lag(self) -> None:
        outcome = self.players.lag()
        args = (("late", ",".join(player.value for player in outcome.late)),) if outcome.late else ()
        self._act(Action("lag", value=outcome.winner.value if outcome.winner else "replay", args=args))

    def _act(self, action: Action) -> None:
        self.match.state = self.match.game.act(self.match.state, action)

    def until(self, number: int) -> TrueShot:
        """Shot `number` (1..) of the match. Raises ValueError where the match ended before."""
        shot = None
        for shot in self.shots():
            if shot.number == number:
                return shot
        played = shot.number if shot is not None else 0
        raise ValueError(f"shot {number}: the match of this seed is over after {played} shots")
