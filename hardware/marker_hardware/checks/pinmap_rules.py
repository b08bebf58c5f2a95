"""Check 1: the pin map is legal on RP2040 and RP2350 and agrees with sensors, bill of materials and tables (R1-R14, T1-T3)."""

import re
from collections import Counter
from collections.abc import Iterator

from marker_hardware import bom, tables
from marker_hardware.checks import table_rules
from marker_hardware.checks.model import Problem
from marker_hardware.pinmap import PinMap
from marker_hardware.sensors import Sensors
from marker_hardware.tree import Tree

FILE = "hardware/pinmap.toml"
ADC_GPIOS = {26: "ADC0", 27: "ADC1", 28: "ADC2"}
GATE_SHIFT_REFS = ("U7", "U8")


def check(tree: Tree) -> list[Problem]:
    """Problems of the pin map; an empty list when it is legal."""
    pins = tree.load(PinMap, FILE)
    found = [*_unique(pins), *_functions(pins), *_slices(pins), *_pulls(pins), *_piezo(pins), *_shift(pins)]
    found += [*_profiles(pins), *_load(pins, tree), *_registers(pins, tree), *_tables(pins, tree)]
    return found


def legal_functions(gpio: int) -> set[str]:
    """Functions a GPIO of RP2040 and RP2350 can take that this board uses (both chips share this part of the table)."""
    names = {"SIO", "PIO", f"PWM{(gpio // 2) % 8}_{'AB'[gpio % 2]}"}
    names.add(f"SPI{(gpio // 8) % 2}_{('RX', 'CSn', 'SCK', 'TX')[gpio % 4]}")
    names.add(f"UART{((gpio + 4) // 8) % 2}_{('TX', 'RX', 'CTS', 'RTS')[gpio % 4]}")
    names.add(f"I2C{(gpio // 2) % 2}_{('SDA', 'SCL')[gpio % 2]}")
    if gpio in ADC_GPIOS:
        names.add(ADC_GPIOS[gpio])
    return names


def _unique(pins: PinMap) -> Iterator[Problem]:
    for field in ("gpio", "net"):
        counts = Counter(getattr(pin, field) for pin in pins.pin)
        for value, count in counts.items():
            if count > 1:
                yield Problem("R1", f"{FILE} {field} {value}", f"used {count} times; give each net a GPIO of its own")
    for pin in pins.pin:
        if pin.gpio in pins.limits.reserved_gpio or not 0 <= pin.gpio <= 28:
            yield Problem(
                "R2", f"{FILE} {pin.net}", f"GPIO {pin.gpio} belongs to the radio or does not exist; move the net"
            )


def _functions(pins: PinMap) -> Iterator[Problem]:
    for pin in pins.pin:
        if pin.func not in legal_functions(pin.gpio):
            legal = ", ".join(sorted(legal_functions(pin.gpio)))
            yield Problem("R3", f"{FILE} {pin.net}", f"GPIO {pin.gpio} cannot be {pin.func}; it can be {legal}")


def _slices(pins: PinMap) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for pin in pins.pin:
        match = re.match(r"(PWM\d+)_", pin.func)
        if match:
            other = owners.setdefault(match[1], pin.net)
            if other != pin.net:
                yield Problem(
                    "R4", f"{FILE} {pin.net}", f"{match[1]} already drives {other}; a slice has one frequency"
                )


def _pulls(pins: PinMap) -> Iterator[Problem]:
    for pin in pins.pin:
        if pin.pull not in (None, "ext_up"):
            yield Problem("R5", f"{FILE} {pin.net}", f"pull {pin.pull!r}: only ext_up, or none with a push-pull driver")
        if pin.drive not in (None, "push_pull"):
            yield Problem("R5", f"{FILE} {pin.net}", f"drive {pin.drive!r}: only push_pull is known")
        if pin.dir == "in" and not pin.func.startswith("ADC") and pin.pull != "ext_up" and pin.drive != "push_pull":
            yield Problem("R5", f"{FILE} {pin.net}", 'a digital input needs pull = "ext_up" or drive = "push_pull"')
        if pin.func.startswith("I2C") and pin.pull != "ext_up":
            yield Problem("R6", f"{FILE} {pin.net}", 'an I2C line needs pull = "ext_up"')


def _piezo(pins: PinMap) -> Iterator[Problem]:
    inputs = pins.piezo()
    if not inputs:
        yield Problem("R7", FILE, "no piezo input; the shift chain alone cannot read a table")
        return
    if [pin.gpio for pin in inputs] != list(range(inputs[0].gpio, inputs[0].gpio + len(inputs))):
        yield Problem("R7", f"{FILE} piezo", f"GPIOs {[pin.gpio for pin in inputs]} are not one block in index order")
    for field in ("index", "adc_ch"):
        values = [getattr(pin, field) for pin in inputs]
        if sorted(values, key=str) != list(range(len(inputs))):
            yield Problem("R8", f"{FILE} piezo {field}", f"{values} must be 0 to {len(inputs) - 1}, each once")


def _shift(pins: PinMap) -> Iterator[Problem]:
    gpio = {pin.net: pin.gpio for pin in pins.pin}
    if gpio.get("SR_LOAD_N") != gpio.get("SR_CLK", -2) + 1:
        yield Problem("R9", f"{FILE} SR_LOAD_N", "must be the GPIO after SR_CLK: the PIO program side-sets both")
    bits = pins.shift.bits
    if len(bits) != 16 or len(set(bits)) != len(bits):
        yield Problem("R10", f"{FILE} shift.bits", f"{len(bits)} bits, {len(set(bits))} names; two registers have 16")
    if len(pins.shift.idle) != 16 or set(pins.shift.idle) - {"0", "1"}:
        yield Problem("R10", f"{FILE} shift.idle", f"{pins.shift.idle!r} must be 16 characters of 0 and 1")


def _profiles(pins: PinMap) -> Iterator[Problem]:
    nets = {pin.net for pin in pins.pin}
    for name, profile in pins.profile.items():
        for key in profile.piezo:
            if f"{key}_HIT" not in nets:
                yield Problem("R11", f"{FILE} profile.{name}.piezo.{key}", f"no net {key}_HIT; use PZ1 to PZ6")
        for key in profile.pockets:
            if not {f"{key}A", f"{key}B"} <= set(pins.shift.bits):
                yield Problem("R11", f"{FILE} profile.{name}.pockets.{key}", f"no shift bits {key}A and {key}B")
        counts = Counter([*profile.piezo.values(), *profile.pockets.values(), *profile.pins])
        for position, count in counts.items():
            if count > 1:
                yield Problem("R12", f"{FILE} profile.{name}", f"position {position!r} is named {count} times")


def _load(pins: PinMap, tree: Tree) -> Iterator[Problem]:
    total = tree.load(Sensors, "hardware/sensors.toml").total_ma("3V3")
    if total > pins.limits.max_3v3_ma:
        text = f"{total:g} mA on 3V3, the board gives {pins.limits.max_3v3_ma:g}; move a load to 5 V"
        yield Problem("R13", "hardware/sensors.toml ma", text)


def _registers(pins: PinMap, tree: Tree) -> Iterator[Problem]:
    fitted = {ref for row in bom.read(tree, "node") if row.fitted for ref in row.refs}
    uses = [name for name, profile in pins.profile.items() if profile.pockets or pins.buttons()]
    for ref in GATE_SHIFT_REFS:
        if uses and ref not in fitted:
            text = f"{ref} is missing, but {', '.join(uses)} read gates or buttons through it"
            yield Problem("R14", "hardware/bom/node.csv", text)


def _tables(pins: PinMap, tree: Tree) -> Iterator[Problem]:
    for name, profile in pins.profile.items():
        file = f"hardware/tables/{tables.FILES[name]}"
        table = tree.load(tables.Table, file)
        described = {key: rail.position for key, rail in table.rails.items()}
        if described != profile.piezo:
            yield Problem("T1", f"{file} rails", f"{described} differs from profile.{name}.piezo {profile.piezo}")
        pockets = {key: pocket.position for key, pocket in table.pockets.items()}
        if pockets != profile.pockets:
            yield Problem("T1", f"{file} pockets", f"{pockets} differs from profile.{name}.pockets {profile.pockets}")
        if tuple(table.pins) != profile.pins:
            yield Problem("T1", f"{file} pins", f"{tuple(table.pins)} differs from profile.{name}.pins {profile.pins}")
        yield from table_rules.consistency(table, file)
