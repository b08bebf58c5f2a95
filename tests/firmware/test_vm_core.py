"""The same machines inside the MicroPython VM: identical records, LittleFS power cuts, the wrap of real ticks."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from marker_hub.nodeflash import device_files
from tablefw.sensors import Sensors

Vm = Callable[..., str]

PLAY = """
import json
from tablefw.sensors import Sensors
out = []
for profile, inputs in json.loads(open("inputs.json").read()):
    s = Sensors(profile, lambda *r: out.append(r))
    for what, t, a, b in inputs:
        if what == "e": s.edge(t, a, b)
        elif what == "r": s.reading(t, a, b)
        elif what == "f": s.field(t, a, b)
        elif what == "h": s.hold(t, a, b)
        s.tick(t)
    s.tick(t + 2000000)
print(json.dumps(out))
"""


def story(seed: int) -> list[tuple[str, list[tuple[str, int, int, object]]]]:
    """A seeded table life of both profiles: hits, gates, buttons, falling pins, missing sensors."""
    rng = random.Random(seed)
    parts: list[tuple[str, list[tuple[str, int, int, object]]]] = []
    poses = [[0, 0, 1500], [643, 0, 750], [230, 0, 800], [-224, 0, 202], [0, 0, 0], [32767, 0, 0]]
    for profile, comparators, shift in (
        ("carom5", (16, 17, 18, 19, 22), range(76, 80)),
        ("pyramid", range(16, 23), range(64, 80)),
    ):
        t = (1 << 30) - 2_000_000
        inputs: list[tuple[str, int, int, object]] = []
        for _ in range(400):
            t += rng.choice((300, 700, 2_100, 9_000, 31_000, 120_000))
            roll = rng.random()
            if roll < 0.4:
                ch = rng.choice(comparators)
                inputs.append(("e", t, ch, 1))
                if rng.random() < 0.9:
                    inputs.append(("r", t + 300, ch, rng.randrange(100, 3300)))
                inputs.append(("e", t + rng.randrange(400, 45_000), ch, 0))
            elif roll < 0.7:
                inputs.append(("e", t, rng.choice(shift), rng.randrange(2)))
            elif profile == "carom5":
                vectors = [x for _ in range(5) for x in rng.choice(poses)]
                inputs.append(("f", t, rng.choice((31, 31, 31, 27)), vectors))
                inputs.append(("h", t + 10_000, rng.randrange(1, 60), 0))
                t += 600_000
        parts.append((profile, sorted(inputs, key=lambda i: i[1])))
    return parts


@pytest.mark.parametrize(("seed", "installed"), [(1, False), (2, False), (3, True)])
def test_every_record_is_the_same_as_under_cpython(vm: Vm, tmp_path: Path, seed: int, installed: bool) -> None:
    """From the sources and as installed, with folded constants. Mutation: a float anywhere in the machines, or an order
    taken from a set, or a wrong number folded, shows here."""
    parts = story(seed)
    (tmp_path / "inputs.json").write_text(json.dumps(parts))
    out: list[tuple[int, ...]] = []
    for profile, inputs in parts:
        s = Sensors(profile, lambda *r: out.append(r))
        for what, t, a, b in inputs:
            {"e": s.edge, "r": s.reading, "f": s.field, "h": s.hold}[what](t, a, b)
            s.tick(t)
        s.tick(t + 2_000_000)
    assert len(out) > 300
    for file in device_files("unix") if installed else ():
        (tmp_path / "fw" / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fw" / file.path).write_bytes(file.data)
    path = str(tmp_path / "fw") if installed else None
    assert json.loads(vm(PLAY, heap="1M", path=path)) == [list(r) for r in out]


POWER_CUTS = """
from ramdisk import disk_with, umount
from tablefw import config
from tablefw.files import Files
GOOD = {"table": "t1", "profile": "carom5", "host": "old", "port": 1, "ca": "A" * 1500}

d = disk_with()
config.Config(Files("/ram")).save(GOOD)
base = bytes(d.data)
umount()
old = new = 0
for k in range(1, 80):
    d = disk_with(base)
    d.left = k
    done = False
    try:
        config.Config(Files("/ram")).save(dict(GOOD, host="new"))
        done = True
    except OSError:
        pass
    umount()
    raw = bytes(d.data)
    disk_with(raw)
    host = config.Config(Files("/ram")).get("host")
    umount()
    assert host in ("old", "new"), (k, host)
    if host == "old": old += 1
    else: new += 1
    if done:
        break
print(old, new, done)
"""


def test_power_cut_after_each_flash_write_on_littlefs(vm: Vm, tmp_path: Path) -> None:
    """The real file system of the board on a RAM disk that fails after write k. Mutation: rename before read-back."""
    (tmp_path / "ramdisk.py").write_text(Path(__file__).with_name("ramdisk.py").read_text())
    old, new, done = vm(POWER_CUTS, heap="1M").splitlines()[-1].split()
    assert done == "True"
    assert int(old) >= 8
    assert int(new) >= 1


TICKS = """
import time
from tablefw.clock import Extender, MASK
clock = Extender((time.ticks_us() - 5) & MASK)
last = clock.now
for _ in range(20000):
    t = clock.extend(time.ticks_us() & MASK)
    assert t >= last
    last = t
from tablefw.hal import unix
assert 0 <= unix.ticks_us() < 1 << 30
assert unix.ticks_us() >= (1 << 30) - 2000000
print("ok")
"""


def test_real_ticks_only_go_forward_and_the_board_starts_two_seconds_before_the_wrap(vm: Vm) -> None:
    assert vm(TICKS).split() == ["ok"]


NAMES = """
from tablefw import hal
missing = [n for n in hal.NAMES if not hasattr(hal, n)]
assert not missing, missing
assert len(hal.NAMES) == 13
print(hal.BOARD)
"""


@pytest.mark.parametrize(("shims", "board"), [(False, "virtual"), (True, "pico_w")])
def test_every_port_has_the_thirteen_names(vm: Vm, shims: bool, board: str) -> None:
    assert vm(NAMES, shims=shims).split() == [board]
