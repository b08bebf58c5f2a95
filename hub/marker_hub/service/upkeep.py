"""What a hub does in the background: backups, retention, and proving that the journal gives the live state."""

from __future__ import annotations

import asyncio
import functools
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import marker_hub.table as core
from marker_hub import journal
from marker_hub.broker import Notice
from marker_hub.config import JournalSection
from marker_hub.journal import JournalWriter, Reader
from marker_hub.journal.backup import prune, retention
from marker_hub.metrics import Metrics
from marker_hub.service.datafolder import backup_folders
from marker_hub.service.tables import TableRuntime
from marker_hub.table import TableConfig

log = logging.getLogger("marker.upkeep")

RETENTION_EVERY_S = 86_400.0
FIRST_RETENTION_S = 600.0


def fold_hash(path: Path, config: TableConfig, to: int) -> bytes:
    """State hash of a fold from the first entry to position `to`, in a connection of its own. Runs in a worker."""
    value = core.new_table(config)
    with Reader(path) as reader:
        for entry in reader.entries(config.id, to=to):
            try:
                value, _ = core.step(value, entry)
            except Exception:  # noqa: BLE001, S112 - as live: the old value is kept, and a Fault entry follows
                continue
    return core.state_hash(value)


class Upkeep:
    """Part of the hub; everything slow runs in a worker thread, writing goes through the journal's writer."""

    def __init__(
        self,
        section: JournalSection,
        data: Path,
        writer: JournalWriter,
        reader: Reader,
        tables: Mapping[str, TableRuntime],
        figures: Metrics,
        notice: Callable[[Notice], None],
    ) -> None:
        """data: the folder of the hub. notice: what the hall should know."""
        self._section = section
        self._path = journal.database_path(data)
        self._folders = backup_folders(section, data)
        self._writer = writer
        self._reader = reader
        self._tables = tables
        self._figures = figures
        self._notice = notice
        self._busy = False
        self._backed_up: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._handles: list[asyncio.TimerHandle] = []
        self.last_backup: Path | None = None

    def start(self) -> None:
        """Begin the schedules."""
        loop = asyncio.get_running_loop()
        minutes = self._section.backup_minutes
        self._handles = [
            loop.call_later(minutes * 60, self._hourly),
            loop.call_later(FIRST_RETENTION_S, self._daily),
        ]

    async def stop(self) -> None:
        """Let what runs come to its end."""
        for handle in self._handles:
            handle.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=10)

    def _hourly(self) -> None:
        loop = asyncio.get_running_loop()
        self._handles[0] = loop.call_later(self._section.backup_minutes * 60, self._hourly)
        if any(table.n != self._backed_up.get(table.id) for table in self._tables.values()):
            self._spawn(self.backup())

    def _daily(self) -> None:
        self._handles[1] = asyncio.get_running_loop().call_later(RETENTION_EVERY_S, self._daily)
        self._spawn(self.thin_out())

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- at the end of a match -------------------------------------------------------------------------------------

    def match_ended(self, table: TableRuntime) -> None:
        """A match is over or was corrected: copy the journal, prove the state."""
        self._spawn(self._after_match(table))

    async def _after_match(self, table: TableRuntime) -> None:
        await self.prove(table)
        await self.backup()

    async def prove(self, table: TableRuntime) -> bool:
        """Fold the journal anew in a worker and compare with the live state at the same position."""
        n, live = table.n, core.state_hash(table.value)
        again = await asyncio.to_thread(fold_hash, self._path, table.config, n)
        if again == live:
            return True
        self._figures.count("replay_mismatch_total", table=table.id)
        self._notice(
            Notice("replay-mismatch", f"table {table.id}: the journal folded anew to {n} differs from the live state")
        )
        return False

    # -- backup ----------------------------------------------------------------------------------------------------

    async def backup(self) -> str:
        """Copy, verify, prune; the second folder too. A failure is an alarm, never an end: its reason, else an empty text."""
        if self._busy:
            return ""
        self._busy = True
        heads = {table.id: table.n for table in self._tables.values()}
        try:
            for folder in self._folders:
                made = await asyncio.to_thread(journal.backup, self._path, folder)
                await asyncio.to_thread(prune, folder)
                self.last_backup = made.path
                log.info(
                    "backup %s: %d entries, %.1f MB, %.2f s", made.path, made.entries, made.size / 1e6, made.seconds
                )
            self._backed_up = heads
        except journal.JournalError as error:
            self._notice(Notice("backup-failed", str(error)))
            return str(error)
        finally:
            self._busy = False
        return ""

    # -- retention -------------------------------------------------------------------------------------------------

    async def thin_out(self) -> None:
        """Delete old records outside matches, after a verified backup, and only below a snapshot that holds their effect."""
        await self.backup()
        for table in self._tables.values():
            table.snapshot()
        spans = [(row.tbl, row.n_from, row.n_to or 1 << 62) for row in self._reader.matches()]
        run = functools.partial(
            _retention, now_ms=time.time_ns() // 1_000_000, days=self._section.keep_days, spans=spans
        )
        self._writer.task(run, self._thinned)

    def _thinned(self, result: object) -> None:
        if isinstance(result, Exception):
            self._notice(Notice("retention-failed", str(result)))
        else:
            log.info("retention: %s rows deleted", result)


def _retention(connection: sqlite3.Connection, *, now_ms: int, days: int, spans: list[tuple[str, int, int]]) -> int:
    return retention(connection, now_ms, days=days, matches=spans)
