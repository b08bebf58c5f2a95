"""What a hub can be configured with, and the folder of data it names.

Without a file everything has a default: one table, the broker chosen automatically, loopback only.
"""

from __future__ import annotations

import os
import re
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from marker_hub.errors import MarkerError, shorten
from marker_rules.errors import shown

MOST_TABLES = 1000
_HOST = re.compile(r"\w(?:[\w.-]{0,251}\w)?|[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)

# A pattern alone would let a line end follow it: `$` also matches before one.
Port = Annotated[int, Meta(ge=0, le=65535)]
TableId = Annotated[
    str, Meta(pattern=r"^[a-z0-9_-]{1,16}$(?!\n)", description="1 to 16 characters out of a-z, 0-9, _ and -")
]
Name = Annotated[
    str,
    Meta(
        max_length=64,
        pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$(?!\n)",
        description="one line of at most 64 characters, without control characters",
    ),
]
Place = Annotated[
    str,
    Meta(
        max_length=1000,
        pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)",
        description="a path of at most 1000 characters, without control characters",
    ),
]
Word = Annotated[
    str,
    Meta(
        max_length=255,
        pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)",
        description="text of at most 255 characters, without control characters",
    ),
]


class ConfigError(MarkerError):
    """A configuration that cannot be used; names file, key and remedy."""


class BrokerKind(StrEnum):
    """Where the broker comes from. auto: mosquitto when it is on PATH, else the embedded one."""

    AUTO = "auto"
    MOSQUITTO = "mosquitto"
    EMBEDDED = "embedded"
    EXTERNAL = "external"
    MEMORY = "memory"


class HomeAssistant(StrEnum):
    """Whether and how the health of the nodes is described to Home Assistant: one message per entity, or one per node."""

    OFF = "off"
    COMPONENT = "component"
    DEVICE = "device"


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Common settings of all sections."""


class HubSection(Section, frozen=True):
    """[hub]: id is part of the broker's client id: two hubs on one broker need two ids.

    records_per_second: what one node may send in the long run before its records are shed (a table in play: under 100).
    """

    id: TableId = "main"
    hall: Name = ""
    data: Place = ""
    records_per_second: Annotated[int, Meta(ge=100, le=1_000_000)] = 2000


class BrokerSection(Section, frozen=True):
    """[broker]. url: mqtt://host:port of an external one; user and password_file for it. listen: an address that the nodes reach."""

    kind: BrokerKind = BrokerKind.AUTO
    url: Word = ""
    user: Word = "hub"
    password_file: Place = ""
    listen: Word = "127.0.0.1"
    port: Port = 0
    mosquitto: Place = ""


class WebSection(Section, frozen=True):
    """[web]: where pages are served and how. hosts: names the hall's computers use for this machine."""

    listen: Word = "127.0.0.1"
    port: Port = 8080
    hosts: tuple[Word, ...] = ()
    language: Literal["ru", "en", "it"] = "ru"
    zone: Word = "Europe/Moscow"
    self_service: bool = False
    secure: bool = False
    proxies: tuple[Word, ...] = ()
    sound: bool = False
    max_streams: Annotated[int, Meta(ge=1, le=5000)] = 400


class JournalSection(Section, frozen=True):
    """[journal]: backups every `backup_minutes` while something changed and at the end of a match; keep_days for records outside matches."""

    backup_minutes: Annotated[int, Meta(ge=1, le=1440)] = 60
    backup_folder: Place = ""
    second_folder: Place = ""
    keep_days: Annotated[int, Meta(ge=1, le=3650)] = 30


class TableSection(Section, frozen=True):
    """[[table]]: id is the topic and the broker user of its node. node: uid of the node that belongs here, empty = any.

    usb: USB serial number of a node on a cable that bridges its topics over the serial line, empty = it comes by network.

    game, preset, options: what a new match at this table starts with. quality: channel name -> ok or hint.
    """

    id: TableId
    name: Name = ""
    profile: Literal["carom5", "pyramid"] = "carom5"
    node: Annotated[
        str, Meta(pattern=r"^([0-9a-f]{8,32})?$(?!\n)", description="the uid of a node: 8 to 32 of 0-9 and a-f")
    ] = ""
    usb: Name = ""
    game: Literal["", "five-pins", "free-pyramid", "dynamic-pyramid", "combined-pyramid"] = ""
    preset: Word = ""
    options: dict[str, bool | int | str] = {}
    policy: Literal["referee", "self", "auto"] = "referee"
    sensors: bool = True
    quiet_ms: Annotated[int, Meta(ge=7000, le=60000)] = 8000
    lull_ms: Annotated[int, Meta(ge=500, le=10000)] = 3000
    tail_ms: Annotated[int, Meta(ge=500, le=60000)] = 2000
    countdown_ms: Annotated[int, Meta(ge=1000, le=60000)] = 5000
    quality: dict[str, Literal["ok", "hint"]] = {}


class Config(Section, frozen=True):
    """The whole file."""

    hub: HubSection = HubSection()
    broker: BrokerSection = BrokerSection()
    web: WebSection = WebSection()
    journal: JournalSection = JournalSection()
    table: Annotated[tuple[TableSection, ...], Meta(max_length=MOST_TABLES)] = ()
    home_assistant: HomeAssistant = HomeAssistant.OFF


def refusal(where: str, key: str, value: object, remedy: str) -> ConfigError:
    """A value that cannot be used."""
    return ConfigError(f"{where}: {key} = {shown(value)}: {remedy}")


def parse_url(url: str, key: str = "--broker") -> tuple[str, int]:
    """Host and port of `mqtt://host:port`, port 1883 where none is given. Raises ConfigError naming what is wrong."""

    def refuse(remedy: str) -> ConfigError:
        return ConfigError(f"{key} = {shown(url)}: {remedy}")

    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise refuse("give mqtt://host:port with a port from 1 to 65535") from error
    if parts.scheme != "mqtt" or not url.isprintable() or " " in url:
        raise refuse("give mqtt://host:port")
    if "@" in parts.netloc:
        raise refuse(
            "give mqtt://host:port; user and password have keys of their own, broker.user and broker.password_file"
        )
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise refuse("give mqtt://host:port, nothing after the port")
    if not _HOST.fullmatch(host):
        raise refuse("give mqtt://host:port with the name or address of the broker's computer")
    if port == 0:
        raise refuse("give mqtt://host:port with a port from 1 to 65535")
    return host, port or 1883


def ensure_data_folder(data: Path) -> None:
    """Make the data folder and prove that it can be written. Raises ConfigError."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        probe = data / ".write-test"
        probe.write_bytes(b"")
        probe.unlink()
    except (OSError, ValueError) as error:
        reason = "this is no folder" if data.is_file() else getattr(error, "strerror", None) or error
        raise ConfigError(
            f"data folder {shorten(data)}: {reason}; choose one this user may write, with --data"
        ) from error


def inspect_data_folder(data: Path) -> Path:
    """The data folder, or the folder above in which it would be made; nothing is left there. Raises ConfigError."""
    there, finding = writable(data)
    if finding:
        raise ConfigError(f"data folder {shorten(data)}: {finding}; choose one this user may write, with --data")
    return there


def writable(folder: Path) -> tuple[Path, str]:
    """The folder, or the one above in which it would be made, and why nothing can be written there; "" where it can.

    Tried with a file that has no name: what rights say is not what every file system does (/proc, a read-only disk).
    """
    there = folder
    try:
        longest = max((len(os.fsencode(part)) for part in folder.parts), default=0)
        while not there.exists() and there != there.parent:
            there = there.parent
        if not there.is_dir():
            return there, f"{there} is not a folder"
        if "\0" in str(folder) or longest > os.pathconf(there, "PC_NAME_MAX"):
            return there, "no file system takes a name of this path"
        with tempfile.TemporaryFile(dir=there):
            pass
    except (OSError, ValueError) as error:
        return there, f"{getattr(error, 'strerror', None) or error} in {shorten(there)}"
    return there, ""
