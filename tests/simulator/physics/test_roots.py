"""The first root of a quartic, against brute force."""

import math

import pytest

from marker_sim.physics.roots import first_line_root, first_root
from marker_sim.rng import Stream

STEPS = 400
MANY = [3_000, pytest.param(100_000, marks=pytest.mark.soak)]


def brute(c: tuple[float, ...], span: float) -> tuple[float, float]:
    """First sign change on a grid, refined; and the smallest value seen."""
    smallest = c[0]
    before = 0.0
    for step in range(1, STEPS + 1):
        t = span * step / STEPS
        value = c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])))
        smallest = min(smallest, value)
        if value <= 0.0:
            low, high = before, t
            for _ in range(60):
                middle = 0.5 * (low + high)
                at = c[0] + middle * (c[1] + middle * (c[2] + middle * (c[3] + middle * c[4])))
                low, high = (middle, high) if at > 0.0 else (low, middle)
            return high, smallest
        before = t
    return math.inf, smallest


def meeting(chance: Stream) -> tuple[tuple[float, ...], float]:
    """The squared distance of two bodies in quadratic motion, less their reach."""
    px, py, vx, vy = (chance.uniform(-1, 1) for _ in range(4))
    hx, hy = chance.uniform(-1, 1), chance.uniform(-1, 1)
    vx, vy = 2 * vx, 2 * vy
    reach = 0.0615
    c = (
        px * px + py * py - reach * reach,
        2 * (px * vx + py * vy),
        vx * vx + vy * vy + 2 * (px * hx + py * hy),
        2 * (vx * hx + vy * hy),
        hx * hx + hy * hy,
    )
    return c, chance.uniform(0.01, 3.0)


@pytest.mark.parametrize("count", MANY)
def test_random_meetings_agree_with_brute_force(count: int) -> None:
    """Mutation: looking at the right half first, or Newton from the far side, turns it red."""
    chance, met = Stream(1, "roots"), 0
    for _ in range(count):
        c, span = meeting(chance)
        if c[0] <= 1e-9:
            continue
        expected, smallest = brute(c, span)
        found = first_root(*c, span)  # type: ignore[call-arg]
        if expected < math.inf:
            met += 1
            assert found == pytest.approx(expected, abs=1e-9)
        elif smallest > 1e-5:
            assert found == math.inf
    assert met > count * 80 / 3000


@pytest.mark.parametrize("count", MANY)
def test_random_polynomials_give_the_smallest_of_their_planted_roots(count: int) -> None:
    """Products of known roots, two of them often close together. Mutation: a depth limit that stops too early."""
    chance = Stream(2, "planted")
    for _ in range(count):
        first = chance.uniform(0.05, 0.9)
        second = first + 10 ** chance.uniform(-4, 0)
        a, b = chance.uniform(-3, 3), chance.uniform(0.5, 9.0)
        quadratic = (a * a + b, -2 * a, 1.0)  # never zero
        scale = 1.0 / (first * second * quadratic[0])
        lower = (first * second, -(first + second), 1.0)
        c = [0.0] * 5
        for i, p in enumerate(lower):
            for j, q in enumerate(quadratic):
                c[i + j] += p * q * scale
        assert first_root(c[0], c[1], c[2], c[3], c[4], 1.0) == pytest.approx(first, rel=1e-7)


@pytest.mark.parametrize("count", MANY)
def test_grazes_near_misses_and_touching_starts_drawn_at_random(count: int) -> None:
    """(t - a)^2 - d times what is never zero, and t (a - t) times that. Mutation: a graze taken for a miss; the touch at the start told again."""
    chance = Stream(3, "graze")
    for _ in range(count):
        a, d = chance.uniform(0.1, 0.9), 10 ** chance.uniform(-9, -3)
        m, n = chance.uniform(-3, 3), chance.uniform(0.5, 9.0)
        quadratic = (m * m + n, -2 * m, 1.0)
        for lower, expected in (
            ((a * a - d, -2 * a, 1.0), a - math.sqrt(d)),
            ((a * a + d, -2 * a, 1.0), math.inf),
            ((0.0, a, -1.0), a),
        ):
            c = [0.0] * 5
            for i, p in enumerate(lower):
                for j, q in enumerate(quadratic):
                    c[i + j] += p * q / quadratic[0]
            found = first_root(max(c[0], 1e-15), c[1], c[2], c[3], c[4], 1.0)
            assert found == pytest.approx(expected, abs=1e-6)


def test_a_graze_and_a_near_miss_are_told_apart() -> None:
    """f = (t - 0.5)^2 - d: two roots for d > 0, none for d < 0. Mutation: a tolerance in space instead of none."""
    for d in (1e-6, 1e-9, 1e-12):
        assert first_root(0.25 - d, -1.0, 1.0, 0.0, 0.0, 1.0) == pytest.approx(0.5 - math.sqrt(d), abs=1e-7)
        assert first_root(0.25 + d, -1.0, 1.0, 0.0, 0.0, 1.0) == math.inf


def test_a_touching_start_that_parts_and_comes_back_meets_later() -> None:
    """f = t (1 - t): from 0 upwards, back to 0 at 1. Mutation: reporting the touch at the start."""
    assert first_root(1e-15, 1.0, -1.0, 0.0, 0.0, 2.0) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("c", "span", "expected"),
    [
        ((1.0, -2.0, 0.0), 1.0, 0.5),
        ((1.0, -2.0, 0.0), 0.4, math.inf),
        ((1.0, -3.0, 2.0), 3.0, 0.5),  # roots 0.5 and 1: the nearer one is the descent
        ((1.0, 1.0, -2.0), 3.0, 1.0),  # first away, then back through it
        ((1.0, -1.0, 1.0), 9.0, math.inf),
    ],
)
def test_lines(c: tuple[float, float, float], span: float, expected: float) -> None:
    """Mutation: the farther root of a decelerating ball turns it red."""
    assert first_line_root(*c, span) == pytest.approx(expected)
