"""A candidate is not played to its end where nothing can score any more: the same choice with less work."""

from typing import Any

import pytest

from marker_rules.balls import GameId
from marker_rules.shot import Shot
from marker_sim import uniform
from marker_sim.foresight import SAME_S, Foresight, out_of_reach
from marker_sim.matchplay import Matchplay
from marker_sim.physics.engine import Engine, Happened, Kind
from marker_sim.physics.telling import tell
from marker_sim.play_five_pins import CAST, FivePinsPlay
from marker_sim.uniform import Launch

TOUCHES = (Kind.BALL, Kind.PIN, Kind.CHAIN)


class ToTheEnd(FivePinsPlay):
    """Plays every candidate until all balls rest, and asks the rules about all of its facts."""

    def _worth(self, match: Any, balls: Any, launch: Launch, *_: object) -> float:
        engine = self._run(match, balls, launch)
        facts = tuple(item.fact for item in tell(engine, CAST, crossings=False, zones=False))
        ruling: Any = match.game.rule(Shot(facts), match.state, match.options)
        return float(ruling.points.of(ruling.striker) - ruling.points.of(ruling.striker.other))


def test_the_choice_is_that_of_candidates_played_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every stroke of a match, with a good tenth of the events less.

    Mutations: an own pin that costs nothing (SPOILT_COSTS = -5), red met after the opponent's ball, a stroke that ends at
    its first contact.
    """
    events = {FivePinsPlay: 0, ToTheEnd: 0}
    run = Engine.run

    def counted(engine: Engine, *given: Any) -> float:
        try:
            return run(engine, *given)
        finally:
            events[kind] += engine.events

    monkeypatch.setattr(Engine, "run", counted)
    launches = {}
    for kind in events:
        played = Matchplay.new(GameId.FIVE_PINS, 21, given={"points_limit": 500})
        played.players = kind(21, "1", played.players.style)  # type: ignore[attr-defined]
        launches[kind] = [played.players.launch for _, _ in zip(played.shots(), range(40), strict=False)]
    assert launches[FivePinsPlay] == launches[ToTheEnd]
    assert events[FivePinsPlay] < 0.88 * events[ToTheEnd]


def test_nothing_is_touched_after_all_is_out_of_reach() -> None:
    """Shots somewhere, played on after the moment at which nothing could be reached. Mutation: MARGIN = 0.4; the pins forgotten."""
    early = 0
    for number in range(400):
        engine = uniform.five_pins(31, number)
        known: list[float] = []

        def watch(engine: Engine, known: list[float] = known) -> bool:
            if not known and out_of_reach(engine):
                known.append(engine.now)
            return False

        rest = engine.run(watch)
        assert not [h for h in engine.log if h.kind in TOUCHES and h.t > known[0]], f"shot {number}"
        early += known[0] < 0.9 * rest
    assert early > 100


@pytest.mark.parametrize(
    ("met", "now", "spoilt"),
    [
        ([(0.1, 0, 2)], 0.1, False),  # the opponent's ball may be met in the same instant
        ([(0.1, 0, 2)], 0.1 + 2 * SAME_S, True),
        ([(0.1, 0, 2), (0.1 + SAME_S / 2, 0, 1)], 0.2, False),  # at once: no error
        ([(0.1, 0, 1), (0.2, 0, 2)], 0.3, False),  # a carom
        ([(0.1, 1, 2), (0.2, 0, 2)], 0.3, True),
    ],
)
def test_red_first_spoils_a_stroke(met: list[tuple[float, int, int]], now: float, spoilt: bool) -> None:
    """Mutation: decided at the touch of red; any touch of red counts."""
    engine = uniform.five_pins(1, 1)
    engine.log = [Happened(t, Kind.BALL, a, b, 1.0, 0.0, 0.0) for t, a, b in met]
    engine.now = now
    for least, expected in ((0.0, spoilt), (-4.0, False)):  # with nothing better in hand it is played to its end
        foresight = Foresight(least)
        foresight(engine)
        assert foresight.spoilt is expected


def test_a_stroke_ends_when_enough_is_known() -> None:
    """Mutation: `enough` is not asked, or asked before the event is in the log."""
    engine = uniform.five_pins(1, 4)
    engine.run(lambda engine: any(h.kind is Kind.NOSE for h in engine.log))
    assert [h.kind for h in engine.log].count(Kind.NOSE) == 1
    assert any(ball.moving for ball in engine.bodies[:3])
