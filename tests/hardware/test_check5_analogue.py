"""Check 5: the front end in ngspice, its limits, and the mutations that each must break one."""

import os
import shutil
from pathlib import Path

import pytest

from marker_hardware import frontend, spice
from marker_hardware.checks import analogue
from marker_hardware.data import HardwareDataError
from marker_hardware.tree import Tree

DECK = "hardware/sim/channel.inc"
CALIBRATION = "hardware/calibration.toml"

needs_ngspice = pytest.mark.skipif(
    shutil.which("ngspice") is None and os.environ.get("CI") != "true", reason="ngspice is not installed"
)

# name, file, old, new, decks to run, limit that must break
MUTATIONS = [
    ("no D2", DECK, "D2 n1 v3a BAT54\n", "", "piezo_frontend", "op-amp input above 3V3A"),
    ("no D1", DECK, "D1 0 n1 BAT54\n", "", "piezo_frontend", "op-amp input below ground"),
    ("no TVS", DECK, "DT1 con tv TVS\n", "", "piezo_frontend", "voltage at the connector"),
    ("no Rh", DECK, "Rh pk 0 {220k*KR}\n", "", "piezo_frontend", "pulse at 60 V"),
    ("Rh 22k", DECK, "Rh pk 0 {220k", "Rh pk 0 {22k", "piezo_frontend", "pulse at 0.35 V"),
    ("Ch 4.7n", DECK, "Ch pk 0 {47n", "Ch pk 0 {4.7n", "piezo_frontend", "pulse at 0.35 V"),
    ("Rs 220R", DECK, "Rs con n1 {22k", "Rs con n1 {220", "piezo_frontend", "one channel lifts 3V3A"),
    ("Rs 220R, six", DECK, "Rs con n1 {22k", "Rs con n1 {220", "six", "six channels lift 3V3A"),
    ("R1 open", DECK, "R1 con 0 {100k*KR}\n", "", "piezo_frontend", "0.35 V of either sign must fire"),
    ("C1 100n", DECK, "C1 n1 0 {1n", "C1 n1 0 {100n", "piezo_frontend", "0.35 V of either sign must fire"),
    ("D3 leaks", DECK, "D3 od pk D4148\n", "D3 od pk D4148\nD9 pk od BAT54\n", "piezo_frontend", "pulse at 60 V"),
    ("VTH 50 mV", CALIBRATION, "floor_mv = 150", "floor_mv = 50", "piezo_frontend", "0.1 V must not fire"),
    (
        "VTH 310 mV",
        CALIBRATION,
        "floor_mv = 150",
        "floor_mv = 310",
        "piezo_frontend",
        "0.35 V of either sign must fire",
    ),
    ("mains 50 pF", "hardware/sim/noise.cir", "CMAINS=5p", "CMAINS=50p", "noise", "mains pickup"),
    ("R1 1M", DECK, "R1 con 0 {100k", "R1 con 0 {1meg", "noise", "mains pickup"),
    ("C4 1n", DECK, "C4 st2 con {4.7n", "C4 st2 con {1n", "selftest", "self-test of a good disc"),
    ("C4 47n", DECK, "C4 st2 con {4.7n", "C4 st2 con {47n", "selftest", "self-test of a good disc"),
]


@needs_ngspice
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_channel_holds_its_limits_in_every_corner_and_the_results_are_current(tree: Tree) -> None:
    assert analogue.check(tree) == []


@needs_ngspice
@pytest.mark.slow
@pytest.mark.parametrize(("name", "file", "old", "new", "deck", "limit"), MUTATIONS, ids=[m[0] for m in MUTATIONS])
def test_a_wrong_part_breaks_its_limit(
    workshop, name: str, file: str, old: str, new: str, deck: str, limit: str
) -> None:
    workshop.edit(file, old, new, 1)
    problems = analogue.check_nominal(workshop.tree, (deck,))
    assert any(problem.rule == "A2" and problem.message.startswith(f"{limit}:") for problem in problems), problems


@needs_ngspice
def test_a_failed_measurement_is_no_pass(workshop) -> None:
    """ngspice ends with 0 when a measurement fails: the row count and every field decide."""
    workshop.edit(
        "hardware/sim/noise.cir", "meas tran pkmax MAX v(pk) FROM=50m TO=200m", "meas tran pkmax MAX v(nowhere)"
    )
    (problem, *_) = analogue.check_nominal(workshop.tree, ("noise",))
    assert problem.rule == "A1"
    assert "noise.cir" in problem.message


@needs_ngspice
def test_a_missing_row_is_no_pass(workshop) -> None:
    workshop.edit("hardware/sim/noise.cir", "foreach disc 20e-9 1e-12", "foreach disc 20e-9")
    (problem, *_) = analogue.check_nominal(workshop.tree, ("noise",))
    assert (problem.rule, "1 rows instead of 2" in problem.message) == ("A1", True)


def test_hold_time_constant_is_that_of_the_parts(workshop) -> None:
    """The firmware corrects the droop with calibration.toml; the parts decide the droop."""
    workshop.edit(CALIBRATION, "hold_tau_ms = 10.3", "hold_tau_ms = 12.0")
    assert [problem.rule for problem in analogue._constants(workshop.tree)] == ["A4"]


def set_cell(path: Path, line: int, column: str, value: float) -> None:
    """Overwrite one cell of a CSV; line 1 is the header."""
    rows = [row.split(",") for row in path.read_text().splitlines()]
    rows[line - 1][rows[0].index(column)] = f"{value:g}"
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def test_a_changed_result_file_is_caught(workshop, tree: Tree) -> None:
    fresh = frontend.committed(tree)
    assert list(analogue._committed(workshop.tree, fresh)) == []
    set_cell(workshop.root / "hardware/sim/results/noise.csv", 2, "pk_max_v", 0.0578)
    (problem,) = analogue._committed(workshop.tree, fresh)
    assert (problem.rule, problem.place) == ("A3", "hardware/sim/results/noise.csv:2")


def test_limits_read_the_committed_results_too(workshop) -> None:
    """A result outside a limit is named with limit, value and corner, without running the simulator."""
    set_cell(workshop.root / "hardware/sim/results/piezo_frontend.csv", 12, "con_max_v", 44.0)
    problems = list(analogue.limits(workshop.tree, frontend.committed(workshop.tree)))
    assert [problem.place for problem in problems] == ["piezo_frontend.cir"]
    assert "voltage at the connector: con_abs_v = 44" in problems[0].message


def test_a_limit_that_names_no_calibration_value_is_an_error(workshop) -> None:
    workshop.edit("hardware/sim/expect.toml", '"piezo.test.short_v"', '"piezo.test.tiny_v"')
    with pytest.raises(HardwareDataError, match=r"piezo\.test\.tiny_v"):
        list(frontend.violations(workshop.tree, frontend.committed(workshop.tree)))


def test_every_channel_of_both_tables_has_results(tree: Tree) -> None:
    lengths = {row["cable_m"] for row in frontend.committed(tree)["piezo_frontend"]}
    assert set(frontend.channel_cables(tree).values()) <= lengths
    assert len(list(frontend.load(tree).corners.bursts())) == 16


def test_corners_pair_every_two_values(tree: Tree) -> None:
    """Half of the 32 combinations is enough because every pair of values still meets."""
    corners = list(frontend.load(tree).corners.bursts())
    for a in corners[0]:
        for b in corners[0]:
            if a < b:
                assert len({(corner[a], corner[b]) for corner in corners}) == 4, (a, b)


def test_without_ngspice_the_check_is_unavailable_and_says_how_to_get_it(tree: Tree, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(spice.Unavailable, match="apt-get install ngspice"):
        analogue.check_nominal(tree, ("noise",))
