"""Limits of wall time where a time is part of what a test proves: they grow with what else the machine has to do."""

import os
import threading
import time
from types import TracebackType
from typing import Self

STEP_S = 0.05


def within(seconds: float) -> float:
    """The limit for something that takes less than `seconds` on an idle machine."""
    return seconds * max(1.0, 3 * os.getloadavg()[0] / (os.cpu_count() or 1))


class Stopwatch:
    """Counts the time in which the machine ran at all: `with Stopwatch() as watch: ...; watch.seconds`.

    A machine that stands still for seconds (suspended, or busy with others) does not count them: what was to come within a
    time could not come either.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._count, daemon=True)

    def _count(self) -> None:
        last = time.monotonic()
        while not self._ended.wait(STEP_S):
            now = time.monotonic()
            self.seconds += min(now - last, 2 * STEP_S)
            last = now

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
