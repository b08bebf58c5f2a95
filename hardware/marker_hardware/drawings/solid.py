"""A printed part as a shaded isometric picture."""

import math

from marker_hardware.stl import Mesh, Triangle, Vector

LIGHT = (0.35, -0.55, 0.76)
VIEW_WIDTH = 800.0


def isometric(
    mesh: Mesh, title: str, source: str, turn_deg: float = 35.0, tilt_deg: float = 30.0, piece_mm: float = 24.0
) -> str:
    """SVG of a mesh seen from above; source: fingerprint of what it was made from, kept in the picture; turn_deg around z first, tilt_deg = height of the eye above the
    horizon; piece_mm: smaller pieces sort better where a thin wall hides another, and make a larger file.
    """
    turned = [
        _rotate(t, math.radians(turn_deg), math.radians(tilt_deg))
        for big in mesh.triangles
        for t in _split(big, piece_mm)
    ]
    visible = []
    for triangle in turned:
        normal = _normal(triangle)
        if normal is not None and normal[1] < -1e-6:
            depth = sum(point[1] for point in triangle)
            visible.append((depth, triangle, max(0.0, sum(a * b for a, b in zip(normal, LIGHT, strict=True)))))
    visible.sort(key=lambda item: -item[0])
    xs = [p[0] for _, t, _ in visible for p in t]
    zs = [p[2] for _, t, _ in visible for p in t]
    left, top = min(xs), max(zs)
    scale = VIEW_WIDTH / (max(xs) - left)
    height = (top - min(zs)) * scale
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 {VIEW_WIDTH + 20:.0f} {height + 20:.0f}" role="img">',
        f"<title>{title}</title><desc>{source}</desc>",
        f'<rect x="-10" y="-10" width="{VIEW_WIDTH + 20:.0f}" height="{height + 20:.0f}" fill="#fff"/>',
    ]
    groups: list[tuple[str, list[str]]] = []
    for _, triangle, light in visible:
        (ax, ay), (bx, by), (cx, cy) = ((round((x - left) * scale), round((top - z) * scale)) for x, _, z in triangle)
        if (bx - ax) * (cy - ay) == (cx - ax) * (by - ay):
            continue
        points = f"M{ax} {ay}l{bx - ax} {by - ay} {cx - bx} {cy - by}z"
        shade = 8 * round((90 + 140 * light) / 8)
        colour = f"#{shade:02x}{min(255, shade + 5):02x}{min(255, shade + 12):02x}"
        if groups and groups[-1][0] == colour:
            groups[-1][1].append(points)
        else:
            groups.append((colour, [points]))
    out += [f'<path d="{"".join(paths)}" fill="{c}" stroke="{c}" stroke-width="1"/>' for c, paths in groups]
    return "\n".join([*out, "</svg>"]) + "\n"


def _split(triangle: Triangle, piece_mm: float) -> list[Triangle]:
    """Halve the longest side until none is longer than piece_mm: pieces sort by depth without hiding each other wrongly."""
    a, b, c = triangle
    sides = ((math.dist(a, b), a, b, c), (math.dist(b, c), b, c, a), (math.dist(c, a), c, a, b))
    length, p, q, r = max(sides, key=lambda side: side[0])
    if length <= piece_mm:
        return [triangle]
    middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2)
    return _split((p, middle, r), piece_mm) + _split((middle, q, r), piece_mm)


def _rotate(triangle: Triangle, turn: float, tilt: float) -> Triangle:
    def one(p: Vector) -> Vector:
        x, y = p[0] * math.cos(turn) - p[1] * math.sin(turn), p[0] * math.sin(turn) + p[1] * math.cos(turn)
        return (x, y * math.cos(tilt) - p[2] * math.sin(tilt), y * math.sin(tilt) + p[2] * math.cos(tilt))

    a, b, c = triangle
    return (one(a), one(b), one(c))


def _normal(triangle: Triangle) -> Vector | None:
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    u, v = (bx - ax, by - ay, bz - az), (cx - ax, cy - ay, cz - az)
    n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    length = math.sqrt(sum(k * k for k in n))
    return None if length < 1e-9 else (n[0] / length, n[1] / length, n[2] / length)
