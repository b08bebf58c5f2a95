"""Online backup, verification, restore, and what is kept."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from marker_hub.errors import shorten
from marker_hub.journal.reader import Reader
from marker_hub.journal.schema import Damaged, JournalError, connect_read, database_path, prepare, trouble

KEEP_HOURLY = 24
KEEP_DAILY = 30
_PATTERN = re.compile(r"journal-(\d{8})T(\d{6})Z(?:-\d+)?\.sqlite3")
_PAGES_PER_STEP = 512
_PAUSE_S = 0.002


class BackupResult(NamedTuple):
    """A verified copy: where, how many entries, bytes and seconds."""

    path: Path
    entries: int
    size: int
    seconds: float


def check(path: Path, *, bodies: bool = False) -> int:
    """Full `integrity_check` of a journal file; returns its number of entries. Raises Damaged or JournalError.

    bodies: read every entry and every head of a match too, which takes seconds for a million and is no work for a running hub.
    """
    count = _intact(path)
    if bodies:
        with Reader(path, look=True) as reader:
            for table in reader.tables():
                for _ in reader.entries(table):
                    pass
            reader.heads()
    return count


def _intact(path: Path) -> int:
    connection = connect_read(path, look=True)
    try:
        findings = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
        if findings != ["ok"]:
            raise Damaged(path, next((line for line in findings[0].splitlines() if not line.startswith("***")), "?"))
        return int(connection.execute("SELECT count(*) FROM entry").fetchone()[0])
    except sqlite3.DatabaseError as error:
        raise Damaged(path, str(error)) from error
    finally:
        connection.close()


def backup(source: Path, folder: Path, *, stamp: float | None = None) -> BackupResult:
    """Copy a journal while it is in use, verify the copy, then give it its final name.

    stamp: UTC seconds since the epoch for the file name. Raises JournalError; a copy that fails its check is removed.
    """
    began = time.monotonic()
    connect_read(source, look=True).close()  # before anything is made for a journal that is not there
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise JournalError(f"{shorten(folder)}: {error.strerror}; choose another folder for backups") from error
    name = time.strftime("journal-%Y%m%dT%H%M%SZ", time.gmtime(stamp))
    target = folder / f"{name}.sqlite3"
    number = 1
    while target.exists():
        target = folder / f"{name}-{number}.sqlite3"
        number += 1
    part = target.with_suffix(".part")
    part.unlink(missing_ok=True)
    try:
        os.close(os.open(part, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))
        _copy(source, part)
        entries = check(part)
        _sync(part)
        part.rename(target)
        _sync(folder)
    except Damaged as error:  # a copy is as its original is
        raise Damaged(source, error.finding.partition("(")[2].rstrip(")")) from error
    except sqlite3.DatabaseError as error:
        raise trouble(source, error) from error
    except OSError as error:
        raise JournalError(
            f"{target}: the backup failed: {error.strerror}; free some space, or choose another folder"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return BackupResult(target, entries, target.stat().st_size, time.monotonic() - began)


def _copy(source: Path, target: Path) -> None:
    read = connect_read(source)
    write = sqlite3.connect(target, isolation_level=None)
    try:
        # In steps, so that the writer of a running hub is never held up for long.
        read.backup(write, pages=_PAGES_PER_STEP, sleep=_PAUSE_S)
        write.execute("PRAGMA journal_mode=DELETE")
    finally:
        write.close()
        read.close()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def backups(folder: Path) -> list[Path]:
    """Backups in a folder, oldest first."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _PATTERN.fullmatch(path.name))


def newest_backup(folder: Path, *, bodies: bool = False) -> Path | None:
    """The newest backup that passes its check, or None. bodies: see `check`."""
    for path in reversed(backups(folder)):
        with contextlib.suppress(JournalError):
            check(path, bodies=bodies)
            return path
    return None


def prune(folder: Path) -> list[Path]:
    """Remove what is beyond the newest 24 backups and one a day for 30 days; returns what was removed."""
    found = backups(folder)
    keep = set(found[-KEEP_HOURLY:])
    by_day: dict[str, Path] = {}
    for path in found:
        by_day[path.name[8:16]] = path
    keep.update(by_day[day] for day in sorted(by_day)[-KEEP_DAILY:])
    removed = [path for path in found if path not in keep]
    for path in removed:
        path.unlink()
    return removed


def restore(copy: Path, data: Path, *, stamp: float | None = None) -> Path | None:
    """Put a verified backup in place of the journal of a data folder whose hub is stopped.

    A journal that is already there is set aside, not deleted; returns its new name. Raises Damaged or JournalError.
    """
    check(copy)
    data.mkdir(parents=True, exist_ok=True)
    target = database_path(data)
    part = target.with_suffix(".part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))
    try:
        _copy(copy, part)
        check(part)
        _sync(part)
        aside = set_aside(data, "replaced", stamp=stamp)
        part.rename(target)
        _sync(data)
    except sqlite3.DatabaseError as error:
        raise trouble(copy, error) from error
    finally:
        part.unlink(missing_ok=True)
    prepare(target)
    return aside


def set_aside(data: Path, why: str, *, stamp: float | None = None) -> Path | None:
    """Rename the journal of a stopped hub together with its WAL, so that a new one can take its place."""
    target = database_path(data)
    if not target.exists():
        return None
    name = time.strftime(f"journal-{why}-%Y%m%dT%H%M%SZ.sqlite3", time.gmtime(stamp))
    aside = data / name
    number = 1
    while aside.exists():
        aside = data / f"{name.removesuffix('.sqlite3')}-{number}.sqlite3"
        number += 1
    for suffix in ("-wal", "-shm"):
        beside = target.with_name(target.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    target.rename(aside)
    return aside


def retention(
    connection: sqlite3.Connection, now_ms: int, *, days: int, matches: Sequence[tuple[str, int, int]]
) -> int:
    """Delete records outside matches and rejects older than `days`; keep at most 10 MB of rejects. Returns deleted rows.

    matches: (table, first, last position) of every match; what lies inside is kept for ever. Positions never move: the
    newest entry of a table always stays, so that numbering goes on. Only node records and health reports are deleted;
    births, commands and anything that shapes the state stay.
    """
    limit = now_ms - days * 86_400_000
    deleted = 0
    connection.execute("BEGIN IMMEDIATE")
    try:
        for (tbl,) in connection.execute("SELECT DISTINCT tbl FROM entry").fetchall():
            spans = sorted((first, last) for name, first, last in matches if name == tbl)
            head = connection.execute("SELECT max(n) FROM entry WHERE tbl = ?", (tbl,)).fetchone()[0]
            start = 0
            for first, last in [*spans, (head, head)]:
                deleted += connection.execute(
                    "DELETE FROM entry WHERE tbl = ? AND n > ? AND n < ? AND wall_ms < ? AND kind IN ('obs','health','head','clock')",
                    (tbl, start, first, limit),
                ).rowcount
                start = max(start, last)
        deleted += connection.execute("DELETE FROM reject WHERE wall_ms < ?", (limit,)).rowcount
        deleted += connection.execute(
            "DELETE FROM reject WHERE id IN (SELECT id FROM (SELECT id, sum(length(body)) OVER (ORDER BY id DESC) AS total"
            " FROM reject) WHERE total > 10000000)"
        ).rowcount
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return deleted
