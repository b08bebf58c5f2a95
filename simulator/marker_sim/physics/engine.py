"""One shot: take the earliest predicted event, resolve it, predict anew for the bodies concerned. Exact times, no time step."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from marker_rules.balls import Pocket, Rail
from marker_sim.physics import contacts
from marker_sim.physics.body import AIR, GONE, ROLL, SLIDE, SPIN, STANDING, Body
from marker_sim.physics.boundary import Boundary, Jaw
from marker_sim.physics.invariants import Guard, SimulationError
from marker_sim.physics.params import Params
from marker_sim.physics.pins import Pins, PinShape
from marker_sim.physics.schedule import (
    BALL,
    CHAIN,
    CROSS,
    DESCEND,
    FACE,
    JAW,
    NO_VERSION,
    NOSE,
    PHASE,
    PIN,
    POT,
    PUCK_WALL,
    Kind,
    PinReach,
    Schedule,
)
from marker_sim.rng import Stream

__all__ = ["MAX_EVENTS", "Engine", "Happened", "Kind", "SimulationError"]

MAX_EVENTS = 20_000


@dataclass(frozen=True, slots=True)
class Happened:
    """One entry of the log. a: body; b: the other body, or -1; vn: speed of approach, m/s; x, y: where, m."""

    t: float
    kind: Kind
    a: int
    b: int
    vn: float
    x: float
    y: float
    rail: Rail | None = None
    pocket: Pocket | None = None


class Engine(Schedule):
    """One shot. `balls`: (x, y) of each ball, m, None where it is not on the table; `pins`: (x, y) of standing pins.

    `ball`: radius m, mass kg. `chance`: decides what a wobbling or fallen pin ends as, whether a low flying ball runs up
    on the rail and how high balls hop; None = a pin keeps its place, a ball the bed. `frame_off`: such a ball is out of play.
    `check`: test the invariants at every event, not only at the end.
    """

    def __init__(
        self,
        boundary: Boundary,
        params: Params,
        ball: tuple[float, float],
        balls: Sequence[tuple[float, float] | None],
        pins: Sequence[tuple[float, float] | None] = (),
        pin_shape: PinShape | None = None,
        *,
        check: bool = False,
        chance: Stream | None = None,
        frame_off: bool = False,
    ) -> None:
        radius, mass = ball
        shape = pin_shape or PinShape()
        bodies = [Body(i, radius, mass, *(at or (0.0, 0.0)), is_ball=True) for i, at in enumerate(balls)]
        puck_r = params.pin.puck_mm.v / 1000
        for i, at in enumerate(pins, start=len(balls)):
            bodies.append(Body(i, puck_r, shape.mass, *(at or (0.0, 0.0)), is_ball=False))
        for body, at in zip(bodies, (*balls, *pins), strict=True):
            if at is None:
                body.leave()
        self.pins = Pins(params, shape, radius, mass, chance)
        super().__init__(boundary, bodies, len(balls), PinReach(self.pins.reach, shape.base_r, shape.height))
        self.params = params
        self._chance, self._frame_off = chance, frame_off
        self.check = check
        self.log: list[Happened] = []
        self.events = 0
        self._mu = (params.cloth.slide.v, params.cloth.roll.v, params.cloth.spin.v)
        self._guard = Guard(boundary, bodies, self._mu[2])
        self._over: set[tuple[int, int]] = set()  # (flying ball, pin) whose plan distance is within reach

    # --- running -------------------------------------------------------------------------------------------------

    def strike(
        self, ball: int, speed: float, direction: float, side: float = 0.0, top: float = 0.0, up: float = 0.0
    ) -> None:
        """The tip meets `ball`: speed m/s, direction rad, offsets in radii, `up` m/s of a raised cue."""
        body = self.bodies[ball]
        body.vx, body.vy, body.vz = speed * math.cos(direction), speed * math.sin(direction), up
        body.wz = -2.5 * speed * side / body.r
        body.wx = -2.5 * speed * top / body.r * math.sin(direction)
        body.wy = 2.5 * speed * top / body.r * math.cos(direction)
        self._note(Kind.STRIKE, ball, -1, speed, body)

    def run(self, enough: Callable[[Engine], bool] | None = None) -> float:
        """Play until everything rests; returns that moment, s. Raises SimulationError.

        `enough`: asked after every event whether the one who asked knows what he wanted; then the shot ends in the
        middle, with balls still moving.
        """
        for body in self.bodies[: self.n_balls]:
            if body.phase is not GONE:
                body.settle(*self._mu)
        self._guard.begin(every_event=self.check)
        self._predict_all()
        heap, bodies = self._heap, self.bodies
        while heap:
            t, _, kind, i, j, vi, vj = heapq.heappop(heap)
            a = bodies[i]
            if a.version != vi or (vj != NO_VERSION and bodies[j].version != vj):
                continue
            self.events += 1
            if self.events > MAX_EVENTS:
                raise SimulationError(f"more than {MAX_EVENTS} events by {t:.6f} s")
            if t < self.now - 1e-12:
                raise SimulationError(f"time went back from {self.now!r} to {t!r}")
            self.now = max(self.now, t)
            self._resolve(kind, a, j)
            if self.check:
                self._guard.at_event(self.now)
            if enough is not None and enough(self):
                return self.now
        self._guard.at_end(self.now)
        return self.now

    def _resolve(self, kind: Kind, a: Body, j: int) -> None:
        a.advance(self.now, self._mu[2])
        if kind is PHASE:
            self._end_of_phase(a)
        elif kind is BALL:
            self._balls_meet(a, self.bodies[j])
        elif kind is NOSE:
            nose = self.boundary.noses[j]
            self._at_wall(a, nose.nx, nose.ny, NOSE, nose.rail, None)
        elif kind is JAW:
            self._at_jaw(a, self.boundary.jaws[j])
        elif kind is FACE:
            face = self.boundary.faces[j]
            contacts.ball_wall(a, face.nx, face.ny, self.params)
            self._begin(a)
        elif kind is POT:
            self._at_mouth(a, self.boundary.mouths[j].pocket)
        elif kind is CROSS:
            self._note(CROSS, a.index, -1, abs(a.vx), a)
        else:
            self._with_pins(kind, a, j)

    def _with_pins(self, kind: Kind, a: Body, j: int) -> None:
        if kind is PUCK_WALL:
            nose = self.boundary.noses[j]
            contacts.puck_wall(a, nose.nx, nose.ny, self.params.pin.puck_e.v)
            self._pins_again(a)
            return
        if kind is DESCEND:
            self._come_down(a)
            return
        b = self.bodies[j]
        b.advance(self.now, self._mu[2])
        if kind is PIN:
            self._ball_at_pin(a, b)
            return
        self._touching.add((min(a.index, b.index), max(a.index, b.index)))
        if kind is CHAIN:
            moved = self.pins.chain(a, b, self.now)
            if moved is not None:
                self._note(CHAIN, a.index, b.index, moved, b)
            self._pins_again(a, b)
        else:
            self.pins.bounce(a, b)
            self._pins_again(a, b)

    def _pins_again(self, *bodies: Body) -> None:
        for body in bodies:
            if body.phase is not STANDING:
                body.slide_on(self.params.pin.friction.v)
        for body in bodies:
            self._predict(body)

    # --- resolving -----------------------------------------------------------------------------------------------

    def _begin(self, *bodies: Body) -> None:
        for body in bodies:
            body.settle(*self._mu)
        for body in bodies:
            self._predict(body)

    def _end_of_phase(self, body: Body) -> None:
        if not body.is_ball:
            self._pins_again(body)
            return
        if body.phase is AIR:
            body.z = 0.0
            up = -self.params.air.bounce.v * body.vz
            body.vz = up if up >= self.params.air.settle_v.v else 0.0
        elif body.phase is SPIN:
            body.wz = 0.0
        elif body.phase is ROLL:
            body.vx = body.vy = 0.0
            body.wx = body.wy = 0.0
        elif body.phase is SLIDE:  # the slip is gone by definition; rounding must not leave a rest of it
            body.wx, body.wy = -body.vy / body.r, body.vx / body.r
        self._begin(body)

    def _balls_meet(self, a: Body, b: Body) -> None:
        b.advance(self.now, self._mu[2])
        vn = contacts.ball_ball(a, b, self.params)
        if vn > contacts.HOP_VN and self._chance is not None and self.params.ball.hop.v > 0.0:
            contacts.hop(a, b, vn, self._chance.gauss(0.0, self.params.ball.hop.v), self.params)
        if self._touching:
            self._touching = {touch for touch in self._touching if touch[0] not in (a.index, b.index)}
        repeated = False
        if vn < contacts.SOFT_VN:
            pair = (min(a.index, b.index), max(a.index, b.index))
            repeated = self._wait.get(pair, -1.0) > self.now - 2 * contacts.SOFT_WAIT_S
            deep = a.r + b.r - math.dist((a.x, a.y, a.z), (b.x, b.y, b.z)) > contacts.DEEP_M
            self._wait[pair] = self.now + contacts.SOFT_WAIT_S * (contacts.DEEP_SHARE if deep else 1.0)
        if not repeated:
            self._note(BALL, a.index, b.index, vn, a, (a.x + b.x) / 2, (a.y + b.y) / 2)
        self._begin(a, b)

    def _at_wall(self, ball: Body, nx: float, ny: float, kind: Kind, rail: Rail, pocket: Pocket | None) -> None:
        cushion = self.params.cushion
        if ball.z > cushion.off_mm.v / 1000:
            self._note(Kind.OFF, ball.index, -1, math.hypot(ball.vx, ball.vy), ball, rail=rail)
            self._leave(ball)
            return
        if ball.z > cushion.rail_mm.v / 1000 and self._chance is not None and self._chance.chance(cushion.rail_p.v):
            self._on_rail(ball, nx, ny, rail)
            return
        vn = contacts.ball_wall(ball, nx, ny, self.params)
        self._note(kind, ball.index, -1, vn, ball, ball.x - nx * ball.r, ball.y - ny * ball.r, rail, pocket)
        self._begin(ball)

    def _on_rail(self, ball: Body, nx: float, ny: float, rail: Rail) -> None:
        """It runs up on the wood: out of play in one game, slowly back in the other."""
        kind = Kind.FRAME if self._frame_off else Kind.RETURN
        self._note(kind, ball.index, -1, math.hypot(ball.vx, ball.vy), ball, rail=rail)
        if self._frame_off:
            self._leave(ball)
            return
        contacts.from_rail(ball, nx, ny, self.params)
        self._begin(ball)

    def _at_jaw(self, ball: Body, jaw: Jaw) -> None:
        nx, ny = ball.x - jaw.cx, ball.y - jaw.cy
        distance = math.hypot(nx, ny)
        self._at_wall(ball, nx / distance, ny / distance, JAW, jaw.rail, jaw.pocket)

    def _at_mouth(self, ball: Body, pocket: Pocket) -> None:
        """It falls, or, flying too high, leaves the table over the pocket."""
        off = ball.z > self.params.cushion.off_mm.v / 1000
        self._note(Kind.OFF if off else POT, ball.index, -1, math.hypot(ball.vx, ball.vy), ball, pocket=pocket)
        self._leave(ball)

    def _ball_at_pin(self, ball: Body, pin: Body) -> None:
        if ball.z > self.pins.shape.height:
            self._note(Kind.HOP, ball.index, pin.index, 0.0, pin)
            self._touching.add((ball.index, pin.index))
            self._over.add((ball.index, pin.index))
            self._begin(ball)
            return
        self._strike_pin(ball, pin, self.pins.hit(ball, pin, self.now, self.params.cloth.roll.v))

    def _strike_pin(self, ball: Body, pin: Body, vn: float) -> None:
        self._note(PIN, ball.index, pin.index, vn, pin)
        if pin.phase is STANDING:
            self._touching.add((ball.index, pin.index))
        self._begin(ball)
        self._pins_again(pin)

    def _come_down(self, ball: Body) -> None:
        """A flying ball is down at the height of the pins: what stands beneath it is felled."""
        reach = self.pins.reach
        for pin in self.bodies[self.n_balls :]:
            over = (ball.index, pin.index)
            near = math.hypot(pin.x - ball.x, pin.y - ball.y) < reach
            if pin.phase is STANDING and over in self._over and near:
                self._strike_pin(ball, pin, self.pins.land(ball, pin, self.now))
            self._over.discard(over)

    def _leave(self, body: Body) -> None:
        self._guard.left(body)
        body.leave()
        self._predict(body)

    def _note(
        self,
        kind: Kind,
        a: int,
        b: int,
        vn: float,
        at: Body,
        x: float | None = None,
        y: float | None = None,
        rail: Rail | None = None,
        pocket: Pocket | None = None,
    ) -> None:
        place = (at.x if x is None else x, at.y if y is None else y)
        self.log.append(Happened(self.now, kind, a, b, vn, *place, rail, pocket))
