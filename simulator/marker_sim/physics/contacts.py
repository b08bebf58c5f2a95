"""What velocities and spins become when two things meet. Pure functions of two bodies; the phases are begun by the engine."""

from __future__ import annotations

import math

from marker_sim.physics.body import Body
from marker_sim.physics.params import Params

HOP_VN = 3.0  # m/s: below it balls stay on the cloth
SOFT_VN = 0.005  # m/s: pushed or frozen balls; below it nothing rebounds
SOFT_WAIT_S = 2e-3  # a pushed pair is not tested again for so long
DEEP_M = 25e-6  # a pair that others have pressed into each other so far, half of what may be, waits less
DEEP_SHARE = 0.25


def ball_ball(a: Body, b: Body, p: Params) -> float:
    """Two balls meet; returns the speed of approach along the line of centres, m/s."""
    nx, ny, nz = b.x - a.x, b.y - a.y, b.z - a.z
    distance = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / distance, ny / distance, nz / distance
    ux, uy, uz = a.vx - b.vx, a.vy - b.vy, a.vz - b.vz
    vn = ux * nx + uy * ny + uz * nz
    if vn <= 0.0:
        return vn
    mass = a.m * b.m / (a.m + b.m)
    e = p.ball.e.v
    if vn < SOFT_VN:  # what the last push left of an overlap is undone within the time in which nobody looks again
        e = min(e, max(0.0, a.r + b.r - distance) / (SOFT_WAIT_S * vn))
    jn = (1.0 + e) * mass * vn
    a.vx -= jn * nx / a.m
    a.vy -= jn * ny / a.m
    b.vx += jn * nx / b.m
    b.vy += jn * ny / b.m
    if nz:
        a.vz -= jn * nz / a.m
        b.vz += jn * nz / b.m
        if a.z <= 0.0 and a.vz < 0.0:
            a.vz = 0.0
        if b.z <= 0.0 and b.vz < 0.0:
            b.vz = 0.0
    flat = math.hypot(nx, ny)
    if flat > 1e-9:
        tx, ty = -ny / flat, nx / flat
        vt = ux * tx + uy * ty + a.r * a.wz + b.r * b.wz
        jt = -math.copysign(min(p.ball.friction.v * jn, (2.0 / 7.0) * mass * abs(vt)), vt)
        a.vx += jt * tx / a.m
        a.vy += jt * ty / a.m
        b.vx -= jt * tx / b.m
        b.vy -= jt * ty / b.m
        a.wz += 2.5 * jt / (a.m * a.r)
        b.wz += 2.5 * jt / (b.m * b.r)
    return vn


def hop(a: Body, b: Body, vn: float, rise: float, p: Params) -> None:
    """A hard collision lifts both balls by `rise` of their approach `vn`, as far as the energy goes that it has cost."""
    most = math.sqrt(max(0.0, 1.0 - p.ball.e.v**2)) / 2.0
    up = min(abs(rise), most) * vn
    for ball in (a, b):
        if ball.z <= 0.0 and ball.vz <= 0.0:
            ball.vz = up


def from_rail(ball: Body, nx: float, ny: float, p: Params) -> None:
    """A ball that ran up on the rail, whose normal is (nx, ny), comes back slowly and falls onto the bed; it spins no more."""
    vn = ball.vx * nx + ball.vy * ny
    kept = p.cushion.rail_kept.v
    ball.vx, ball.vy = kept * (ball.vx - 2.0 * vn * nx), kept * (ball.vy - 2.0 * vn * ny)
    ball.vz = ball.wx = ball.wy = ball.wz = 0.0


def ball_wall(ball: Body, nx: float, ny: float, p: Params) -> float:
    """A ball meets a cushion or jaw whose normal (nx, ny) points at it; returns the speed of approach, m/s."""
    vn = -(ball.vx * nx + ball.vy * ny)
    if vn <= 0.0:
        return vn
    c = p.cushion
    e = c.e.v * (1.0 - c.e_loss.v * min(vn, 5.0))
    jn = (1.0 + e) * vn
    tx, ty = -ny, nx
    vt = ball.vx * tx + ball.vy * ty - ball.r * ball.wz
    jt = -math.copysign(min(c.friction.v * jn, (2.0 / 7.0) * abs(vt)), vt)
    ball.vx += jn * nx + jt * tx
    ball.vy += jn * ny + jt * ty
    ball.wz -= 2.5 * jt / ball.r
    about = ball.wx * tx + ball.wy * ty
    lost = about * (1.0 - c.topspin_kept.v)
    ball.wx -= lost * tx
    ball.wy -= lost * ty
    return vn


def push(a: Body, b: Body, nx: float, ny: float, vn: float, e: float) -> None:
    """Momentum along (nx, ny) from a to b with restitution e; no spin. For pins, standing or lying."""
    mass = a.m * b.m / (a.m + b.m)
    j = (1.0 + e) * mass * vn
    a.vx -= j * nx / a.m
    a.vy -= j * ny / a.m
    b.vx += j * nx / b.m
    b.vy += j * ny / b.m


def puck_wall(pin: Body, nx: float, ny: float, e: float) -> None:
    """A lying pin bounces off a rail."""
    vn = -(pin.vx * nx + pin.vy * ny)
    if vn > 0.0:
        pin.vx += (1.0 + e) * vn * nx
        pin.vy += (1.0 + e) * vn * ny
