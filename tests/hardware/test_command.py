"""`marker hardware`, from a clone and from an installed wheel."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from marker_hardware import checks
from marker_hardware.checks.model import Outcome
from marker_hardware.tree import Tree
from marker_hub.cli import main

ROOT = Path(__file__).resolve().parents[2]
LIGHT = ["--only", "1", "--only", "3", "--only", "4", "--only", "8"]


def test_check_passes_and_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "check", *LIGHT]) == 0
    out = capsys.readouterr().out
    assert "4 passed, 0 failed, 0 could not run completely" in out


def test_check_as_json_names_each_problem(workshop, capsys: pytest.CaptureFixture[str]) -> None:
    workshop.edit("hardware/pinmap.toml", "index=5, adc_ch=5", "index=5, adc_ch=4")
    assert main(["hardware", "check", "--json", "--root", str(workshop.root), *LIGHT]) == 1
    body = json.loads(capsys.readouterr().out)
    assert body["ok"] is False
    first = next(check for check in body["checks"] if check["number"] == 1)
    assert first["outcome"] == "failed"
    assert first["problems"][0]["rule"] == "R8"


def test_a_missing_tool_is_named_and_fails_only_in_ci(monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CI", raising=False)
    assert main(["hardware", "check", "--only", "5"]) == 0
    assert "apt-get install ngspice" in capsys.readouterr().out
    monkeypatch.setenv("CI", "true")
    assert main(["hardware", "check", "--only", "5"]) == 1


def test_unreadable_data_is_a_failed_check_with_file_and_key(workshop) -> None:
    workshop.edit("hardware/pinmap.toml", "gpio=6,", 'gpio="six",')
    (result,) = checks.run(Tree(workshop.root), (1,))
    assert result.outcome is Outcome.FAILED
    assert "pin[6].gpio" in result.problems[0].message


def test_a_root_that_is_no_clone_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "check", "--root", str(tmp_path)]) == 2
    assert "no hardware/pinmap.toml there" in capsys.readouterr().err


def test_bom_prints_totals_and_an_order_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "bom", "pyramid", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert body["usd"] == pytest.approx(sum(file["usd"] for file in body["files"]))
    assert main(["hardware", "bom", "pyramid"]) == 0
    assert f"{body['usd']:.2f}" in capsys.readouterr().out
    assert main(["hardware", "bom", "carom5", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("mpn,manufacturer,quantity,")


def test_pins_prints_every_net_and_bit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "pins", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert main(["hardware", "pins"]) == 0
    table = capsys.readouterr().out
    assert [pin["net"] for pin in body["pin"] if pin["net"] not in table] == []
    assert [bit for bit in body["shift"]["bits"] if bit not in table] == []


def test_labels_are_printed_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "labels", "carom5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["hardware", "labels", "carom5", "--svg", str(tmp_path / "labels.svg")]) == 0
    drawn = (tmp_path / "labels.svg").read_text()
    assert 'width="210mm"' in drawn
    assert drawn.count('font-weight="600"') == 2 * len(lines)


def test_labels_into_a_missing_folder_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "labels", "carom5", "--svg", str(tmp_path / "no" / "labels.svg")]) == 2
    assert "choose a folder" in capsys.readouterr().err


@pytest.mark.slow
def test_check_runs_from_an_installed_wheel(tmp_path: Path) -> None:
    """The packages of a built wheel, unpacked away from the clone: the same data, the same verdicts."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    site = tmp_path / "site"
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from marker_hardware import data; assert data.repository_root() is None; "
        "from marker_hub.cli import main; sys.exit(main(sys.argv[2:]))"
    )
    numbers = [word for n in (1, 2, 3, 4, 6, 8, 9) for word in ("--only", str(n))]
    command = [sys.executable, "-c", code, str(site), "hardware", "check", "--json", *numbers]
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    body = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert {check["number"]: check["outcome"] for check in body["checks"]} == dict.fromkeys(
        (1, 2, 3, 4, 6, 8, 9), "passed"
    )
