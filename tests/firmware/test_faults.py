"""The real firmware in the VM with a real broker and everything that goes wrong between them: 0 lost without a word, 0 double."""

import asyncio
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boardplay import FALLEN, STANDING, command, presses, soon, stand
from busy import Stopwatch, within

from marker_hardware.wire import ErrorCode, Flag, Kind, LossCause, Mode, Quality
from marker_sim.sinks import frames as F
from marker_sim.sinks.node import VirtualBoard

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
VECTORS = json.loads((ROOT / "tests/wire/vectors.json").read_text())

Play = Callable[..., None]


def whole(listener: Any, boot: int, upto: int) -> dict[int, list[int]]:
    """Every record of a boot below `upto`, without a hole."""
    records = {seq: r for (b, seq), r in listener.all_records().items() if b == boot}
    missing = [seq for seq in range(upto) if seq not in records]
    assert not missing, f"lost without a word: {missing[:20]}"
    return records


async def fetch(listener: Any, upto: int) -> dict[int, list[int]]:
    """Every record below `upto`; what the listener missed (its own connection died too) is asked for, as the hub does."""
    await soon(listener.client.is_connected)
    for attempt in range(40):  # what is on its way may take its time on a busy machine
        await asyncio.sleep(0.3)
        missing = [s for s in range(upto) if (1, s) not in listener.records()]
        if not missing:
            break
        await command(listener, f"fetch{attempt}", "replay", boot=1, **{"from": missing[0], "to": missing[-1]})
    return whole(listener, 1, upto)


def test_messages_have_the_fields_of_the_contract(play: Play, listener: Any) -> None:
    """Birth, health, will and acknowledgements as in the shared vectors."""

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        ack = await command(listener, "a1", "arm", shot=3, layout=list("CNESW"))
        assert await board.wait_mode(Mode.ARMED) == Mode.ARMED
        await board.send([F.edge(us, 22, 1, 800), F.edge(us + 18_000, 22, 0)])
        await board.sync(us + 100_000)
        await soon(lambda: any(h["clk"] and h["clk_ok"] for h in listener.of("health")))
        optional = set(VECTORS["optional"]["cmd_ack"])
        assert set(VECTORS["cmd_ack"][0]) == set(ack) - optional
        assert set(listener.of("state")[0]) == set(VECTORS["state"][0])
        assert set(listener.of("health")[0]) == set(VECTORS["health"][0])
        await soon(lambda: listener.of("health")[-1]["head"] == max(s for _, s in listener.all_records()) + 1)
        assert set(listener.of("state")[0]["channels"]) == set(VECTORS["state"][0]["channels"])
        await board.restart()
        await soon(lambda: any(not s["online"] for s in listener.of("state")))
        wills = [s for s in listener.of("state") if not s["online"]]
        assert wills[0] == {"online": False, "boot": 1, "v": 1}
        await soon(lambda: listener.of("state")[-1].get("boot") == 2 and listener.of("state")[-1]["online"])

    play(body, speed=1)


def test_a_shot_over_the_tick_wrap_keeps_its_order_and_its_distances(play: Play, listener: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        wrap = 1 << 30
        times = [wrap - 900_000, wrap - 40_000, wrap + 5_000, wrap + 400_000]
        assert us < times[0]
        for t in times:
            await board.send([F.edge(t, 22, 1, 800), F.edge(t + 18_000, 22, 0)])
        await board.sync(wrap + 1_000_000)
        hits = [r[0] for r in listener.all_records().values() if r[2] == Kind.HIT]
        assert sorted(hits) == times

    play(body)


@pytest.mark.parametrize("fault", ["kill", "stop", "silent"])
@pytest.mark.report("R040")
def test_a_link_that_dies_in_a_shot_loses_and_doubles_nothing(play: Play, broker: Any, listener: Any, proxy_class: Any, fault: str) -> None:  # fmt: skip
    """R040: broker killed and restarted, stopped (SIGSTOP), and a half-open connection; the node is back within 15 s with
    the original stamps. Mutation: `sent` not rewound to `tail` at the new connection."""
    made: list[Any] = []

    async def before() -> int:
        made.append(await proxy_class(broker.port).start())
        return int(made[0].port)

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        await board.send(presses(us, 40))
        await board.sync(us + 5_000_000)
        with Stopwatch() as watch:
            if fault == "kill":
                broker.kill()
            elif fault == "stop":
                broker.signal(signal.SIGSTOP)
            else:
                made[0].silent = True
            await board.send(presses(us + 5_000_000, 60))
            await board.sync(us + 13_000_000, acknowledged=False)
            await board.wait_link(up=False)
            if fault == "kill":
                broker.start()
            elif fault == "stop":
                broker.signal(signal.SIGCONT)
            else:
                made[0].silent = False
            await board.wait_link(timeout=60)
        assert watch.seconds < within(15)
        assert await board.sync(us + 14_000_000)
        records = await fetch(listener, 206)
        stamps = [r[0] for r in records.values() if r[2] == Kind.PRESS]
        expected = [us + i * 120_000 for i in range(40)] + [us + 5_000_000 + i * 120_000 for i in range(60)]
        assert stamps == expected
        await made[0].stop()

    play(body, before=before)


@pytest.mark.parametrize("seconds", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_an_outage_with_300_events(play: Play, broker: Any, listener: Any, seconds: int) -> None:
    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        broker.kill()
        await board.send(presses(us, 150))
        await board.sync(us + 19_000_000, acknowledged=False)
        await asyncio.sleep(seconds)
        broker.start()
        await board.wait_link()
        assert await board.sync(us + 20_000_000)
        records = await fetch(listener, 306)
        assert sum(r[2] == Kind.PRESS for r in records.values()) == 150

    play(body)


@pytest.mark.report("R042")
def test_an_outage_that_overflows_the_outbox_is_told_and_replay_answers_gap(
    play: Play, broker: Any, listener: Any, proxy_class: Any
) -> None:
    """R042: the discarded records are counted and reported on reconnect; asked for, they are named as a gap.

    Mutations: no `unreported` counter; replay that answers ok below the floor."""

    made: list[Any] = []

    async def before() -> int:
        made.append(await proxy_class(broker.port).start())
        return int(made[0].port)

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        made[0].sever()
        await board.wait_link(up=False)
        for part in range(4):
            await board.send(presses(us + part * 25_000_000, 190))
        await board.sync(us + 110_000_000, acknowledged=False)
        made[0].cut = False
        await board.wait_link()
        await board.sync(us + 111_000_000)
        loss = await soon(lambda: [r for r in listener.records().values() if r[2] == Kind.LOSS])
        assert [r[4] for r in loss] == [LossCause.OUTBOX]
        head = 6 + 4 * 380
        lost = head - 1024
        records = listener.all_records()
        assert loss[0][3] == lost - 6, "the first six had been acknowledged"
        await soon(lambda: {(1, s) for s in range(lost, head)} <= listener.records().keys())
        assert not any((1, s) in records for s in range(6, lost))
        ack = await command(listener, "r1", "replay", boot=1, **{"from": 6, "to": lost + 3})
        floor = ack["gap"]["to"] + 1
        assert (ack["code"], ack["gap"]["from"]) == (ErrorCode.GAP, 6)
        assert lost <= floor <= lost + 2
        again = [b for b in listener.of("ev") if any(r[4] & Flag.REPLAY for r in b["e"])]
        assert [b["s"] for b in again] == [floor]
        wrong_boot = await command(listener, "r2", "replay", boot=7, **{"from": 0, "to": 3})
        assert wrong_boot["gap"] == {"from": 0, "to": 3}

        await made[0].stop()

    play(body, before=before)


def test_replay_sends_the_same_records_again_flagged(play: Play, listener: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        await board.send(presses(us, 30))
        await board.sync(us + 4_000_000)
        ack = await command(listener, "r1", "replay", boot=1, **{"from": 10, "to": 44})
        assert ack["ok"], ack
        assert "gap" not in ack
        again = [b for b in listener.of("ev") if b["e"][0][4] & Flag.REPLAY]
        assert [(b["s"], len(b["e"])) for b in again] == [(10, 16), (26, 16), (42, 3)]
        listener.all_records()  # fails when a repeated record differs

    play(body)


def test_a_wrong_connack_is_refused_and_the_next_try_works(
    play: Play, broker: Any, listener: Any, proxy_class: Any
) -> None:
    """Refusals, a kept session, another packet, an empty one: never a half-open session, always another try."""

    async def before() -> int:
        proxy = await proxy_class(broker.port).start()
        made.append(proxy)
        proxy.connack = lies[0]
        return int(proxy.port)

    made: list[Any] = []
    lies = [b"\x20\x02\x00\x05", b"\x20\x02\x01\x00", b"\x90\x03\x00\x01\x00", b"\x20\x00"]

    async def body(board: VirtualBoard) -> None:
        for lie in lies[1:]:
            await board.wait_link()
            broker.kill()
            made[0].connack = lie
            broker.start()
            await soon(lambda: made[0].connack is None)  # told to a new connection: the old one is down by then
        await board.wait_link()
        assert await board.sync(await stand(board))
        for said in ("broker refused: not authorised", "session that was asked to be clean"):
            await soon(lambda said=said: any(said in line for line in board.log))
        await made[0].stop()

    play(body, before=before)


def test_twenty_percent_duplicates_both_ways_change_nothing(
    play: Play, broker: Any, listener: Any, proxy_class: Any
) -> None:
    made: list[Any] = []

    async def before() -> int:
        made.append(await proxy_class(broker.port, seed=20).start())
        made[0].duplicate = 0.2
        return int(made[0].port)

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        for i in range(12):
            ack = await command(listener, f"c{i}", "arm", shot=i, layout=list("CNESW"))
            assert ack["ok"], ack
            await board.send(presses(us + i * 4_000_000, 20))
            await board.sync(us + i * 4_000_000 + 3_000_000)
        await soon(lambda: len(listener.records()) >= 6 + 12 * 41)
        records = whole(listener, 1, 6 + 12 * 41)
        armed = [r for r in records.values() if r[2] == Kind.MODE and r[3] == Mode.ARMED]
        assert [r[4] for r in armed] == list(range(12)), "each command was executed once"
        raw = sum(len(b["e"]) for b in listener.of("ev"))
        assert raw > len(records), "the proxy did duplicate"
        await made[0].stop()

    play(body, before=before)


def test_a_reset_in_a_shot_is_a_new_boot_and_the_pins_come_as_a_snapshot(play: Play, listener: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        await command(listener, "a1", "arm", shot=1, layout=list("CNESW"))
        vectors = [*STANDING[:1], FALLEN, *STANDING[2:]]
        await board.send([F.field(us, vectors), *F.hold(us + 10_000, 2)])
        await board.sync(us + 100_000)
        await board.restart()
        us = board.now_us
        await board.send([F.field(us, vectors), *F.hold(us + 10_000, 40)])
        await board.sync(us + 1_000_000)
        boots = {b for b, _ in listener.all_records()}
        assert boots == {1, 2}
        assert min(s for b, s in listener.all_records() if b == 2) == 0
        birth = listener.of("state")[-1]
        assert (birth["boot"], birth["reset"], birth["online"]) == (2, "power_on", True)
        fresh = await command(listener, "i", "info")
        assert fresh["boot"] == 2

    play(body)


def test_an_orderly_reset_by_command_says_goodbye_and_comes_back(play: Play, listener: Any) -> None:
    """Offline once, by its own word: a will after it would say it a second time."""

    async def body(board: VirtualBoard) -> None:
        await stand(board)
        assert (await command(listener, "x", "reset"))["ok"]
        await soon(lambda: [s for s in listener.of("state") if s["boot"] == 2 and s["online"]])
        first, second = ([s for s in listener.of("state") if s["boot"] == boot] for boot in (1, 2))
        assert [s["online"] for s in first][-2:] == [True, False]
        assert (second[0]["online"], second[0]["reset"]) == (True, "reset")

    play(body)


def test_edges_beyond_the_ring_are_counted_in_a_loss_record(play: Play, listener: Any) -> None:
    """A stall of 400 edges against 255 places; amplitudes of the others are unknown. Mutation: no overflow counter."""

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        edges = [F.edge(us + 1000 + i * 500, 17, 1 - i % 2) for i in range(400)]
        await board.send([F.Frame(us, F.FrameKind.FREEZE, 1, 400), *edges])
        await board.sync(us + 2_000_000)

        def losses() -> list[list[int]]:
            return [r for r in listener.records().values() if r[2] == Kind.LOSS]

        # What was lost right before the end of the stall is counted after it, with the next look at the counter.
        await soon(lambda: sum(r[3] for r in losses()) >= 145)
        records = whole(listener, 1, 8)
        assert {r[4] for r in losses()} == {LossCause.RING}
        assert sum(r[3] for r in losses()) == 145
        hits = [r for r in listener.all_records().values() if r[2] == Kind.HIT]
        assert len(hits) == 128
        assert records

    play(body)


def fast_watchdog(tmp_path: Path) -> Path:
    """The firmware with its watchdog armed after 1 s and set to 4 s, so that the test need not wait 38 s."""
    copy = tmp_path / "fw"
    shutil.copytree(ROOT / "firmware", copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "tablefw/supervisor.py"
    text = file.read_text()
    for old, new in (("WATCHDOG_MS = 8000", "WATCHDOG_MS = 4000"), ("ARM_AFTER_S = 30 ", "ARM_AFTER_S = 1 ")):
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return copy


@pytest.mark.report("R036")
def test_a_frozen_node_is_reset_by_its_watchdog(play: Play, listener: Any, tmp_path: Path) -> None:
    """R036: the main loop stands still for ever after 75 minutes of node time; the node comes back with a new boot."""

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        for minute in range(1, 76):
            at = us + minute * 60_000_000
            await board.send(presses(at, 1))
        assert await board.sync(us + 76 * 60_000_000)
        stamps = [r[0] for r in listener.all_records().values() if r[2] == Kind.PRESS]
        assert stamps == [us + minute * 60_000_000 for minute in range(1, 76)], "across four wraps"
        await soon(lambda: board.watched)
        await board.send([F.Frame(board.now_us, F.FrameKind.FREEZE, 0, 0xFFFF)])
        # the board is linked before the listener has its state: the broker's word for the dead one may still be the last
        await soon(lambda: (listener.of("state")[-1]["online"], listener.of("state")[-1]["boot"]) == (True, 2))
        assert listener.of("state")[-1]["reset"] == "watchdog"

    play(body, firmware=fast_watchdog(tmp_path))


def test_the_broker_hears_of_a_silent_node_within_six_seconds(play: Play, broker: Any, listener: Any, proxy_class: Any) -> None:  # fmt: skip
    """A broker gives up one and a half times the keepalive after the last word: the node asks for less than six seconds."""
    made: list[Any] = []

    async def before() -> int:
        made.append(await proxy_class(broker.port).start())
        return int(made[0].port)

    async def body(board: VirtualBoard) -> None:
        assert board.pid is not None
        connect = made[0].connect
        assert connect[connect.index(b"MQTT") - 2 :][:7] == b"\x00\x04MQTT\x04"
        keepalive = int.from_bytes(connect[connect.index(b"MQTT") + 6 :][:2], "big")
        assert 0 < 1.5 * keepalive < 6
        os.kill(board.pid, signal.SIGSTOP)
        await soon(lambda: any(not s["online"] for s in listener.of("state")))
        os.kill(board.pid, signal.SIGCONT)
        await soon(lambda: listener.of("state")[-1]["online"])
        assert board.boot == 1
        await made[0].stop()

    play(body, before=before)


def test_modes_refuse_what_does_not_fit(play: Play, listener: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        await stand(board)
        steps = [
            ("mode", {"mode": Mode.ARMED}, ErrorCode.WRONG_MODE),
            ("arm", {"shot": 1, "layout": ["C"]}, ErrorCode.OK),
            ("mode", {"mode": Mode.SERVICE}, ErrorCode.WRONG_MODE),
            ("selftest", {}, ErrorCode.WRONG_MODE),
            ("reset", {}, ErrorCode.WRONG_MODE),
            ("ota", {"op": "begin", "mac": "00" * 32}, ErrorCode.BAD_ARG),
            ("mode", {"mode": Mode.SETTLING}, ErrorCode.OK),
            ("mode", {"mode": Mode.ARMED}, ErrorCode.OK),
            ("mode", {"mode": Mode.IDLE}, ErrorCode.OK),
            ("mode", {"mode": Mode.SETTLING}, ErrorCode.WRONG_MODE),
            ("mode", {"mode": Mode.SERVICE}, ErrorCode.OK),
            ("arm", {"shot": 2, "layout": []}, ErrorCode.WRONG_MODE),
            ("mode", {"mode": Mode.IDLE}, ErrorCode.OK),
            ("selftest", {}, ErrorCode.OK),
        ]
        for i, (cmd, arguments, code) in enumerate(steps):
            ack = await command(listener, f"s{i}", cmd, **arguments)
            assert ack["code"] == code, (i, cmd, arguments, ack)

    play(body)


def test_the_threshold_is_set_by_command_and_kept_and_the_noise_floor_is_told(play: Play, listener: Any) -> None:
    """Mutations: no save (the old threshold is back after a restart); a threshold that reaches neither comparator nor health."""

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        await soon(lambda: listener.of("health"))
        assert listener.of("health")[-1]["noise"] == {}
        assert board.outputs[2] == listener.of("health")[-1]["vth"] == 150
        refused = await command(listener, "v1", "vth", mv=200)
        assert refused["code"] == ErrorCode.WRONG_MODE
        await command(listener, "m1", "mode", mode=Mode.SERVICE)
        assert (await command(listener, "v2", "vth", mv=200))["ok"]
        await soon(lambda: board.outputs[2] == 200)
        await command(listener, "m2", "mode", mode=Mode.IDLE)
        await board.send([F.Frame(us, F.FrameKind.ADC, ch, 20 + ch) for ch in range(7)])
        for part in range(10):  # a thousand readings; the last one ends the window
            await board.send([F.time(us + (part * 101 + i) * 70_000) for i in range(101)])
        await board.sync(us + 1011 * 70_000)
        await soon(
            lambda: listener.of("health")[-1]["noise"] == {"PZ1": 20, "PZ2": 21, "PZ3": 22, "PZ4": 23, "CLICK": 26}
        )
        board.outputs.clear()
        await board.restart()
        await soon(lambda: listener.of("health")[-1]["boot"] == 2 and listener.of("health")[-1]["vth"] == 200)
        assert board.outputs[2] == 200

    play(body)


def test_the_self_test_finds_open_short_and_weak_parts(play: Play, listener: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        tests = {16: 1800, 17: 100, 18: 300, 19: 600}
        await board.send([F.Frame(board.now_us, F.FrameKind.TEST, ch - 16, mv) for ch, mv in tests.items()])
        beams = {20: 1, 23: 2, 24: 3}
        await board.send([F.Frame(board.now_us, F.FrameKind.TEST, part, fault) for part, fault in beams.items()])
        await board.send([F.Frame(board.now_us, F.FrameKind.ADC, 8, 2100)])
        await board.sync(board.now_us)
        result = (await command(listener, "t", "selftest"))["result"]
        assert [result[f"PZ{i}"] for i in range(1, 5)] == [Quality.ABSENT, Quality.STUCK, Quality.NOISY, Quality.OK]
        assert [result[f"P{i}"] for i in range(1, 7)] == [0, 0, Quality.STUCK, Quality.ABSENT, 0, 0]
        assert result["clean"] == ["P5A!"]
        assert (result["V5"], result["supply_ok"]) == (4200, False)
        await soon(lambda: listener.of("health")[-1]["channels"]["PZ1"] == Quality.ABSENT)
        assert not [r for r in listener.all_records().values() if r[2] in (Kind.HIT, Kind.DROP, Kind.BACK)]

    play(body, profile="pyramid", speed=1)


def test_the_display_shows_what_the_hub_says_and_dashes_without_link(play: Play, broker: Any, listener: Any) -> None:
    """Mutation: no dashes, and yesterday's score stands on the table after the broker died."""

    async def body(board: VirtualBoard) -> None:
        listener.client.publish("table/t1/display", json.dumps(VECTORS["display"][0]), 1, retain=True)
        await soon(lambda: board.text == "12   7")
        broker.kill()
        await soon(lambda: board.text == "--------")
        broker.start()
        await soon(lambda: board.text == "12   7")

    play(body)


def garbage(rng: random.Random) -> bytes:
    """One hostile payload."""
    kind = rng.randrange(7)
    if kind == 0:
        return rng.randbytes(rng.randrange(0, 300))
    if kind == 1:
        return b"[" * rng.randrange(1, 2000)
    if kind == 2:
        return json.dumps(
            {"id": "x" * rng.randrange(0, 60), "cmd": rng.choice(["arm", "mode", "replay", "ota", "dance", ""])}
        ).encode()
    if kind == 3:
        return b"{" + rng.randbytes(rng.randrange(0, 3000))
    if kind == 4:
        value = rng.choice([None, -1, 1 << 70, 1e308, "x", [], {}, True])
        return json.dumps({"id": f"f{rng.randrange(99)}", "cmd": rng.choice(["arm", "mode", "replay"]), "shot": value, "mode": value, "boot": value, "from": value, "to": value, "layout": value}).encode()  # fmt: skip
    if kind == 5:
        return b'{"id":"big","cmd":"info","x":"' + b"y" * rng.randrange(2000, 9000) + b'"}'
    return rng.choice([b"", b"null", b"0", b'"arm"', b"\xff\xfe", b'{"id":1}', b'{"id":"a","cmd":5}'])


LIVES = 100


async def fuzz(board: VirtualBoard, listener: Any, rng: random.Random, rounds: int) -> None:
    """Hostile payloads on every topic the node hears and on its serial line; it must answer a good command afterwards."""
    for n in range(rounds):
        for topic in ("cmd", "clk/rep", "display"):
            listener.client.publish(f"table/t1/{topic}", garbage(rng), rng.randrange(2))
        if n % 3 == 0:
            await board.serial(garbage(rng).decode("latin-1").replace("\x03", ""))
        if n % 50 == 49:
            for attempt in range(LIVES):
                ack = await command(listener, f"alive{n}.{attempt}", "info")
                if ack["code"] != ErrorCode.BUSY:
                    break  # else the nonsense before it still waits
            assert ack["boot"] == 1
            assert ack["result"]["heap"] > 20_000


def test_fuzzed_topics_and_serial_lines_never_reset_the_node(play: Play, listener: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        await fuzz(board, listener, random.Random(7), 300)
        assert board.restarts == 0
        await board.send(presses(us + 1_000_000, 3))
        assert await board.sync(us + 2_000_000)
        await soon(lambda: listener.of("health")[-1]["bad_cmds"] > 0)
        await board.serial('{"id":"s","cmd":"info"}')
        await soon(lambda: any('"id": "s"' in line for line in board.log))

    play(body)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_ten_minutes_of_fuzz(play: Play, listener: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        await stand(board)
        rng = random.Random()
        seed = rng.randrange(1 << 32)
        print("seed", seed)
        rng.seed(seed)
        end = time.monotonic() + 600
        while time.monotonic() < end:
            await fuzz(board, listener, rng, 200)
        assert board.restarts == 0

    play(body)
