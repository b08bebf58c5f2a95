"""An append-only sequence with the manners of a tuple: appending gives a new value, the old one keeps its length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Vec(Generic[T]):
    """Append in constant time. Values that grew from one another share one list; only the longest may extend it."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: list[T] | None = None, length: int | None = None) -> None:
        self._items: list[T] = items if items is not None else []
        self._length = len(self._items) if length is None else length

    def append(self, item: T) -> Vec[T]:
        """A sequence with one item more; this one stays as it is."""
        if len(self._items) == self._length:
            self._items.append(item)
            return Vec(self._items, self._length + 1)
        return Vec([*self._items[: self._length], item])

    def cut(self, length: int) -> Vec[T]:
        """The first `length` items."""
        return Vec(self._items, length)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        for at in range(self._length):
            yield self._items[at]

    def __getitem__(self, at: int) -> T:
        if at < 0:
            at += self._length
        if not 0 <= at < self._length:
            raise IndexError(f"item {at} of {self._length}")
        return self._items[at]

    def __bool__(self) -> bool:
        return self._length > 0
