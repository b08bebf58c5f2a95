"""The processes of a simulated hall: the hub (which brings its broker), started, killed, restarted and stopped by their ids."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marker_sim.sinks.secure import NOT_SECURE, Secure

START_LIMIT_S = 90.0
STOP_LIMIT_S = 30.0


class StageError(RuntimeError):
    """A process did not start or stop; the message is what it said itself."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What the hub announced: where its pages and its broker are, and the file with the credentials of this hall.

    `secure`, `user`: of a broker that wants an encrypted connection, or knows the node by another name than its table's.
    """

    http_host: str
    http_port: int
    mqtt_host: str
    mqtt_port: int
    credentials: dict[str, Any]
    secure: Secure = NOT_SECURE
    user: str = ""

    def login(self, table: str) -> dict[str, str]:
        """What the referee of `table` logs in with."""
        return {"pin": str(self.credentials["web"]["tables"][table]["pin"]), "table": table}

    def broker_user(self, table: str) -> tuple[str, str]:
        """Name and password of the node of `table` at the broker."""
        return self.user or table, str(self.credentials["mqtt"]["tables"][table])

    @property
    def url(self) -> str:
        """Address of the hall page."""
        return f"http://{self.http_host}:{self.http_port}"


def _read_ready(line: bytes) -> Ready:
    said = json.loads(line)
    host, _, port = said["http"].removeprefix("http://").rstrip("/").partition(":")
    credentials = json.loads(Path(said["credentials_file"]).read_text(encoding="utf-8"))
    return Ready(host, int(port), said["mqtt"]["host"], int(said["mqtt"]["port"]), credentials)


class HubProcess:
    """The hub of the hall as a process of its own; `arguments` are those of `marker hub`."""

    def __init__(self, data: Path, arguments: list[str]) -> None:
        self.data = data
        self._arguments = arguments
        self._process: asyncio.subprocess.Process | None = None
        self._drain: asyncio.Task[None] | None = None
        self._port = 0
        self.log = data / "hub.log"

    async def start(self) -> Ready:
        """Start and wait until it says that it is ready. A restart uses the same port. Raises StageError with the hub's own words."""
        port = ["--port", str(self._port)] if self._port else []
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "marker_hub", "hub", *self._arguments, *port),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), START_LIMIT_S)
        except TimeoutError:
            await self.kill()
            raise StageError(f"the hub said nothing for {START_LIMIT_S:.0f} s; its log is {self.log}") from None
        if not line:
            await self._process.wait()
            last = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise StageError(last[0].removeprefix("marker hub: ") if last else "the hub ended without a word")
        ready = _read_ready(line)
        self._port = ready.http_port
        self._drain = asyncio.create_task(self._discard(self._process.stdout))
        return ready

    @staticmethod
    async def _discard(stream: asyncio.StreamReader) -> None:
        while await stream.read(65536):
            pass

    async def kill(self) -> None:
        """SIGKILL, as a power cut would."""
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def stop(self) -> None:
        """SIGTERM, then SIGKILL after a while."""
        if self._process is None or self._process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), STOP_LIMIT_S)
        except TimeoutError:
            await self.kill()

    def kill_broker(self) -> None:
        """SIGKILL to the broker that the hub started; the hub must bring it back. Raises StageError where there is none of its own."""
        self._signal_broker(signal.SIGKILL)

    async def pause_broker(self, seconds: float) -> None:
        """SIGSTOP to the broker, SIGCONT after `seconds`. Raises StageError where there is none of its own."""
        self._signal_broker(signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._signal_broker(signal.SIGCONT)

    def _signal_broker(self, number: signal.Signals) -> None:
        record = self.data / "broker" / "broker.json"
        try:
            pid = int(json.loads(record.read_text(encoding="utf-8"))["pid"])
            os.kill(pid, number)
        except (OSError, ValueError, KeyError) as problem:
            raise StageError(f"no broker of this hub to end: {record}: {problem}") from problem
