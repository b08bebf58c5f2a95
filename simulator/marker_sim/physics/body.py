"""One moving thing and its motion between events: quadratic in time in every phase, so positions are exact."""

from __future__ import annotations

import math
from enum import IntEnum

from marker_sim.physics.params import GRAVITY

SLIP_EPS = 1e-5  # m/s of slip at the contact point below which a ball rolls
STILL_EPS = 1e-5  # m/s below which it does not move
SPIN_EPS = 1e-3  # rad/s


class Phase(IntEnum):
    """What a body does."""

    REST = 0
    SPIN = 1  # on the spot: not at rest by the rules
    ROLL = 2
    SLIDE = 3
    AIR = 4
    PUCK = 5  # a lying pin
    STANDING = 6  # a pin on its base
    GONE = 7  # potted or off the table


# Plain names: a member of an enumeration costs ten times as much to look up (Python 3.11), and these are asked for at every event.
REST, SPIN, ROLL, SLIDE, AIR = Phase.REST, Phase.SPIN, Phase.ROLL, Phase.SLIDE, Phase.AIR
PUCK, STANDING, GONE = Phase.PUCK, Phase.STANDING, Phase.GONE


class Body:
    """A ball (kind `ball`) or a pin. Position and velocity are those at time `t0`; `advance` brings them to another time.

    x, y, z: centre above its resting height, m; vx.. m/s; wx.. rad/s; ax.. m/s^2; dwx, dwy: change of spin, rad/s^2.
    """

    __slots__ = (
        "ax",
        "ay",
        "az",
        "dwx",
        "dwy",
        "horizon",
        "index",
        "is_ball",
        "m",
        "moving",
        "phase",
        "r",
        "t0",
        "t_end",
        "travel",
        "version",
        "vx",
        "vy",
        "vz",
        "wx",
        "wy",
        "wz",
        "x",
        "y",
        "z",
    )

    def __init__(self, index: int, r: float, m: float, x: float, y: float, *, is_ball: bool) -> None:
        self.index = index
        self.is_ball = is_ball
        self.r = r
        self.m = m
        self.x, self.y, self.z = x, y, 0.0
        self.vx = self.vy = self.vz = 0.0
        self.wx = self.wy = self.wz = 0.0
        self.ax = self.ay = self.az = 0.0
        self.dwx = self.dwy = 0.0
        self.phase = REST if is_ball else STANDING
        self.moving = False  # its place changes; kept beside the phase because it is asked for every pair
        self.t0 = 0.0
        self.t_end = math.inf
        self.horizon = math.inf  # until then it moves as it does now, unless it meets another body; not after t_end
        self.travel = 0.0  # upper bound of the way in plan from the last settling to the horizon, m
        self.version = 0

    def advance(self, t: float, spin_loss: float) -> None:
        """Bring position, velocity and spin to time `t` (not before t0)."""
        dt = t - self.t0
        if dt <= 0.0:
            return
        if self.moving:
            self.x += dt * (self.vx + 0.5 * dt * self.ax)
            self.y += dt * (self.vy + 0.5 * dt * self.ay)
            self.vx += dt * self.ax
            self.vy += dt * self.ay
            if self.phase is AIR:
                self.z += dt * (self.vz + 0.5 * dt * self.az)
                self.vz += dt * self.az
            elif self.phase is SLIDE:
                self.wx += dt * self.dwx
                self.wy += dt * self.dwy
            elif self.phase is ROLL:
                self.wx = -self.vy / self.r
                self.wy = self.vx / self.r
        if self.wz and self.phase is not AIR:
            left = abs(self.wz) - spin_loss * dt
            self.wz = math.copysign(left, self.wz) if left > 0.0 else 0.0
        self.t0 = t

    def settle(self, mu_slide: float, mu_roll: float, spin_loss: float) -> None:
        """Begin the phase that velocity and spin at t0 call for; sets accelerations and the end of the phase."""
        self.version += 1
        self.ax = self.ay = self.az = self.dwx = self.dwy = 0.0
        self.moving = True
        if self.z > 0.0 or self.vz > 0.0:
            self.phase = AIR
            self.az = -GRAVITY
            self.t_end = self.horizon = (
                self.t0 + (self.vz + math.sqrt(self.vz * self.vz + 2.0 * GRAVITY * self.z)) / GRAVITY
            )
            self.travel = math.hypot(self.vx, self.vy) * (self.t_end - self.t0)
            return
        slip_x, slip_y = self.vx - self.r * self.wy, self.vy + self.r * self.wx
        slip = math.hypot(slip_x, slip_y)
        if slip > SLIP_EPS:
            self.phase = SLIDE
            ux, uy = slip_x / slip, slip_y / slip
            pull = mu_slide * GRAVITY
            turn = 2.5 * pull / self.r
            self.ax, self.ay = -pull * ux, -pull * uy
            self.dwx, self.dwy = -turn * uy, turn * ux
            span = 2.0 * slip / (7.0 * pull)
            self.t_end = self.horizon = self.t0 + span
            self.travel = math.hypot(self.vx, self.vy) * span + 0.5 * pull * span * span
            return
        speed = math.hypot(self.vx, self.vy)
        if speed > STILL_EPS:
            self.phase = ROLL
            pull = mu_roll * GRAVITY
            self.ax, self.ay = -pull * self.vx / speed, -pull * self.vy / speed
            self.wx, self.wy = -self.vy / self.r, self.vx / self.r
            self.t_end = self.horizon = self.t0 + speed / pull
            self.travel = 0.5 * speed * speed / pull
            return
        self.vx = self.vy = self.wx = self.wy = self.travel = 0.0
        self.moving = False
        if abs(self.wz) > SPIN_EPS:
            self.phase = SPIN
            self.t_end = self.horizon = self.t0 + abs(self.wz) / spin_loss
            return
        self.wz = 0.0
        self.phase = REST
        self.t_end = self.horizon = math.inf

    def slide_on(self, mu: float) -> None:
        """Begin or go on as a lying pin that slides over the cloth."""
        self.version += 1
        speed = math.hypot(self.vx, self.vy)
        if speed <= STILL_EPS:
            self.vx = self.vy = self.ax = self.ay = self.travel = 0.0
            self.moving = False
            self.phase = REST
            self.t_end = self.horizon = math.inf
            return
        self.moving = True
        self.phase = PUCK
        pull = mu * GRAVITY
        self.ax, self.ay = -pull * self.vx / speed, -pull * self.vy / speed
        self.t_end = self.horizon = self.t0 + speed / pull
        self.travel = 0.5 * speed * speed / pull

    def look_ahead(self, until: float) -> None:
        """Something it does alone (a cushion, a pocket, the end of its phase) comes at `until` at the latest; t0 is now."""
        self.horizon = min(self.t_end, until)
        if until < self.t_end:
            dt = until - self.t0
            pull = math.hypot(self.ax, self.ay)
            self.travel = min(self.travel, dt * (math.hypot(self.vx, self.vy) + 0.5 * pull * dt))

    def leave(self) -> None:
        """Out of play: potted, off the table, taken away."""
        self.version += 1
        self.phase = GONE
        self.moving = False
        self.vx = self.vy = self.vz = self.wx = self.wy = self.wz = self.travel = 0.0

    def energy(self) -> float:
        """Kinetic, spin and height energy, J."""
        linear = 0.5 * self.m * (self.vx**2 + self.vy**2 + self.vz**2)
        if not self.is_ball:
            return linear
        inertia = 0.2 * self.m * self.r * self.r
        return linear + inertia * (self.wx**2 + self.wy**2 + self.wz**2) + self.m * GRAVITY * self.z
