"""The file of secrets beside the data: passwords of the broker's users, PINs, the administrator's key."""

from __future__ import annotations

import os
import secrets as random_source
from pathlib import Path
from typing import Literal

import msgspec

from marker_hub.config import ConfigError

PIN_DIGITS = 6


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


def read_secrets(data: Path) -> Secrets | None:
    """The secrets, None before the first start. Raises ConfigError when the file is damaged or readable by others."""
    path = secrets_path(data)
    if not path.exists():
        return None
    if path.stat().st_mode & 0o077:
        raise ConfigError(f"{path}: others may read this file; run: chmod 600 {path}")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Secrets)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path}: {error}; {_NEW_SECRETS}") from error
    _usable(found, path)
    return found


_NEW_SECRETS = "restore it, or delete it to have new passwords made"


def _usable(found: Secrets, path: Path) -> None:
    """What a hand may have written there and nothing could be done with. Raises ConfigError; no secret is shown."""
    try:
        bytes.fromhex(found.session_key)
    except ValueError as error:
        raise ConfigError(f"{path}: session_key: not hexadecimal; {_NEW_SECRETS}") from error
    words = {"mqtt.hub": found.mqtt.hub, "mqtt.view": found.mqtt.view, "web.admin": found.web.admin}
    words |= {f"mqtt.tables.{table}": word for table, word in found.mqtt.tables.items()}
    words |= {f"mqtt.boxes.{table}": word for table, word in found.mqtt.boxes.items()}
    for key, word in words.items():
        if not word or not word.isprintable():
            raise ConfigError(f"{path}: {key}: not a password of one printable line; {_NEW_SECRETS}")
    for table, entry in found.web.tables.items():
        if not (entry.pin.isascii() and entry.pin.isdigit() and len(entry.pin) >= PIN_DIGITS):
            raise ConfigError(f"{path}: web.tables.{table}.pin: give at least {PIN_DIGITS} digits")


def new_pin() -> str:
    """A random PIN."""
    return f"{random_source.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"


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
            made.web.tables[table] = TableSecrets(new_pin())
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
