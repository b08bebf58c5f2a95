"""The fault guide: what to measure and what to do for every health code. Source: hardware/faults.toml and sensors.toml."""

from typing import Literal

import msgspec

from marker_hardware.data import HardwareDataError
from marker_hardware.sensors import Sensors
from marker_hardware.tree import Tree

FILE = "hardware/faults.toml"


class Remedy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to measure and what to do."""

    measure: str
    fix: str


class Faults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file: prefix -> state -> remedy."""

    schema: Literal[1]
    fault: dict[str, dict[str, Remedy]]

    def codes(self) -> set[str]:
        """Every code the file answers."""
        return {f"{prefix}.{state}" for prefix, states in self.fault.items() for state in states}


class Entry(msgspec.Struct, frozen=True):
    """One line of the fault guide."""

    code: str
    cause: str
    measure: str
    fix: str


def load(tree: Tree) -> Faults:
    """Read the remedies. Raises HardwareDataError naming file, key and value."""
    return tree.load(Faults, FILE)


def guide(tree: Tree) -> list[Entry]:
    """Every health code with its cause and remedy, in the order of sensors.toml. Raises HardwareDataError for a code without remedy."""
    remedies = load(tree).fault
    found = []
    for code, cause in tree.load(Sensors, "hardware/sensors.toml").causes().items():
        prefix, _, state = code.partition(".")
        remedy = remedies.get(prefix, {}).get(state)
        if remedy is None:
            raise HardwareDataError(FILE, f"fault.{code}", None, "write what to measure and what to do for this code")
        found.append(Entry(code, cause, remedy.measure, remedy.fix))
    return found
