"""Table geometry in the product's one frame (mm; see [frame] in the files). Source: hardware/tables/*.toml."""

from functools import cache
from typing import Literal

import msgspec

from marker_hardware import data
from marker_hardware.pinmap import Profile

FILES = {Profile.CAROM5: "carom5.toml", Profile.PYRAMID: "pyramid12.toml"}


class Num(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number with tolerance and source; ok becomes true only after a real table has been measured."""

    v: float
    tol: float
    src: str
    ok: bool


class Point(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place (x, y) in mm in the table frame, with tolerance and source."""

    v: tuple[float, float]
    tol: float
    src: str
    ok: bool

    @property
    def x(self) -> float:
        """Along the table, from the top or head rail to the other end."""
        return self.v[0]

    @property
    def y(self) -> float:
        """Across the table, positive to the left of someone looking along +x."""
        return self.v[1]


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The coordinate frame, in words, and which sign of y `left` and `right` have."""

    origin: str
    x: str
    y: str
    z: str
    unit: Literal["mm"]
    looking: str
    left: Literal["-y", "+y"]
    right: Literal["-y", "+y"]


class Bed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Playing area between the noses (l along x, w along y), slate thickness, height of the nose above the slate."""

    l: Num  # noqa: E741 - the field is called l, w, h in the tables of the trade
    w: Num
    slate: Num
    nose: Num
    heated: bool


class Ball(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Diameter in mm, mass in grams."""

    d: Num
    mass: Num


class PinShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Skittle: height, largest, head and base diameter, height of the centre of mass (mm), mass (g), distance centre to side pin."""

    h: Num
    d: Num
    head: Num
    base: Num
    mass: Num
    com: Num
    spacing: Num


class Seat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Slate pocket under a pin: side and depth of the square, cable hole, step of the filled surface, cloth (mm)."""

    side: Num
    depth: Num
    hole: Num
    step: Num
    cloth: Num


class PocketShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mouth = smallest gap between the jaws, jaw rounding, throat length, shelf behind the mouth line."""

    mouth: Num
    jaw_r: Num
    throat: Num
    shelf: Num


class Pocket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One pocket: position = name in pinmap.toml, rules_name = name in the rules; gate = middle of the beam ring, gate_z of beam A."""

    position: str
    rules_name: str
    kind: Literal["corner", "middle"]
    xy: Point
    axis_deg: Num
    gate: Point
    gate_z: Num
    cable_m: Num


class Rail(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"start": "from", "end": "to"}):
    """One sensed cushion segment: nose line start..end, its rail's name in the rules, place of the piezo disc, cable length in m."""

    position: str
    rail: str
    start: Point
    end: Point
    sensor: Point
    cable_m: Num


class Click(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The disc under the slate."""

    sensor: Point
    cable_m: Num


class NodeBox(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The node's box under the slate; height relative to the slate surface."""

    box: Point
    height: Num


class CabledBox(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A box at the end of a cable: button panel or pin board."""

    box: Point
    cable_m: Num


class Zone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pocket zone radius in mm; 0 on a table without pockets."""

    radius: Num


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file; dictionaries keep the order of the file."""

    schema: Literal[1]
    profile: Profile
    name: str
    frame: Frame
    bed: Bed
    ball: Ball
    rails: dict[str, Rail]
    click: Click
    node: NodeBox
    buttons: CabledBox
    spots: dict[str, Point]
    lines: dict[str, Num]
    zone: Zone
    pin: PinShape | None = None
    pins: dict[str, Point] = {}
    pin_board: CabledBox | None = None
    seat: Seat | None = None
    pockets: dict[str, Pocket] = {}
    pocket_corner: PocketShape | None = None
    pocket_middle: PocketShape | None = None

    def pocket_shape(self, pocket: Pocket) -> PocketShape:
        """Shape of a corner or middle pocket. Raises HardwareDataError when the file lacks it."""
        shape = self.pocket_corner if pocket.kind == "corner" else self.pocket_middle
        if shape is None:
            file = f"hardware/tables/{FILES[self.profile]}"
            raise data.HardwareDataError(
                file, f"pocket_{pocket.kind}", None, "add the table with mouth, jaw_r, throat, shelf"
            )
        return shape


@cache
def load(profile: Profile | str) -> Table:
    """Read the shipped table of a profile. Raises HardwareDataError naming file, key and value."""
    try:
        name = FILES[Profile(profile)]
    except ValueError:
        known = ", ".join(FILES)
        raise data.HardwareDataError("hardware/tables", "profile", profile, f"use one of {known}") from None
    return data.load(Table, "hardware", "tables", name)


CABLE_DROP_MM = 150.0  # from the wood or the slate down to the level of the box, at each end of a run
CABLE_RESERVE_MM = 300.0  # loop that lets the plug be pulled with the box open
CABLE_MAX_M = 4.0


def cable_route_m(table: Table, place: Point, drop_mm: float = CABLE_DROP_MM) -> float:
    """Tidy run from the node to a place along the frame (|dx| + |dy|), with drop, reserve and both ends as far off as they may be, in metres."""
    node = table.node.box
    along = abs(place.x - node.x) + abs(place.y - node.y) + node.tol + place.tol
    return (along + drop_mm + CABLE_RESERVE_MM) / 1000


def cables(table: Table) -> dict[str, tuple[Point, Num]]:
    """Cable label -> far end and length, for every cable that starts at the node and has a place on the table."""
    found = {f"W{key}": (rail.sensor, rail.cable_m) for key, rail in table.rails.items()}
    found["WCLICK"] = (table.click.sensor, table.click.cable_m)
    found |= {f"W{key}": (pocket.gate, pocket.cable_m) for key, pocket in table.pockets.items()}
    if table.pin_board is not None:
        found["WPINS"] = (table.pin_board.box, table.pin_board.cable_m)
    return found | {"WBTN": (table.buttons.box, table.buttons.cable_m)}
