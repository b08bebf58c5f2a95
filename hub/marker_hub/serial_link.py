"""Nodes on a USB cable instead of the hall's network: a gateway from JSON lines to the node's own topics.

Line from the node: `{"topic":"ev","payload":{...}}`, line to it: `{"topic":"cmd","payload":{...}}`; topics are the suffixes
of hardware/wire.toml. The port is found by its USB serial number, so a cable may move to another socket; a port that
vanishes publishes the node's last will and is looked for again, with a limit on the rate and never on the number of tries.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Callable
from typing import Protocol

import serial
from serial.tools import list_ports

from marker_hardware import wire as contract
from marker_hardware.wire import Topic
from marker_hub import wire
from marker_hub.transport.mqtt import Endpoint

log = logging.getLogger("marker.serial")

LOOK_EVERY_S = 0.5
LINE_MAX = contract.payload_max() + 64
BAUD = 115_200
_FROM_NODE = {name.value: name for name in Topic if name not in wire.FROM_HUB}


class Outlet(Protocol):
    """Where a gateway's messages go and commands come from: the broker as this table's node, with its last will."""

    def open(self, will: bytes, on_command: Callable[[str, bytes], None]) -> None:
        """Connect as the node; `will` is published retained on `state` when the connection dies."""

    def publish(self, suffix: str, payload: bytes, *, retain: bool) -> None:
        """Publish with the topic's QoS."""

    def drop(self) -> None:
        """Die without DISCONNECT: the broker publishes the will."""


def find_port(usb_serial: str) -> str | None:
    """Device of the port with this USB serial number, or None while it is not plugged in."""
    return next((port.device for port in list_ports.comports() if port.serial_number == usb_serial), None)


class SerialNode:
    """One node on a cable."""

    def __init__(
        self,
        table: str,
        usb_serial: str,
        outlet: Outlet,
        *,
        find: Callable[[str], str | None] = find_port,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        """find: usb serial number -> device path; injected in tests."""
        self.table = table
        self.usb_serial = usb_serial
        self.connected = False
        self.losses = 0
        self.bad_lines = 0
        self._outlet = outlet
        self._find = find
        self._look_every_s = look_every_s
        self._port: serial.Serial | None = None
        self._buffer = b""
        self._lost = asyncio.Event()
        self._boot = 0
        self._opened = False

    async def run(self) -> None:
        """Look for the port, relay until it vanishes, for ever."""
        while True:
            device = await asyncio.to_thread(self._find, self.usb_serial)
            if device is not None and self._connect(device):
                await self._lost.wait()
                self._disconnect()
            await asyncio.sleep(self._look_every_s)

    async def stop(self, task: asyncio.Task[None]) -> None:
        """End `run`."""
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        if self.connected:
            self._disconnect()

    def _connect(self, device: str) -> bool:
        try:
            self._port = serial.Serial(device, BAUD, timeout=0, write_timeout=1.0, exclusive=True)
        except (serial.SerialException, OSError) as error:
            log.debug("table %s: %s: %s", self.table, device, error)
            return False
        self._lost.clear()
        self._buffer = b""
        self.connected = True
        asyncio.get_running_loop().add_reader(self._port.fileno(), self._readable)
        log.info("table %s: node %s on %s", self.table, self.usb_serial, device)
        self._write("cmd", json.dumps({"id": f"usb-{self.losses}", "cmd": "info"}).encode())
        return True

    def _disconnect(self) -> None:
        port, self._port = self._port, None
        self.connected = False
        self.losses += 1
        if port is not None:
            with contextlib.suppress(OSError, ValueError, serial.SerialException):
                asyncio.get_running_loop().remove_reader(port.fileno())
            with contextlib.suppress(OSError, serial.SerialException):
                port.close()
        log.warning("table %s: the cable of node %s was lost", self.table, self.usb_serial)
        if self._opened:
            self._opened = False
            self._outlet.drop()

    def _readable(self) -> None:
        port = self._port
        if port is None:
            return
        try:
            # Read what is there at once: readline of the library takes a system call for every byte.
            data = os.read(port.fileno(), 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            with contextlib.suppress(OSError, ValueError):
                asyncio.get_running_loop().remove_reader(port.fileno())
            self._lost.set()
            return
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        if len(self._buffer) > LINE_MAX:
            self._buffer = b""
            self.bad_lines += 1
        for line in lines:
            self._line(line.strip())

    def _line(self, line: bytes) -> None:
        if not line.startswith(b'{"topic"'):
            return  # log output of the board
        try:
            found = json.loads(line)
            name = _FROM_NODE[found["topic"]]
            payload = json.dumps(found["payload"], separators=(",", ":")).encode()
        except (ValueError, KeyError, TypeError, RecursionError):
            self.bad_lines += 1
            return
        if name is Topic.STATE and isinstance(found["payload"], dict) and isinstance(found["payload"].get("boot"), int):
            self._open(found["payload"]["boot"])
        if self._opened:
            self._outlet.publish(name.value, payload, retain=contract.topic_rule(name).retain)

    def _open(self, boot: int) -> None:
        if self._opened and boot == self._boot:
            return
        if self._opened:
            self._outlet.drop()
        self._boot, self._opened = boot, True
        will = json.dumps({"online": False, "boot": boot, "v": wire.VERSION}, separators=(",", ":")).encode()
        self._outlet.open(will, self._write)

    def _write(self, suffix: str, payload: bytes) -> None:
        port = self._port
        if port is None:
            return
        line = b'{"topic":' + json.dumps(suffix).encode() + b',"payload":' + payload + b"}\n"
        try:
            port.write(line)
        except (serial.SerialException, OSError):
            self._lost.set()


class MqttOutlet:
    """The outlet of a real broker: a client of its own per cable, logged in as the table."""

    def __init__(self, table: str, endpoint: Endpoint) -> None:
        """endpoint: with user and password of the table's node."""
        self._table = table
        self._endpoint = endpoint
        self._loop = asyncio.get_running_loop()
        self._client: object | None = None

    def open(self, will: bytes, on_command: Callable[[str, bytes], None]) -> None:
        """See Outlet."""
        import paho.mqtt.client as paho
        from paho.mqtt.enums import CallbackAPIVersion

        client = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"usb-{self._table}", clean_session=True)
        client.username_pw_set(self._endpoint.user, self._endpoint.password)
        client.will_set(wire.topic(self._table, Topic.STATE), will, qos=1, retain=True)
        filters = [
            (wire.topic(self._table, name), contract.topic_rule(name).qos)
            for name in (Topic.CMD, Topic.CLK_REP, Topic.DISPLAY)
        ]
        client.on_connect = lambda c, *_: c.subscribe(filters)
        prefix = len(wire.topic(self._table, Topic.EV)) - len(Topic.EV.value)

        def arrived(_client: object, _data: object, message: paho.MQTTMessage) -> None:
            if not (message.retain and message.topic.endswith("/cmd")):
                self._loop.call_soon_threadsafe(on_command, message.topic[prefix:], bytes(message.payload))

        client.on_message = arrived
        client.reconnect_delay_set(1, 5)
        client.connect_async(self._endpoint.host, self._endpoint.port, 5)
        client.loop_start()
        self._client = client

    def publish(self, suffix: str, payload: bytes, *, retain: bool) -> None:
        """See Outlet."""
        import paho.mqtt.client as paho

        assert isinstance(self._client, paho.Client)
        self._client.publish(
            wire.topic(self._table, Topic(suffix)), payload, contract.topic_rule(Topic(suffix)).qos, retain
        )

    def drop(self) -> None:
        """See Outlet: an orderly goodbye would suppress the will, so the socket is simply closed."""
        import paho.mqtt.client as paho

        client, self._client = self._client, None
        assert isinstance(client, paho.Client)
        client.loop_stop()
        sock = client.socket()
        if sock is not None:
            sock.close()
