"""Check 9: no number in the form is typed by hand, and no calibration value is without a user."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from marker_hardware import device_files, documents
from marker_hardware.checks.model import Problem
from marker_hardware.data import HardwareDataError
from marker_hardware.tree import Tree

CALIBRATION = "hardware/calibration.toml"
FORM = f"{documents.SOURCES}/commissioning.md"
DEVICE_DATA = ("board_pins.py", "defaults.py", "wire_codes.py")


def check(tree: Tree) -> list[Problem]:
    """Numbers typed by hand, guides that differ from their sources, calibration values nobody uses."""
    found = list(_typed(tree))
    try:
        fresh = documents.render(tree)
    except HardwareDataError as error:
        return [*found, Problem("D2", error.file, str(error))]
    for name, text in fresh.items():
        if not tree.has(name) or tree.read(name) != text:
            found.append(
                Problem("D2", name, "is not what its source and the data files give; run `python hardware/generate.py`")
            )
    return [*found, *_unused(tree)]


def _typed(tree: Tree) -> Iterator[Problem]:
    """Digits in the form outside a name in braces; code and links may have them."""
    for number, line in enumerate(tree.read(FORM).splitlines(), start=1):
        bare = re.sub(r"\{\{[^}]*\}\}|`[^`]*`|\]\([^)]*\)", "", line)
        for digits in re.findall(r"\d[\d.,]*", bare):
            yield Problem(
                "D1", f"{FORM}:{number}", f"{digits} is typed by hand; name the value of {CALIBRATION} in braces"
            )


def keys(calibration: Mapping[str, Any], path: str = "") -> list[str]:
    """Dotted names of every value."""
    found = []
    for key, value in calibration.items():
        if isinstance(value, Mapping):
            found += keys(value, f"{path}{key}.")
        elif key != "schema":
            found.append(f"{path}{key}")
    return found


def _unused(tree: Tree) -> Iterator[Problem]:
    calibration = tree.toml(CALIBRATION)
    named = set().union(*(documents.names(tree.read(source)) for source in tree.files(documents.SOURCES, "*.md")))
    firmware = _code(tree, "firmware/tablefw", exclude=DEVICE_DATA)
    host = _code(tree, "hub/marker_hub") + _code(tree, "simulator/marker_sim")
    for key in keys(calibration):
        device, _ = device_files.device_name(tuple(key.split(".")))
        attribute = ".".join(key.split(".")[-2:])
        if key not in named and not re.search(rf"\b{device}\b", firmware) and attribute not in host:
            yield Problem(
                "D3", f"{CALIBRATION} {key}", "is used by no guide, firmware, hub or simulator; use it or remove it"
            )


def _code(tree: Tree, folder: str, exclude: tuple[str, ...] = ()) -> str:
    if not tree.has(folder):
        return ""
    return "\n".join(tree.read(name) for name in tree.files(folder, "*.py") if name.rsplit("/", 1)[1] not in exclude)
