"""A pyramid match by physics: sixteen balls, pockets, respots on the line, a cue ball in hand, whites taken for it."""

from __future__ import annotations

import math
from typing import Any

from marker_hardware.pinmap import Profile
from marker_rules.balls import PYRAMID_BALLS, WHITES, Ball, GameId
from marker_rules.game import Action
from marker_rules.pyramid import placing, rack
from marker_rules.pyramid.ruling import CLAUSE_11_2
from marker_rules.pyramid.state import HAND_OF_PHASE, Coloured, Phase
from marker_rules.shot import Shot
from marker_sim import lagging, potting
from marker_sim.physics.engine import Engine
from marker_sim.physics.resting import final
from marker_sim.physics.table import Place, shipped
from marker_sim.physics.telling import Cast, frozen_before, tell
from marker_sim.play import LagOutcome, Style
from marker_sim.players import scooped, with_error
from marker_sim.rng import Stream
from marker_sim.slips import slips
from marker_sim.timeline import Timed, Timeline
from marker_sim.truth import TrueMatch
from marker_sim.uniform import RACK_GAP_M, RACK_JITTER_M, Launch

CAST = Cast(PYRAMID_BALLS)
SAFETIES = 6
Places = dict[Ball, Place | None]


class PyramidPlay:
    """Implements `play.Play`. `places`: where each ball lies, m; None on a shelf or in hand."""

    def __init__(self, game: GameId, seed: int, table: str, style: Style) -> None:
        self.game = game
        self.seed = seed
        self.name = table
        self.style = style
        self.table = style.table or shipped(Profile.PYRAMID)
        self.places: Places = dict.fromkeys(PYRAMID_BALLS)
        self.last: Engine | None = None
        self.launch: Launch | None = None
        self._lags = 0
        spots = self.table.spots
        self._line = placing.SpottingLine(
            rear_x=spots["rear"][0] * 1000,
            foot_x=self.table.boundary.half_l * 1000,
            centre_x=spots["centre"][0] * 1000,
            ball_d=self.table.ball_r * 2000,
        )

    def lag(self) -> LagOutcome:
        """Both strike from the house to the foot rail; nearest to the head rail on the way back wins (RP-6)."""
        self._lags += 1
        return lagging.lag(self.table, self.style, Stream(self.seed, self.name, "lag", self._lags))

    def choose(self, match: TrueMatch) -> str:
        """The break after a lag; after a foul mostly to play, now and then to leave it or to have it racked anew."""
        chance, due = Stream(self.seed, self.name, "choice", len(match.shots)), match.due
        if due.choices == CLAUSE_11_2:
            return chance.weighted(
                (("accept_play", 0.5), ("rerack_play", 0.3), ("accept_cede", 0.1), ("rerack_cede", 0.1))
            )
        return due.choices[1 if len(due.choices) > 1 and chance.chance(0.15) else 0]

    # --- before the stroke ---------------------------------------------------------------------------------------

    def prepare(self, match: TrueMatch) -> tuple[Action, ...]:
        """The temporary house, where in combined pyramid all object balls lie in the house (RP-19.2b)."""
        if self.game is not GameId.COMBINED or match.state.phase is not Phase.IN_HAND_HOUSE:
            return ()
        whites = [at for ball, at in self._settled(match).items() if at is not None and ball is not Ball.C]
        all_inside = bool(whites) and all(self._in_house(at) for at in whites)
        return (Action("house", value="all"),) if all_inside else ()

    def _in_house(self, at: Place) -> bool:
        return at[0] < self.table.spots["front"][0]

    def _placed(self, match: TrueMatch) -> Places:
        """All balls as they must lie for the next stroke."""
        places = self._settled(match)
        if HAND_OF_PHASE[match.state.phase] is not None or (places[Ball.C] is None and self.game is not GameId.FREE):
            chance = Stream(self.seed, self.name, "in hand", len(match.shots) + 1)
            places[Ball.C] = None
            room = self.table.boundary.half_l - self.table.ball_r - 1e-3
            front = self.table.spots["front"][0]
            inside = {Phase.IN_HAND_HOUSE: (-room, front), Phase.IN_HAND_TEMP_HOUSE: (-front, room)}
            where = inside.get(match.state.phase, (-room, room))
            places[Ball.C] = potting.place_for(self.table, _lying(places), where, chance)
        return places

    def _settled(self, match: TrueMatch) -> Places:
        """The object balls placed; a cue ball in hand not yet."""
        state = match.state
        if state.phase is Phase.BREAK:
            return self._racked(match)
        places = dict(self.places)
        free = self.game is GameId.FREE
        if HAND_OF_PHASE[state.phase] is not None:
            places[Ball.C] = None
        named = [p.what for p in state.placements if p.spot.startswith("line-")]
        back = [Ball(what) for what in named if what in PYRAMID_BALLS and (free or what != "C")]
        for ball in back:
            places[ball] = None
        counted = PYRAMID_BALLS if free else WHITES
        missing = state.table.balls - sum(places[ball] is not None for ball in counted)
        if missing < 0:  # whites taken for the cue ball, or by the opponent
            for ball in self._to_take(places, -missing, match):
                places[ball] = None
            missing = 0
        fill = back + [ball for ball in WHITES if places[ball] is None and ball not in back]
        if free and places[Ball.C] is None and (state.table.coloured is Coloured.TABLE or len(fill) < missing):
            fill = [Ball.C, *[ball for ball in fill if ball is not Ball.C]]
        obstacles = [(at[0] * 1000, at[1] * 1000) for at in _lying(places).values()]
        spots = placing.places(missing, self._line, obstacles)
        for ball, (x, y) in zip(fill, spots, strict=False):
            places[ball] = (x / 1000, y / 1000)
        return places

    def _to_take(self, places: Places, count: int, match: TrueMatch) -> list[Ball]:
        """The whites a player takes from the table: those that lie worst, far from every pocket."""
        lying = [(ball, at) for ball, at in _lying(places).items() if ball is not Ball.C]
        mouths = self.table.boundary.mouths
        lying.sort(key=lambda item: -min(math.hypot(item[1][0] - m.mx, item[1][1] - m.my) for m in mouths))
        if len(lying) < count:
            raise RuntimeError(f"{count} balls to take, {len(lying)} lie on the table (shot {len(match.shots) + 1})")
        return [ball for ball, _ in lying[:count]]

    def _racked(self, match: TrueMatch) -> Places:
        """The opening position: a rack, complete or not, and the coloured ball in the house."""
        chance = Stream(self.seed, self.name, "rack", len(match.shots) + 1)
        whites = match.state.table.balls - (1 if self.game is GameId.FREE else 0)
        rear, front = self.table.spots["rear"][0], self.table.spots["front"][0]
        pitch = (2.0 * self.table.ball_r + RACK_GAP_M) * 1000
        seats = rack.places(whites, rear_x=rear * 1000, ball_d=pitch)
        places: Places = dict.fromkeys(PYRAMID_BALLS)
        for ball, (x, y) in zip(WHITES, seats, strict=False):
            places[ball] = (x / 1000 + chance.gauss(0.0, RACK_JITTER_M), y / 1000 + chance.gauss(0.0, RACK_JITTER_M))
        places[Ball.C] = (front - chance.uniform(0.0, 0.3), chance.uniform(-0.35, 0.35))
        return places

    # --- the stroke ----------------------------------------------------------------------------------------------

    def stroke(self, match: TrueMatch, number: int) -> Timeline:
        """See `play.Play`."""
        chance = Stream(self.seed, self.name, "stroke", number)
        self.places = self._placed(match)
        before = _lying(self.places)
        launch = with_error(self._best(match, before, chance), self.style.skill.pyramid_aim_deg, chance)
        if chance.chance(self.style.slips.scoop):
            launch = scooped(launch, chance)
        luck = Stream(self.seed, self.name, "rail", number)
        checks = self.style.checks(self.seed, number)
        engine = self._run(launch, check=checks, trace=self.style.trace, chance=luck)
        self.last, self.launch = engine, launch
        items = self._told(engine, before)
        for index, ball in enumerate(PYRAMID_BALLS):
            body = engine.bodies[index]
            self.places[ball] = None if body.phase.name == "GONE" else (body.x, body.y)
        calls = slips(self.game, match.state.striker, self.style.slips, Stream(self.seed, self.name, "slips", number))
        decided = self._decided(match, before)
        return Timeline(tuple(items), round(engine.now * 1e9), calls, decided, final(engine, CAST))

    def _decided(self, match: TrueMatch, before: dict[Ball, Place]) -> tuple[tuple[str, str], ...]:
        """Which object balls lay in the house, where the rules ask for it (RP-19.2a)."""
        if self.game is not GameId.COMBINED or match.state.phase is not Phase.IN_HAND_HOUSE:
            return ()
        inside = [ball.value for ball, at in before.items() if ball is not Ball.C and self._in_house(at)]
        return (("house", ",".join(inside)),) if inside else ()

    def _told(self, engine: Engine, before: dict[Ball, Place]) -> list[Timed]:
        frozen = [Timed(0, fact, 0.0) for fact in frozen_before(self.table.boundary, before, self.table.ball_r)]
        return frozen + tell(engine, CAST, crossings=True, zones=True)

    def _run(self, launch: Launch, *, check: bool = False, trace: bool = False, chance: Stream | None = None) -> Engine:
        engine = self.table.engine([self.places[ball] for ball in PYRAMID_BALLS], check=check, chance=chance)
        if trace:
            engine.legs = []
        launch.on(engine)
        engine.run()
        return engine

    def _best(self, match: TrueMatch, before: dict[Ball, Place], chance: Stream) -> Launch:
        """The candidate that scores most without error; else the safe shot that is legal."""
        if match.state.phase is Phase.BREAK:
            return self._break(before, chance)
        cues = list(before) if self.game is GameId.FREE else [Ball.C]
        tried: list[tuple[float, Launch]] = []
        for way in potting.ways(self.table, before, cues):
            if len(tried) >= self.style.skill.pyramid_tries:
                break
            if potting.clear(self.table, way, before):
                launch = potting.pot(self.table, way, before, PYRAMID_BALLS.index(way.cue), chance)
                worth = self._worth(match, before, launch)
                if worth >= 1.0:
                    return launch
                tried.append((worth, launch))
        for _ in range(SAFETIES):
            cue = chance.pick(cues)
            safe = potting.safety(self.table, before, cue, PYRAMID_BALLS.index(cue), chance)
            if safe is not None:
                tried.append((self._worth(match, before, safe), safe))
        if not tried:
            return Launch(PYRAMID_BALLS.index(cues[0]), 2.0, chance.uniform(-math.pi, math.pi))
        return max(tried, key=lambda item: item[0])[1]

    def _break(self, before: dict[Ball, Place], chance: Stream) -> Launch:
        """Full at the apex from the house, hard."""
        cue = before[Ball.C]
        apex = min((at for ball, at in before.items() if ball is not Ball.C), key=lambda at: math.dist(cue, at))
        direction = math.atan2(apex[1] - cue[1], apex[0] - cue[0])
        return Launch(PYRAMID_BALLS.index(Ball.C), chance.uniform(4.0, 8.0), direction)

    def _worth(self, match: TrueMatch, before: dict[Ball, Place], launch: Launch) -> float:
        """Balls scored; a tenth for a legal shot, less for a foul."""
        facts = tuple(item.fact for item in self._told(self._run(launch), before))
        ruling: Any = match.game.rule(Shot(facts, (), self._decided(match, before)), match.state, match.options)
        return len(ruling.credited) + (0.1 if ruling.legal else -1.0)


def _lying(places: Places) -> dict[Ball, Place]:
    """The balls on the table."""
    return {ball: at for ball, at in places.items() if at is not None}
