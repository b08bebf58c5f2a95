"""The event loop: predict, take the earliest, resolve, predict anew for the bodies concerned. Exact times, no time step.

Heap of (t, counter, kind, i, j, version of i, version of j): a changed body has a new version, so older predictions are
dropped when they come up. The counter makes ties deterministic.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from marker_rules.balls import Pocket, Rail
from marker_sim.physics import contacts
from marker_sim.physics.body import Body, Phase
from marker_sim.physics.boundary import Boundary, Jaw
from marker_sim.physics.params import Params
from marker_sim.physics.pins import Pins, PinShape
from marker_sim.physics.roots import first_line_root, first_root

MAX_EVENTS = 20_000
SOFT_WAIT_S = 1e-3  # a pushed pair is not tested again for so long
TOUCH_M2 = 1e-9
NEAR_M = 1e-6  # slack of the tests that only throw out what is far
OVERLAP_M = 50e-6
ENERGY_J = 1e-7
OUTSIDE_M = 1e-6


class SimulationError(RuntimeError):
    """An invariant is broken. The shot is never repaired or drawn again quietly."""


class Kind(IntEnum):
    """What an event is. Only those up to LEAN reach the log."""

    STRIKE = 0
    BALL = 1
    NOSE = 2
    JAW = 3
    POT = 4
    OFF = 5
    CROSS = 6
    PIN = 7  # ball against a standing pin
    CHAIN = 8  # lying pin against a standing one
    HOP = 9
    PHASE = 20
    PUCK_WALL = 21
    PUCK_PUCK = 22


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


class Engine:
    """One shot. `balls`: (x, y) of each ball, m, None where it is not on the table; `pins`: (x, y) of standing pins."""

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
    ) -> None:
        self.boundary = boundary
        self.params = params
        self.check = check
        self.log: list[Happened] = []
        radius, mass = ball
        self.n_balls = len(balls)
        self.bodies = [Body(i, radius, mass, *(at or (0.0, 0.0)), is_ball=True) for i, at in enumerate(balls)]
        for i, at in enumerate(balls):
            if at is None:
                self.bodies[i].phase = Phase.GONE
        self.pins = Pins(params, pin_shape or PinShape(), radius, mass)
        for i, at in enumerate(pins):
            pin = Body(
                self.n_balls + i, params.pin.puck_mm.v / 1000, self.pins.shape.mass, *(at or (0.0, 0.0)), is_ball=False
            )
            if at is None:
                pin.phase = Phase.GONE
            self.bodies.append(pin)
        self.now = 0.0
        self._heap: list[tuple[float, int, int, int, int, int, int]] = []
        self._counter = 0
        self._wait: dict[tuple[int, int], float] = {}
        self._touching: set[tuple[int, int]] = (
            set()
        )  # (ball, standing pin) that met without felling it and have not parted
        self._energy = 0.0
        self._mu = (params.cloth.slide.v, params.cloth.roll.v, params.cloth.spin.v)

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

    def run(self) -> float:
        """Play until everything rests; returns that moment, s. Raises SimulationError."""
        for body in self.bodies:
            if body.is_ball and body.phase is not Phase.GONE:
                body.settle(*self._mu)
        self._energy = self._total_energy()
        for body in self.bodies:
            if body.phase is not Phase.GONE:
                self._predict(body)
        events = 0
        heap = self._heap
        while heap:
            t, _, kind, i, j, vi, vj = heapq.heappop(heap)
            a = self.bodies[i]
            if a.version != vi or (j >= 0 and kind not in _WITH_ELEMENT and self.bodies[j].version != vj):
                continue
            events += 1
            if events > MAX_EVENTS:
                raise SimulationError(f"more than {MAX_EVENTS} events by {t:.6f} s")
            if t < self.now - 1e-12:
                raise SimulationError(f"time went back from {self.now!r} to {t!r}")
            self.now = max(self.now, t)
            self._resolve(Kind(kind), a, j)
            if self.check:
                self._check()
        self._final_check()
        return self.now

    def _resolve(self, kind: Kind, a: Body, j: int) -> None:
        a.advance(self.now, self._mu[2])
        if kind is Kind.PHASE:
            self._end_of_phase(a)
        elif kind is Kind.BALL:
            self._balls_meet(a, self.bodies[j])
        elif kind is Kind.NOSE:
            nose = self.boundary.noses[j]
            self._at_wall(a, nose.nx, nose.ny, Kind.NOSE, nose.rail, None)
        elif kind is Kind.JAW:
            self._at_jaw(a, self.boundary.jaws[j])
        elif kind is Kind.POT:
            self._note(Kind.POT, a.index, -1, math.hypot(a.vx, a.vy), a, pocket=self.boundary.mouths[j].pocket)
            self._leave(a)
        elif kind is Kind.CROSS:
            self._note(Kind.CROSS, a.index, -1, abs(a.vx), a)
        else:
            self._with_pins(kind, a, j)

    def _with_pins(self, kind: Kind, a: Body, j: int) -> None:
        b = self.bodies[j] if kind is not Kind.PUCK_WALL else a
        if b is not a:
            b.advance(self.now, self._mu[2])
        if kind is Kind.PIN:
            self._ball_at_pin(a, b)
        elif kind is Kind.CHAIN:
            moved = self.pins.chain(a, b, self.now)
            if moved is not None:
                self._note(Kind.CHAIN, a.index, b.index, moved, b)
            self._pins_again(a, b)
        elif kind is Kind.PUCK_PUCK:
            self.pins.bounce(a, b)
            self._pins_again(a, b)
        elif kind is Kind.PUCK_WALL:
            nose = self.boundary.noses[j]
            contacts.puck_wall(a, nose.nx, nose.ny, self.params.pin.puck_e.v)
            self._pins_again(a)

    def _pins_again(self, *bodies: Body) -> None:
        for body in bodies:
            if body.phase is not Phase.STANDING:
                body.slide_on(self.params.pin.friction.v)
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
        if body.phase is Phase.AIR:
            body.z = 0.0
            up = -self.params.air.bounce.v * body.vz
            body.vz = up if up >= self.params.air.settle_v.v else 0.0
        elif body.phase is Phase.SPIN:
            body.wz = 0.0
        elif body.phase is Phase.ROLL:
            body.vx = body.vy = 0.0
            body.wx = body.wy = 0.0
        elif body.phase is Phase.SLIDE:  # the slip is gone by definition; rounding must not leave a rest of it
            body.wx, body.wy = -body.vy / body.r, body.vx / body.r
        self._begin(body)

    def _balls_meet(self, a: Body, b: Body) -> None:
        b.advance(self.now, self._mu[2])
        vn = contacts.ball_ball(a, b, self.params)
        self._touching = {touch for touch in self._touching if touch[0] not in (a.index, b.index)}
        pair = (min(a.index, b.index), max(a.index, b.index))
        if vn < contacts.SOFT_VN:
            repeated = self._wait.get(pair, -1.0) > self.now - 2 * SOFT_WAIT_S
            self._wait[pair] = self.now + SOFT_WAIT_S
        else:
            repeated = False
        if not repeated:
            self._note(Kind.BALL, a.index, b.index, vn, a, (a.x + b.x) / 2, (a.y + b.y) / 2)
        self._begin(a, b)

    def _at_wall(self, ball: Body, nx: float, ny: float, kind: Kind, rail: Rail, pocket: Pocket | None) -> None:
        if ball.z > self.params.cushion.off_mm.v / 1000:
            self._note(Kind.OFF, ball.index, -1, math.hypot(ball.vx, ball.vy), ball, rail=rail)
            self._leave(ball)
            return
        vn = contacts.ball_wall(ball, nx, ny, self.params)
        self._note(kind, ball.index, -1, vn, ball, ball.x - nx * ball.r, ball.y - ny * ball.r, rail, pocket)
        self._begin(ball)

    def _at_jaw(self, ball: Body, jaw: Jaw) -> None:
        nx, ny = ball.x - jaw.cx, ball.y - jaw.cy
        distance = math.hypot(nx, ny)
        self._at_wall(ball, nx / distance, ny / distance, Kind.JAW, jaw.rail, jaw.pocket)

    def _ball_at_pin(self, ball: Body, pin: Body) -> None:
        if ball.z > self.pins.shape.height:
            self._note(Kind.HOP, ball.index, pin.index, 0.0, pin)
            self._predict(ball)
            return
        vn = self.pins.hit(ball, pin, self.now, self.params.cloth.roll.v)
        self._note(Kind.PIN, ball.index, pin.index, vn, pin)
        if pin.phase is Phase.STANDING:
            self._touching.add((ball.index, pin.index))
        self._begin(ball)
        self._pins_again(pin)

    def _leave(self, body: Body) -> None:
        body.version += 1
        self._energy -= body.energy()
        body.phase = Phase.GONE
        body.vx = body.vy = body.vz = body.wx = body.wy = body.wz = 0.0

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
        self.log.append(
            Happened(self.now, kind, a, b, vn, at.x if x is None else x, at.y if y is None else y, rail, pocket)
        )

    # --- predicting ----------------------------------------------------------------------------------------------

    def _push(self, dt: float, kind: Kind, a: Body, j: int, vj: int) -> None:
        self._counter += 1
        heapq.heappush(self._heap, (self.now + dt, self._counter, kind, a.index, j, a.version, vj))

    def _predict(self, body: Body) -> None:
        """All the next events of `body`, whose t0 is now."""
        if body.phase is Phase.GONE:
            return
        if body.t_end < math.inf:
            self._push(body.t_end - self.now, Kind.PHASE, body, -1, 0)
        if body.is_ball:
            self._predict_pairs(body)
            if body.moving:
                self._predict_walls(body)
                if self.boundary.mouths:
                    self._predict_mouths(body)
        else:
            self._predict_pin(body)

    def _predict_pairs(self, a: Body) -> None:
        x, y, near = a.x, a.y, a.r + a.travel + NEAR_M
        for b in self.bodies:
            # The common case first: even over the whole of their phases they cannot come together.
            dx, dy, reach = b.x - x, b.y - y, near + b.r + b.travel
            if dx * dx + dy * dy > reach * reach or b is a or b.phase is Phase.GONE or not (a.moving or b.moving):
                continue
            if b.is_ball:
                dt = self._meeting(a, b, a.r + b.r, spatial=True)
                if dt < math.inf:
                    self._push(dt, Kind.BALL, a, b.index, b.version)
            elif b.phase is Phase.STANDING and a.moving:
                dt = self._meeting(a, b, self.pins.reach, spatial=False)
                if dt < math.inf:
                    self._push(dt, Kind.PIN, a, b.index, b.version)

    def _predict_pin(self, a: Body) -> None:
        for b in self.bodies:
            if b is a or b.phase is Phase.GONE:
                continue
            if b.is_ball:
                if a.phase is Phase.STANDING and b.moving:
                    dt = self._meeting(b, a, self.pins.reach, spatial=False)
                    if dt < math.inf:
                        self._push(dt, Kind.PIN, b, a.index, a.version)
                continue
            if not a.moving and not b.moving:
                continue
            puck, other = (a, b) if a.moving else (b, a)
            standing = other.phase is Phase.STANDING
            dt = self._meeting(puck, other, puck.r + (self.pins.shape.base_r if standing else other.r), spatial=False)
            if dt < math.inf:
                self._push(dt, Kind.CHAIN if standing else Kind.PUCK_PUCK, puck, other.index, other.version)
        if a.moving:
            span = a.t_end - self.now
            for index, nose in enumerate(self.boundary.noses):
                dt = self._line(a, nose.x0, nose.y0, nose.nx, nose.ny, a.r, span)
                if dt < math.inf:
                    self._push(dt, Kind.PUCK_WALL, a, index, 0)

    def _meeting(self, a: Body, b: Body, reach: float, *, spatial: bool) -> float:
        """Time until a and b are `reach` apart, inf if they do not come so near in their present phases. a's t0 is now."""
        now = self.now
        da, db = now - a.t0, now - b.t0
        span = min(a.t_end, b.t_end) - now
        avx, avy, bvx, bvy = a.vx + da * a.ax, a.vy + da * a.ay, b.vx + db * b.ax, b.vy + db * b.ay
        px = a.x + da * (a.vx + 0.5 * da * a.ax) - b.x - db * (b.vx + 0.5 * db * b.ax)
        py = a.y + da * (a.vy + 0.5 * da * a.ay) - b.y - db * (b.vy + 0.5 * db * b.ay)
        vx, vy = avx - bvx, avy - bvy
        hx, hy = 0.5 * (a.ax - b.ax), 0.5 * (a.ay - b.ay)
        c0 = px * px + py * py - reach * reach
        c1 = 2.0 * (px * vx + py * vy)
        c2 = vx * vx + vy * vy + 2.0 * (px * hx + py * hy)
        c3 = 2.0 * (vx * hx + vy * hy)
        c4 = hx * hx + hy * hy
        if spatial and (a.phase is Phase.AIR or b.phase is Phase.AIR):
            pz = a.z + da * (a.vz + 0.5 * da * a.az) - b.z - db * (b.vz + 0.5 * db * b.az)
            vz = a.vz + da * a.az - b.vz - db * b.az
            hz = 0.5 * (a.az - b.az)
            c0 += pz * pz
            c1 += 2.0 * pz * vz
            c2 += vz * vz + 2.0 * pz * hz
            c3 += 2.0 * vz * hz
            c4 += hz * hz
        if c0 <= TOUCH_M2:
            if not spatial:
                return math.inf if c1 >= 0.0 or (a.index, b.index) in self._touching else 0.0
            wait = self._wait.get((min(a.index, b.index), max(a.index, b.index)), 0.0) - now
            if c1 < 0.0:
                return max(wait, 0.0) if wait < span else math.inf
            dt = first_root(1e-15, c1, c2, c3, c4, span) if span < math.inf else math.inf
            return max(dt, wait) if max(dt, wait) < span else math.inf
        if not spatial:
            self._touching.discard((a.index, b.index))
        if span == math.inf:
            return math.inf
        return first_root(c0, c1, c2, c3, c4, span)

    def _line(self, a: Body, x0: float, y0: float, nx: float, ny: float, offset: float, span: float) -> float:
        """Time until a's centre is `offset` in front of the line through (x0, y0); inf if not in `span`. a's t0 is now."""
        c0 = (a.x - x0) * nx + (a.y - y0) * ny - offset
        c1 = a.vx * nx + a.vy * ny
        c2 = 0.5 * (a.ax * nx + a.ay * ny)
        if c0 <= 1e-12:
            if c0 > -1e-7 and c1 < 0.0:
                return 0.0
            if c0 < -1e-7:
                return math.inf
            c0 = 1e-15
        return first_line_root(c0, c1, c2, span)

    def _predict_walls(self, a: Body) -> None:
        span = a.t_end - self.now
        near = a.r + a.travel + NEAR_M
        if abs(a.x) < self.boundary.half_l - near and abs(a.y) < self.boundary.half_w - near:
            return
        for index, nose in enumerate(self.boundary.noses):
            if (a.x - nose.x0) * nose.nx + (a.y - nose.y0) * nose.ny > near:
                continue
            dt = self._line(a, nose.x0, nose.y0, nose.nx, nose.ny, a.r, span)
            if dt < math.inf:
                x, y = a.x + dt * (a.vx + 0.5 * dt * a.ax), a.y + dt * (a.vy + 0.5 * dt * a.ay)
                along = (x - nose.x0) * nose.tx + (y - nose.y0) * nose.ty
                if -1e-9 <= along <= nose.length + 1e-9:
                    self._push(dt, Kind.NOSE, a, index, 0)
        for index, jaw in enumerate(self.boundary.jaws):
            self._predict_jaw(a, index, jaw, span)

    def _predict_jaw(self, a: Body, index: int, jaw: Jaw, span: float) -> None:
        px, py = a.x - jaw.cx, a.y - jaw.cy
        reach = a.r + jaw.r
        if px * px + py * py > (reach + a.travel + NEAR_M) ** 2:
            return
        hx, hy = 0.5 * a.ax, 0.5 * a.ay
        c0 = px * px + py * py - reach * reach
        c1 = 2.0 * (px * a.vx + py * a.vy)
        if c0 <= TOUCH_M2:
            if c1 < 0.0 and c0 > -1e-6:
                dt = 0.0
            elif c0 < -1e-6:
                return
            else:
                dt = first_root(
                    1e-15,
                    c1,
                    a.vx**2 + a.vy**2 + 2.0 * (px * hx + py * hy),
                    2.0 * (a.vx * hx + a.vy * hy),
                    hx * hx + hy * hy,
                    span,
                )
        else:
            dt = first_root(
                c0,
                c1,
                a.vx**2 + a.vy**2 + 2.0 * (px * hx + py * hy),
                2.0 * (a.vx * hx + a.vy * hy),
                hx * hx + hy * hy,
                span,
            )
        if dt == math.inf:
            return
        x, y = px + dt * (a.vx + dt * hx), py + dt * (a.vy + dt * hy)
        if (x * jaw.ax + y * jaw.ay >= -1e-9 and x * jaw.bx + y * jaw.by >= -1e-9) or _between(x, y, jaw):
            self._push(dt, Kind.JAW, a, index, 0)

    def _predict_mouths(self, a: Body) -> None:
        span = a.t_end - self.now
        if abs(a.x) < a.travel + NEAR_M:
            self._predict_cross(a, span)
        near = a.travel + NEAR_M
        for index, mouth in enumerate(self.boundary.mouths):
            if (a.x - mouth.x0) * mouth.nx + (a.y - mouth.y0) * mouth.ny > near:
                continue
            dt = self._line(a, mouth.x0, mouth.y0, mouth.nx, mouth.ny, 0.0, span)
            if dt < math.inf:
                x, y = a.x + dt * (a.vx + 0.5 * dt * a.ax), a.y + dt * (a.vy + 0.5 * dt * a.ay)
                along = (x - mouth.x0) * mouth.tx + (y - mouth.y0) * mouth.ty
                if 0.0 <= along <= mouth.length:
                    self._push(dt, Kind.POT, a, index, 0)

    def _predict_cross(self, a: Body, span: float) -> None:
        toward = -1.0 if a.x > 0 else 1.0
        dt = first_line_root(abs(a.x), a.vx * -toward, 0.5 * a.ax * -toward, span) if a.x else math.inf
        if dt < math.inf:
            self._push(dt, Kind.CROSS, a, -1, 0)

    # --- checking ------------------------------------------------------------------------------------------------

    def _total_energy(self) -> float:
        return sum(body.energy() for body in self.bodies if body.phase not in (Phase.GONE, Phase.STANDING))

    def _check(self) -> None:
        """Energy, overlap, boundary; positions are brought to now on copies of the numbers only."""
        total = 0.0
        places: list[tuple[Body, float, float, float]] = []
        for body in self.bodies:
            if body.phase in (Phase.GONE, Phase.STANDING):
                continue
            body.advance(self.now, self._mu[2])
            total += body.energy()
            if body.is_ball:
                places.append((body, body.x, body.y, body.z))
                self._check_inside(body)
        if total > self._energy + ENERGY_J:
            raise SimulationError(f"energy grew by {total - self._energy:.3e} J at {self.now:.6f} s")
        self._energy = min(self._energy, total)
        for i, (a, ax, ay, az) in enumerate(places):
            for b, bx, by, bz in places[i + 1 :]:
                gap = math.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2) - a.r - b.r
                if gap < -OVERLAP_M:
                    raise SimulationError(
                        f"balls {a.index} and {b.index} overlap by {-gap * 1e6:.1f} um at {self.now:.6f} s"
                    )

    def _check_inside(self, body: Body) -> None:
        limit_x = self.boundary.half_l + (0.1 if self.boundary.mouths else -body.r + OUTSIDE_M)
        limit_y = self.boundary.half_w + (0.1 if self.boundary.mouths else -body.r + OUTSIDE_M)
        if abs(body.x) > limit_x or abs(body.y) > limit_y:
            raise SimulationError(f"ball {body.index} is outside the table at {self.now:.6f} s")

    def _final_check(self) -> None:
        for body in self.bodies:
            if body.phase is not Phase.GONE and body.is_ball:
                self._check_inside(body)


def _between(x: float, y: float, jaw: Jaw) -> bool:
    """The direction (x, y) lies inside the arc from a to b (less than 180 degrees)."""
    turn = jaw.ax * jaw.by - jaw.ay * jaw.bx
    sign = 1.0 if turn > 0 else -1.0
    return sign * (jaw.ax * y - jaw.ay * x) >= -1e-9 and sign * (x * jaw.by - y * jaw.bx) >= -1e-9


_WITH_ELEMENT = frozenset({Kind.NOSE, Kind.JAW, Kind.POT, Kind.PUCK_WALL})
