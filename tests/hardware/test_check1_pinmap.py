"""Check 1: the pin map is legal (R1-R14) and agrees with the table files (T1-T3)."""

import pytest

from marker_hardware.checks import pinmap_rules
from marker_hardware.tree import Tree

PINMAP = "hardware/pinmap.toml"
SENSORS = "hardware/sensors.toml"
CAROM = "hardware/tables/carom5.toml"
PYRAMID = "hardware/tables/pyramid12.toml"

MUTATIONS = [
    ("R1", PINMAP, 'gpio=1,  net="RS485_RX"', 'gpio=0,  net="RS485_RX"'),
    ("R1", PINMAP, 'net="PZ2_HIT"', 'net="PZ1_HIT"'),
    ("R2", PINMAP, 'gpio=28, net="STATUS_WS2812"', 'gpio=25, net="STATUS_WS2812"'),
    ("R3", PINMAP, 'net="PIN_SCL",   func="I2C0_SCL"', 'net="PIN_SCL",   func="I2C1_SCL"'),
    ("R3", PINMAP, 'func="SPI0_SCK"', 'func="SPI0_TX"'),
    ("R4", PINMAP, 'net="PZ_TEST",   func="SIO"', 'net="PZ_TEST",   func="PWM6_B"'),
    ("R5", PINMAP, 'func="PIO", dir="in", drive="push_pull"', 'func="PIO", dir="in"'),
    ("R5", PINMAP, 'func="SPI0_RX", dir="in", pull="ext_up"', 'func="SPI0_RX", dir="in", pull="up"'),
    (
        "R6",
        PINMAP,
        'net="AUX_SCL",   func="I2C1_SCL", dir="io",  pull="ext_up"',
        'net="AUX_SCL",   func="I2C1_SCL", dir="io"',
    ),
    ("R7", PINMAP, 'active="high", group="piezo", index=3, adc_ch=3', 'active="high"'),
    ("R8", PINMAP, "index=5, adc_ch=5", "index=5, adc_ch=4"),
    ("R9", PINMAP, 'gpio=15, net="SR_LOAD_N"', 'gpio=27, net="SR_LOAD_N"'),
    ("R10", PINMAP, '"BTN_STILL","BTN_UNDO"]', '"BTN_STILL","BTN_STILL"]'),
    ("R10", PINMAP, 'idle = "1111111111111111"', 'idle = "111111111111111"'),
    ("R11", PINMAP, 'PZ6 = "left_head"', 'PZ8 = "left_head"'),
    ("R11", PINMAP, '"P6A","P6B"', '"P6A","P7B"'),
    ("R12", PINMAP, 'PZ4 = "left" }', 'PZ4 = "top" }'),
    ("R13", SENSORS, 'ma = { "3V3" = 12.0 }', 'ma = { "3V3" = 312.0 }'),
    ("R14", "hardware/bom/node.csv", "U7 U8,2,2,2,SN74HC165D", "U7,1,1,1,SN74HC165D"),
    ("T1", CAROM, 'position = "top"', 'position = "head"'),
    ("T1", PYRAMID, 'position = "mid_left"', 'position = "side_left"'),
    ("T2", CAROM, "N = { v = [-66, 0]", "N = { v = [-62, 0]"),
    ("T2", CAROM, "upper = { v = [-1320, 0]", "upper = { v = [-1520, 0]"),
    ("T2", PYRAMID, "from = { v = [-1775, -836.23]", "from = { v = [-1775, -800.0]"),
    ("T2", PYRAMID, "gate = { v = [0.0, 947.5]", "gate = { v = [40.0, 947.5]"),
    ("T2", PYRAMID, "sensor = { v = [-1855.0, 0]", "sensor = { v = [-1700.0, 0]"),
    ("T3", CAROM, "cable_m = { v = 3.4", "cable_m = { v = 2.1"),
    ("T3", PYRAMID, "cable_m = { v = 3.8", "cable_m = { v = 4.8"),
    ("T3", CAROM, "box = { v = [-260, 0], tol = 20", "box = { v = [-450, 0], tol = 20"),
    ("T3", CAROM, "box = { v = [-260, 0], tol = 20", "box = { v = [-260, 0], tol = 50"),
    ("T3", CAROM, "cable_m = { v = 0.6", "cable_m = { v = 0.7"),
]


def test_the_shipped_pin_map_is_legal(tree: Tree) -> None:
    assert pinmap_rules.check(tree) == []


@pytest.mark.parametrize(
    ("rule", "file", "old", "new"), MUTATIONS, ids=[f"{m[0]}-{i}" for i, m in enumerate(MUTATIONS)]
)
def test_a_broken_pin_map_is_caught_by_its_rule(workshop, rule: str, file: str, old: str, new: str) -> None:
    workshop.edit(file, old, new, 1)
    problems = pinmap_rules.check(workshop.tree)
    assert rule in {problem.rule for problem in problems}, problems


def test_every_rule_has_a_mutation() -> None:
    assert {mutation[0] for mutation in MUTATIONS} == {f"R{n}" for n in range(1, 15)} | {"T1", "T2", "T3"}


def test_the_pins_of_rp2040_take_the_functions_of_its_data_sheet() -> None:
    """Spot values of the function table, so that the rule formulas cannot drift together with the map."""
    assert {"SPI0_RX", "UART0_TX", "I2C0_SDA", "PWM0_A", "SIO", "PIO"} == pinmap_rules.legal_functions(0)
    assert {"SPI1_TX", "UART0_RTS", "I2C1_SCL", "PWM7_B", "SIO", "PIO"} == pinmap_rules.legal_functions(15)
    assert {"SPI1_SCK", "UART1_CTS", "I2C1_SDA", "PWM5_A", "ADC0", "SIO", "PIO"} == pinmap_rules.legal_functions(26)
