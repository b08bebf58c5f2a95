"""Pictures that need a tool outside the standard library: repository path -> SVG text."""

import re
import runpy
from collections.abc import Callable
from importlib.util import find_spec

from marker_hardware import harness, mounts
from marker_hardware.drawings import solid
from marker_hardware.tree import Tree, Unavailable

FOLDER = "hardware/docs/pictures"
SCHEMATICS = "hardware/schematic"


def draw_harness(tree: Tree) -> dict[str, str]:
    """One picture a harness file. Raises Unavailable without WireViz or graphviz."""
    return {f"{FOLDER}/harness_{name}.svg": _clean(harness.draw(tree, name)) for name in harness.names(tree)}


def _clean(svg: str) -> str:
    """Without the comments that name the tool's version: a new graphviz alone must not change every file."""
    return re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL).rstrip() + "\n"


def draw_schematics(tree: Tree) -> dict[str, str]:
    """One picture a script in hardware/schematic; a script builds `drawing`. Raises Unavailable without schemdraw."""
    if find_spec("schemdraw") is None:
        raise Unavailable("schemdraw is not installed; `pip install 'billiard-marker[dev]'`")
    drawn = {}
    for script in tree.files(SCHEMATICS, "*.py"):
        drawing = runpy.run_path(str(tree.path(script)))["drawing"]
        drawn[script.removesuffix(".py") + ".svg"] = _on_paper(drawing.get_imagedata("svg").decode())
    return drawn


def _on_paper(svg: str) -> str:
    """With a white ground: a reader with a dark page could not see black lines."""
    match = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"[^>]*>', svg)
    if match is None:
        raise Unavailable("schemdraw drew an SVG without a viewBox; use the version of the dev extra")
    x, y, width, height = match.groups()
    ground = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="#fff"/>'
    return svg[: match.end()] + ground + svg[match.end() :].rstrip() + "\n"


def draw_mounts(tree: Tree) -> dict[str, str]:
    """One picture a printed part (about 15 s). Raises Unavailable without OpenSCAD."""
    drawn = {}
    meshes = mounts.render_all(tree)
    for part in mounts.parts(tree):
        path = mounts.picture(part)
        if path is not None:
            turn = -55.0 if part.name.startswith("cal_ramp") else 35.0
            piece = 16.0 if part.name.startswith("node") else 24.0
            source = mounts.fingerprint(tree, part)
            drawn[path] = solid.isometric(meshes[part.name], part.name.replace("_", " "), source, turn, piece_mm=piece)
    return drawn


KINDS: dict[str, Callable[[Tree], dict[str, str]]] = {
    "harness": draw_harness,
    "schematic": draw_schematics,
    "mounts": draw_mounts,
}
