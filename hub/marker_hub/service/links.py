"""The hub's ways to its nodes: the sessions with the broker, and the cables of those that hang on USB."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from marker_hub import wire
from marker_hub.config import Config
from marker_hub.credentials import MqttSecrets
from marker_hub.transport.mqtt import Endpoint, MqttTransport

if TYPE_CHECKING:
    from marker_hub.serial_link import SerialNode


class Cable(NamedTuple):
    """A node on a USB cable, and the task that carries its messages."""

    node: SerialNode
    task: asyncio.Task[None]


def mqtt_transport(
    config: Config, endpoint: Endpoint, since_ms: int, filters: tuple[tuple[str, int], ...]
) -> MqttTransport:
    """Sessions that say since when (UTC, ms) this hub serves which tables, and that it is gone. filters: heard besides the tables."""
    tables = tuple(section.id for section in config.table)
    boot = since_ms // 1000 & 0xFFFFFFFF
    presence = wire.encode(wire.HubOnline(1, True, boot, since_ms, tables))
    absence = wire.encode(wire.HubOnline(1, False, boot, since_ms, tables))
    return MqttTransport(endpoint, presence, absence, filters)


def start_cables(config: Config, secrets: MqttSecrets, endpoint: Endpoint) -> list[Cable]:
    """Gateways of the nodes that hang on a USB cable, running on this loop."""
    from marker_hub.serial_link import MqttOutlet, SerialNode

    started: list[Cable] = []
    for section in config.table:
        if section.usb:
            login = endpoint._replace(user=section.id, password=secrets.tables[section.id])
            node = SerialNode(section.id, section.usb, MqttOutlet(section.id, login))
            task = asyncio.get_running_loop().create_task(node.run(), name=f"usb-{section.id}")
            started.append(Cable(node, task))
    return started
