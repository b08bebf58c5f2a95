"""Check 7: the printed parts are closed bodies that fit the printer, the ball and the pins, with walls that hold."""

import re
from collections.abc import Iterator

from marker_hardware import mounts
from marker_hardware.checks.model import Problem
from marker_hardware.data import HardwareDataError
from marker_hardware.mounts import DIMS, FOLDER, Dims, Part
from marker_hardware.pinmap import Profile
from marker_hardware.stl import Mesh
from marker_hardware.tree import Tree

FACET_SLACK_MM = 0.05
JIG_PLAY_MAX_MM = 1.0
SPEED_TOLERANCE = 0.02
FILLET_MIN_MM = 100.0


def check(tree: Tree) -> list[Problem]:
    """Dimensions, then every part as a shape (about 10 s). Raises Unavailable without OpenSCAD."""
    return check_numbers(tree) + check_shapes(tree)


def check_shapes(tree: Tree) -> list[Problem]:
    """Every part as OpenSCAD makes it. Raises Unavailable without OpenSCAD."""
    dims, parts = mounts.load(tree), mounts.parts(tree)
    try:
        meshes = mounts.render_all(tree)
    except HardwareDataError as error:
        return [Problem("M1", error.file, str(error))]
    return [problem for part in parts for problem in check_mesh(tree, dims, part, meshes[part.name])]


def check_numbers(tree: Tree) -> list[Problem]:
    """What can be said without OpenSCAD."""
    dims = mounts.load(tree)
    return [*_walls(dims), *_used(tree), *_jig(dims), *_ramp(tree, dims), *_pictures(tree)]


def check_mesh(tree: Tree, dims: Dims, part: Part, mesh: Mesh) -> Iterator[Problem]:
    """One shape: closed, right way out, on the bed, free for the ball, thick enough where it is probed."""
    place = f"{FOLDER}/{part.file}.scad {part.name}"
    if mesh.open_edges():
        yield Problem("M2", place, f"{mesh.open_edges()} open edges; the surface must be closed")
    if mesh.volume() <= 0:
        yield Problem("M2", place, f"volume {mesh.volume():.0f} mm3; the surface is inside out")
    extents = mesh.extents()
    if max(extents) > dims.bed_max:
        sizes = " x ".join(f"{size:.1f}" for size in extents)
        yield Problem("M3", place, f"{sizes} mm does not fit a bed of {dims.bed_max:g} mm")
    if part.name == "pocket_gate":
        yield from _bore(tree, dims, place, mesh)
    for probe in dims.probe:
        if probe.part == part.name:
            stretches = mesh.solid(probe.start, probe.direction)
            if not stretches or min(stretches) < dims.wall_min - 1e-3:
                shown = ", ".join(f"{s:.2f}" for s in stretches) or "no material"
                yield Problem(
                    "M5", place, f"{probe.what}: {shown} mm on the probe, at least {dims.wall_min:g} mm is needed"
                )


def _bore(tree: Tree, dims: Dims, place: str, mesh: Mesh) -> Iterator[Problem]:
    ball = mounts.ball(tree, Profile.PYRAMID)
    bore = mesh.bore(dims.pocket_gate["floor_flange"], dims.pocket_gate["height"])
    wanted = ball + dims.pocket_gate["clearance"]
    tolerance = dims.pocket_gate["clearance_tol"] + FACET_SLACK_MM
    if abs(bore - wanted) > tolerance:
        yield Problem("M4", place, f"bore {bore:.2f} mm, a ball of {ball:g} needs {wanted:g} +- {tolerance:g}")


def _walls(dims: Dims) -> Iterator[Problem]:
    for group, numbers in dims.groups().items():
        for name, value in numbers.items():
            if re.match(r"wall|floor", name) and value < dims.wall_min:
                yield Problem(
                    "M5", f"{DIMS} {group}.{name}", f"{value:g} mm is thinner than wall_min {dims.wall_min:g}"
                )
    shoe = dims.piezo_shoe
    left = shoe["base"] - shoe["relief"]
    if left < dims.wall_min:
        yield Problem("M5", f"{DIMS} piezo_shoe.relief", f"leaves {left:.2f} mm of floor under the solder relief")
    known = {part for probe in dims.probe for part in [probe.part]}
    for group in ("pocket_gate", "piezo_shoe", "node_box", "node_lid", "pin_jig"):
        if group not in known:
            yield Problem("M5", DIMS, f"no probe measures {group}; add one through its thinnest wall")


def _used(tree: Tree) -> Iterator[Problem]:
    for part in mounts.parts(tree):
        source = tree.read(f"{FOLDER}/{part.file}.scad")
        for name in part.values:
            if len(re.findall(rf"\b{name}\b", re.sub(r"//.*", "", source))) < 2:
                yield Problem(
                    "M6", f"{FOLDER}/{part.file}.scad", f"does not use {name}, which dims.toml or a table sets"
                )


def _pictures(tree: Tree) -> Iterator[Problem]:
    for part in mounts.parts(tree):
        path = mounts.picture(part)
        if path is not None and not (tree.has(path) and mounts.fingerprint(tree, part) in tree.read(path)):
            yield Problem(
                "M9", path, "was made from another drawing or other numbers; run `python hardware/draw.py mounts`"
            )


def _jig(dims: Dims) -> Iterator[Problem]:
    play = dims.pin_jig["play"]
    if not 0 < play <= JIG_PLAY_MAX_MM:
        text = f"{play:g} mm lets a pin stand {play / 2:g} mm off its spot; 0.5 mm is the limit"
        yield Problem("M7", f"{DIMS} pin_jig.play", text)


def _ramp(tree: Tree, dims: Dims) -> Iterator[Problem]:
    ramp = tree.toml("hardware/calibration.toml")["ramp"]
    groove = dims.cal_ramp["groove"]
    ball = mounts.ball(tree, Profile.CAROM5)
    for drop, speed in zip(ramp["drop_mm"], ramp["speed_mps"], strict=True):
        real = mounts.ramp_speed(drop, ball, groove)
        if abs(real - speed) > SPEED_TOLERANCE * speed:
            text = f"a drop of {drop:g} mm gives {real:.3f} m/s, calibration.toml says {speed:g}"
            yield Problem("M8", f"{DIMS} cal_ramp.groove", text)
    for profile in Profile:
        path = dims.cal_ramp["fillet"] - mounts.ride_radius(mounts.ball(tree, profile), groove)
        if path < FILLET_MIN_MM:
            text = f"the ball's path bends with {path:.1f} mm on the {profile} ramp; {FILLET_MIN_MM:g} is the least"
            yield Problem("M8", f"{DIMS} cal_ramp.fillet", text)
