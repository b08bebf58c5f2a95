"""What the start of a hub on this machine would trip over, found without starting anything: `marker hub --check`.

Nothing is made or changed. Every finding names the place, the value and the remedy.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
from pathlib import Path

from marker_hub import config as configuration
from marker_hub import credentials, journal
from marker_hub.broker import choose, external, process
from marker_hub.config import BrokerKind, Config, refusal, writable
from marker_hub.errors import CheckFailed, MarkerError

WHERE = "configuration"


def examine(config: Config, data: Path) -> BrokerKind:
    """Look at everything a start needs; the broker it would use. Raises MarkerError, CheckFailed for a damaged journal."""
    configuration.inspect_data_folder(data)
    surroundings(config, data)
    _inside(data)
    credentials.read_secrets(data)
    kind = choose(config.broker)
    if kind is BrokerKind.EXTERNAL:
        external(config.broker, config.hub.id)
    stored(data)
    return kind


def surroundings(config: Config, data: Path) -> None:
    """Files, folders and addresses of this machine that the configuration names. Raises ConfigError."""
    for key, text, right, remedy in (
        (
            "broker.password_file",
            config.broker.password_file,
            os.R_OK,
            "there is no such file, or this user may not read it",
        ),
        ("broker.mosquitto", config.broker.mosquitto, os.X_OK, "there is no such program, or this user may not run it"),
    ):
        if text and not (Path(text).is_file() and os.access(text, right)):
            raise refusal(WHERE, key, text, remedy)
    for key, text in (
        ("journal.backup_folder", config.journal.backup_folder),
        ("journal.second_folder", config.journal.second_folder),
    ):
        finding = writable(Path(text))[1] if text else ""
        if finding:
            raise refusal(
                WHERE, key, text, f"this user cannot write there ({finding}); give a folder of his, or one he may make"
            )
    running = runs(data)
    ports = [("web", config.web.listen, config.web.port)]
    if config.broker.kind in (BrokerKind.AUTO, BrokerKind.MOSQUITTO, BrokerKind.EMBEDDED) and not config.broker.url:
        ports.append(("broker", config.broker.listen, config.broker.port))
    for section, listen, port in ports:
        _bindable(section, listen, port, ours=running or (section == "broker" and _orphan(data / "broker", port)))


def _inside(data: Path) -> None:
    """What the hub keeps in its folder: the right kind each, and free to be written."""
    for name, folder in (
        ("broker", True),
        ("backups", True),
        ("hub.lock", False),
        (journal.database_path(data).name, False),
    ):
        place = data / name
        if not place.exists():
            continue
        if place.is_dir() is not folder:
            wanted = "folder" if folder else "file"
            raise configuration.ConfigError(f"{place}: the hub keeps a {wanted} of this name; move this one away")
        finding = writable(place)[1] if folder else "" if os.access(place, os.W_OK) else "Permission denied"
        if finding:
            raise configuration.ConfigError(
                f"{place}: {finding}; give it to this user, or choose another folder, with --data"
            )


def stored(data: Path) -> None:
    """The journal that is there already, down to its last entry. Raises CheckFailed when it is damaged, MarkerError when it is none."""
    path = journal.database_path(data)
    if not path.exists():
        return
    try:
        if not journal.begun(path):
            return
        journal.check(path, bodies=True)
    except journal.Damaged as error:
        raise CheckFailed(str(error)) from error
    except journal.JournalError as error:
        raise MarkerError(str(error)) from error


def runs(data: Path) -> bool:
    """Whether a hub runs on this folder (it, or its broker, then has the ports)."""
    try:
        handle = os.open(data / "hub.lock", os.O_RDONLY)
    except (OSError, ValueError):
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _orphan(folder: Path, port: int) -> bool:
    """Whether the broker of an earlier hub has the port: the next one takes it over, or ends it."""
    old = process.remembered(folder)
    if old is not None and process.alive(old) and old.port == port:
        return True
    return any(
        process.strays(str(path)) for path in (folder / "mosquitto.conf", folder / "embedded.toml") if path.exists()
    )


def _bindable(section: str, listen: str, port: int, *, ours: bool) -> None:
    family = socket.AF_INET6 if ":" in listen else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((listen, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                if ours:
                    return
                raise refusal(WHERE, f"{section}.port", port, "another program has this port; give another") from error
            if error.errno == errno.EACCES:
                raise refusal(
                    WHERE, f"{section}.port", port, "this user may not open it; give one from 1024"
                ) from error
            raise refusal(
                WHERE, f"{section}.listen", listen, f"this machine does not have this address ({error.strerror})"
            ) from error
