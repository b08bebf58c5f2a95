"""Saturated MQTT: the hub, message -> durable, beside a bare paho subscriber that only counts, over the same broker program."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from marker_hub.bench.hall import BenchNode, payloads
from marker_hub.broker import ManagedBroker
from marker_hub.config import BrokerKind, BrokerSection, Config, HubSection, TableSection
from marker_hub.credentials import load_secrets
from marker_hub.service import Hub, HubOptions
from marker_hub.transport.mqtt import Endpoint

TABLES = 8
ROUNDS = 3


def _client(endpoint: Endpoint, name: str) -> paho.Client:
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name)
    client.username_pw_set(endpoint.user, endpoint.password)
    client.max_inflight_messages_set(200)
    client.max_queued_messages_set(0)
    return client


def publish_all(spec: dict[str, Any]) -> None:
    """The publisher's process: births, then every message with QoS 1 as fast as they go; ends when all are acknowledged."""
    client = _client(Endpoint(spec["host"], spec["port"], "hub", spec["password"], "bench"), "bench-publisher")
    client.connect(spec["host"], spec["port"])
    client.loop_start()
    for number in range(1, TABLES + 1):
        BenchNode(number, lambda suffix, payload, n=number: _send(client, f"table/{n}/{suffix}", payload)).born()  # type: ignore[misc]
    pending: list[paho.MQTTMessageInfo] = []
    for number, payload in payloads(TABLES, spec["size"], 1):
        pending.append(client.publish(f"table/{number}/ev", payload, 1))
        if len(pending) >= 400:
            pending.pop(0).wait_for_publish(30)
    for info in pending:
        info.wait_for_publish(30)
    client.disconnect()
    client.loop_stop()


def _send(client: paho.Client, topic: str, payload: bytes) -> None:
    client.publish(topic, payload, 1).wait_for_publish(10)


def _publisher(endpoint: Endpoint, size: int) -> subprocess.Popen[bytes]:
    spec = json.dumps({"host": endpoint.host, "port": endpoint.port, "password": endpoint.password, "size": size})
    code = "import json,sys; from marker_hub.bench.mqtt import publish_all; publish_all(json.loads(sys.argv[1]))"
    return subprocess.Popen([sys.executable, "-c", code, spec])  # noqa: S603 - our own interpreter


def bare_subscriber(endpoint: Endpoint, size: int) -> float:
    """Messages a second that a paho subscriber counts, first to last."""
    times: list[float] = []
    done = threading.Event()
    total = sum(1 for _ in payloads(TABLES, size, 1))

    def on_message(_client: object, _data: object, message: paho.MQTTMessage) -> None:
        if message.topic.endswith("/ev"):
            times.append(time.perf_counter())
            if len(times) >= total:
                done.set()

    client = _client(endpoint, "bench-subscriber")
    client.on_message = on_message
    client.connect(endpoint.host, endpoint.port)
    client.subscribe("table/+/+", 1)
    client.loop_start()
    time.sleep(0.1)
    publisher = _publisher(endpoint, size)
    done.wait(120)
    publisher.wait(30)
    client.disconnect()
    client.loop_stop()
    return (len(times) - 1) / (times[-1] - times[0])


async def hub_rate(folder: Path, size: int, kind: BrokerKind) -> float:
    """Records a second, first to last, until each is committed and acknowledged."""
    tables = tuple(TableSection(id=str(number)) for number in range(1, TABLES + 1))
    config = Config(hub=HubSection(records_per_second=1_000_000), broker=BrokerSection(kind=kind), table=tables)
    hub = Hub(HubOptions(config, folder))
    await hub.start()
    try:
        assert hub.broker is not None
        total = sum(1 for _ in payloads(TABLES, size, 1))
        publisher = _publisher(hub.broker.endpoint, size)
        while hub.figures.value("records_total") == 0:
            await asyncio.sleep(0.001)
        began = time.perf_counter()
        first = hub.figures.value("records_total")
        while hub.figures.value("records_total") < total:
            await asyncio.sleep(0.002)
        rate = (total - first) / (time.perf_counter() - began)
        await asyncio.to_thread(publisher.wait, 30)
        return rate
    finally:
        await hub.stop()


async def _bare(folder: Path, size: int, kind: BrokerKind) -> float:
    folder.mkdir(parents=True, exist_ok=True)
    secrets = load_secrets(folder, tuple(str(number) for number in range(1, TABLES + 1)))
    broker = ManagedBroker(BrokerSection(kind=kind), secrets.mqtt, folder / "broker", "bench")
    endpoint = await broker.start()
    try:
        return await asyncio.to_thread(bare_subscriber, endpoint, size)
    finally:
        await broker.stop()


def subscriber_rates(folder: Path, size: int) -> dict[str, Any]:
    """Both rates, alternating, and their ratio; one record a message."""
    bare, hub = [], []
    for number in range(ROUNDS):
        bare.append(asyncio.run(_bare(folder / f"bare{number}", size, BrokerKind.AUTO)))
        hub.append(asyncio.run(hub_rate(folder / f"mqtt{number}", size, BrokerKind.AUTO)))
    floor, rate = statistics.median(bare), statistics.median(hub)
    return {
        "bare_subscriber_per_s": round(floor),
        "mqtt_to_durable_per_s": round(rate),
        "ratio_to_bare_subscriber": round(rate / floor, 3),
    }
