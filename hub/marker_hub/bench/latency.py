"""Sensor edge -> hub: the real firmware on a virtual board, the hall's broker, a subscriber; beside a bare round trip in the same run.

The board runs in a process of its own, as a table does: `python -m marker_sim.latency`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from marker_hub.broker import ManagedBroker
from marker_hub.config import BrokerSection
from marker_hub.credentials import load_secrets
from marker_hub.errors import MarkerError

TABLE = "1"
EVENTS = 400
P99_LIMIT_MS = 20.0


def run(size: int = EVENTS) -> dict[str, Any]:
    """Milliseconds from edge to hub and of a bare round trip, their ratio of medians, and whether p99 is within the limit.

    size: number of edges. Raises MarkerError when the virtual board cannot run.
    """
    with tempfile.TemporaryDirectory(prefix="marker-bench-") as folder:
        return asyncio.run(_run(Path(folder), size))


async def _run(folder: Path, size: int) -> dict[str, Any]:
    secrets = load_secrets(folder, (TABLE,))
    broker = ManagedBroker(BrokerSection(), secrets.mqtt, folder / "broker", "bench")
    endpoint = await broker.start()
    try:
        spec = {
            "host": endpoint.host,
            "port": endpoint.port,
            "hub_user": endpoint.user,
            "hub_password": endpoint.password,
            "table": TABLE,
            "user": TABLE,
            "password": secrets.mqtt.tables[TABLE],
            "events": size,
        }
        figures = await asyncio.to_thread(_measure, spec)
    finally:
        await broker.stop()
    edge, bare = figures["edge_to_hub"], figures["bare_round_trip"]
    figures["broker"] = broker.kind.value
    figures["ratio_p50"] = round(edge["p50_ms"] / bare["p50_ms"], 2)
    figures["p99_limit_ms"] = P99_LIMIT_MS
    figures["within_limit"] = edge["p99_ms"] <= P99_LIMIT_MS
    return figures


def _measure(spec: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-m", "marker_sim.latency"]
    done = subprocess.run(  # noqa: S603 - our own interpreter
        command, input=json.dumps(spec) + "\n", capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        raise MarkerError(
            f"bench latency: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'no answer'}"
        )
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
