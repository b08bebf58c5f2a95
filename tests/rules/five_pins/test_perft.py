"""Exhaustive counts: every short story by its ruling, and the listing that shows four answers and the pins decide all."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from marker_hub.cli import main
from marker_rules.balls import Ball, GameId, Pin, Player
from marker_rules.errors import IllegalInput
from marker_rules.facts import Contact, Fact, Topple
from marker_rules.five_pins.judge import judge
from marker_rules.five_pins.state import FivePinsState
from marker_rules.options import Options
from marker_rules.perft import count, stories
from marker_rules.shot import Shot

FILE = Path(__file__).parents[2] / "conformance" / "five-pins-perft.yaml"
ROWS: list[dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['contacts']} contacts, {','.join(row['pins']) or 'none'}")
def test_row(row: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["perft", "five-pins", "--contacts", str(row["contacts"]), "--pins", ",".join(row["pins"]), "--json"])
    assert (status, json.loads(capsys.readouterr().out)) == (0, row)


def answers(facts: Sequence[Fact]) -> tuple[str, str, str, bool]:
    """Q1 first ball, Q2 who touched red after the opponent's ball, Q3 own pins, Q4 opponent's ball touched at all."""
    first, then, own, touched = "none", "nobody", "no", False
    for fact in facts:
        if isinstance(fact, Contact):
            one, two = fact.pairs[0]
            if first == "none" and one is Ball.CUE:
                first = two.value
            if touched and then == "nobody" and two is Ball.RED:
                then = one.value
            touched = touched or (one, two) == (Ball.CUE, Ball.OPPONENT)
        elif isinstance(fact, Topple) and fact.by is Ball.CUE and own != "before":
            own = "after" if touched else "before"
    return first, then, own, touched


def test_four_answers_and_the_pins_decide_every_stroke() -> None:
    """Up to four contacts and two pins: 23,303 strokes fall into 92 classes, each with exactly one ruling."""
    before, options = FivePinsState(striker=Player.A, limit=1000), Options(GameId.FIVE_PINS)
    classes: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    strokes = 0
    for pins in ((), (Pin.N,), (Pin.C,), (Pin.N, Pin.C), (Pin.N, Pin.E)):
        for contacts in range(5):
            for facts in stories(contacts, pins):
                strokes += 1
                classes[pins, *answers(facts)].add(judge(Shot(facts), before, options).short)
    assert (strokes, len(classes)) == (23_303, 92)
    assert all(len(rulings) == 1 for rulings in classes.values())


@pytest.mark.parametrize(("contacts", "pins"), [(-1, []), (7, []), (1, [Pin.N, Pin.N])])
def test_what_cannot_be_counted(contacts: int, pins: list[Pin]) -> None:
    with pytest.raises(IllegalInput):
        count(contacts, pins)


@pytest.mark.parametrize("args", [["--contacts", "9"], ["--contacts", "1", "--pins", "X"]])
def test_the_command_refuses_with_one_line(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "five-pins", *args]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "five-pins", "--contacts", "1", "--pins", "N"]) == 0
    out = capsys.readouterr().out
    assert "6 strokes" in out
    assert "B+6*" in out
