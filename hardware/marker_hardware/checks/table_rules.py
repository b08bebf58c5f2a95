"""Whether the numbers of a table file agree with each other (T2) and every cable reaches its place (T3)."""

import math
from collections.abc import Iterator

from marker_hardware.checks.model import Problem
from marker_hardware.tables import CABLE_DROP_MM, CABLE_MAX_M, Point, Table, cable_route_m, cables

TOLERANCE_MM = 0.1


def consistency(table: Table, file: str) -> Iterator[Problem]:
    """Problems inside one table file; `file` is how they name it."""
    half_l, half_w = table.bed.l.v / 2, table.bed.w.v / 2
    yield from _pins(table, file)
    yield from _pockets(table, file, half_l, half_w)
    for key, rail in table.rails.items():
        place = f"{file} rails.{key}"
        for end in (rail.start, rail.end):
            if not _on_border(end, half_l, half_w):
                yield Problem(
                    "T2", place, f"{end.v} is not on the nose line of a bed {table.bed.l.v:g} x {table.bed.w.v:g}"
                )
        middle = ((rail.start.x + rail.end.x) / 2, (rail.start.y + rail.end.y) / 2)
        if math.dist(middle, rail.sensor.v) > 100 + rail.sensor.tol:
            yield Problem("T2", place, f"sensor {rail.sensor.v} is not at the middle {middle} of its segment")
        if _inside(rail.sensor, half_l, half_w):
            yield Problem("T2", place, f"sensor {rail.sensor.v} lies on the playing area, not under the rail wood")
    for name, spot in (table.spots | {f"pin {k}": p for k, p in table.pins.items()}).items():
        if not _inside(spot, half_l + TOLERANCE_MM, half_w):
            yield Problem("T2", f"{file} {name}", f"{spot.v} is outside the playing area")
    yield from _cables(table, file)


def _pins(table: Table, file: str) -> Iterator[Problem]:
    if not table.pins:
        return
    if table.pin is None:
        yield Problem("T2", f"{file} pin", "pins are placed but their shape is missing")
        return
    for name, place in table.pins.items():
        distance = math.hypot(*place.v)
        if name != "C" and abs(distance - table.pin.spacing.v) > TOLERANCE_MM:
            text = f"{distance:g} mm from the centre, pin.spacing says {table.pin.spacing.v:g}"
            yield Problem("T2", f"{file} pins.{name}", text)


def _pockets(table: Table, file: str, half_l: float, half_w: float) -> Iterator[Problem]:
    for key, pocket in table.pockets.items():
        place = f"{file} pockets.{key}"
        shape = table.pocket_shape(pocket)
        expected = (half_l, half_w) if pocket.kind == "corner" else (0.0, half_w)
        if any(abs(abs(a) - b) > TOLERANCE_MM for a, b in zip(pocket.xy.v, expected, strict=True)):
            yield Problem("T2", place, f"{pocket.xy.v} is not a {pocket.kind} of the bed")
        reach = shape.mouth.v / math.sqrt(2) if pocket.kind == "corner" else shape.mouth.v / 2
        ends = [end for rail in table.rails.values() for end in (rail.start, rail.end)]
        touching = [end for end in ends if abs(math.dist(end.v, pocket.xy.v) - reach) <= TOLERANCE_MM]
        if len(touching) != 2:
            text = f"{len(touching)} rail ends lie {reach:.2f} mm from it, two must: its mouth is {shape.mouth.v:g} mm"
            yield Problem("T2", place, text)
        axis = math.radians(pocket.axis_deg.v)
        step = (pocket.gate.x - pocket.xy.x, pocket.gate.y - pocket.xy.y)
        if abs(step[0] * math.sin(axis) - step[1] * math.cos(axis)) > 1:
            yield Problem("T2", place, f"gate {pocket.gate.v} is not on the axis {pocket.axis_deg.v:g} degrees")


def _cables(table: Table, file: str) -> Iterator[Problem]:
    limit = {"WPINS": 0.6}
    for label, (place, length) in cables(table).items():
        allowed = limit.get(label, CABLE_MAX_M)
        if length.v > allowed:
            yield Problem("T3", f"{file} {label}", f"{length.v:g} m is longer than {allowed:g} m; move the node")
        # The pin board is screwed to the slate itself, so its cable comes down from there only.
        drop = -table.node.height.v - table.bed.slate.v if label == "WPINS" else CABLE_DROP_MM
        needed = cable_route_m(table, place, drop)
        if length.v < needed - 0.005:
            yield Problem("T3", f"{file} {label}", f"{length.v:g} m, the run along the frame needs {needed:.2f} m")


def _on_border(point: Point, half_l: float, half_w: float) -> bool:
    on_x = abs(abs(point.x) - half_l) <= TOLERANCE_MM and abs(point.y) <= half_w + TOLERANCE_MM
    on_y = abs(abs(point.y) - half_w) <= TOLERANCE_MM and abs(point.x) <= half_l + TOLERANCE_MM
    return on_x or on_y


def _inside(point: Point, half_l: float, half_w: float) -> bool:
    return abs(point.x) <= half_l and abs(point.y) <= half_w
