"""The printed parts: which exist, with which numbers, and their shapes. Source: hardware/mounts/*.scad and dims.toml."""

import hashlib
import math
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from marker_hardware import stl, tables
from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import Profile
from marker_hardware.stl import Mesh, Vector
from marker_hardware.tree import Tree, Unavailable

FOLDER = "hardware/mounts"
DIMS = f"{FOLDER}/dims.toml"
TIMEOUT_S = 120
G = 9.81
Value = float | str | tuple[float, ...]


class Part(msgspec.Struct, frozen=True):
    """One print: name, its SCAD file, the values given to it."""

    name: str
    file: str
    values: Mapping[str, Value]


class Probe(msgspec.Struct, frozen=True, rename={"start": "from", "direction": "dir"}, forbid_unknown_fields=True):
    """A ray through a part, to measure its thickness."""

    part: str
    what: str
    start: Vector
    direction: Vector


class Dims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file dims.toml, mm."""

    schema: int
    wall_min: float
    bed_max: float
    screw_m3: float
    screw_wood: float
    pocket_gate: dict[str, float]
    piezo_shoe: dict[str, float]
    node_box: dict[str, float]
    pin_jig: dict[str, float]
    cal_ramp: dict[str, float]
    probe: tuple[Probe, ...]

    def groups(self) -> dict[str, dict[str, float]]:
        """Numbers of each SCAD file by its name."""
        names = ("pocket_gate", "piezo_shoe", "node_box", "pin_jig", "cal_ramp")
        return {name: getattr(self, name) for name in names}


def load(tree: Tree) -> Dims:
    """Read dims.toml. Raises HardwareDataError naming file, key and value."""
    return tree.load(Dims, DIMS)


def ball(tree: Tree, profile: Profile) -> float:
    """Nominal diameter of the ball of a table in mm."""
    return tree.load(tables.Table, f"hardware/tables/{tables.FILES[profile]}").ball.d.v


def parts(tree: Tree) -> list[Part]:
    """Every print with the numbers of dims.toml, tables and calibration."""
    dims = load(tree)
    calibration = tree.toml("hardware/calibration.toml")
    carom = tree.load(tables.Table, f"hardware/tables/{tables.FILES[Profile.CAROM5]}")
    if carom.pin is None:
        raise HardwareDataError("hardware/tables/carom5.toml", "pin", None, "add the shape of the pins")
    screws = {"screw_m3": dims.screw_m3, "screw_wood": dims.screw_wood}
    gap = calibration["gate"]["beam"]["gap_mm"]
    drops = tuple(float(drop) for drop in calibration["ramp"]["drop_mm"])
    gate = dims.pocket_gate | {"screw_wood": dims.screw_wood, "ball": ball(tree, Profile.PYRAMID), "beam_gap": gap}
    gate.pop("clearance_tol")
    found = [
        Part("pocket_gate", "pocket_gate", gate),
        Part("piezo_shoe", "piezo_shoe", dims.piezo_shoe | {"screw_m3": dims.screw_m3}),
        Part("node_box", "node_box", {**dims.node_box, **screws, "part": "body"}),
        Part("node_lid", "node_box", {**dims.node_box, **screws, "part": "lid"}),
        Part("pin_jig", "pin_jig", dims.pin_jig | {"spacing": carom.pin.spacing.v, "base": carom.pin.base.v}),
    ]
    for profile in Profile:
        ramp: dict[str, Value] = {**dims.cal_ramp, "ball": ball(tree, profile), "drops": drops}
        found.append(Part(f"cal_ramp_{profile}", "cal_ramp", ramp))
    return found


def picture(part: Part) -> str | None:
    """Repository path of a part's picture; None for those that would show nothing new."""
    alike = ("cal_ramp_pyramid", "node_lid")  # one looks like the other ramp, one is a flat plate
    return None if part.name in alike else f"hardware/docs/pictures/part_{part.name}.svg"


def fingerprint(tree: Tree, part: Part) -> str:
    """Changes when the drawing or a number of the part changes: a picture carries that of its source."""
    text = tree.read(f"{FOLDER}/{part.file}.scad") + repr(sorted((k, _literal(v)) for k, v in part.values.items()))
    return "source " + hashlib.sha256(text.encode()).hexdigest()[:16]


def render(tree: Tree, part: Part, extra: dict[str, float] | None = None) -> Mesh:
    """Shape of a part. extra: values that replace its own. Raises Unavailable without OpenSCAD, HardwareDataError when it fails."""
    program = shutil.which("openscad")
    if program is None:
        raise Unavailable("OpenSCAD is not installed; `apt-get install openscad`")
    values = {**part.values, **(extra or {})}
    source = f"{FOLDER}/{part.file}.scad"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "part.stl"
        command = [program, "-o", str(out), "--export-format", "asciistl", "--hardwarnings"]
        for name, value in values.items():
            command += ["-D", f"{name}={_literal(value)}"]
        command.append(str(tree.path(source)))
        done = subprocess.run(  # noqa: S603 - the program found on PATH, no shell, numbers of our own files
            command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        if done.returncode != 0 or not out.is_file():
            reason = next(
                (line for line in done.stderr.splitlines() if "ERROR" in line or "WARNING" in line), done.stderr
            )
            raise HardwareDataError(source, part.name, reason.strip(), "correct the drawing or its dimension")
        return stl.parse(out.read_text(encoding="ascii"))


def render_all(tree: Tree) -> dict[str, Mesh]:
    """Shape of every part, two at a time (about 10 s)."""
    found = parts(tree)
    with ThreadPoolExecutor(2) as pool:
        return dict(zip([part.name for part in found], pool.map(lambda part: render(tree, part), found), strict=True))


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return "[" + ",".join(f"{v:g}" for v in value) + "]"
    return f"{value:g}"


def ride_radius(ball_d: float, groove: float) -> float:
    """Height of a ball's centre above the line of the two groove edges it rides on, mm."""
    return math.sqrt((ball_d / 2) ** 2 - (groove / 2) ** 2)


def ramp_speed(drop_mm: float, ball_d: float, groove: float) -> float:
    """Speed in m/s of a ball that rolled down a groove without slipping, its centre dropping by drop_mm."""
    ratio = (ball_d / 2) / ride_radius(ball_d, groove)
    return math.sqrt(2 * G * drop_mm / 1000 / (1 + 0.4 * ratio**2))
