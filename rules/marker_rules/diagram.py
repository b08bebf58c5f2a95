"""A small drawing of a table with what must be put where, as SVG text. Pure: the geometry is given by the caller.

The drawing is the table from above with the top (or head) rail at its upper edge, not mirrored. Coordinates are
millimetres in the frame of the table files: +x from the top or head rail to the other end, +y to the left of someone
looking along +x, which is the right of the drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from marker_rules.balls import Pin
from marker_rules.ruling import Placement

RAIL = 60  # mm drawn around the bed
PIN_R, BALL_R, SPOT_R = 26, 31, 12
HALVES = {"upper": -1, "lower": 1}
PIN_NAMES = frozenset(Pin.__members__)


@dataclass(frozen=True, slots=True)
class TableGeometry:
    """length, width: the bed, mm. spots, pins: name -> (x, y), mm. lines: name -> x of a line across."""

    length: float
    width: float
    spots: Mapping[str, tuple[float, float]]
    pins: Mapping[str, tuple[float, float]]
    lines: Mapping[str, float]


def respot_diagram(
    table: TableGeometry, placements: Iterable[Placement], *, hand_half: str | None = None, title: str = ""
) -> str:
    """An SVG drawing. Each placement with a spot is marked there; a ball without one is listed under the table.

    hand_half: `upper` or `lower`, the half where a ball in hand is placed, tinted. title: read out by screen readers.
    Raises KeyError for a spot the table does not have.
    """
    height = table.length + 2 * RAIL
    width = table.width + 2 * RAIL
    body: list[str] = []
    if hand_half is not None:
        top = -table.length / 2 if HALVES[hand_half] < 0 else 0.0
        body.append(_rect(table, top, table.length / 2, "half"))
    body += [
        f'<line class="line" x1="{RAIL}" x2="{RAIL + table.width:g}" y1="{_down(table, x):g}" y2="{_down(table, x):g}"/>'
        for x in table.lines.values()
    ]
    body += [_circle(table, at, SPOT_R, "spot") for at in table.spots.values()]
    placed = list(placements)
    fallen = {placement.what for placement in placed}
    body += [_circle(table, at, PIN_R, "seat", name) for name, at in table.pins.items() if name not in fallen]
    loose: list[str] = []
    for placement in placed:
        if placement.what in PIN_NAMES:
            body.append(_circle(table, table.pins[placement.spot or placement.what], PIN_R, "put pin", placement.what))
        elif placement.spot:
            body.append(_circle(table, table.spots[placement.spot], BALL_R, f"put {escape(placement.what)}"))
        else:
            loose.append(placement.what)
    label = escape(title or ", ".join(f"{p.what} {p.spot}".strip() for p in placed))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="table" role="img" viewBox="0 0 {width:g} {height:g}"'
        f' data-loose="{escape(" ".join(loose), quote=True)}"><title>{label}</title>'
        f'<rect class="rail" width="{width:g}" height="{height:g}" rx="{RAIL}"/>'
        f"{_rect(table, -table.length / 2, table.length, 'bed')}{''.join(body)}</svg>"
    )


def _down(table: TableGeometry, x: float) -> float:
    return RAIL + table.length / 2 + x


def _across(table: TableGeometry, y: float) -> float:
    return RAIL + table.width / 2 + y


def _rect(table: TableGeometry, x: float, length: float, name: str) -> str:
    return f'<rect class="{name}" x="{RAIL}" y="{_down(table, x):g}" width="{table.width:g}" height="{length:g}"/>'


def _circle(table: TableGeometry, at: tuple[float, float], radius: float, name: str, label: str = "") -> str:
    cx, cy = _across(table, at[1]), _down(table, at[0])
    text = f'<text x="{cx:g}" y="{cy:g}">{escape(label)}</text>' if label else ""
    return f'<circle class="{name}" cx="{cx:g}" cy="{cy:g}" r="{radius:g}"/>{text}'
