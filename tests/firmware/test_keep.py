"""Records saved to flash before a reset the node decides on itself: whole, power-cut safe, never silently gone."""

import asyncio
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boardplay import command, presses, soon, stand

from marker_hardware.wire import Kind, LossCause, Mode
from marker_sim.sinks.node import VirtualBoard
from tablefw import keep
from tablefw import wire_codes as W
from tablefw.files import Files
from tablefw.outbox import Outbox

ROOT = Path(__file__).parents[2]
Play = Callable[..., None]


def filled(records: int, acked: int, capacity: int = 64) -> Outbox:
    box = Outbox(capacity)
    for n in range(records):
        box.push(n * 1000, 48, W.KIND_PRESS, n & 0xFFFF, 0)
        if n < acked:
            box.take(1)
            box.ack(n + 1)
    return box


def read(store: Files) -> list[tuple[int, int, int, int, list[int]]]:
    """(boot, first, lost, told, values) of each segment."""
    found = []
    for at, boot, first, lost, n, told in keep.segments(store):
        part = keep.Part(store, at, first, n)
        found.append((boot, first, lost, told, [part.get(first + i)[3] for i in range(n)]))
    return found


@pytest.mark.parametrize(("records", "acked"), [(5, 0), (5, 4), (64, 0), (100, 36), (100, 70), (200, 150)])
def test_what_is_saved_is_read_again_also_where_the_ring_wraps(tmp_path: Path, records: int, acked: int) -> None:
    store = Files(str(tmp_path))
    box = filled(records, acked)
    assert keep.save(store, box, 7, 1)
    expected = [n & 0xFFFF for n in range(acked, records)]
    assert read(store) == [(7, acked, 0, 1, expected)]
    assert keep.save(store, filled(3, 0), 8, 0)
    assert read(store) == [(7, acked, 0, 1, expected), (8, 0, 0, 0, [0, 1, 2])]


def test_records_that_had_already_found_no_room_are_counted_with_the_rest(tmp_path: Path) -> None:
    store = Files(str(tmp_path))
    assert keep.save(store, filled(70, 0), 7, 1)
    assert read(store) == [(7, 6, 6, 1, list(range(6, 70)))]


def test_a_file_that_would_grow_beyond_its_limit_is_not_written_and_the_old_one_stays(tmp_path: Path) -> None:
    store = Files(str(tmp_path))
    box = filled(1024, 0, 1024)
    saved = 0
    while keep.save(store, box, saved, 1):
        saved += 1
    assert saved == keep.LIMIT // (1024 * 16 + 24)
    assert [s[0] for s in read(store)] == list(range(saved))


def test_states_alone_are_not_worth_the_flash(tmp_path: Path) -> None:
    box = Outbox(64)
    box.push(0, W.CH_NODE, W.KIND_MODE, W.MODE_IDLE, 0)
    box.push(0, 3, W.KIND_QUALITY, W.QUALITY_NOISY, 0)
    assert not keep.worth(box)
    box.push(0, 48, W.KIND_PRESS, 0, 0)
    assert keep.worth(box)


def test_a_damaged_segment_is_counted_as_lost_not_sent(tmp_path: Path) -> None:
    store = Files(str(tmp_path))
    keep.save(store, filled(9, 0), 7, 1)
    raw = bytearray((tmp_path / keep.NAME).read_bytes())
    for _ in range(20):
        damaged = bytearray(raw)
        damaged[random.Random(1).randrange(24, len(raw))] ^= 4
        (tmp_path / keep.NAME).write_bytes(damaged)
        assert [(s[0], s[3], len(s[4])) for s in read(store)] == [(7, 0, 9)]


POWER_CUTS = """
from ramdisk import Disk, disk_with, umount
from tablefw import keep
from tablefw.files import Files
from tablefw.outbox import Outbox
def box(n):
    o = Outbox(64)
    for i in range(n):
        o.push(i, 48, 7, i, 0)
    return o
d = disk_with()
assert keep.save(Files("/ram"), box(40), 1, 1)
base = bytes(d.data)
umount()
outcomes = set()
for k in range(1, 200):
    d = disk_with(base)
    d.left = k
    done = False
    try:
        done = keep.save(Files("/ram"), box(50), 2, 1)
    except OSError:
        pass
    umount()
    disk_with(bytes(d.data))
    found = tuple((boot, n, told) for _, boot, _, _, n, told in keep.segments(Files("/ram")))
    umount()
    assert found in (((1, 40, 1),), ((1, 40, 1), (2, 50, 1))), (k, found)
    outcomes.add(found)
    if done:
        assert len(found) == 2
        break
print(len(outcomes), k, done)
"""


def test_power_cut_after_each_flash_write_of_a_save(vm: Callable[..., str], tmp_path: Path) -> None:
    """LittleFS on a RAM disk that fails after write k: the old file or the new one. Mutation: append in place."""
    (tmp_path / "ramdisk.py").write_text((Path(__file__).with_name("ramdisk.py")).read_text())
    outcomes, writes, done = vm(POWER_CUTS, heap="1M").splitlines()[-1].split()
    assert (outcomes, done) == ("2", "True")
    assert int(writes) > 10


def impatient(tmp_path: Path) -> Path:
    """The firmware that gives the link up after 1 s instead of ten minutes; what it takes for quiet is the board's time."""
    copy = tmp_path / "fw"
    shutil.copytree(ROOT / "firmware", copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "tablefw/app.py"
    text = file.read_text()
    assert "GIVE_UP_MS = 600000" in text
    file.write_text(text.replace("GIVE_UP_MS = 600000", "GIVE_UP_MS = 1000"))
    return copy


@pytest.mark.slow
def test_a_node_that_resets_for_want_of_a_link_delivers_its_records_afterwards(play: Play, broker: Any, listener: Any, tmp_path: Path) -> None:  # fmt: skip
    """Mid-shot, with records of a boot the hub knows, then of one that never had a link: the first come under their own
    numbers, the second as a loss record; the file goes when they are delivered. Mutations: a reset without `_save`;
    `told` always 1."""

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        await command(listener, "a", "arm", shot=1, layout=list("CNESW"))
        await board.sync(us)
        broker.kill()
        await board.wait_link(up=False)
        await board.send(presses(us, 40))
        await board.sync(us + 5_000_000, acknowledged=False)
        await asyncio.sleep(1.5)
        assert board.boot == 1, "not within a minute of the last edge"
        await board.time(us + 70_000_000)
        await soon(lambda: board.boot == 2, 60)
        flash = tmp_path / "node" / "kept"
        assert flash.is_file()
        us = board.now_us + 1_000_000
        await board.send(presses(us, 5))
        await board.time(us + 70_000_000)
        await soon(lambda: board.boot == 3, 60)
        broker.start()
        await board.wait_link()
        await soon(lambda: len([1 for boot, _ in listener.records() if boot == 1]) >= 7 + 80, 60)
        records = listener.all_records()
        held = sorted(seq for boot, seq in records if boot == 1)
        assert held == list(range(7 + 80)), "every record of the first boot, acknowledged before or kept"
        assert sum(r[2] == Kind.PRESS for (boot, _), r in records.items() if boot == 1) == 40
        loss = await soon(lambda: [r for (b, _), r in listener.records().items() if b == 3 and r[2] == Kind.LOSS], 30)
        assert [(r[3], r[4]) for r in loss] == [(11, LossCause.OUTBOX)], "ten edges and the mode record"
        assert not [boot for boot, _ in listener.all_records() if boot == 2]
        await soon(lambda: not flash.exists(), 30)
        assert board.mode == Mode.IDLE

    play(body, firmware=impatient(tmp_path))


@pytest.mark.parametrize("broken", ["app", "hal/__init__"])
def test_a_crash_keeps_its_trace_and_resets_also_when_the_port_itself_is_broken(
    vm_command: list[str], tmp_path: Path, broken: str
) -> None:
    """Mutation: the port imported outside the `try`: a slot whose port is damaged stays at the prompt for ever."""
    copy = tmp_path / "fw"
    shutil.copytree(ROOT / "firmware", copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / f"tablefw/{broken}.py").write_text("raise ValueError('worn flash')\n")
    (copy / "machine.py").write_text("import sys\ndef reset():\n    sys.exit(75)\n")
    (tmp_path / "n").mkdir()
    done = subprocess.run(
        [*vm_command, str(copy / "main.py")],
        env={"MICROPYPATH": f"{copy}:.frozen", "PATH": os.environ["PATH"], "MARKER_NODE_DIR": str(tmp_path / "n")},
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert done.returncode == 75, done.stdout + done.stderr
    trace = tmp_path / ("n/crash.txt" if broken == "app" else "crash.txt")
    assert "ValueError: worn flash" in trace.read_text()
