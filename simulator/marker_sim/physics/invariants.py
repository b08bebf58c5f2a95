"""What must hold at every event, whatever is played: energy never grows, balls keep apart and stay on the table."""

from __future__ import annotations

import math

from marker_sim.physics.body import GONE, STANDING, Body
from marker_sim.physics.boundary import Boundary

OVERLAP_M = 50e-6
ENERGY_J = 1e-7
OUTSIDE_M = 1e-6


class SimulationError(RuntimeError):
    """An invariant is broken. The shot is never repaired or drawn again quietly."""


class Guard:
    """Watches one shot. `spin_loss`: rad/s^2, needed to bring bodies to the moment of a check."""

    def __init__(self, boundary: Boundary, bodies: list[Body], spin_loss: float) -> None:
        self.boundary = boundary
        self.bodies = bodies
        self._spin_loss = spin_loss
        self._energy = 0.0
        self._playing = 0
        # Inside a pocket a ball may stand beyond the nose line: as far as the fall line, and its radius beside the axis.
        self._pocket_m = max(
            (abs(m.x0 - m.mx) + abs(m.y0 - m.my) + 2 * m.length for m in boundary.mouths), default=-OUTSIDE_M
        )

    def begin(self, *, every_event: bool) -> None:
        """Before the first event. every_event: `at_event` will be asked, not only `at_end`."""
        self._energy = self._total() if every_event else math.inf
        self._playing = sum(body.is_ball and body.phase is not GONE for body in self.bodies)

    def left(self, body: Body) -> None:
        """`body` is about to leave the table, with its energy."""
        self._energy -= body.energy()
        self._playing -= 1

    def at_event(self, now: float) -> None:
        """All invariants at time `now`. Raises SimulationError."""
        balls = [body for body in self.bodies if body.is_ball and body.phase is not GONE]
        if len(balls) != self._playing:
            raise SimulationError(f"{len(balls)} balls in play instead of {self._playing} at {now:.6f} s")
        for body in self.bodies:
            if body.phase not in (GONE, STANDING):
                body.advance(now, self._spin_loss)
        total = self._total()
        if total > self._energy + ENERGY_J:
            raise SimulationError(f"energy grew by {total - self._energy:.3e} J at {now:.6f} s")
        self._energy = min(self._energy, total)
        for body in balls:
            self._inside(body, now)
        self._apart(balls, now)

    def at_end(self, now: float) -> None:
        """The last look at every shot, checked or not. Raises SimulationError."""
        balls = [body for body in self.bodies if body.is_ball and body.phase is not GONE]
        for body in balls:
            self._inside(body, now)
        self._apart(balls, now)

    def _total(self) -> float:
        return sum(body.energy() for body in self.bodies if body.phase not in (GONE, STANDING))

    def _apart(self, balls: list[Body], now: float) -> None:
        for i, a in enumerate(balls):
            for b in balls[i + 1 :]:
                gap = math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2) - a.r - b.r
                if gap < -OVERLAP_M:
                    raise SimulationError(
                        f"balls {a.index} and {b.index} overlap by {-gap * 1e6:.1f} um at {now:.6f} s"
                    )

    def _inside(self, body: Body, now: float) -> None:
        """On the bed up to the noses, or, beyond a nose line, within a pocket."""
        edge = self.boundary
        room = body.r - OUTSIDE_M
        if abs(body.x) <= edge.half_l - room and abs(body.y) <= edge.half_w - room:
            return
        pocket = self._pocket_m + body.r
        if not any(math.hypot(body.x - m.mx, body.y - m.my) <= pocket for m in edge.mouths):
            raise SimulationError(
                f"ball {body.index} is outside the table at ({body.x:.4f}, {body.y:.4f}) m, {now:.6f} s"
            )
