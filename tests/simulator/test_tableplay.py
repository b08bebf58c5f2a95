"""The simulated referee when the hub asks about what he did not play: it ends no demonstration."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from marker_sim.referee import DISTURBED
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
