"""Whether the hub records: outcomes of the journal's writer, what happens while a commit fails, and when it works again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from marker_hub import journal
from marker_hub.journal import JournalWriter
from marker_hub.journal.writer import Committed
from marker_hub.metrics import Metrics

log = logging.getLogger("marker.hub")

RETRY_FIRST_S = 0.5
RETRY_MAX_S = 5.0


class Recording:
    """One per hub. `lost` is called when recording stops (with the reason), `back` when it works again."""

    def __init__(self, path: Path, figures: Metrics, *, lost: Callable[[str], None], back: Callable[[], None]) -> None:
        """path: the journal's database, prepared."""
        self.on = True
        self.failure = ""
        self._figures = figures
        self._lost = lost
        self._back = back
        self._loop = asyncio.get_running_loop()
        self._retry_s = RETRY_FIRST_S
        self._retry: asyncio.TimerHandle | None = None
        self.journal = JournalWriter(path, self._deliver, soon=self._loop.call_soon)

    def _deliver(self, committed: Committed) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the process is ending
            self._loop.call_soon_threadsafe(self._committed, committed)

    def _committed(self, committed: Committed) -> None:
        if committed.entries:
            self._figures.observe("commit_seconds", committed.seconds)
        for done, outcome in committed.calls:
            try:
                done(outcome)
            except Exception:
                log.exception("an outcome could not be dealt with")

    def run(self, task: Callable[[sqlite3.Connection], Any]) -> None:
        """Let the journal's writer carry out a task of its own; a failure of it is logged."""
        self.journal.task(task, _task_done)

    def failed(self, error: str) -> None:
        """A commit failed. Nothing is acknowledged and no command taken until one works again."""
        if not self.on:
            return
        self.on = False
        self.failure = error
        self._figures.count("commit_failures_total")
        log.error("not recording: %s", error)
        self._lost(error)
        self._try_later()

    def _try_later(self) -> None:
        self._retry = self._loop.call_later(self._retry_s, self._try_again)
        self._retry_s = min(self._retry_s * 2, RETRY_MAX_S)

    def _try_again(self) -> None:
        self.journal.resume()

        def done(outcome: journal.Outcome) -> None:
            if outcome.error is not None:
                self.failure = outcome.error
                self._try_later()
                return
            log.warning("recording again")
            self.on = True
            self.failure = ""
            self._retry_s = RETRY_FIRST_S
            self._back()

        now_ms = time.time_ns() // 1_000_000
        probe = ("INSERT OR REPLACE INTO note(key, value) VALUES('probe', ?)", (str(now_ms),))
        self.journal.append((), done, [probe])

    def give_up(self) -> None:
        """Try no more: the hub stops."""
        if self._retry is not None:
            self._retry.cancel()

    async def close(self) -> None:
        """Commit what waits, hear the last outcomes."""
        await asyncio.to_thread(self.journal.close)
        await asyncio.sleep(0)  # the last outcomes


def _task_done(result: object) -> None:
    if isinstance(result, Exception):
        log.error("journal task: %s", result)
