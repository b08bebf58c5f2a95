"""Pictures: schematics follow their scripts and the parts list; drawings are legible data, not decoration."""

import os
import re
from importlib.util import find_spec

import pytest

from marker_hardware import bom, pictures
from marker_hardware.drawings.svg import Canvas, number
from marker_hardware.tree import Tree

needs_schemdraw = pytest.mark.skipif(
    find_spec("schemdraw") is None and os.environ.get("CI") != "true", reason="schemdraw is not installed"
)
LABEL = re.compile(r'"([RCDQFU]\d+)(n?)(?:-(\d+))?(?:\\n| )([^"]+)"')


@needs_schemdraw
def test_committed_schematics_are_what_their_scripts_draw(tree: Tree) -> None:
    fresh = pictures.draw_schematics(tree)
    assert len(fresh) == 3
    assert [name for name, text in fresh.items() if tree.read(name) != text] == []


def test_every_part_in_a_schematic_is_bought_with_that_value(tree: Tree) -> None:
    """`R2n 22k` stands for R21 to R27; value or type must stand in the row that buys the designator."""
    rows = {ref: row for row in bom.read(tree, "node") for ref in row.refs}
    seen = 0
    for script in tree.files("hardware/schematic", "*.py"):
        for ref, channel, last, value in LABEL.findall(tree.read(script)):
            numbers = [f"{ref}{n}" for n in range(1, 7)] if channel else [ref]
            if last:
                numbers = [f"{ref[0]}{n}" for n in range(int(ref[1:]), int(last) + 1)]
            for designator in numbers:
                row = rows[designator]
                text = f"{row.mpn} {row.description}"
                assert value.split()[0].rstrip("RV") in text, (script, designator, value, text)
                seen += 1
    assert seen > 100


def test_every_svg_is_well_formed_and_has_a_white_ground(tree: Tree) -> None:
    from xml.etree import ElementTree as ET

    names = tree.files("hardware/docs/pictures", "*.svg") + tree.files("hardware/schematic", "*.svg")
    assert len(names) > 20
    for name in names:
        root = ET.fromstring(tree.read(name))
        assert root.tag.endswith("svg"), name
        assert 'fill="#fff"' in tree.read(name) or 'fill="#ffffff"' in tree.read(name), name


def test_numbers_in_drawings_have_one_form() -> None:
    assert [number(v) for v in (0.0, -0.0, -0.04, 12.0, 12.34, -7.25)] == ["0", "0", "0", "12", "12.3", "-7.2"]


def test_text_is_escaped() -> None:
    canvas = Canvas(0, 0, 10, 10, "a < b & c", 2)
    canvas.text((1, 1), "x < y\n& z")
    svg = canvas.render()
    assert "<title>a &lt; b &amp; c</title>" in svg
    assert "x &lt; y" in svg
    assert svg.count("<text") == 2
