"""Seeded chance. Every stage draws from a stream of its own, so that adding one never shifts another.

Only `random.Random.random()` is promised to be the same on every Python version; everything else is derived from it here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """A stream of chance named by seed and purpose: `Stream(7, "play", 12)`."""

    __slots__ = ("_next",)

    def __init__(self, *name: str | int) -> None:
        self._next = random.Random("/".join(str(part) for part in name)).random

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """A number in [low, high)."""
        return low + (high - low) * self._next()

    def chance(self, probability: float) -> bool:
        """True with `probability`."""
        return self._next() < probability

    def below(self, n: int) -> int:
        """A whole number in 0..n-1."""
        return min(n - 1, int(self._next() * n))

    def pick(self, items: Sequence[T]) -> T:
        """One of `items`, each as likely."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """One of `items` by weight; weights need not add up to 1."""
        at = self._next() * sum(weight for _, weight in items)
        for item, weight in items:
            at -= weight
            if at < 0:
                return item
        return items[-1][0]

    def some(self, items: Sequence[T], count: int) -> tuple[T, ...]:
        """`count` different items, in the order of `items`."""
        left = list(range(len(items)))
        chosen = sorted(left.pop(self.below(len(left))) for _ in range(count))
        return tuple(items[index] for index in chosen)

    def gauss(self, mean: float = 0.0, sd: float = 1.0) -> float:
        """A normal deviate (Box-Muller, first of the pair)."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self._next()))
        return mean + sd * radius * math.cos(2.0 * math.pi * self._next())
