"""Which sequence numbers of one boot are held: a set of ranges. The journal's unique index decides; this only short-cuts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from marker_hub.journal import SeqRange


class SeqSet:
    """Whole numbers from 0 as disjoint ranges, normally one or two."""

    __slots__ = ("_first", "_last")

    def __init__(self, ranges: Iterable[SeqRange] = ()) -> None:
        """ranges: in order, disjoint."""
        self.reset(ranges)

    def reset(self, ranges: Iterable[SeqRange]) -> None:
        """Hold exactly these, in the same object."""
        held = list(ranges)
        self._first = [entry.first for entry in held]
        self._last = [entry.last for entry in held]

    def __contains__(self, seq: int) -> bool:
        """Whether this number is held."""
        at = bisect_right(self._first, seq) - 1
        return at >= 0 and seq <= self._last[at]

    @property
    def head(self) -> int:
        """Next number after the highest one held, 0 when nothing is."""
        return self._last[-1] + 1 if self._last else 0

    def add(self, seq: int) -> bool:
        """Take a number in; False when it was there."""
        first, last = self._first, self._last
        if last and seq == last[-1] + 1:
            last[-1] = seq
            return True
        at = bisect_right(first, seq) - 1
        if at >= 0 and seq <= last[at]:
            return False
        joins_left = at >= 0 and last[at] == seq - 1
        joins_right = at + 1 < len(first) and first[at + 1] == seq + 1
        if joins_left and joins_right:
            last[at] = last.pop(at + 1)
            first.pop(at + 1)
        elif joins_left:
            last[at] = seq
        elif joins_right:
            first[at + 1] = seq
        else:
            first.insert(at + 1, seq)
            last.insert(at + 1, seq)
        return True

    def add_range(self, low: int, high: int) -> None:
        """Take in low..high (both included), without listing them."""
        kept = [
            (first, last)
            for first, last in zip(self._first, self._last, strict=True)
            if last < low - 1 or first > high + 1
        ]
        merged = [(f, s) for f, s in zip(self._first, self._last, strict=True) if not (s < low - 1 or f > high + 1)]
        low = min([low, *(first for first, _ in merged)])
        high = max([high, *(last for _, last in merged)])
        ranges = sorted([*kept, (low, high)])
        self._first = [first for first, _ in ranges]
        self._last = [last for _, last in ranges]

    def gaps(self, low: int, high: int) -> list[SeqRange]:
        """Ranges of low..high (both included) that are not held."""
        found: list[SeqRange] = []
        at = low
        for first, last in zip(self._first, self._last, strict=True):
            if last < at:
                continue
            if first > high:
                break
            if first > at:
                found.append(SeqRange(at, first - 1))
            at = max(at, last + 1)
        if at <= high:
            found.append(SeqRange(at, high))
        return found

    def ranges(self) -> list[SeqRange]:
        """What is held, in order."""
        return [SeqRange(first, last) for first, last in zip(self._first, self._last, strict=True)]
