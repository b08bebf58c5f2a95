"""First root of a quartic on an interval, by Bernstein subdivision: no root is missed, none is found twice.

Between events every motion is quadratic in time, so the squared distance of two bodies is a quartic. The Bernstein
coefficients of a polynomial on an interval bound it there: all positive means no root, which is the common case and
costs a dozen multiplications.
"""

from __future__ import annotations

import math

TIME_TOL = 1e-13  # s
_MAX_DEPTH = 60


def first_root(c0: float, c1: float, c2: float, c3: float, c4: float, span: float) -> float:
    """The smallest t in (0, span] where c0 + c1 t + ... + c4 t^4 comes down to 0; inf if it stays positive.

    c0 must be positive (the bodies are apart at t = 0). A touch without crossing (a graze) counts where the polynomial
    reaches 0 within rounding.
    """
    c3_span = c3 * span
    if c2 >= 0.0 and c2 + 1.5 * c3_span >= 0.0 and c2 + 3.0 * c3_span + 6.0 * c4 * span * span >= 0.0:
        return _convex_root(c0, c1, c2, c3, c4, span)
    a1 = c1 * span
    a2 = c2 * span * span
    a3 = c3 * span * span * span
    a4 = c4 * span * span * span * span
    b0 = c0
    b1 = c0 + a1 * 0.25
    b2 = c0 + a1 * 0.5 + a2 / 6.0
    b3 = c0 + a1 * 0.75 + a2 * 0.5 + a3 * 0.25
    b4 = c0 + a1 + a2 + a3 + a4
    if b1 > 0.0 and b2 > 0.0 and b3 > 0.0 and b4 > 0.0:
        return math.inf
    found = _search(b0, b1, b2, b3, b4)
    if found is None:
        return math.inf
    return _polish(c0, c1, c2, c3, c4, found[0] * span, found[1] * span)


def _convex_root(c0: float, c1: float, c2: float, c3: float, c4: float, span: float) -> float:
    """The same for a polynomial that is convex on [0, span]: Newton from the left meets the first root and never passes it."""
    t, value, slope = 0.0, c0, c1
    while slope < 0.0:
        step = -value / slope
        t += step
        if t > span:
            return math.inf
        if step <= TIME_TOL:
            return t
        value = c0 + t * (c1 + t * (c2 + t * (c3 + t * c4)))
        if value <= 0.0:
            return t
        slope = c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * 4.0 * c4))
    return math.inf


def _search(b0: float, b1: float, b2: float, b3: float, b4: float) -> tuple[float, float] | None:
    """An interval (low, high) of [0, 1] with exactly one descent through 0, the leftmost; None if there is none."""
    stack = [(0.0, 1.0, b0, b1, b2, b3, b4, 0)]
    while stack:
        low, high, b0, b1, b2, b3, b4, depth = stack.pop()
        if b0 > 0.0 and b1 > 0.0 and b2 > 0.0 and b3 > 0.0 and b4 > 0.0:
            continue
        if b0 > 0.0 >= b4 and b0 >= b1 >= b2 >= b3 >= b4:
            return low, high
        if depth >= _MAX_DEPTH or high - low < 1e-15:
            if b0 <= 0.0 or b4 <= 0.0:
                return low, high
            continue
        m01, m12, m23, m34 = (b0 + b1) * 0.5, (b1 + b2) * 0.5, (b2 + b3) * 0.5, (b3 + b4) * 0.5
        m012, m123, m234 = (m01 + m12) * 0.5, (m12 + m23) * 0.5, (m23 + m34) * 0.5
        m0123, m1234 = (m012 + m123) * 0.5, (m123 + m234) * 0.5
        middle = (m0123 + m1234) * 0.5
        half = (low + high) * 0.5
        # The left half is pushed last and so looked at first: the smallest root is wanted.
        stack.append((half, high, middle, m1234, m234, m34, b4, depth + 1))
        stack.append((low, half, b0, m01, m012, m0123, middle, depth + 1))
    return None


def _polish(c0: float, c1: float, c2: float, c3: float, c4: float, low: float, high: float) -> float:
    """The root between `low` (positive) and `high` (not positive): Newton, safeguarded by bisection."""
    t = high
    while high - low > TIME_TOL:
        value = c0 + t * (c1 + t * (c2 + t * (c3 + t * c4)))
        if value > 0.0:
            low = t
        else:
            high = t
        slope = c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * 4.0 * c4))
        step = t - value / slope if slope < 0.0 else math.inf
        if not low < step < high:
            step = (low + high) * 0.5
        if abs(step - t) <= TIME_TOL:
            return step
        if step in (low, high):
            break
        t = step
    return high


def first_line_root(c0: float, c1: float, c2: float, span: float) -> float:
    """The smallest t in (0, span] where c0 + c1 t + c2 t^2 comes down to 0, c0 > 0; inf if it stays positive."""
    if c2 == 0.0:
        if c1 >= 0.0:
            return math.inf
        t = -c0 / c1
        return t if t <= span else math.inf
    discriminant = c1 * c1 - 4.0 * c2 * c0
    if discriminant < 0.0:
        return math.inf
    root = math.sqrt(discriminant)
    # The form without cancellation; for c2 < 0 exactly one root is positive, for c2 > 0 the nearer one is the descent.
    q = -0.5 * (c1 - root) if c1 < 0.0 else -0.5 * (c1 + root)
    near, far = (c0 / q if q else math.inf), q / c2
    if near > far:
        near, far = far, near
    if 0.0 < near <= span and c1 + 2.0 * c2 * near <= 0.0:
        return near
    return far if 0.0 < far <= span and c1 + 2.0 * c2 * far <= 0.0 else math.inf
