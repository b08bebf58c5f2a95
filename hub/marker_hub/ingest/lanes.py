"""One lane per table: messages and commands in order, each command alone.

A command is proposed on a state that nothing in flight can change any more, so its entries follow directly the state it
was decided on. Messages are submitted without waiting for each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from marker_hub.journal import Draft, JournalWriter, Outcome, Statement


class Work(NamedTuple):
    """What to store, and whom to tell."""

    drafts: Sequence[Draft]
    done: Callable[[Outcome], None]
    statements: Sequence[Statement] = ()


class Item(NamedTuple):
    """make: called at the head of the lane, returns what to store, or None when there is nothing.

    alone: only when nothing of this table is in flight. barrier: nothing behind it is looked at before it is settled.
    generation: connection it came over (0 = not from the durable session); dropped when that connection is lost, because
    the broker delivers it again.
    """

    make: Callable[[], Work | None]
    alone: bool = False
    barrier: bool = False
    generation: int = 0


class Lane:
    """The queue of one table."""

    def __init__(self, journal: JournalWriter) -> None:
        """Starts open; a closed lane keeps its items."""
        self._journal = journal
        self._items: deque[Item] = deque()
        self._in_flight = 0
        self._barred = False
        self._pumping = False
        self.open = True

    def __len__(self) -> int:
        """Items waiting."""
        return len(self._items)

    @property
    def busy(self) -> bool:
        """Whether something waits or is being committed."""
        return bool(self._items) or self._in_flight > 0

    def put(self, item: Item) -> None:
        """Add an item and run what can be run."""
        self._items.append(item)
        self.pump()

    def put_first(self, item: Item) -> None:
        """Add an item before all that wait (what the hub itself adds to the entry just stepped)."""
        self._items.appendleft(item)
        self.pump()

    def pump(self) -> None:
        """Submit from the head as far as possible."""
        if self._pumping:
            return
        self._pumping = True
        try:
            while self._items and self.open and not self._barred:
                item = self._items[0]
                if item.alone and self._in_flight:
                    return
                self._items.popleft()
                work = item.make()
                if work is not None:
                    self._submit(work, barrier=item.barrier)
        finally:
            self._pumping = False

    def _submit(self, work: Work, *, barrier: bool) -> None:
        self._in_flight += 1
        self._barred = barrier

        def settled(outcome: Outcome) -> None:
            # The outcome is dealt with (state stepped) before anything behind it is looked at.
            try:
                work.done(outcome)
            finally:
                self._in_flight -= 1
                self._barred = self._barred and not barrier
                self.pump()

        self._journal.append(work.drafts, settled, work.statements)

    def drop(self, generation: int) -> int:
        """Forget waiting items of connections up to this one; returns how many."""
        kept = deque(item for item in self._items if not 0 < item.generation <= generation)
        dropped = len(self._items) - len(kept)
        self._items = kept
        return dropped
