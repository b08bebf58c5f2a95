"""The whole hub beside its floor: bare decode + append, and a bare MQTT subscriber. Alternating rounds in one run, medians."""

from __future__ import annotations

import asyncio
import gc
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from marker_hardware.wire import Topic
from marker_hub import entries, wire
from marker_hub.bench.hall import BenchNode, payloads
from marker_hub.bench.mqtt import subscriber_rates
from marker_hub.bench.page import edge_to_stream
from marker_hub.bench.referee import PER_MESSAGE, Table, sender
from marker_hub.config import BrokerKind, BrokerSection, Config, HubSection, TableSection
from marker_hub.journal import database_path
from marker_hub.journal.schema import connect_write, prepare
from marker_hub.service import Hub, HubOptions
from marker_hub.transport.memory import MemoryBroker

TABLES = 8
ROUNDS = 3
GROUP = 256


def bare_append(folder: Path, messages: list[bytes]) -> float:
    """Records a second: decode the payloads, insert the records in groups of 256, commit with synchronous=FULL."""
    return bare(folder, messages)["rate"]


def bare(folder: Path, messages: list[bytes]) -> dict[str, float]:
    """As `bare_append`, with the processor time of a record."""
    path = folder / "bare.sqlite3"
    prepare(path)
    connection = connect_write(path)
    connection.execute(
        "CREATE TABLE plain(b INTEGER, s INTEGER, t INTEGER, ch INTEGER, kind INTEGER, v INTEGER, aux INTEGER)"
    )
    began, cpu = time.perf_counter(), time.process_time()
    total = 0
    rows: list[tuple[int, ...]] = []
    for payload in messages:
        ev = wire.decode(Topic.EV, payload)
        rows += [(ev.b, ev.s + i, r.t, r.ch, int(r.kind), r.v, r.aux) for i, r in enumerate(ev.e)]
        if len(rows) >= GROUP:
            total += _flush(connection, rows)
    total += _flush(connection, rows)
    seconds, used = time.perf_counter() - began, time.process_time() - cpu
    connection.close()
    path.unlink()
    return {"rate": total / seconds, "cpu_us_per_record": used / total * 1e6}


def _flush(connection: sqlite3.Connection, rows: list[tuple[int, ...]]) -> int:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO plain VALUES(?,?,?,?,?,?,?)", rows)
    connection.execute("COMMIT")
    done = len(rows)
    rows.clear()
    return done


def bench_config(kind: BrokerKind, tables: int) -> Config:
    """Tables 1..N; nothing is shed."""
    return Config(
        hub=HubSection(records_per_second=1_000_000),
        broker=BrokerSection(kind=kind),
        table=tuple(TableSection(id=str(number)) for number in range(1, tables + 1)),
    )


def _acknowledger(node: BenchNode) -> Callable[[str, bytes, bool], None]:
    return lambda _topic, payload, _retain: node.acknowledge(payload)


def whole_hub(folder: Path, shots: int, tables: int = TABLES) -> dict[str, float]:
    """Records and entries a second through transport, journal, tables and rules, with the referee's commands."""

    async def run() -> dict[str, float]:
        broker = MemoryBroker()
        hub = Hub(HubOptions(bench_config(BrokerKind.MEMORY, tables), folder, memory=broker))
        await hub.start()
        try:
            began, cpu = time.perf_counter(), time.process_time()
            played = [Table(hub, broker, number).play(shots) for number in range(1, tables + 1)]
            records = sum(await asyncio.gather(*played))
            seconds = time.perf_counter() - began
            made = sum(table.n for table in hub.tables_by_id.values())
            accepted = hub.reader.count_of("accept")
            return {
                "records": records,
                "rate": records / seconds,
                "entries_rate": made / seconds,
                "cpu_us_per_record": (time.process_time() - cpu) / records * 1e6,
                "shots_judged": accepted,
            }
        finally:
            await hub.stop()

    return asyncio.run(run())


def ingest_only(folder: Path, messages: list[tuple[int, bytes]], tables: int = TABLES) -> dict[str, float]:
    """Records a second without a match: decode, journal, step; and how much memory so many records cost."""

    async def run() -> dict[str, float]:
        broker = MemoryBroker()
        hub = Hub(HubOptions(bench_config(BrokerKind.MEMORY, tables), folder, memory=broker))
        await hub.start()
        try:
            clients = {number: broker.connect() for number in range(1, tables + 1)}
            nodes = [BenchNode(number, sender(client, number)) for number, client in clients.items()]
            for node in nodes:
                clients[node.table].subscribe(f"table/{node.table}/cmd", _acknowledger(node))
                node.born()
            while not all(hub.ingest.registry.owner(str(n), 1) for n in clients):
                await asyncio.sleep(0.001)
            before = rss_kb()
            began = time.perf_counter()
            for at, (number, payload) in enumerate(messages):
                clients[number].publish(f"table/{number}/ev", payload)
                if at % 64 == 0:
                    while broker.unacknowledged > 200:
                        await asyncio.sleep(0)
            while broker.unacknowledged:
                await asyncio.sleep(0)
            seconds = time.perf_counter() - began
            records = int(hub.figures.value("records_total"))
            return {"records": records, "rate": records / seconds, "rss_growth_kb": rss_kb() - before}
        finally:
            await hub.stop()

    return asyncio.run(run())


def rss_kb() -> int:
    """Resident memory now; where the system does not tell, the highest so far."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return pages * resource.getpagesize() // 1024


def run(size: int = 40_000) -> dict[str, Any]:
    """All figures. size: records per round of the bare baseline; the hub plays about half as many."""
    shots = max(1, size // (2 * TABLES * 13))
    messages = list(payloads(TABLES, size, PER_MESSAGE))
    floors, hub, ingest = [], [], []
    with tempfile.TemporaryDirectory(prefix="marker-bench-") as name:
        folder = Path(name)
        for number in range(ROUNDS):
            floors.append(bare(folder, [payload for _, payload in messages]))
            hub.append(whole_hub(folder / f"hub{number}", shots))
            ingest.append(ingest_only(folder / f"in{number}", messages))
        floor = statistics.median(entry["rate"] for entry in floors)
        rate = statistics.median(entry["rate"] for entry in hub)
        through = statistics.median(entry["rate"] for entry in ingest)
        result: dict[str, Any] = {
            "tables": TABLES,
            "records_per_message": PER_MESSAGE,
            "rounds": ROUNDS,
            "bare_append_per_s": round(floor),
            "bare_cpu_us_per_record": round(statistics.median(entry["cpu_us_per_record"] for entry in floors), 1),
            "hub_per_s": round(rate),
            "hub_entries_per_s": round(statistics.median(entry["entries_rate"] for entry in hub)),
            "hub_cpu_us_per_record": round(statistics.median(entry["cpu_us_per_record"] for entry in hub), 1),
            "shots_judged": int(sum(entry["shots_judged"] for entry in hub)),
            "shots_judged_per_s": round(
                statistics.median(entry["shots_judged"] / entry["records"] * entry["rate"] for entry in hub), 1
            ),
            "ratio_to_bare_append": round(rate / floor, 3),
            "ingest_per_s": round(through),
            "ratio_ingest_to_bare_append": round(through / floor, 3),
            "rss_growth_kb": int(ingest[-1]["rss_growth_kb"]),
            "fold_version": entries.FOLD_VERSION,
        }
        result.update(subscriber_rates(folder, size=max(2000, size // 4)))
        result.update(edge_to_stream(folder / "page"))
        result["journal_bytes_per_record"] = round(_bytes_per_record(folder / "in0"), 1)
    return result


def _bytes_per_record(folder: Path) -> float:
    path = database_path(folder)
    connection = sqlite3.connect(path)
    try:
        count = connection.execute("SELECT count(*) FROM entry").fetchone()[0]
    finally:
        connection.close()
    return path.stat().st_size / max(1, int(count))
