"""Check 6: the cable harness."""

import os
import shutil
from importlib.util import find_spec

import pytest

from marker_hardware import harness
from marker_hardware.checks import harness_rules
from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import Profile
from marker_hardware.tree import Tree

PINS = "hardware/harness/pins.yml"
RAILS = "hardware/harness/rails_carom.yml"
GATES = "hardware/harness/gates.yml"

IN_CI = os.environ.get("CI") == "true"
needs_wireviz = pytest.mark.skipif(find_spec("wireviz") is None and not IN_CI, reason="WireViz is not installed")
needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None and not IN_CI, reason="graphviz is not installed")


def test_the_shipped_harness_is_consistent(tree: Tree) -> None:
    assert harness_rules.check(tree) == []


@pytest.mark.parametrize(
    ("rule", "file", "old", "new"),
    [
        ("H1", RAILS, "wirecount: 2", "wires: 2"),
        ("H2", RAILS, "    - PZ1: [1, 2]", "    - PZ1: [1, 3]"),
        ("H2", RAILS, "    - WPZ1: [1, 2]", "    - WPZ1: [1, 4]"),
        ("H2", PINS, "    - WHC: [1-4]", "    - WHC: [1-5]"),
        ("H2", RAILS, "  - - X1: [3]", "  - - X9: [3]"),
        ("H3", RAILS, "pinlabels: [PZ1+, PZ1-, SHIELD]", "pinlabels: [PZ9+, PZ1-, SHIELD]"),
        ("H4", GATES, "type: Cat5e F/UTP stranded", "type: Cat5e F/UTP stranded with RJ45"),
        ("H5", "hardware/bom/rails.csv", "WPZ1-WPZ4 WCLICK,0,5,5", "WPZ1-WPZ3 WCLICK,0,4,4"),
        ("H5", "hardware/bom/gates.csv", "X11-X16,0,0,6", "X11-X15,0,0,5"),
        ("H5", "hardware/tables/carom5.toml", "cable_m = { v = 3.4", "cable_m = { v = 3.6"),
        ("H5", "hardware/bom/gates.csv", "WP1-WP6,0,0,6", "WP1-WP7,0,0,7"),
    ],
)
def test_a_broken_harness_is_caught(workshop, rule: str, file: str, old: str, new: str) -> None:
    workshop.edit(file, old, new, 1)
    problems = harness_rules.check(workshop.tree)
    assert rule in {problem.rule for problem in problems}, problems


@needs_wireviz
@needs_graphviz
def test_wireviz_draws_every_file_as_committed(tree: Tree) -> None:
    assert harness_rules.check_drawings(tree) == []


@needs_wireviz
def test_wireviz_itself_refuses_a_pin_that_does_not_exist(workshop) -> None:
    workshop.edit(RAILS, "    - PZ1: [1, 2]", "    - PZ1: [1, 3]", 1)
    with pytest.raises(HardwareDataError, match=r"rails_carom\.yml"):
        harness.parse(workshop.tree, "rails_carom")


@needs_wireviz
@needs_graphviz
def test_a_picture_that_shows_another_harness_is_caught(workshop) -> None:
    workshop.edit(RAILS, "length: 3.4", "length: 3.5", 1)
    problems = harness_rules.check_drawings(workshop.tree)
    assert [problem.place for problem in problems] == ["hardware/docs/pictures/harness_rails_carom.svg"]


@pytest.mark.parametrize("profile", list(Profile))
def test_every_cable_has_two_labels_with_both_ends(tree: Tree, profile: Profile) -> None:
    labels = harness.labels(tree, profile)
    by_cable: dict[str, list[harness.Label]] = {}
    for label in labels:
        by_cable.setdefault(label.cable, []).append(label)
    assert all(len(pair) == 2 and (pair[0].at, pair[0].to) == (pair[1].to, pair[1].at) for pair in by_cable.values())
    assert {"WPZ1", "WCLICK", "WBTN", "WPWR"} <= set(by_cable)


def test_labels_carry_the_lengths_of_their_own_table(tree: Tree) -> None:
    def lengths(profile: Profile) -> dict[str, float]:
        return {label.cable: label.length_m for label in harness.labels(tree, profile)}

    assert lengths(Profile.CAROM5)["WBTN"] == 3.6
    assert lengths(Profile.PYRAMID)["WBTN"] == 2.8
    assert "WP1" not in lengths(Profile.CAROM5)
