"""What is wrong with a configuration, in words: the value given and what may stand there; and what this machine allows.

`wanted` reads the types of the configuration itself, so that no list of allowed values is kept twice.
"""

from __future__ import annotations

import errno
import fcntl
import ipaddress
import os
import re
import socket
import tomllib
from pathlib import Path
from typing import Any

from msgspec import inspect

from marker_hub.config import Config, ConfigError, refusal

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*", re.IGNORECASE)


def given(raw: bytes, place: str) -> str:
    """The value at a place as `table[0].quality[...]` of a TOML text, as a suffix for the key; empty where it cannot be told."""
    value: Any = tomllib.loads(raw.decode())
    for name, index in _STEP.findall(place):
        if index == "...":
            return ""
        try:
            value = value[name] if name else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return ""
    return "" if isinstance(value, (dict, list)) else f" = {value!r}"


def wanted(place: str) -> str:
    """What may stand at a place of the configuration, for people; empty where the place is not known."""
    kind: inspect.Type = inspect.type_info(Config)
    for name, index in _STEP.findall(place):
        found = _inside(kind, name, index)
        if found is None:
            return ""
        kind = found
    return _words(kind)


def _inside(kind: inspect.Type, name: str, index: str) -> inspect.Type | None:
    if isinstance(kind, inspect.StructType) and name:
        return next((field.type for field in kind.fields if field.encode_name == name), None)
    if isinstance(kind, inspect.VarTupleType) and index:
        return kind.item_type
    if isinstance(kind, inspect.DictType):
        return kind.value_type
    return None


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.LiteralType():
            return "one of " + ", ".join(repr(value) for value in kind.values)
        case inspect.EnumType():
            return "one of " + ", ".join(repr(member.value) for member in kind.cls)
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            limits = f" from {kind.ge} to {kind.le}" if kind.ge is not None and kind.le is not None else ""
            return f"a whole number{limits}"
        case inspect.StrType():
            return f"text of the form {kind.pattern}" if kind.pattern else "text"
        case inspect.VarTupleType():
            return f"a list, each {_words(kind.item_type)}"
        case inspect.DictType() | inspect.StructType():
            return "a section"
    return ""


def addresses(config: Config, where: str) -> None:
    """Addresses, names and ports that no machine could use. Raises ConfigError naming the key."""
    web, broker = config.web, config.broker
    for key, listen in (("web.listen", web.listen), ("broker.listen", broker.listen)):
        if not _is_address(listen):
            raise refusal(
                where, key, listen, "give an address of this machine, 127.0.0.1 for itself only, or 0.0.0.0 for all"
            )
    if broker.port and broker.port == web.port:
        raise refusal(where, "broker.port", broker.port, "web.port is the same; give each its own")
    for index, name in enumerate(web.hosts):
        if not _HOST.fullmatch(name):
            raise refusal(
                where, f"web.hosts[{index}]", name, "give the bare name, as marker.local, without http:// or port"
            )
    for index, proxy in enumerate(web.proxies):
        if not _is_network(proxy):
            raise refusal(
                where, f"web.proxies[{index}]", proxy, "give the address of the proxy, or a network as 10.0.0.0/24"
            )


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return text == "localhost"
    return True


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


def surroundings(config: Config, data: Path) -> None:
    """Files, folders and addresses of this machine that the configuration names; nothing is made. Raises ConfigError."""
    where = "configuration"
    for key, text in (
        ("broker.password_file", config.broker.password_file),
        ("broker.mosquitto", config.broker.mosquitto),
    ):
        if text and not (Path(text).is_file() and os.access(text, os.R_OK)):
            raise refusal(where, key, text, "there is no such file, or this user may not read it")
    for key, text in (
        ("journal.backup_folder", config.journal.backup_folder),
        ("journal.second_folder", config.journal.second_folder),
    ):
        if text and not _writable(Path(text)):
            raise refusal(where, key, text, "this user cannot write there; give a folder of his, or one he may make")
    running = _runs(data)
    own = config.broker.kind.value != "external" and not config.broker.url
    ports = [("web", config.web.listen, config.web.port)]
    if own:
        ports.append(("broker", config.broker.listen, config.broker.port))
    for section, listen, port in ports:
        _bindable(where, section, listen, port, running=running)


def _writable(folder: Path) -> bool:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _runs(data: Path) -> bool:
    """Whether a hub runs on this folder (it, or its broker, then has the ports)."""
    try:
        handle = os.open(data / "hub.lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _bindable(where: str, section: str, listen: str, port: int, *, running: bool) -> None:
    family = socket.AF_INET6 if ":" in listen else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((listen, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                if running or section == "broker":  # our own, or an orphan that the hub takes over at its start
                    return
                raise refusal(where, f"{section}.port", port, "another program has this port; give another") from error
            if error.errno == errno.EACCES:
                raise refusal(
                    where, f"{section}.port", port, "this user may not open it; give one from 1024"
                ) from error
            raise refusal(
                where, f"{section}.listen", listen, f"this machine does not have this address ({error.strerror})"
            ) from error


__all__ = ["ConfigError", "addresses", "given", "surroundings", "wanted"]
