"""Every file derived from the hardware data: device modules, typed codes, guides, pictures."""

from marker_hardware import device_files, documents, frontend, mounts, tables
from marker_hardware.calibration import Calibration
from marker_hardware.drawings import details, placement, plot
from marker_hardware.pinmap import PinMap
from marker_hardware.sensors import Sensors
from marker_hardware.tree import Tree


def render(tree: Tree) -> dict[str, str]:
    """Repository path -> text of every generated file, computed from the hardware data of the tree.

    Raises HardwareDataError when a source cannot be read.
    """
    pins = tree.load(PinMap, "hardware/pinmap.toml")
    sensors = tree.load(Sensors, "hardware/sensors.toml")
    tree.load(Calibration, "hardware/calibration.toml")
    raw = tree.toml("hardware/calibration.toml")
    wire = tree.toml("hardware/wire.toml")
    device = {
        "firmware/tablefw/board_pins.py": device_files.board_pins(pins),
        "firmware/tablefw/defaults.py": device_files.defaults(raw, sensors),
        "firmware/tablefw/wire_codes.py": device_files.wire_codes(wire, pins),
        "hardware/marker_hardware/codes.py": device_files.host_codes(wire, sensors),
    }
    return device | documents.render(tree) | pictures(tree)


def pictures(tree: Tree) -> dict[str, str]:
    """Drawings that need no tool outside the standard library."""
    calibration = tree.load(Calibration, "hardware/calibration.toml")
    dims = mounts.load(tree)
    found = {}
    for profile, file in tables.FILES.items():
        table = tree.load(tables.Table, f"hardware/tables/{file}")
        found[f"placement_{profile}"] = placement.draw(table)
        found[f"rail_section_{profile}"] = details.rail_section(table, dims)
        if table.pins:
            found["pin_seat"] = details.pin_seat(table, calibration)
            found["pin_plan"] = details.pin_plan(table)
        if table.pockets:
            found["gate_section"] = details.gate_section(table, dims, calibration)
    bursts = frontend.committed(tree)["piezo_frontend"]
    found["frontend"] = plot.draw(bursts, bursts[: frontend.load(tree).deck["piezo_frontend"].rows])
    return {f"hardware/docs/pictures/{name}.svg": text for name, text in found.items()}
