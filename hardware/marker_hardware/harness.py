"""The cable harness: connectors, cables and their labels as WireViz files describe them. Source: hardware/harness/*.yml."""

import re
from importlib import import_module
from typing import Any

import msgspec
import yaml

from marker_hardware import tables
from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import Profile
from marker_hardware.tree import Tree, Unavailable

FOLDER = "hardware/harness"
FILES = {
    Profile.CAROM5: ("rails_carom", "pins", "power_display"),
    Profile.PYRAMID: ("rails_pyramid", "gates", "power_display"),
}


class Connector(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plug or a part at the end of a cable; labels in pin order."""

    type: str
    pinlabels: tuple[str, ...]
    subtype: str = ""
    notes: str = ""


class CableSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cable: length in m."""

    type: str
    length: float
    wirecount: int
    colors: tuple[str, ...]
    gauge: str
    shield: bool = False


class Harness(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file. connections: lists of {designator: pins}, in the notation of WireViz."""

    connectors: dict[str, Connector]
    cables: dict[str, CableSpec]
    connections: tuple[tuple[dict[str, list[Any]], ...], ...]

    def ends(self, cable: str) -> list[str]:
        """Connectors a cable runs between, in the order of the file, each once."""
        found: list[str] = []
        for chain in self.connections:
            names = [next(iter(step)) for step in chain]
            if cable in names:
                found += [name for name in names if name in self.connectors and name not in found]
        return found


def read(tree: Tree, name: str) -> Harness:
    """One harness file, name without folder and extension. Raises HardwareDataError naming file and key."""
    place = f"{FOLDER}/{name}.yml"
    try:
        return msgspec.convert(yaml.safe_load(tree.read(place)), Harness)
    except yaml.YAMLError as error:
        raise HardwareDataError(place, "", str(error), "correct the YAML syntax") from error
    except msgspec.ValidationError as error:
        reason, _, key = str(error).partition(" - at `")
        raise HardwareDataError(place, key.rstrip("`").removeprefix("$."), reason, "correct this value") from error


def names(tree: Tree) -> list[str]:
    """Every harness file, without folder and extension."""
    return [re.sub(r".*/|\.yml$", "", name) for name in tree.files(FOLDER, "*.yml")]


def draw(tree: Tree, name: str) -> str:
    """SVG of one file. Raises Unavailable without WireViz or graphviz, HardwareDataError when WireViz refuses the file."""
    return str(_wireviz(tree, name, "svg"))


def parse(tree: Tree, name: str) -> None:
    """Let WireViz read a file; raises as `draw`, but needs no graphviz."""
    _wireviz(tree, name, "harness")


def _wireviz(tree: Tree, name: str, kind: str) -> object:
    try:
        wireviz = import_module("wireviz.wireviz")
    except ImportError as error:
        raise Unavailable("WireViz is not installed; `pip install 'billiard-marker[dev]'`") from error
    text = tree.read(f"{FOLDER}/{name}.yml")
    try:
        return wireviz.parse(yaml.safe_load(text), return_types=kind)
    except Exception as error:  # WireViz raises bare Exception for every mistake in a file
        if type(error).__name__ == "ExecutableNotFound":
            raise Unavailable("graphviz is not installed; `apt-get install graphviz`") from error
        raise HardwareDataError(f"{FOLDER}/{name}.yml", "", str(error), "correct the connection or label") from error


class Label(msgspec.Struct, frozen=True):
    """What is printed on both ends of a cable: designator, the end it is at, the far end, length in m."""

    cable: str
    at: str
    to: str
    length_m: float
    type: str


def labels(tree: Tree, profile: Profile) -> list[Label]:
    """Two labels a cable for one table; lengths of the table at hand."""
    found = []
    lengths = cable_lengths(tree, profile)
    for file in FILES[profile]:
        harness = read(tree, file)
        for name, cable in harness.cables.items():
            ends = harness.ends(name)
            length = lengths.get(name, cable.length)
            found += [Label(name, a, b, length, cable.type) for a, b in zip(ends, reversed(ends), strict=True)]
    return found


def cable_lengths(tree: Tree, profile: Profile) -> dict[str, float]:
    """Length in m of every cable that the table file places."""
    table = tree.load(tables.Table, f"hardware/tables/{tables.FILES[profile]}")
    return {name: length.v for name, (_, length) in tables.cables(table).items()}
