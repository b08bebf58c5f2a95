"""The queue of predicted events: when, at the earliest, the phases of the bodies as they are now bring something about.

Heap of (t, counter, kind, i, j, version of i, version of j): a changed body has a new version, so older predictions are
dropped when they come up. The counter makes ties deterministic.
"""

from __future__ import annotations

import heapq
import math
from enum import IntEnum
from typing import NamedTuple

from marker_sim.physics.body import AIR, GONE, STANDING, Body
from marker_sim.physics.boundary import Boundary, Jaw, Mouth, Nose
from marker_sim.physics.contacts import SOFT_VN
from marker_sim.physics.roots import first_line_root, first_root

TOUCH_M2 = 1e-9
NEAR_M = 1e-6  # slack of the tests that only throw out what is far
NO_VERSION = -1  # of an element of the boundary, which never changes


class Kind(IntEnum):
    """What an event is. Only those below PHASE reach the log."""

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
    RETURN = 10  # up on a rail and back on the bed
    FRAME = 11  # up on a rail where that is out of play
    PHASE = 20
    PUCK_WALL = 21
    PUCK_PUCK = 22
    FACE = 23  # the straight side of a pocket behind its jaws
    DESCEND = 24  # a flying ball comes down to the height of the pins


# An enumeration's member costs ten times a plain name to look up (Python 3.11), and these are asked for at every event.
BALL, NOSE, JAW, FACE, POT, CROSS = Kind.BALL, Kind.NOSE, Kind.JAW, Kind.FACE, Kind.POT, Kind.CROSS
PIN, CHAIN, PHASE, DESCEND = Kind.PIN, Kind.CHAIN, Kind.PHASE, Kind.DESCEND
PUCK_WALL, PUCK_PUCK = Kind.PUCK_WALL, Kind.PUCK_PUCK


class Leg(NamedTuple):
    """How a body moved from `t` on, until its next leg: positions are quadratic in time. `phase`: a `Phase`."""

    body: int
    t: float
    x: float
    y: float
    z: float
    vx: float
    vy: float
    vz: float
    ax: float
    ay: float
    az: float
    phase: int

    def at(self, t: float) -> tuple[float, float, float]:
        """The place at time `t`."""
        dt = t - self.t
        return (
            self.x + dt * (self.vx + 0.5 * dt * self.ax),
            self.y + dt * (self.vy + 0.5 * dt * self.ay),
            self.z + dt * (self.vz + 0.5 * dt * self.az),
        )


class Castle(NamedTuple):
    """The circle in plan in which a ball can meet a pin: centre, and radius up to the ball's centre, m."""

    x: float
    y: float
    r: float


def _castle(pins: list[Body], reach: float) -> Castle | None:
    """Around the pins that stand before the stroke, wherever the table's file has their seats; None without."""
    standing = [pin for pin in pins if pin.phase is STANDING]
    if not standing:
        return None
    x, y = sum([pin.x for pin in standing]) / len(standing), sum([pin.y for pin in standing]) / len(standing)
    return Castle(x, y, max([math.hypot(pin.x - x, pin.y - y) for pin in standing]) + reach + NEAR_M)


class Schedule:
    """Bodies, where they can go, and the queue. `now`: s; every body's own t0 is not later."""

    def __init__(self, boundary: Boundary, bodies: list[Body], n_balls: int, pins: PinReach) -> None:
        self.boundary = boundary
        self.bodies = bodies
        self.n_balls = n_balls
        self.now = 0.0
        self._reach = pins
        self._balls, self._pins = bodies[:n_balls], bodies[n_balls:]
        self._castle = _castle(self._pins, pins.distance)
        self._heap: list[tuple[float, int, Kind, int, int, int, int]] = []
        self._counter = 0
        self._wait: dict[tuple[int, int], float] = {}
        # (lower index, higher index) of pairs with a pin that met and have not parted
        self._touching: set[tuple[int, int]] = set()
        self.legs: list[Leg] | None = None  # kept where somebody wants to draw the shot

    def _push(self, dt: float, kind: Kind, a: Body, j: int, vj: int) -> None:
        self._counter += 1
        heapq.heappush(self._heap, (self.now + dt, self._counter, kind, a.index, j, a.version, vj))

    def _predict_all(self) -> None:
        """Before the first event. What rests or stands is found by the body that moves; only where one of a lower index
        rests, its own look comes first, because the lower index is the first body of an event.
        """
        last = max((body.index for body in self.bodies if body.moving), default=-1)
        for body in self.bodies:
            if body.index <= last or body.t_end < math.inf:
                self._predict(body)
            else:
                self._trace(body)

    def _trace(self, b: Body) -> None:
        if self.legs is not None:
            self.legs.append(Leg(b.index, self.now, b.x, b.y, b.z, b.vx, b.vy, b.vz, b.ax, b.ay, b.az, int(b.phase)))

    def _predict(self, body: Body) -> None:
        """All the next events of `body`, whose t0 is now."""
        if self.legs is not None:
            self._trace(body)
        phase = body.phase
        if phase is GONE:
            return
        if body.t_end < math.inf:
            self._push(body.t_end - self.now, PHASE, body, -1, NO_VERSION)
        if not body.is_ball:
            self._predict_pin(body)
            return
        if body.moving:
            first = self._predict_walls(body)
            if self.boundary.mouths:
                first = min(first, self._predict_mouths(body))
            body.look_ahead(self.now + first)
        self._predict_balls(body)
        if self._castle is not None and body.moving:
            self._predict_pins(body, self._castle)
            if phase is AIR:
                self._predict_descent(body)

    def _predict_balls(self, a: Body) -> None:
        """Ball `a` against all other balls; the pair's polynomial only where nothing simpler excludes it."""
        now, a_moves, in_air = self.now, a.moving, a.phase is AIR
        ax, ay, avx, avy, ahx, ahy = a.x, a.y, a.vx, a.vy, 0.5 * a.ax, 0.5 * a.ay
        a_end, a_r, near = a.horizon, a.r, a.r + a.travel + NEAR_M
        for b in self._balls:
            # Even over the whole of their phases they cannot come together: the common case first.
            px, py, reach = ax - b.x, ay - b.y, near + b.r + b.travel
            if px * px + py * py > reach * reach or b is a:
                continue
            if b.moving:
                db = now - b.t0
                bhx, bhy = 0.5 * b.ax, 0.5 * b.ay
                px -= db * (b.vx + db * bhx)
                py -= db * (b.vy + db * bhy)
                vx, vy = avx - b.vx - 2.0 * db * bhx, avy - b.vy - 2.0 * db * bhy
                hx, hy = ahx - bhx, ahy - bhy
                span = (b.horizon if b.horizon < a_end else a_end) - now  # noqa: FURB136 - a call to min is slower
            elif not a_moves or b.phase is GONE:
                continue
            else:
                vx, vy, hx, hy = avx, avy, ahx, ahy
                span = a_end - now
            meet = a_r + b.r
            pp, pv, ph = px * px + py * py, px * vx + py * vy, px * hx + py * hy
            if pp > meet * meet + 1e-6 and _passes(pp, pv, ph, span, meet):
                continue
            flat = (pp - meet * meet, 2.0 * pv, vx * vx + vy * vy + 2.0 * ph, 2.0 * (vx * hx + vy * hy))
            c4 = hx * hx + hy * hy
            if in_air or b.phase is AIR:
                flat, c4 = self._lifted(a, b, flat, c4)
            dt = self._pair_root(a, b, (*flat, c4), span)
            if dt < math.inf:
                self._push(dt, BALL, a, b.index, b.version)

    def _predict_pins(self, a: Body, castle: Castle) -> None:
        """Moving ball `a` against the standing pins: first against the circle around all of them."""
        x, y, vx, vy, hx, hy = a.x, a.y, a.vx, a.vy, 0.5 * a.ax, 0.5 * a.ay
        span, meet = a.horizon - self.now, castle.r
        px, py, reach = x - castle.x, y - castle.y, castle.r + a.travel
        pp = px * px + py * py
        if pp > reach * reach:
            return
        if pp > meet * meet + 1e-6 and _passes(pp, px * vx + py * vy, px * hx + py * hy, span, meet):
            if self._touching:
                self._touching.difference_update([(a.index, pin.index) for pin in self._pins])
            return
        meet = self._reach.distance
        c4, near = hx * hx + hy * hy, meet + a.travel + NEAR_M
        for b in self._pins:
            if b.phase is not STANDING:
                continue
            px, py = x - b.x, y - b.y
            pp = px * px + py * py
            if pp > near * near:
                continue
            pv, ph = px * vx + py * vy, px * hx + py * hy
            if pp > meet * meet + 1e-6 and _passes(pp, pv, ph, span, meet):
                self._touching.discard((a.index, b.index))
                continue
            c = (pp - meet * meet, 2.0 * pv, vx * vx + vy * vy + 2.0 * ph, 2.0 * (vx * hx + vy * hy), c4)
            dt = self._pin_root(a, b, c, span)
            if dt < math.inf:
                self._push(dt, PIN, a, b.index, b.version)

    def _lifted(
        self, a: Body, b: Body, flat: tuple[float, float, float, float], c4: float
    ) -> tuple[tuple[float, float, float, float], float]:
        """The polynomial of a pair with the height of flying balls."""
        db = self.now - b.t0
        pz = a.z - b.z - db * (b.vz + 0.5 * db * b.az)
        vz = a.vz - b.vz - db * b.az
        hz = 0.5 * (a.az - b.az)
        c0, c1, c2, c3 = flat
        return (c0 + pz * pz, c1 + 2.0 * pz * vz, c2 + vz * vz + 2.0 * pz * hz, c3 + 2.0 * vz * hz), c4 + hz * hz

    def _pair_root(self, a: Body, b: Body, c: tuple[float, float, float, float, float], span: float) -> float:
        """Time until two balls meet, inf if they do not in their present phases."""
        if c[0] > TOUCH_M2:
            return first_root(*c, span)
        pair = (a.index, b.index) if a.index < b.index else (b.index, a.index)
        soft = c[1] > -2.0 * (a.r + b.r) * SOFT_VN  # a pair that something drives together hard never waits
        wait = self._wait.get(pair, 0.0) - self.now if soft else 0.0
        if c[1] < 0.0:
            return max(wait, 0.0) if wait < span else math.inf
        later = max(first_root(1e-15, c[1], c[2], c[3], c[4], span), wait)
        return later if later < span else math.inf

    def _pin_root(self, a: Body, b: Body, c: tuple[float, float, float, float, float], span: float) -> float:
        """Time until a meeting in plan of which one is a pin; a pair that met does not meet again before it has parted."""
        if c[0] <= TOUCH_M2:
            return math.inf if c[1] >= 0.0 or (a.index, b.index) in self._touching else 0.0
        self._touching.discard((a.index, b.index))
        return first_root(*c, span)

    def _predict_pin(self, a: Body) -> None:
        """Pin `a` against moving balls if it stands, against the other pins, and against the cushions if it slides."""
        if a.phase is STANDING:
            for ball in self._balls:
                if ball.moving:
                    c, span = self._plan(ball, a, self._reach.distance)
                    dt = self._pin_root(ball, a, c, span)
                    if dt < math.inf:
                        self._push(dt, PIN, ball, a.index, a.version)
        for b in self._pins:
            if b is a or b.phase is GONE or not (a.moving or b.moving):
                continue
            puck, other = (a, b) if a.moving else (b, a)
            standing = other.phase is STANDING
            c, span = self._plan(puck, other, puck.r + (self._reach.base if standing else other.r))
            dt = self._pin_root(*_in_order(puck, other), c, span)
            if dt < math.inf:
                self._push(dt, CHAIN if standing else PUCK_PUCK, puck, other.index, other.version)
        if a.moving:
            span = a.t_end - self.now
            for index, nose in enumerate(self.boundary.noses):
                gap = (a.x - nose.x0) * nose.nx + (a.y - nose.y0) * nose.ny
                dt = self._line(a, nose, gap - a.r, span)
                if dt < math.inf:
                    self._push(dt, PUCK_WALL, a, index, NO_VERSION)

    def _plan(self, a: Body, b: Body, reach: float) -> tuple[tuple[float, float, float, float, float], float]:
        """The polynomial of two bodies in plan and how long it holds."""
        da, db = self.now - a.t0, self.now - b.t0
        span = min(a.horizon, b.horizon) - self.now
        px = a.x + da * (a.vx + 0.5 * da * a.ax) - b.x - db * (b.vx + 0.5 * db * b.ax)
        py = a.y + da * (a.vy + 0.5 * da * a.ay) - b.y - db * (b.vy + 0.5 * db * b.ay)
        vx, vy = a.vx + da * a.ax - b.vx - db * b.ax, a.vy + da * a.ay - b.vy - db * b.ay
        hx, hy = 0.5 * (a.ax - b.ax), 0.5 * (a.ay - b.ay)
        c = (
            px * px + py * py - reach * reach,
            2.0 * (px * vx + py * vy),
            vx * vx + vy * vy + 2.0 * (px * hx + py * hy),
            2.0 * (vx * hx + vy * hy),
            hx * hx + hy * hy,
        )
        return c, span

    def _line(self, a: Body, wall: Nose | Mouth, c0: float, span: float) -> float:
        """Time until a, whose t0 is now, has come the way `c0` nearer to the line of `wall`; inf if not in `span`."""
        nx, ny = wall.nx, wall.ny
        c1 = a.vx * nx + a.vy * ny
        c2 = 0.5 * (a.ax * nx + a.ay * ny)
        if c2 <= 0.0 < c0 - 1e-12 and c0 + span * (c1 + span * c2) > 1e-12:
            return math.inf  # concave and positive at both ends: positive in between
        if c0 <= 1e-12:
            if c0 > -1e-7 and c1 < 0.0:
                return 0.0
            if c0 < -1e-7:
                return self._back_behind(c0, c1, c2, span)
            c0 = 1e-15
        return first_line_root(c0, c1, c2, span)

    @staticmethod
    def _back_behind(c0: float, c1: float, c2: float, span: float) -> float:
        """Time until a centre behind a line, come out before it on a bent way, is back at it: out of a pocket's mouth, onto the cushion beside."""
        inside = c1 * c1 - 4.0 * c2 * c0
        if c1 <= 0.0 or c2 >= 0.0 or inside <= 0.0:
            return math.inf
        back = (-c1 - math.sqrt(inside)) / (2.0 * c2)
        return back if back <= span else math.inf

    def _along(self, a: Body, wall: Nose, dt: float) -> float:
        """How far along a wall a's centre is in `dt`, m."""
        x, y = a.x + dt * (a.vx + 0.5 * dt * a.ax), a.y + dt * (a.vy + 0.5 * dt * a.ay)
        return (x - wall.x0) * wall.tx + (y - wall.y0) * wall.ty

    def _predict_walls(self, a: Body) -> float:
        """Cushions, jaws and faces; returns the time to the first, which happens unless something else changes `a` before."""
        near = a.r + a.travel + NEAR_M
        edge_x, edge_y = self.boundary.half_l - near, self.boundary.half_w - near
        first = math.inf
        if -edge_x < a.x < edge_x and -edge_y < a.y < edge_y:
            return first
        span = a.t_end - self.now
        for kind, walls in ((NOSE, self.boundary.noses), (FACE, self.boundary.faces)):
            for index, wall in enumerate(walls):
                gap = (a.x - wall.x0) * wall.nx + (a.y - wall.y0) * wall.ny
                if gap > near:
                    continue
                dt = self._line(a, wall, gap - a.r, span)
                if dt < math.inf and -1e-9 <= self._along(a, wall, dt) <= wall.length + 1e-9:
                    self._push(dt, kind, a, index, NO_VERSION)
                    first = min(first, dt)
        for index, jaw in enumerate(self.boundary.jaws):
            first = min(first, self._predict_jaw(a, index, jaw, span))
        return first

    def _predict_jaw(self, a: Body, index: int, jaw: Jaw, span: float) -> float:
        px, py = a.x - jaw.cx, a.y - jaw.cy
        reach = a.r + jaw.r
        far = reach + a.travel + NEAR_M
        pp = px * px + py * py
        if pp > far * far:
            return math.inf
        hx, hy = 0.5 * a.ax, 0.5 * a.ay
        c0, c1 = pp - reach * reach, 2.0 * (px * a.vx + py * a.vy)
        if c0 <= TOUCH_M2:
            if c0 <= -1e-6:
                return math.inf
            dt, c0 = (0.0, c0) if c1 < 0.0 else (math.inf, 1e-15)
        else:
            dt = math.inf
        if dt:
            c2, c3 = a.vx * a.vx + a.vy * a.vy + 2.0 * (px * hx + py * hy), 2.0 * (a.vx * hx + a.vy * hy)
            dt = first_root(c0, c1, c2, c3, hx * hx + hy * hy, span)
        if dt == math.inf:
            return dt
        x, y = px + dt * (a.vx + dt * hx), py + dt * (a.vy + dt * hy)
        if not jaw.spans(x, y):
            return math.inf
        self._push(dt, JAW, a, index, NO_VERSION)
        return dt

    def _predict_mouths(self, a: Body) -> float:
        """Pockets and the centre line; returns the time to the first fall."""
        first = math.inf
        span, travel = a.t_end - self.now, a.travel + NEAR_M
        if -travel < a.x < travel:
            self._predict_cross(a, span)
        for index, mouth in enumerate(self.boundary.mouths):
            gap = (a.x - mouth.x0) * mouth.nx + (a.y - mouth.y0) * mouth.ny
            if gap > travel:
                continue
            dt = self._line(a, mouth, gap, span)
            if dt < math.inf:
                x, y = a.x + dt * (a.vx + 0.5 * dt * a.ax), a.y + dt * (a.vy + 0.5 * dt * a.ay)
                if 0.0 <= (x - mouth.x0) * mouth.tx + (y - mouth.y0) * mouth.ty <= mouth.length:
                    self._push(dt, POT, a, index, NO_VERSION)
                    first = min(first, dt)
        return first

    def _predict_cross(self, a: Body, span: float) -> None:
        """The centre crosses x = 0; a ball that starts on the line does not cross it."""
        side = 1.0 if a.x > 0 else -1.0
        if abs(a.x) < 1e-12:
            return
        dt = first_line_root(abs(a.x), a.vx * side, 0.5 * a.ax * side, span)
        if dt < math.inf:
            self._push(dt, CROSS, a, -1, NO_VERSION)

    def _predict_descent(self, a: Body) -> None:
        """When the underside of a flying ball comes down to the height of the pins."""
        above = a.z - self._reach.height
        inside = a.vz * a.vz - 2.0 * a.az * above
        if inside < 0.0:
            return
        dt = (a.vz + math.sqrt(inside)) / -a.az
        if 1e-12 < dt < a.t_end - self.now:
            self._push(dt, DESCEND, a, -1, NO_VERSION)


def _passes(pp: float, pv: float, ph: float, span: float, meet: float) -> bool:
    """Whether a way stays farther than `meet` from the origin: it lies in the triangle of its control points, and all of
    them are on the far side of a line. pp, pv, ph: products of the place with itself, velocity and half the acceleration.
    """
    middle, end = pp + 0.5 * span * pv, pp + span * (pv + span * ph)
    limit = meet * meet * pp
    return middle > 0.0 and end > 0.0 and middle * middle > limit and end * end > limit


def _in_order(a: Body, b: Body) -> tuple[Body, Body]:
    return (a, b) if a.index < b.index else (b, a)


class PinReach:
    """What the schedule must know of the pins: plan distance of ball centre and pin axis at a meeting, base radius, height, m."""

    __slots__ = ("base", "distance", "height")

    def __init__(self, distance: float, base: float, height: float) -> None:
        self.distance, self.base, self.height = distance, base, height
