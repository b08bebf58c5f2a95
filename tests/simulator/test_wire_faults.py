"""What goes wrong between node, broker and hub, played through real processes."""

import asyncio
import json
import re
import sqlite3
import subprocess
import sys
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from marker_sim.faults import Kind, Profile, Rig, Spec
from marker_sim.feedplay import Played, hall, play_at
from marker_sim.hubserver import named_feed
from marker_sim.sinks.proxy import FaultProxy

pytestmark = pytest.mark.timeout(600)  # only against hanging: the machine may be busy
MARKER = [sys.executable, "-m", "marker_hub", "sim", "batch", "five-pins", "--json"]


NODE = 63  # channel of the node itself: its stamps say when a command came, which no sensor knows


def journal(data: Path) -> tuple[list[tuple[Any, ...]], list[str]]:
    """What the sensors reported and what was entered, without the keys and hub times of this run."""
    with closing(sqlite3.connect(data / "journal.sqlite3")) as found:
        records = found.execute(
            "SELECT boot, dev_us, body FROM entry WHERE seq IS NOT NULL ORDER BY boot, seq"
        ).fetchall()
        entered = found.execute("SELECT kind FROM entry WHERE key IS NOT NULL ORDER BY n").fetchall()
    felt = [(boot, dev_us, body) for boot, dev_us, body in records if json.loads(body)["ch"] != NODE]
    return felt, [kind for (kind,) in entered if kind != "ready"]


def numbers(data: Path) -> list[int]:
    """The numbers of all records, in order."""
    with closing(sqlite3.connect(data / "journal.sqlite3")) as found:
        return [seq for (seq,) in found.execute("SELECT seq FROM entry WHERE seq IS NOT NULL ORDER BY boot, seq")]


async def played(data: Path, faults: tuple[Spec, ...]) -> tuple[Played, int, Rig]:
    """The recorded feed through a proxy with these faults: what came of it, the hub's counter of duplicates, the rig."""
    data.mkdir()
    rig = Rig(Profile("test", faults), 5, "1", 8)
    async with hall({"1": "carom5"}, data) as ready:
        proxy = FaultProxy(ready.mqtt_host, ready.mqtt_port, rig)
        try:
            result = await play_at(named_feed("five-pins-8"), await proxy.stand_in(ready), "1", data / "node")
        finally:
            await proxy.stop()
        text = await asyncio.to_thread(_metrics, ready.url)
    counted = re.search(r'^marker_duplicates_total\{table="1"\} (\d+)', text, re.MULTILINE)
    return result, int(counted.group(1)) if counted else 0, rig


def _metrics(url: str) -> str:
    with urllib.request.urlopen(f"{url}/metrics", timeout=30) as answer:
        return str(answer.read().decode())


@pytest.mark.slow
@pytest.mark.report("R039")
def test_a_fifth_of_all_messages_twice_changes_nothing_but_a_counter(tmp_path: Path) -> None:
    """R039: score and match record equal the run without duplicates. Mutation: counting a record by its arrival."""
    twice = (Spec.of(Kind.DUPLICATE, rate=0.2), Spec.of(Kind.DUPLICATE, rate=0.2, dup=False))
    calm, none, _ = asyncio.run(played(tmp_path / "calm", ()))
    shaken, counted, rig = asyncio.run(played(tmp_path / "shaken", twice))
    assert rig.counts()["duplicate"] >= 5
    assert shaken == calm
    assert calm.good
    assert none == 0
    assert counted >= rig.counts()["duplicate"]
    assert journal(tmp_path / "shaken") == journal(tmp_path / "calm")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Kind.LATE, Kind.LOST, Kind.REORDER, Kind.MALFORMED])
def test_every_record_arrives_once_whatever_the_wire_does(kind: Kind, tmp_path: Path) -> None:
    """Held back, gone, overtaken or garbled: the hub asks again, and the rulings are the recorded ones."""
    shaken, _, rig = asyncio.run(played(tmp_path / "shaken", (Spec.of(kind, rate=0.15),)))
    assert rig.injected
    assert shaken.good, shaken.differing
    arrived = numbers(tmp_path / "shaken")
    assert arrived == list(range(len(arrived)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kinds",
    [
        (Kind.REBOOT, Kind.WIFI_LOSS, Kind.LATE),
        (Kind.HUB_KILL, Kind.DUPLICATE, Kind.MISS),
        (Kind.BROKER_RESTART, Kind.BROKER_STOP, Kind.LOST),
    ],
)
def test_processes_that_die_keep_the_truth(kinds: tuple[Kind, ...], tmp_path: Path) -> None:
    """Stacks of three through the hub: no ruling wrong, nothing lost, nothing twice."""
    lines = "\n".join(f'[[fault]]\nkind = "{kind}"' for kind in kinds)
    (tmp_path / "stack.toml").write_text(lines)
    asked = ["--shots", "12", "--seed", "6", "--through", "hub", "--faults", str(tmp_path / "stack.toml")]
    done = subprocess.run([*MARKER, *asked], capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["injected"][str(kinds[0])] == 1
    assert (found["wrong"], found["truth_excluded"], found["guessed"], found["shots"]) == (0, 0, 0, 12)


@pytest.mark.slow
def test_what_is_planned_within_a_shot_keeps_the_truth(tmp_path: Path) -> None:
    """The node restarts as the stroke is made, the hub dies in the middle of another one, the broker at the end of the last."""
    planned = [(1, 0, "reboot"), (2, 700, "hub_kill"), (3, 600_000, "broker_restart"), (3, 200.5, "power_cut")]
    rows = [f'[[schedule]]\nat_shot = {shot}\nat_ms = {ms}\ndo = "{do}"\n' for shot, ms, do in planned]
    (tmp_path / "planned.toml").write_text("\n".join(rows))
    asked = ["--shots", "4", "--seed", "6", "--through", "hub", "--faults", str(tmp_path / "planned.toml")]
    done = subprocess.run([*MARKER, *asked], capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["injected"] == {"broker_restart": 1, "hub_kill": 1, "power_cut": 1, "reboot": 1}
    assert (found["wrong"], found["truth_excluded"], found["guessed"], found["shots"]) == (0, 0, 0, 4)


@pytest.mark.slow
def test_a_node_that_restarts_in_every_third_shot_makes_no_shot_of_its_own(tmp_path: Path) -> None:
    """A health report made before the close must not pass for the end of the stream: what comes after it would open a shot."""
    (tmp_path / "reboots.toml").write_text('[[fault]]\nkind = "reboot"\ntimes = 8\n')
    asked = ["--shots", "20", "--seed", "1", "--through", "hub", "--faults", str(tmp_path / "reboots.toml")]
    done = subprocess.run([*MARKER, *asked], capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["injected"]["reboot"] >= 5
    assert (found["wrong"], found["invented"], found["shots"]) == (0, 0, 20)


async def _records(data: Path, feed: str, *, firmware: bool) -> list[tuple[Any, ...]]:
    data.mkdir()
    profile = named_feed(feed).header.profile
    async with hall({"1": profile}, data) as ready:
        result = await play_at(named_feed(feed), ready, "1", data / "node", firmware=firmware)
    assert result.good
    return journal(data)[0]


@pytest.mark.slow
@pytest.mark.parametrize("feed", ["five-pins-8", "free-pyramid-6"])
def test_the_firmware_and_the_direct_node_report_the_same_records(feed: str, tmp_path: Path) -> None:
    """The same inputs give the same records, byte for byte, in the VM and under CPython. Mutation: a reading fed late."""
    direct = asyncio.run(_records(tmp_path / "direct", feed, firmware=False))
    board = asyncio.run(_records(tmp_path / "board", feed, firmware=True))
    assert len(direct) > 20
    assert board == direct
