"""Check 8: fault codes are the same in sensors.toml, firmware, hub and fault guide."""

import pytest

from marker_hardware import faults, sensors
from marker_hardware.checks import health_codes
from marker_hardware.data import HardwareDataError
from marker_hardware.tree import Tree

SENSORS = "hardware/sensors.toml"


def test_the_four_places_agree(tree: Tree) -> None:
    assert health_codes.check(tree) == []


@pytest.mark.parametrize(
    ("place", "file", "start"),
    [
        ("hardware/marker_hardware/codes.py", "hardware/marker_hardware/codes.py", "    PIEZO_ABSENT"),
        ("hardware/docs/faults.md", "hardware/docs/faults.md", "| `piezo.absent`"),
    ],
)
def test_a_code_missing_in_one_place_is_caught_there(workshop, place: str, file: str, start: str) -> None:
    workshop.drop_line(file, start)
    problems = health_codes.check(workshop.tree)
    assert [(p.rule, p.place) for p in problems] == [("C1", place)]
    assert "piezo.absent" in problems[0].message


def test_a_code_deleted_from_sensors_is_caught_in_every_other_place(workshop) -> None:
    text = (workshop.root / SENSORS).read_text()
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith('health.absent = "self-test finds')]
    assert len(text.splitlines()) - len(lines) == 2
    (workshop.root / SENSORS).write_text("".join(lines))
    places = {problem.place for problem in health_codes.check(workshop.tree)}
    assert {"hardware/marker_hardware/codes.py", "hardware/faults.toml", "hardware/docs/faults.md"} <= places


def test_firmware_that_never_decides_a_code_is_caught(workshop) -> None:
    for path in (workshop.root / "firmware/tablefw").glob("*.py"):
        if path.name != "wire_codes.py":
            path.write_text(path.read_text().replace("QUALITY_ABSENT", "QUALITY_STUCK"))
    problems = [p for p in health_codes.check(workshop.tree) if p.rule == "C2"]
    assert any("pin.absent" in p.message for p in problems)
    assert any("piezo.absent" in p.message for p in problems)


def test_firmware_that_decides_an_unexplained_state_is_caught(workshop) -> None:
    path = workshop.root / "firmware/tablefw/button.py"
    path.write_text(path.read_text() + "\nGONE = W.QUALITY_ABSENT\n")
    assert any(p.rule == "C2" and "button.absent" in p.message for p in health_codes.check(workshop.tree))


def test_a_node_fault_without_its_field_is_caught_in_firmware_and_hub(workshop) -> None:
    workshop.edit("firmware/tablefw/app.py", '"rearms":', '"rearmed":')
    workshop.edit("hub/marker_hub/wire/messages.py", "    rearms: U32", "    rearmed: U32")
    places = {p.place for p in health_codes.check(workshop.tree) if p.rule == "C3"}
    assert places == {"firmware/tablefw/app.py", "hub/marker_hub/wire/messages.py"}


def test_a_code_without_remedy_stops_the_guide(workshop) -> None:
    workshop.edit("hardware/faults.toml", "[fault.button]\nnoisy = ", "[fault.button]\nloud = ")
    with pytest.raises(HardwareDataError, match=r"fault\.button\.noisy"):
        faults.guide(workshop.tree)


def test_causes_are_read_by_kind_and_state() -> None:
    loaded = sensors.load()
    assert "timeout" in loaded.cause(sensors.SensorKind.PIN, "absent")
    assert loaded.cause(sensors.SensorKind.BUTTON, "absent") == ""
    assert loaded.cause(sensors.SensorKind.GATE, "ok") == ""
