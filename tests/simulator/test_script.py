"""Every scenario of a shot played as if it happened: sensors, detection, evidence, a truthful referee, the expected ruling."""

import asyncio
import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from marker_hardware.data import resource
from marker_hardware.wire import Profile
from marker_hub.cli import main
from marker_rules.balls import Pin
from marker_rules.errors import RulesError
from marker_rules.notation import parse_facts
from marker_rules.scenario import ScenarioError
from marker_sim.boardnode import BoardNode
from marker_sim.prelude import prelude
from marker_sim.reading import Fitted
from marker_sim.scenehall import play_all
from marker_sim.scenes import STEP_MS, ScriptError, library, read_scene, timeline
from marker_sim.script import play
from marker_sim.sensors.hall import ORDER
from marker_sim.sensors.inputs import Edge, Scan
from marker_sim.sensors.table import sensors_of

FILES = ("five-pins-shots.yaml", "pyramid-shots.yaml")


@cache
def loaded(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return found


def scenarios(name: str) -> list[dict[str, Any]]:
    return [deepcopy(one) for one in loaded(Path(str(resource("conformance", name)))) if one["kind"] == "shot"]


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


def test_a_ruling_that_is_not_expected_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = next(one for one in scenarios(FILES[0]) if one["id"] == "FP-S004")
    raw["expect"]["points"] = {"A": 6, "B": 0}
    assert [m.field for m in play(raw).mismatch] == ["points"]
    (tmp_path / "wrong.yaml").write_text(yaml.safe_dump([raw]))
    assert main(["sim", "script", str(tmp_path / "wrong.yaml")]) == 1
    assert "FP-S004: points" in capsys.readouterr().out


def test_one_by_its_id_and_none(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(resource("conformance", FILES[0]))
    assert main(["sim", "script", file, "--id", "FP-S005"]) == 0
    assert capsys.readouterr().out == "1 shots played, 0 not as expected\n"
    assert main(["sim", "script", file, "--id", "FP-X"]) == 2
    assert "FP-X" in capsys.readouterr().err
    with pytest.raises(ScriptError, match="lag"):
        play({"id": "L1", "kind": "lag", "game": "five-pins"})


# --- timelines -------------------------------------------------------------------------------------------------------


def timelines() -> list[dict[str, Any]]:
    return [deepcopy(raw) for path in library() for raw in loaded(path)]


def test_every_timeline_in_which_somebody_strikes_gives_its_ruling() -> None:
    """Pins that stand up again, doubled and swallowed hits, jumps. Mutation: a pin that tipped for 60 ms counts."""
    struck = [raw for raw in timelines() if read_scene(raw).shot is not None]
    assert len(struck) >= 14
    found = {raw["id"]: play(raw) for raw in struck}
    assert {id_: one.mismatch for id_, one in found.items() if not one.good} == {}


def test_a_pin_that_tips_is_asked_about_and_one_that_wobbles_is_not() -> None:
    """60 ms in the tilted region are seen, 3 ms between two looks are not, 400 ms on its side count by themselves."""
    by_id = {raw["id"]: raw for raw in timelines()}
    asked = {id_: play(by_id[id_]).judged.questions for id_ in ("TL-003", "TL-004", "TL-005")}
    assert asked["TL-004"] > asked["TL-003"]
    assert play(by_id["TL-005"]).judged.ruled["points"] == {"A": 2, "B": 0}


def test_raw_edges_and_poses_reach_the_inputs() -> None:
    """A pulse each `every_ms`, a pin gone for five seconds. Mutation: the strike's time not added."""
    raw = next(one for one in timelines() if one["id"] == "TL-012")
    scene = read_scene(raw)
    inputs = sensors_of(Profile.CAROM5, 1, "1").shot(1, scene.timeline, 5_000_000, scene.besides)
    rises = [item.t_us for item in inputs if isinstance(item, Edge) and item.level == 1]
    assert rises == [5_000_000 + at * 700_000 for at in range(6)]
    south = 3 * ORDER.index(Pin.S)
    away = [item.t_us for item in inputs if isinstance(item, Scan) and abs(item.values[south + 2]) < 300]
    assert min(away) == pytest.approx(6_000_000, abs=20_000)
    assert max(away) < 11_000_000


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"timeline": []}, "timeline"),
        ({"timeline": ["strike cue"]}, r"timeline\[0\]"),
        ({"timeline": [{"at_ms": 0, "fact": "strike cue", "speed": 2}]}, "'speed' is not known"),
        ({"timeline": [{"at_ms": -1, "fact": "strike cue"}]}, "at_ms -1"),
        ({"timeline": [{"at_ms": True, "fact": "strike cue"}]}, "at_ms True"),
        ({"timeline": [{"at_ms": 0, "fact": "hit cue"}]}, "hit"),
        ({"timeline": [{"at_ms": 0, "edge": "P1"}]}, "'P1' is no channel of a carom5 table"),
        ({"timeline": [{"at_ms": 0, "edge": "PZ1", "times": 10_000}]}, "times 10000"),
        ({"timeline": [{"at_ms": 0, "pin": "N", "pose": "lying"}]}, "'lying'"),
        ({"rest_ms": 10}, "rest_ms 10"),
        ({"game": "snooker"}, "snooker"),
        ({"before": {"striker": "C", "limit": 50}}, "striker"),
        ({"fact": "strike cue"}, "'fact' is not known"),
    ],
)
def test_a_malformed_timeline_is_refused_by_its_place(
    change: dict[str, Any], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, status 2, the place named. Mutation: an unknown key passes."""
    raw = next(one for one in timelines() if one["id"] == "TL-001") | change
    with pytest.raises((ScriptError, ScenarioError, RulesError), match=named):
        read_scene(raw)
    (tmp_path / "bad.yaml").write_text(yaml.safe_dump([raw]))
    assert main(["sim", "script", str(tmp_path / "bad.yaml")]) == 2
    said = capsys.readouterr().err.strip()
    assert "bad.yaml" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("text", ["- [", "just words", "- 7", "- id: X\n  id: Y"])
def test_a_file_that_is_no_list_of_scenes_is_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    assert main(["sim", "script", str(tmp_path / "bad.yaml")]) == 2
    said = capsys.readouterr().err.strip()
    assert "bad.yaml" in said
    assert len(said.splitlines()) == 1


def test_nothing_to_play_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "script"]) == 2
    assert "--library" in capsys.readouterr().err


def test_every_scene_has_a_way_to_the_state_before_it() -> None:
    """The referee's entries alone bring the rules there. Mutation: balls owed are forgotten."""
    scenes = [read_scene(raw) for name in FILES for raw in scenarios(name)] + [read_scene(raw) for raw in timelines()]
    for scene in scenes:
        assert prelude(scene).state.striker is scene.before.striker


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("firmware", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["direct", "firmware"])
def test_every_scene_is_ruled_so_by_a_hub_too(firmware: bool, tmp_path: Path) -> None:
    """Sensors, node, broker, hub and the public pages: every shot scenario and timeline at two tables of one hub.

    Where nobody strikes nothing is counted, and the next stroke is ruled as if nothing had been.
    """
    scenes = [read_scene(raw) for name in FILES for raw in scenarios(name)] + [read_scene(raw) for raw in timelines()]
    assert len(scenes) >= 160
    found = asyncio.run(play_all(scenes, tmp_path, firmware=firmware))
    assert {one.id: one.mismatch for one in found if not one.good} == {}
    assert [one.id for one in found] == [scene.id for scene in scenes]


@pytest.mark.slow
def test_what_only_a_node_can_tell_apart_is_played_by_its_firmware(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pin that tips, one that stands up again, a cleaned table, a rail's echo, a hanging ball. Mutation: the direct node played in its place."""
    started, files = list[str](), list[str]()
    board_start = BoardNode.start

    async def start(table: str, *more: Any) -> BoardNode:
        started.append(table)
        return await board_start(table, *more)

    names = {"TL-004", "TL-005", "TL-010", "TL-012", "TL-102", "TL-103"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(BoardNode, "start", start)
        for name in library():
            kept = [raw for raw in loaded(name) if raw["id"] in names]
            (file := tmp_path / name.name).write_text(yaml.safe_dump(kept, allow_unicode=True), encoding="utf-8")
            files.append(str(file))
        assert main(["sim", "script", *files, "--through", "firmware", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["id"] for one in told} == names
    assert sorted(started) == ["1", "2"]
