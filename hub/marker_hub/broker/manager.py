"""Choosing, adopting and supervising the broker."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from marker_hub.broker import files, process
from marker_hub.broker.process import Running
from marker_hub.config import BrokerKind, BrokerSection, parse_url
from marker_hub.credentials import MqttSecrets
from marker_hub.errors import MarkerError
from marker_hub.transport.mqtt import Endpoint, probe

log = logging.getLogger("marker.broker")
T = TypeVar("T")

READY_S = 20.0
"""How long a broker may take to answer: a slow machine that starts everything at once is no reason to give it up."""
EXTERNAL_S = 10.0
RELEASE_S = 10.0
"""How long a broker waits for the port that the nodes know it by."""
BACKOFF_FIRST_S = 0.1
BACKOFF_MAX_S = 5.0
WATCH_S = 0.1
FAILURES_BEFORE_SET_ASIDE = 3
_EXTRA_DIRS = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")


class BrokerError(MarkerError):
    """No broker: says which one, what it said and the remedy."""


class Notice(NamedTuple):
    """Something the hall should know: code for the page's catalogue, English text for log and doctor."""

    code: str
    text: str


def find_program(name: str) -> str | None:
    """A program on PATH or in the places where servers are kept."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(_EXTRA_DIRS))


def choose(section: BrokerSection) -> BrokerKind:
    """The kind that `auto` stands for here. Raises BrokerError when what was asked for is not there."""
    kind = BrokerKind.EXTERNAL if section.url else section.kind
    mosquitto = section.mosquitto or find_program("mosquitto")
    embedded = importlib.util.find_spec("iotcore") is not None
    if kind is BrokerKind.AUTO:
        if mosquitto and find_program("mosquitto_passwd"):
            return BrokerKind.MOSQUITTO
        kind = BrokerKind.EMBEDDED
        if not embedded:
            raise BrokerError(
                "no broker: neither the program mosquitto nor the package iotcore is here; "
                "install one (Debian: apt install mosquitto), or give --broker mqtt://host:port"
            )
    if kind is BrokerKind.MOSQUITTO and not (mosquitto and Path(mosquitto).exists()):
        raise BrokerError(
            "broker: the program mosquitto was not found; install it (Debian: apt install mosquitto) or use --broker embedded"
        )
    if kind is BrokerKind.MOSQUITTO and not find_program("mosquitto_passwd"):
        raise BrokerError(
            "broker: the program mosquitto_passwd was not found; reinstall mosquitto, or use --broker embedded"
        )
    if kind is BrokerKind.EMBEDDED and not embedded:
        raise BrokerError(
            "broker: the package iotcore is not installed or has no build for this platform; use mosquitto"
        )
    return kind


def external(section: BrokerSection, hub: str) -> Endpoint:
    """The broker of `broker.url`, which answered just now. hub: id in the client's name. Blocks. Raises BrokerError."""
    host, port = parse_url(section.url, "broker.url")
    password = ""
    if section.password_file:
        try:
            password = Path(section.password_file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "this is no text"
            raise BrokerError(
                f"broker.password_file {section.password_file}: {reason}; name the file that holds the password"
            ) from error
    endpoint = Endpoint(host, port, section.user, password, hub)
    finding = probe(endpoint, EXTERNAL_S)
    if finding:
        raise BrokerError(
            f"broker {host}:{port}: {finding}; check the address, that it runs, and user '{endpoint.user}'"
        )
    return endpoint


class ManagedBroker:
    """One broker for one hub. `endpoint` is valid after `start`."""

    def __init__(self, section: BrokerSection, secrets: MqttSecrets, folder: Path, hub: str) -> None:
        """folder: where configuration, store and log of the broker lie. Raises BrokerError when the kind is not available."""
        self.kind = choose(section)
        self.endpoint = Endpoint(section.listen, section.port, "hub", secrets.hub, hub)
        self.adopted = False
        self.restarts = 0
        self.notices: list[Notice] = []
        self._section = section
        self._secrets = secrets
        self._folder = folder
        self._running: Running | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._stopping = False
        self._on_notice: Callable[[Notice], None] = self.notices.append

    @property
    def pid(self) -> int | None:
        """Process of the broker, None for an external one."""
        return self._running.pid if self._running else None

    @property
    def own(self) -> bool:
        """Whether this hub runs it."""
        return self.kind in (BrokerKind.MOSQUITTO, BrokerKind.EMBEDDED)

    async def start(self, on_notice: Callable[[Notice], None] | None = None) -> Endpoint:
        """Make sure a broker answers. Raises BrokerError with one clear line; leaves nothing running then."""
        self._stopping = False
        if on_notice is not None:
            self._on_notice = on_notice
        if self.kind is BrokerKind.EXTERNAL:
            self.endpoint = await asyncio.to_thread(external, self._section, self.endpoint.hub)
        else:
            try:
                await self._to_its_end(self._start_own)
            except (OSError, subprocess.SubprocessError) as error:
                raise BrokerError(f"broker: {error}; check the data folder and the program") from error
            self._watch = asyncio.get_running_loop().create_task(self._supervise(), name="broker")
        return self.endpoint

    async def stop(self) -> None:
        """Stop an own broker, also an adopted one."""
        self._stopping = True
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
            self._watch = None
        if self._running is not None and self.own:
            await asyncio.to_thread(process.terminate, self._running.pid, self._child)
            self._running = self._child = None

    async def _to_its_end(self, work: Callable[[], T]) -> T:
        """In a thread that is waited for also when the caller is cancelled: a process it has started is known then, and stopped."""
        job = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(job)
        except asyncio.CancelledError:
            self._stopping = True
            await asyncio.wait({job})
            raise

    # -- own -------------------------------------------------------------------------------------------------------

    def _start_own(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        old = process.remembered(self._folder)
        port = self._section.port or (old.port if old and old.listen == self._section.listen else 0)
        port = port or process.free_port(self._section.listen)
        made = self._generate(port)
        if old is not None and process.alive(old):
            if old.hash == made.hash and old.port == port and self._answers(port, READY_S):
                self._adopt(old)
                return
            log.info("broker of an earlier hub (pid %d) has another configuration; it is replaced", old.pid)
            process.terminate(old.pid, None)
        for pid in process.strays(str(made.path)):
            log.info("a broker of an earlier hub (pid %d) is replaced", pid)
            process.terminate(pid, None)
        known = old is not None and old.port == port  # it stands in the configuration of the nodes
        if not process.port_freed(self._section.listen, port, RELEASE_S if known else 0):
            if self._section.port:
                raise BrokerError(
                    f"broker port {self._section.listen}:{port} is in use; stop the program that has it, or set broker.port"
                )
            port, made = self._elsewhere(port, told=True)
        failures = 0
        while True:
            said = self._launch(made, port)
            if said is None:
                return
            failures += 1
            if self._stopping:
                raise BrokerError(f"broker: {self.kind} was stopped while it started")
            if not self._section.port and not process.port_free(self._section.listen, port):
                port, made = self._elsewhere(
                    port, told=known
                )  # somebody was faster: a port is free only until it is taken
            if failures >= FAILURES_BEFORE_SET_ASIDE:
                if not self._set_store_aside():
                    raise BrokerError(f"broker: {self.kind} did not start: {said or 'it said nothing'}")
                failures = 0
            time.sleep(BACKOFF_FIRST_S * 2 ** min(failures, 3))

    def _elsewhere(self, taken: int, *, told: bool) -> tuple[int, files.Generated]:
        """Another free port and the configuration for it. told: nodes may know the old one."""
        port = process.free_port(self._section.listen)
        if told:
            text = f"port {taken} is in use by another program; the broker now has {port}: set broker.port, and tell the nodes"
            self._on_notice(Notice("broker-port-changed", text))
        return port, self._generate(port)

    def _generate(self, port: int) -> files.Generated:
        if self.kind is BrokerKind.MOSQUITTO:
            hasher = find_program("mosquitto_passwd")
            if hasher is None:
                raise BrokerError("broker: the program mosquitto_passwd is missing; reinstall mosquitto")
            return files.mosquitto(self._folder, self._section.listen, port, self._secrets, hash_passwords=hasher)
        return files.embedded(self._folder, self._section.listen, port, self._secrets)

    def _launch(self, made: files.Generated, port: int) -> str | None:
        """Start the process and wait for its CONNACK: None when it serves, else what it said."""
        self.endpoint = self.endpoint._replace(port=port)
        output = self._folder / "broker.log"
        if output.exists() and output.stat().st_size > 1_000_000:
            output.replace(output.with_suffix(".log.1"))
        program = self._section.mosquitto or find_program("mosquitto") or ""
        child = process.spawn(self.kind.value, program, made.path, output)
        running = Running(child.pid, self.kind.value, self._section.listen, port, str(made.path), made.hash)
        process.remember(self._folder, running)
        deadline = time.monotonic() + READY_S
        while time.monotonic() < deadline and not self._stopping:
            if child.poll() is not None:
                return f"exit status {child.returncode}: {process.tail(output)}"
            if self._answers(port, deadline - time.monotonic()):
                self._running, self._child, self.adopted = running, child, False
                return None
            time.sleep(0.005)
        process.terminate(child.pid, child)
        return f"no CONNACK within {READY_S:.0f} s"

    def _answers(self, port: int, seconds: float) -> bool:
        return probe(self._local(port), max(1.0, seconds)) == ""

    def _local(self, port: int) -> Endpoint:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._section.listen, self._section.listen)  # noqa: S104 - compared, not bound
        self.endpoint = self.endpoint._replace(host=host, port=port)
        return self.endpoint

    def _adopt(self, old: Running) -> None:
        self._running, self._child, self.adopted = old, None, True
        self._on_notice(Notice("broker-adopted", f"took over the broker that was still running (pid {old.pid})"))

    def _set_store_aside(self) -> bool:
        store = self._folder / "mosquitto.db"
        if self.kind is not BrokerKind.MOSQUITTO or not store.exists():
            return False
        aside = store.with_name(time.strftime("mosquitto-bad-%Y%m%dT%H%M%SZ.db", time.gmtime()))
        store.replace(aside)
        self._on_notice(
            Notice("broker-store-set-aside", f"the broker's store was damaged; kept as {aside}, started empty")
        )
        return True

    # -- supervision -----------------------------------------------------------------------------------------------

    def _gone(self) -> bool:
        if self._child is not None:
            return self._child.poll() is not None
        return self._running is not None and not process.exists(self._running.pid)

    async def _supervise(self) -> None:
        delay, failures = BACKOFF_FIRST_S, 0
        while True:
            await asyncio.sleep(WATCH_S)
            if not self._gone():
                continue
            log.warning("the broker is gone; it is started again")
            while True:
                port = self.endpoint.port
                try:
                    said = await self._to_its_end(partial(self._launch, self._generate(port), port))
                except (OSError, subprocess.SubprocessError) as error:
                    said = str(error)
                if said is None:
                    self.restarts += 1
                    delay, failures = BACKOFF_FIRST_S, 0
                    self._on_notice(Notice("broker-restarted", "the broker was started again"))
                    break
                failures += 1
                log.warning("the broker does not start: %s", said)
                if failures == FAILURES_BEFORE_SET_ASIDE:
                    self._set_store_aside()
                await asyncio.sleep(delay)
                delay = min(delay * 2, BACKOFF_MAX_S)
