"""The list of matches: a small index beside the entries, made from them and repaired from them."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from marker_hub.config import WebSection
from marker_hub.entries import Entry, MatchStarted
from marker_hub.export import MatchRecord, export_match, from_journal, match_detail
from marker_hub.journal import Reader
from marker_hub.journal.reader import MatchRow
from marker_hub.match.board import board
from marker_hub.service.tables import TableRuntime
from marker_hub.table import MatchEnded, Table

log = logging.getLogger("marker.matches")


def head_of(entry: Entry, table_name: str) -> dict[str, Any]:
    """What the list shows of a match that just began."""
    body = entry.body
    assert isinstance(body, MatchStarted)
    return {
        "id": body.id,
        "table": entry.tbl,
        "table_name": table_name,
        "game": body.game,
        "preset": body.preset,
        "started_ms": entry.wall_ms,
        "ended_ms": None,
        "players": {side: msgspec.to_builtins(player) for side, player in body.players.items()},
        "games": {"A": 0, "B": 0},
        "winner": None,
        "scheduled_ms": None,
        "revision": 0,
        "practice": body.practice,
    }


class MatchBook:
    """The `match` table of the journal."""

    def __init__(
        self,
        path: Path,
        reader: Reader,
        run: Callable[[Callable[[sqlite3.Connection], Any]], None],
        tables: Mapping[str, TableRuntime],
        web: WebSection,
    ) -> None:
        """path: the journal's database, read anew for each record. run: lets the journal's writer carry out a task."""
        self._path = path
        self._reader = reader
        self._run = run
        self._tables = tables
        self._web = web

    def started(self, table: str, entry: Entry) -> None:
        """A match began: add its row."""
        head = head_of(entry, self._tables[table].config.name)
        row = (head["id"], entry.tbl, entry.n, msgspec.json.encode(head))
        self._task("INSERT OR IGNORE INTO match(id, tbl, n_from, n_to, head) VALUES(?,?,?,NULL,?)", row)

    def ended(self, table: str, value: Table, entry: Entry, effect: MatchEnded) -> None:
        """A match ended, or its record changed afterwards."""
        found = self._reader.match(effect.match)
        head: dict[str, Any] = msgspec.json.decode(found.head) if found else {"id": effect.match, "table": table}
        head.update(ended_ms=entry.wall_ms, revision=effect.revision)
        match = value.match  # not the view: after the signature the table is free and shows nothing
        if match is not None and match.head.id == effect.match:
            now = board(match)
            head.update(winner=now.winner, games=now.games)
        self._task(
            "UPDATE match SET n_to = ?, head = ? WHERE id = ?", (entry.n, msgspec.json.encode(head), effect.match)
        )

    def repair(self) -> None:
        """Matches that the entries know and the index does not (killed between the two)."""
        names = {table.id: table.config.name for table in self._tables.values()}
        known = {row.id for row in self._reader.matches()}
        for entry in self._reader.match_starts():
            if isinstance(entry.body, MatchStarted) and entry.body.id not in known:
                head = head_of(entry, names.get(entry.tbl, entry.tbl))
                row = (head["id"], entry.tbl, entry.n, msgspec.json.encode(head))
                self._task("INSERT OR IGNORE INTO match(id, tbl, n_from, n_to, head) VALUES(?,?,?,NULL,?)", row)

    def _task(self, sql: str, parameters: tuple[Any, ...]) -> None:
        def store(connection: sqlite3.Connection) -> None:
            connection.execute(sql, parameters)

        self._run(store)

    def list(self) -> list[dict[str, Any]]:
        """All matches, newest first; games and winner of a running one from its table."""
        found = []
        for row in reversed(self._reader.matches()):
            head = msgspec.json.decode(row.head)
            table = self._tables.get(row.tbl)
            if row.n_to is None and table is not None:
                view = table.view()
                if (view.get("match") or {}).get("id") == row.id:
                    head["winner"] = view.get("winner")  # the row follows a moment after the end
                    head["games"] = {
                        side: (view.get("players") or {}).get(side, {}).get("games", 0) for side in ("A", "B")
                    }
            found.append(head)
        return found

    async def detail(self, match_id: str) -> dict[str, Any] | None:
        """One match with its games, shots and events; folded from the entries in a worker."""
        row = self._reader.match(match_id)
        if row is None:
            return None
        return await asyncio.to_thread(lambda: match_detail(self._record(row)))

    async def export(self, match_id: str, form: str) -> tuple[str, bytes] | None:
        """A match in one of the export forms."""
        row = self._reader.match(match_id)
        if row is None:
            return None
        return await asyncio.to_thread(
            lambda: export_match(self._record(row), form, self._web.zone, self._web.language)
        )

    def _record(self, row: MatchRow) -> MatchRecord:
        table = self._tables.get(row.tbl)
        return from_journal(self._path, row, table.config if table else None)
