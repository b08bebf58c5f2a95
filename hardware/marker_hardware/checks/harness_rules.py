"""Check 6: the harness connects pins that exist, under names the net lists know, with cables the bills of materials buy."""

import re
from collections.abc import Iterator

from marker_hardware import bom, harness
from marker_hardware.checks import netlist_rules
from marker_hardware.checks.model import Problem
from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import PinMap, Profile
from marker_hardware.tree import Tree

PICTURES = "hardware/docs/pictures"
COMMON_LABELS = {"SHIELD", "5V", "3V3", "GND", "IR_RTN", "SPARE1", "SPARE2"}
FORBIDDEN = "RJ45"


def check(tree: Tree) -> list[Problem]:
    """Problems of every harness file. WireViz reads them too where it is installed."""
    found: list[Problem] = []
    files: dict[str, harness.Harness] = {}
    for name in harness.names(tree):
        try:
            files[name] = harness.read(tree, name)
        except HardwareDataError as error:
            found.append(Problem("H1", error.file, str(error)))
    allowed = _allowed_labels(tree)
    for name, file in files.items():
        found += [*_pins(name, file), *_labels(name, file, allowed), *_forbidden(tree, name)]
    return [*found, *_bought(tree, files), *_lengths(tree, files)]


def check_drawings(tree: Tree) -> list[Problem]:
    """Whether WireViz accepts every file and the committed pictures show what it draws. Raises Unavailable without the tools."""
    found = []
    for name in harness.names(tree):
        try:
            fresh = texts(harness.draw(tree, name))
        except HardwareDataError as error:
            found.append(Problem("H1", error.file, str(error)))
            continue
        place = f"{PICTURES}/harness_{name}.svg"
        if not tree.has(place) or texts(tree.read(place)) != fresh:
            found.append(Problem("H6", place, "shows another harness than its file; run `python hardware/draw.py`"))
    return found


def texts(svg: str) -> list[str]:
    """Everything written in a picture, sorted: what a drawing says, whatever fonts moved it."""
    return sorted(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def _allowed_labels(tree: Tree) -> set[str]:
    pins = tree.load(PinMap, "hardware/pinmap.toml")
    nets = {
        entry.net for file in (netlist_rules.NODE, netlist_rules.PIN_BOARD) for entry in netlist_rules.read(tree, file)
    }
    piezo = {f"{pin.net.removesuffix('_HIT')}{sign}" for pin in pins.piezo() for sign in "+-"}
    return nets | piezo | set(pins.shift.bits) | COMMON_LABELS


def _pins(name: str, file: harness.Harness) -> Iterator[Problem]:
    for chain in file.connections:
        for step in chain:
            for designator, pins in step.items():
                place = f"{harness.FOLDER}/{name}.yml {designator}"
                if designator in file.connectors:
                    most, shield = len(file.connectors[designator].pinlabels), False
                elif designator in file.cables:
                    most, shield = file.cables[designator].wirecount, file.cables[designator].shield
                else:
                    yield Problem("H2", place, "is neither a connector nor a cable of this file")
                    continue
                for pin in _numbers(pins):
                    if not (pin == "s" and shield) and not (isinstance(pin, int) and 1 <= pin <= most):
                        yield Problem("H2", place, f"has no pin or wire {pin}; it has 1 to {most}")


def _numbers(pins: list[object]) -> Iterator[object]:
    for pin in pins:
        match = re.fullmatch(r"(\d+)-(\d+)", str(pin))
        if match:
            yield from range(int(match[1]), int(match[2]) + 1)
        else:
            yield pin


def _labels(name: str, file: harness.Harness, allowed: set[str]) -> Iterator[Problem]:
    for designator, connector in file.connectors.items():
        for label in connector.pinlabels:
            if label not in allowed:
                text = f"label {label} is no net, shift bit or supply of this system"
                yield Problem("H3", f"{harness.FOLDER}/{name}.yml {designator}", text)


def _forbidden(tree: Tree, name: str) -> Iterator[Problem]:
    if FORBIDDEN in tree.read(f"{harness.FOLDER}/{name}.yml"):
        yield Problem(
            "H4",
            f"{harness.FOLDER}/{name}.yml",
            f"{FORBIDDEN}: a patched network switch would feed the node; no such plug",
        )


def _bought(tree: Tree, files: dict[str, harness.Harness]) -> Iterator[Problem]:
    rows = bom.read_all(tree)
    for profile, names in harness.FILES.items():
        bought = {ref for row in rows for ref in row.refs[: row.quantity(profile)]}
        used: set[str] = set()
        for name in names:
            if name in files:
                used |= set(files[name].cables) | set(files[name].connectors)
        for designator in sorted(used - bought):
            text = f"the harness of {profile} needs {designator}; no row of bom/*.csv buys it for that table"
            yield Problem("H5", harness.FOLDER, text)
        cables = {ref for ref in bought if ref.startswith("W")}
        for designator in sorted(cables - used):
            yield Problem("H5", "hardware/bom", f"{designator} is bought for {profile}, but no harness file has it")


def _lengths(tree: Tree, files: dict[str, harness.Harness]) -> Iterator[Problem]:
    for profile, names in harness.FILES.items():
        lengths = harness.cable_lengths(tree, profile)
        for name in names:
            # WBTN stands in a file that both tables share; the text there names the other length.
            shared = name == "power_display" and profile is Profile.PYRAMID
            for designator, cable in (files[name].cables if name in files else {}).items():
                expected = lengths.get(designator)
                if expected is not None and not shared and cable.length != expected:
                    text = f"{cable.length:g} m, the table file says {expected:g} m"
                    yield Problem("H5", f"{harness.FOLDER}/{name}.yml {designator}", text)
