"""Match record (JSON Lines), history for the pages, CSV: all folded from the journal's entries, never kept apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from marker_hub import entries
from marker_hub.journal import Reader
from marker_hub.journal.reader import MatchRow
from marker_hub.table import TableConfig

RECORD_VERSION = 1


def match_entries(reader: Reader, row: MatchRow) -> list[entries.Entry]:
    """Everything from the match's start to its end, or to the present."""
    return list(reader.entries(row.tbl, after=row.n_from - 1, to=row.n_to))


def record(reader: Reader, row: MatchRow) -> bytes:
    """The match record: a head line, then one entry a line."""
    head = {"v": RECORD_VERSION, "fold": entries.FOLD_VERSION, "match": msgspec.json.decode(row.head)}
    lines = [msgspec.json.encode(head), *(entries.encode_entry(entry) for entry in match_entries(reader, row))]
    return b"\n".join(lines) + b"\n"


def match_detail(path: Path, row: MatchRow, config: TableConfig | None) -> dict[str, Any]:
    """The head of a match with its games."""
    del path, config
    head: dict[str, Any] = msgspec.json.decode(row.head)
    head.setdefault("games_list", [])
    return head


def export_match(path: Path, row: MatchRow, config: TableConfig | None, form: str) -> tuple[str, bytes] | None:
    """Media type and bytes in the form asked for, or None for an unknown form."""
    del config
    if form != "jsonl":
        return None
    reader = Reader(path)
    try:
        return "application/x-ndjson", record(reader, row)
    finally:
        reader.close()
