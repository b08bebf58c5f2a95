"""The tables as the pages draw them: bed, rails, pockets, pins and spots in the one frame of hardware/tables, mm."""

from __future__ import annotations

from functools import cache
from typing import Any

from marker_hardware import wire
from marker_hardware.tables import FILES, Point, load


def _xy(point: Point) -> list[float]:
    return [point.x, point.y]


@cache
def profiles() -> dict[str, Any]:
    """Profile -> geometry. Rails and pockets are named as in records (PZ1, P3) with the word of the rules beside."""
    made: dict[str, Any] = {}
    for profile in FILES:
        table = load(profile)
        made[profile.value] = {
            "bed": {"l": table.bed.l.v, "w": table.bed.w.v},
            "ball": table.ball.d.v,
            "rails": {
                name: {"rail": rail.rail, "position": rail.position, "from": _xy(rail.start), "to": _xy(rail.end)}
                for name, rail in table.rails.items()
            },
            "pockets": {
                name: {"name": pocket.rules_name, "xy": _xy(pocket.xy)} for name, pocket in table.pockets.items()
            },
            "pins": {name: _xy(point) for name, point in table.pins.items()},
            "click": _xy(table.click.sensor),
            "spots": {name: _xy(point) for name, point in table.spots.items()},
            "lines": {name: line.v for name, line in table.lines.items()},
            "channels": {
                channel.name: {"place": channel.place, "position": channel.position, "group": channel.group.value}
                for channel in wire.channels(profile.value).values()
            },
        }
    return made
