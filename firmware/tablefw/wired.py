"""The session over the USB cable instead of the network (`host = "usb"`): the node's topics as JSON lines, to and from the hub.

Same face as mqtt.Client. The cable acknowledges nothing: a line the port took counts as delivered, and the hub asks for what it misses.
"""

import asyncio
import json
import time

from tablefw import hal

HELLO = "usb-"  # id of the hub's first command on a new connection
SILENT_MS = 10000  # the hub answers a clock request every 2 s
WRITE_MS = 3000


class Client:
    """One connection of the cable; `shell` hands over lines that begin with a topic."""

    hello = False  # the hub has opened the cable anew, as noticed by the client before

    def __init__(self, shell, prefix):
        self.shell = shell
        self.prefix = prefix  # "table/<id>/"
        self.on_message = None
        self.on_puback = None
        self.dead = asyncio.Event()
        self.why = ""
        self._pid = 0
        self._heard = time.ticks_ms()
        self._ready = asyncio.Event()

    async def open(self, timeout):
        """Wait for the hub's first line."""
        self.shell.topics = self._line
        if Client.hello:
            Client.hello = False
            return
        await asyncio.wait_for(self._ready.wait(), timeout)

    def _line(self, line):
        try:
            d = json.loads(line)
            suffix, payload = d["topic"], d["payload"]
        except (ValueError, KeyError, TypeError, RuntimeError, MemoryError):
            return
        self._heard = time.ticks_ms()
        if isinstance(payload, dict) and str(payload.get("id", "")).startswith(HELLO):
            if self._ready.is_set():
                Client.hello = True
                self.fail("the hub opened the cable anew")
            self._ready.set()
        elif self.on_message and not self.dead.is_set():
            self.on_message((self.prefix + str(suffix)).encode(), json.dumps(payload).encode(), 0)

    async def reader(self):
        """Lines come through the shell."""
        await self.dead.wait()

    async def keep_alive(self):
        """Give up when the hub has been silent for 10 s."""
        while not self.dead.is_set():
            await asyncio.sleep(1)
            if time.ticks_diff(time.ticks_ms(), self._heard) > SILENT_MS:
                self.fail("the hub is silent")

    async def subscribe(self, topics, timeout):
        """The hub sends what concerns this node."""

    async def publish(self, topic, payload, qos=0, retain=False, entry=None):
        """Write one line; delivered when the port has taken it."""
        line = '{"topic":"%s","payload":%s}\n' % (topic[len(self.prefix) :], payload)
        end = time.ticks_add(time.ticks_ms(), WRITE_MS)
        while not hal.stdio.write(line):
            if time.ticks_diff(end, time.ticks_ms()) < 0:
                raise OSError("the cable takes no data")
            await asyncio.sleep(0.005)
        if entry and self.on_puback:
            self._pid = self._pid % 65535 + 1
            entry[0] = self._pid
            self.on_puback(self._pid)

    def fail(self, why):
        """Mark the connection as gone."""
        if not self.dead.is_set():
            self.why = why
            self.dead.set()

    def close(self):
        """Nothing to close: the cable stays."""
        self.fail("closed")

    async def disconnect(self):
        """Orderly end."""
        self.close()
