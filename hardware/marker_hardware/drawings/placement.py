"""Where everything goes on a table, seen from above, in millimetres of the table's frame."""

import math

from marker_hardware.drawings.svg import FAINT, INK, Canvas, Point
from marker_hardware.tables import Pocket, Table

WOOD_MM = 140.0  # breadth of a rail behind the nose, only for the picture
PIEZO = "#b3261e"
GATE = "#7b1fa2"
HALL = "#1565c0"
BUTTON = "#2e7d32"
CABLE = {"piezo": PIEZO, "gate": GATE, "hall": HALL, "button": BUTTON}


def draw(table: Table) -> str:
    """SVG of one table: nose lines, spots, sensors, node, boxes, cable runs, dimensions, a table of the labels' meaning."""
    half_l, half_w = table.bed.l.v / 2, table.bed.w.v / 2
    side = WOOD_MM + 420
    canvas = Canvas(
        -half_l - side, -half_w - side - 330, half_l + side, half_w + side - 60, f"Placement: {table.name}", 40
    )
    _bed(canvas, table, half_l, half_w)
    _cables(canvas, table)
    _spots(canvas, table)
    _sensors(canvas, table, half_l)
    _boxes(canvas, table)
    _dimensions(canvas, table, half_l, half_w)
    _legend(canvas, table, half_l, half_w)
    return canvas.render()


def _bed(canvas: Canvas, table: Table, half_l: float, half_w: float) -> None:
    outer = (half_l + WOOD_MM, half_w + WOOD_MM)
    canvas.rect((-outer[0], -outer[1]), outer, "#7a5c3e", 4, "#efe3d3")
    canvas.rect((-half_l, -half_w), (half_l, half_w), FAINT, 2, "#e4f0ea")
    for pocket in table.pockets.values():
        _pocket_hole(canvas, table, pocket)
    for rail in table.rails.values():
        canvas.line(rail.start.v, rail.end.v, INK, 7)
    ends = ("top", "bottom") if not table.pockets else ("head (house)", "foot")
    canvas.text((-half_l + 60, half_w - 50), f"{ends[0]} rail end", "start", 0.9, FAINT)
    canvas.text((half_l - 60, half_w - 50), f"{ends[1]} rail end", "end", 0.9, FAINT)


def _pocket_hole(canvas: Canvas, table: Table, pocket: Pocket) -> None:
    canvas.circle(pocket.gate.v, table.ball.d.v * 0.75, "#444", 3, "#33393f")


def _cables(canvas: Canvas, table: Table) -> None:
    """Runs along the frame: first along the table, then across, each cable in a lane of its own."""
    node = table.node.box.v
    places: list[tuple[str, Point]] = [("piezo", rail.sensor.v) for rail in table.rails.values()]
    places += [("piezo", table.click.sensor.v), ("button", table.buttons.box.v)]
    places += [("gate", pocket.gate.v) for pocket in table.pockets.values()]
    if table.pin_board is not None:
        places.append(("hall", table.pin_board.box.v))
    for lane, (kind, place) in enumerate(places):
        shift = (lane - (len(places) - 1) / 2) * 7
        bend = (place[0], node[1] + shift)
        canvas.path([(node[0], node[1] + shift), bend, place], CABLE[kind], 3.5, "16 9")


def _spots(canvas: Canvas, table: Table) -> None:
    for x in (line.v for line in table.lines.values()):
        half_w = table.bed.w.v / 2
        canvas.line((x, -half_w), (x, half_w), FAINT, 1.5, "4 10")
    for name, place in table.spots.items():
        canvas.text((place.x, place.y - 62), name.replace("_", " "), scale=0.72, colour="#4b5a66")
        for dx, dy in ((16, 0), (0, 16)):
            canvas.line((place.x - dx, place.y - dy), (place.x + dx, place.y + dy), INK, 2)


def _sensors(canvas: Canvas, table: Table, half_l: float) -> None:
    for key, rail in table.rails.items():
        at = rail.sensor.v
        canvas.circle(at, 17, PIEZO, 4, "#fff")
        where = f"{key} {rail.position.replace('_', ' ')}\n{at[0]:g} / {at[1]:g}"
        if abs(at[0]) > half_l:
            sign = math.copysign(1, at[0])
            canvas.text((at[0] + sign * (WOOD_MM - 40), at[1] + 25), where, "start" if sign > 0 else "end")
        else:
            canvas.text((at[0], at[1] + (150 if at[1] > 0 else -110)), where)
    canvas.circle(table.click.sensor.v, 17, PIEZO, 4, "#fff")
    cx, cy = table.click.sensor.v
    canvas.text((cx - 35, cy + 22), f"CLICK, under the slate\n{cx:g} / {cy:g}", "end")
    for key, pocket in table.pockets.items():
        x, y = pocket.gate.v
        canvas.circle((x, y), 24, GATE, 5, "#fff")
        words = f"{key} = {pocket.rules_name}\n{x:g} / {y:g}"
        up = 1 if y > 0 else -1
        if pocket.kind == "middle":
            canvas.text((x, y + (160 if up > 0 else -120)), words)
        else:
            side = 1 if x > 0 else -1
            canvas.text((x + side * 110, y + up * 60 + 20), words, "start" if side > 0 else "end")
    for place in table.pins.values():
        canvas.rect((place.x - 6, place.y - 6), (place.x + 6, place.y + 6), HALL, 3, "#fff")


def _boxes(canvas: Canvas, table: Table) -> None:
    x, y = table.node.box.v
    canvas.rect((x - 85, y - 56), (x + 85, y + 56), INK, 4, "#dfe5ea")
    canvas.text((x, y + 8), "node", bold=True)
    canvas.text((x, y - 95), f"{x:g} / {y:g}, under the slate")
    bx, by = table.buttons.box.v
    canvas.rect((bx - 25, by - 75), (bx + 25, by + 75), BUTTON, 4, "#fff")
    side = 1 if bx > 0 else -1
    canvas.text((bx + side * 95, by + 20), f"buttons\n{bx:g} / {by:g}", "start" if side > 0 else "end")
    if table.pin_board is not None:
        px, py = table.pin_board.box.v
        canvas.rect((px - 22, py - 16), (px + 22, py + 16), HALL, 3, "#fff")


def _dimensions(canvas: Canvas, table: Table, half_l: float, half_w: float) -> None:
    low = -half_w - WOOD_MM - 190
    canvas.dimension((-half_l, -half_w), (half_l, -half_w), f"{table.bed.l.v:g} between the noses", (0, low + half_w))
    right = half_l + WOOD_MM + 300
    canvas.line((right, -half_w), (right, half_w), INK, 2, arrows=True)
    for y in (-half_w, half_w):
        canvas.line((half_l, y), (right, y), FAINT, 1.6)
    canvas.text((right - 15, half_w * 0.72), f"{table.bed.w.v:g}", "end")
    rail = next(iter(table.rails.values()))
    x = rail.sensor.x
    canvas.dimension((x, half_w), (-half_l, half_w), f"{abs(x) - half_l:g}", (0, WOOD_MM + 60))


def _legend(canvas: Canvas, table: Table, half_l: float, half_w: float) -> None:
    y = -half_w - WOOD_MM - 320
    x = -half_l
    entries: list[tuple[str, str]] = [(PIEZO, "piezo disc, bonded under the rail wood at the middle of its segment")]
    if table.pockets:
        entries.append(
            (
                GATE,
                f"gate ring under the pocket, beam A {-next(iter(table.pockets.values())).gate_z.v:g} below the slate surface",
            )
        )
    if table.pins:
        entries.append(
            (
                HALL,
                "Hall sensor in a 12 x 12 slate pocket under each pin, and its pin board (detail in the pin drawing)",
            )
        )
    entries.append((BUTTON, "button panel; dashed: cable runs, lengths in the cable table"))
    for index, (colour, words) in enumerate(entries):
        canvas.circle((x + 20, y - index * 62), 16, colour, 5, "#fff")
        canvas.text((x + 60, y - index * 62), words, "start")
    for dx, dy, name in ((150, 0, "+x"), (0, 150, "+y")):
        canvas.line((x + 2250, y - 90), (x + 2250 + dx, y - 90 + dy), INK, 4)
        canvas.text((x + 2250 + dx * 1.12 + 8, y - 90 + dy), name, "start")
    canvas.text((x + 2250, y - 150), "origin at the bed centre, mm, seen from above", "start", 0.85, FAINT)
