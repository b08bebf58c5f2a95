"""Snapshots of a table. They hold the journal of the current match and the table before it, so that loading is folding."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hub.assembler.link import Link
from marker_hub.assembler.seats import Seats
from marker_hub.entries import FOLD_VERSION, Entry
from marker_hub.phases import Phase
from marker_hub.table.state import Notice, Table
from marker_hub.table.step import step
from marker_hub.table.types import TableConfig


class Base(msgspec.Struct, frozen=True):
    """A table outside a match: everything it knows is plain."""

    n: int
    phase: str
    link: Link
    seats: Seats
    notices: tuple[Notice, ...]
    fault: str
    mono_us: int
    mode_n: int
    decided_n: int = 0


class Snapshot(msgspec.Struct, frozen=True):
    """base: the table before the first entry of the log; log: what happened since."""

    fold: int
    n: int
    base: Base
    log: tuple[Entry, ...]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Snapshot)


def _base(table: Table) -> Base:
    return Base(
        table.n,
        table.phase,
        table.link,
        table.seats,
        table.notices,
        table.fault,
        table.mono_us,
        table.mode_n,
        table.decided_n,
    )


def dump(table: Table) -> bytes:
    """A snapshot for `load`, valid for the same FOLD_VERSION only."""
    first: Any = table.marks[0][1] if table.marks else table
    return _encoder.encode(Snapshot(FOLD_VERSION, table.n, _base(first), tuple(table.log)))


def load(config: TableConfig, raw: bytes) -> Table:
    """The table of a snapshot. Raises ValueError where it cannot be read or was made by another fold."""
    made = _decoder.decode(raw)
    if made.fold != FOLD_VERSION:
        raise ValueError(f"snapshot of fold version {made.fold}, this program has {FOLD_VERSION}; fold the journal")
    base = made.base
    table = Table(
        config=config,
        n=base.n,
        phase=Phase.IDLE.value,
        link=base.link,
        seats=base.seats,
        notices=base.notices,
        fault=base.fault,
        mono_us=base.mono_us,
        mode_n=base.mode_n,
        decided_n=base.decided_n,
    )
    for entry in made.log:
        table, _ = step(table, entry)
    return msgspec.structs.replace(table, n=made.n)
