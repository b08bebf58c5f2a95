"""The technician's threshold: given to a node between matches, with its answer; the table's own commands wait meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from marker_hub import commands, entries

Run = Callable[[Any], Any]


async def until(fulfilled: Callable[[], bool]) -> None:
    """Waits for something that must come; the test's own limit ends it otherwise."""
    while not fulfilled():
        await asyncio.sleep(0.01)


def test_the_threshold_goes_to_a_node_in_service_mode_and_back(
    running: Any, node_type: Any, in_loop: Run, birth: Any
) -> None:
    """Service mode, threshold, idle; what the node then reports of itself is what the service page shows."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            table = bench.hub.tables_by_id["1"]
            await until(lambda: table.reconciler.node_online and table.reconciler.in_step)
            node.commands.clear()
            result = await bench.hub.set_threshold("1", 205)
            assert (result.status, result.body) == (200, {"mv": 205})
            told = [{key: value for key, value in each.items() if key != "id"} for each in node.commands]
            assert told == [{"cmd": "mode", "mode": 4}, {"cmd": "vth", "mv": 205}, {"cmd": "mode", "mode": 1}]
            assert len({each["id"] for each in node.commands}) == 3
            node.health(vth=205, noise={"PZ1": 31, "CLICK": 12})
            link = bench.hub.ingest.tables["1"]
            await until(lambda: link.health_raw is not None)
            rows = {row["channel"]: row for row in (await bench.hub.service("1"))["channels"]}
            assert (rows["PZ1"]["noise_v"], rows["PZ1"]["threshold_v"]) == (0.031, 0.205)
            assert (rows["PZ2"]["noise_v"], rows["N"]["threshold_v"]) == (None, None)

    in_loop(play())


def test_a_self_test_tells_what_answered(running: Any, node_type: Any, in_loop: Run) -> None:
    """Quality by channel, the supply, beams to clean; what is no channel of the table is left out; a refusal is said."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            table = bench.hub.tables_by_id["1"]
            await until(lambda: table.reconciler.node_online and table.reconciler.in_step)
            node.answering = False
            for code, result in ((0, {"N": 0, "PZ1": 1, "P1": 2, "V5": 5020, "clean": ["P2A"]}), (3, None)):
                asked = asyncio.ensure_future(bench.hub.self_test("1"))
                await until(lambda: node.commands[-1]["cmd"] == "selftest")
                answer = {"id": node.commands.pop()["id"], "ok": code == 0, "code": code, "boot": node.boot, "head": 0}
                node.say("cmd/ack", answer | ({"result": result} if result else {"msg": "in a shot"}))
                told = await asked
                if code == 0:
                    assert told.body == {"channels": {"N": "ok", "PZ1": "noisy"}, "volts": 5.02, "clean": ["P2A"]}
                else:
                    assert (told.status, told.body["code"]) == (422, "refused")
                    assert "in a shot" in told.body["text"]["it"]

    in_loop(play())


def test_no_threshold_without_a_node_during_a_match_or_out_of_range(running: Any, in_loop: Run) -> None:
    """Each is refused with its reason; nothing is sent."""

    async def play() -> None:
        async with running() as bench:
            assert (await bench.hub.set_threshold("1", 149)).body["code"] == "range"
            assert (await bench.hub.set_threshold("1", 601)).body["code"] == "range"
            silent = await bench.hub.set_threshold("1", 200)
            assert (silent.status, silent.body["code"]) == (422, "node")
            assert set(silent.body["text"]) == {"ru", "en", "it"}
            players = {"A": entries.PlayerInfo("A"), "B": entries.PlayerInfo("B")}
            start = commands.MatchStart(
                game="five-pins",
                players=players,
                key="k",
                options={"points_limit": 60, "games": 3},
                opener="A",
                ball_of_a="white",
            )
            assert (await bench.hub.command("1", start, role="referee", session="s")).status == 200
            assert (await bench.hub.set_threshold("1", 200)).body["code"] == "match"

    in_loop(play())
