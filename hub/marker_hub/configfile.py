"""The one configuration file (TOML): read, decoded, checked.

An unknown key, a wrong type or a value out of range is an error that names file, key, value and remedy.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from marker_hub import configcheck
from marker_hub.config import Config, ConfigError
from marker_hub.named_file import read_named

MOST_BYTES = 4_000_000
_REMEDY = "give the path of a configuration file"


def load(path: Path) -> Config:
    """Read and check a configuration. Raises ConfigError naming the key."""
    raw = read_named(path, MOST_BYTES, f"larger than {MOST_BYTES} bytes", _REMEDY, ConfigError)
    try:
        config = msgspec.toml.decode(raw, type=Config)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `")
        place = place.rstrip("`").removeprefix("$").removeprefix(".")
        raise ConfigError(_name_key(path, raw, reason, place)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}; correct the TOML syntax") from error
    if not msgspec.toml.decode(raw):
        raise ConfigError(
            f"{path}: nothing is configured here (an empty file); write what this hall has, or leave the file out for the defaults"
        )
    configcheck.verify(config, str(path))
    return config


def _name_key(path: Path, raw: bytes, reason: str, place: str) -> str:
    unknown = "Object contains unknown field `"
    if reason.startswith(unknown):
        field = reason.removeprefix(unknown).rstrip("`")
        key = f"{place}.{field}" if place else field
        return f"{path}: {key}: this key is not known; remove it or correct its spelling"
    wanted = configcheck.wanted(place)
    remedy = f"give {wanted}" if wanted and not reason.startswith("Object missing") else "correct this value"
    return f"{path}: {place or 'file'}{configcheck.given(raw, place)}: {reason}; {remedy}"
