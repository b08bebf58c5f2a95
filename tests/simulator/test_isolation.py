"""The truth stays in the simulator: sensors carry no ball's name, and the hub's process gets nothing that leads to it."""

import asyncio
import os
from pathlib import Path

import pytest

from marker_hardware import wire
from marker_hardware.wire import Profile
from marker_rules.balls import GameId
from marker_rules.notation import parse_facts
from marker_sim.cases import options_of
from marker_sim.demo import Hall, Plan, run
from marker_sim.scenes import timeline
from marker_sim.sensors.table import sensors_of
from marker_sim.sinks.mqtt import MqttNode

PAIRS = {
    Profile.CAROM5: (
        ["strike cue", "contact cue opponent", "topple N,C by opponent", "cushion red left", "contact opponent red"],
        ["strike cue", "contact cue red", "topple N,C by cue", "cushion cue left", "contact cue opponent"],
    ),
    Profile.PYRAMID: (
        ["strike C", "contact C w3", "cushion w3 head", "pot w3 BL", "contact C w5"],
        ["strike w1", "contact w1 w9", "cushion w1 head", "pot C BL", "contact w9 w2"],
    ),
}


@pytest.mark.parametrize("profile", PAIRS)
def test_sensors_feel_the_same_whichever_ball_it_was(profile: Profile) -> None:
    """Who hit, who felled and which ball fell is nobody's to know. Mutation: a ball's number in `aux`."""
    told = [timeline(parse_facts(facts), ()) for facts in PAIRS[profile]]
    first, second = (sensors_of(profile, 1, "1").shot(1, one, 1_000_000) for one in told)
    assert len(first) > 10
    assert first == second


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the processes of this system cannot be looked at")
def test_the_hub_gets_no_path_topic_or_variable_that_leads_to_the_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its arguments, its environment, its open files, and what the node sends. Mutation: the truth beside the journal."""
    seen: dict[str, object] = {}
    sent: set[str] = set()
    publish = MqttNode._publish

    def told(self: MqttNode, name: wire.Topic, payload: bytes, upto: int = -1) -> None:
        sent.add(self.topic(name))
        publish(self, name, payload, upto)

    def shown(_: Hall) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode().split("\0")
                if "marker_hub" in words and str(tmp_path) in words:
                    seen["words"] = words[words.index("hub") + 1 : -1]
                    seen["variables"] = set((folder / "environ").read_bytes().split(b"\0")) - {b""}
                    seen["files"] = {os.readlink(fd) for fd in (folder / "fd").iterdir()}
            except OSError:  # ended meanwhile
                continue

    monkeypatch.setattr(MqttNode, "_publish", told)
    plan = Plan(GameId.FIVE_PINS, 3, 1, options_of(GameId.FIVE_PINS), 0.0, 1, tmp_path, 0, direct=True)
    (table,) = asyncio.run(run(plan, shown))
    own = {b"%s=%s" % (name, value) for name, value in os.environb.items()}
    terminal = (b"LINES=", b"COLUMNS=")  # set by a library in whatever process has a terminal
    assert {one for one in seen["variables"] if not one.startswith(terminal)} <= own  # type: ignore[attr-defined]
    config = str(tmp_path / "hub.toml")
    assert seen["words"] == ["--data", str(tmp_path), "--port", "0", "--broker", "auto", "--config", config]
    files = {name for name in seen["files"] if str(name).startswith("/") and not str(name).startswith("/dev/")}  # type: ignore[attr-defined]
    assert files
    story = table.verdicts[0].shot.line()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert story.encode() not in path.read_bytes(), path
    assert sent <= {f"table/1/{topic.value}" for topic in wire.Topic}
