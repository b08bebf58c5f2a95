"""Put the firmware on a node: whole, over MicroPython's raw REPL (USB), or as a signed update into the slot that rests."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from base64 import b64encode
from binascii import crc32
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import serial

from marker_hardware.data import resource
from marker_hub.nodebuild import fold
from marker_hub.provision import GONE, Channel, NodeError, NodeLost, NodeRefused, enter_service, leave_service

CHUNK = 512
"""Bytes of a file in one serial line; 684 characters of base64."""
_RAW_PROMPT = b"raw REPL; CTRL-B to exit\r\n>"
_PLATFORMS = {"rp2": ("pico_w", "pico_2_w"), "esp32": ("esp32_s3",)}
_ONLY = {"hal/unix.py": ("unix",), "hal/rp2.py": ("rp2",), "hal/esp32.py": ("esp32",), "pioin.py": ("rp2",)}

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class DeviceFile:
    """A file as it lies on the node."""

    path: str
    data: bytes


def device_files(platform: str = "rp2") -> list[DeviceFile]:
    """Files of the device package for a platform, with paths inside a slot: the package data with its constants folded."""
    return [
        DeviceFile(path, text.encode())
        for path, text in _folded().items()
        if platform in _ONLY.get(path.removeprefix("tablefw/"), (platform,))
    ]


@cache
def _folded() -> dict[str, str]:
    return fold(sources())


def sources() -> dict[str, str]:
    """Path in a slot -> text of every source file of the device package."""
    root = resource("firmware", "tablefw")
    return {
        f"tablefw/{prefix}{entry.name}": entry.read_text(encoding="utf-8")
        for folder, prefix in ((root, ""), (root / "hal", "hal/"))
        for entry in sorted(folder.iterdir(), key=lambda e: e.name)
        if entry.is_file() and entry.name.endswith(".py")
    }


def firmware_version() -> str:
    """Version of the firmware in the package data."""
    text = resource("firmware", "tablefw", "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^VERSION = "([0-9.]+)"$', text, re.MULTILINE)
    if found is None:
        raise NodeError("firmware/tablefw/__init__.py: no VERSION; reinstall billiard-marker")
    return found.group(1)


def manifest(files: list[DeviceFile], board: str = "any", version: str | None = None) -> bytes:
    """What an update or a slot consists of, as the bytes that are signed. version None = the package's own."""
    version = version or firmware_version()
    listed = {f.path: [len(f.data), hashlib.sha256(f.data).hexdigest()] for f in files}
    return json.dumps({"version": version, "board": board, "files": listed}, separators=(",", ":")).encode()


def flash_plan(platform: str = "rp2") -> list[DeviceFile]:
    """Everything `marker node flash` writes, in the order it writes it: slot a, its manifest, slot record, start files."""
    files = device_files(platform)
    body = b"a - 0"
    return [
        *[DeviceFile(f"a/{f.path}", f.data) for f in files],
        DeviceFile("a/manifest.json", manifest(files)),
        DeviceFile("slot", body + f" {crc32(body):08x}".encode()),
        DeviceFile("main.py", resource("firmware", "main.py").read_bytes()),
        DeviceFile("boot.py", resource("firmware", "boot.py").read_bytes()),
    ]


class RawRepl:
    """MicroPython's raw REPL on an open port."""

    def __init__(self, port: serial.Serial) -> None:
        """Take an open port."""
        self.port = port

    def _until(self, end: bytes, seconds: float) -> bytes:
        seen = b""
        limit = time.monotonic() + seconds
        while not seen.endswith(end):
            if time.monotonic() > limit:
                raise NodeError(f"{self.port.port}: expected {end!r}, got {seen[-60:]!r}")
            try:
                seen += self.port.read(1)
            except GONE as gone:
                raise NodeLost(f"{self.port.port}: the connection was lost ({gone})") from gone
        return seen

    def enter(self) -> None:
        """Stop what runs and enter the raw REPL. Raises NodeError with the remedy when there is no MicroPython."""
        for _ in range(3):
            self._write(b"\r\x03\x03")
            time.sleep(0.1)
            try:
                self.port.reset_input_buffer()
            except GONE as gone:
                raise NodeLost(f"{self.port.port}: the connection was lost ({gone})") from gone
            self._write(b"\r\x01")
            try:
                self._until(_RAW_PROMPT, 1.5)
            except NodeLost:
                raise
            except NodeError:
                continue
            return
        raise NodeError(
            f"{self.port.port}: no MicroPython on this board; hold BOOTSEL while plugging it in, copy the board's "
            "MicroPython UF2 image to the drive that appears, then repeat"
        )

    def _write(self, data: bytes) -> None:
        try:
            for at in range(0, len(data), 256):  # the board has no flow control here
                self.port.write(data[at : at + 256])
                if len(data) > 256:
                    time.sleep(0.002)
        except GONE as gone:
            raise NodeLost(f"{self.port.port}: the connection was lost ({gone})") from gone

    def run(self, code: str, seconds: float = 10.0) -> str:
        """Output of a piece of code. Raises NodeError with the device's traceback."""
        self._write(code.encode() + b"\x04")
        self._until(b"OK", seconds)
        out = self._until(b"\x04", seconds)[:-1]
        error = self._until(b"\x04", seconds)[:-1]
        self._until(b">", seconds)
        if error:
            raise NodeError(f"{self.port.port}: {error.decode(errors='replace').strip().splitlines()[-1]}")
        return out.decode(errors="replace").strip()

    def leave(self) -> None:
        """Reset the board."""
        self._write(b"import machine; machine.reset()\x04")


def _identity(repl: RawRepl) -> tuple[str, str]:
    """(platform, what the board calls itself)."""
    platform, _, machine = repl.run("import sys, os; print(sys.platform, os.uname().machine, sep='|')").partition("|")
    return platform, machine


def flash(port: serial.Serial, board: str | None, progress: Progress) -> str:
    """Write the whole firmware. board: refuse any other. Returns what the board calls itself.

    A file counts only after its SHA-256 was read back; boot.py comes last, so that a loss in the middle leaves the old start.
    """
    repl = RawRepl(port)
    try:
        repl.enter()
        platform, machine = _identity(repl)
    except NodeLost as lost:
        raise NodeLost(f"{lost}; nothing was written; connect it again and repeat 'marker node flash'") from lost
    if platform not in _PLATFORMS:
        raise NodeError(
            f"{port.port}: '{machine}' ({platform}) cannot be a table node; known: Pico W, Pico 2 W, ESP32-S3"
        )
    if board is not None and board not in _PLATFORMS[platform]:
        raise NodeError(f"{port.port}: wrong board: '{machine}' is not a {board}")
    plan = flash_plan(platform)
    total = sum(len(f.data) for f in plan)
    done = 0
    folders = sorted({"/".join(f.path.split("/")[:n]) for f in plan for n in range(1, f.path.count("/") + 1)})
    try:
        repl.run(_MKDIRS.format(folders=folders))
        for file in plan:
            progress(done, total, file.path)
            _copy(repl, file)
            done += len(file.data)
        progress(total, total, "reset")
        repl.leave()
    except NodeLost as lost:
        raise NodeLost(
            f"{lost}; {done} of {total} bytes were written and the old boot.py still stands; connect it again and repeat "
            "'marker node flash'"
        ) from lost
    return machine


_MKDIRS = """
import os
for d in {folders}:
    try:
        os.mkdir(d)
    except OSError:
        pass
"""
_DIGEST = """
import hashlib, binascii
h = hashlib.sha256()
f = open({path!r}, 'rb')
while True:
    b = f.read(512)
    if not b:
        break
    h.update(b)
f.close()
print(binascii.hexlify(h.digest()).decode())
"""


def _copy(repl: RawRepl, file: DeviceFile) -> None:
    repl.run(f"import binascii\nf = open({file.path!r}, 'wb')")
    for at in range(0, len(file.data), CHUNK):
        text = b64encode(file.data[at : at + CHUNK]).decode()
        repl.run(f"f.write(binascii.a2b_base64({text!r})) and None")
    repl.run("f.close()")
    if repl.run(_DIGEST.format(path=file.path)) != hashlib.sha256(file.data).hexdigest():
        raise NodeError(f"{repl.port.port}: {file.path} reads back differently; the flash is worn or full")


def update(node: Channel, key: bytes, progress: Progress, *, force: bool = False) -> str:
    """Send a signed update into the resting slot and restart the node on it. Returns the slot.

    The node confirms the new firmware after 60 s in good health, else it goes back by itself.
    """
    info = node.request("info")
    board = str(info["board"])
    files = device_files({"virtual": "unix", "esp32_s3": "esp32"}.get(board, "rp2"))
    body = manifest(files, board)
    total = len(body) + sum(len(f.data) for f in files)
    done = 0
    try:
        enter_service(node)
        node.request("ota", op="begin", mac=hmac.new(key, body, "sha256").hexdigest(), force=force)
        for file in (DeviceFile("manifest.json", body), *files):
            progress(done, total, file.path)
            for at in range(0, len(file.data), CHUNK):
                _put(node, file.path, at, file.data[at : at + CHUNK])
                done += len(file.data[at : at + CHUNK])
            if file.path == "manifest.json":
                node.request("ota", op="check")
        slot = str(node.request("ota", timeout=20.0, op="end")["pending"])
    except NodeRefused as problem:
        leave_service(node)
        raise _explained(problem) from problem
    except NodeError as problem:
        raise NodeError(
            f"{problem}; the update is incomplete, the node keeps its firmware; repeat the command"
        ) from problem
    progress(total, total, "restart")
    node.request("reset")
    return slot


def _put(node: Channel, path: str, at: int, data: bytes) -> Any:
    return node.request("ota", op="put", f=path, o=at, d=b64encode(data).decode())


def _explained(problem: NodeRefused) -> NodeError:
    text = str(problem)
    if "signature" in text:
        return NodeError(f"wrong key: {text}; use the device key this node was provisioned with")
    return NodeError(text)
