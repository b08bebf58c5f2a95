"""Where balls go back, as a drawing of the rules: what is ticked off, or stands again, is drawn no more."""

from __future__ import annotations

from functools import cache
from typing import Any

from marker_hardware.tables import load
from marker_hub.assembler.seats import PINS
from marker_hub.match.state import MatchState
from marker_hub.phases import Phase
from marker_hub.table.state import Table, put_back
from marker_rules.diagram import HALVES, TableGeometry, respot_diagram
from marker_rules.pyramid.diagram import rack_svg, spotting_svg
from marker_rules.ruling import Placement

Json = dict[str, Any]


def waits(table: Table) -> bool:
    """True while things are put back. Without sensors nobody waits for that: the table is armed at once, and they still are."""
    if table.phase != Phase.ARMED or table.match is None:
        return table.phase in (Phase.PLACING, Phase.RESPOTTING, Phase.LAG)
    return table.match.head.manual or not table.config.sensors or table.link.online is None


def placements(table: Table) -> tuple[tuple[Placement, bool], ...]:
    """What is to be put back, and whether it is: pins are told by their sensors or ticked off like the rest."""
    if table.match is None or not waits(table):
        return ()
    done = put_back(table)
    return tuple((item, item.what in done) for item in table.match.due.placements)


def respot_view(table: Table) -> Json:
    """The list with its ticks, and the drawing of what is left of it."""
    listed = placements(table)
    return {
        "placements": [{"what": item.what, "spot": item.spot, "done": done} for item, done in listed],
        "respot": _svg(table, tuple(item for item, done in listed if not done)),
    }


def _svg(table: Table, left: tuple[Placement, ...]) -> str | None:
    """The drawing; None where only pins (the page draws the diamond itself) or nothing is to be put back."""
    match = table.match
    if match is None:
        return None
    return _pyramid(left) if match.game_id.is_pyramid else _five_pins(match, left, waiting=waits(table))


def _five_pins(match: MatchState, left: tuple[Placement, ...], *, waiting: bool) -> str | None:
    half = getattr(match.state, "hand_half", None)
    named = half.value if waiting and half is not None and half.value in HALVES else None
    if named is None and not any(item.what not in PINS for item in left):
        return None
    return respot_diagram(_carom(), left, hand_half=named)


@cache
def _carom() -> TableGeometry:
    found: Any = load("carom5")
    return TableGeometry(
        length=found.bed.l.v,
        width=found.bed.w.v,
        spots={name: point.v for name, point in found.spots.items()},
        pins={name: point.v for name, point in found.pins.items()},
        lines={name: line.v for name, line in found.lines.items()},
    )


def _pyramid(left: tuple[Placement, ...]) -> str | None:
    rack = next((item.what.removeprefix("rack ") for item in left if item.what.startswith("rack ")), None)
    if rack is not None:
        return rack_svg(int(rack))
    line = [item for item in left if item.spot.startswith("line-")]
    return spotting_svg([str(at) for at in range(1, len(line) + 1)]) if line else None
