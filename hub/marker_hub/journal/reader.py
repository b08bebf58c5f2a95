"""Reading the journal: entries, nodes, sequence numbers held, matches, rejects. A reader never writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from marker_hub import entries
from marker_hub.entries import Entry
from marker_hub.journal.schema import ENTRY_COLUMNS, Damaged, connect_read, trouble

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
    """One read-only connection. Not for use by two threads at the same time.

    Every method raises Damaged where the database or the body of an entry cannot be read, JournalError for a fault of the disk.
    """

    def __init__(self, path: Path, *, look: bool = False) -> None:
        """look: see `connect_read`. Raises JournalError when the file is missing or is no journal."""
        self.path = path
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

    def _rows(self, sql: str, parameters: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._connection.execute(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise trouble(self.path, error) from error

    def _row(self, sql: str, parameters: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        try:
            found: tuple[Any, ...] | None = self._connection.execute(sql, parameters).fetchone()
        except sqlite3.DatabaseError as error:
            raise trouble(self.path, error) from error
        return found

    def _number(self, sql: str, parameters: tuple[Any, ...] = ()) -> int:
        row = self._row(sql, parameters)
        return int(row[0]) if row else 0

    def tables(self) -> list[str]:
        """Tables that have entries, sorted."""
        return [row[0] for row in self._rows("SELECT DISTINCT tbl FROM entry ORDER BY tbl")]

    def head(self, tbl: str) -> int:
        """Newest position of a table, 0 when it has none."""
        return self._number("SELECT coalesce(max(n), 0) FROM entry WHERE tbl = ?", (tbl,))

    def entries(self, tbl: str, after: int = 0, to: int | None = None) -> Iterator[Entry]:
        """Entries of a table in order, positions after < n <= to."""
        yield from self._entries(
            f"SELECT {_COLUMNS} FROM entry WHERE tbl = ? AND n > ? AND n <= ? ORDER BY n",  # noqa: S608 - constant text
            (tbl, after, to if to is not None else (1 << 62)),
        )

    def match_starts(self) -> Iterator[Entry]:
        """Every entry with which a match began, oldest first."""
        yield from self._entries(
            f"SELECT {_COLUMNS} FROM entry WHERE kind = 'match' ORDER BY wall_ms, n"  # noqa: S608 - constant text
        )

    def _entries(self, sql: str, parameters: tuple[Any, ...] = ()) -> Iterator[Entry]:
        decode = entries.decode
        for name, n, node, boot, seq, dev_us, mono_us, wall_ms, key, role, session, raw in self._rows(sql, parameters):
            try:
                body = decode(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise Damaged(self.path, f"table {name}, position {n}: {error}") from error
            yield Entry(name, n, body, mono_us, wall_ms, key, node, boot, seq, dev_us, role, session)

    def by_key(self, key: str) -> tuple[str, int] | None:
        """Table and position of the command with this idempotency key."""
        row = self._row("SELECT tbl, n FROM entry WHERE key = ?", (key,))
        return (row[0], row[1]) if row else None

    def nodes(self) -> list[NodeRow]:
        """Every node that ever reported."""
        return [NodeRow(*row) for row in self._rows("SELECT id, uid, epoch, tbl FROM node ORDER BY id")]

    def boots(self, node: int) -> list[int]:
        """Boot numbers of a node of which the journal holds records or births, ascending."""
        held = self._rows(
            "SELECT DISTINCT boot FROM entry WHERE node = ? AND seq IS NOT NULL AND boot IS NOT NULL", (node,)
        )
        return sorted(row[0] for row in held)

    def newest_births(self) -> list[tuple[str, int, int, int]]:
        """(table, node, boot, position) of births, newest last."""
        rows = self._rows(
            "SELECT tbl, node, boot, n FROM entry WHERE kind = 'birth' AND node IS NOT NULL ORDER BY wall_ms, n"
        )
        return [(tbl, node, boot, n) for tbl, node, boot, n in rows]

    def held(self, node: int, boot: int) -> list[SeqRange]:
        """Sequence numbers held of one boot, as ranges in order."""
        whole = self._row(
            "SELECT count(*), min(seq), max(seq) FROM entry WHERE node = ? AND boot = ? AND seq IS NOT NULL",
            (node, boot),
        )
        if whole is None or not whole[0]:
            return []
        count, low, high = whole
        if count == high - low + 1:
            return [SeqRange(low, high)]
        found: list[SeqRange] = []
        rows = self._rows(
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
        row = self._row(
            "SELECT n, fold, hash, state FROM snapshot WHERE tbl = ? AND fold = ? AND n < ? ORDER BY n DESC LIMIT 1",
            (tbl, fold, below),
        )
        return Snapshot(*row) if row else None

    def matches(self) -> list[MatchRow]:
        """All matches, oldest first."""
        return [MatchRow(*row) for row in self._rows("SELECT id, tbl, n_from, n_to, head FROM match ORDER BY rowid")]

    def heads(self) -> list[tuple[MatchRow, dict[str, Any]]]:
        """All matches with their heads read, oldest first."""
        return [(row, self.head_of(row)) for row in self.matches()]

    def head_of(self, row: MatchRow) -> dict[str, Any]:
        """What the list shows of a match."""
        try:
            return msgspec.convert(msgspec.json.decode(row.head), dict[str, Any])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Damaged(self.path, f"match {row.id}: {error}") from error

    def match(self, match: str) -> MatchRow | None:
        """One match by its id."""
        row = self._row("SELECT id, tbl, n_from, n_to, head FROM match WHERE id = ?", (match,))
        return MatchRow(*row) if row else None

    def rejects(self, limit: int = 50) -> list[Rejected]:
        """Newest refused messages, newest first."""
        rows = self._rows("SELECT id, wall_ms, topic, reason, body FROM reject ORDER BY id DESC LIMIT ?", (limit,))
        return [Rejected(*row) for row in rows]

    def note(self, key: str) -> str | None:
        """A small remembered value of the hub."""
        row = self._row("SELECT value FROM note WHERE key = ?", (key,))
        return str(row[0]) if row else None

    def count_of(self, kind: str) -> int:
        """Number of entries of one kind, all tables."""
        return self._number("SELECT count(*) FROM entry WHERE kind = ?", (kind,))

    def count(self) -> int:
        """Number of entries of all tables."""
        return self._number("SELECT count(*) FROM entry")
