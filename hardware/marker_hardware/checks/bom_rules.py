"""Check 3: the bills of materials are complete, count what they name, and carry the values the simulation used."""

import re
from collections.abc import Iterator

from marker_hardware import bom
from marker_hardware.checks.model import Problem
from marker_hardware.data import HardwareDataError
from marker_hardware.tree import Tree

DECK = "hardware/sim/channel.inc"


def check(tree: Tree) -> list[Problem]:
    """Problems of the five files. A file that cannot be read is one problem."""
    rows: list[bom.Row] = []
    found: list[Problem] = []
    for name in bom.FILES:
        try:
            rows += bom.read(tree, name)
        except HardwareDataError as error:
            found.append(Problem("B1", error.file, f"{error.key} = {error.value!r}: {error.remedy}"))
    return [*found, *_designators(rows), *_quantities(rows), *_simulated(rows, tree)]


def deck_values(text: str) -> dict[str, str]:
    """Element -> value or model of a deck: `Rs con n1 {22k*KR}` gives Rs = 22k, `D1 0 n1 BAT54` gives D1 = BAT54."""
    values = {}
    for line in text.splitlines():
        match = re.match(r"([RCD]\w*)\s+\S+\s+\S+\s+(\S+)\s*$", line)
        if match:
            values[match[1]] = match[2].strip("{}").split("*")[0]
    return values


def _designators(rows: list[bom.Row]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for row in rows:
        for ref in row.refs:
            if ref in seen:
                yield Problem(
                    "B2", f"{row.file}:{row.line}", f"{ref} is already in {seen[ref]}; a designator is one part"
                )
            seen.setdefault(ref, f"{row.file}:{row.line}")


def _quantities(rows: list[bom.Row]) -> Iterator[Problem]:
    for row in rows:
        most = max(row.qty_node, row.qty_carom, row.qty_pyramid)
        expected = len(row.refs) if row.fitted else 0
        if most != expected:
            text = f"{len(row.refs)} designators, but the largest quantity is {most}; it must be {expected}"
            yield Problem("B3", f"{row.file}:{row.line}", text)
        if row.qty_node and not row.qty_node == row.qty_carom == row.qty_pyramid:
            yield Problem("B3", f"{row.file}:{row.line}", "a part of the node board is fitted in every profile")


def _simulated(rows: list[bom.Row], tree: Tree) -> Iterator[Problem]:
    deck = deck_values(tree.read(DECK))
    named: set[str] = set()
    for row in rows:
        for element, value in row.sim.items():
            named.add(element)
            if deck.get(element) != value:
                text = (
                    f"{element} = {value}, the deck {DECK} has {deck.get(element)}; a simulated value is the built one"
                )
                yield Problem("B4", f"{row.file}:{row.line}", text)
    # Elements inside the behavioural op-amp stand for the amplifier itself, not for parts on the board.
    inside = {"C2", "Roa", "DH", "DL", "Ro"}
    for element in sorted(set(deck) - named - inside):
        yield Problem("B4", DECK, f"{element} is in no sim cell of bom/node.csv; tie it to the part that is it")
