"""Where everything lies when a shot is over."""

from __future__ import annotations

from collections.abc import Mapping

from marker_rules.balls import Pin
from marker_sim.physics.body import Body, Phase
from marker_sim.physics.engine import Engine
from marker_sim.physics.pins import Outcome
from marker_sim.physics.telling import Cast
from marker_sim.timeline import Final, PinEnd

Place = tuple[float, float]


def final(engine: Engine, cast: Cast, seats: Mapping[Pin, Place] | None = None) -> Final:
    """The ends of a finished shot, in mm. `seats`: of the pins, m; a pin that stands is where its seat is, but for how far it slid."""
    count = len(cast.balls)
    balls = tuple(
        (ball, None if body.phase is Phase.GONE else (body.x * 1000, body.y * 1000))
        for ball, body in zip(cast.balls, engine.bodies[:count], strict=True)
    )
    pins = tuple(
        _pin(engine, pin, body, (seats or {}).get(pin, (body.x, body.y)))
        for pin, body in zip(cast.pins, engine.bodies[count:], strict=True)
    )
    return Final(balls, pins)


def _pin(engine: Engine, pin: Pin, body: Body, seat: Place) -> PinEnd:
    mine = [event for event in engine.pins.events if event.pin == body.index]
    if body.phase is Phase.GONE:
        return PinEnd(pin, None, stands=False)
    stands = body.phase is Phase.STANDING or any(event.outcome is Outcome.RESTOOD for event in mine)
    x, y = seat if stands else (body.x, body.y)
    return PinEnd(pin, (x * 1000, y * 1000), stands, sum((event.shift_m for event in mine), 0.0) * 1000)
