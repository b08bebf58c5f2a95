"""The piezo front end in numbers: which runs are simulated, what their rows must hold, and the committed results."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from marker_hardware import spice, tables
from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import Profile
from marker_hardware.spice import Corners, Deck, Row, Run
from marker_hardware.tree import Tree

EXPECT = "hardware/sim/expect.toml"
RESULTS = "hardware/sim/results"
NOMINAL = {"KR": 1.0, "KC": 1.0, "CP": 20e-9, "F0": 3000.0, "VCC": 3.3}
NOMINAL_CABLE_M = 3.0
PARAMETERS = ("cable_m", "KR", "KC", "CP", "F0", "VCC")


class Limit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One limit. min/max: number, or the name of a calibration value; rows: column -> values it holds for."""

    name: str
    deck: str
    column: str
    min: float | str | None = None
    max: float | str | None = None
    rows: dict[str, tuple[float, ...]] = {}
    corners: bool = False


class Cable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Capacitance of the shielded pair."""

    pf_per_m: float


class Expect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file expect.toml."""

    schema: int
    deck: dict[str, Deck]
    corners: Corners
    cable: Cable
    limit: tuple[Limit, ...]


def load(tree: Tree) -> Expect:
    """Read expect.toml. Raises HardwareDataError naming file, key and value."""
    return tree.load(Expect, EXPECT)


def channel_cables(tree: Tree) -> dict[tuple[Profile, str], float]:
    """Length in m of every piezo cable: (profile, channel) -> m."""
    found = {}
    for profile, file in tables.FILES.items():
        table = tree.load(tables.Table, f"hardware/tables/{file}")
        for key, rail in table.rails.items():
            found[profile, key] = rail.cable_m.v
        found[profile, "CLICK"] = table.click.cable_m.v
    return found


def nominal_runs(tree: Tree, decks: tuple[str, ...] = ()) -> list[Run]:
    """One run a deck (all decks when none is named) with nominal parts."""
    expect = load(tree)
    common = _common(tree, expect, NOMINAL_CABLE_M)
    return [Run(name, common) for name in expect.deck if not decks or name in decks]


def corner_runs(tree: Tree) -> list[Run]:
    """Every channel's cable in every corner, and the decks without a burst in theirs."""
    expect = load(tree)
    lengths = sorted(set(channel_cables(tree).values()))
    amplitudes = expect.corners.amplitudes
    runs = []
    for length in lengths:
        common = _common(tree, expect, length)
        runs += [Run("piezo_frontend", common | corner, amplitudes) for corner in (NOMINAL, *expect.corners.bursts())]
    for deck in ("noise", "selftest"):
        for length in (lengths[0], lengths[-1]):
            runs += [Run(deck, _common(tree, expect, length) | corner) for corner in expect.corners.boards()]
    return runs


def _common(tree: Tree, expect: Expect, length_m: float) -> dict[str, float]:
    floor = tree.toml("hardware/calibration.toml")["piezo"]["vth"]["floor_mv"]
    return {"VTH": floor / 1000, "CCAB": expect.cable.pf_per_m * length_m * 1e-12}


def table_of(tree: Tree, runs: list[Run], results: list[list[Row]]) -> dict[str, list[Row]]:
    """Deck -> rows with the run's parameters in front and the derived columns behind."""
    pf_per_m = load(tree).cable.pf_per_m
    found: dict[str, list[Row]] = {}
    for run, rows in zip(runs, results, strict=True):
        values = NOMINAL | run.parameters
        values["cable_m"] = round(run.parameters["CCAB"] * 1e12 / pf_per_m, 3)
        found.setdefault(run.deck, []).extend(
            {name: values[name] for name in PARAMETERS} | row | _derived(row, values["VCC"]) for row in rows
        )
    return found


def _derived(row: Row, vcc: float) -> Row:
    if "con_max_v" not in row:
        return {}
    return {
        "pk_headroom_v": vcc - row["pk_max_v"],
        "n1_over_v3a_v": row["n1_max_v"] - row["v3a_max_v"],
        "con_abs_v": max(row["con_max_v"], -row["con_min_v"]),
        "v3a_rise_v": row["v3a_max_v"] - vcc,
        "fires": float(row["latency_us"] >= 0),
    }


def is_nominal(row: Row) -> bool:
    """Whether a row belongs to nominal parts."""
    return all(abs(row[name] - value) < 1e-9 * max(1.0, value) for name, value in NOMINAL.items() if name != "CP") and (
        abs(row["CP"] - NOMINAL["CP"]) < 1e-12
    )


def bounds(limit: Limit, calibration: dict[str, Any]) -> tuple[float | None, float | None]:
    """Numbers of a limit, calibration names resolved. Raises HardwareDataError for a name that is none."""
    return _bound(limit.min, limit, calibration), _bound(limit.max, limit, calibration)


def _bound(value: float | str | None, limit: Limit, calibration: dict[str, Any]) -> float | None:
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"([\w.]+?)(?:\[(\d)\])?", value)
    path = match[1].split(".") if match else []
    found: Any = calibration
    try:
        for key in path:
            found = found[key]
        number = float(found[int(match[2])] if match and match[2] else found)
    except (KeyError, TypeError, IndexError) as error:
        raise HardwareDataError(EXPECT, limit.name, value, "name a value of calibration.toml") from error
    return number / 1000 if path[-1].endswith("_mv") else number


def holds_for(limit: Limit, row: Row) -> bool:
    """Whether the limit speaks about this row."""
    return all(any(abs(row[key] - v) <= 1e-6 * abs(v) for v in values) for key, values in limit.rows.items())


def to_csv(rows: list[Row]) -> str:
    """Rows of one deck as CSV with six significant digits, the derived columns left out."""
    derived = set(
        _derived({"con_max_v": 0, "con_min_v": 0, "pk_max_v": 0, "n1_max_v": 0, "v3a_max_v": 0, "latency_us": 0}, 0)
    )
    columns = [name for name in rows[0] if name not in derived]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([f"{row[name]:.6g}" for name in columns] for row in rows)
    return out.getvalue()


def from_csv(text: str) -> list[Row]:
    """Rows that to_csv wrote, with the derived columns."""
    found = []
    for cells in csv.DictReader(io.StringIO(text)):
        row = {name: float(value) for name, value in cells.items()}
        found.append(row | _derived(row, row["VCC"]))
    return found


def committed(tree: Tree) -> dict[str, list[Row]]:
    """Deck -> rows of hardware/sim/results."""
    return {name: from_csv(tree.read(f"{RESULTS}/{name}.csv")) for name in load(tree).deck}


def simulate_all(tree: Tree) -> dict[str, list[Row]]:
    """Every nominal and corner run, about 20 s on two cores. Raises Unavailable, SpiceError."""
    runs = nominal_runs(tree) + corner_runs(tree)
    return table_of(tree, runs, spice.simulate(tree, load(tree).deck, runs))


def violations(tree: Tree, results: dict[str, list[Row]]) -> Iterator[tuple[Limit, Row, str]]:
    """Every row outside a limit, with the sentence that says so."""
    calibration = tree.toml("hardware/calibration.toml")
    for limit in load(tree).limit:
        low, high = bounds(limit, calibration)
        for row in results.get(limit.deck, []):
            if not holds_for(limit, row) or not (limit.corners or is_nominal(row)):
                continue
            value = row[limit.column]
            if (low is not None and value < low) or (high is not None and value > high):
                allowed = " to ".join("" if bound is None else f"{bound:g}" for bound in (low, high))
                yield limit, row, f"{limit.column} = {value:.4g}, allowed {allowed}"
