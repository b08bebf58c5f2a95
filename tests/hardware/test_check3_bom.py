"""Check 3: the bills of materials."""

import csv
import io

import pytest

from marker_hardware import bom
from marker_hardware.checks import bom_rules
from marker_hardware.pinmap import Profile
from marker_hardware.tree import Tree

NODE = "hardware/bom/node.csv"


def test_the_shipped_bills_are_consistent(tree: Tree) -> None:
    assert bom_rules.check(tree) == []


@pytest.mark.parametrize(
    ("rule", "old", "new"),
    [
        ("B4", "Rs=22k", "Rs=2k2"),
        ("B2", "R31-R37", "R21-R27"),
        ("B1", "U6,1,1,1", "U6,5.5,1,1"),
        ("B1", "U6,1,1,1,MCP3008-I/SL", "U6,1,1,1,"),
        ("B1", "usd_est,alt", "price,alt"),
        ("B1", "R31-R37", "R37-R31"),
        ("B3", "U6,1,1,1", "U6,2,2,2"),
        ("B3", "R31-R37,7,7,7", "R31-R37,7,5,7"),
        ("B3", "U9,0,0,0", "U9,1,1,1"),
        ("B4", "C1=1n", ""),
    ],
)
def test_a_broken_bill_is_caught(workshop, rule: str, old: str, new: str) -> None:
    workshop.edit(NODE, old, new, 1)
    problems = bom_rules.check(workshop.tree)
    assert rule in {problem.rule for problem in problems}, problems


def test_a_changed_deck_is_caught_too(workshop) -> None:
    workshop.edit("hardware/sim/channel.inc", "Rh pk 0 {220k*KR}", "Rh pk 0 {200k*KR}")
    (problem,) = bom_rules.check(workshop.tree)
    assert (problem.rule, "Rh = 220k" in problem.message) == ("B4", True)


def test_designators_expand() -> None:
    assert list(bom.expand("R1-R3 U2 CLICK")) == ["R1", "R2", "R3", "U2", "CLICK"]
    for wrong in ("R3-R1", "r1", "R1-C3"):
        with pytest.raises(ValueError, match=wrong):
            list(bom.expand(wrong))


@pytest.mark.parametrize("profile", list(Profile))
def test_the_order_list_buys_every_piece_once(tree: Tree, profile: Profile) -> None:
    lines = list(csv.DictReader(io.StringIO(bom.shop_csv(tree, profile))))
    bought = sum(int(line["quantity"]) for line in lines)
    assert bought == sum(total.pieces for total in bom.totals(tree, profile))
    designators = [ref for line in lines for ref in line["designators"].split()]
    assert len(designators) == len(set(designators)) == bought
    assert len({(line["manufacturer"], line["mpn"]) for line in lines}) == len(lines)


def test_a_carom_table_buys_no_gates_and_a_pyramid_no_hall_sensors(tree: Tree) -> None:
    carom, pyramid = (bom.shop_csv(tree, profile) for profile in (Profile.CAROM5, Profile.PYRAMID))
    assert "TSAL6100" not in carom
    assert "TMAG5273" in carom
    assert "TSAL6100" in pyramid
    assert "TMAG5273" not in pyramid
