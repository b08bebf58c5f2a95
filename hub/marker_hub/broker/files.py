"""Generated broker configuration: mosquitto's three files, the embedded broker's one."""

from __future__ import annotations

import getpass
import hashlib
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from marker_hardware import wire as contract
from marker_hardware.wire import Topic
from marker_hub.credentials import MqttSecrets, write_private

AUTOSAVE_S = 30
INFLIGHT = 100
MAX_CONNECTIONS = 1000
SEGMENT_BYTES = 16 * 1024 * 1024
SEGMENTS = 4


class Generated(NamedTuple):
    """A configuration on disk: the file to start with, and the hash that tells whether a running broker has the same."""

    path: Path
    hash: str


def _hash(*parts: str) -> str:
    return hashlib.blake2b("\x00".join(parts).encode(), digest_size=16).hexdigest()


def _credentials(secrets: MqttSecrets) -> dict[str, str]:
    boxes = {box_user(table): password for table, password in secrets.boxes.items()}
    return {"hub": secrets.hub, "view": secrets.view, **secrets.tables, **boxes}


def box_user(table: str) -> str:
    """Broker user of the wireless button box of a table; no table can have this name."""
    return f"{table}.box"


def acl(boxes: Iterable[str] = ()) -> str:
    """Who may do what: the hub everything, the viewer reads states, a node only its own table, the box of a table only its keys."""
    lines = ["user hub", "topic readwrite table/#", "topic readwrite hub/#", "topic readwrite homeassistant/#", ""]
    lines += ["user view"]
    lines += [
        f"topic read {contract.topic('+', name)}"
        for name in (Topic.SCORE, Topic.SHOT, Topic.DISPLAY, Topic.STATE, Topic.HEALTH)
    ]
    lines += ["topic read hub/+/online", ""]
    for table in sorted(boxes):
        lines += [f"user {box_user(table)}", f"topic write {contract.topic(table, Topic.BTN)}", ""]
    for name in Topic:
        if name is Topic.BTN:  # a node has no keys of a referee's box
            continue
        verb = "read" if contract.topic_rule(name).sender == "hub" else "write"
        lines.append(f"pattern {verb} {contract.topic('%u', name)}")
    return "\n".join(lines) + "\n"


def mosquitto(folder: Path, listen: str, port: int, secrets: MqttSecrets, *, hash_passwords: str) -> Generated:
    """Write mosquitto.conf, acl and passwd. hash_passwords: path of mosquitto_passwd.

    Passwords are hashed in a file that only this user reads, never given on a command line where every process sees them.
    """
    passwords, rights, conf = folder / "passwd", folder / "acl", folder / "mosquitto.conf"
    # `user` keeps the broker under this account when it is started by root; without it the files could not be read.
    text = "\n".join(
        [
            f"listener {port} {listen}",
            "allow_anonymous false",
            f"password_file {passwords}",
            f"acl_file {rights}",
            f"user {getpass.getuser()}",
            "set_tcp_nodelay true",  # without it a QoS 1 round trip takes 40 ms
            "max_queued_messages 0",  # the default drops silently beyond 1000 while the hub is away
            f"max_inflight_messages {INFLIGHT}",
            f"max_packet_size {contract.payload_max()}",
            "persistence true",
            f"persistence_location {folder}/",
            "persistence_file mosquitto.db",
            f"autosave_interval {AUTOSAVE_S}",
            "persistent_client_expiration 14d",
            "log_dest stderr",
            "log_type error",
            "log_type warning",
            "log_type notice",
            "connection_messages false",
            "",
        ]
    )
    rules = acl(secrets.boxes)
    digest = _hash(text, rules, json.dumps(_credentials(secrets), sort_keys=True))
    stamp = folder / "config.hash"
    if not (passwords.exists() and stamp.exists() and stamp.read_text(encoding="ascii") == digest):
        lines = "".join(f"{user}:{password}\n" for user, password in _credentials(secrets).items())
        write_private(passwords, lines.encode())
        subprocess.run([hash_passwords, "-U", str(passwords)], check=True, capture_output=True, timeout=60)  # noqa: S603 - found on PATH
        passwords.chmod(0o600)
        write_private(stamp, digest.encode())
    write_private(rights, rules.encode())
    write_private(conf, text.encode())
    return Generated(conf, digest)


def embedded(folder: Path, listen: str, port: int, secrets: MqttSecrets) -> Generated:
    """Write the configuration of the embedded broker: login, bounded commit log, no other listener."""
    users = "\n".join(
        f"{json.dumps(user)} = {json.dumps(password)}" for user, password in _credentials(secrets).items()
    )
    text = f"""id = 0
[router]
id = 0
max_connections = {MAX_CONNECTIONS}
max_outgoing_packet_count = 200
max_segment_size = {SEGMENT_BYTES}
max_segment_count = {SEGMENTS}
[v4.1]
name = "tables"
listen = "{listen}:{port}"
next_connection_delay_ms = 1
[v4.1.connections]
connection_timeout_ms = 5000
max_payload_size = {contract.payload_max()}
max_inflight_count = {INFLIGHT}
dynamic_filters = true
[v4.1.connections.auth]
{users}
"""
    conf = folder / "embedded.toml"
    write_private(conf, text.encode())
    return Generated(conf, _hash(text))
