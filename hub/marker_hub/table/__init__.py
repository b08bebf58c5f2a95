"""One table as a pure value: the fold of its journal.

    table = new_table(config)
    table, effects = step(table, entry)          # one journalled entry
    bodies = propose(table, command, role, mono_us)   # what to journal for a command, or a Refusal
    deadline(table)                              # the next timer: (mono_us, name) or None
    desired(table)                               # what node and retained topics must look like

Nothing here reads a clock, a file or the network; the same entries always give the same table.
"""

from __future__ import annotations

import msgspec

from marker_hub.entries import digest
from marker_hub.table.desired import desired, order, topics
from marker_hub.table.propose import preview, propose
from marker_hub.table.snapshot import dump, load
from marker_hub.table.state import Table
from marker_hub.table.step import step
from marker_hub.table.timers import due_body, next_deadline
from marker_hub.table.types import (
    Announce,
    Desired,
    Effect,
    MatchEnded,
    Order,
    Preview,
    Refusal,
    Role,
    ShotDiff,
    TableConfig,
    Topics,
    Unexpected,
)

__all__ = [
    "Announce",
    "Desired",
    "Effect",
    "MatchEnded",
    "Order",
    "Preview",
    "Refusal",
    "Role",
    "ShotDiff",
    "Table",
    "TableConfig",
    "Topics",
    "Unexpected",
    "deadline",
    "desired",
    "due_body",
    "dump",
    "gaps",
    "load",
    "new_table",
    "order",
    "preview",
    "propose",
    "state_hash",
    "step",
    "topics",
]


def new_table(config: TableConfig) -> Table:
    """The table before its first entry."""
    return Table(config)


def deadline(table: Table) -> tuple[int, str] | None:
    """The next timer as (hub monotonic us, name). When it is due, journal `due_body(table)`."""
    return next_deadline(table)


def gaps(table: Table) -> tuple[tuple[int, int, int], ...]:
    """Records known to exist that have not come: (boot, first, last), for replay requests."""
    return table.link.holes()


def state_hash(table: Table) -> bytes:
    """128-bit hash of everything that counts: not of journal positions, caches and the log itself."""
    match = table.match
    return digest(
        {
            "phase": table.phase,
            "run": None if table.run is None else _run(table.run),
            "queue": [_run(run) for run in table.queue],
            "seats": table.seats,
            "clock": table.clock,
            "pause": table.pause,
            "placed": table.placed,
            "ticked": table.ticked,
            "match": None if match is None else match.head,
            "state": None if match is None else match.state,
            "items": [] if match is None else [_item(item) for item in match.items],
            "aside": [] if match is None else [item.no for item in match.aside],
        }
    )


def _run(run: object) -> object:
    assert isinstance(run, msgspec.Struct)
    made = msgspec.structs.asdict(run)
    made["records"] = sorted((rec.boot, rec.seq, rec.ch, rec.kind, rec.v, rec.aux, rec.t) for rec in made["records"])
    made["calls"] = sorted((call.code, call.by, call.when) for call in made["calls"])
    made["answers"] = sorted(made["answers"])
    made["quality"] = sorted(made["quality"].items())
    made["settle_n"] = 0
    return made


def _item(item: object) -> object:
    action = getattr(item, "action", None)
    if action is not None:
        return action
    return {
        "no": getattr(item, "no", 0),
        "status": getattr(item, "status", ""),
        "ruling": getattr(item, "ruling", None),
    }
