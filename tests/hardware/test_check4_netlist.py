"""Check 4: the net lists."""

import pytest

from marker_hardware.checks import netlist_rules
from marker_hardware.tree import Tree

NODE = "hardware/nets/node.csv"


def test_the_shipped_net_lists_are_consistent(tree: Tree) -> None:
    assert netlist_rules.check(tree) == []


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("N1", "J26,3,SPARE_ADC1", "J26,3,NC"),
        ("N1", "R203,2,3V3A", "R203,1,3V3A"),
        ("N2", "U2,11,GND", "U2,11,NC"),
        ("N2", "U7,16,3V3", "U7,16,5V_GATE"),
        ("N3", "R231,1,FRAME", "R299,1,FRAME"),
        ("N4", "U1,11,PZ3_HIT", "U1,11,PZ3_IRQ"),
        ("N5", "U7,6,P1A", "U7,6,P1B"),
        ("N6", "U6,4,PZ4_PK", "U6,4,PZ5_PK"),
    ],
)
def test_a_broken_net_list_is_caught(workshop, rule: str, old: str, new: str) -> None:
    workshop.edit(NODE, f"{old}\n", f"{new}\n", 1)
    problems = netlist_rules.check(workshop.tree)
    assert rule in {problem.rule for problem in problems}, problems


def test_a_missing_supply_row_is_caught(workshop) -> None:
    """The row of U2's negative supply deleted, not renamed."""
    workshop.drop_line(NODE, "U2,11,")
    assert "N2" in {problem.rule for problem in netlist_rules.check(workshop.tree)}


def test_a_renamed_hit_net_is_caught_against_the_pin_map(workshop) -> None:
    workshop.edit(NODE, "PZ3_HIT", "PZ3_IRQ")
    assert "N4" in {problem.rule for problem in netlist_rules.check(workshop.tree)}


def test_the_pin_board_is_checked_as_well(workshop) -> None:
    workshop.edit("hardware/nets/pin_board.csv", "HC,4,3V3", "HC,4,NC")
    assert "N2" in {problem.rule for problem in netlist_rules.check(workshop.tree)}
