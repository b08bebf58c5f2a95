"""From message to journal: identity, gaps, rejects, acknowledgement after the commit."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from marker_hub import entries
from marker_hub.entries import Birth, ClockPair, Head, Health, Missing, Obs, Offline
from marker_hub.ingest import replay
from marker_hub.transport import Session

Run = Callable[[Any], Any]


def test_records_are_stored_once_and_in_order(running: Any, node_type: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(40)
            await bench.quiet()
            node.send(0, 39)
            node.record(3)
            await bench.quiet()
            assert bench.seqs() == list(range(43))
            assert bench.hub.figures.value("duplicates_total", table="1") == 40
            assert [e.dev_us for e in bench.stored("1", Obs)][:2] == [1000, 1010]
            assert not bench.rejects()

    in_loop(play())


def test_nothing_is_acknowledged_before_it_is_stored(running: Any, node_type: Any, in_loop: Run) -> None:
    """Mutation that turns it red: acknowledging in `on_message`."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.quiet()
            held: list[int] = []
            original = bench.hub.transport.ack

            def ack(message: Any) -> bool:
                if message.topic.endswith("/ev"):
                    held.append(len(bench.seqs()))
                return bool(original(message))

            bench.hub.transport.ack = ack
            for _ in range(5):
                node.record(2)
                await bench.quiet()
            assert held == [2, 4, 6, 8, 10]

    in_loop(play())


def test_a_gap_is_asked_for_and_filled(running: Any, node_type: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(5)
            node.record(7, send=False)
            node.record(5)
            await bench.until(lambda: len(bench.seqs()) == 17)
            assert sorted(bench.seqs()) == list(range(17))
            assert [c for c in node.commands if c["cmd"] == "replay"] == [
                {"cmd": "replay", "id": "rp-1-5-11-1", "boot": 1, "from": 5, "to": 11}
            ]
            assert not bench.stored("1", Missing)
            assert [e.body.aux & 32 for e in bench.stored("1", Obs) if e.seq == 6] == [32]

    in_loop(play())


def test_a_gap_that_is_gone_is_journalled_as_missing_at_once(running: Any, node_type: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(5)
            node.record(7, send=False)
            node.floor = 9
            node.record(5)
            await bench.until(lambda: bench.stored("1", Missing) and len(bench.seqs()) == 13)
            assert [(m.body.first, m.body.last) for m in bench.stored("1", Missing)] == [(5, 8)]

    in_loop(play())


def test_silence_gives_up_after_three_tries_and_a_late_record_is_still_news(
    running: Any, node_type: Any, in_loop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "RETRY_S", 0.02)

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.quiet()
            node.answering = False
            node.record(3)
            node.record(2, send=False)
            node.record(3)
            await bench.until(lambda: bench.stored("1", Missing))
            assert len([c for c in node.commands if c["cmd"] == "replay"]) == 3
            assert [(m.body.first, m.body.last) for m in bench.stored("1", Missing)] == [(3, 4)]
            node.send(3, 4)
            await bench.quiet()
            assert sorted(bench.seqs()) == list(range(8))
            node.health()
            await bench.quiet()
            assert len([c for c in node.commands if c["cmd"] == "replay"]) == 3

    in_loop(play())


def test_the_tail_is_found_by_the_head_of_an_acknowledgement_or_health(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(4)
            node.record(3, send=False)
            node.health()
            await bench.until(lambda: len(bench.seqs()) == 7)
            assert bench.stored("1", Health)[-1].body.head == 7

    in_loop(play())


@pytest.mark.parametrize(
    ("suffix", "payload", "code"),
    [
        ("ev", b"not json", "json"),
        ("ev", b'{"b":1,"s":0,"e":[[1,40,1,0,0]]}', "channel"),
        ("ev", b'{"b":1,"s":0,"e":[]}', "field"),
        ("state", b'{"online":true}', "field"),
        ("health", b"\xff", "json"),
        ("btn", b"{}", "field"),
        ("cmd/ack", b"[]", "field"),
    ],
)
def test_poison_is_kept_counted_and_acknowledged(
    running: Any, node_type: Any, in_loop: Run, suffix: str, payload: bytes, code: str
) -> None:
    """Mutation that turns it red: leaving the message unacknowledged (the window closes and delivery stops)."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.quiet()
            for _ in range(150):
                node.client.publish(f"table/1/{suffix}", payload)
            node.record(2)
            await bench.quiet()
            rejects = bench.rejects()
            assert rejects[0][0] == f"table/1/{suffix}"
            assert rejects[0][1].startswith(f"{code}: ")
            assert bench.hub.figures.value("rejects_total", reason=code) >= 150
            assert bench.seqs() == [0, 1]

    in_loop(play())


def test_messages_for_tables_that_do_not_exist_are_refused(running: Any, node_type: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            node_type(bench.broker, table="9").connect()
            bench.broker.route("table/x/y", b"1", retain=False)
            await bench.quiet()
            await bench.until(lambda: len(bench.rejects()) >= 2)
            assert {reason.split(":")[0] for _, reason in bench.rejects()} == {"table", "topic"}

    in_loop(play())


@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize("topic", ["table/1/state", "table/1/health", "table/9/state", "table/9/health"])
def test_what_both_sessions_hear_is_refused_once(
    running: Any, node_type: Any, in_loop: Run, topic: str, retain: bool
) -> None:
    """A malformed state reaches both sessions; one that the broker keeps comes again with every connection and every start.

    Mutation: refusing on the plain session too (two rows); forgetting what was refused (a row for each connection).
    """

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.quiet()
            node.client.publish(topic, b"{nonsense", retain=retain)
            await bench.until(bench.rejects)
            await bench.quiet()
            assert [row[0] for row in bench.rejects()] == [topic]
            assert bench.hub.figures.value("rejects_total") == 1
            bench.hub.transport.cut("test")
            await bench.until(lambda: bench.hub.transport.connected(Session.PLAIN))
            await bench.quiet()
            assert len(bench.rejects()) == 1, "the same message again is no other one"
            node.client.publish(topic, b"{other nonsense", retain=retain)
            await bench.until(lambda: len(bench.rejects()) == 2)
            await bench.quiet()
            assert len(bench.rejects()) == 2
        async with running() as bench:
            await bench.quiet()
            assert len(bench.rejects()) == 2, "nor is it after a restart"
            assert bench.broker.unacknowledged == 0

    in_loop(play())


def test_records_wait_for_their_birth_and_are_refused_after_three_seconds(
    running: Any, node_type: Any, in_loop: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from marker_hub.ingest import records

    monkeypatch.setattr(records, "HOLD_S", 60.0)

    async def play() -> None:
        async with running() as bench:
            early = node_type(bench.broker, boot=4)
            early.client = bench.broker.connect()
            early.record(3)
            await asyncio.sleep(0.02)
            assert bench.seqs() == []
            early.connect()
            await bench.until(lambda: bench.seqs() == [0, 1, 2])
            monkeypatch.setattr(records, "HOLD_S", 0.2)
            nobody = node_type(bench.broker, boot=77)
            nobody.client = bench.broker.connect()
            nobody.record(2)
            await bench.until(bench.rejects)
            assert "boot: no birth says whose boot 77 is" in bench.rejects()[0][1]
            await bench.quiet()

    in_loop(play())


def test_a_number_that_no_node_can_have_reached_is_refused(running: Any, node_type: Any, in_loop: Run) -> None:
    """It would leave two thousand million records to ask for. Mutation: taken, the table never answers again."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(3)
            await bench.until(lambda: bench.seqs() == [0, 1, 2])
            node.say("ev", {"b": node.boot, "s": 1 << 31, "e": [[9_000_000, 1, 1, 5, 0]]})
            await bench.until(bench.rejects)
            assert "seq: record 2147483648 of boot 1: the node has told of 3 so far" in bench.rejects()[0][1]
            node.record(2)
            await bench.until(lambda: bench.seqs() == [0, 1, 2, 3, 4])
            await bench.quiet()

    in_loop(play())


def test_a_reboot_begins_a_new_count_and_gives_up_what_the_old_boot_owed(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(3)
            await bench.quiet()
            node.answering = False
            node.record(2, send=False)
            node.record(1)
            await bench.quiet()
            node.answering = True
            node.reboot()
            node.record(4)
            await bench.quiet()
            assert [(e.boot, e.seq) for e in bench.stored("1", Obs)] == [
                (1, 0), (1, 1), (1, 2), (1, 5), (2, 0), (2, 1), (2, 2), (2, 3)
            ]  # fmt: skip
            assert [(m.body.boot, m.body.first, m.body.last) for m in bench.stored("1", Missing)] == [(1, 3, 4)]
            assert [type(e.body) for e in bench.stored("1", Birth, Offline)] == [Birth, Offline, Birth]

    in_loop(play())


def test_a_formatted_node_that_counts_its_boots_anew_loses_nothing(running: Any, node_type: Any, in_loop: Run) -> None:
    """Without an epoch the unique index would eat the records 0.. of the new boot 1 as repetitions.

    Mutation that turns it red: `goes_back` always False.
    """

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(6)
            await bench.quiet()
            node.reboot()
            node.record(2)
            await bench.quiet()
            node.reboot(boot=1)
            node.record(3)
            await bench.until(lambda: len(bench.seqs()) == 11)
            births = [e.body for e in bench.stored("1", Birth)]
            assert [(b.boot, b.epoch) for b in births] == [(1, 0), (2, 0), (1, 1)]
            assert len({e.node for e in bench.stored("1", Obs)}) == 2
        async with running() as bench:
            node.send(0, 2)
            node.record(1)
            await bench.until(lambda: len(bench.seqs()) == 12)

    in_loop(play())


def test_an_old_birth_delivered_again_is_no_new_epoch(running: Any, node_type: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            first = bench.broker.retained["table/1/state"]
            node.record(6)
            node.reboot()
            node.record(2)
            await bench.quiet()
            bench.broker.route("table/1/state", first, retain=False)
            await bench.until(lambda: any(c["cmd"] == "info" for c in node.commands))
            await bench.quiet()
            bench.broker.route("table/1/ev", b'{"b":1,"s":4,"e":[[1040,0,1,4,0],[1050,0,1,5,0]]}', retain=False)
            node.record(1)
            await bench.quiet()
            assert {b.body.epoch for b in bench.stored("1", Birth)} == {0}
            assert len(bench.seqs()) == 9

    in_loop(play())


def test_clock_requests_are_answered_and_pairs_journalled_at_jumps_only(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            replies: list[bytes] = []
            node.client.subscribe("table/1/clk/rep", lambda _t, payload, _r: replies.append(payload))
            before = bench.hub.mono_us()
            node.say("clk/req", {"n": 7, "t0": 123})
            await bench.until(lambda: replies)
            from marker_hardware.wire import Topic
            from marker_hub import wire

            reply = wire.decode(Topic.CLK_REP, replies[0])
            assert (reply.n, reply.t0) == (7, 123)
            assert before <= reply.t1 <= reply.t2 <= bench.hub.mono_us()
            for number, off in enumerate((1_000_000, 1_000_400, 1_001_000, 1_009_000)):
                node.health(clk=[number * 2_000_000, off, 800], clk_ok=True)
            await bench.quiet()
            assert [e.body.off for e in bench.stored("1", ClockPair)] == [1_000_000, 1_009_000]

    in_loop(play())


def test_an_acknowledgement_is_journalled_with_its_head(running: Any, node_type: Any, in_loop: Run) -> None:
    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.until(lambda: bench.stored("1", Head))
            head = bench.stored("1", Head)[0].body
            assert head == entries.Head(1, 0, node.commands[0]["id"], 0)

    in_loop(play())


def test_a_babbling_node_is_shed_visibly_and_others_do_not_notice(running: Any, node_type: Any, in_loop: Run) -> None:
    """Bounded: the journal grows by what is allowed, what was left out is said, the other table loses nothing."""

    async def play() -> None:
        async with running(tables=2, records_per_second=100) as bench:
            bench.hub.ingest.tables["1"].tokens = 200.0
            began = time.monotonic()
            babbler, good = node_type(bench.broker), node_type(bench.broker, table="2", uid="aaaaaaaaaaaaaaaa")
            babbler.connect()
            good.connect()
            for _ in range(40):
                babbler.record(160)
                good.record(1)
                await asyncio.sleep(0)
            await bench.quiet()
            assert bench.seqs("2") == list(range(40))
            allowed = 200 + 100 * (time.monotonic() - began)
            assert len(bench.seqs("1")) <= allowed
            await bench.until(lambda: bench.stored("1", Missing))
            assert bench.hub.figures.value("shed_records_total", table="1") >= 40 * 160 - allowed
            assert not bench.stored("2", Missing)

    in_loop(play())
