"""Skittles: what a ball or a lying pin does to a standing one, and which ball began the chain (FP-T.3).

A pin is light (1.3 g): it hardly slows a ball. A ball meets its head; enough speed tips it over the base edge, a slow push
tips it when it is pushed far enough, a grazing ball only makes it wobble. A lying pin slides over the cloth as a puck.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from marker_sim.physics import contacts
from marker_sim.physics.body import Body, Phase
from marker_sim.physics.params import GRAVITY, Params
from marker_sim.rng import Stream


@dataclass(frozen=True, slots=True)
class PinShape:
    """Metres and kilograms; the defaults are those of the carom table file."""

    height: float = 0.025
    head_r: float = 0.0035
    base_r: float = 0.0035
    mass: float = 0.0013


class Outcome(Enum):
    """What became of a pin that was met."""

    TOPPLED = "toppled"
    WOBBLED = "wobbled"
    SHIFTED = "shifted"
    RESTOOD = "restood"


@dataclass(frozen=True, slots=True)
class PinEvent:
    """`pin` (body index) was met at `met`; `at`: when its base lost contact (toppled) or the same as `met`, s. root: the ball that began it."""

    met: float
    at: float
    pin: int
    outcome: Outcome
    root: int
    chain: bool
    vn: float
    shift_m: float = 0.0  # how far a shifted pin slid


@dataclass(slots=True)
class Pins:
    """The law of the pins for balls of one radius and mass; collects what happened to them.

    `chance`: whether a wobble leaves a pin shifted, whether a fallen one comes up again; None = neither.
    """

    params: Params
    shape: PinShape
    ball_r: float
    ball_m: float
    chance: Stream | None = None
    events: list[PinEvent] = field(default_factory=list)
    roots: dict[int, int] = field(default_factory=dict)

    @property
    def reach(self) -> float:
        """Plan distance of a ball's centre and a pin's axis at which the ball meets the head."""
        up = self.ball_r - self.shape.height + self.shape.head_r
        return math.sqrt((self.ball_r + self.shape.head_r) ** 2 - up * up)

    def hit(self, ball: Body, pin: Body, now: float, mu_roll: float) -> float:
        """A ball meets a standing pin's head; returns the speed of approach, m/s."""
        nx, ny = pin.x - ball.x, pin.y - ball.y
        distance = math.hypot(nx, ny)
        nx, ny = nx / distance, ny / distance
        vn = ball.vx * nx + ball.vy * ny
        law = self.params.pin
        speed = math.hypot(ball.vx, ball.vy)
        impact = abs(ball.vx * ny - ball.vy * nx) / speed * distance if speed else 0.0
        pushed = min(speed * vn / (2.0 * mu_roll * GRAVITY), distance - impact) if vn > 0 else 0.0
        if vn >= law.topple_v.v:
            self._drive(ball, pin, nx, ny, vn, law.e.v)
            self._fell(now, now + self._lost_after(vn), pin, ball.index, vn, chain=False)
        elif pushed > law.push_mm.v / 1000:
            self._drive(ball, pin, nx, ny, vn, 0.0)  # pushed over: from then on both go along together
            self._fell(now, now + law.lost_max_ms.v / 1000, pin, ball.index, vn, chain=False)
        else:
            self._wobble(now, pin, ball.index, vn)
        return vn

    def land(self, ball: Body, pin: Body, now: float) -> float:
        """A flying ball comes down on a standing pin and fells it, whichever way it moves; returns the speed, m/s."""
        nx, ny = pin.x - ball.x, pin.y - ball.y
        distance = math.hypot(nx, ny)
        nx, ny = (nx / distance, ny / distance) if distance > 0.0 else (1.0, 0.0)
        vn = ball.vx * nx + ball.vy * ny
        if vn > 0.0:
            self._drive(ball, pin, nx, ny, vn, self.params.pin.e.v)
        speed = max(vn, -ball.vz, self.params.pin.topple_v.v)
        self._fell(now, now + self._lost_after(speed), pin, ball.index, speed, chain=False)
        return speed

    @staticmethod
    def _drive(ball: Body, pin: Body, nx: float, ny: float, vn: float, e: float) -> None:
        """The pin is driven on along (nx, ny) with restitution `e`; the ball loses the little momentum that the pin takes."""
        share = (1.0 + e) * vn / (ball.m + pin.m)
        pin.vx, pin.vy = share * ball.m * nx, share * ball.m * ny
        ball.vx -= share * pin.m * nx
        ball.vy -= share * pin.m * ny

    def _lost_after(self, vn: float) -> float:
        """From the touch to the base losing contact, s."""
        return min(self.params.pin.lost_ms.v / vn, self.params.pin.lost_max_ms.v) / 1000

    def _wobble(self, now: float, pin: Body, root: int, vn: float) -> None:
        """The base kept contact; now and then the pin stays displaced by up to shift_max_mm, and by no more than it can slide.

        A ball that creeps on into a pin meets it a hundred times: the sum of its pushes is bounded by what it brings.
        """
        law = self.params.pin
        if self.chance is not None and self.chance.chance(law.shift_p.v):
            kick = (1.0 + law.e.v) * vn
            most = min(law.shift_max_mm.v / 1000, kick * kick / (2.0 * law.friction.v * GRAVITY))
            shift = self.chance.uniform(0.0, most)
            self.events.append(PinEvent(now, now, pin.index, Outcome.SHIFTED, root, chain=False, vn=vn, shift_m=shift))
            return
        self.events.append(PinEvent(now, now, pin.index, Outcome.WOBBLED, root, chain=False, vn=vn))

    def _fell(self, met: float, at: float, pin: Body, root: int, vn: float, *, chain: bool) -> None:
        self.events.append(PinEvent(met, at, pin.index, Outcome.TOPPLED, root, chain, vn))
        self.roots[pin.index] = root
        pin.t0 = met
        pin.phase = Phase.PUCK
        if self.chance is not None and self.chance.chance(self.params.pin.restand_p.v):
            up = at + self.chance.uniform(0.05, 0.4)
            self.events.append(PinEvent(met, up, pin.index, Outcome.RESTOOD, root, chain, vn))

    def chain(self, puck: Body, pin: Body, now: float) -> float | None:
        """A lying pin meets a standing one; returns the speed of approach, None where they part."""
        nx, ny = pin.x - puck.x, pin.y - puck.y
        distance = math.hypot(nx, ny)
        nx, ny = nx / distance, ny / distance
        vn = puck.vx * nx + puck.vy * ny
        if vn <= 0.0:
            return None
        law = self.params.pin
        root = self.roots.get(puck.index, -1)
        if vn >= law.chain_v.v:
            contacts.push(puck, pin, nx, ny, vn, law.puck_e.v)
            self._fell(now, now + self._lost_after(vn), pin, root, vn, chain=True)
        else:
            kick = 0.5 * (1.0 + law.e.v) * vn  # the standing pin slides, its base on the cloth
            shift = kick * kick / (2.0 * law.friction.v * GRAVITY)
            self.events.append(PinEvent(now, now, pin.index, Outcome.SHIFTED, root, chain=True, vn=vn, shift_m=shift))
            puck.vx -= (1.0 + law.puck_e.v) * vn * nx  # it rebounds from a pin that only slid a little
            puck.vy -= (1.0 + law.puck_e.v) * vn * ny
        return vn

    def bounce(self, a: Body, b: Body) -> None:
        """Two lying pins meet."""
        nx, ny = b.x - a.x, b.y - a.y
        distance = math.hypot(nx, ny)
        if distance == 0.0:
            return
        nx, ny = nx / distance, ny / distance
        vn = (a.vx - b.vx) * nx + (a.vy - b.vy) * ny
        if vn > 0.0:
            contacts.push(a, b, nx, ny, vn, self.params.pin.puck_e.v)
