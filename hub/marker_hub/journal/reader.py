"""Reading the journal: entries, nodes, sequence numbers held, matches, rejects. A reader never writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from marker_hub import entries
from marker_hub.entries import Entry
from marker_hub.journal.schema import ENTRY_COLUMNS, connect_read

_COLUMNS = ENTRY_COLUMNS.replace("kind,", "")


class NodeRow(NamedTuple):
    """An interned node: uid and epoch (how often its boot counter was reset), last known table."""

    id: int
    uid: str
    epoch: int
    tbl: str


class SeqRange(NamedTuple):
    """Sequence numbers first..last (both included) of one boot that the journal holds."""

    first: int
    last: int


class Rejected(NamedTuple):
    """A message that was refused."""

    id: int
    wall_ms: int
    topic: str
    reason: str
    body: bytes


class Snapshot(NamedTuple):
    """A cached fold: position, fold version, state hash, encoded state."""

    n: int
    fold: int
    hash: bytes
    state: bytes


class MatchRow(NamedTuple):
    """A match: first and last journal position (None while it runs) and its head as JSON."""

    id: str
    tbl: str
    n_from: int
    n_to: int | None
    head: bytes


class Reader:
    """One read-only connection. Not for use by two threads at the same time."""

    def __init__(self, path: Path, *, look: bool = False) -> None:
        """look: see `connect_read`. Raises JournalError when the file is missing or is no journal."""
        self._connection: sqlite3.Connection = connect_read(path, look=look)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Usable in `with`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.close()

    def tables(self) -> list[str]:
        """Tables that have entries, sorted."""
        return [row[0] for row in self._connection.execute("SELECT DISTINCT tbl FROM entry ORDER BY tbl")]

    def head(self, tbl: str) -> int:
        """Newest position of a table, 0 when it has none."""
        return int(
            self._connection.execute("SELECT coalesce(max(n), 0) FROM entry WHERE tbl = ?", (tbl,)).fetchone()[0]
        )

    def entries(self, tbl: str, after: int = 0, to: int | None = None) -> Iterator[Entry]:
        """Entries of a table in order, positions after < n <= to. Raises msgspec.ValidationError for a damaged body."""
        decode = entries.decode
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM entry WHERE tbl = ? AND n > ? AND n <= ? ORDER BY n",  # noqa: S608 - constant text
            (tbl, after, to if to is not None else (1 << 62)),
        )
        for name, n, node, boot, seq, dev_us, mono_us, wall_ms, key, role, session, body in rows:
            yield Entry(name, n, decode(body), mono_us, wall_ms, key, node, boot, seq, dev_us, role, session)

    def match_starts(self) -> Iterator[Entry]:
        """Every entry with which a match began, oldest first."""
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM entry WHERE kind = 'match' ORDER BY wall_ms, n"  # noqa: S608 - constant text
        )
        for name, n, node, boot, seq, dev_us, mono_us, wall_ms, key, role, session, body in rows:
            yield Entry(name, n, entries.decode(body), mono_us, wall_ms, key, node, boot, seq, dev_us, role, session)

    def by_key(self, key: str) -> tuple[str, int] | None:
        """Table and position of the command with this idempotency key."""
        row = self._connection.execute("SELECT tbl, n FROM entry WHERE key = ?", (key,)).fetchone()
        return (row[0], row[1]) if row else None

    def nodes(self) -> list[NodeRow]:
        """Every node that ever reported."""
        return [NodeRow(*row) for row in self._connection.execute("SELECT id, uid, epoch, tbl FROM node ORDER BY id")]

    def boots(self, node: int) -> list[int]:
        """Boot numbers of a node of which the journal holds records or births, ascending."""
        held = self._connection.execute(
            "SELECT DISTINCT boot FROM entry WHERE node = ? AND seq IS NOT NULL AND boot IS NOT NULL", (node,)
        )
        return sorted(row[0] for row in held)

    def newest_births(self) -> list[tuple[str, int, int, int]]:
        """(table, node, boot, position) of births, newest last."""
        rows = self._connection.execute(
            "SELECT tbl, node, boot, n FROM entry WHERE kind = 'birth' AND node IS NOT NULL ORDER BY wall_ms, n"
        )
        return [tuple(row) for row in rows]

    def held(self, node: int, boot: int) -> list[SeqRange]:
        """Sequence numbers held of one boot, as ranges in order."""
        count, low, high = self._connection.execute(
            "SELECT count(*), min(seq), max(seq) FROM entry WHERE node = ? AND boot = ? AND seq IS NOT NULL",
            (node, boot),
        ).fetchone()
        if not count:
            return []
        if count == high - low + 1:
            return [SeqRange(low, high)]
        found: list[SeqRange] = []
        rows = self._connection.execute(
            "SELECT seq FROM entry WHERE node = ? AND boot = ? AND seq IS NOT NULL ORDER BY seq", (node, boot)
        )
        for (seq,) in rows:
            if found and seq == found[-1].last + 1:
                found[-1] = SeqRange(found[-1].first, seq)
            else:
                found.append(SeqRange(seq, seq))
        return found

    def snapshot(self, tbl: str, fold: int, below: int = 1 << 62) -> Snapshot | None:
        """Newest snapshot of a table of this fold version at a position < below."""
        row = self._connection.execute(
            "SELECT n, fold, hash, state FROM snapshot WHERE tbl = ? AND fold = ? AND n < ? ORDER BY n DESC LIMIT 1",
            (tbl, fold, below),
        ).fetchone()
        return Snapshot(*row) if row else None

    def matches(self) -> list[MatchRow]:
        """All matches, oldest first."""
        return [
            MatchRow(*row)
            for row in self._connection.execute("SELECT id, tbl, n_from, n_to, head FROM match ORDER BY rowid")
        ]

    def match(self, match: str) -> MatchRow | None:
        """One match by its id."""
        row = self._connection.execute(
            "SELECT id, tbl, n_from, n_to, head FROM match WHERE id = ?", (match,)
        ).fetchone()
        return MatchRow(*row) if row else None

    def rejects(self, limit: int = 50) -> list[Rejected]:
        """Newest refused messages, newest first."""
        rows = self._connection.execute(
            "SELECT id, wall_ms, topic, reason, body FROM reject ORDER BY id DESC LIMIT ?", (limit,)
        )
        return [Rejected(*row) for row in rows]

    def note(self, key: str) -> str | None:
        """A small remembered value of the hub."""
        row = self._connection.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def count_of(self, kind: str) -> int:
        """Number of entries of one kind, all tables."""
        return int(self._connection.execute("SELECT count(*) FROM entry WHERE kind = ?", (kind,)).fetchone()[0])

    def count(self) -> int:
        """Number of entries of all tables."""
        return int(self._connection.execute("SELECT count(*) FROM entry").fetchone()[0])
