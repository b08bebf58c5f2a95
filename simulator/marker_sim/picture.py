"""A shot as a drawing (SVG): ways of the balls, contacts numbered in order, pins, and what the sensors felt beneath."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from marker_rules.balls import Ball
from marker_sim.physics.body import Phase
from marker_sim.physics.engine import Kind
from marker_sim.physics.schedule import Leg
from marker_sim.sensors.inputs import SHIFT_FIRST, Edge
from marker_sim.single import SingleShot, channel_names

WIDTH = 1200
MARGIN = 70
STEP_S = 0.01
COLOURS = {Ball.CUE: "#ffffff", Ball.OPPONENT: "#ffd54f", Ball.RED: "#e53935", Ball.C: "#d9a441"}
WHITE = "#f3efe2"
PIN = "#8ecae6"
ROW = 22
LETTERS = {Kind.BALL: "ball", Kind.NOSE: "cushion", Kind.JAW: "jaw", Kind.POT: "pot", Kind.PIN: "pin", Kind.OFF: "off"}
LETTERS |= {Kind.FRAME: "off", Kind.RETURN: "rail"}


def colour(ball: Ball) -> str:
    """What a ball is drawn in."""
    return COLOURS.get(ball, WHITE)


class _Frame:
    """From the table's metres to the picture: the left edge of the drawing is the head or top rail, +y upwards."""

    def __init__(self, shot: SingleShot) -> None:
        edge = shot.table.boundary
        self.scale = (WIDTH - 2 * MARGIN) / (2 * edge.half_l)
        self.half_l, self.half_w = edge.half_l, edge.half_w
        self.bottom = 1.6 * MARGIN + 2 * edge.half_w * self.scale

    def x(self, metres: float) -> float:
        """Across the picture."""
        return MARGIN + (metres + self.half_l) * self.scale

    def y(self, metres: float) -> float:
        """Down the picture."""
        return MARGIN + (self.half_w - metres) * self.scale


def paths(legs: list[Leg], body: int, end: float) -> Iterator[tuple[float, float, float, float]]:
    """(t, x, y, z) of a body, every 10 ms while it moves and at the ends of its legs."""
    own = [leg for leg in legs if leg.body == body]
    for leg, after in zip(own, [*own[1:], None], strict=True):
        until = after.t if after is not None else end
        yield leg.t, leg.x, leg.y, leg.z
        if leg.phase in (Phase.REST, Phase.SPIN, Phase.GONE, Phase.STANDING):
            continue
        t = leg.t + STEP_S
        while t < until:
            yield (t, *leg.at(t))
            t += STEP_S
        yield (until, *leg.at(until))


def svg(shot: SingleShot) -> str:
    """The whole drawing."""
    frame = _Frame(shot)
    channels = _channels(shot)
    height = frame.bottom + ROW * (len(channels) + 2) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(_caption(shot))}</title>",
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#10202b"/>',
        *_table(shot, frame),
        *_ways(shot, frame),
        *_balls(shot, frame),
        *_numbers(shot, frame),
        *_timeline(shot, frame, channels),
        f'<text x="{MARGIN}" y="26" fill="#e8eef2" font-size="17">{escape(_caption(shot))}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _caption(shot: SingleShot) -> str:
    ruling = shot.shot.ruling.short
    launch = shot.launch
    return (
        f"{shot.game.value}, seed {shot.seed}, shot {shot.shot.number} by {shot.shot.striker.value}: {ruling}; "
        f"{launch.speed:.2f} m/s, side {launch.side:+.2f} R, top {launch.top:+.2f} R; at rest after {shot.engine.now:.2f} s"
    )


def _table(shot: SingleShot, frame: _Frame) -> Iterator[str]:
    edge, r = shot.table.boundary, shot.table.ball_r
    wood = 0.09 * frame.scale
    x, y = frame.x(-edge.half_l), frame.y(edge.half_w)
    w, h = 2 * edge.half_l * frame.scale, 2 * edge.half_w * frame.scale
    yield f'<rect x="{x - wood:.1f}" y="{y - wood:.1f}" width="{w + 2 * wood:.1f}" height="{h + 2 * wood:.1f}" rx="10" fill="#5b3a24"/>'
    yield f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="#1d6b52"/>'
    for mouth in edge.mouths:
        yield f'<circle cx="{frame.x(mouth.mx):.1f}" cy="{frame.y(mouth.my):.1f}" r="{1.35 * r * frame.scale:.1f}" fill="#0b0f12"/>'
    for nose in edge.noses:
        end = (nose.x0 + nose.tx * nose.length, nose.y0 + nose.ty * nose.length)
        yield (
            f'<line x1="{frame.x(nose.x0):.1f}" y1="{frame.y(nose.y0):.1f}" x2="{frame.x(end[0]):.1f}" '
            f'y2="{frame.y(end[1]):.1f}" stroke="#9fd3bf" stroke-width="3"/>'
        )
    for place in shot.table.spots.values():
        yield f'<circle cx="{frame.x(place[0]):.1f}" cy="{frame.y(place[1]):.1f}" r="2" fill="#0d3d2f"/>'
    for number, (pin, at) in enumerate(shot.table.pins.items()):
        body = shot.engine.bodies[shot.engine.n_balls + number]
        stands = pin in shot.standing
        fell = any(event.pin == body.index and event.outcome.value == "toppled" for event in shot.engine.pins.events)
        fill = "none" if not stands else "#26475a" if fell else PIN
        yield f'<circle cx="{frame.x(at[0]):.1f}" cy="{frame.y(at[1]):.1f}" r="5" fill="{fill}" stroke="{PIN}" stroke-width="1.5"/>'
        if fell:
            yield (
                f'<path d="M{frame.x(body.x) - 4:.1f} {frame.y(body.y) - 4:.1f} l8 8 m0 -8 l-8 8" stroke="{PIN}" stroke-width="2"/>'
            )


def _ways(shot: SingleShot, frame: _Frame) -> Iterator[str]:
    legs = shot.engine.legs or []
    for index in range(len(shot.engine.bodies)):
        points = list(paths(legs, index, shot.engine.now))
        if len(points) < 2:
            continue
        is_ball = index < shot.engine.n_balls
        stroke = colour(shot.balls[index]) if is_ball else PIN
        line = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for _, x, y, _ in points)
        style = 'stroke-width="2"' if is_ball else 'stroke-width="1" stroke-dasharray="3 3"'
        yield f'<polyline points="{line}" fill="none" stroke="{stroke}" stroke-opacity="0.75" {style}/>'


def _balls(shot: SingleShot, frame: _Frame) -> Iterator[str]:
    """Where each ball lay (ring) and lies (disc)."""
    first: dict[int, tuple[float, float]] = {}
    for leg in shot.engine.legs or []:
        first.setdefault(leg.body, (leg.x, leg.y))
    for index, ball in enumerate(shot.balls):
        body = shot.engine.bodies[index]
        r = shot.table.ball_r * frame.scale
        if index in first:
            x, y = first[index]
            yield f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="{r:.1f}" fill="none" stroke="{colour(ball)}" stroke-width="1.5"/>'
        if body.phase is not Phase.GONE:
            yield f'<circle cx="{frame.x(body.x):.1f}" cy="{frame.y(body.y):.1f}" r="{r:.1f}" fill="{colour(ball)}"/>'
            if shot.game.is_pyramid:
                label = ball.value.removeprefix("w")
                yield f'<text x="{frame.x(body.x):.1f}" y="{frame.y(body.y) + 4:.1f}" text-anchor="middle" font-size="11">{label}</text>'


def _numbers(shot: SingleShot, frame: _Frame) -> Iterator[str]:
    """Contacts in their order."""
    seen = [h for h in shot.engine.log if h.kind in LETTERS][:60]
    for number, h in enumerate(seen, 1):
        x, y = frame.x(h.x), frame.y(h.y)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="#10202b" fill-opacity="0.85" stroke="#ffb703"/>'
        yield (
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-size="10" fill="#ffb703">{number}'
            f"<title>{LETTERS[h.kind]} at {h.t:.3f} s, {h.vn:.2f} m/s</title></text>"
        )


def _channels(shot: SingleShot) -> list[tuple[int, str]]:
    used = {inp.ch for inp in shot.inputs if isinstance(inp, Edge)}
    names = channel_names(shot.table.profile)
    return [(ch, name) for ch, name in names.items() if ch in used or ch < SHIFT_FIRST]


def _timeline(shot: SingleShot, frame: _Frame, channels: list[tuple[int, str]]) -> Iterator[str]:
    """One row a channel: high (or dark) stretches; the pins' falls above them."""
    end = max(shot.engine.now, *(inp.t_us / 1e6 for inp in shot.inputs if isinstance(inp, Edge)), 0.1)
    left, top = MARGIN + 60, frame.bottom + 16
    across = (WIDTH - MARGIN - left) / end

    def at(t: float) -> float:
        return left + t * across

    for row, (ch, name) in enumerate([*([(-1, "pins")] if shot.table.pins else []), *channels]):
        y = top + row * ROW
        yield f'<text x="{left - 8:.0f}" y="{y + 13:.0f}" text-anchor="end" fill="#9fb3bf">{escape(name)}</text>'
        yield f'<line x1="{left:.0f}" y1="{y + 16:.0f}" x2="{WIDTH - MARGIN}" y2="{y + 16:.0f}" stroke="#2c4250"/>'
        if ch < 0:
            for event in shot.engine.pins.events:
                pin = list(shot.table.pins)[event.pin - shot.engine.n_balls]
                yield f'<text x="{at(event.at):.1f}" y="{y + 13:.0f}" fill="{PIN}">{pin}</text>'
            continue
        yield from _pulses(shot, ch, y, at(0.0), across)
    y = top + (len(channels) + 1) * ROW + 14
    step = 0.5 if end < 5 else 1.0
    for tick in range(int(end / step) + 1):
        yield f'<text x="{at(tick * step):.1f}" y="{y:.0f}" text-anchor="middle" fill="#9fb3bf" font-size="11">{tick * step:g} s</text>'


def _pulses(shot: SingleShot, ch: int, y: float, left: float, across: float) -> Iterator[str]:
    active = 0 if ch >= SHIFT_FIRST else 1  # a beam is dark at level 0, a comparator high at 1
    since = None
    for inp in shot.inputs:
        if not isinstance(inp, Edge) or inp.ch != ch:
            continue
        if inp.level == active:
            since = inp.t_us / 1e6
        elif since is not None:
            width = max(2.0, (inp.t_us / 1e6 - since) * across)
            yield f'<rect x="{left + since * across:.1f}" y="{y + 4:.0f}" width="{width:.1f}" height="12" fill="#ffb703"/>'
            since = None
