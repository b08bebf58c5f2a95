"""Processes die at any moment: nothing acknowledged is lost, nothing counts twice, the state is the fold of the journal."""

import json
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from ports import reserved
from processes import Herd, HubProcess, Referee

import marker_hub.table as core
from marker_hub import entries
from marker_hub.broker.process import exists
from marker_hub.journal import Reader, database_path
from marker_hub.table import TableConfig

TABLES = 100
RECONNECT_S = 10.0


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubProcess]:
    with reserved() as port:
        process = HubProcess(tmp_path / "data", port, "--tables", str(TABLES))
        yield process
        process.end_all()


def stored(data: Path) -> dict[str, list[int]]:
    """Sequence numbers in the journal, per table, as they stand (not made unique)."""
    connection = sqlite3.connect(database_path(data))
    found: dict[str, list[int]] = {}
    for table, seq in connection.execute("SELECT tbl, seq FROM entry WHERE kind = 'obs' ORDER BY tbl, seq"):
        found.setdefault(table, []).append(seq)
    connection.close()
    return found


def everything_arrived(hub: HubProcess, herd: Herd, seconds: float = 90.0) -> None:
    """Until every record of every node is stored; fails when nothing more has come for so long.

    What the hub gave up, because a node was too slow for three tries, it asks for when that node has connected again.
    """
    deadline, held = time.monotonic() + seconds, 0
    again = time.monotonic() + RECONNECT_S
    while True:
        found = stored(hub.data)
        if sum(map(len, found.values())) > held:  # replays go on: on a starved machine they take their time
            deadline, held = time.monotonic() + seconds, sum(map(len, found.values()))
            again = time.monotonic() + RECONNECT_S
        lacking = {
            t: len(ring) - len(found.get(t, [])) for t, ring in herd.rings.items() if len(found.get(t, [])) != len(ring)
        }
        if not lacking:
            return
        assert time.monotonic() < deadline, f"not stored: {lacking}"
        if time.monotonic() > again:
            herd.born(lacking)
            again = time.monotonic() + RECONNECT_S
        herd.health()
        time.sleep(2)  # a head makes the hub ask again: seldom enough that answers have time to come


def check(hub: HubProcess, herd: Herd) -> None:
    """Every record once; the snapshots left by the clean stop hash like a fold of the whole journal."""
    assert hub.stop() == 0
    found = stored(hub.data)
    assert {table: found.get(table, []) for table in herd.rings} == {
        t: list(range(len(ring))) for t, ring in herd.rings.items()
    }
    connection = sqlite3.connect(database_path(hub.data))
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    keys = [row[0] for row in connection.execute("SELECT key FROM entry WHERE key IS NOT NULL")]
    assert len(keys) == len(set(keys))
    snapshots = connection.execute("SELECT tbl, n, hash FROM snapshot").fetchall()
    connection.close()
    assert snapshots
    with Reader(database_path(hub.data)) as reader:
        for table, n, digest in snapshots[:20]:
            value = core.new_table(TableConfig(id=table, name=table, no=int(table)))
            for entry in reader.entries(table, to=n):
                value, _ = core.step(value, entry)
            assert core.state_hash(value) == digest, f"table {table}: the live state is not the fold of its journal"
            assert [entry.n for entry in reader.entries(table)] == list(range(1, reader.head(table) + 1))


def kill_rounds(hub: HubProcess, rounds: int, seed: int, rate: float) -> None:
    draw = Random(seed)
    ready = hub.start()
    herd = Herd(ready["mqtt"]["host"], ready["mqtt"]["port"], hub.credentials["mqtt"]["hub"], TABLES, seed)
    referee = Referee(hub, "1")
    referee.login()
    players = {"A": {"name": "Alfa"}, "B": {"name": "Beta"}}
    options = {"points_limit": 60, "games": 1}
    assert (
        referee.command(
            "match_start", game="five-pins", players=players, options=options, opener="A", ball_of_a="white"
        )[0]
        == 200
    )
    taps = 1
    try:
        herd.play(rate)
        for at in range(rounds):
            time.sleep(draw.uniform(0.05, 0.5))
            victim = draw.choice(("hub", "hub", "broker"))
            if victim == "hub":
                hub.kill()
                time.sleep(draw.uniform(0, 0.2))
                assert hub.start()["mqtt"]["port"] == ready["mqtt"]["port"]
            else:
                hub.kill_broker()
            status, body = referee.command(
                "suspend" if at % 2 == 0 else "resume", **({"note": "drill"} if at % 2 == 0 else {})
            )
            assert status == 200, body
            taps += 1
        herd.settle()
        everything_arrived(hub, herd)
    finally:
        herd.close()
    check(hub, herd)
    with Reader(database_path(hub.data)) as reader:
        said = [entry for entry in reader.entries("1") if entry.key and entry.role == "referee"]
        assert len(said) == taps
        assert sum(isinstance(entry.body, entries.Suspended) for entry in said) == (rounds + 1) // 2


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_kills_of_hub_and_broker_under_the_load_of_a_hundred_tables(hub: HubProcess) -> None:
    """Whatever was given up meanwhile (a node that could not answer for three tries) has come after all.

    Mutations that turn it red: acknowledging before the commit; no replay after a broker that forgot its sessions.
    """
    kill_rounds(hub, rounds=10, seed=11, rate=500)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_two_hundred_kills(hub: HubProcess, seed: int) -> None:
    kill_rounds(hub, rounds=10, seed=1000 + seed, rate=1500)


def test_a_killed_hub_leaves_its_broker_and_the_next_one_adopts_it(hub: HubProcess) -> None:
    first = hub.start()
    herd = Herd(first["mqtt"]["host"], first["mqtt"]["port"], hub.credentials["mqtt"]["hub"], 3, 1)
    try:
        herd.record("1", 5)
        everything_arrived(hub, herd)
        hub.kill()
        herd.record("1", 5)
        herd.record("2", 40)
        herd.settle()
        second = hub.start()
        assert second["mqtt"]["pid"] == first["mqtt"]["pid"]
        assert second["mqtt"]["adopted"] is True
        everything_arrived(hub, herd)
        assert herd.connects == 1, "the node was never disconnected"
    finally:
        herd.close()
    check(hub, herd)
    assert not exists(first["mqtt"]["pid"]), "the adopted broker was not stopped"


@pytest.mark.report("R047")
def test_a_broker_whose_store_is_zero_bytes_starts_empty_and_says_so(hub: HubProcess) -> None:
    """R047: the file is kept aside, an alert is raised, the match state is intact."""
    hub.start()
    referee = Referee(hub, "1")
    referee.login()
    players = {"A": {"name": "Alfa"}, "B": {"name": "Beta"}}
    options = {"points_limit": 60, "games": 1}
    assert (
        referee.command(
            "match_start", game="five-pins", players=players, options=options, opener="A", ball_of_a="white"
        )[0]
        == 200
    )
    _, before = referee.command("suspend", note="power")
    assert hub.stop() == 0
    store = hub.data / "broker" / "mosquitto.db"
    store.write_bytes(b"\x00" * 4096)
    hub.start()
    assert [path.read_bytes() for path in store.parent.glob("mosquitto-bad-*.db")] == [b"\x00" * 4096]
    assert "broker-store-set-aside" in hub.log()
    import urllib.request

    with urllib.request.urlopen(f"http://127.0.0.1:{hub.port}/healthz", timeout=30) as answer:
        health = json.loads(answer.read())
    assert [notice["code"] for notice in health["notices"]] == ["broker-store-set-aside"]
    with urllib.request.urlopen(f"http://127.0.0.1:{hub.port}/api/tables/1", timeout=30) as answer:
        view = json.loads(answer.read())
    assert (view["phase"], view["players"]["A"]["score"]) == (
        before["view"]["phase"],
        before["view"]["players"]["A"]["score"],
    )
