"""View models: plain JSON values for pages, topics and the API, made from a table and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marker_hub.table import Table

__all__ = ["hall_view", "sheet_view", "table_view"]


def table_view(table: Table, now_us: int) -> dict[str, Any]:
    """The whole view of a table page; times relative to the hub's monotonic clock now_us."""
    raise NotImplementedError


def sheet_view(table: Table) -> dict[str, Any]:
    """The shot sheet of the referee page: proposal, open rows, calls, palette."""
    raise NotImplementedError


def hall_view(tables: Iterable[Table], now_us: int) -> list[dict[str, Any]]:
    """One row a table for the hall page."""
    raise NotImplementedError
