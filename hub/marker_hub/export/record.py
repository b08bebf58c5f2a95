"""The match record: one JSON Lines file that holds a match and can be folded anew anywhere.

Line 1 is the head: versions, table, match. Then one entry a line: first what the fold needs to know from before the match
(who the node was, what stood on the table), then everything from its start to its end. The last line says how it ends:
position, state hash, and a seal over all lines before.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

import marker_hub.table as core
from marker_hub import entries
from marker_hub.entries import Entry
from marker_hub.errors import MarkerError
from marker_hub.journal import Reader
from marker_hub.journal.reader import MatchRow
from marker_hub.table import TableConfig

RECORD_VERSION = 1
CONTEXT_MAX = 20_000


class RecordError(MarkerError):
    """A file that is no match record, or one that is damaged; names file, line and finding."""


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """First line. n_from: position of the entry with which the match began; match: what the list of matches shows."""

    v: int
    fold: int
    config: TableConfig
    match: dict[str, Any]
    n_from: int


class End(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Last line. seal: SHA-256 of all lines before it, empty in records of early versions."""

    n: int
    hash: str
    seal: str = ""


class _Tail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    end: End


class MatchRecord(msgspec.Struct, frozen=True):
    """A whole record. sealed: whether the lines of the file it was read from are those it was written with; None: nobody knows."""

    head: Head
    entries: tuple[Entry, ...]
    end: End
    sealed: bool | None = None


def from_journal(path: Path, row: MatchRow, config: TableConfig | None) -> MatchRecord:
    """The record of a match in a journal. Opens a connection of its own; runs in a worker."""
    config = config or TableConfig(id=row.tbl, name=row.tbl)
    with Reader(path) as reader:
        match = reader.head_of(row)
        last = row.n_to if row.n_to is not None else reader.head(row.tbl)
        begin = max(0, row.n_from - 1 - CONTEXT_MAX)
        before = list(reader.entries(row.tbl, after=begin, to=row.n_from - 1))
        found = (*before[_context(before) :], *reader.entries(row.tbl, after=row.n_from - 1, to=last))
    head = Head(RECORD_VERSION, entries.FOLD_VERSION, config, match, row.n_from)
    return MatchRecord(head, found, End(last, core.state_hash(folded(head, found)).hex()))


def _context(before: list[Entry]) -> int:
    """Where the context begins: at the node's last birth before the match, or the end of the match before, whichever is earlier."""
    at = len(before)
    births = [i for i, entry in enumerate(before) if isinstance(entry.body, entries.Birth)]
    if births:
        at = births[-1]
    closes = [i for i, entry in enumerate(before) if isinstance(entry.body, (entries.Closed, entries.MatchStarted))]
    return min(at, closes[-1] + 1) if closes else at


def folded(head: Head, story: tuple[Entry, ...]) -> core.Table:
    """The table after the whole record."""
    value = core.new_table(head.config)
    for entry in story:
        try:
            value, _ = core.step(value, entry)
        except Exception:  # noqa: BLE001, S112 - as in the hub: the old value is kept, and a Fault entry follows
            continue
    return value


def write_record(record: MatchRecord) -> bytes:
    """The file."""
    lines = [msgspec.json.encode(record.head), *(entries.encode_entry(entry) for entry in record.entries)]
    end = msgspec.structs.replace(record.end, seal=_seal(lines))
    return b"\n".join([*lines, msgspec.json.encode(_Tail(end))]) + b"\n"


def _seal(lines: list[bytes]) -> str:
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def read_record(raw: bytes, name: str) -> MatchRecord:
    """Read a file. Raises RecordError naming the line."""
    lines = raw.splitlines()
    if len(lines) < 2:
        raise RecordError(f"{name}: a match record has a head, entries and an end; this file has {len(lines)} line(s)")
    head = _line(lines[0], Head, name, 1)
    if head.v != RECORD_VERSION:
        raise RecordError(f"{name}: line 1: version {head.v}; this program reads version {RECORD_VERSION}")
    story = []
    for number, line in enumerate(lines[1:-1], 2):
        try:
            story.append(entries.decode_entry(line))
        except msgspec.DecodeError as error:
            raise RecordError(f"{name}: line {number}: {error}") from error
    positions = [entry.n for entry in story]
    for number, (before, after) in enumerate(pairwise(positions), 3):
        # Before the match old records may have been thinned out; within it every position counts.
        if after <= before or (after > head.n_from and after != before + 1):
            raise RecordError(f"{name}: line {number}: position {after} follows {before}; entries are missing")
    end: End = _line(lines[-1], _Tail, name, len(lines)).end
    return MatchRecord(head, tuple(story), end, end.seal == _seal(lines[:-1]) if end.seal else None)


def _line(raw: bytes, kind: Any, name: str, number: int) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.DecodeError as error:
        raise RecordError(f"{name}: line {number}: {error}; is this a match record?") from error
