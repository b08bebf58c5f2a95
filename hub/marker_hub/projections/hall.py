"""One row a table for the hall page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marker_hub.projections.table_page import table_view
from marker_hub.table.state import Table

FIELDS = (
    "id", "name", "no", "n", "game", "phase", "now_ms", "node", "match", "players",
    "turn", "last", "clock", "break", "winner", "incomplete",
)  # fmt: skip


def hall_view(tables: Iterable[Table], now_us: int) -> list[dict[str, Any]]:
    """The part of each table's view that the hall shows; only decided scores, and the phase."""
    return [{name: view[name] for name in FIELDS} for view in (table_view(table, now_us) for table in tables)]
