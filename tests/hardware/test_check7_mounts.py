"""Check 7: printed parts as shapes."""

import os
import shutil

import pytest

from marker_hardware import mounts, stl
from marker_hardware.checks import mount_rules
from marker_hardware.data import HardwareDataError
from marker_hardware.tree import Tree

DIMS = mounts.DIMS
needs_openscad = pytest.mark.skipif(
    shutil.which("openscad") is None and os.environ.get("CI") != "true", reason="OpenSCAD is not installed"
)

# A tetrahedron of edge 1 along the axes, outside counter-clockwise.
TETRAHEDRON = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def tetrahedron() -> stl.Mesh:
    return stl.Mesh(tuple((CORNERS[a], CORNERS[b], CORNERS[c]) for a, b, c in TETRAHEDRON))


def part(tree: Tree, name: str) -> mounts.Part:
    return next(part for part in mounts.parts(tree) if part.name == name)


@needs_openscad
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_part_is_a_closed_body_that_fits(tree: Tree) -> None:
    assert mount_rules.check(tree) == []


@needs_openscad
def test_a_gate_for_a_smaller_ball_is_caught_by_its_bore(tree: Tree) -> None:
    """The drawing made for a 60 mm ball leaves 65.96 mm, less than the ball."""
    gate = part(tree, "pocket_gate")
    mesh = mounts.render(tree, gate, {"ball": 60.0})
    problems = list(mount_rules.check_mesh(tree, mounts.load(tree), gate, mesh))
    assert [problem.rule for problem in problems] == ["M4"]
    assert mesh.bore(4, 44) == pytest.approx(65.97, abs=0.05)


@needs_openscad
def test_a_thin_floor_under_the_solder_relief_is_caught_in_the_shape(workshop) -> None:
    workshop.edit(DIMS, "relief = 1.4 ", "relief = 2.0 ")
    tree = workshop.tree
    shoe = part(tree, "piezo_shoe")
    problems = list(mount_rules.check_mesh(tree, mounts.load(tree), shoe, mounts.render(tree, shoe)))
    assert [problem.rule for problem in problems] == ["M5"]
    assert "2.20 mm" in problems[0].message


@needs_openscad
def test_a_part_too_large_for_the_bed_is_caught(workshop) -> None:
    workshop.edit(DIMS, "inner_l = 166.0", "inner_l = 196.0")
    tree = workshop.tree
    box = part(tree, "node_box")
    problems = list(mount_rules.check_mesh(tree, mounts.load(tree), box, mounts.render(tree, box)))
    assert "M3" in {problem.rule for problem in problems}


@needs_openscad
def test_a_drawing_that_refuses_its_numbers_is_reported(workshop) -> None:
    workshop.edit(DIMS, "fillet = 133.0", "fillet = 90.0")
    with pytest.raises(HardwareDataError, match=r"cal_ramp.scad: cal_ramp_carom5"):
        mounts.render(workshop.tree, part(workshop.tree, "cal_ramp_carom5"))


@pytest.mark.parametrize(
    ("rule", "file", "old", "new"),
    [
        ("M5", DIMS, "relief = 1.4 ", "relief = 2.0 "),
        ("M5", DIMS, "wall = 2.8", "wall = 1.6"),
        ("M5", DIMS, "floor_flange = 4.0", "floor_flange = 2.0"),
        ("M5", DIMS, 'part = "node_lid"', 'part = "node_cover"'),
        ("M6", "hardware/mounts/piezo_shoe.scad", "cylinder(d = disc,", "cylinder(d = 27.4,"),
        ("M7", DIMS, "play = 0.6 ", "play = 1.4 "),
        ("M9", DIMS, "boss = 14.0", "boss = 15.0"),
        ("M9", "hardware/mounts/node_box.scad", "15, 24, 4", "15, 26, 4"),
        ("M8", DIMS, "groove = 22.6", "groove = 40.0"),
        ("M8", DIMS, "fillet = 133.0", "fillet = 120.0"),
        ("M8", "hardware/calibration.toml", "speed_mps = [0.26, 0.52, 1.16]", "speed_mps = [0.26, 0.62, 1.16]"),
    ],
)
def test_wrong_numbers_are_caught_without_openscad(workshop, rule: str, file: str, old: str, new: str) -> None:
    if file.endswith("piezo_shoe.scad"):
        workshop.edit(file, "outer = disc + 2 * wall;", "outer = 27.4 + 2 * wall;")
    workshop.edit(file, old, new, 1)
    problems = mount_rules.check_numbers(workshop.tree)
    assert rule in {problem.rule for problem in problems}, problems


def test_shipped_numbers_are_consistent(tree: Tree) -> None:
    assert mount_rules.check_numbers(tree) == []


def test_an_open_mesh_is_caught(tree: Tree) -> None:
    closed = tetrahedron()
    assert closed.open_edges() == 0
    assert closed.volume() == pytest.approx(1 / 6)
    hole = stl.Mesh(closed.triangles[1:])
    assert hole.open_edges() == 3
    problems = list(mount_rules.check_mesh(tree, mounts.load(tree), part(tree, "cal_ramp_carom5"), hole))
    assert "M2" in {problem.rule for problem in problems}


def test_an_inverted_mesh_is_caught(tree: Tree) -> None:
    inverted = stl.Mesh(tuple((c, b, a) for a, b, c in tetrahedron().triangles))
    assert inverted.open_edges() == 0
    problems = list(mount_rules.check_mesh(tree, mounts.load(tree), part(tree, "cal_ramp_carom5"), inverted))
    assert [problem.rule for problem in problems if "inside out" in problem.message] == ["M2"]


def test_thickness_along_a_ray() -> None:
    (length,) = tetrahedron().solid((0.2, 0.2, -1.0), (0.0, 0.0, 2.0))
    assert length == pytest.approx(0.6)
    assert tetrahedron().solid((5.0, 5.0, -1.0), (0.0, 0.0, 1.0)) == []


def test_no_triangles_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 vertices"):
        stl.parse("solid nothing\nendsolid nothing\n")


def test_ramp_speeds_follow_from_rolling_on_two_edges() -> None:
    """22.6 mm groove, 61.5 mm ball: ride radius 28.6 mm, 0.52 m/s from 20 mm."""
    assert mounts.ride_radius(61.5, 22.6) == pytest.approx(28.6, abs=0.01)
    assert mounts.ramp_speed(20, 61.5, 22.6) == pytest.approx(0.518, abs=0.002)
