"""Cross-sections and plans of the places where something is cut, bonded or screwed, dimensioned from the data files."""

from marker_hardware.calibration import Calibration
from marker_hardware.drawings.svg import FAINT, INK, Canvas
from marker_hardware.mounts import Dims
from marker_hardware.tables import Table

SLATE, CLOTH, WOOD, PRINT, METAL = "#c9d1d8", "#2e7d5b", "#d9b98f", "#6b7280", "#b08d3c"
RED, BLUE = "#b3261e", "#1565c0"


def pin_seat(table: Table, calibration: Calibration) -> str:
    """Section through one pin, its magnet, the slate pocket and the Hall board."""
    pin, seat = table.pin, table.seat
    if pin is None or seat is None:
        raise ValueError(f"{table.name} has no pins to draw")
    canvas = Canvas(-52, -58, 74, 38, "Section through a pin seat", 2.6)
    slate, half = -table.bed.slate.v, seat.side.v / 2
    canvas.rect((-40, slate), (40, 0), INK, 0.3, SLATE)
    canvas.rect((-half, -seat.depth.v), (half, 0), INK, 0.3, "#fff")
    canvas.rect((-seat.hole.v / 2, slate), (seat.hole.v / 2, -seat.depth.v), INK, 0.3, "#fff")
    canvas.rect((-40, 0), (40, seat.cloth.v), CLOTH, 0.1, CLOTH)
    low, high = calibration.pin.magnet.gap_mm
    die = seat.cloth.v - (low + high) / 2
    canvas.rect((-half + 0.3, die - 1.9), (half - 0.3, die - 0.9), INK, 0.2, "#3f7d4e")
    canvas.rect((-1.5, die - 0.9), (1.5, die), INK, 0.2, "#222")
    canvas.path([(0, die - 1.9), (1, -seat.depth.v - 6), (0, slate - 6)], RED, 0.8)
    _pin(canvas, pin.h.v, pin.d.v, pin.base.v, seat.cloth.v)
    magnet = calibration.pin.magnet
    canvas.rect((-magnet.d_mm / 2, seat.cloth.v), (magnet.d_mm / 2, seat.cloth.v + magnet.t_mm), INK, 0.2, METAL)
    canvas.dimension((half, 0), (half, -seat.depth.v), f"{seat.depth.v:g} deep", (14, 0))
    canvas.dimension((-half, -seat.depth.v), (half, -seat.depth.v), f"{seat.side.v:g} x {seat.side.v:g}", (0, -10))
    canvas.dimension((-half, seat.cloth.v), (-half, die), f"{low:g}-{high:g}", (-10, 0))
    canvas.dimension((40, 0), (40, slate), f"slate {table.bed.slate.v:g}", (6, 0))
    notes = [
        ((9, 26), f"pin {pin.h.v:g} high"),
        ((9, 8), f"magnet {magnet.d_mm:g} x {magnet.t_mm:g}, flush in the base"),
        ((9, 3.2), f"cloth {seat.cloth.v:g}"),
    ]
    for place, words in notes:
        canvas.text(place, words, "start")
    canvas.text((-38, -16), "Hall board,\ndie up,\nfilled flush\nabove", "start")
    canvas.text((5, slate - 5), f"cable hole {seat.hole.v:g}, ribbon to the pin board", "start")
    return canvas.render()


def _pin(canvas: Canvas, height: float, widest: float, base: float, floor: float) -> None:
    outline = [
        (base / 2, 0.0),
        (base / 2 * 0.8, height * 0.3),
        (widest / 2, height * 0.68),
        (widest / 2 * 0.75, height),
    ]
    points = [(x, floor + y) for x, y in outline] + [(-x, floor + y) for x, y in reversed(outline)]
    canvas.path(points, INK, 0.3, fill="#f4ead8", closed=True)


def pin_plan(table: Table) -> str:
    """The five slate pockets and the pin board from above, with distances."""
    pin, seat, board = table.pin, table.seat, table.pin_board
    if pin is None or seat is None or board is None:
        raise ValueError(f"{table.name} has no pins to draw")
    canvas = Canvas(-175, -125, 150, 120, "Plan of the pin seats", 7)
    for a, b in (((-150, 0), (120, 0)), ((0, -105), (0, 105))):
        canvas.line(a, b, FAINT, 0.5, "8 3 2 3")
    half = seat.side.v / 2
    for name, place in table.pins.items():
        x, y = place.v
        canvas.rect((x - half, y - half), (x + half, y + half), BLUE, 1, "#e3eefb")
        canvas.circle((x, y), seat.hole.v / 2, BLUE, 0.6)
        canvas.text((x + 10, y + 12), name, "start", 1.2, bold=True)
    bx, by = board.box.v
    canvas.rect((bx - 22, by - 16), (bx + 22, by + 16), INK, 1, "#fff")
    canvas.text((bx, by + 4), "pin board\nunder the slate", scale=0.75)
    spacing = pin.spacing.v
    canvas.dimension((0, 0), (spacing, 0), f"{spacing:g}", (0, -88))
    canvas.dimension((-spacing, 0), (0, 0), f"{spacing:g}", (0, -88))
    canvas.dimension((0, 0), (0, spacing), f"{spacing:g}", (98, 0))
    canvas.dimension((0, -spacing), (0, 0), f"{spacing:g}", (98, 0))
    canvas.text((-170, 108), "to the top rail", "start", colour=FAINT)
    canvas.text((148, 108), "to the bottom rail", "end", colour=FAINT)
    canvas.text(
        (-170, -112),
        f"pockets {seat.side.v:g} x {seat.side.v:g} centred on the pin spots; distances are not verified",
        "start",
    )
    return canvas.render()


def rail_section(table: Table, dims: Dims) -> str:
    """Section across a rail: where the disc and its shoe go."""
    rail = next(iter(table.rails.values()))
    behind = abs(rail.sensor.x) - table.bed.l.v / 2
    canvas = Canvas(-45, -66, 200, 92, "Section across a rail", 5.2)
    nose = table.bed.nose.v
    canvas.rect((-40, -table.bed.slate.v), (57, 0), INK, 0.5, SLATE)
    canvas.path([(0, nose), (45, nose + 12), (45, 2), (12, 10)], INK, 0.6, fill="#5d7f6d", closed=True)
    canvas.path(
        [(45, nose + 12), (140, nose + 14), (140, -12), (100, -12), (100, 2), (45, 2)], INK, 0.6, fill=WOOD, closed=True
    )
    shoe, half = dims.piezo_shoe, dims.piezo_shoe["disc"] / 2
    # The disc lies on the under side of the wood, drawn here in the step behind the slate.
    at = behind
    canvas.rect((at - half, 0.6), (at + half, 2), RED, 0.4, "#f2c14e")
    outer = half + shoe["wall"]
    canvas.rect((at - outer, 0.6 - shoe["base"]), (at + outer, 0.6), INK, 0.5, PRINT)
    canvas.path([(at + outer, -2), (at + outer + 9, -8), (at + outer + 9, -34), (at + 42, -44)], RED, 1.2)
    canvas.dimension((0, nose), (at, nose), f"{behind:g} behind the nose", (0, 32))
    canvas.dimension((-30, 0), (-30, nose), f"nose {nose:g}")
    canvas.line((at, nose + 30), (at, 1), FAINT, 0.4, "3 2")
    canvas.text((148, 30), "rail wood", "start")
    canvas.text((13, nose - 9), "cushion", "start", 0.8)
    canvas.text(
        (-36, -12),
        "piezo disc (yellow), brass side\nto the wood, in its shoe;\nbonded, never screwed\non a competition table",
        "start",
    )
    canvas.text((-38, -57), f"slate {table.bed.slate.v:g}", "start", colour=FAINT)
    canvas.text((128, -46), "cable tied to the\nframe within 50", "start")
    return canvas.render()


def gate_section(table: Table, dims: Dims, calibration: Calibration) -> str:
    """Section through a pocket's gate ring: beams, heights, which side the emitters are on."""
    ring = dims.pocket_gate
    pocket = next(iter(table.pockets.values()))
    ball = table.ball.d.v
    bore, gap = ball + ring["clearance"], calibration.gate.beam.gap_mm
    canvas = Canvas(-150, -170, 150, 50, "Section through a gate ring", 5.6)
    top = pocket.gate_z.v + ring["height"] - ring["beam_a"]
    bottom = top - ring["height"]
    canvas.rect((-140, -table.bed.slate.v), (-bore / 2 - 8, 0), INK, 0.6, SLATE)
    canvas.rect((bore / 2 + 8, -table.bed.slate.v), (140, 0), INK, 0.6, SLATE)
    canvas.text((-135, -20), f"slate\n{table.bed.slate.v:g}", "start")
    for sign in (-1, 1):
        inner, outer = sign * bore / 2, sign * (bore / 2 + ring["wall"])
        canvas.rect((inner, bottom), (outer, top), INK, 0.6, PRINT)
        canvas.rect((inner, bottom), (sign * ring["flange"] / 2, bottom + ring["floor_flange"]), INK, 0.6, PRINT)
        column = outer + sign * ring["boss"]
        canvas.rect(
            (outer, bottom + ring["floor_flange"]),
            (column, bottom + ring["beam_a"] + ring["boss_d"] / 2),
            INK,
            0.6,
            "#9aa3ad",
        )
    canvas.circle((0, top + ball / 2 + 4), ball / 2, INK, 0.8, "#f7f4ec")
    for name, z, side in (("A", bottom + ring["beam_a"], 1), ("B", bottom + ring["beam_a"] - gap, -1)):
        canvas.line((-bore / 2 - 16, z), (bore / 2 + 16, z), RED, 1, "5 3")
        canvas.text((side * 64, z), f"emitter {name}", "start" if side > 0 else "end")
        canvas.text((-side * 64, z), f"receiver {name}", "end" if side > 0 else "start")
        canvas.text((0, z + 5), f"beam {name}", scale=0.8, colour=RED)
    canvas.dimension((118, 0), (118, bottom + ring["beam_a"]), f"{-pocket.gate_z.v:g}")
    canvas.dimension((22, bottom + ring["beam_a"]), (22, bottom + ring["beam_a"] - gap), f"{gap:g}")
    canvas.dimension(
        (-bore / 2, bottom), (bore / 2, bottom), f"bore {bore:g} = ball {ball:g} + {ring['clearance']:g}", (0, -20)
    )
    canvas.text(
        (0, -158), "ring axis = pocket axis line at the gate coordinates; beams across it, emitters on opposite sides"
    )
    return canvas.render()
