"""Home Assistant discovery: retained descriptions of the health of each node. Off unless the configuration wants it.

What was published once and is not wanted any more (a table removed, discovery switched off) is cleared with an empty
retained payload: a device that is gone must not come back from an old message.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from marker_hardware import wire as contract
from marker_hardware.wire import Group, Topic
from marker_hub import wire
from marker_hub.config import Config, HomeAssistant, TableSection
from marker_hub.journal import Reader
from marker_hub.transport import Transport

PREFIX = "homeassistant"
STATUS = f"{PREFIX}/status"
NOTE = "discovery"
LOW_MV = 4750
"""USB allows 4.75 V; below, sensors and radio are not to be trusted, mV."""

Json = dict[str, Any]
_encode = msgspec.json.Encoder(order="deterministic").encode


def descriptions(config: Config) -> dict[str, bytes]:
    """Topic -> payload of everything Home Assistant shall know; nothing where discovery is off."""
    if config.home_assistant is HomeAssistant.OFF:
        return {}
    made: dict[str, bytes] = {}
    for table in config.table:
        parts = components(config.hub.id, table)
        device = {
            "identifiers": [f"marker_{config.hub.id}_{table.id}"],
            "name": table.name or f"Table {table.id}",
            "manufacturer": "billiard-marker",
            "model": table.profile,
        }
        if config.home_assistant is HomeAssistant.DEVICE:
            payload = {"device": device, "origin": {"name": "billiard-marker"}, "components": parts}
            made[f"{PREFIX}/device/marker_{config.hub.id}_{table.id}/config"] = _encode(payload)
            continue
        for part in parts.values():
            platform = part.pop("platform")
            made[f"{PREFIX}/{platform}/{part['unique_id']}/config"] = _encode({**part, "device": device})
    return made


def components(hub: str, table: TableSection) -> dict[str, Json]:
    """What is shown of one node, by a short name: a problem per channel, the link, the supply, the last event."""
    state, health, shot = (wire.topic(table.id, name) for name in (Topic.STATE, Topic.HEALTH, Topic.SHOT))
    online = {
        "availability_topic": state,
        "availability_template": "{{ 'online' if value_json.online else 'offline' }}",
    }

    def part(name: str, platform: str, title: str, topic: str, template: str, **more: Any) -> Json:
        return {
            "platform": platform,
            "unique_id": f"marker_{hub}_{table.id}_{name}",
            "name": title,
            "state_topic": topic,
            "value_template": template,
            "entity_category": "diagnostic",
            **more,
        }

    made: dict[str, Json] = {}
    for channel in contract.channels(table.profile).values():
        if channel.group is not Group.NODE:
            template = f"{{{{ 'OFF' if value_json.channels.get('{channel.name}', 3) == 0 else 'ON' }}}}"
            made[channel.name.lower()] = part(
                channel.name.lower(), "binary_sensor", channel.name, health, template, device_class="problem", **online
            )
    link = "{{ 'ON' if value_json.online else 'OFF' }}"
    made["link"] = part("link", "binary_sensor", "Link", state, link, device_class="connectivity")
    low = f"{{{{ 'ON' if value_json.brownout or value_json.v5 < {LOW_MV} else 'OFF' }}}}"
    made["supply"] = part("supply", "binary_sensor", "5 V supply", health, low, device_class="problem", **online)
    made["volts"] = part(
        "volts",
        "sensor",
        "5 V",
        health,
        "{{ value_json.v5 / 1000 }}",
        device_class="voltage",
        unit_of_measurement="V",
        **online,
    )
    made["event"] = part(
        "event", "sensor", "Last event", shot, "{{ value_json.shot }} {{ value_json.status }}", icon="mdi:billiards"
    )
    return made


def filters(config: Config) -> tuple[tuple[str, int], ...]:
    """What the plain session must hear besides the tables."""
    return () if config.home_assistant is HomeAssistant.OFF else ((STATUS, 1),)


class Discovery:
    """Publishes the descriptions at every new link and when Home Assistant says that it has started."""

    def __init__(
        self,
        config: Config,
        transport: Transport,
        reader: Reader,
        run: Callable[[Callable[[sqlite3.Connection], Any]], None],
    ) -> None:
        """run: lets the journal's writer carry out a task."""
        self._config = config
        self._transport = transport
        self._reader = reader
        self._run = run

    def heard(self, payload: bytes) -> None:
        """Home Assistant's birth or will."""
        if payload == b"online":
            self.publish()

    def publish(self) -> None:
        """Everything that is wanted; what is not wanted any more is cleared."""
        wanted = descriptions(self._config)
        known: list[str] = json.loads(self._reader.note(NOTE) or "[]")
        told = [
            self._transport.publish(topic, payload, qos=1, retain=True)
            for topic, payload in {**{topic: b"" for topic in known if topic not in wanted}, **wanted}.items()
        ]
        if all(told) and sorted(wanted) != known:
            self._remember(wanted)

    def _remember(self, wanted: Mapping[str, bytes]) -> None:
        row = (NOTE, json.dumps(sorted(wanted)))

        def store(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO note(key, value) VALUES(?,?)", row)

        self._run(store)
