"""One virtual table node: the real firmware in the MicroPython VM, fed over a socket (docs/developer/virtual-board.md)."""

import asyncio
import contextlib
import os
import signal
import sys
from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from marker_hardware.data import resource
from marker_hardware.wire import Mode
from marker_sim.sinks import frames
from marker_sim.sinks.frames import Frame, FrameKind, Splitter
from marker_sim.sinks.vm import VirtualMachineMissing, Vm, find_vm
from tablefw import config as node_config
from tablefw import schema as node_schema

__all__ = ["BoardConfig", "BoardError", "Frame", "VirtualBoard", "VirtualMachineMissing"]

TORN = ("config.json", "boot", "slot", "kept")  # files that are written beside the old one and renamed
EXIT_RESET = 75
READY_S = 60.0
WATCH_S = 0.5
LOG_LINES = 400
_PROTOCOL = 1


class BoardError(RuntimeError):
    """The virtual board did not start, stopped by itself or did not answer; carries its last log lines."""


@dataclass(frozen=True, slots=True)
class BoardConfig:
    """What the node's own configuration file holds. calibration: the form `tablefw.schema` checks, None = defaults.

    tls: 0 none, 1 encrypted, 2 encrypted and the broker checked against `ca` (DER).
    """

    table: str
    profile: str = "carom5"
    broker_host: str = "127.0.0.1"
    broker_port: int = 1883
    user: str = ""
    password: str = field(default="", repr=False)
    calibration: dict[str, Any] | None = None
    key: str = field(default="", repr=False)
    tls: int = 0
    ca: bytes = b""

    def data(self) -> dict[str, Any]:
        """The dictionary that goes into config.json."""
        data: dict[str, Any] = {
            "table": self.table,
            "profile": self.profile,
            "host": self.broker_host,
            "port": self.broker_port,
            "user": self.user,
            "password": self.password,
        }
        if self.calibration is not None:
            data["cal"] = self.calibration
        if self.key:
            data["key"] = self.key
        if self.tls:
            data["tls"] = self.tls
            data["ca"] = b64encode(self.ca).decode()
        return data


class VirtualBoard:
    """Starts, feeds, restarts and stops one board. One per table; not shared between event loops.

    start_us: board time at the start (default: 2 s before the tick wrap). speed: of its clock until `time` is called.
    restart_on_reset: start it again by itself when the firmware asks for a reset, or when its watchdog is not fed.
    """

    def __init__(
        self,
        config: BoardConfig,
        directory: Path,
        *,
        start_us: int = frames.START_US,
        speed: int = 0,
        heap: str = "512k",
        restart_on_reset: bool = True,
        firmware: Path | None = None,
    ) -> None:
        """Nothing is started yet; the directory is made when needed and kept. firmware: another folder with main.py and tablefw."""
        self._firmware = firmware
        self.config = config
        self.directory = directory
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.mode = Mode.BOOT
        self.shot = 0
        self.boot = 0
        self.linked = False
        self.restarts = 0
        self.outputs: dict[int, int] = {}
        self.text = ""
        self.notice = ""
        self._start_us = self._now = start_us
        self._speed = speed
        self._heap = heap
        self._restart_on_reset = restart_on_reset
        self._server: asyncio.Server | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()
        self._acks: dict[int, int] = {}
        self._token = 0
        self._stopping = False
        self._connected = False
        self._dog_s = 0.0
        self._fed = 0

    async def start(self, *, wait_link: bool = True, timeout: float = READY_S) -> None:
        """Write the configuration, start the VM, wait for its socket and (wait_link) for its session with the broker.

        Raises VirtualMachineMissing, or BoardError when the board is not ready in `timeout` seconds.
        """
        vm = find_vm(self._heap)
        self.notice = vm.notice
        self._write_files()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        await self._spawn(vm)
        await self._until(lambda: self._connected and (self.linked or not wait_link), timeout, "start")

    def _write_files(self) -> None:
        run = self.directory / "run"
        run.mkdir(parents=True, exist_ok=True)
        links = {name: self._source(name) for name in ("main.py", "tablefw")}
        for name, target in links.items():
            link = run / name
            if link.is_symlink():
                link.unlink()
            link.symlink_to(target)
        data = self.config.data()
        node_schema.check_all(data)
        old = node_config.decode(self._read("config.json"))
        if old is None or old[1] != data:
            serial = old[0] + 1 if old else 1
            (self.directory / "config.json").write_bytes(node_config.encode(data, serial))

    def _source(self, name: str) -> Path:
        return self._firmware / name if self._firmware else Path(str(resource("firmware", name)))

    def _read(self, name: str) -> bytes | None:
        path = self.directory / name
        return path.read_bytes() if path.is_file() else None

    async def _spawn(self, vm: Vm | None = None, cause: str = "power_on") -> None:
        vm = vm or find_vm(self._heap)
        assert self._server is not None
        host, port = self._server.sockets[0].getsockname()[:2]
        self._connected = self.linked = False
        self.mode = Mode.BOOT
        self._dog_s = 0.0
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "MARKER_BOARD": f"{host}:{port}",
            "MARKER_NODE_DIR": str(self.directory),
            "MARKER_RESET_CAUSE": cause,
            # The VM looks beside the script after following its link, where an installed wheel keeps no tablefw.
            "MICROPYPATH": f"{self.directory / 'run'}:.frozen",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        }
        script = self.directory / "run" / "main.py"
        self._process = await asyncio.create_subprocess_exec(
            *vm.command,
            str(script),
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        self._task(self._read_log(self._process))
        self._task(self._watch(self._process))

    def _task(self, coroutine: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read_log(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self.log.append(line.decode(errors="replace").rstrip())

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        """Start again after a reset; be the watchdog. Time in which this loop did not run is no silence of the board."""
        cause = "reset"
        fed, silent_s = self._fed, 0.0
        while True:
            try:
                code = await asyncio.wait_for(process.wait(), WATCH_S)
                break
            except TimeoutError:
                silent_s = silent_s + WATCH_S if fed == self._fed else 0.0
                fed = self._fed
                if self._dog_s and silent_s > self._dog_s:
                    cause = "watchdog"
                    self._kill(process)
        if self._stopping or process is not self._process:
            return
        if self._restart_on_reset and (code == EXIT_RESET or cause == "watchdog"):
            self.restarts += 1
            await self._spawn(cause=cause)
        async with self._changed:
            self._changed.notify_all()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        splitter = Splitter()
        try:
            while data := await reader.read(4096):
                for frame in splitter.feed(data):
                    self._frame(frame, writer)
                async with self._changed:
                    self._changed.notify_all()
        except ConnectionError:
            pass
        finally:
            writer.close()

    def _frame(self, frame: Frame, writer: asyncio.StreamWriter) -> None:
        match frame.ch:
            case FrameKind.HELLO:
                if frame.level != _PROTOCOL:
                    raise BoardError(f"board speaks protocol {frame.level}, this side {_PROTOCOL}")
                self.boot = frame.aux
                self._connected = True
                writer.write(frames.time(self._now, self._speed).encode())
            case FrameKind.SYNC:
                self._acks[frame.aux] = frame.level
            case FrameKind.MODE:
                self.mode = Mode(frame.level)
                self.shot = frame.aux
            case FrameKind.LINK:
                self.linked = bool(frame.level)
            case FrameKind.OUT:
                self.outputs[frame.level] = frame.aux
            case FrameKind.TEXT:
                self.text = frame.payload.decode(errors="replace")
            case FrameKind.FED:
                self._dog_s = frame.aux / 1000
                self._fed += 1
            case _:
                raise BoardError(f"frame kind 0x{frame.ch:02x} is not known")

    async def _until(self, ready: Any, limit: float, what: str) -> None:
        try:
            async with asyncio.timeout(limit), self._changed:
                while not ready():
                    if self._process is not None and self._process.returncode not in (None, EXIT_RESET):
                        await asyncio.sleep(0.05)  # its last words
                        raise BoardError(self._story(f"{what}: board ended with {self._process.returncode}"))
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._changed.wait(), 0.2)
        except TimeoutError:
            raise BoardError(self._story(f"{what}: not done in {limit:g} s")) from None

    def _story(self, text: str) -> str:
        return "\n".join([f"table {self.config.table}: {text}", *list(self.log)[-15:]])

    async def send(self, what: bytes | Iterable[Frame]) -> None:
        """Send frames in the order given; waits while the board is behind (the socket is full)."""
        if self._writer is None or self._writer.is_closing():
            raise BoardError(self._story("send: the board is not connected"))
        if isinstance(what, bytes):
            self._writer.write(what)
        else:
            batch = list(what)
            if batch:
                self._now = max(self._now, *(f.us for f in batch)) if len(batch) > 1 else max(self._now, batch[0].us)
            self._writer.write(b"".join(f.encode() for f in batch))
        await self._writer.drain()

    async def time(self, us: int, speed: int | None = None) -> None:
        """Set the board's clock to `us`; speed None = as before."""
        if speed is not None:
            self._speed = speed
        self._now = max(self._now, us)
        await self.send(frames.time(us, self._speed).encode())

    async def sync(self, us: int, *, acknowledged: bool = True, timeout: float = 60.0) -> bool:
        """Wait until everything up to `us` is consumed and, if wanted, acknowledged by the broker.

        False when records were lost unacknowledged meanwhile. Raises BoardError after `timeout` seconds.
        """
        self._token = self._token % 65535 + 1
        token = self._token
        self._now = max(self._now, us)
        await self.send(frames.sync(us, token, acknowledged=acknowledged).encode())
        await self._until(lambda: token in self._acks, timeout, "sync")
        return self._acks.pop(token) == 0

    async def wait_mode(self, *modes: Mode, timeout: float = 60.0) -> Mode:
        """Wait until the hub has put the node into one of `modes`."""
        await self._until(lambda: self.mode in modes, timeout, "mode")
        return self.mode

    async def wait_link(self, *, up: bool = True, timeout: float = 60.0) -> None:
        """Wait until the session with the broker is up (or down)."""
        await self._until(lambda: self.linked == up, timeout, "link")

    @property
    def now_us(self) -> int:
        """Newest board time sent."""
        return self._now

    @property
    def watched(self) -> bool:
        """Whether the firmware has armed its watchdog since it started."""
        return self._dog_s > 0

    @property
    def pid(self) -> int | None:
        """Process id of the VM."""
        return self._process.pid if self._process else None

    async def serial(self, line: str) -> None:
        """Write one line to the board's serial input; answers appear in `log`."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        await self._process.stdin.drain()

    async def reset(self, *, wait_link: bool = True, timeout: float = READY_S) -> None:
        """The chip resets by itself and starts again: next boot number, the clock anew."""
        old = self._process
        await self.send([frames.reset(self._now)])
        self._now = self._start_us
        await self._until(
            lambda: self._process is not old and self._connected and (self.linked or not wait_link), timeout, "reset"
        )

    async def restart(self, *, wait_link: bool = True, timeout: float = READY_S, torn: bool = False) -> None:
        """Cut the power and start again: next boot number, the clock as after a power-on. torn: in the middle of writing files."""
        old = self._process
        self._process = None
        if old is not None:
            self._kill(old)
            await old.wait()
        if torn:
            self._tear()
        self._now = self._start_us
        await self._spawn()
        await self._until(lambda: self._connected and (self.linked or not wait_link), timeout, "restart")

    def _tear(self) -> None:
        """Leave what a write leaves that the power cut: half of the new file beside the old one."""
        for name in TORN:
            old = self._read(name)
            if old:
                beside = (self.directory / name).with_suffix(".new")
                beside.write_bytes(old[: len(old) // 2])

    async def stop(self) -> None:
        """End the VM and everything around it; safe to call twice."""
        self._stopping = True
        if self._process is not None:
            self._kill(self._process)
            await self._process.wait()
        if self._writer is not None:
            self._writer.close()
        if self._server is not None:
            self._server.close()
        tasks: Sequence[asyncio.Task[None]] = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @staticmethod
    def _kill(process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
