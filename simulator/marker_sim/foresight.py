"""When a stroke that is only tried out has told all that its player wants to know: five-pins.

Two thirds of the events of a stroke come after the last one that scores. A candidate need not be played to its end once
nothing can score any more, or once it can no longer be the best: the choice is the same, and it costs a third less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from marker_sim.physics.body import GONE, SLIDE, STANDING, Body
from marker_sim.physics.engine import Engine, Happened, Kind
from marker_sim.physics.params import GRAVITY
from marker_sim.physics.pins import Outcome
from marker_sim.physics.telling import SAME_S

CUE, OPPONENT, RED = 0, 1, 2  # bodies of a stroke
SPOILT_COSTS = 2.0  # what an error or a pin felled by the cue ball costs its player at least
MARGIN = 1.25  # of the way that all energy of a ball can roll it: what it slides after a cushion comes on top, under 1 % a time
FAR_M = 1.2  # farther ways reach nearly everything on the table


class Foresight:
    """Watches one candidate; given to `Engine.run`. `least`: what it must beat, points."""

    def __init__(self, least: float) -> None:
        self.spoilt = False  # it is known not to beat `least`
        self._may_spoil = least >= -SPOILT_COSTS
        self._read = self._pins = 0  # so many entries of the log and of the pins' events are read
        self._right = False  # the opponent's ball was met, and in time
        self._red_at = math.inf

    def __call__(self, engine: Engine) -> bool:
        """Whether the rest of the stroke need not be played."""
        if self._may_spoil and self._is_spoilt(engine):
            self.spoilt = True
            return True
        return out_of_reach(engine)

    def _is_spoilt(self, engine: Engine) -> bool:
        """The cue ball met red first or felled a pin: all that counts then counts for the opponent (FP-F.B, FP-F.G, FP-8.3).

        Balls met within SAME_S are met at once, which is no error: so long the touch of red alone says nothing.
        """
        if not self._right and len(engine.log) > self._read:
            self._met(engine.log[self._read :])
            self._read = len(engine.log)
        events = engine.pins.events
        if len(events) > self._pins:
            new, self._pins = events[self._pins :], len(events)
            if any(event.root == CUE and event.outcome is Outcome.TOPPLED for event in new):
                return True
        return engine.now > self._red_at + SAME_S

    def _met(self, log: Sequence[Happened]) -> None:
        for happened in log:
            if happened.kind is Kind.BALL and CUE in (happened.a, happened.b):
                if OPPONENT in (happened.a, happened.b):
                    self._right, self._red_at = True, math.inf
                    return
                self._red_at = min(self._red_at, happened.t)


def out_of_reach(engine: Engine) -> bool:
    """Whether no ball can come to another one or to a standing pin any more, whichever way the cushions send it.

    A ball rolls on for v^2 / (2 mu g); of all motions with the same energy rolling is the one that carries it farthest.
    """
    now, n_balls, bodies = engine.now, engine.n_balls, engine.bodies
    pull = 2.0 * engine.params.cloth.roll.v * GRAVITY
    fast = FAR_M * pull
    for body in bodies:  # nearly always this is all that is looked at
        if body.moving and (not body.is_ball or body.vx * body.vx + body.vy * body.vy > fast):
            return False
    reaches = []
    for ball in bodies[:n_balls]:
        if ball.z > 0.0 or ball.vz != 0.0:
            return False
        reaches.append(MARGIN * (10.0 / 7.0) / pull * _energy(ball, now) if ball.moving else 0.0)
    places = [_place(ball, now) for ball in bodies[:n_balls]]
    for i, (a, reach) in enumerate(zip(places, reaches, strict=True)):
        if bodies[i].phase is GONE:
            continue
        for j in range(i):
            far = reach + reaches[j]
            if far and bodies[j].phase is not GONE and math.dist(a, places[j]) <= far + bodies[i].r + bodies[j].r:
                return False
        if reach:
            far = reach + engine.pins.reach
            if any(pin.phase is STANDING and math.dist(a, (pin.x, pin.y)) <= far for pin in bodies[n_balls:]):
                return False
    return True


def _energy(ball: Body, now: float) -> float:
    """Of motion and spin, J/kg."""
    dt = now - ball.t0
    vx, vy, wx, wy = ball.vx + dt * ball.ax, ball.vy + dt * ball.ay, ball.wx, ball.wy
    if ball.phase is SLIDE:
        wx, wy = wx + dt * ball.dwx, wy + dt * ball.dwy
    return 0.5 * (vx * vx + vy * vy) + 0.2 * ball.r * ball.r * (wx * wx + wy * wy + ball.wz * ball.wz)


def _place(ball: Body, now: float) -> tuple[float, float]:
    dt = now - ball.t0
    return (ball.x + dt * (ball.vx + 0.5 * dt * ball.ax), ball.y + dt * (ball.vy + 0.5 * dt * ball.ay))
