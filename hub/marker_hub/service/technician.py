"""What the service page shows of one table: node, channels, newest events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from marker_hardware import calibration
from marker_hardware import wire as contract
from marker_hardware.codes import Flag, Kind
from marker_hardware.wire import Group, Quality
from marker_hub.broker import Notice
from marker_hub.entries import Entry, Obs
from marker_hub.ingest import Ingest, NodeRegistry, TableLink
from marker_hub.journal import Reader
from marker_hub.projections.observations import UNKNOWN, block_ms
from marker_hub.service.tables import TableRuntime
from marker_hub.service.threshold import law

RECENT_MS = 10_000
RECENT_MAX = 400
"""Entries looked at for the newest events; a table makes far fewer in ten seconds unless a channel is sick."""

_KINDS = {Group.PIN: "pin", Group.RAIL: "cushion", Group.CLICK: "click", Group.GATE: "gate"}


def service_view(
    table: TableRuntime, ingest: Ingest, reader: Reader, notices: Sequence[Notice], now_ms: int
) -> dict[str, Any]:
    """JSON of GET /api/tables/{id}/service."""
    link = ingest.tables[table.id]
    recent = _recent(reader, table, now_ms)
    return {
        "id": table.id,
        "name": table.config.name,
        "profile": link.profile,
        "fitted": table.config.sensors,
        "node": _node(ingest.registry, link),
        "channels": _channels(link, recent),
        "events": [_event(entry, body, now_ms) for entry, body in recent],
        "commissioning": None,
        "threshold": law(),
        "rejects": [
            {"at_ms": row.wall_ms, "topic": row.topic, "reason": row.reason}
            for row in reader.rejects(20)
            if row.topic.startswith(f"table/{table.id}/")
        ],
        "refused": table.reconciler.refused,
        "faults": table.faults,
        "notices": [{"code": notice.code, "text": notice.text} for notice in notices],
    }


def _recent(reader: Reader, table: TableRuntime, now_ms: int) -> list[tuple[Entry, Obs]]:
    """The observations of the last ten seconds, oldest first; read from the journal, so it works without a match too."""
    since = now_ms - RECENT_MS
    entries = reader.entries(table.id, after=max(0, table.n - RECENT_MAX))
    return [(entry, entry.body) for entry in entries if isinstance(entry.body, Obs) and entry.wall_ms >= since]


def _event(entry: Entry, body: Obs, now_ms: int) -> dict[str, Any]:
    kind = Kind(body.kind)
    return {
        "id": entry.n,
        "ms": entry.wall_ms - now_ms,
        "channel": contract.channel_name(body.ch),
        "kind": kind.name.lower(),
        "v": body.v / 1000 if kind is Kind.HIT and body.v != UNKNOWN else None,
        "pulse_ms": block_ms(body.aux) if kind is Kind.DROP else None,
        "unsure": bool(body.aux & (Flag.UNSURE | Flag.MERGED)),
    }


def _node(registry: NodeRegistry, link: TableLink) -> dict[str, Any] | None:
    current = registry.current.get(link.id)
    if current is None:
        return None
    node, boot = current
    health = link.health_raw
    held = registry.held(node, boot)
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


def _channels(link: TableLink, recent: list[tuple[Entry, Obs]]) -> list[dict[str, Any]]:
    qualities: dict[str, Quality] = dict(link.birth.channels) if link.birth else {}
    if link.health_raw is not None:
        qualities.update(link.health_raw.channels)
    newest = {contract.channel_name(body.ch): (entry, body) for entry, body in recent}
    health = link.health_raw
    need = health.vth if health is not None and health.vth is not None else calibration.load().piezo.vth.floor_mv
    floors = health.noise if health is not None else {}
    rows = []
    for channel in contract.channels(link.profile).values():
        kind = _KINDS.get(channel.group)
        if kind is None:
            continue
        quality = qualities.get(channel.name)
        word = "absent" if quality is None else quality.name.lower()
        entry, body = newest.get(channel.name, (None, None))
        rows.append(
            {
                "channel": channel.name,
                "place": channel.place,
                "kind": kind,
                "quality": channel.quality if word == "ok" else word,
                "reason": "",
                "last_v": body.v / 1000 if body is not None and body.kind == Kind.HIT and body.v != UNKNOWN else None,
                "noise_v": floors[channel.name] / 1000 if channel.name in floors else None,
                "threshold_v": need / 1000 if kind in ("cushion", "click") else None,
                "pulse_ms": block_ms(body.aux) if body is not None and body.kind == Kind.DROP else None,
                "latency_ms": _latency_ms(link, entry) if entry is not None else None,
                "beam": None,
            }
        )
    return rows


def _latency_ms(link: TableLink, entry: Entry) -> float | None:
    """From the edge to the journal by the node's clock as the hub knows it; None before the first clock sample."""
    if link.clock is None or entry.dev_us is None:
        return None
    return round((entry.mono_us - (entry.dev_us + link.clock.off)) / 1000, 1)
