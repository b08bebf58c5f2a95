"""The running hub: commands, restart, a journal that cannot be written, views for slow pages, wireless buttons."""

import asyncio
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest

import marker_hub.table as core
from marker_hub import commands, entries
from marker_hub.journal import Reader, database_path
from marker_hub.web.port import StreamEvent

Run = Callable[[Any], Any]


def start_match(key: str = "", **more: Any) -> commands.MatchStart:
    players = {"A": entries.PlayerInfo("Бармалей-Ёжиков"), "B": entries.PlayerInfo("Totò")}
    given = {"options": {"points_limit": 60, "games": 3}, "opener": "A", "ball_of_a": "white"} | more
    return commands.MatchStart(game="five-pins", players=players, key=key or str(uuid.uuid4()), **given)


async def command(bench: Any, what: Any, table: str = "1", role: str = "referee") -> Any:
    return await bench.hub.command(table, what, role=role, session="s")


def folded(bench: Any, table: str = "1") -> bytes:
    """State hash of a fresh fold of the journal."""
    value = core.new_table(bench.hub.tables_by_id[table].config)
    for entry in bench.stored(table):
        value, _ = core.step(value, entry)
    return core.state_hash(value)


def test_a_command_is_stored_once_whatever_is_repeated(running: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            first = await command(bench, start_match("k1"))
            assert first.status == 200, first.body
            again = await command(bench, start_match("k1"))
            assert again == first
            both = await asyncio.gather(*[command(bench, commands.Suspend(key="k2", note="lamp")) for _ in range(5)])
            assert {result.status for result in both} == {200}
            assert {result.body["n"] for result in both} == {both[0].body["n"]}
            n = bench.hub.tables_by_id["1"].n
        async with running() as bench:
            once_more = await command(bench, commands.Suspend(key="k2", note="lamp"))
            assert once_more.status == 200
            kinds = [entries.kind_of(entry.body) for entry in bench.stored()]
            assert kinds.count("suspend") == 1
            assert kinds.count("match") == 1
            assert bench.hub.tables_by_id["1"].n == n + 1

    in_loop(play())


def test_a_refused_command_changes_nothing_and_says_why(running: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            before = bench.hub.tables_by_id["1"].n
            result = await command(bench, commands.Accept(key="k", seen=before))
            assert result.status == 422
            assert result.body["code"]
            assert bench.hub.tables_by_id["1"].n == before

    in_loop(play())


def test_live_state_is_the_fold_of_the_journal_with_and_without_snapshots(
    running: Any, node_type: Any, in_loop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from marker_hub.service import tables

    monkeypatch.setattr(tables, "SNAPSHOT_EVERY", 20)

    async def play() -> bytes:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await command(bench, start_match())
            for _ in range(30):
                node.record(3)
                await bench.quiet()
            await command(bench, commands.Suspend(key="x", note="lamp"))
            await bench.quiet()
            live = core.state_hash(bench.hub.tables_by_id["1"].value)
            assert folded(bench) == live
            with Reader(database_path(bench.data)) as reader:
                assert reader.snapshot("1", entries.FOLD_VERSION) is not None
        for snapshots in (True, False):
            async with running(snapshots=snapshots) as bench:
                await bench.quiet()
                after = core.state_hash(bench.hub.tables_by_id["1"].value)
                assert folded(bench) == after
        return live

    assert in_loop(play())


@pytest.mark.parametrize("spoiled", ["hash = zeroblob(16)", "fold = fold - 1, state = zeroblob(4)"])
def test_a_snapshot_of_another_hash_or_fold_is_not_used(
    running: Any, node_type: Any, in_loop: Run, monkeypatch: pytest.MonkeyPatch, spoiled: str
) -> None:
    from marker_hub.service import tables

    monkeypatch.setattr(tables, "SNAPSHOT_EVERY", 10)

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await command(bench, start_match())
            node.record(30)
            await bench.quiet()
        connection = sqlite3.connect(database_path(bench.data))
        assert connection.execute(f"UPDATE snapshot SET {spoiled}").rowcount == 1
        connection.commit()
        connection.close()
        async with running() as bench:
            await bench.quiet()
            assert folded(bench) == core.state_hash(bench.hub.tables_by_id["1"].value)

    in_loop(play())


def test_a_full_disk_refuses_commands_acknowledges_nothing_and_recovers(
    running: Any, node_type: Any, in_loop: Run, caplog: pytest.LogCaptureFixture
) -> None:
    """The red banner while it lasts; afterwards every record is there once. Mutation: acknowledging a failed commit."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(5)
            await bench.quiet()
            full = [True]

            def fault() -> None:
                if full[0]:
                    raise sqlite3.OperationalError("database or disk is full")

            bench.hub.journal._before_commit = fault
            node.record(20)
            await bench.until(lambda: not bench.hub.recording)
            assert bench.broker.unacknowledged > 0
            result = await command(bench, start_match())
            assert (result.status, result.body["code"]) == (503, "not-recording")
            assert {"code": "not-recording", "args": {}} in bench.hub.view("1")["notices"]
            assert not bench.hub.health()["ok"]
            assert bench.seqs() == list(range(5))
            node.record(10)
            full[0] = False
            await bench.until(lambda: bench.hub.recording)
            await bench.quiet()
            assert sorted(bench.seqs()) == list(range(35))
            assert (await command(bench, start_match())).status == 200
            assert bench.hub.health()["ok"]

    in_loop(play())
    assert any("not recording" in record.message for record in caplog.records)


def test_a_slow_disk_slows_this_hub_and_loses_nothing(running: Any, node_type: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running(tables=3) as bench:
            nodes = [node_type(bench.broker, table=str(t), uid=f"{t:016x}") for t in (1, 2, 3)]
            for node in nodes:
                node.connect()
            await bench.quiet()
            disk = threading.Event()

            def slow() -> None:
                assert disk.wait(60)
                time.sleep(0.05)

            bench.hub.journal._before_commit = slow
            for _ in range(60):
                for node in nodes:
                    node.record(2)
                await asyncio.sleep(0)
            view = bench.hub.view("1")
            assert view["id"] == "1"
            assert [bench.seqs(t) for t in "123"] == [[], [], []], "the loop goes on while the disk has stored nothing"
            disk.set()
            await bench.quiet()
            assert [len(bench.seqs(t)) for t in "123"] == [120, 120, 120]

    in_loop(play())


@pytest.mark.report("R043")
def test_an_exception_in_the_rules_is_journalled_and_the_hub_goes_on(
    running: Any, node_type: Any, in_loop: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """R043: logged with table, entry and place; a `fault` entry sends the shot to the referee; the other table goes on."""
    original = core.step

    def step(table: Any, entry: entries.Entry) -> Any:
        if entry.tbl == "1" and isinstance(entry.body, entries.Obs) and entry.seq == 3:
            raise ZeroDivisionError("crafted")
        return original(table, entry)

    monkeypatch.setattr(core, "step", step)

    async def play() -> None:
        async with running(tables=2) as bench:
            one, two = node_type(bench.broker), node_type(bench.broker, table="2", uid="b" * 16)
            one.connect()
            two.connect()
            assert (await command(bench, start_match())).status == 200
            one.record(8)
            two.record(8)
            await bench.quiet()
            faults = bench.stored("1", entries.Fault)
            assert len(faults) == 1
            assert "ZeroDivisionError: crafted" in faults[0].body.text
            assert [e.seq for e in bench.stored("1") if e.n == faults[0].body.at] == [3]
            assert len(bench.seqs("1")) == len(bench.seqs("2")) == 8
            assert bench.hub.figures.value("faults_total", table="1") == 1
            assert (await command(bench, commands.Suspend(key="x", note="checked"))).status == 200
            assert not bench.stored("2", entries.Fault)

    in_loop(play())
    assert any("crafted" in record.message and "table 1, entry" in record.message for record in caplog.records)


def test_a_slow_page_gets_the_newest_state_and_holds_nobody_up(running: Any, node_type: Any, in_loop: Run) -> None:
    """500 displays of which 499 never read: memory stays bounded, the one that reads sees the last state."""

    async def play() -> None:
        async with running() as bench:
            hub = bench.hub
            sleepers = [hub.subscribe(["1"], referee=False) for _ in range(499)]
            tasks = [asyncio.ensure_future(anext(stream)) for stream in sleepers]
            reader = hub.subscribe(["1"], referee=False)
            await asyncio.sleep(0)
            node = node_type(bench.broker)
            node.connect()
            await command(bench, start_match())
            got: list[StreamEvent] = []

            async def read() -> None:
                async for event in reader:
                    got.append(event)  # noqa: PERF401 - it never ends

            task = asyncio.ensure_future(read())
            for _ in range(50):
                node.record(4)
                await asyncio.sleep(0.002)
            await bench.quiet()
            await bench.until(lambda: got and got[-1].event == "table" and got[-1].n == hub.tables_by_id["1"].n)
            assert len(hub.streams) == 500
            assert max(len(sub.dirty) + len(sub.announcements) for sub in hub.streams._subscribers) <= 1 + 32
            assert len(got) < 220
            for other in [*tasks, task]:
                other.cancel()
            await asyncio.gather(*tasks, task, return_exceptions=True)
            for stream in sleepers:
                await stream.aclose()
            await bench.until(lambda: len(hub.streams) == 0)

    in_loop(play())


def test_a_wireless_key_is_the_same_command_as_a_tap_and_counts_once(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    async def play() -> None:
        async with running() as bench:
            assert (await command(bench, start_match())).status == 200
            box = bench.broker.connect()
            press = b'{"id":"0f8fad5b-d9cb-469f-a165-70867728950e","key":"undo","role":"referee"}'
            for _ in range(3):
                box.publish("table/1/btn", press)
            await bench.until(lambda: bench.stored("1", entries.Undone))
            await bench.quiet()
            undone = bench.stored("1", entries.Undone)
            assert len(undone) == 1
            assert (undone[0].role, undone[0].session, undone[0].key) == (
                "referee", "btn:referee", "btn:0f8fad5b-d9cb-469f-a165-70867728950e"
            )  # fmt: skip

    in_loop(play())


def test_a_press_at_the_table_is_carried_out_after_a_death_between_its_record_and_its_command(
    running: Any, node_type: Any, in_loop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is durable and acknowledged, so the node never sends it again: the restart owes the command, once."""
    from marker_hardware.codes import Kind
    from marker_hardware.wire import channel_number
    from marker_hub.service.tables import TableRuntime

    async def die() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            said = [("Q1", "none"), ("QP", "none"), ("Q4", "no")]
            answers = [commands.Answer(key=name, question=name, answer=word) for name, word in said]
            for what in (start_match(manual=True), commands.Strike(key="s"), *answers):
                done = await command(bench, what)
                assert done.status == 200, done.body["text"]
            assert bench.hub.view("1")["phase"] == "proposed"
            monkeypatch.setattr(TableRuntime, "_press", lambda *_: None)
            node.ring.append([2000, channel_number("BTN_YES"), Kind.PRESS.value, 0, 0])
            node.send(0, 0)
            await bench.until(lambda: bench.stored("1", entries.Obs))
            await bench.quiet()
            assert not bench.stored("1", entries.Accepted)
            monkeypatch.undo()

    async def come_back() -> None:
        async with running() as bench:
            await bench.until(lambda: bench.stored("1", entries.Accepted))
            accepted = bench.stored("1", entries.Accepted)
            press = bench.stored("1", entries.Obs)[0]
            assert [entry.key for entry in accepted] == [f"node:{press.node}:{press.boot}:{press.seq}"]
            assert bench.hub.view("1")["players"]["B"]["score"] == 2

    in_loop(die())
    in_loop(come_back())
    in_loop(come_back())


def test_a_signed_match_keeps_its_result_in_the_list(running: Any, in_loop: Run) -> None:
    """The table is free after the signature; the list must not take the free table for the match."""

    async def play() -> None:
        async with running() as bench:
            award = commands.AwardMatch(key="a", to="B", note="excluded")
            for what in (start_match("m", manual=True), award, commands.Close(key="c")):
                assert (await command(bench, what)).status == 200
            await bench.quiet()
            for _ in range(2):
                (row,) = await bench.hub.matches()
                assert (row["winner"], row["games"]) == ("B", {"A": 0, "B": 0})
                assert row["ended_ms"] is not None
                await bench.quiet()

    in_loop(play())


def test_a_key_names_one_command_for_ever(running: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            assert (await command(bench, start_match("k1"))).status == 200
            assert (await command(bench, commands.Suspend(key="k2", note="lamp"))).status == 200
            for other in (commands.Resume(key="k2"), commands.Suspend(key="k2", note="light")):
                result = await command(bench, other)
                assert (result.status, result.body["code"]) == (422, "key")
            assert bench.hub.view("1")["phase"] == "suspended"
            again = await command(bench, commands.Suspend(key="k2", note="lamp", seen=9999))
            assert again.status == 200
        async with running() as bench:
            result = await command(bench, commands.Resume(key="k2"))
            assert (result.status, result.body["code"]) == (422, "key")
            assert (await command(bench, commands.Suspend(key="k2", note="lamp"))).status == 200
            kinds = [entries.kind_of(entry.body) for entry in bench.stored()]
            assert (kinds.count("suspend"), kinds.count("resume")) == (1, 0)

    in_loop(play())


def test_a_second_hub_on_the_same_folder_is_refused(running: Any, in_loop: Run) -> None:
    from marker_hub.config import ConfigError

    async def play() -> None:
        async with running() as bench:
            with pytest.raises(ConfigError, match="another hub"):
                async with running(data=bench.data):
                    pass
            assert (await command(bench, start_match())).status == 200

    in_loop(play())


def test_timers_become_entries_once(running: Any, node_type: Any, in_loop: Run) -> None:
    """A countdown that ran out is in the journal, and the same deadline never twice."""

    async def play() -> None:
        async with running() as bench:
            table = bench.hub.tables_by_id["1"]
            asked: list[int] = []
            began = time.monotonic()
            due = (bench.hub.mono_us() + 20_000, "tail")

            class Faked:
                pass

            original = core.deadline
            try:
                core.deadline = lambda value: due  # type: ignore[assignment]
                core_due = core.due_body
                core.due_body = lambda value: entries.TimerExpired("tail")  # type: ignore[assignment]
                table.reschedule()
                await bench.until(lambda: bench.stored("1", entries.TimerExpired))
                await asyncio.sleep(0.2)
                asked.append(len(bench.stored("1", entries.TimerExpired)))
                passed = time.monotonic() - began
            finally:
                core.deadline, core.due_body = original, core_due
            assert 1 <= asked[0] <= 2 + passed, "at most once a second"

    in_loop(play())
