"""What the administrator's page shows and does: hub, journal and backups, tables with their PINs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from marker_hub import journal
from marker_hub.broker import ManagedBroker
from marker_hub.config import Config
from marker_hub.credentials import Secrets, secrets_path, write_private
from marker_hub.credentials import new_pin as random_pin
from marker_hub.journal.backup import backups
from marker_hub.service.tables import TableRuntime

Json = dict[str, Any]


async def admin_view(
    config: Config,
    data: Path,
    folders: Sequence[Path],
    *,
    broker: ManagedBroker | None,
    secrets: Secrets,
    tables: Mapping[str, TableRuntime],
    health: Json,
    now_ms: int,
) -> Json:
    """JSON of GET /api/admin; folders: of the backups. PINs are in it: for administrators only."""
    kept = await asyncio.to_thread(lambda: [_folder(folder) for folder in folders])
    path = journal.database_path(data)
    endpoint = broker.endpoint if broker is not None else None
    return {
        "version": version("billiard-marker"),
        "now_ms": now_ms,
        "health": health,
        "data": str(data),
        "journal": {"file": str(path), "bytes": _size(path)},
        "backup_minutes": config.journal.backup_minutes,
        "backups": kept,
        "broker": None
        if broker is None or endpoint is None
        else {"kind": broker.kind.value, "host": endpoint.host, "port": endpoint.port},
        "settings": {
            "hall": config.hub.hall,
            "language": config.web.language,
            "zone": config.web.zone,
            "hosts": list(config.web.hosts),
            "self_service": config.web.self_service,
            "sound": config.web.sound,
        },
        "tables": [_table(table, secrets) for table in tables.values()],
    }


def _table(table: TableRuntime, secrets: Secrets) -> Json:
    view = table.view()
    return {
        "id": table.id,
        "name": table.config.name,
        "profile": table.config.profile,
        "node": view["node"],
        "match": view["match"] is not None,
        "phase": view["phase"],
        "pin": secrets.web.tables[table.id].pin,
        "faults": table.faults,
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


def new_pin(secrets: Secrets, data: Path, table: str) -> str:
    """Gives a table another PIN and keeps it. Raises OSError where the credentials cannot be written; the old PIN holds then."""
    entry = secrets.web.tables[table]
    old = entry.pin
    while entry.pin == old:
        entry.pin = random_pin()
    content = msgspec.json.format(msgspec.json.encode(secrets), indent=2) + b"\n"
    try:
        write_private(secrets_path(data), content)
    except OSError:
        entry.pin = old
        raise
    return entry.pin
