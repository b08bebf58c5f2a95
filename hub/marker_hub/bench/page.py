"""From a record's publish to the event on a page's stream, while the hall is busy; beside what one flush to the disk takes.

A record is shown after its commit, so on a machine that is busy with other things the disk is most of the figure.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from marker_hub.bench.hall import BenchNode, payloads
from marker_hub.broker.process import free_port
from marker_hub.transport.mqtt import Endpoint

TABLES = 8
RATE = 500
PROBES = 310
WARM = 10
"""The first probes are not counted: the page's first event loads modules."""
PROBE_S = 0.05


class _Probe:
    """One SSE client over a plain socket: notes when an event of table 1 arrives."""

    def __init__(self) -> None:
        self.sent = 0.0
        self.latencies: list[float] = []

    async def read(self, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET /api/stream?tables=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        event = b""
        while line := await reader.readline():
            if line.startswith(b"event: "):
                event = line[7:].strip()
            elif line.startswith(b"data: ") and event == b"table" and self.sent:
                self.latencies.append(time.perf_counter() - self.sent)
                self.sent = 0.0
        writer.close()


def _publisher(endpoint: Endpoint) -> paho.Client:
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id="bench-feed")
    client.username_pw_set(endpoint.user, endpoint.password)
    client.max_inflight_messages_set(200)
    client.connect(endpoint.host, endpoint.port)
    client.loop_start()
    return client


def _sender(feed: paho.Client, number: int) -> Callable[[str, bytes], None]:
    def send(suffix: str, payload: bytes) -> None:
        feed.publish(f"table/{number}/{suffix}", payload, 1)

    return send


class _Disk:
    """One small write and its flush, as often as there are probes."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "flush").open("wb")
        self.seconds: list[float] = []

    def flush(self) -> None:
        """Write 4 KiB and wait for the disk."""
        began = time.perf_counter()
        self._file.write(b"x" * 4096)
        self._file.flush()
        os.fdatasync(self._file.fileno())
        self.seconds.append(time.perf_counter() - began)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


async def _measure(folder: Path) -> tuple[list[float], list[float]]:
    port = free_port("127.0.0.1")
    hub = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-m",
            "marker_hub",
            "hub",
            "--data",
            str(folder / "data"),
            "--port",
            str(port),
            "--tables",
            str(TABLES),
        ),
        stdout=asyncio.subprocess.PIPE,
    )
    assert hub.stdout is not None
    try:
        ready = json.loads(await hub.stdout.readline())
        secrets = json.loads(Path(ready["credentials_file"]).read_text(encoding="utf-8"))
        endpoint = Endpoint(ready["mqtt"]["host"], ready["mqtt"]["port"], "hub", secrets["mqtt"]["hub"], "bench")
        feed = await asyncio.to_thread(_publisher, endpoint)
        probe = _Probe()
        reading = asyncio.ensure_future(probe.read(port))
        nodes = [BenchNode(number, _sender(feed, number)) for number in range(1, TABLES + 1)]
        for node in nodes:
            node.born()
        await asyncio.sleep(0.3)
        disk = _Disk(folder)
        await _drive(feed, nodes[0], probe, disk)
        reading.cancel()
        await asyncio.to_thread(feed.disconnect)
        feed.loop_stop()
        disk.close()
        return probe.latencies[WARM:], disk.seconds
    finally:
        hub.terminate()
        await hub.wait()


async def _drive(feed: paho.Client, node: BenchNode, probe: _Probe, disk: _Disk) -> None:
    background = payloads(TABLES - 1, RATE * 3600, 1)  # more than any machine needs for the probes
    loop = asyncio.get_running_loop()
    begin, sent, probes = loop.time(), 0, 0
    flushing = loop.create_task(asyncio.sleep(0))
    while probes < PROBES:
        now = loop.time() - begin
        while sent < now * RATE:
            number, payload = next(background)
            feed.publish(f"table/{number + 1}/ev", payload, 1)
            sent += 1
        if now >= probes * PROBE_S and not probe.sent:
            probes += 1
            if flushing.done():
                flushing = loop.create_task(asyncio.to_thread(disk.flush))
            node.t += 1000
            payload = node.batch([(node.t, 16, 4, 500, 0)])
            probe.sent = time.perf_counter()
            feed.publish("table/1/ev", payload, 1)
        await asyncio.sleep(0.001)
        if probe.sent and time.perf_counter() - probe.sent > 2:
            probe.latencies.append(2.0)
            probe.sent = 0.0
    await flushing
    await asyncio.sleep(0.2)


def _p99(ordered: list[float]) -> float:
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1000, 2)


def edge_to_stream(folder: Path) -> dict[str, Any]:
    """p50 and p99 at 500 records a second, and of a flush to the same disk in the same seconds; milliseconds."""
    measured, flushes = asyncio.run(_measure(folder))
    latencies, flushes = sorted(measured), sorted(flushes)
    return {
        "edge_to_stream_p50_ms": round(statistics.median(latencies) * 1000, 2),
        "edge_to_stream_p99_ms": _p99(latencies),
        "edge_to_stream_probes": len(latencies),
        "disk_flush_p50_ms": round(statistics.median(flushes) * 1000, 2),
        "disk_flush_p99_ms": _p99(flushes),
    }
