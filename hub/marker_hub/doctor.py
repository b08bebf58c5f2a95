"""Checks of an installation: each with a number, a finding and a remedy."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sqlite3
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from marker_hub import config as configuration
from marker_hub import journal
from marker_hub.broker import choose, process
from marker_hub.broker.manager import find_program
from marker_hub.config import Config, ConfigError
from marker_hub.credentials import Secrets, secrets_path
from marker_hub.errors import MarkerError
from marker_hub.transport.mqtt import Endpoint, probe

LOW_DISK_BYTES = 500_000_000
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Level(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Check(NamedTuple):
    """One result: number (stable), level, what was found, what to do."""

    number: int
    level: Level
    finding: str
    remedy: str = ""


class Scene(NamedTuple):
    """What is looked at."""

    config: Config
    data: Path


def examine(config: Config, data: Path) -> list[Check]:
    """All checks, in the order of their numbers. Changes nothing."""
    scene = Scene(config, data)
    return [found for number, check in enumerate(CHECKS, 1) for found in check(number, scene)]


def _local(listen: str) -> str:
    """Where to reach what listens there from this machine."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(listen, listen)  # noqa: S104 - compared, not bound


def _python(number: int, _scene: Scene) -> Iterator[Check]:
    version = sys.version.split()[0]
    yield Check(number, Level.OK, f"Python {version}")


def _packages(number: int, _scene: Scene) -> Iterator[Check]:
    missing = [
        name
        for name in ("paho.mqtt", "msgspec", "starlette", "uvicorn", "transitions", "serial")
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        yield Check(number, Level.FAIL, f"packages missing: {', '.join(missing)}", "reinstall billiard-marker")
    else:
        yield Check(number, Level.OK, "all packages are there")


def _folder(number: int, scene: Scene) -> Iterator[Check]:
    try:
        there = configuration.inspect_data_folder(scene.data)
    except ConfigError as error:
        yield Check(number, Level.FAIL, str(error), "give a folder this user may write")
        return
    free = shutil.disk_usage(there).free
    level = Level.WARN if free < LOW_DISK_BYTES else Level.OK
    made = "" if there == scene.data else " (made at the first start)"
    yield Check(
        number,
        level,
        f"data folder {scene.data}{made}: {free / 1e9:.1f} GB free",
        "free some space" if level is Level.WARN else "",
    )


def _secrets(number: int, scene: Scene) -> Iterator[Check]:
    path = secrets_path(scene.data)
    if not path.exists():
        yield Check(number, Level.OK, "no credentials yet; they are made at the first start")
    elif path.stat().st_mode & 0o077:
        yield Check(number, Level.FAIL, f"{path}: others may read it", f"chmod 600 {path}")
    else:
        yield Check(number, Level.OK, f"{path} is private")


def _journal(number: int, scene: Scene) -> Iterator[Check]:
    path = journal.database_path(scene.data)
    if not path.exists():
        yield Check(number, Level.OK, "no journal yet")
        return
    try:
        yield Check(
            number,
            Level.OK,
            f"journal: {journal.check(path, bodies=True)} entries, integrity good, {path.stat().st_size / 1e6:.1f} MB",
        )
    except journal.JournalError as error:
        yield Check(
            number,
            Level.FAIL,
            error.finding if isinstance(error, journal.Damaged) else str(error),
            "stop the hub; marker restore --data DIR puts the newest good backup in place",
        )


def _backups(number: int, scene: Scene) -> Iterator[Check]:
    folder = Path(scene.config.journal.backup_folder or scene.data / "backups")
    newest = journal.newest_backup(folder, bodies=True)
    if newest is None:
        yield Check(
            number,
            Level.WARN,
            f"{folder}: no good backup",
            "marker backup --data DIR; a running hub makes one after each match",
        )
    else:
        yield Check(number, Level.OK, f"newest good backup: {newest.name}")
    if not scene.config.journal.second_folder:
        yield Check(
            number,
            Level.WARN,
            "backups lie on this machine only",
            "set journal.second_folder to another disk or a mounted share",
        )


def _broker(number: int, scene: Scene) -> Iterator[Check]:
    try:
        kind = choose(scene.config.broker)
    except MarkerError as error:
        yield Check(number, Level.FAIL, str(error), "install mosquitto, or use an external broker")
        return
    yield Check(
        number,
        Level.OK,
        f"broker: {kind.value}" + (f" ({find_program('mosquitto')})" if kind.value == "mosquitto" else ""),
    )
    listen = scene.config.broker.listen
    if kind.value == "embedded" and listen not in LOOPBACK:
        yield Check(
            number,
            Level.WARN,
            f"the embedded broker has no topic rights and listens on {listen}: a node could write for another table",
            "install mosquitto",
        )
    if kind.value != "external" and listen in LOOPBACK:
        yield Check(
            number,
            Level.WARN,
            "the broker listens on this machine only; real nodes cannot reach it",
            "set broker.listen to this machine's address in the hall's network, and broker.port",
        )


def _reachable(number: int, scene: Scene) -> Iterator[Check]:
    running = process.remembered(scene.data / "broker")
    path = secrets_path(scene.data)
    if running is None or not process.alive(running) or not path.exists():
        yield Check(number, Level.OK, "no broker of this hub is running")
        return
    secrets = msgspec.json.decode(path.read_bytes(), type=Secrets)
    said = probe(Endpoint(_local(running.listen), running.port, "hub", secrets.mqtt.hub, "doctor"))
    if said:
        yield Check(number, Level.FAIL, f"the broker (pid {running.pid}) does not accept us: {said}", "restart the hub")
    else:
        yield Check(number, Level.OK, f"the broker answers on {running.listen}:{running.port}")


def _web(number: int, scene: Scene) -> Iterator[Check]:
    web = scene.config.web
    if web.port == 0:
        yield Check(number, Level.OK, "the pages' port is chosen at start")
        return
    host = _local(web.listen)
    try:
        with urllib.request.urlopen(f"http://{host}:{web.port}/healthz", timeout=2) as answer:
            health: dict[str, Any] = json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            health = json.loads(error.read() or b"{}")
    except (OSError, ValueError):
        free = process.port_free(web.listen, web.port)
        yield Check(
            number,
            Level.OK if free else Level.WARN,
            f"no hub answers on {host}:{web.port}" + ("" if free else ", but the port is taken"),
            "" if free else "stop the program that has it, or set web.port",
        )
        return
    if health.get("ok"):
        yield Check(number, Level.OK, f"the hub answers on {host}:{web.port} and records")
    else:
        yield Check(
            number,
            Level.FAIL,
            f"the hub answers, but: {health.get('failure') or 'no link to its broker'}",
            "see its log; free disk space",
        )
    for notice in health.get("notices", ()):
        yield Check(number, Level.WARN, f"{notice.get('code')}: {notice.get('text')}", "see the manual under this word")


def _rejects(number: int, scene: Scene) -> Iterator[Check]:
    path = journal.database_path(scene.data)
    if not path.exists():
        return
    try:
        with journal.Reader(path, look=True) as reader:
            found = reader.rejects(3)
    except (journal.JournalError, sqlite3.Error, OSError):
        return  # the check of the journal said what is wrong
    for row in found:
        yield Check(
            number, Level.WARN, f"refused: {row.topic}: {row.reason}", "compare the firmware's version with the hub's"
        )
    if not found:
        yield Check(number, Level.OK, "no message was refused")


CHECKS: tuple[Callable[[int, Scene], Iterator[Check]], ...] = (
    _python,
    _packages,
    _folder,
    _secrets,
    _journal,
    _backups,
    _broker,
    _reachable,
    _web,
    _rejects,
)
