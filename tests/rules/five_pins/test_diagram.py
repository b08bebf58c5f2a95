"""The respot drawing, and the numbers of the text in the table file it is drawn from."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from marker_hardware.tables import Table, load
from marker_rules.balls import Pin
from marker_rules.diagram import RAIL, TableGeometry, respot_diagram
from marker_rules.five_pins.placement import Spot
from marker_rules.ruling import Placement

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def table() -> Table:
    return load("carom5")


@pytest.fixture(scope="module")
def geometry(table: Table) -> TableGeometry:
    return TableGeometry(
        length=table.bed.l.v,
        width=table.bed.w.v,
        spots={name: point.v for name, point in table.spots.items()},
        pins={name: point.v for name, point in table.pins.items()},
        lines={name: line.v for name, line in table.lines.items()},
    )


@pytest.mark.parametrize(
    ("spot", "from_top"),
    [
        pytest.param(Spot.UPPER, 100, marks=pytest.mark.clause("FP-1.4")),
        pytest.param(Spot.RED, 710, marks=pytest.mark.clause("FP-1.5")),
        pytest.param(Spot.LOWER_CENTRE, 2130, marks=pytest.mark.clause("FP-1.6")),
        pytest.param(Spot.LOWER, 2740, marks=pytest.mark.clause("FP-1.7")),
    ],
)
def test_the_spots_are_where_the_text_puts_them(table: Table, spot: Spot, from_top: float) -> None:
    """The text counts from the top cushion on the long axis; the product's frame has its origin in the middle."""
    assert table.spots[spot].v == (from_top - 1420, 0)


@pytest.mark.clause("FP-1.10")
@pytest.mark.clause("FP-1.11")
@pytest.mark.clause("FP-3.1")
def test_the_lines_are_where_the_text_puts_them(table: Table) -> None:
    assert (table.lines["middle"].v, table.lines["lag"].v) == (0, 710)
    assert {table.spots[name].y for name in ("lag_left", "lag_right")} == {-410, 410}
    assert table.bed.w.v / 2 - 410 == 300


@pytest.mark.clause("FP-1.1")
def test_the_table_has_five_pin_places(table: Table) -> None:
    assert set(table.pins) == set(Pin.__members__)
    assert table.pins["N"].x < 0 < table.pins["S"].x
    assert table.pins["W"].y < 0 < table.pins["E"].y


def circles(text: str, name: str) -> list[tuple[float, float]]:
    return [
        (float(node.get("cx", "nan")), float(node.get("cy", "nan")))
        for node in ET.fromstring(text).iter(f"{SVG}circle")
        if name in node.get("class", "").split()
    ]


def test_what_is_put_back_is_drawn_where_it_belongs(geometry: TableGeometry) -> None:
    text = respot_diagram(
        geometry, [Placement("N", "N"), Placement("C", "C"), Placement("red", "red"), Placement("cue")], title="after"
    )
    assert circles(text, "pin") == [(RAIL + 710, RAIL + 1420 - 66), (RAIL + 710, RAIL + 1420)]
    assert circles(text, "red") == [(RAIL + 710, RAIL + 710)]
    assert len(circles(text, "seat")) == 3
    root = ET.fromstring(text)
    assert root.get("data-loose") == "cue"
    assert root.findtext(f"{SVG}title") == "after"
    assert root.get("viewBox") == f"0 0 {1420 + 2 * RAIL} {2840 + 2 * RAIL}"


def test_the_right_pin_is_on_the_right_of_the_drawing(geometry: TableGeometry) -> None:
    [(east, _)] = circles(respot_diagram(geometry, [Placement("E", "E")]), "pin")
    [(west, _)] = circles(respot_diagram(geometry, [Placement("W", "W")]), "pin")
    assert east - west == 132


@pytest.mark.parametrize(("half", "top"), [("upper", RAIL), ("lower", RAIL + 1420)])
def test_the_half_of_the_ball_in_hand_is_tinted(geometry: TableGeometry, half: str, top: float) -> None:
    text = respot_diagram(geometry, [], hand_half=half)
    [tinted] = [node for node in ET.fromstring(text).iter(f"{SVG}rect") if node.get("class") == "half"]
    assert (float(tinted.get("y", "nan")), float(tinted.get("height", "nan"))) == (top, 1420)


def test_text_is_escaped_and_a_spot_the_table_lacks_is_an_error(geometry: TableGeometry) -> None:
    assert ET.fromstring(respot_diagram(geometry, [], title="a < b & c")).findtext(f"{SVG}title") == "a < b & c"
    with pytest.raises(KeyError):
        respot_diagram(geometry, [Placement("red", "moon")])
