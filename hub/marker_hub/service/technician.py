"""What the service page shows of one table: node, channels, newest events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from marker_hardware import wire as contract
from marker_hardware.wire import Group, Quality

if TYPE_CHECKING:
    from marker_hub.ingest.core import TableLink
    from marker_hub.service.hub import Hub
    from marker_hub.service.tables import TableRuntime

_KINDS = {Group.PIN: "pin", Group.RAIL: "cushion", Group.CLICK: "click", Group.GATE: "gate"}


def service_view(hub: Hub, table: TableRuntime) -> dict[str, Any]:
    """JSON of GET /api/tables/{id}/service."""
    link = hub.ingest.tables[table.id]
    return {
        "id": table.id,
        "name": table.config.name,
        "profile": link.profile,
        "node": _node(hub, link),
        "channels": _channels(link),
        "events": [],
        "commissioning": None,
        "rejects": [
            {"at_ms": row.wall_ms, "topic": row.topic, "reason": row.reason}
            for row in hub.reader.rejects(20)
            if row.topic.startswith(f"table/{table.id}/")
        ],
        "refused": table.reconciler.refused,
        "faults": table.faults,
        "notices": [{"code": notice.code, "text": notice.text} for notice in hub.notices],
    }


def _node(hub: Hub, link: TableLink) -> dict[str, Any] | None:
    current = hub.ingest.registry.current.get(link.id)
    if current is None:
        return None
    node, boot = current
    health = link.health_raw
    held = hub.ingest.registry.held(node, boot)
    return {
        "state": "online" if link.online else "offline",
        "uid": node.uid,
        "epoch": node.epoch,
        "boot": boot,
        "fw": link.birth.fw if link.birth else "",
        "clock_ms": round(link.clock.off / 1000, 3) if link.clock else None,
        "clock_unc_ms": round(link.clock.rtt / 2000, 3) if link.clock else None,
        "drift_ppm": link.drift_ppm,
        "volts": round(health.v5 / 1000, 2) if health else None,
        "latency_ms": round(link.clock.rtt / 1000, 3) if link.clock else None,
        "drops": (health.dropped + health.overflow) if health else 0,
        "head": health.head if health else None,
        "held": held.head,
        "asking": [[gap.first, gap.last] for gap in link.tracker.open] if link.tracker else [],
    }


def _channels(link: TableLink) -> list[dict[str, Any]]:
    qualities: dict[str, Quality] = dict(link.birth.channels) if link.birth else {}
    if link.health_raw is not None:
        qualities.update(link.health_raw.channels)
    rows = []
    for channel in contract.channels(link.profile).values():
        kind = _KINDS.get(channel.group)
        if kind is None:
            continue
        quality = qualities.get(channel.name)
        word = "absent" if quality is None else quality.name.lower()
        rows.append(
            {
                "channel": channel.name,
                "place": channel.place,
                "kind": kind,
                "quality": channel.quality if word == "ok" else word,
                "reason": "",
                "last_v": None,
                "noise_v": None,
                "threshold_v": None,
                "pulse_ms": None,
                "latency_ms": None,
                "beam": None,
            }
        )
    return rows
