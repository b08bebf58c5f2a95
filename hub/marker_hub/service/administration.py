"""What the administrator's page shows and does: hub, journal and backups, tables with their PINs."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from marker_hub import journal
from marker_hub.credentials import new_pin as random_pin
from marker_hub.credentials import secrets_path, write_private
from marker_hub.journal.backup import backups

if TYPE_CHECKING:
    from marker_hub.service.hub import Hub

Json = dict[str, Any]


async def admin_view(hub: Hub) -> Json:
    """JSON of GET /api/admin. PINs are in it: for administrators only."""
    folders = await asyncio.to_thread(lambda: [_folder(folder) for folder in hub.backup_folders()])
    path = journal.database_path(hub.options.data)
    endpoint = hub.broker.endpoint if hub.broker is not None else None
    return {
        "version": version("billiard-marker"),
        "now_ms": hub.now_ms(),
        "health": hub.health(),
        "data": str(hub.options.data),
        "journal": {"file": str(path), "bytes": _size(path)},
        "backup_minutes": hub.config.journal.backup_minutes,
        "backups": folders,
        "broker": None
        if hub.broker is None or endpoint is None
        else {"kind": hub.broker.kind.value, "host": endpoint.host, "port": endpoint.port},
        "settings": {
            "hall": hub.config.hub.hall,
            "language": hub.config.web.language,
            "zone": hub.config.web.zone,
            "hosts": list(hub.config.web.hosts),
            "self_service": hub.config.web.self_service,
            "sound": hub.config.web.sound,
        },
        "tables": [_table(hub, table) for table in hub.tables()],
    }


def _table(hub: Hub, table: str) -> Json:
    runtime = hub.table(table)
    view = runtime.view()
    link = hub.ingest.tables[table]
    return {
        "id": table,
        "name": runtime.config.name,
        "profile": link.profile,
        "node": view["node"],
        "match": view["match"] is not None,
        "phase": view["phase"],
        "pin": hub.secrets.web.tables[table].pin,
        "faults": runtime.faults,
    }


def _folder(folder: Path) -> Json:
    found = backups(folder)
    newest = found[-1] if found else None
    return {
        "folder": str(folder),
        "count": len(found),
        "newest": None
        if newest is None
        else {"name": newest.name, "bytes": _size(newest), "at_ms": int(newest.stat().st_mtime * 1000)},
    }


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


async def back_up(hub: Hub) -> str:
    """Makes a backup now; the reason where it failed, else an empty text."""
    known = len(hub.notices)
    await hub.upkeep.backup()
    return next((notice.text for notice in hub.notices[known:] if notice.code == "backup-failed"), "")


def new_pin(hub: Hub, table: str) -> str:
    """Gives a table another PIN and keeps it. Raises OSError where the credentials cannot be written; the old PIN holds then."""
    entry = hub.secrets.web.tables[table]
    old = entry.pin
    while entry.pin == old:
        entry.pin = random_pin()
    content = msgspec.json.format(msgspec.json.encode(hub.secrets), indent=2) + b"\n"
    try:
        write_private(secrets_path(hub.options.data), content)
    except OSError:
        entry.pin = old
        raise
    return entry.pin
