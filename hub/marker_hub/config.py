"""The one configuration file (TOML) and the file of secrets beside the data.

An unknown key, a wrong type or a value out of range is an error that names file, key, value and remedy. Without a file
everything has a default: one table, the broker chosen automatically, loopback only.
"""

from __future__ import annotations

import os
import secrets as random_source
import zoneinfo
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from marker_hub.errors import MarkerError

Port = Annotated[int, Meta(ge=0, le=65535)]
TableId = Annotated[str, Meta(pattern="^[a-z0-9_-]{1,16}$")]


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
    hall: str = ""
    data: str = ""
    records_per_second: Annotated[int, Meta(ge=100, le=1_000_000)] = 2000


class BrokerSection(Section, frozen=True):
    """[broker]. url: mqtt://host:port of an external one; user and password_file for it. listen: an address that the nodes reach."""

    kind: BrokerKind = BrokerKind.AUTO
    url: str = ""
    user: str = "hub"
    password_file: str = ""
    listen: str = "127.0.0.1"
    port: Port = 0
    mosquitto: str = ""


class WebSection(Section, frozen=True):
    """[web]: where pages are served and how. hosts: names the hall's computers use for this machine."""

    listen: str = "127.0.0.1"
    port: Port = 8080
    hosts: tuple[str, ...] = ()
    language: Literal["ru", "en", "it"] = "ru"
    zone: str = "Europe/Moscow"
    self_service: bool = False
    secure: bool = False
    proxies: tuple[str, ...] = ()
    sound: bool = False
    max_streams: Annotated[int, Meta(ge=1, le=5000)] = 400


class JournalSection(Section, frozen=True):
    """[journal]: backups every `backup_minutes` while something changed and at the end of a match; keep_days for records outside matches."""

    backup_minutes: Annotated[int, Meta(ge=1, le=1440)] = 60
    backup_folder: str = ""
    second_folder: str = ""
    keep_days: Annotated[int, Meta(ge=1, le=3650)] = 30


class TableSection(Section, frozen=True):
    """[[table]]: id is the topic and the broker user of its node. node: uid of the node that belongs here, empty = any.

    usb: USB serial number of a node on a cable that bridges its topics over the serial line, empty = it comes by network.

    game, preset, options: what a new match at this table starts with. quality: channel name -> ok or hint.
    """

    id: TableId
    name: str = ""
    profile: Literal["carom5", "pyramid"] = "carom5"
    node: Annotated[str, Meta(pattern="^([0-9a-f]{8,32})?$")] = ""
    usb: Annotated[str, Meta(max_length=64)] = ""
    game: Literal["", "five-pins", "free-pyramid", "dynamic-pyramid", "combined-pyramid"] = ""
    preset: str = ""
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
    table: tuple[TableSection, ...] = ()
    home_assistant: HomeAssistant = HomeAssistant.OFF


def load(path: Path) -> Config:
    """Read and check a configuration. Raises ConfigError naming the key."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; give the path of a configuration file") from error
    try:
        config = msgspec.toml.decode(raw, type=Config)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `")
        place = place.rstrip("`").removeprefix("$").removeprefix(".")
        raise ConfigError(_name_key(path, raw, reason, place)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}; correct the TOML syntax") from error
    verify(config, str(path))
    return config


def refusal(where: str, key: str, value: object, remedy: str) -> ConfigError:
    """A value that cannot be used."""
    return ConfigError(f"{where}: {key} = {value!r}: {remedy}")


def _name_key(path: Path, raw: bytes, reason: str, place: str) -> str:
    from marker_hub import configcheck

    unknown = "Object contains unknown field `"
    if reason.startswith(unknown):
        field = reason.removeprefix(unknown).rstrip("`")
        key = f"{place}.{field}" if place else field
        return f"{path}: {key}: this key is not known; remove it or correct its spelling"
    wanted = configcheck.wanted(place)
    remedy = f"give {wanted}" if wanted and not reason.startswith("Object missing") else "correct this value"
    return f"{path}: {place or 'file'}{configcheck.given(raw, place)}: {reason}; {remedy}"


def verify(config: Config, where: str) -> None:
    """Checks between keys. Raises ConfigError naming the key."""
    from marker_hub import configcheck

    def refuse(key: str, value: object, remedy: str) -> ConfigError:
        return refusal(where, key, value, remedy)

    seen: set[str] = set()
    for index, table in enumerate(config.table):
        if table.id in seen:
            raise refuse(f"table[{index}].id", table.id, "two tables have this id; every table needs its own")
        if table.id in ("hub", "view"):
            raise refuse(f"table[{index}].id", table.id, "this name is a broker user of the hub; choose another id")
        if table.game and (table.profile == "carom5") != (table.game == "five-pins"):
            raise refuse(
                f"table[{index}].game", table.game, f"this game is not played on the profile '{table.profile}'"
            )
        seen.add(table.id)
        _verify_channels(table, index, refuse)
        _verify_game(table, index, refuse)
    try:
        zoneinfo.ZoneInfo(config.web.zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
        raise refuse("web.zone", config.web.zone, "give an IANA time zone as Europe/Rome") from error
    if config.broker.kind is BrokerKind.EXTERNAL and not config.broker.url:
        raise refuse("broker.url", "", "an external broker needs its address, as mqtt://10.0.0.5:1883")
    if config.broker.url:
        parse_url(config.broker.url, f"{where}: broker.url")
    configcheck.addresses(config, where)


def _verify_channels(table: TableSection, index: int, refuse: object) -> None:
    from marker_hardware import wire as contract

    assert callable(refuse)
    names = {entry.name for entry in contract.channels(table.profile).values()}
    for channel in table.quality:
        if channel not in names:
            raise refuse(
                f"table[{index}].quality.{channel}",
                table.quality[channel],
                f"no such channel; there are {', '.join(sorted(names))}",
            )


def _verify_game(table: TableSection, index: int, refuse: object) -> None:
    from marker_rules.balls import GameId
    from marker_rules.errors import IllegalInput
    from marker_rules.options import Options

    assert callable(refuse)
    if not table.game:
        if table.preset or table.options:
            key = "preset" if table.preset else "options"
            raise refuse(f"table[{index}].{key}", table.preset or table.options, "name the game too")
        return
    try:
        Options(GameId(table.game), table.options, table.preset)
    except IllegalInput as error:
        named = (name for name in table.options if name == error.code or f"'{name}'" in str(error))
        name = next(named, "")
        key = f"table[{index}].options.{name}" if name else f"table[{index}].preset"
        raise refuse(key, table.options.get(name, table.preset), str(error)) from error


def parse_url(url: str, key: str = "--broker") -> tuple[str, int]:
    """Host and port of `mqtt://host:port`. Raises ConfigError."""
    scheme, _, rest = url.partition("://")
    host, _, port = rest.rpartition(":")
    if scheme != "mqtt" or not (host or rest) or (host and not port.isdigit()):
        raise ConfigError(f"{key} = {url!r}: give mqtt://host:port")
    return (host, int(port)) if host else (rest, 1883)


class MqttSecrets(msgspec.Struct):
    """Broker passwords: the hub's, the read-only viewer's, one per table for its node, one for a wireless button box there."""

    hub: str
    view: str
    tables: dict[str, str]
    boxes: dict[str, str] = {}


class TableSecrets(msgspec.Struct):
    """The referee's PIN of a table."""

    pin: str


class WebSecretsFile(msgspec.Struct):
    """The administrator's key, the PINs."""

    admin: str
    tables: dict[str, TableSecrets]


class Secrets(msgspec.Struct):
    """credentials.json, mode 0600."""

    v: Literal[1]
    mqtt: MqttSecrets
    web: WebSecretsFile
    session_key: str


def secrets_path(data: Path) -> Path:
    """File of the secrets in a data folder."""
    return data / "credentials.json"


def ensure_data_folder(data: Path) -> None:
    """Make the data folder and prove that it can be written. Raises ConfigError."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        probe = data / ".write-test"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise ConfigError(
            f"data folder {data}: {error.strerror}; choose one this user may write, with --data"
        ) from error


def inspect_data_folder(data: Path) -> Path:
    """The data folder, or the folder above in which it would be made; nothing is touched. Raises ConfigError."""
    there = data
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise ConfigError(f"data folder {data}: {there} is not a folder; choose another one, with --data")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ConfigError(
            f"data folder {data}: this user may not write in {there}; choose another one, with --data, or its rights"
        )
    return there


def read_secrets(data: Path) -> Secrets | None:
    """The secrets, None before the first start. Raises ConfigError when the file is damaged or readable by others."""
    path = secrets_path(data)
    if not path.exists():
        return None
    if path.stat().st_mode & 0o077:
        raise ConfigError(f"{path}: others may read this file; run: chmod 600 {path}")
    try:
        return msgspec.json.decode(path.read_bytes(), type=Secrets)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path}: {error}; restore it, or delete it to have new passwords made") from error


def load_secrets(data: Path, tables: tuple[str, ...]) -> Secrets:
    """Read the secrets, make what is missing (first start, a new table). Raises ConfigError when the file is readable by others."""
    path = secrets_path(data)
    found = read_secrets(data)
    made = found or Secrets(
        1,
        MqttSecrets(random_source.token_urlsafe(18), random_source.token_urlsafe(18), {}),
        WebSecretsFile(random_source.token_urlsafe(18), {}),
        random_source.token_hex(32),
    )
    complete = found is not None
    for table in tables:
        if table not in made.mqtt.tables:
            made.mqtt.tables[table] = random_source.token_urlsafe(18)
            complete = False
        if table not in made.mqtt.boxes:
            made.mqtt.boxes[table] = random_source.token_urlsafe(18)
            complete = False
        if table not in made.web.tables:
            made.web.tables[table] = TableSecrets(f"{random_source.randbelow(1_000_000):06d}")
            complete = False
    if not complete:
        write_private(path, msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n")
    return made


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only this user can read, whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
