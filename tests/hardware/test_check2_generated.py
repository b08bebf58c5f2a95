"""Check 2: device modules, enums and documents are a fresh generation, byte for byte."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from marker_hardware import calibration, device_files
from marker_hardware.checks import generated_files
from marker_hardware.tree import Tree

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_files_are_current(tree: Tree) -> None:
    assert generated_files.check(tree) == []


@pytest.mark.parametrize(
    ("source", "old", "new", "stale"),
    [
        (
            "hardware/pinmap.toml",
            'gpio=28, net="STATUS_WS2812"',
            'gpio=27, net="STATUS_WS2812"',
            "firmware/tablefw/board_pins.py",
        ),
        ("hardware/calibration.toml", "floor_mv = 150", "floor_mv = 160", "firmware/tablefw/defaults.py"),
        ("hardware/sensors.toml", "unc_us = 10000", "unc_us = 9000", "firmware/tablefw/defaults.py"),
        ("hardware/wire.toml", "unsure = 6", "unsure = 7", "firmware/tablefw/wire_codes.py"),
        ("hardware/wire.toml", "absent = 3", "absent = 4", "hardware/marker_hardware/codes.py"),
    ],
)
def test_a_source_changed_alone_is_caught(workshop, source: str, old: str, new: str, stale: str) -> None:
    workshop.edit(source, old, new, 1)
    assert stale in {problem.place for problem in generated_files.check(workshop.tree)}


def test_an_edited_copy_is_caught_with_the_line(workshop) -> None:
    workshop.edit("firmware/tablefw/defaults.py", "GATE_DEBOUNCE_US = 3000", "GATE_DEBOUNCE_US = 2000")
    (problem,) = generated_files.check(workshop.tree)
    assert "GATE_DEBOUNCE_US = 2000" in problem.message
    assert "GATE_DEBOUNCE_US = 3000" in problem.message


def test_generate_check_exits_1_when_stale_and_generating_repairs_it(workshop) -> None:
    command = [sys.executable, str(ROOT / "hardware/generate.py"), "--root", str(workshop.root)]
    assert subprocess.run([*command, "--check"], capture_output=True).returncode == 0
    (workshop.root / "firmware/tablefw/board_pins.py").unlink()
    stale = subprocess.run([*command, "--check"], capture_output=True, text=True)
    assert stale.returncode == 1
    assert "firmware/tablefw/board_pins.py" in stale.stderr
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert subprocess.run([*command, "--check"], capture_output=True).returncode == 0


def test_a_bad_source_exits_2_with_file_and_key(workshop) -> None:
    workshop.edit("hardware/calibration.toml", "stuck_s = 10", 'stuck_s = "long"')
    command = [sys.executable, str(ROOT / "hardware/generate.py"), "--root", str(workshop.root), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "calibration.toml: button.stuck_s" in done.stderr


def test_device_modules_hold_only_constants(tree: Tree) -> None:
    """No import, call or float: MicroPython must be able to freeze them, and the state machines compute with integers."""
    for name in ("board_pins", "defaults", "wire_codes"):
        module = ast.parse(tree.read(f"firmware/tablefw/{name}.py"))
        assert all(isinstance(node, ast.Assign) for node in module.body), name
        assert not [n for n in ast.walk(module) if isinstance(n, ast.Constant) and isinstance(n.value, float)], name


def test_device_constants_keep_the_values_of_the_calibration(tree: Tree) -> None:
    constants = device_files.device_constants(tree.toml("hardware/calibration.toml"))
    values = calibration.load()
    assert constants["PIEZO_ADC_HOLD_TAU_US"] == round(values.piezo.adc.hold_tau_ms * 1000)
    assert constants["GATE_BLOCK_US"] == tuple(round(v * 1000) for v in values.gate.times_ms.block)
    assert constants["POWER_V5_MV"] == tuple(round(v * 1000) for v in values.power.v5)
    assert constants["PIN_MAGNET_TEMPCO_PPM_PER_C"] == -1200
    assert constants["PIN_RULE_STANDING_D_PERMILLE"] == 250
