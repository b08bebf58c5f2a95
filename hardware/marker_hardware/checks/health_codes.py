"""Check 8: sensors.toml, firmware, hub and fault guide speak of the same fault codes."""

import re
from collections.abc import Iterator

from marker_hardware import faults
from marker_hardware.checks.model import Problem
from marker_hardware.sensors import Sensors
from marker_hardware.tree import Tree

SENSORS = "hardware/sensors.toml"
ENUM = "hardware/marker_hardware/codes.py"
GUIDE = "hardware/docs/faults.md"
FIRMWARE = "firmware/tablefw"
MESSAGES = "hub/marker_hub/wire/messages.py"
# Prefix of a code -> device modules that decide it. health.py and selftest.py speak for all kinds.
MODULES = {"pin": ("pins.py", "hall.py"), "piezo": ("piezo.py",), "beam": ("gate.py",), "button": ("button.py",)}
SHARED = ("health.py", "selftest.py", "sensors.py")


def check(tree: Tree) -> list[Problem]:
    """Codes that one of the four knows and another does not."""
    sensors = tree.load(Sensors, SENSORS)
    codes = set(sensors.causes())
    found = [*_same(codes, _enum(tree), ENUM, "run `python hardware/generate.py`")]
    found += _same(codes, faults.load(tree).codes(), faults.FILE, "write what to measure and what to do")
    found += _same(codes, _guide(tree), GUIDE, "run `python hardware/generate.py`")
    return [*found, *_channels(tree, sensors), *_node(tree, sensors)]


def _same(codes: set[str], others: set[str], place: str, remedy: str) -> Iterator[Problem]:
    for code in sorted(codes - others):
        yield Problem("C1", place, f"lacks {code}, which {SENSORS} has; {remedy}")
    for code in sorted(others - codes):
        yield Problem("C1", place, f"has {code}, which {SENSORS} lacks; {remedy}, or add the cause")


def _enum(tree: Tree) -> set[str]:
    body = tree.read(ENUM).partition("class HealthCode(")[2]
    return set(re.findall(r'^    [A-Z_]+ = "([a-z]+\.[a-z]+)"$', body, re.MULTILINE))


def _guide(tree: Tree) -> set[str]:
    return set(re.findall(r"^\| `([a-z]+\.[a-z]+)` \|", tree.read(GUIDE), re.MULTILINE))


def _channels(tree: Tree, sensors: Sensors) -> Iterator[Problem]:
    """Every state of a kind is decided somewhere in the firmware, and no kind is given a state that has no cause."""
    shared = "\n".join(tree.read(f"{FIRMWARE}/{name}") for name in SHARED if tree.has(f"{FIRMWARE}/{name}"))
    known: dict[str, set[str]] = {}
    for kind in sensors.sensor.values():
        known.setdefault(kind.health_prefix, set()).update(kind.health)
    for prefix, states in known.items():
        own = "\n".join(tree.read(f"{FIRMWARE}/{name}") for name in MODULES[prefix])
        place = f"{FIRMWARE}/{MODULES[prefix][0]}"
        for state in sorted(states):
            if f"QUALITY_{state.upper()}" not in own + shared:
                yield Problem("C2", place, f"never reports {prefix}.{state}; decide it there or drop the code")
        for state in sorted(set(re.findall(r"QUALITY_(NOISY|STUCK|ABSENT)", own))):
            if state.lower() not in states:
                yield Problem("C2", place, f"reports {prefix}.{state.lower()}, which {SENSORS} does not explain")


def _node(tree: Tree, sensors: Sensors) -> Iterator[Problem]:
    for code in sorted(set(sensors.node.health) ^ set(sensors.node.report)):
        yield Problem("C3", f"{SENSORS} node", f"{code} needs both a cause (health) and a field (report)")
    app = tree.read(f"{FIRMWARE}/app.py")
    for code, field in sensors.node.report.items():
        if f'"{field}":' not in app:
            yield Problem("C3", f"{FIRMWARE}/app.py", f"reports no field {field!r}, by which node.{code} is seen")
    if not tree.has(MESSAGES):
        return
    health = tree.read(MESSAGES).partition("class Health(")[2].partition("\nclass ")[0]
    for code, field in sensors.node.report.items():
        if code != "unprovisioned" and not re.search(rf"^    {field}:", health, re.MULTILINE):
            yield Problem("C3", MESSAGES, f"Health has no field {field!r}, by which node.{code} is seen")
