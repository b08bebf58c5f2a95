"""Read an ASCII STL and measure it: closed surface, extents, volume, bore, thickness along a ray. Standard library only."""

import math
import re
from collections import Counter

import msgspec

Vector = tuple[float, float, float]
Triangle = tuple[Vector, Vector, Vector]
_VERTEX = re.compile(r"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


class Mesh(msgspec.Struct, frozen=True):
    """Triangles in mm, outside counter-clockwise."""

    triangles: tuple[Triangle, ...]

    def open_edges(self) -> int:
        """Directed edges without exactly one opposite partner; 0 for a closed surface."""
        counts: Counter[tuple[Vector, Vector]] = Counter()
        for a, b, c in self.triangles:
            counts.update(((a, b), (b, c), (c, a)))
        return sum(1 for (a, b), n in counts.items() if n != 1 or counts.get((b, a), 0) != 1)

    def extents(self) -> Vector:
        """Size along x, y, z."""
        points = [point for triangle in self.triangles for point in triangle]
        sizes = [max(p[i] for p in points) - min(p[i] for p in points) for i in range(3)]
        return (sizes[0], sizes[1], sizes[2])

    def volume(self) -> float:
        """Enclosed volume in mm3; negative when the surface is inside out."""
        return sum(_dot(a, _cross(b, c)) for a, b, c in self.triangles) / 6

    def bore(self, low: float, high: float) -> float:
        """Diameter of the free hole around the z axis between two heights, facets taken at their flat middle."""
        nearest = math.inf
        for triangle in self.triangles:
            for a, b in zip(triangle, (*triangle[1:], triangle[0]), strict=True):
                if max(a[2], b[2]) >= low and min(a[2], b[2]) <= high:
                    nearest = min(nearest, _distance_to_axis(a, b))
        return 2 * nearest

    def solid(self, start: Vector, direction: Vector) -> list[float]:
        """Lengths of the stretches of material that a ray from outside passes, in order."""
        scale = math.sqrt(_dot(direction, direction))
        unit = (direction[0] / scale, direction[1] / scale, direction[2] / scale)
        hits = sorted(t for t in (_hit(triangle, start, unit) for triangle in self.triangles) if t is not None)
        crossings: list[float] = []
        for t in hits:
            # A ray through the edge between two triangles meets both: one crossing.
            if not crossings or t - crossings[-1] > 1e-6:
                crossings.append(t)
        return [b - a for a, b in zip(crossings[::2], crossings[1::2], strict=False)]


def parse(text: str) -> Mesh:
    """Mesh of an ASCII STL. Raises ValueError when the vertices do not come in threes or there are none."""
    points: list[Vector] = [(float(x), float(y), float(z)) for x, y, z in _VERTEX.findall(text)]
    if not points or len(points) % 3:
        raise ValueError(f"{len(points)} vertices are no triangles; is this an ASCII STL?")
    return Mesh(tuple((points[i], points[i + 1], points[i + 2]) for i in range(0, len(points), 3)))


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _minus(a: Vector, b: Vector) -> Vector:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def _distance_to_axis(a: Vector, b: Vector) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    t = 0.0 if length == 0 else max(0.0, min(1.0, -(a[0] * dx + a[1] * dy) / length))
    return math.hypot(a[0] + t * dx, a[1] + t * dy)


def _hit(triangle: Triangle, start: Vector, unit: Vector) -> float | None:
    """Distance at which a ray meets a triangle (Moeller-Trumbore), None when it misses."""
    a, b, c = triangle
    ab, ac = _minus(b, a), _minus(c, a)
    normal = _cross(unit, ac)
    det = _dot(ab, normal)
    if abs(det) < 1e-9:
        return None
    offset = _minus(start, a)
    u = _dot(offset, normal) / det
    across = _cross(offset, ab)
    v = _dot(unit, across) / det
    t = _dot(ac, across) / det
    return t if u >= 0 and v >= 0 and u + v <= 1 and t > 0 else None
