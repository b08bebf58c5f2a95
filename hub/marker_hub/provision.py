"""A table node on the serial line: find the port, ask, configure, test. Errors say place, value and remedy.

Serial traffic is one JSON object a line; everything else the node prints (log lines, a REPL banner) is passed to `on_log`.
"""

from __future__ import annotations

import errno
import grp
import json
import os
import termios
import time
import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import serial
from serial.tools import list_ports

from marker_hub.errors import MarkerError

BAUD = 115200
ANSWER_S = 5.0
PART = 600
"""Characters of a long text sent in one line; the node reads lines of at most 1,024 bytes."""
MODE_IDLE, MODE_SERVICE = 1, 4
GONE = (OSError, termios.error)
"""What a port raises when its cable is pulled; serial.SerialException is an OSError."""
USB_MAKERS = {0x2E8A: "Raspberry Pi", 0x303A: "Espressif"}
REQUIRED = ("table", "profile", "host", "port")


class NodeError(MarkerError):
    """The node or its port cannot be used; the message says what to do."""


class NodeRefused(NodeError):
    """The node answered that it will not do this."""


class Channel(Protocol):
    """A way to ask a node: serial line, or MQTT commands."""

    def request(self, cmd: str, timeout: float = ANSWER_S, **arguments: Any) -> Any:
        """Result of one command. Raises NodeError or NodeRefused."""


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port that may hold a node."""

    device: str
    maker: str
    number: str


def ports() -> list[Port]:
    """USB serial ports of boards that can be table nodes, by name."""
    found = [
        Port(p.device, USB_MAKERS[p.vid], p.serial_number or "")
        for p in list_ports.comports()
        if p.vid is not None and p.vid in USB_MAKERS
    ]
    return sorted(found, key=lambda p: p.device)


def choose_port(given: str | None) -> str:
    """The port given, or the only one there is. Raises NodeError when there is none or more than one."""
    if given:
        return given
    found = ports()
    if not found:
        raise NodeError(
            "no table node is connected: plug its USB cable in (a cable with data lines), or name it with --port"
        )
    if len(found) > 1:
        names = ", ".join(p.device for p in found)
        raise NodeError(f"{len(found)} boards are connected ({names}): choose one with --port")
    return found[0].device


def open_port(device: str) -> serial.Serial:
    """Open a serial port for this process alone. Raises NodeError for: no such port, no permission, in use."""
    try:
        return serial.Serial(device, BAUD, timeout=0.05, write_timeout=5, exclusive=True)
    except termios.error as problem:
        raise NodeError(f"{device}: not a serial port; 'marker node list' shows the ports that are there") from problem
    except serial.SerialException as problem:
        raise NodeError(_why_not_open(device, problem)) from problem


def _why_not_open(device: str, problem: serial.SerialException) -> str:
    code = problem.errno
    if code == errno.ENOENT or not Path(device).exists():
        return f"{device}: no such port; 'marker node list' shows the ports that are there"
    if code == errno.EACCES:
        try:
            group = grp.getgrgid(os.stat(device).st_gid).gr_name
        except (KeyError, OSError):
            group = "dialout"
        return f"{device}: no permission; add yourself to the group '{group}' (sudo usermod -aG {group} $USER), log in again"
    if code in (errno.EBUSY, errno.EWOULDBLOCK) or "lock" in str(problem).lower():
        return f"{device}: in use by another program; close it (a terminal, another 'marker node')"
    if code in (errno.ENOTTY, errno.EISDIR, errno.EINVAL) or not Path(device).is_char_device():
        return f"{device}: not a serial port; 'marker node list' shows the ports that are there"
    return f"{device}: {problem.strerror or problem}; unplug the board, plug it in again"


class SerialNode:
    """Requests and log lines of one node on a serial line."""

    def __init__(self, port: serial.Serial, on_log: Callable[[str], None] | None = None) -> None:
        """Take an open port; close() gives it back."""
        self.port = port
        self.on_log = on_log
        self._rest = b""
        self._id = 0

    @classmethod
    def open(cls, device: str, on_log: Callable[[str], None] | None = None) -> SerialNode:
        """Open the port and make sure that a table node answers on it."""
        node = cls(open_port(device), on_log)
        try:
            node.request("info", timeout=2.0)
        except NodeSilent:
            kind = node.probe()
            node.close()
            raise NodeError(f"{device}: {kind}") from None
        return node

    def close(self) -> None:
        """Give the port back."""
        self.port.close()

    def lines(self, seconds: float) -> Iterator[bytes]:
        """Complete lines as they come, until `seconds` have passed. Reads whole blocks, not bytes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                data = self.port.read(self.port.in_waiting or 1)
            except GONE as gone:
                raise NodeLost(f"{self.port.port}: the connection was lost ({gone})") from gone
            self._rest += data
            *whole, self._rest = self._rest.split(b"\n")
            yield from whole

    def request(self, cmd: str, timeout: float = ANSWER_S, **arguments: Any) -> Any:
        """Result of one command. Raises NodeSilent, NodeRefused or NodeLost."""
        self._id += 1
        line = json.dumps({"id": self._id, "cmd": cmd, **arguments}) + "\n"
        try:
            self.port.write(line.encode())
        except serial.SerialTimeoutException:
            raise NodeSilent(f"{self.port.port}: the board takes no data; unplug it and plug it in again") from None
        except GONE as gone:
            raise NodeLost(f"{self.port.port}: the connection was lost ({gone})") from gone
        for raw in self.lines(timeout):
            answer = self._answer(raw)
            if answer is None or answer.get("id") != self._id:
                continue
            if answer.get("ok"):
                return answer.get("result")
            raise NodeRefused(f"{cmd}: {answer.get('error', 'refused')}")
        raise NodeSilent(f"{self.port.port}: no answer to '{cmd}' in {timeout:g} s")

    def pass_on(self, raw: bytes) -> None:
        """Treat a line that nobody asked for: log lines go to `on_log`."""
        self._answer(raw)

    def _answer(self, raw: bytes) -> dict[str, Any] | None:
        try:
            message = json.loads(raw)
        except ValueError:
            message = None
        if isinstance(message, dict) and "ok" in message:
            return message
        if self.on_log:
            text = f"{message['t'] / 1000:.3f} {message['log']}" if _is_log(message) else raw.decode(errors="replace")
            self.on_log(text.rstrip("\r"))
        return None

    def probe(self) -> str:
        """What is on the port instead of a table node, as a sentence with the remedy."""
        try:
            self.port.write(b"\r\x03\x03\x02\r")  # with its end: a node that was only slow hears the next line
            time.sleep(0.2)
            seen = self.port.read(4096)
        except GONE:
            return "the board does not answer; unplug it and plug it in again"
        if b">>>" in seen:
            return "MicroPython without the table firmware; 'marker node flash' installs it"
        return (
            "no MicroPython on this board; hold BOOTSEL while plugging it in and copy the MicroPython UF2 image of the "
            "board to the drive that appears, then 'marker node flash'"
        )


class NodeSilent(NodeError):
    """No answer in time."""


class NodeLost(NodeError):
    """The line went away."""


def _is_log(message: object) -> bool:
    return isinstance(message, dict) and "log" in message and isinstance(message.get("t"), int)


def read_file(path: Path) -> dict[str, Any]:
    """A provisioning file: TOML with the node's own keys; `ca_file` names a DER certificate beside it.

    Only its form is checked here; the node checks every value and nothing is stored before the last one is accepted.
    Raises NodeError naming the file and what is wrong.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise NodeError(f"{path}: {problem.strerror}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise NodeError(f"{path}: not TOML ({problem})") from problem
    certificate = data.pop("ca_file", None)
    if certificate is not None:
        try:
            data["ca"] = b64encode((path.parent / str(certificate)).read_bytes()).decode()
        except OSError as problem:
            raise NodeError(f"{path}: ca_file = {certificate!r}: {problem.strerror}") from problem
    missing = [key for key in REQUIRED if key not in data]
    if missing:
        raise NodeError(f"{path}: {', '.join(missing)} missing; a node needs {', '.join(REQUIRED)}")
    return data


def enter_service(node: Channel) -> None:
    """Put the node into service mode; a node without configuration needs none."""
    info = node.request("info")
    if info["provisioned"]:
        node.request("mode", mode=MODE_SERVICE)


def leave_service(node: Channel) -> None:
    """Back to idle after a step that was given up: in service mode the hub cannot arm the table. A node that is gone stays as it is."""
    with suppress(NodeError, KeyError):
        if node.request("info")["mode"] == MODE_SERVICE:
            node.request("mode", mode=MODE_IDLE)


def apply(node: Channel, data: dict[str, Any], progress: Callable[[int, int, str], None]) -> str:
    """Set every key, commit, reset. Returns the configuration hash the node answers with.

    When the line is lost the error says which configuration the node will run.
    """
    total = len(data) + 2
    committed = False
    try:
        enter_service(node)
        for done, (key, value) in enumerate(data.items()):
            progress(done, total, key)
            _set(node, key, value)
        progress(len(data), total, "commit")
        digest = str(node.request("commit")["cfg"])
        committed = True
        progress(len(data) + 1, total, "reset")
        node.request("reset")
    except NodeRefused:
        leave_service(node)
        raise
    except (NodeLost, NodeSilent) as problem:
        state = "the new configuration is stored" if committed else "the node keeps its old configuration"
        raise NodeError(f"{problem}; {state}; connect it again and repeat 'marker node provision'") from problem
    progress(total, total, "done")
    return digest


def reopen(device: str, boot: int, seconds: float = 20.0) -> SerialNode:
    """The node after a restart, which counts boots: its port may vanish and come back. boot = the number before.

    Raises NodeError when it does not come back.
    """
    end = time.monotonic() + seconds
    problem = f"{device}: still boot {boot}"
    while time.monotonic() < end:
        try:
            node = SerialNode.open(device)
            if node.request("info")["boot"] != boot:
                return node
            node.close()
        except NodeError as found:
            problem = str(found)
        time.sleep(0.2)
    raise NodeError(f"{problem}; the node did not come back in {seconds:g} s after its restart")


def _set(node: Channel, key: str, value: Any) -> None:
    if key == "cal":
        node.request("set", key="cal", value={})
        for part, content in value.items():
            node.request("set", key=f"cal.{part}", value=content)
    elif isinstance(value, str) and len(value) > PART:
        node.request("set", key=key, value=value[:PART])
        for at in range(PART, len(value), PART):
            node.request("set", key=key, value=value[at : at + PART], part=True)
    else:
        node.request("set", key=key, value=value)
