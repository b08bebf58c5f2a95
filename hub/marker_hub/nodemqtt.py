"""Ask a table node through the broker, as the hub does: for updates and tests without opening the table."""

from __future__ import annotations

import json
import queue
import secrets
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from marker_hardware import wire
from marker_hardware.wire import Topic
from marker_hub.provision import ANSWER_S, NodeError, NodeRefused, NodeSilent


class MqttNode:
    """Requests to one node by commands and their acknowledgements. A Channel like SerialNode."""

    def __init__(self, table: str, host: str, port: int, user: str, password: str) -> None:
        """Connect and subscribe to the acknowledgements. Raises NodeError when the broker does not let us in."""
        self.table = table
        self._address = f"{host}:{port}"
        self._prefix = f"node-{secrets.token_hex(4)}"
        self._n = 0
        self._acks: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._granted: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=self._prefix)
        self._client.username_pw_set(user, password)
        self._client.on_connect = self._connected
        self._client.on_subscribe = lambda *_: self._granted.put("")
        self._client.on_message = self._message
        try:
            self._client.connect(host, port, keepalive=10)
        except OSError as problem:
            raise NodeError(
                f"broker {self._address}: {problem}; is the hub running, is the address right?"
            ) from problem
        self._client.loop_start()
        try:
            refused = self._granted.get(timeout=ANSWER_S)
        except queue.Empty:
            refused = "no answer"
        if refused:
            self.close()
            raise NodeError(f"broker {self._address}: {refused}; check user and password")

    def _connected(self, client: paho.Client, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        if reason.is_failure:
            self._granted.put(str(reason))
        else:
            client.subscribe(wire.topic(self.table, Topic.CMD_ACK), 1)

    def _message(self, _client: object, _data: object, message: paho.MQTTMessage) -> None:
        try:
            found = json.loads(message.payload)
        except ValueError:
            return
        if isinstance(found, dict) and str(found.get("id", "")).startswith(self._prefix):
            self._acks.put(found)

    def request(self, cmd: str, timeout: float = ANSWER_S, **arguments: Any) -> Any:
        """Result of one command. The same id is sent again once, in case the node was just reconnecting: it acts once."""
        self._n += 1
        cmd_id = f"{self._prefix}-{self._n}"
        payload = json.dumps({"id": cmd_id, "cmd": cmd, **arguments})
        for _ in range(2):
            self._client.publish(wire.topic(self.table, Topic.CMD), payload, 1)
            try:
                while True:
                    found = self._acks.get(timeout=timeout)
                    if found["id"] == cmd_id:
                        break
            except queue.Empty:
                continue
            if found["ok"]:
                return found.get("result")
            raise NodeRefused(f"{cmd}: {found.get('msg', 'refused')} (code {found['code']})")
        raise NodeSilent(f"table {self.table}: no answer to '{cmd}'; is its light green?")

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        self._client.loop_stop()
