"""The tests notice a changed line of law: a sample always, every mutant of the list in the long run."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
MUTANTS: list[dict[str, str]] = tomllib.loads(Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8"))[
    "mutant"
]


def run(*args: str) -> dict[str, Any]:
    command = [sys.executable, str(ROOT / "tools" / "mutants.py"), "pyramid", "--json", *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_list_is_up_to_date() -> None:
    """Every text to be changed stands in its file exactly once, and every change is one."""
    for mutant in MUTANTS:
        text = (ROOT / "rules" / "marker_rules" / mutant["file"]).read_text(encoding="utf-8")
        assert text.count(mutant["old"]) == 1, mutant
        assert mutant["old"] != mutant["new"], mutant
    assert len({(mutant["file"], mutant["old"], mutant["new"]) for mutant in MUTANTS}) == len(MUTANTS) > 200


@pytest.mark.slow
def test_a_sample_of_mutants_dies() -> None:
    assert run("--sample", "5")["survivors"] == []


@pytest.mark.soak
def test_all_mutants_but_a_few_die() -> None:
    """At least 95 of 100; those that no test can notice are explained in the list."""
    report = run()
    assert report["killed"] >= 0.95, report["survivors"]
