"""The technician's tool against the real firmware on a pseudo-terminal, and `flash` against a fake raw REPL on one."""

import ast
import asyncio
import builtins
import contextlib
import hashlib
import io
import json
import os
import pty
import re
import subprocess
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import serial
from busy import within

from marker_hub import cli, nodecal, nodeflash, provision, serial_link
from marker_hub.provision import NodeError, NodeLost, NodeRefused, SerialNode
from tablefw import config, pins

pytestmark = pytest.mark.slow
EXIT_RESET = 75
KEY = bytes(range(32))
RUN = 'g = globals()\nexec(open("boot.py").read(), g)\nexec(open("main.py").read(), g)\n'


class Device:
    """A board on a pseudo-terminal: flash laid out as `marker node flash` writes it, restarted when it resets."""

    def __init__(self, directory: Path, command: list[str], *, reset_once: bool = False) -> None:
        self.directory = directory
        self.command = command
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self.slave = slave
        self.stopping = False
        self.starts = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.thread = threading.Thread(target=self._keep, daemon=True)

    def lay_out(self, data: dict[str, Any] | None = None) -> "Device":
        files = nodeflash.device_files("unix")
        plan = [nodeflash.DeviceFile(f"a/{f.path}", f.data) for f in files]
        plan += [nodeflash.DeviceFile("a/manifest.json", nodeflash.manifest(files))]
        plan += [f for f in nodeflash.flash_plan() if f.path in ("boot.py", "main.py", "slot")]
        plan += [nodeflash.DeviceFile("run.py", RUN.encode())]
        if data is not None:
            plan.append(nodeflash.DeviceFile("config.json", config.encode(data, 1)))
        for file in plan:
            path = self.directory / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
        return self

    def start(self) -> "Device":
        self.thread.start()
        return self

    def _keep(self) -> None:
        while not self.stopping:
            self.starts += 1
            self.process = subprocess.Popen(
                [*self.command, "run.py"],
                cwd=self.directory,
                env={"PATH": os.environ["PATH"], "MARKER_NODE_DIR": ".", "MICROPYPATH": ".frozen"},
                stdin=self.slave,
                stdout=self.slave,
                stderr=self.slave,
            )
            if self.process.wait() != EXIT_RESET:
                return

    def stop(self) -> None:
        self.stopping = True
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        self.thread.join(30)
        for fd in (self.master, self.slave):
            with contextlib.suppress(OSError):
                os.close(fd)


class Cable:
    """Joins the board's terminal to one for the tool, byte by byte, and can be pulled."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)
        self.pulled = False
        self.threads = [
            threading.Thread(target=self._copy, args=pair, daemon=True)
            for pair in ((self.master, device.master), (device.master, self.master))
        ]
        for thread in self.threads:
            thread.start()

    def _copy(self, source: int, target: int) -> None:
        while not self.pulled:
            try:
                data = os.read(source, 4096)
                if not self.pulled:
                    os.write(target, data)
            except OSError:
                return

    def pull(self) -> None:
        """Nothing gets through any more."""
        self.pulled = True


@pytest.fixture
def device(tmp_path: Path, vm_command: list[str]) -> Iterator[Callable[..., tuple[Device, Cable]]]:
    """Makes a started board and the port the tool opens."""
    made: list[Device] = []
    cables: list[Cable] = []

    def make(data: dict[str, Any] | None = None) -> tuple[Device, Cable]:
        folder = tmp_path / "flash"
        folder.mkdir()
        board = Device(folder, [*vm_command, "-X", "heapsize=512k"]).lay_out(data).start()
        made.append(board)
        cables.append(Cable(board))
        node = SerialNode(provision.open_port(cables[-1].port))
        node.request("info", timeout=60)  # it has started; the tool waits for no machine that is busy
        node.close()
        return board, cables[-1]

    yield make
    for cable in cables:
        cable.pull()
    for board in made:
        board.stop()
    for cable in cables:
        for fd in (cable.master, cable.slave):
            with contextlib.suppress(OSError):
                os.close(fd)


GOOD = {"table": "t1", "profile": "carom5", "host": "127.0.0.1", "port": 1, "key": KEY.hex()}


def write(path: Path, data: dict[str, Any]) -> Path:
    path.write_text("".join(f"{k} = {json.dumps(v)}\n" for k, v in data.items()))
    return path


def marker(*args: str) -> int:
    return cli.main(["node", *args])


def test_a_new_board_is_provisioned_tested_and_shown(device: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """From an empty configuration to a running table, in one command; secrets never come back."""
    board, cable = device()
    file = write(tmp_path / "t1.toml", {**GOOD, "password": "hunter2", "ca": "QUJD" * 400})
    report = tmp_path / "report.json"
    assert marker("provision", "--port", cable.port, "--report", str(report), str(file)) == 0
    out = capsys.readouterr()
    assert "table t1: configuration" in out.out
    assert "PZ1        ok" in out.out
    assert "100 %" in out.err
    assert board.starts == 2
    assert json.loads(report.read_text())["info"]["table"] == "t1"
    assert marker("show", "--port", cable.port, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["config"]["host"] == "127.0.0.1"
    assert "hunter2" not in json.dumps(shown)
    assert shown["info"]["boot"] == 2
    assert marker("selftest", "--port", cable.port) == 0
    assert marker("log", "--port", cable.port) == 0
    assert "table node" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "word"),
    [({"port": 70000}, "port: whole number 1..65535"), ({"profile": "snooker"}, "profile: one of carom5 pyramid"), ({"colour": 1}, "colour: unknown key")],
)  # fmt: skip
def test_a_wrong_value_is_named_and_nothing_is_stored(device: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], word: str) -> None:  # fmt: skip
    board, cable = device()
    file = write(tmp_path / "t1.toml", {**GOOD, **change})
    assert marker("provision", "--port", cable.port, str(file)) == 2
    err = capsys.readouterr().err
    assert word in err
    assert "nothing was stored" in err
    assert not (board.directory / "config.json").exists()


@pytest.mark.parametrize(
    ("text", "word"),
    [("table = ", "not TOML"), ('table = "t1"', "profile, host, port missing"), (None, "No such file")],
)
def test_a_provisioning_file_that_is_none(tmp_path: Path, text: str | None, word: str) -> None:
    file = tmp_path / "x.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(NodeError, match=word):
        provision.read_file(file)


def test_a_lost_line_says_which_configuration_the_node_will_run(device: Any) -> None:
    _, cable = device()
    node = SerialNode.open(cable.port)

    def progress(done: int, total: int, text: str) -> None:
        if text == "host":
            cable.pull()

    short = node.request

    def request(cmd: str, timeout: float = 0.0, **arguments: Any) -> Any:
        return short(cmd, timeout=1.0 if cable.pulled else 60.0, **arguments)

    node.request = request  # type: ignore[method-assign] - does not wait 5 s for the answer that cannot come
    with pytest.raises(NodeError, match="keeps its old configuration"):
        provision.apply(node, GOOD, progress)
    node.close()


class Outlet:
    """The hub's side of a cable, recorded."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.command: Callable[[str, bytes], None] | None = None
        self.drops = 0

    def open(self, will: bytes, on_command: Callable[[str, bytes], None]) -> None:
        self.command = on_command

    def publish(self, suffix: str, payload: bytes, *, retain: bool) -> None:
        self.messages.append((suffix, json.loads(payload)))

    def drop(self) -> None:
        self.drops += 1

    def of(self, suffix: str) -> list[dict[str, Any]]:
        return [p for s, p in self.messages if s == suffix]


def test_a_node_on_the_hubs_cable_speaks_its_topics_and_comes_back(device: Any) -> None:
    """`host = "usb"`: birth, records, clock, commands over the gateway of the hub, twice on the same boot."""
    _, cable = device({**GOOD, "host": "usb"})

    async def once(n: int) -> None:
        outlet = Outlet()
        node = serial_link.SerialNode("t1", "x", outlet, find=lambda _: cable.port, look_every_s=0.05)
        node.losses = n
        task = asyncio.create_task(node.run())

        async def until(test: Callable[[], Any]) -> None:
            end = time.monotonic() + 60
            while not test():
                assert time.monotonic() < end, outlet.messages[-5:]
                await asyncio.sleep(0.02)

        await until(lambda: outlet.of("state") and outlet.of("health"))
        assert outlet.of("state")[0]["boot"] == 1
        await until(lambda: outlet.of("clk/req"))
        assert outlet.command is not None
        outlet.command("cmd", json.dumps({"id": f"a{n}", "cmd": "arm", "shot": n, "layout": ["C"]}).encode())
        await until(lambda: [a for a in outlet.of("cmd/ack") if a["id"] == f"a{n}"])
        outlet.command("cmd", json.dumps({"id": f"r{n}", "cmd": "replay", "boot": 1, "from": 0, "to": 0}).encode())
        await until(lambda: [a for a in outlet.of("cmd/ack") if a["id"] == f"r{n}"])

        def records() -> dict[int, list[int]]:
            return {b["s"] + i: r for b in outlet.of("ev") for i, r in enumerate(b["e"])}

        assert records()[0][2:4] == [10, 1]
        await until(lambda: any(r[2:4] == [10, 2] and r[4] & ~32 == n for r in records().values()))
        await node.stop(task)

    async def main() -> None:
        await once(1)
        await once(2)

    asyncio.run(main())


def test_requests_are_fast_and_garbage_on_the_line_is_ignored(device: Any) -> None:
    _, cable = device(GOOD)
    node = SerialNode.open(cable.port)
    took = []
    for _ in range(50):
        began = time.monotonic()
        node.request("info")
        took.append(time.monotonic() - began)
    assert median(took) < within(0.1)
    node.port.write(b"hello\n\xff\xfe\n{broken\n" + b"x" * 3000 + b"\n")
    assert node.request("info")["boot"] == 1
    for line in (b'{"cmd":"get"}\n', b'{"id":[],"cmd":"info"}\n', b'{"id":9,"cmd":"set"}\n'):
        node.port.write(line)
    assert node.request("info")["boot"] == 1
    with pytest.raises(NodeRefused, match="service mode first"):
        node.request("commit")
    node.close()


def test_calibration_guides_measures_and_stores(device: Any, tmp_path: Path) -> None:
    """Fields of a magnet 9 mm above the sensor; the fit finds the distance, the node takes the result."""
    steps: list[str] = []
    _, cable = device(GOOD)
    node = SerialNode.open(cable.port)
    real = node.request

    def request(cmd: str, timeout: float = 5.0, **arguments: Any) -> Any:
        if cmd != "calibrate":
            return real(cmd, timeout=timeout, **arguments)
        along, across = nodecal.upright(5, 9)
        field = {"Take": (20, 0, 30), "Plac": (20, 0, 1530), "Slid": (20 + 1500 * across, 0, 30 + 1500 * along)}[
            steps[-1][:4]
        ]
        return {"mean": [round(x) for x in field] * 5, "var": [0] * 15, "missing": 0, "n": arguments["n"]}

    node.request = request  # type: ignore[method-assign] - fields as a table would give them
    found = nodecal.calibrate(node, steps.append, "Rossi", "2026-05-01", 3)
    assert abs(found.gap_mm - 9) < 0.3
    assert found.warnings == ()
    assert found.data["pins"]["C"] == {"b0": [0, 0, 1500], "empty": [20, 0, 30]}
    for part, content in found.data.items():
        node.request("set", key=f"cal.{part}", value=content)
    node.request("commit")
    node.close()
    assert len(steps) == 1 + 3 + 8


def test_the_tools_curve_is_the_nodes_curve() -> None:
    for ours, theirs in zip(nodecal.curve(10), pins.curve(10), strict=True):
        assert all(abs(a - b) <= 2 for a, b in zip(ours, theirs, strict=True))


def test_calibration_refuses_a_seat_without_a_magnet_and_a_silent_sensor(device: Any) -> None:
    class Silent:
        def __init__(self, missing: int) -> None:
            self.missing = missing

        def request(self, cmd: str, timeout: float = 5.0, **arguments: Any) -> Any:
            return {"provisioned": False} if cmd == "info" else {"mean": [0] * 15, "missing": self.missing, "n": 1}

    with pytest.raises(NodeError, match="sensor of pin N does not answer"):
        nodecal.calibrate(Silent(2), lambda _: None, "", "", 1)
    with pytest.raises(NodeError, match="pin C: no field of a magnet"):
        nodecal.calibrate(Silent(0), lambda _: None, "", "", 1)


def wait_for(test: Callable[[], Any], seconds: float = 60) -> Any:
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(NodeError):
            found = test()
            if found:
                return found
        assert time.monotonic() < end, "not in time"
        time.sleep(0.1)


def test_an_update_runs_from_the_other_slot_and_goes_back_when_it_is_never_confirmed(device: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Both ways: a signed update starts from slot b; three starts without confirmation bring slot a back.
    Mutation: boot.py that does not count tries keeps a firmware that never gets a link."""
    board, cable = device(GOOD)
    key = tmp_path / "key"
    key.write_text(KEY.hex() + "\n")
    assert marker("update", "--port", cable.port, "--key-file", str(key), "--json") == 0
    assert json.loads(capsys.readouterr().out)["slot"] == "b"
    wait_for(lambda: (board.directory / "slot").read_bytes().startswith(b"a b 1 "))
    assert (board.directory / "b/tablefw/app.py").read_bytes() == (board.directory / "a/tablefw/app.py").read_bytes()
    for tries in (2, 3):
        node = provision.reopen(cable.port, tries - 1)
        node.request("reset")
        node.close()
        wait_for(lambda tries=tries: (board.directory / "slot").read_bytes().startswith(b"a b %d " % tries))
    node = provision.reopen(cable.port, 3)
    node.request("reset")
    node.close()
    wait_for(lambda: (board.directory / "slot").read_bytes().startswith(b"a - 1 "))


SWALLOWED = "import os, sys; os.read(0, 4096); from micropython_unix import main; sys.exit(main())"


def test_a_node_that_lost_a_line_in_its_restart_is_found_again(vm_command: list[str], tmp_path: Path) -> None:
    """The question went with the old start, so what else is on the port is tried. Mutation: that try leaves half a line,
    and every question after it is taken for the rest of it."""
    board = Device(tmp_path, [vm_command[0], "-c", SWALLOWED, "-X", "heapsize=512k"]).lay_out(GOOD).start()
    cable = Cable(board)
    try:
        node = provision.reopen(cable.port, 0, 60)
        assert node.request("info", timeout=60)["boot"] == 1
        node.close()
    finally:
        cable.pull()
        board.stop()
        for fd in (cable.master, cable.slave):
            os.close(fd)


def test_an_update_with_the_wrong_key_is_refused_and_says_so(device: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    board, cable = device(GOOD)
    key = tmp_path / "key"
    key.write_text("ff" * 32)
    assert marker("update", "--port", cable.port, "--key-file", str(key)) == 2
    assert "wrong key" in capsys.readouterr().err
    assert (board.directory / "slot").read_bytes().startswith(b"a - ")
    key.write_text("nonsense")
    assert marker("update", "--port", cable.port, "--key-file", str(key)) == 2
    assert "64 hex digits" in capsys.readouterr().err


SLOTS = """
SLOT = SAFE = None
g = globals()
exec(open("boot.py").read(), g)
print("slot=%s safe=%s" % (SLOT, SAFE))
"""


def lay_slots(folder: Path, **content: bytes) -> None:
    """Slots with one file each, and boot.py."""
    (folder / "boot.py").write_bytes((Path(__file__).parents[2] / "firmware/boot.py").read_bytes())
    for slot, data in content.items():
        files = [nodeflash.DeviceFile("tablefw/x.py", data)]
        (folder / slot / "tablefw").mkdir(parents=True)
        (folder / slot / "tablefw/x.py").write_bytes(data)
        (folder / slot / "manifest.json").write_bytes(nodeflash.manifest(files, version="1.0.0"))


def test_boot_chooses_a_whole_slot_and_offers_safe_mode_when_there_is_none(
    vm: Callable[..., str], tmp_path: Path
) -> None:
    lay_slots(tmp_path, a=b"a = 1\n", b=b"b = 1\n")
    assert vm(SLOTS) == "slot=a safe=\n"
    (tmp_path / "a/tablefw/x.py").write_bytes(b"a = 2\n")
    assert vm(SLOTS) == "slot=b safe=\n", "a damaged file selects the other slot"
    (tmp_path / "b/tablefw/x.py").unlink()
    assert vm(SLOTS) == "slot= safe=both firmware slots are damaged\n"


def test_boot_gives_up_a_slot_that_fails_three_times(vm: Callable[..., str], tmp_path: Path) -> None:
    """Mutation: tries is not written before the start."""
    lay_slots(tmp_path, a=b"a = 1\n", b=b"b = 1\n")
    assert [vm(SLOTS) for _ in range(4)] == ["slot=a safe=\n"] * 3 + ["slot=b safe=\n"]


@pytest.mark.parametrize("record", [b"", b"nonsense", b"a b", b"\xff\xfe", b"z - 0 00000000", b"a - 0 deadbeef"])
def test_boot_never_raises_whatever_the_slot_record_holds(
    vm: Callable[..., str], tmp_path: Path, record: bytes
) -> None:
    lay_slots(tmp_path, a=b"a = 1\n")
    (tmp_path / "slot").write_bytes(record)
    assert vm(SLOTS) == "slot=a safe=\n"


def test_boot_without_slots_runs_what_lies_in_the_root(vm: Callable[..., str], tmp_path: Path) -> None:
    lay_slots(tmp_path)
    assert vm(SLOTS) == "slot= safe=\n"


class FakeRepl:
    """The raw REPL of a board: runs the code it gets on a folder that stands for the flash."""

    def __init__(self, folder: Path, platform: str = "rp2", machine: str = "Raspberry Pi Pico W with RP2040", *, dies_after: int = 10**9, deaf: bool = False) -> None:  # fmt: skip
        self.folder = folder
        self.platform, self.machine = platform, machine
        self.left = dies_after
        self.deaf = deaf
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)
        self.scope: dict[str, Any] = {
            "__builtins__": {**vars(builtins), "open": self._open, "__import__": self._import}
        }
        self.resets = 0
        self.open = threading.Lock()  # taken by whoever closes the terminal
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _open(self, name: str, mode: str = "r") -> Any:
        return open(self.folder / name, mode)

    def _import(self, name: str, *rest: Any) -> Any:
        if name == "sys":
            return SimpleNamespace(platform=self.platform)
        if name == "os":
            return SimpleNamespace(
                uname=lambda: SimpleNamespace(machine=self.machine), mkdir=lambda d: os.mkdir(self.folder / d)
            )
        if name == "machine":
            return SimpleNamespace(reset=self._reset)
        module: ModuleType = __import__(name, *rest)
        return module

    def _reset(self) -> None:
        self.resets += 1

    def _serve(self) -> None:
        buffer = b""
        raw = False
        while not self.open.locked():
            try:
                data = os.read(self.master, 4096)
            except OSError:
                return
            self.left -= len(data)
            if self.left < 0:
                self.hang_up()
                return
            if self.deaf:
                continue
            buffer += data
            if b"\x01" in buffer:
                buffer = buffer.split(b"\x01")[-1]
                raw = True
                os.write(self.master, b"raw REPL; CTRL-B to exit\r\n>")
            while raw and b"\x04" in buffer:
                code, _, buffer = buffer.partition(b"\x04")
                os.write(self.master, b"OK" + self._run(code.decode()) + b"\x04>")
            if not raw and b"\x02" in buffer:
                buffer = b""
                os.write(self.master, b"MicroPython v1.28\r\n>>> ")

    def _run(self, code: str) -> bytes:
        out = io.StringIO()
        error = ""
        self.scope["__builtins__"]["print"] = lambda *a, sep=" ": out.write(sep.join(map(str, a)) + "\r\n")
        try:
            ast.parse(code)
            exec(code, self.scope)
        except Exception as problem:  # noqa: BLE001 - whatever the device would show as a traceback
            error = f"Traceback:\r\n{type(problem).__name__}: {problem}\r\n"
        return out.getvalue().encode() + b"\x04" + error.encode()

    def close(self) -> None:
        if "f" in self.scope:
            self.scope["f"].close()
        self.hang_up()

    def hang_up(self) -> None:
        """Once: the tool's side first, so that the read that waits here ends before its number can be another file's."""
        if self.open.acquire(blocking=False):
            os.close(self.slave)
            if threading.current_thread() is not self.thread:
                self.thread.join(1)
            os.close(self.master)


@pytest.fixture
def repl(tmp_path: Path) -> Iterator[Callable[..., FakeRepl]]:
    made: list[FakeRepl] = []
    folder = tmp_path / "board"
    folder.mkdir()

    def make(**how: Any) -> FakeRepl:
        made.append(FakeRepl(folder, **how))
        return made[-1]

    yield make
    for board in made:
        board.close()


def test_flash_writes_every_file_and_checks_it(repl: Any, capsys: pytest.CaptureFixture[str]) -> None:
    board = repl()
    assert marker("flash", "--port", board.port, "--board", "pico_w") == 0
    for file in nodeflash.flash_plan():
        assert (board.folder / file.path).read_bytes() == file.data
    assert not (board.folder / "a/tablefw/hal/unix.py").exists()
    assert "is installed" in capsys.readouterr().out
    wait_for(lambda: board.resets == 1)


def test_flash_dry_run_lists_and_touches_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert marker("flash", "--dry-run", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert "boot.py" in listed["files"]
    assert "a/tablefw/hal/rp2.py" in listed["files"]
    assert listed["bytes"] == sum(listed["files"].values())


def test_flash_refuses_the_wrong_board(repl: Any, capsys: pytest.CaptureFixture[str]) -> None:
    board = repl(platform="esp32", machine="ESP32S3 module")
    assert marker("flash", "--port", board.port, "--board", "pico_w") == 2
    assert "wrong board: 'ESP32S3 module' is not a pico_w" in capsys.readouterr().err
    other = repl(platform="pyboard", machine="PYBv1.1")
    assert marker("flash", "--port", other.port) == 2
    assert "cannot be a table node" in capsys.readouterr().err
    assert list(board.folder.iterdir()) == []


def test_flash_lost_in_the_middle_says_how_far_it_came(repl: Any) -> None:
    board = repl(dies_after=60_000)
    port = provision.open_port(board.port)
    with pytest.raises(NodeLost, match=r"\d+ of \d+ bytes were written and the old boot.py still stands"):
        nodeflash.flash(port, None, lambda *_: None)
    with contextlib.suppress(OSError, serial.SerialException):
        port.close()
    assert not (board.folder / "boot.py").exists()


def test_flash_without_micropython_gives_the_remedy(repl: Any, capsys: pytest.CaptureFixture[str]) -> None:
    board = repl(deaf=True)
    assert marker("flash", "--port", board.port) == 2
    assert "BOOTSEL" in capsys.readouterr().err


def test_flash_reports_a_file_that_reads_back_differently(repl: Any) -> None:
    board = repl()
    real = board._run

    def worn(code: str) -> bytes:
        if "hashlib" in code and "app.py" in code:
            return hashlib.sha256(b"x").hexdigest().encode() + b"\r\n\x04"
        return bytes(real(code))

    board._run = worn
    port = provision.open_port(board.port)
    with pytest.raises(NodeError, match=r"app.py reads back differently"):
        nodeflash.flash(port, None, lambda *_: None)
    port.close()


def test_a_board_without_the_firmware_and_one_without_anything(repl: Any, capsys: pytest.CaptureFixture[str]) -> None:
    board = repl()
    assert marker("show", "--port", board.port) == 2
    assert "'marker node flash' installs it" in capsys.readouterr().err
    deaf = repl(deaf=True)
    assert marker("show", "--port", deaf.port) == 2
    assert "UF2" in capsys.readouterr().err


def test_no_port_and_a_port_in_use(tmp_path: Path, repl: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    assert marker("show", "--port", str(tmp_path / "none")) == 2
    assert "no such port" in capsys.readouterr().err
    board = repl()
    held = provision.open_port(board.port)
    assert marker("show", "--port", board.port) == 2
    assert "in use by another program" in capsys.readouterr().err
    held.close()
    monkeypatch.setattr(provision, "ports", list)
    assert marker("show") == 2
    assert "no table node is connected" in capsys.readouterr().err
    two = [provision.Port("/dev/ttyACM0", "x", ""), provision.Port("/dev/ttyACM1", "x", "")]
    monkeypatch.setattr(provision, "ports", lambda: two)
    assert marker("show") == 2
    assert "/dev/ttyACM0, /dev/ttyACM1" in capsys.readouterr().err


def test_no_permission_names_the_group() -> None:
    import errno

    problem = serial.SerialException(errno.EACCES, "denied")
    text = provision._why_not_open("/dev/null", problem)
    assert re.search(r"add yourself to the group '\w+' \(sudo usermod -aG", text)


def test_list_shows_what_is_on_each_port(device: Any, repl: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    _, cable = device(GOOD)
    board = repl()
    found = [provision.Port(cable.port, "Raspberry Pi", "1"), provision.Port(board.port, "Raspberry Pi", "2")]
    monkeypatch.setattr(provision, "ports", lambda: found)
    assert marker("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "table t1" in lines[0]
    assert "marker node flash" in lines[1]
    assert marker("list", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["table"] == "t1"


def test_bad_options_end_with_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        marker("dance")
    assert end.value.code == 2
    assert marker("calibrate", "--placements", "0") == 2
    assert "--placements 0: 1 to 100" in capsys.readouterr().err
