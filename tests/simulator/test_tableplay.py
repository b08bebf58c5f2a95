"""The simulated referee when the hub asks about what he did not play: it ends no demonstration."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from marker_sim.referee import DISTURBED
from marker_sim.sensors.inputs import Edge, Hold, Input, Scan, split
from marker_sim.tableplay import Progress, Stalled, TablePlay


class Client:
    """Gives one sheet and keeps what is entered."""

    def __init__(self, sheet: dict[str, Any]) -> None:
        self.sheet = sheet
        self.entered: list[tuple[str, dict[str, Any]]] = []

    async def get(self, path: str) -> dict[str, Any]:
        assert path == "/api/tables/1/sheet"
        return self.sheet

    async def command(self, table: str, seen: int, kind: str, **fields: Any) -> dict[str, Any]:
        del table, seen
        self.entered.append((kind, fields))
        return {"view": {"n": 2, "phase": "armed"}}


def asked(sheet: dict[str, Any], *judged: int) -> tuple[TablePlay, Client]:
    client, absent = Client(sheet), SimpleNamespace()
    progress = Progress("1", {"n": 1, "phase": "asking"})
    progress.verdicts = [SimpleNamespace(shot=SimpleNamespace(number=number), questions=1, taps=2) for number in judged]  # type: ignore[misc]
    play = TablePlay(progress, client, absent, absent, absent, absent, {})  # type: ignore[arg-type]
    asyncio.run(play._decide(progress.view))
    return play, client


def test_a_pin_touched_while_it_was_set_up_was_no_stroke() -> None:
    """A demonstration at a watched pace ended here. Mutation: answering `shot`, or raising, turns it red."""
    _, client = asked({"shot": 4, "rows": [{"id": DISTURBED}], "calls": []}, 3)
    assert client.entered == [("answer", {"question": DISTURBED, "answer": "nobody"})]


def test_a_ruling_somebody_else_took_back_is_decided_again() -> None:
    play, client = asked({"shot": 3, "rows": [{"id": "Q1"}], "calls": []}, 2, 3)
    assert client.entered == []
    assert play._pending is not None
    assert play._pending.shot.number == 3
    assert play._changed.is_set(), "he looks again, though nothing changed"
    assert [verdict.shot.number for verdict in play.progress.verdicts] == [2]


def test_a_shot_that_nobody_played_is_named() -> None:
    with pytest.raises(Stalled, match="nobody played"):
        asked({"shot": 9, "rows": [{"id": "Q1"}], "calls": []}, 2, 3)


FELT: list[Input] = [
    Scan(1_000_000, (1,) * 15),
    Edge(1_005_000, 16, 1, 900),
    Edge(1_009_000, 16, 0),
    Hold(1_010_000, 50),
    Edge(1_505_000, 17, 1, 700),
    Edge(1_509_000, 17, 0),
    Hold(1_510_000, 20),
]


def broken(moments: list[float]) -> list[str]:
    """What happens to a node that feels FELT in a stroke at 1 s, 1.2 s long: feeds with their ends, and what goes wrong between them."""
    did: list[str] = []

    class Node:
        async def feed(self, inputs: list[Input], until_us: int) -> None:
            did.append(f"{len(inputs)} to {until_us}")
            fed.extend(inputs)

    class Breaks:
        def moments(self, shot: int) -> list[float]:
            assert shot == 3
            return moments

        async def strike(self, shot: int, at_ms: float | None = None) -> None:
            did.append("middle" if at_ms is None else f"{at_ms:g} ms")

    fed: list[Input] = []
    absent: Any = SimpleNamespace()
    play = TablePlay(Progress("1", {}), absent, Node(), absent, absent, absent, {}, Breaks())  # type: ignore[arg-type]
    play.now_us = 1_000_000
    fed += asyncio.run(play._broken(Breaks(), 3, FELT, 1_200_000))
    assert scans(fed) == scans(FELT)
    return did


def scans(inputs: list[Input]) -> list[tuple[int, str]]:
    """Every scan and edge by itself."""
    told: list[tuple[int, str]] = []
    for item in inputs:
        count = item.n if isinstance(item, Hold) else 1
        told += [(item.t_us + at * 10_000, type(item).__name__) for at in range(count)]
    return told


def test_what_goes_wrong_in_a_stroke_goes_wrong_when_it_is_planned() -> None:
    """Mutation: all at the middle; a held stretch felt before what is planned within it; a moment after the shot never comes."""
    assert broken([]) == ["3 to 1009000", "middle"]
    assert broken([5.0]) == ["2 to 1005000", "5 ms", "1 to 1009000", "middle"]
    assert broken([300.0, 9_000.0]) == ["3 to 1009000", "middle", "1 to 1300000", "300 ms", "4 to 2200000", "9000 ms"]


def test_a_held_stretch_is_cut_at_a_moment_within_it() -> None:
    before, after = split(FELT, 1_300_000)
    assert before[-1] == Hold(1_010_000, 30)
    assert after[0] == Hold(1_310_000, 20)
    assert (split(FELT, 0)[1], split(FELT, 9_000_000)[0]) == (FELT, FELT)
