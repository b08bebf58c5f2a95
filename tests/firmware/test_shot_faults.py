"""Faults in the middle of an armed shot: the counter wraps, the power goes."""

from collections.abc import Callable
from typing import Any

import pytest
from boardplay import FALLEN, STANDING, command, soon, stand

from marker_hardware.wire import ErrorCode, Kind, Latch, Mode, PinState
from marker_sim.sinks import frames as F
from marker_sim.sinks.node import VirtualBoard

pytestmark = pytest.mark.slow
Play = Callable[..., None]
WRAP = 1 << 30


def seen(listener: Any) -> set[tuple[int, int]]:
    """(kind, value) of every record, of hits (kind, channel)."""
    return {(r[2], r[1] if r[2] == Kind.HIT else r[3]) for r in listener.all_records().values()}


def test_a_pin_that_falls_while_the_counter_wraps_is_told_once_and_in_order(play: Play, listener: Any) -> None:
    """Armed, struck 40 ms before the wrap, the pin falls over it. Mutation: an extension that takes the small tick for an old one."""

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        assert us < WRAP - 100_000
        assert (await command(listener, "a", "arm", shot=9, layout=list("CNESW")))["ok"]
        vectors = [STANDING[0], FALLEN, *STANDING[2:]]
        await board.send(
            [F.edge(WRAP - 40_000, 22, 1, 800), F.edge(WRAP - 22_000, 22, 0), F.field(WRAP - 8_000, vectors)]
        )
        await board.send([*F.hold(WRAP + 2_000, 30), F.edge(WRAP + 310_000, 16, 1, 700), F.edge(WRAP + 328_000, 16, 0)])
        await board.sync(WRAP + 600_000)
        await soon(lambda: {(Kind.STATE, PinState.FALLEN), (Kind.HIT, 16)} <= seen(listener))
        told = [r for (_, seq), r in sorted(listener.all_records().items()) if r[2] != Kind.QUALITY]
        shot = told[[r[2] for r in told].index(Kind.MODE, 1) :]
        assert [(r[2], r[3]) for r in shot if r[2] in (Kind.MODE, Kind.LOST, Kind.STATE)] == [
            (Kind.MODE, Mode.ARMED),
            (Kind.LOST, Latch.MAYBE),
            (Kind.LOST, Latch.YES),
            (Kind.STATE, PinState.FALLEN),
        ]
        assert [r[0] for r in shot if r[2] == Kind.HIT] == [WRAP - 40_000, WRAP + 310_000]
        moved = [r[0] for r in shot if r[2] == Kind.MOVE]
        assert moved == [WRAP - 8_000]

    play(body)


def test_a_power_cut_in_a_shot_leaves_no_record_that_is_neither_sent_nor_named_as_a_gap(
    play: Play, broker: Any, listener: Any
) -> None:
    """Records made without a link die with the power: the hub, which knows the head it was told, asks and is told so.
    Mutation: replay that ignores the boot, and answers with records of the new one."""

    async def body(board: VirtualBoard) -> None:
        us = await stand(board)
        ack = await command(listener, "a", "arm", shot=1, layout=list("CNESW"))
        head = int(ack["head"])
        await soon(lambda: len(listener.records()) == head)
        before = listener.subscribed
        broker.kill()
        await board.wait_link(up=False)
        await board.send([F.edge(us + 1000, 22, 1, 800), F.edge(us + 19_000, 22, 0)])
        await board.sync(us + 100_000, acknowledged=False)
        await board.restart(wait_link=False)
        broker.start()
        await board.wait_link()
        await soon(lambda: listener.subscribed > before)
        answer = await command(listener, "r", "replay", boot=1, **{"from": 0, "to": head + 1})
        assert (answer["code"], answer["boot"]) == (ErrorCode.GAP, 2)
        assert answer["gap"] == {"from": 0, "to": head + 1}
        await soon(lambda: listener.of("state")[-1]["boot"] == 2)
        records = listener.all_records()
        assert not [r for (boot, _), r in records.items() if boot == 2 and r[2] == Kind.HIT]
        assert sorted(seq for boot, seq in records if boot == 1) == list(range(head))

    play(body)
