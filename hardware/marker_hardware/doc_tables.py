"""Generated tables of the guides: pins, places, cables, faults, limits, costs, corner results."""

import math
from collections.abc import Callable, Iterable

from marker_hardware import bom, faults, frontend, harness, tables
from marker_hardware.pinmap import PinMap, Profile
from marker_hardware.spice import Row
from marker_hardware.tables import Point, Table
from marker_hardware.tree import Tree


def grid(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    titles = list(head)
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _table(tree: Tree, profile: str) -> Table:
    return tree.load(Table, f"hardware/tables/{tables.FILES[Profile(profile)]}")


def pins(tree: Tree) -> str:
    """Every GPIO with its module pin, net, function and note."""
    from marker_hardware.checks.netlist_rules import MODULE_GPIO

    module = {gpio: pin for pin, gpio in MODULE_GPIO.items()}
    found = tree.load(PinMap, "hardware/pinmap.toml")
    rows = [
        (module[p.gpio], f"GP{p.gpio}", f"`{p.net}`", p.func, _electrical(p.dir, p.pull, p.drive), p.note)
        for p in found.pin
    ]
    return grid(("module pin", "GPIO", "net", "function", "direction", "note"), rows)


def _electrical(direction: str, pull: str | None, drive: str | None) -> str:
    extra = {"ext_up": "external pull-up", "push_pull": "push-pull driver"}
    return ", ".join([direction, *(extra[item] for item in (pull, drive) if item)])


def shift(tree: Tree) -> str:
    """Shift bits of the gates and buttons."""
    found = tree.load(PinMap, "hardware/pinmap.toml").shift
    return grid(("bit", "signal", "idle"), [(i, f"`{b}`", found.idle[i]) for i, b in enumerate(found.bits)])


def placement(tree: Tree, profile: str) -> str:
    """Every place on a table: coordinates, and the same in the words of a folding rule."""
    table = _table(tree, profile)
    ends = {label.cable: label.to for label in harness.labels(tree, Profile(profile)) if label.at.startswith("X")}
    lengths = {label.cable: label.length_m for label in harness.labels(tree, Profile(profile))}
    rows: list[tuple[object, ...]] = []
    for key, rail in table.rails.items():
        rows.append(
            (
                key,
                f"piezo disc, {rail.position.replace('_', ' ')} rail",
                *_place(rail.sensor),
                _rail_words(table, rail.sensor),
            )
        )
    rows.append(
        (
            "CLICK",
            "piezo disc under the slate",
            *_place(table.click.sensor),
            "bonded to the slate from below, clear of the heating",
        )
    )
    for key, pocket in table.pockets.items():
        what = f"gate ring {ends[f'W{key}']} of pocket {pocket.rules_name} ({pocket.position.replace('_', ' ')})"
        rows.append((key, what, *_place(pocket.gate), _gate_words(pocket)))
    for key, place in table.pins.items():
        rows.append((f"pin {key}", "slate pocket and Hall board", *_place(place), "on the pin spot"))
    if table.pin_board is not None:
        rows.append(
            ("UM1", "pin board under the slate", *_place(table.pin_board.box), "beside the pins, towards the top rail")
        )
    rows.append(("BP1", "button panel", *_place(table.buttons.box), "on the rail, where a player stands"))
    rows.append(
        ("BOX1", "node", *_place(table.node.box), f"under the slate, about {-table.node.height.v:g} below its surface")
    )
    rows += _unmeasured(lengths)
    return grid(("label", "what", "x", "y", "+-", "how to find it (mm)"), rows)


def _unmeasured(lengths: dict[str, float]) -> list[tuple[object, ...]]:
    """What has a cable but no place of its own: anywhere within reach of the node."""
    supply, display = (lengths[cable] * 1000 - tables.CABLE_RESERVE_MM for cable in ("WPWR", "WDISP"))
    socket = f"at a wall socket, off the floor and dry; at most {supply:g} of cable run from the node"
    frame = f"on the frame under the table, at most {display:g} of cable run from the node: it does not reach the rail"
    return [("PS1", "supply", "-", "-", "-", socket), ("DS1", "display, optional", "-", "-", "-", frame)]


def _place(point: Point) -> tuple[str, str, str]:
    return (f"{point.x:g}", f"{point.y:g}", f"{point.tol:g}")


def _rail_words(table: Table, point: Point) -> str:
    half_l, half_w = table.bed.l.v / 2, table.bed.w.v / 2
    if abs(point.x) > half_l:
        return f"{abs(point.x) - half_l:g} behind the nose, on the long axis"
    words = f"{abs(point.y) - half_w:g} behind the nose, "
    if point.x == 0:
        return words + "on the cross line through the bed centre"
    end = min((abs(point.x + half_l), _end(table, -1)), (abs(point.x - half_l), _end(table, 1)))
    return words + f"{end[0]:g} from the nose line of the {end[1]} rail"


def _end(table: Table, side: int) -> str:
    return next(
        rail.rail for rail in table.rails.values() if rail.sensor.y == 0 and math.copysign(1, rail.sensor.x) == side
    )


def _gate_words(pocket: tables.Pocket) -> str:
    out = math.dist(pocket.gate.v, pocket.xy.v)
    start = "the crossing of the two nose lines" if pocket.kind == "corner" else "the nose line"
    return f"{out:.0f} outwards from {start}; beam A {-pocket.gate_z.v:g} below the slate surface"


def cables(tree: Tree, profile: str) -> str:
    """Cables of a table: label, ends, length, kind."""
    seen: dict[str, harness.Label] = {}
    for label in harness.labels(tree, Profile(profile)):
        seen.setdefault(label.cable, label)
    rows = [(f"`{label.cable}`", label.at, label.to, f"{label.length_m:g}", label.type) for label in seen.values()]
    return grid(("cable", "from", "to", "length, m", "kind"), rows)


def health(tree: Tree) -> str:
    """Fault guide: every code with cause, measurement and fix."""
    rows = [(f"`{g.code}`", g.cause, g.measure, g.fix) for g in faults.guide(tree)]
    return grid(("code", "what it means", "measure", "put right"), rows)


def costs(tree: Tree) -> str:
    """Estimated cost of each bill of materials."""
    columns = {profile: bom.totals(tree, profile) for profile in Profile}
    rows: list[tuple[object, ...]] = []
    for index, name in enumerate(bom.FILES):
        rows.append(
            (f"`bom/{name}.csv`", *(f"{columns[p][index].pieces} pieces, {columns[p][index].usd:.2f}" for p in Profile))
        )
    sums = [sum(total.usd for total in columns[profile]) for profile in Profile]
    rows.append(("together", *(f"**{value:.2f}**" for value in sums)))
    return grid(("file", "carom table, USD", "pyramid table, USD"), rows)


def limits(tree: Tree) -> str:
    """Limits of the simulated front end with the worst value found."""
    calibration = tree.toml("hardware/calibration.toml")
    results = frontend.committed(tree)
    rows = []
    for limit in frontend.load(tree).limit:
        low, high = frontend.bounds(limit, calibration)
        chosen = [row for row in results[limit.deck] if frontend.holds_for(limit, row)]
        nominal = [row[limit.column] for row in chosen if frontend.is_nominal(row)]
        every = [row[limit.column] for row in chosen] if limit.corners else []
        unit = {"v": "V", "us": "us", "ms": "ms"}.get(limit.column.rsplit("_", 1)[-1], "yes = 1")
        rows.append((limit.name, unit, _allowed(low, high), _worst_of(nominal, low, high), _worst_of(every, low, high)))
    return grid(("limit", "unit", "allowed", "nominal parts", "all corners, all cables"), rows)


def _allowed(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {high:g}"
    return f"at least {low:g}" if high is None else f"{low:g} to {high:g}"


def _worst_of(values: list[float], low: float | None, high: float | None) -> str:
    """The value nearest to a one-sided limit, both ends where there are two."""
    if not values:
        return "not varied"
    if low is None:
        return f"{max(values):.3g}"
    return f"{min(values):.3g}" if high is None else _span(values)


def _span(values: list[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"


def channels(tree: Tree, profile: str) -> str:
    """Each channel of a table over its 16 corners: worst pin voltages, latency, pulse width, pickup."""
    results = frontend.committed(tree)
    pickup = max(row["pk_max_v"] for row in results["noise"])
    rows = []
    for (owner, channel), length in frontend.channel_cables(tree).items():
        if owner == profile:
            mine = [r for r in results["piezo_frontend"] if abs(r["cable_m"] - length) < 1e-6]
            rows.append((channel, f"{length:g}", *_worst(mine), f"{1000 * pickup:.0f}"))
    head = ("channel", "cable, m", "ADC pin, V", "under the rail, V", "op-amp input, V", "connector, V")
    return grid((*head, "latency +, us", "latency -, us", "pulse 0.35 V, ms", "pulse 60 V, ms", "pickup, mV"), rows)


def _worst(rows: list[Row]) -> tuple[str, ...]:
    def at(*amplitudes: float) -> list[Row]:
        return [row for row in rows if row["amp_v"] in amplitudes]

    pulses = [_span([row["pulse_ms"] for row in at(amp)]) for amp in (0.35, 60.0)]
    return (
        f"{max(row['pk_max_v'] for row in rows):.2f}",
        f"{min(row['pk_headroom_v'] for row in rows):.2f}",
        f"{min(row['n1_min_v'] for row in rows):.2f} to V3A + {max(row['n1_over_v3a_v'] for row in rows):.2f}",
        f"{max(row['con_abs_v'] for row in rows):.1f}",
        f"{max(row['latency_us'] for row in at(0.35, 60.0)):.0f}",
        f"{max(row['latency_us'] for row in at(-0.35)):.0f}",
        *pulses,
    )


BLOCKS: dict[str, Callable[..., str]] = {
    "pins": pins,
    "shift": shift,
    "placement": placement,
    "cables": cables,
    "health": health,
    "costs": costs,
    "limits": limits,
    "channels": channels,
}
