"""Check 4: the net lists connect what they must (no full electrical rule check: nets, supplies, designators, pin map)."""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator

import msgspec

from marker_hardware import bom
from marker_hardware.checks.model import Problem
from marker_hardware.pinmap import PinMap
from marker_hardware.tree import Tree

NODE = "hardware/nets/node.csv"
PIN_BOARD = "hardware/nets/pin_board.csv"
OPEN = "NC"
GROUND = {"GND"}
SUPPLIES = {"3V3", "3V3A", "5V", "VSYS"}
# Power pins of every IC: part -> (ground pins, supply pins), from its data sheet.
POWER_PINS = {
    "MCP6004": (("11",), ("4",)),
    "MCP6544": (("11",), ("4",)),
    "MCP3008": (("9", "14"), ("15", "16")),
    "SN74HC165": (("8",), ("16",)),
    "THVD1426": (("5",), ("8",)),
    "SN74AHCT1G125": (("3",), ("5",)),
    "SC0918": (("3", "8", "13", "18", "23", "28", "33", "38"), ("36", "39")),
    "TCA9548A": (("GND",), ("VIN",)),
    "TMAG5273": (("2", "3"), ("4",)),
}
# Pin of the 40-pin module -> GPIO.
MODULE_GPIO = {1: 0, 2: 1, 4: 2, 5: 3, 6: 4, 7: 5, 9: 6, 10: 7, 11: 8, 12: 9, 14: 10, 15: 11, 16: 12, 17: 13, 19: 14}
MODULE_GPIO |= {20: 15, 21: 16, 22: 17, 24: 18, 25: 19, 26: 20, 27: 21, 29: 22, 31: 26, 32: 27, 34: 28}
REGISTER_INPUTS = ("6", "5", "4", "3", "14", "13", "12", "11")  # D7 first: it leaves the register first


class Connection(msgspec.Struct, frozen=True):
    """One pin of one part and the net on it."""

    ref: str
    pin: str
    net: str


def read(tree: Tree, name: str) -> list[Connection]:
    """Connections of a net list file with the columns ref, pin, net."""
    return [Connection(row["ref"], row["pin"], row["net"]) for row in csv.DictReader(io.StringIO(tree.read(name)))]


def check(tree: Tree) -> list[Problem]:
    """Problems of both net lists."""
    rows = bom.read_all(tree)
    node, board = read(tree, NODE), read(tree, PIN_BOARD)
    found = [*_nets(node, NODE), *_nets(board, PIN_BOARD), *_power(node, rows, NODE), *_power(board, rows, PIN_BOARD)]
    found += [*_parts(node, board, rows), *_controller(node, tree), *_registers(node, tree), *_amplitudes(node, tree)]
    return found


def _nets(connections: list[Connection], file: str) -> Iterator[Problem]:
    members: dict[str, list[Connection]] = defaultdict(list)
    pins: dict[tuple[str, str], str] = {}
    for entry in connections:
        members[entry.net].append(entry)
        if (entry.ref, entry.pin) in pins:
            yield Problem(
                "N1", file, f"{entry.ref} pin {entry.pin} is on {pins[entry.ref, entry.pin]} and on {entry.net}"
            )
        pins[entry.ref, entry.pin] = entry.net
    for net, entries in members.items():
        if net != OPEN and len(entries) < 2:
            text = f"net {net} has one pin only ({entries[0].ref} pin {entries[0].pin}); connect it or call it {OPEN}"
            yield Problem("N1", file, text)


def _power(connections: list[Connection], rows: list[bom.Row], file: str) -> Iterator[Problem]:
    nets: dict[str, dict[str, str]] = defaultdict(dict)
    for entry in connections:
        nets[entry.ref][entry.pin] = entry.net
    for row in rows:
        part = next((part for part in POWER_PINS if row.mpn.startswith(part)), None)
        for ref in row.refs:
            if ref not in nets:
                continue
            if part is None:
                if ref.startswith("U"):
                    yield Problem(
                        "N2", f"{file} {ref}", f"power pins of {row.mpn} are not known to this check; add them"
                    )
                continue
            ground, supply = POWER_PINS[part]
            for pins, allowed in ((ground, GROUND), (supply, SUPPLIES)):
                for pin in pins:
                    net = nets[ref].get(pin)
                    if net not in allowed:
                        yield Problem(
                            "N2", f"{file} {ref} pin {pin}", f"is on {net}, must be on {' or '.join(sorted(allowed))}"
                        )


def _parts(node: list[Connection], board: list[Connection], rows: list[bom.Row]) -> Iterator[Problem]:
    known = {ref for row in rows for ref in row.refs}
    for file, connections in ((NODE, node), (PIN_BOARD, board)):
        for ref in sorted({entry.ref for entry in connections} - known):
            yield Problem("N3", f"{file} {ref}", "is in no bill of materials; add the part")
    placed = {entry.ref for entry in node}
    for row in rows:
        if row.file.endswith("/node.csv"):
            for ref in row.refs:
                if ref not in placed:
                    yield Problem("N3", f"{row.file}:{row.line}", f"{ref} has no connection in {NODE}")


def _controller(node: list[Connection], tree: Tree) -> Iterator[Problem]:
    nets = {entry.pin: entry.net for entry in node if entry.ref == "U1"}
    pins = tree.load(PinMap, "hardware/pinmap.toml")
    expected = {pin.gpio: pin.net for pin in pins.pin}
    for module_pin, gpio in MODULE_GPIO.items():
        actual = nets.get(str(module_pin))
        if actual != expected.get(gpio, OPEN):
            text = f"pin {module_pin} (GPIO {gpio}) is on {actual}, pinmap.toml says {expected.get(gpio, OPEN)}"
            yield Problem("N4", f"{NODE} U1", text)


def _registers(node: list[Connection], tree: Tree) -> Iterator[Problem]:
    nets = {(entry.ref, entry.pin): entry.net for entry in node}
    bits = tree.load(PinMap, "hardware/pinmap.toml").shift.bits
    places = [(ref, pin) for ref in ("U7", "U8") for pin in REGISTER_INPUTS]
    for number, (place, bit) in enumerate(zip(places, bits, strict=False)):
        if nets.get(place) != bit:
            text = f"shift bit {number} is {bit} in pinmap.toml, but the pin is on {nets.get(place)}"
            yield Problem("N5", f"{NODE} {place[0]} pin {place[1]}", text)


def _amplitudes(node: list[Connection], tree: Tree) -> Iterator[Problem]:
    nets = {entry.pin: entry.net for entry in node if entry.ref == "U6"}
    for pin in tree.load(PinMap, "hardware/pinmap.toml").piezo():
        hold = pin.net.replace("_HIT", "_PK")
        actual = nets.get(str((pin.adc_ch or 0) + 1))
        if actual != hold:
            yield Problem("N6", f"{NODE} U6", f"ADC channel {pin.adc_ch} is on {actual}, pinmap.toml means {hold}")
