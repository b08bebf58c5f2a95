"""`marker bench sim`: simulated shots a second and times real time, beside a plain loop."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def run(size: int | None = None) -> dict[str, Any]:
    """Figures of processor time; `size` = five-pins shots a round."""
    found: dict[str, Any] = import_module("marker_sim.speed").measure(size)
    return found
