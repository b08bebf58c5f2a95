"""A bounded store of things worked out before: what is asked for again stays, what is not goes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Values in two generations of `size` each: when the young one is full, the old one is forgotten.

    Unlike `functools.lru_cache` it can weigh its values (here: by worlds), and a value need not be made of its key alone.
    Safe for threads: at worst a value is made twice.
    """

    __slots__ = ("_filled", "_old", "_size", "_young")

    def __init__(self, size: int) -> None:
        self._size = size
        self._filled = 0
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}

    def get(self, key: K) -> V | None:
        """The value kept for a key."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def put(self, key: K, value: V, weight: int = 1) -> V:
        """Keep a value, and return it."""
        if self._filled >= self._size:
            self._old, self._young, self._filled = self._young, {}, 0
        self._young[key] = value, weight
        self._filled += weight
        return value

    def clear(self) -> None:
        """Forget everything."""
        self._young, self._old, self._filled = {}, {}, 0

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())
