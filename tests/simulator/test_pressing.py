"""The buttons of a table: contacts that bounce, and a referee who presses what says what he means."""

import asyncio
from typing import Any

import pytest

from marker_hardware import wire
from marker_hardware.codes import Kind as Record
from marker_sim.detector import Detector
from marker_sim.manner import Kind, Manner
from marker_sim.pressing import Buttons
from marker_sim.referee import to_change
from marker_sim.rng import Stream
from marker_sim.sensors.button import BOUNCE_US, HELD_US, Button, press
from marker_sim.sensors.inputs import SHIFT_FIRST, Edge


@pytest.mark.parametrize("button", list(Button))
def test_a_press_is_one_press_for_the_node_however_it_bounces(button: Button) -> None:
    """Mutation: the button beside it, an even number of edges, held for a second."""
    edges = [press(button, 1_000_000, Stream(1, button, number)) for number in range(60)]
    assert {len(one) for one in edges} > {2, 4, 6}
    for one in edges:
        node = Detector("carom5")
        first = node.outbox.head
        node.feed(one)
        node.until(2_000_000)
        told = [record for record in node.records(first) if record.kind in (Record.PRESS, Record.RELEASE)]
        assert [record.kind for record in told] == [Record.PRESS, Record.RELEASE]
        assert {record.ch for record in told} == {wire.channel_number(button)}
        assert HELD_US[0] / 1000 - 1 <= told[1].v <= HELD_US[1] / 1000
        downs = [edge.t_us for edge in one if edge.t_us < 1_000_000 + HELD_US[0]]
        assert downs[0] == 1_000_000
        assert downs[-1] <= 1_000_000 + BOUNCE_US[1]
        assert one == sorted(one, key=lambda edge: edge.t_us)


class Table:
    """A driven table whose hub does at a press what `does` says."""

    def __init__(self, phase: str, does: dict[str, Any], sheet: dict[str, Any] | None = None) -> None:
        self.view: dict[str, Any] = {"phase": phase, "match": {"shots": 4}}
        self.table, self.now_us = "1", 5_000_000
        self.shown = sheet or {}
        self._does = does
        self.pressed: list[Button] = []

    @property
    def shots_counted(self) -> int:
        return int(self.view["match"]["shots"])

    async def feel(self, inputs: list[Edge], lasts_us: int) -> None:
        first = wire.channel_number("BTN_YES")
        names = {wire.channel_number(button): button for button in Button}
        self.pressed.append(names[first + inputs[0].ch - SHIFT_FIRST - 12])
        assert inputs[-1].t_us <= self.now_us + lasts_us
        if "sheet" in self._does:
            self.shown = self._does["sheet"]
        self.view = {**self.view, **{key: value for key, value in self._does.items() if key != "sheet"}}

    async def look(self) -> dict[str, Any]:
        return self.view

    async def sheet(self) -> dict[str, Any]:
        return self.shown

    async def changed(self) -> None:
        await asyncio.sleep(0.01)


def said(table: Table, kind: str, **fields: Any) -> tuple[bool | None, Manner]:
    manner = Manner(Kind.BUTTONS)
    return asyncio.run(Buttons(table, manner, 3).say(kind, fields)), manner  # type: ignore[arg-type]


ASKED = {"question": "Q1", "buttons": {"a1": "red", "a2": "none"}, "rows": [{"id": "Q1", "answers": []}]}


@pytest.mark.parametrize(
    ("phase", "does", "words", "pressed", "taken"),
    [
        ("rolling", {"phase": "asking"}, {"kind": "still"}, [Button.STILL], True),
        ("respotting", {"phase": "armed"}, {"kind": "ready"}, [Button.YES], True),
        ("proposed", {"match": {"shots": 5}}, {"kind": "accept"}, [Button.YES], True),
        ("proposed", {"phase": "asking"}, {"kind": "accept"}, [Button.YES], False),
        ("asking", {"phase": "proposed"}, {"kind": "answer", "question": "Q1", "answer": "red"}, [Button.YES], True),
        ("asking", {"sheet": {**ASKED, "question": "Q2"}}, {"kind": "answer", "question": "Q1", "answer": "none"}, [Button.NO], True),
        ("asking", {}, {"kind": "answer", "question": "Q1", "answer": "opponent"}, [], None),
        ("asking", {}, {"kind": "answer", "question": "Q2", "answer": "red"}, [], None),
        ("proposed", {}, {"kind": "answer", "question": "Q1", "answer": "red"}, [], None),
        ("asking", {}, {"kind": "call", "code": "A"}, [], None),
        ("armed", {}, {"kind": "ready"}, [], None),
    ],
)  # fmt: skip
def test_what_a_button_says_is_pressed_and_the_rest_is_not(
    phase: str, does: dict[str, Any], words: dict[str, Any], pressed: list[Button], taken: bool | None
) -> None:
    """Mutation: yes and no exchanged; a button for what it does not mean now; a ruling taken back that counts as accepted."""
    table = Table(phase, does, ASKED)
    told, manner = said(table, **words)
    assert (table.pressed, told) == (pressed, taken)
    assert (manner.pressed, manner.unheard) == (len(pressed), 0)


def test_a_press_nobody_heard_is_said_at_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutation: waiting for ever; taken for done."""
    monkeypatch.setattr("marker_sim.pressing.UNHEARD_S", 0.1)
    told, manner = said(Table("proposed", {}), "accept")
    assert (told, manner.pressed, manner.unheard) == (None, 1, 1)


def test_the_row_the_hub_asks_is_answered_first() -> None:
    rows = [{"id": name, "multi": False, "answers": [{"id": "yes", "selected": False}]} for name in ("Q1", "Q2")]
    truth = {"Q1": "yes", "Q2": "yes"}
    assert to_change({"rows": rows}, truth) == ("Q1", "yes")
    assert to_change({"rows": rows}, truth, "Q2") == ("Q2", "yes")
