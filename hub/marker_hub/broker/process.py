"""The child process of a broker: start, recognise one that a killed hub left behind, stop."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from marker_hub.credentials import write_private

STOP_S = 10.0
_STAT_THREADS = 17
"""Place of num_threads in /proc/PID/stat, counted from the state that follows the command's name."""


class Running(msgspec.Struct, frozen=True):
    """broker.json: what runs, so that the next hub can find and recognise it."""

    pid: int
    kind: str
    listen: str
    port: int
    config: str
    hash: str


def remembered(folder: Path) -> Running | None:
    """What the last hub noted, whether or not it still runs."""
    try:
        return msgspec.json.decode((folder / "broker.json").read_bytes(), type=Running)
    except (OSError, msgspec.DecodeError):
        return None


def remember(folder: Path, running: Running) -> None:
    """Note what runs."""
    write_private(folder / "broker.json", msgspec.json.encode(running))


def alive(running: Running) -> bool:
    """Whether that very process still runs: its command line names our configuration file, a reused pid's does not."""
    return running.config in command_line(running.pid)


def strays(config: str) -> list[int]:
    """Processes that run with this configuration file: a hub killed right after starting one left no note of it."""
    if Path("/proc/self").exists():
        pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        return [pid for pid in pids if pid != os.getpid() and _is_broker(command_line(pid), config)]
    ps = shutil.which("ps")
    if ps is None:
        return []
    listed = subprocess.run([ps, "-axo", "pid=,command="], check=False, capture_output=True, text=True, timeout=10)  # noqa: S603 - found on PATH
    rows = [line.strip().partition(" ") for line in listed.stdout.splitlines()]
    return [int(pid) for pid, _, command in rows if _is_broker(command, config)]


def _is_broker(command: str, config: str) -> bool:
    return config in command and ("mosquitto" in command.split(" ", 1)[0] or "marker_hub.broker.child" in command)


def command_line(pid: int) -> str:
    """Command line of a process, "" when there is none."""
    path = Path(f"/proc/{pid}/cmdline")
    if path.parent.parent.is_dir() and Path("/proc/self").exists():
        try:
            return path.read_bytes().replace(b"\x00", b" ").decode(errors="replace")
        except OSError:
            return ""
    ps = shutil.which("ps")
    if ps is None:
        return ""
    command = [ps, "-o", "command=", "-p", str(pid)]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=10)  # noqa: S603 - found on PATH
    return found.stdout


def spawn(kind: str, program: str, config: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a broker in a session of its own, so that a signal to the hub's group does not reach it."""
    if kind == "mosquitto":
        command = [program, "-c", str(config)]
    else:
        command = [sys.executable, "-m", "marker_hub.broker.child", str(config)]
    with log.open("ab") as output:
        log.chmod(0o600)
        return subprocess.Popen(  # noqa: S603 - program chosen by configuration or PATH
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, close_fds=True
        )


def terminate(pid: int, child: subprocess.Popen[bytes] | None) -> None:
    """SIGTERM, then SIGKILL after ten seconds: a broker that stores its sessions must not be cut short; waits until the process is gone."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        deadline = time.monotonic() + STOP_S
        while time.monotonic() < deadline:
            if child is not None and child.poll() is not None:
                return
            if child is None and not exists(pid):
                return
            time.sleep(0.01)


def exists(pid: int) -> bool:
    """Whether a process runs. A zombie does not, unless it has threads left: those still hold its sockets."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    with contextlib.suppress(OSError, IndexError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
        return fields[0] != "Z" or int(fields[_STAT_THREADS]) > 1
    return True


def port_free(listen: str, port: int) -> bool:
    """Whether we could listen there."""
    with socket.socket(socket.AF_INET6 if ":" in listen else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((listen, port))
        except OSError:
            return False
    return True


def port_freed(listen: str, port: int, seconds: float) -> bool:
    """Whether we could listen there, at the latest after that many seconds: what was just ended may not have let go yet."""
    deadline = time.monotonic() + seconds
    while not port_free(listen, port):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def free_port(listen: str) -> int:
    """A port nobody listens on."""
    with socket.socket(socket.AF_INET6 if ":" in listen else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((listen, 0))
        return int(probe.getsockname()[1])


def tail(log: Path, lines: int = 3) -> str:
    """The last lines of a log, joined: what a failed start said."""
    with contextlib.suppress(OSError):
        found = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return " / ".join(line.strip() for line in found[-lines:] if line.strip())
    return ""
