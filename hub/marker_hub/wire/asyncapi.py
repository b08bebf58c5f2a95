"""The AsyncAPI document of the broker's topics, made from the Structs: `python -m marker_hub.wire.asyncapi [--check FILE]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import yaml

from marker_hardware import wire as contract
from marker_hardware.wire import Topic
from marker_hub.wire import messages
from marker_hub.wire.topics import TYPES

TITLES = {
    Topic.EV: "Records of the node, in batches",
    Topic.STATE: "Birth of the node, and its last will",
    Topic.HEALTH: "Condition of the node",
    Topic.CLK_REQ: "The node asks for the hub's time",
    Topic.CLK_REP: "The hub's time",
    Topic.CMD: "A command to the node",
    Topic.CMD_ACK: "The node's answer to a command",
    Topic.BTN: "A key of a wireless button box",
    Topic.SCORE: "The confirmed score",
    Topic.SHOT: "Live facts and the last ruling",
    Topic.DISPLAY: "What the node's 7-segment display shows",
}


def document() -> dict[str, Any]:
    """AsyncAPI 3.0 as a plain value, deterministic."""
    # Birth and will are told apart by the value of `online`, which the library's unions cannot do: two schemas, one of them.
    kinds = [messages.Birth if name is Topic.STATE else TYPES[name] for name in Topic] + [
        messages.HubOnline,
        messages.Will,
    ]
    schemas, components = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    declared: dict[str, Any] = {}
    for name, schema in zip(Topic, schemas, strict=False):
        rule = contract.topic_rule(name)
        key = name.value.replace("/", "_")
        declared[key] = {
            "name": key,
            "title": TITLES[name],
            "contentType": "application/json",
            "payload": _plain({"oneOf": [schema, schemas[-1]]} if name is Topic.STATE else schema),
        }
        channels[key] = {
            "address": contract.topic("{table}", name),
            "title": TITLES[name],
            "parameters": {"table": {"description": "Table id, [a-z0-9_-]{1,16}; also the broker user of its node."}},
            "messages": {key: {"$ref": f"#/components/messages/{key}"}},
            "bindings": {"mqtt": {"qos": rule.qos, "retain": rule.retain}},
        }
        action = "send" if rule.sender == "hub" else "receive"
        operations[f"{action}_{key}"] = {
            "action": action,
            "channel": {"$ref": f"#/channels/{key}"},
            "summary": TITLES[name],
        }
    declared["hub_online"] = {
        "name": "hub_online",
        "title": "Presence of a hub",
        "contentType": "application/json",
        "payload": _plain(schemas[-2]),
    }
    channels["hub_online"] = {
        "address": "hub/{hub}/online",
        "title": "Presence of a hub; its last will is the same with online=false",
        "parameters": {"hub": {"description": "Id of the hub from its configuration."}},
        "messages": {"hub_online": {"$ref": "#/components/messages/hub_online"}},
        "bindings": {"mqtt": {"qos": 1, "retain": True}},
    }
    operations["send_hub_online"] = {
        "action": "send",
        "channel": {"$ref": "#/channels/hub_online"},
        "summary": "Presence of a hub",
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "billiard-marker topics",
            "version": str(messages.VERSION),
            "description": "What nodes, button boxes and the hub say to each other over MQTT 3.1.1. Made from the code; do not edit.",
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {
            "messages": declared,
            "schemas": {name: _plain(schema) for name, schema in sorted(components.items())},
        },
    }


def _plain(schema: Any) -> Any:
    """Sorted keys and no line breaks inside descriptions, so that the file is the same everywhere."""
    if isinstance(schema, dict):
        return {key: _plain(value) for key, value in sorted(schema.items())}
    if isinstance(schema, (list, tuple)):
        return [_plain(item) for item in schema]
    return " ".join(schema.split()) if isinstance(schema, str) else schema


def text() -> str:
    """The file."""
    return yaml.safe_dump(document(), sort_keys=False, allow_unicode=True, width=120)


def main(arguments: list[str]) -> int:
    """Print the document, or compare it with a file: 1 when that is out of date."""
    if arguments[:1] == ["--check"]:
        same = Path(arguments[1]).read_text(encoding="utf-8") == text()
        if not same:
            print(
                f"{arguments[1]} is out of date: python -m marker_hub.wire.asyncapi > {arguments[1]}", file=sys.stderr
            )
        return 0 if same else 1
    sys.stdout.write(text())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
