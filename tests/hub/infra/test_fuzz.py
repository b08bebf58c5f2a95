"""Seeded nonsense against the running hub and its journal: no task dies, every refusal has a reason and is counted."""

import asyncio
import json
import sqlite3
import string
import time
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest

from marker_hub import entries
from marker_hub.journal import Draft, JournalWriter, Reader, database_path, prepare
from marker_hub.table import TableConfig

Run = Callable[[Any], Any]
SUFFIXES = ("ev", "state", "health", "clk/req", "cmd/ack", "btn", "cmd", "score", "nothing", "", "ev/x")


def mutated(draw: Random, seed: bytes) -> bytes:
    """A payload that was once good."""
    raw = bytearray(seed)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(raw) + 1)
        choice = draw.randrange(6)
        if choice == 0:
            raw[at:at] = draw.randbytes(draw.randrange(1, 5))
        elif choice == 1:
            del raw[at : at + draw.randrange(1, 8)]
        elif choice == 2:
            raw[at:at] = draw.choice(
                (b"NaN", b"1e999", b"-1", b"99999999999999999999", b"null", b"true", b"\xff\xfe", b"{", b"]")
            )
        elif choice == 3:
            raw[at:at] = b"[" * draw.randrange(1, 400)
        elif choice == 4 and raw:
            raw[at % len(raw)] ^= 1 << draw.randrange(8)
        else:
            raw += raw[: draw.randrange(len(raw) + 1)]
    return bytes(raw)


async def storm(bench: Any, node: Any, draw: Random, messages: int) -> int:
    """Garbage among good records; returns how many good ones were sent."""
    node.connect()
    seeds = [
        json.dumps({"b": 1, "s": 3, "e": [[1, 0, 1, 5, 0], [2, 22, 4, 900, 0]]}).encode(),
        next(iter(bench.broker.retained.values())),
        json.dumps({"id": "x", "ok": True, "code": 0, "boot": 1, "head": 5}).encode(),
        json.dumps({"n": 1, "t0": 5}).encode(),
        json.dumps({"id": "0f8fad5b-d9cb-469f-a165-70867728950e", "key": "yes", "role": "referee"}).encode(),
    ]
    stranger = bench.broker.connect()
    for number in range(messages):
        table = draw.choice(("1", "2", "2", "nobody", "X", "".join(draw.choices(string.printable, k=5))))
        topic = f"table/{table}/{draw.choice(SUFFIXES)}"
        payload = mutated(draw, draw.choice(seeds)) if draw.random() < 0.9 else draw.randbytes(draw.randrange(60))
        if not topic.startswith("table/1/"):  # table 1 belongs to the honest node; another must not speak for it
            stranger.publish(topic, payload, retain=draw.random() < 0.1)
        if number % 10 == 0:
            node.record(1)
        if number % 50 == 0:
            await asyncio.sleep(0)
    return len(node.ring)


@pytest.mark.parametrize("seed", range(3))
def test_nonsense_on_the_topics_ends_nothing(running: Any, node_type: Any, in_loop: Run, seed: int) -> None:
    async def play() -> None:
        async with running(tables=2) as bench:
            sent = await storm(bench, node_type(bench.broker), Random(seed), 1500)
            await bench.until(lambda: bench.seqs("1") == list(range(sent)))
            await bench.until(lambda: bench.broker.unacknowledged == 0)
            counted = bench.hub.figures.value("rejects_total")
            with Reader(database_path(bench.data)) as reader:
                rows = reader.rejects(100_000)
            assert len(rows) == counted > 500
            assert all(
                row.reason.split(":")[0] in {"json", "field", "table", "topic", "channel", "version", "size", "boot"}
                for row in rows
            )
            assert bench.hub.health()["ok"]
            assert bench.hub.view("1")["id"] == "1"

    in_loop(play())


@pytest.mark.soak
def test_ten_minutes_of_nonsense(running: Any, node_type: Any) -> None:
    async def play(seed: int) -> None:
        async with running(tables=2, data=None) as bench:
            sent = await storm(bench, node_type(bench.broker, boot=seed + 1), Random(seed), 3000)
            await bench.until(
                lambda: len([e for e in bench.stored("1", entries.Obs) if e.boot == seed + 1]) == sent, 60
            )

    began, seed = time.monotonic(), 1000
    while time.monotonic() - began < 600:
        asyncio.run(play(seed))
        seed += 1


def test_damaged_bodies_of_the_journal_are_refused_by_place(tmp_path: Any) -> None:
    """A body that cannot be read names its field; it is never guessed."""
    draw = Random(7)
    bodies = [
        entries.Obs(0, 1, 5),
        entries.Noted("RP-10.3b", note="x"),
        entries.Missing(1, 2, 3),
        entries.HubStarted("1"),
    ]
    refused = 0
    for _ in range(2000):
        raw = mutated(draw, entries.encode(draw.choice(bodies)))
        try:
            entries.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            refused += bool(str(error))
    assert refused > 1500


@pytest.mark.slow
def test_a_journal_of_a_million_entries_starts_in_seconds_with_a_snapshot_and_the_same_without(tmp_path: Any) -> None:
    """Start-up with snapshots takes much less than folding a million entries (a hundred times what the small table takes, folded
    from its first entry for the comparison). Mutation: a start that reads the journal to its end."""
    import marker_hub.table as core
    from marker_hub.ingest import NodeRegistry

    path = database_path(tmp_path)
    prepare(path)
    writer = JournalWriter(path, lambda committed: None)
    sizes = {"t0": 10_000} | {f"t{number}": 110_000 for number in range(1, 10)}
    birth = dict.fromkeys((0, 1, 2, 3, 4, 16, 17, 18, 19, 22), 0)
    for node, (table, size) in enumerate(sizes.items(), 1):
        row = ("INSERT INTO node(id, uid, epoch, tbl) VALUES(?,?,0,?)", (node, f"{node:016x}", table))
        first = Draft(table, entries.Birth(1, f"{node:016x}", profile="carom5", channels=birth), 1, 1, None, node, 1)
        writer.append([first], None, [row])
        for start in range(0, size - 1, 3333):
            count = min(3333, size - 1 - start)
            writer.append(
                [
                    Draft(table, entries.Obs(s % 5, 1, s % 1000), s, s, None, node, 1, s, s * 10)
                    for s in range(start, start + count)
                ]
            )
    writer.close()
    with Reader(path) as reader:
        assert reader.count() == 1_000_000
        config = TableConfig(id="t0", name="t0")
        began = time.process_time()
        whole = core.new_table(config)
        for entry in reader.entries("t0"):
            whole, _ = core.step(whole, entry)
        folding = time.process_time() - began
        middle = core.new_table(config)
        for entry in reader.entries("t0", to=9_500):
            middle, _ = core.step(middle, entry)
    connection = sqlite3.connect(path)
    for table, size in sizes.items():
        value = middle if table == "t0" else core.load(TableConfig(id=table, name=table), core.dump(middle))
        row = (table, size - 500, entries.FOLD_VERSION, core.state_hash(value), core.dump(value))
        connection.execute("INSERT INTO snapshot VALUES(?,?,?,?,?)", row)
    connection.commit()
    connection.close()
    began = time.process_time()
    prepare(path)
    with Reader(path) as reader:
        NodeRegistry(reader)
        values = []
        for table in sizes:
            found = reader.snapshot(table, entries.FOLD_VERSION)
            assert found is not None
            value = core.load(TableConfig(id=table, name=table), found.state)
            assert core.state_hash(value) == found.hash
            for entry in reader.entries(table, after=found.n):
                value, _ = core.step(value, entry)
            values.append(value)
    seconds = time.process_time() - began
    assert core.state_hash(values[0]) == core.state_hash(whole)
    assert seconds < 30 * folding, f"start-up took {seconds:.1f} s (folding 10,000 entries anew took {folding:.1f} s)"
