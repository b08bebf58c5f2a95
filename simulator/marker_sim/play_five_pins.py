"""A five-pins match by physics: three balls whose places are carried over, pins that a resting ball keeps from standing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from marker_hardware.pinmap import Profile
from marker_rules.balls import ALL_PINS, FIVE_PINS_BALLS, GameId, Pin, Player
from marker_rules.facts import Fact
from marker_rules.game import Action
from marker_rules.shot import Shot
from marker_sim import lagging
from marker_sim.foresight import Foresight
from marker_sim.physics.engine import Engine
from marker_sim.physics.resting import final
from marker_sim.physics.table import Place, shipped
from marker_sim.physics.telling import Cast, tell
from marker_sim.play import LagOutcome, Style
from marker_sim.players import five_pins_candidate, scooped, with_error
from marker_sim.rng import Stream
from marker_sim.slips import felt, slips
from marker_sim.timeline import Timeline
from marker_sim.truth import TrueMatch
from marker_sim.uniform import Launch

CAST = Cast(FIVE_PINS_BALLS, tuple(Pin))
RED = "red"
NEW_MODES = ("opening", "contact-reset")
ASIDE_M = 0.07  # how far the referee moves a ball whose spot is taken


class FivePinsPlay:
    """Implements `play.Play`. `places`: where the balls of A and B and the red one lie, m; None off the table."""

    def __init__(self, seed: int, table: str, style: Style) -> None:
        self.seed = seed
        self.name = table
        self.style = style
        self.table = style.table or shipped(Profile.CAROM5)
        self.places: dict[str, Place | None] = {"A": None, "B": None, RED: None}
        self.last: Engine | None = None
        self.launch: Launch | None = None
        self._lags = 0

    def lag(self) -> LagOutcome:
        """Both strike from the lag line to the top cushion; nearest to the bottom one on the way back wins."""
        self._lags += 1
        return lagging.lag(self.table, self.style, Stream(self.seed, self.name, "lag", self._lags))

    def choose(self, match: TrueMatch) -> str:
        """The winner of a lag opens."""
        return match.due.choices[0]

    # --- before the stroke ---------------------------------------------------------------------------------------

    def prepare(self, match: TrueMatch) -> tuple[Action, ...]:
        """The layout, where a ball keeps a pin from standing or a seat has become free again (FP-T.7a to FP-T.7c)."""
        standing = self.standing(match)
        if standing == match.state.pins:
            return ()
        return (Action("layout", value=",".join(pin for pin in Pin if pin in standing)),)

    def standing(self, match: TrueMatch) -> frozenset[Pin]:
        """The pins that can stand for the next stroke: those that fell only where no ball lies in the way."""
        fell = {Pin(p.what) for p in match.state.placements if p.what in Pin.__members__}
        down = fell | (ALL_PINS - match.state.pins)
        if not down:
            return ALL_PINS
        balls = self._placed(match)
        return ALL_PINS - {pin for place in balls.values() for pin in self.table.covered(place) if pin in down}

    def _placed(self, match: TrueMatch) -> dict[str, Place | None]:
        """The balls as they must lie for the next stroke; the striker's own in hand is put where he wants it."""
        state, places = match.state, dict(self.places)
        striker: Player = state.striker
        new = state.mode.value in NEW_MODES
        if new:
            places = {"A": None, "B": None, RED: self.table.spots["red"]}
            places[striker.other.value] = self.table.spots["upper"]
        for placement in state.placements:
            name = self._name(placement.what, striker)
            if name is not None and not new and (name != striker.value or state.mode.value != "hand"):
                places[name] = None
                spot = placement.spot or ("red" if name == RED else "upper")
                places[name] = self._spot(spot, places)
        for name in (RED, striker.other.value):
            if places[name] is None:
                places[name] = self._spot("red" if name == RED else "upper", places)
        if new or state.mode.value == "hand" or places[striker.value] is None:
            places[striker.value] = None
            places[striker.value] = self._in_hand(match, places)
        return places

    @staticmethod
    def _name(what: str, striker: Player) -> str | None:
        return {"cue": striker.value, "opponent": striker.other.value, "red": RED}.get(what)

    def _spot(self, spot: str, places: dict[str, Place | None]) -> Place:
        """The spot, or the nearest free place beside it on the long axis."""
        x, y = self.table.spots[spot]
        others = list(places.values())
        for step in range(40):
            for side in (1.0, -1.0):
                at = (x + side * step * ASIDE_M / 4, y)
                if self.table.free(at, others):
                    return at
        raise RuntimeError(f"no free place near spot '{spot}' for {places}")

    def _in_hand(self, match: TrueMatch, places: dict[str, Place | None]) -> Place:
        """Anywhere in the half where he may place it: the one his rules name, else the one without the opponent's ball."""
        state = match.state
        half = getattr(state.hand_half, "value", None)
        other = places[state.striker.other.value]
        lower = half == "lower" or (half is None and other is not None and other[0] <= 0.0)
        chance = Stream(self.seed, self.name, "in hand", len(match.shots) + 1)
        while True:
            place = (chance.uniform(0.3, 1.3) * (1.0 if lower else -1.0), chance.uniform(-0.6, 0.6))
            if self.table.free(place, places.values()) and not self.table.covered(place):
                return place

    # --- the stroke ----------------------------------------------------------------------------------------------

    def stroke(self, match: TrueMatch, number: int) -> Timeline:
        """See `play.Play`."""
        chance = Stream(self.seed, self.name, "stroke", number)
        striker: Player = match.state.striker
        self.places = self._placed(match)
        order = (striker.value, striker.other.value, RED)
        balls = [self.places[name] for name in order]
        launch = with_error(self._best(match, balls, chance), self.style.skill.aim_deg, chance)
        if chance.chance(self.style.slips.scoop):
            launch = scooped(launch, chance)
        launch = self._by_mistake(launch, balls, number)
        engine = self._run(
            match,
            balls,
            launch,
            check=self.style.checks(self.seed, number),
            chance=Stream(self.seed, self.name, "pins", number),
        )
        self.last, self.launch = engine, launch
        for index, name in enumerate(order):
            body = engine.bodies[index]
            self.places[name] = None if body.phase.name == "GONE" else (body.x, body.y)
        rates = self.style.slips
        calls = slips(GameId.FIVE_PINS, striker, rates, Stream(self.seed, self.name, "slips", number))
        more = felt(calls, rates, Stream(self.seed, self.name, "felt", number))
        items = tuple(tell(engine, CAST, crossings=False, zones=False))
        return Timeline(items, round(engine.now * 1e9), calls, (), final(engine, CAST, self.table.pins), more)

    def _by_mistake(self, launch: Launch, balls: list[Place | None], number: int) -> Launch:
        """The stroke he means, or now and then one with the opponent's ball in place of his own (FP-F.A)."""
        rate, own, other = self.style.slips.wrong_ball, balls[0], balls[1]
        chance = Stream(self.seed, self.name, "wrong ball", number)
        if own is None or other is None or not (rate and chance.chance(rate)):
            return launch
        edges = (self.table.boundary.half_l, self.table.boundary.half_w)
        return replace(five_pins_candidate(other, own, edges, self.table.ball_r, chance), ball=1)

    def _run(
        self,
        match: TrueMatch,
        balls: list[Place | None],
        launch: Launch,
        *,
        check: bool = False,
        chance: Stream | None = None,
    ) -> Engine:
        engine = self.table.engine(balls, match.state.pins, check=check, chance=chance)
        if chance is not None:
            engine.legs = []  # a ball that passes between the pins is told from its way
        launch.on(engine)
        engine.run()
        return engine

    def _best(self, match: TrueMatch, balls: list[Place | None], chance: Stream) -> Launch:
        """The candidate that the rules would pay best without error."""
        cue, target = balls[0], balls[1]
        assert cue is not None
        assert target is not None
        edges = (self.table.boundary.half_l, self.table.boundary.half_w)
        if self.style.skill.tries == 1:
            return five_pins_candidate(cue, target, edges, self.table.ball_r, chance)
        best, worth, known = None, -math.inf, dict[tuple[Fact, ...], float]()
        for _ in range(self.style.skill.tries):
            launch = five_pins_candidate(cue, target, edges, self.table.ball_r, chance)
            found = self._worth(match, balls, launch, worth, known)
            if best is None or found > worth:
                best, worth = launch, found
        assert best is not None
        return best

    def _worth(
        self,
        match: TrueMatch,
        balls: list[Place | None],
        launch: Launch,
        least: float,
        known: dict[tuple[Fact, ...], float],
    ) -> float:
        """The striker's points less the opponent's, without error; -inf for a candidate that is seen not to beat `least`.

        `known`: what strokes were worth from here; two that differ in their cushions alone are worth the same.
        """
        engine = self.table.engine(balls, match.state.pins)
        launch.on(engine)
        foresight = Foresight(least)
        engine.run(foresight)
        if foresight.spoilt:
            return -math.inf
        told = tell(engine, CAST, crossings=False, zones=False, cushions=False)
        facts = tuple([item.fact for item in told])
        if facts not in known:
            ruling: Any = match.game.rule(Shot(facts), match.state, match.options)
            striker = ruling.striker
            known[facts] = float(ruling.points.of(striker) - ruling.points.of(striker.other))
        return known[facts]
