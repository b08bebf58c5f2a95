"""One table as a pure value: the fold of its journal.

    table = new_table(config)
    table, effects = step(table, entry)          # one journalled entry
    bodies = propose(table, command, role, mono_us)   # what to journal for a command, or a Refusal
    deadline(table)                              # the next timer: (mono_us, name) or None
    desired(table)                               # what node and retained topics must look like

Nothing here reads a clock, a file or the network; the same entries always give the same table.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from marker_hub.commands import Command
from marker_hub.entries import Body, Entry
from marker_hub.table.types import (
    Announce,
    Desired,
    Effect,
    MatchEnded,
    Preview,
    Refusal,
    Role,
    ShotDiff,
    TableConfig,
    Unexpected,
)

__all__ = [
    "Announce",
    "Desired",
    "Effect",
    "MatchEnded",
    "Preview",
    "Refusal",
    "Role",
    "ShotDiff",
    "Table",
    "TableConfig",
    "Unexpected",
    "deadline",
    "desired",
    "dump",
    "load",
    "new_table",
    "preview",
    "propose",
    "state_hash",
    "step",
]

Table: TypeAlias = Any


def new_table(config: TableConfig) -> Table:
    """The table before its first entry."""
    raise NotImplementedError


def step(table: Table, entry: Entry) -> tuple[Table, tuple[Effect, ...]]:
    """The table after one entry. Raises only where the program is wrong; the caller journals a Fault then."""
    raise NotImplementedError


def propose(table: Table, command: Command, role: Role, mono_us: int) -> tuple[Body, ...] | Refusal:
    """The bodies to journal for a command (their order counts), or why it is refused. Changes nothing."""
    raise NotImplementedError


def deadline(table: Table) -> tuple[int, str] | None:
    """The next timer as (hub monotonic us, name); when it is due, journal TimerExpired(name)."""
    raise NotImplementedError


def desired(table: Table) -> Desired:
    """What node, score, shot and display topics must look like."""
    raise NotImplementedError


def preview(table: Table, command: Command, mono_us: int = 0) -> Preview | Refusal:
    """What an Amend would do, without doing it."""
    raise NotImplementedError


def state_hash(table: Table) -> bytes:
    """128-bit hash of everything that counts (not of counters, caches and the log itself)."""
    raise NotImplementedError


def dump(table: Table) -> bytes:
    """A snapshot of the table, for `load`; valid for the same FOLD_VERSION only."""
    raise NotImplementedError


def load(config: TableConfig, raw: bytes) -> Table:
    """The table of a snapshot. Raises ValueError where it cannot be read."""
    raise NotImplementedError
