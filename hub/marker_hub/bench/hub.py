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
from marker_hub import commands, entries, wire
from marker_hub.bench.hall import BenchNode, payloads, start_match
from marker_hub.bench.mqtt import subscriber_rates
from marker_hub.bench.page import edge_to_stream
from marker_hub.config import BrokerKind, BrokerSection, Config, HubSection, TableSection
from marker_hub.journal import database_path
from marker_hub.journal.schema import connect_write, prepare
from marker_hub.service import Hub, HubOptions
from marker_hub.transport.memory import MemoryBroker, MemoryClient

TABLES = 8
ROUNDS = 3
GROUP = 256
PER_MESSAGE = 8
"""Records in one publish; a node sends up to 16, or what came within 5 ms."""


def bare_append(folder: Path, messages: list[bytes]) -> float:
    """Records a second: decode the payloads, insert the records in groups of 256, commit with synchronous=FULL."""
    path = folder / "bare.sqlite3"
    prepare(path)
    connection = connect_write(path)
    connection.execute(
        "CREATE TABLE plain(b INTEGER, s INTEGER, t INTEGER, ch INTEGER, kind INTEGER, v INTEGER, aux INTEGER)"
    )
    began = time.perf_counter()
    total = 0
    rows: list[tuple[int, ...]] = []
    for payload in messages:
        ev = wire.decode(Topic.EV, payload)
        rows += [(ev.b, ev.s + i, r.t, r.ch, int(r.kind), r.v, r.aux) for i, r in enumerate(ev.e)]
        if len(rows) >= GROUP:
            total += _flush(connection, rows)
    total += _flush(connection, rows)
    seconds = time.perf_counter() - began
    connection.close()
    path.unlink()
    return total / seconds


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


def _sender(client: MemoryClient, number: int) -> Callable[[str, bytes], None]:
    return lambda suffix, payload: client.publish(f"table/{number}/{suffix}", payload)


def _acknowledger(node: BenchNode) -> Callable[[str, bytes, bool], None]:
    return lambda _topic, payload, _retain: node.acknowledge(payload)


async def _play(hub: Hub, broker: MemoryBroker, number: int, shots: int) -> int:
    """One table plays: records through the broker, the referee's taps as commands. Returns its records."""
    client = broker.connect()
    table = hub.tables_by_id[str(number)]
    node = BenchNode(number, _sender(client, number))
    client.subscribe(f"table/{number}/cmd", lambda _topic, payload, _retain: node.on_command(payload))
    node.born()

    async def say(what: commands.Command) -> int:
        result = await hub.command(str(number), what, role="referee", session="bench")
        return result.status

    def settled() -> bool:
        return (
            not table.lane.busy and hub.ingest.registry.owner(str(number), 1) is not None and _all_in(hub, number, node)
        )

    async def until_in() -> None:
        while not settled():
            await asyncio.sleep(0)

    async def until_armed() -> None:
        for attempt in range(2000):
            if table.value.phase == "armed" and table.reconciler.in_step and settled():
                return
            if table.value.phase == "placing" and attempt % 50 == 10:
                await say(commands.Ready(key=f"{number}-{table.n}-r{attempt}", seen=table.n))
            await asyncio.sleep(0 if attempt < 50 else 0.002)
        raise RuntimeError(f"table {number} does not get armed: {table.value.phase}")

    await until_in()
    assert await say(start_match(number)) == 200
    for at in range(shots):
        await until_armed()
        rows, felled = node.stroke()
        node.send(rows, PER_MESSAGE)
        await until_in()
        await _judge(say, hub, number, at, until_in)
        node.respot(felled)
        await until_in()
    return node.seq


def _all_in(hub: Hub, number: int, node: BenchNode) -> bool:
    owner = hub.ingest.registry.owner(str(number), 1)
    return owner is not None and hub.ingest.registry.held(owner, 1).head >= node.seq


async def _judge(say: Any, hub: Hub, number: int, at: int, until_in: Any) -> None:
    table = hub.tables_by_id[str(number)]
    for attempt in range(12):
        phase = table.value.phase
        if phase in ("rolling", "settling"):
            await say(commands.Still(key=f"{number}-{at}-s{attempt}", seen=table.n))
        elif phase == "asking":
            row = next((row for row in table.sheet()["rows"] if not any(a["selected"] for a in row["answers"])), None)
            if row is None:
                await say(commands.Accept(key=f"{number}-{at}-a{attempt}", seen=table.n))
            else:
                answer = row["answers"][0]["id"]
                await say(
                    commands.Answer(key=f"{number}-{at}-q{attempt}", seen=table.n, question=row["id"], answer=answer)
                )
        elif phase == "proposed":
            await say(commands.Accept(key=f"{number}-{at}-p{attempt}", seen=table.n))
        else:
            return
        await until_in()


def whole_hub(folder: Path, shots: int, tables: int = TABLES) -> dict[str, float]:
    """Records and entries a second through transport, journal, tables and rules, with the referee's commands."""

    async def run() -> dict[str, float]:
        broker = MemoryBroker()
        hub = Hub(HubOptions(bench_config(BrokerKind.MEMORY, tables), folder, memory=broker))
        await hub.start()
        try:
            began, cpu = time.perf_counter(), time.process_time()
            records = sum(await asyncio.gather(*[_play(hub, broker, number, shots) for number in range(1, tables + 1)]))
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
            nodes = [BenchNode(number, _sender(client, number)) for number, client in clients.items()]
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
    bare, hub, ingest = [], [], []
    with tempfile.TemporaryDirectory(prefix="marker-bench-") as name:
        folder = Path(name)
        for number in range(ROUNDS):
            bare.append(bare_append(folder, [payload for _, payload in messages]))
            hub.append(whole_hub(folder / f"hub{number}", shots))
            ingest.append(ingest_only(folder / f"in{number}", messages))
        floor = statistics.median(bare)
        rate = statistics.median(entry["rate"] for entry in hub)
        through = statistics.median(entry["rate"] for entry in ingest)
        result: dict[str, Any] = {
            "tables": TABLES,
            "records_per_message": PER_MESSAGE,
            "rounds": ROUNDS,
            "bare_append_per_s": round(floor),
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
