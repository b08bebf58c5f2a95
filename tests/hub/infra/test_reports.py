"""Faults that users of comparable systems reported, on this hub's links, clocks and store. Each test names the report."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

import marker_hub.table as core
from marker_hub import clocks, commands, entries
from marker_hub.clocks import Pair
from marker_hub.entries import Birth, Obs
from marker_hub.transport.memory import MemoryBroker

Run = Callable[[Any], Any]


def start_match() -> commands.MatchStart:
    players = {"A": entries.PlayerInfo("Alfa"), "B": entries.PlayerInfo("Beta")}
    return commands.MatchStart(
        game="five-pins", players=players, key=str(uuid.uuid4()), options={"points_limit": 60, "games": 3}, opener="A", ball_of_a="white"
    )  # fmt: skip


@pytest.mark.report("R034")
def test_order_between_two_clocks_is_right_or_said_to_be_unknown() -> None:
    """R034: two nodes 40 ms ahead and behind; nearer than the joint uncertainty the order is never guessed.

    Mutation that turns it red: comparing the mapped times without their uncertainties.
    """
    ahead = (Pair(1, 10_000_000, -40_000, 2_000),)  # device shows 40 ms more than the hub
    behind = (Pair(1, 10_000_000, 40_000, 2_000),)
    decided = unknown = 0
    for gap in range(-20_000, 20_001, 250):
        true_a, true_b = 10_500_000, 10_500_000 + gap
        a = clocks.to_hub(ahead, 1, true_a + 40_000, 0)
        b = clocks.to_hub(behind, 1, true_b - 40_000, 0)
        said = clocks.order(a, b)
        if said is None:
            unknown += 1
            assert abs(gap) <= a[1] + b[1]
        else:
            decided += 1
            assert said == (-1 if true_a < true_b else 1)
    assert decided > 100
    assert unknown > 3


@pytest.mark.report("R035")
def test_a_drifting_board_keeps_the_order_and_the_service_page_shows_it(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    """R035: 2 % for two hours; raw device time orders the contacts of one shot, and `drift_ppm` says 20,000."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.quiet()
            for minute in range(0, 121, 5):
                t_dev = int(minute * 60e6 * 1.02)
                node.health(t=t_dev, clk=[t_dev, int(minute * 60e6) - t_dev, 900], clk_ok=True)
                await bench.quiet()
            service = await bench.hub.service("1")
            assert service["node"]["drift_ppm"] == pytest.approx(-19_608, abs=2)
            node.ring = [
                [int(7200e6 * 1.02) + at, 22 if at == 0 else 16, 4, 500, 0] for at in (0, 180_000, 180_700, 400_000)
            ]
            node.send(0, 3)
            await bench.quiet()
            times = [entry.dev_us for entry in bench.stored("1", Obs)]
            assert times == sorted(times)

    in_loop(play())


@pytest.mark.report("R037")
def test_a_broker_that_dies_before_its_acknowledgement_doubles_nothing(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    """R037: 'pin 2 down' is published, the broker dies, the node sends it again; (node, boot, seq) decides."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.ring = [[5000, 1, 3, 2, 0x0300]]
            node.send(0, 0)
            await bench.quiet()
            for _ in range(3):
                bench.broker.forget()
                await bench.until(lambda: bench.hub.health()["broker"])
                node.connect()
                node.send(0, 0)
                await bench.quiet()
            assert bench.seqs() == [0]
            assert bench.hub.figures.value("duplicates_total", table="1") == 3

    in_loop(play())


@pytest.mark.report("R038")
def test_two_reconnects_in_a_row_apply_each_number_once_and_in_order(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    """R038: ten seconds offline with six queued events, then two reconnects; the node resends what it thinks is unacknowledged."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            node.record(2)
            await bench.quiet()
            node.client.die()
            for _ in range(6):
                node.record(1, send=False)
            for _ in range(2):
                node.connect()
                node.send(2, 7)
            await bench.quiet()
            assert bench.seqs() == list(range(8))

    in_loop(play())


@pytest.mark.report("R044")
def test_a_hub_that_starts_after_a_power_cut_shows_the_node_offline_at_once(
    running: Any, node_type: Any, in_loop: Run
) -> None:
    """R044: the retained `connected` of a dead node must not survive it."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.until(lambda: bench.hub.view("1")["node"] == "online")
        node.client.die()
        async with running() as bench:
            assert bench.hub.view("1")["node"] == "offline"
            assert (await bench.hub.service("1"))["node"]["state"] == "offline"

    in_loop(play())


@pytest.mark.report("R045")
def test_a_replaced_node_does_not_come_back_after_a_restart(running: Any, node_type: Any, in_loop: Run) -> None:
    """R045: node A is replaced by B at one table; the retained state is B's, A's records stay A's."""

    async def play() -> None:
        async with running() as bench:
            old = node_type(bench.broker, uid="aaaaaaaaaaaaaaaa", boot=57)
            old.connect()
            old.record(4)
            await bench.quiet()
            old.client.die()
            new = node_type(bench.broker, uid="bbbbbbbbbbbbbbbb", boot=3)
            new.connect()
            new.record(2)
            await bench.quiet()
        async with running() as bench:
            service = await bench.hub.service("1")
            assert (service["node"]["uid"], service["node"]["boot"]) == ("bbbbbbbbbbbbbbbb", 3)
            owners = {entry.body.uid: entry.node for entry in bench.stored("1", Birth)}
            assert [e.node for e in bench.stored("1", Obs)] == [owners["aaaaaaaaaaaaaaaa"]] * 4 + [
                owners["bbbbbbbbbbbbbbbb"]
            ] * 2
            states = [json.loads(p) for t, p in bench.broker.retained.items() if t.endswith("/state")]
            assert [state["uid"] for state in states] == ["bbbbbbbbbbbbbbbb"]

    in_loop(play())


@pytest.mark.report("R048")
def test_an_empty_broker_in_the_middle_of_a_game_costs_nothing(running: Any, node_type: Any, in_loop: Run) -> None:
    """R048: the hub has its journal and publishes the retained topics again; the state is unchanged."""

    async def play() -> None:
        async with running() as bench:
            node = node_type(bench.broker)
            node.connect()
            await bench.hub.command("1", start_match(), role="referee", session="s")
            await bench.quiet()

            def told() -> dict[str, bytes]:
                retained = bench.broker.retained.items()
                return {t: p for t, p in retained if t.rsplit("/", 1)[1] in ("score", "shot", "display")}

            await bench.until(lambda: len(told()) >= 2)
            kept = told()
            before = core.state_hash(bench.hub.tables_by_id["1"].value)
            bench.broker.forget()
            await bench.until(
                lambda: {t: p for t, p in bench.broker.retained.items() if t in kept}.keys() == kept.keys()
            )
            assert core.state_hash(bench.hub.tables_by_id["1"].value) == before
            shown = {key: bench.hub.view("1")[key] for key in ("phase", "players", "turn", "match")}
        async with running(broker=MemoryBroker()) as bench:
            view = bench.hub.view("1")
            assert {key: view[key] for key in shown} == shown
            score = json.loads(bench.broker.retained["table/1/score"])
            assert score["match"] == shown["match"]["id"]

    in_loop(play())
