"""The edge of a table as one closed chain: rail noses, jaw arcs, pocket mouths. A ball can leave it only through a mouth or by flying.

Every element keeps a ball's centre one radius away, except the fall line of a pocket, which the centre crosses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from marker_hardware.tables import Pocket as PocketData
from marker_hardware.tables import PocketShape, Table
from marker_rules.balls import Pocket, Rail

CLOSED_M = 1e-9


class BoundaryError(ValueError):
    """The table file does not give a closed boundary: names the element and the gap."""


@dataclass(frozen=True, slots=True)
class Nose:
    """A straight cushion nose from (x0, y0) along (tx, ty) over `length`; (nx, ny) points into the bed."""

    rail: Rail
    x0: float
    y0: float
    tx: float
    ty: float
    length: float
    nx: float
    ny: float


@dataclass(frozen=True, slots=True)
class Jaw:
    """A rounded jaw: arc of `r` around (cx, cy), bulging between the unit vectors (ax, ay) and (bx, by)."""

    rail: Rail
    pocket: Pocket
    side: bool  # of a side (middle) pocket
    cx: float
    cy: float
    r: float
    ax: float
    ay: float
    bx: float
    by: float

    def spans(self, x: float, y: float) -> bool:
        """Whether the direction (x, y) from the centre lies inside the arc (of less than 180 degrees)."""
        sign = 1.0 if self.ax * self.by - self.ay * self.bx > 0 else -1.0
        return sign * (self.ax * y - self.ay * x) >= -1e-9 and sign * (x * self.by - y * self.bx) >= -1e-9


@dataclass(frozen=True, slots=True)
class Mouth:
    """The fall line of a pocket between its jaws; (nx, ny) points into the bed. (mx, my): middle of the mouth line, for the zone."""

    pocket: Pocket
    x0: float
    y0: float
    tx: float
    ty: float
    length: float
    nx: float
    ny: float
    mx: float
    my: float


@dataclass(frozen=True, slots=True)
class Boundary:
    """All elements; `faces`: straight sides of the pockets from jaw to fall line; `half_l`, `half_w`: half of the bed, m."""

    noses: tuple[Nose, ...]
    jaws: tuple[Jaw, ...]
    faces: tuple[Nose, ...]
    mouths: tuple[Mouth, ...]
    half_l: float
    half_w: float


def _nose(rail: Rail, start: tuple[float, float], end: tuple[float, float]) -> Nose:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    tx, ty = dx / length, dy / length
    nx, ny = -ty, tx
    if nx * start[0] + ny * start[1] > 0:  # the bed's centre is the origin: the normal points at it
        nx, ny = -nx, -ny
    return Nose(rail, start[0], start[1], tx, ty, length, nx, ny)


def _mouth_middle(
    data: PocketData, shape: PocketShape, half_l: float, half_w: float
) -> tuple[float, float, float, float]:
    """Middle of the mouth line (jaw tips) and the axis out of the table, m."""
    angle = math.radians(data.axis_deg.v)
    ax, ay = math.cos(angle), math.sin(angle)
    half, r = shape.mouth.v / 2000, shape.jaw_r.v / 1000
    if data.kind == "middle":
        return data.xy.x / 1000, math.copysign(half_w + r, ay), 0.0, math.copysign(1.0, ay)
    # The jaw's centre lies r behind the nose line: that fixes how far the mouth line is from the corner.
    along = math.sqrt(2.0) * r - (half + r)
    return math.copysign(half_l, ax) + along * ax, math.copysign(half_w, ay) + along * ay, ax, ay


def _pocket(data: PocketData, shape: PocketShape, half_l: float, half_w: float) -> tuple[list[Jaw], list[Nose], Mouth]:
    mx, my, ax, ay = _mouth_middle(data, shape, half_l, half_w)
    half, r = shape.mouth.v / 2000, shape.jaw_r.v / 1000
    pocket = Pocket(data.rules_name)
    px, py = -ay, ax  # across the mouth
    shelf = shape.shelf.v / 1000
    jaws, faces = [], []
    for sign in (1.0, -1.0):
        cx, cy = mx + sign * px * (half + r), my + sign * py * (half + r)
        rail, nx, ny = _rail_of(cx, cy, r, half_l, half_w)
        jaws.append(Jaw(rail, pocket, data.kind == "middle", cx, cy, r, nx, ny, -sign * px, -sign * py))
        if shelf > 0.0:
            tip_x, tip_y = mx + sign * px * half, my + sign * py * half
            faces.append(Nose(rail, tip_x, tip_y, ax, ay, shelf, -sign * px, -sign * py))
    x0, y0 = mx - px * half + ax * shelf, my - py * half + ay * shelf
    return jaws, faces, Mouth(pocket, x0, y0, px, py, 2 * half, -ax, -ay, mx, my)


def _rail_of(cx: float, cy: float, r: float, half_l: float, half_w: float) -> tuple[Rail, float, float]:
    """The rail that a jaw centre lies behind by its radius, and that rail's inward normal."""
    if abs(abs(cx) - half_l - r) < CLOSED_M:
        return (Rail.FOOT if cx > 0 else Rail.HEAD), math.copysign(1.0, -cx), 0.0
    if abs(abs(cy) - half_w - r) < CLOSED_M:
        return (Rail.LEFT if cy > 0 else Rail.RIGHT), 0.0, math.copysign(1.0, -cy)
    raise BoundaryError(f"a jaw at ({cx * 1000:.2f}, {cy * 1000:.2f}) mm lies behind no rail; check mouth and jaw_r")


def of_table(table: Table) -> Boundary:
    """The boundary of a table file. Raises BoundaryError where the chain is not closed."""
    half_l, half_w = table.bed.l.v / 2000, table.bed.w.v / 2000
    jaws: list[Jaw] = []
    faces: list[Nose] = []
    mouths: list[Mouth] = []
    for data in table.pockets.values():
        both, sides, mouth = _pocket(data, table.pocket_shape(data), half_l, half_w)
        jaws += both
        faces += sides
        mouths.append(mouth)
    noses = []
    for row in table.rails.values():
        start, end = (row.start.x / 1000, row.start.y / 1000), (row.end.x / 1000, row.end.y / 1000)
        if jaws:
            start, end = _clip(start, end, jaws), _clip(end, start, jaws)
        noses.append(_nose(Rail(row.rail), start, end))
    found = Boundary(tuple(noses), tuple(jaws), tuple(faces), tuple(mouths), half_l, half_w)
    _check_closed(found)
    return found


def _clip(point: tuple[float, float], other: tuple[float, float], jaws: list[Jaw]) -> tuple[float, float]:
    """The end of a nose, moved to where its jaw begins."""
    best = min(
        jaws,
        key=lambda j: (
            math.hypot(_foot(j)[0] - point[0], _foot(j)[1] - point[1]) + 10 * _off_line(_foot(j), point, other)
        ),
    )
    return _foot(best)


def mouth_width(boundary: Boundary, pocket: Pocket) -> float:
    """The smallest gap between the two jaws of a pocket, m."""
    one, other = (jaw for jaw in boundary.jaws if jaw.pocket is pocket)
    return math.hypot(one.cx - other.cx, one.cy - other.cy) - one.r - other.r


def _foot(jaw: Jaw) -> tuple[float, float]:
    """Where the jaw's arc touches its rail's nose line."""
    return jaw.cx + jaw.r * jaw.ax, jaw.cy + jaw.r * jaw.ay


def _off_line(p: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    return abs((p[0] - a[0]) * dy - (p[1] - a[1]) * dx) / math.hypot(dx, dy)


def _check_closed(boundary: Boundary) -> None:
    """Every end of an element must be the end of another one."""
    ends: list[tuple[float, float]] = []
    for nose in boundary.noses:
        ends += [(nose.x0, nose.y0), (nose.x0 + nose.tx * nose.length, nose.y0 + nose.ty * nose.length)]
    for jaw in boundary.jaws:
        ends += [_foot(jaw), (jaw.cx + jaw.r * jaw.bx, jaw.cy + jaw.r * jaw.by)]
    for face in boundary.faces:
        ends += [(face.x0, face.y0), (face.x0 + face.tx * face.length, face.y0 + face.ty * face.length)]
    for mouth in boundary.mouths:
        ends += [(mouth.x0, mouth.y0), (mouth.x0 + mouth.tx * mouth.length, mouth.y0 + mouth.ty * mouth.length)]
    for i, (x, y) in enumerate(ends):
        gap = min(math.hypot(x - u, y - v) for j, (u, v) in enumerate(ends) if j != i)
        if gap > CLOSED_M:
            raise BoundaryError(
                f"boundary open at ({x * 1000:.3f}, {y * 1000:.3f}) mm: {gap * 1000:.6f} mm to the next element"
            )
