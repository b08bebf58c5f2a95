"""Every scenario of a shot played as if it happened: sensors, detection, evidence, a truthful referee, the expected ruling."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from marker_hardware.data import resource
from marker_rules.notation import parse_facts
from marker_sim.reading import Fitted
from marker_sim.script import STEP_MS, ScriptError, play, timeline

FILES = ("five-pins-shots.yaml", "pyramid-shots.yaml")
MARKER = [sys.executable, "-m", "marker_hub", "sim", "script"]


def scenarios(name: str) -> list[dict[str, Any]]:
    raw = yaml.safe_load(resource("conformance", name).read_text(encoding="utf-8"))
    return [one for one in raw if one["kind"] == "shot"]


@pytest.mark.parametrize("fitted", [Fitted.HINTS, Fitted.NONE])
@pytest.mark.parametrize("name", FILES)
def test_every_shot_scenario_gives_its_ruling(name: str, fitted: Fitted) -> None:
    """Mutation: a fact the sensors invent, a call the referee forgets, a question that leads elsewhere."""
    told = scenarios(name)
    assert len(told) >= 70
    found = {one.id: one for one in (play(raw, fitted) for raw in told)}
    unfelt = {"respot"} if fitted is Fitted.NONE else set()  # nobody asks for a pin that was only pushed aside
    wrong = {id_: [m for m in one.mismatch if m.field not in unfelt] for id_, one in found.items()}
    assert {id_: fields for id_, fields in wrong.items() if fields} == {}
    assert [id_ for id_, one in found.items() if one.judged.failed] == []


def test_facts_follow_each_other_at_equal_steps() -> None:
    facts = parse_facts(["strike cue", "contact cue opponent", "topple N by opponent"])
    made = timeline(facts, ())
    assert [item.t_ns for item in made.items] == [0, STEP_MS * 1_000_000, 2 * STEP_MS * 1_000_000]
    assert made.rest_ns > made.items[-1].t_ns


def test_a_ruling_that_is_not_expected_is_named(tmp_path: Path) -> None:
    raw = next(one for one in scenarios(FILES[0]) if one["id"] == "FP-S004")
    raw["expect"]["points"] = {"A": 6, "B": 0}
    assert [m.field for m in play(raw).mismatch] == ["points"]
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump([raw]))
    done = subprocess.run([*MARKER, str(tmp_path / "wrong.yaml")], capture_output=True, text=True, timeout=100)
    assert done.returncode == 1, done.stderr
    assert "FP-S004: points" in done.stdout


def test_one_by_its_id_and_none() -> None:
    file = str(resource("conformance", FILES[0]))
    one = subprocess.run([*MARKER, file, "--id", "FP-S005"], capture_output=True, text=True, timeout=100)
    assert (one.returncode, one.stdout) == (0, "1 shots played, 0 not as expected\n"), one.stderr
    none = subprocess.run([*MARKER, file, "--id", "FP-X"], capture_output=True, text=True, timeout=100)
    assert none.returncode == 2
    assert "FP-X" in none.stderr
    with pytest.raises(ScriptError, match="lag"):
        play({"id": "L1", "kind": "lag", "game": "five-pins"})
