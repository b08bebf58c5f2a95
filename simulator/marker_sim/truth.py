"""Ground truth: what really happened in each shot and what it was worth. It never leaves the simulator, except to the judge of accuracy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from marker_rules.balls import GameId, Player
from marker_rules.game import Due, Game, game
from marker_rules.notation import format_fact
from marker_rules.options import Options
from marker_rules.ruling import Ruling
from marker_sim.timeline import Final, Timeline


@dataclass(frozen=True, slots=True)
class TrueShot:
    """One shot as it was: its number in the match, the state before it, the ruling of the rules on all its facts."""

    number: int
    striker: Player
    timeline: Timeline
    ruling: Ruling
    before: Any = None

    def line(self) -> str:
        """One line of the truth file, canonical JSON. A fact: ns after the strike, words, m/s, place on the table (mm) or null.

        `final`: where each ball lies in the end (mm, null off the table); of each pin the place, whether it stands, mm slid.
        """
        return json.dumps(
            {
                "shot": self.number,
                "striker": self.striker.value,
                "facts": [
                    [item.t_ns, format_fact(item.fact), round(item.strength, 4), _rounded(item.at_mm)]
                    for item in self.timeline.items
                ],
                "calls": [[call.code, call.by.value, call.when.value] for call in self.timeline.calls],
                "rest_ns": self.timeline.rest_ns,
                "ruling": self.ruling.short,
                "final": _final(self.timeline.final),
            },
            ensure_ascii=False,
            sort_keys=True,
            separators=(",", ":"),
        )


def _rounded(at_mm: tuple[float, float] | None) -> list[float] | None:
    return None if at_mm is None else [round(at_mm[0], 1), round(at_mm[1], 1)]


def _final(final: Final | None) -> dict[str, Any] | None:
    if final is None:
        return None
    return {
        "balls": {ball.value: _rounded(at) for ball, at in final.balls},
        "pins": {one.pin.value: [_rounded(one.at_mm), one.stands, round(one.slid_mm, 1)] for one in final.pins},
    }


@dataclass(slots=True)
class TrueMatch:
    """The match as it really is, folded by the rules from facts that nobody had to ask for."""

    game_id: GameId
    options: Options
    state: Any
    shots: list[TrueShot] = field(default_factory=list)

    @property
    def game(self) -> Game:
        """The game played."""
        return game(self.game_id)

    @property
    def due(self) -> Due:
        """What the rules wait for."""
        return self.game.due(self.state)

    def strike(self, timeline: Timeline) -> TrueShot:
        """Judge one shot and go on to the state after it."""
        striker = self.due.player
        if striker is None:
            raise RuntimeError("nobody is at the table: the rules wait for something else than a shot")
        ruling = self.game.rule(timeline.shot, self.state, self.options)
        shot = TrueShot(len(self.shots) + 1, striker, timeline, ruling, self.state)
        self.shots.append(shot)
        self.state = self.game.apply(self.state, ruling)
        return shot
