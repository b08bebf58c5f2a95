"""How long an edge takes from the board's input to a subscriber, beside a bare MQTT round trip, alternating in one run.

Started by `marker bench latency` as a process of its own: the connection comes as one JSON line on standard input, figures go out as one.
"""

import asyncio
import json
import queue
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from marker_sim.sinks import frames
from marker_sim.sinks.node import BoardConfig, VirtualBoard

WARM_UP = 20
ROUNDS = 5
STEP_US = 60_000  # between edges of the button in board time: press and release in turn, slower than chatter
BUTTON = frames.SHIFT_FIRST + 12
WAIT_S = 10.0


def quantiles(samples: list[float]) -> dict[str, float]:
    """Median, 95th and 99th percentile in milliseconds, each the median of ROUNDS parts of the run; and the maximum of all."""
    size = max(1, len(samples) // ROUNDS)
    parts = [sorted(samples[i : i + size]) for i in range(0, size * ROUNDS, size) if samples[i : i + size]]

    def middle(share: float) -> float:
        return round(1000 * statistics.median(part[int(share * (len(part) - 1))] for part in parts), 3)

    return {
        "p50_ms": middle(0.5),
        "p95_ms": middle(0.95),
        "p99_ms": middle(0.99),
        "max_ms": round(1000 * max(samples), 3),
    }


def _no_delay(_client: object, _data: object, sock: object) -> None:
    """Without it paho waits 40 ms for the acknowledgement of the packet before."""
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Probe:
    """A subscriber in the hub's place; notes when messages of one topic arrive."""

    def __init__(self, spec: dict[str, Any]) -> None:
        """Connect and subscribe."""
        self.bare_topic = f"table/{spec['table']}/shot"
        self.arrived: queue.SimpleQueue[tuple[str, float]] = queue.SimpleQueue()
        self.client = paho.Client(CallbackAPIVersion.VERSION2, client_id="bench-latency")
        self.client.username_pw_set(spec["hub_user"], spec["hub_password"])
        self.client.on_message = self._note
        self.client.on_connect = lambda client, *_: client.subscribe("table/+/+", 1)
        self.client.on_subscribe = lambda *_: self.arrived.put(("ready", 0.0))
        self.client.on_socket_open = _no_delay
        self.client.connect(spec["host"], spec["port"])
        self.client.loop_start()
        self.wait("ready")

    def _note(self, _client: object, _data: object, message: paho.MQTTMessage) -> None:
        now = time.perf_counter()
        if message.topic == self.bare_topic:
            self.arrived.put(("bare", now))
        elif message.topic.endswith("/ev"):
            self.arrived.put(("ev", now))

    def wait(self, what: str) -> float:
        """Arrival time of the next message of a kind."""
        while True:
            kind, at = self.arrived.get(timeout=WAIT_S)
            if kind == what:
                return at

    def bare(self) -> float:
        """One round trip: published with QoS 1, received by ourselves."""
        began = time.perf_counter()
        self.client.publish(self.bare_topic, b"{}", 1)
        return self.wait("bare") - began

    def close(self) -> None:
        """Disconnect."""
        self.client.disconnect()
        self.client.loop_stop()


async def measure(spec: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Figures for spec["events"] edges."""
    config = BoardConfig(spec["table"], "carom5", spec["host"], spec["port"], spec["user"], spec["password"])
    board = VirtualBoard(config, folder)
    await board.start()
    probe = await asyncio.to_thread(Probe, spec)
    try:
        us = board.now_us + 1_000_000
        await board.sync(us)
        edges: list[float] = []
        bare: list[float] = []
        for n in range(spec["events"] + WARM_UP):
            bare.append(await asyncio.to_thread(probe.bare))
            us += STEP_US
            began = time.perf_counter()
            await board.send([frames.edge(us, BUTTON, n & 1)])
            edges.append(await asyncio.to_thread(probe.wait, "ev") - began)
        return {
            "events": spec["events"],
            "vm": board.notice or "micropython",
            "edge_to_hub": quantiles(edges[WARM_UP:]),
            "bare_round_trip": quantiles(bare[WARM_UP:]),
        }
    finally:
        probe.close()
        await board.stop()


def main() -> int:
    """Read the connection, measure, print."""
    spec = json.loads(sys.stdin.readline())
    with tempfile.TemporaryDirectory(prefix="marker-latency-") as folder:
        print(json.dumps(asyncio.run(measure(spec, Path(folder)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
