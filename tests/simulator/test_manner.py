"""Referees who are slow, careless or take things back: the score must be the truth all the same."""

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from marker_hardware.wire import Profile
from marker_rules.balls import GameId, Player
from marker_rules.game import Setup
from marker_rules.notation import parse_facts
from marker_sim.handling import Handling
from marker_sim.manner import THINK_S, Kind, Manner
from marker_sim.matchplay import Matchplay
from marker_sim.scenes import timeline
from marker_sim.sensors.table import sensors_of
from marker_sim.tableplay import Progress, TablePlay
from marker_sim.truth import TrueShot

ROWS = [
    {"id": "Q1", "multi": False, "answers": [{"id": "opponent", "selected": True}, {"id": "red", "selected": False}]},
    {"id": "QP", "multi": True, "answers": []},
]


def test_a_careless_referee_is_wrong_at_first_and_right_at_his_next_look() -> None:
    """Mutation: wrong for ever, or never."""
    manner = Manner(Kind.SLOPPY, seed=3, sloppy=0.5)
    truth = {"Q1": "opponent", "QP": "none"}
    first = [manner.answers(shot, {"rows": ROWS}, truth)["Q1"] for shot in range(40)]
    again = [manner.answers(shot, {"rows": ROWS}, truth)["Q1"] for shot in range(40)]
    assert 8 < first.count("red") < 32
    assert len(manner.errors) == first.count("red")
    late = {shot for shot in range(40) if again[shot] == "red"}
    assert 0 < len(late) < len(manner.errors), "some errors he sees at once, some after he accepted"
    assert late < manner.errors
    assert {shot for shot in range(40) if manner.takes_back(shot, "accept")} == late
    assert [manner.answers(shot, {"rows": ROWS}, truth)["Q1"] for shot in range(40)] == ["opponent"] * 40
    assert not any(manner.takes_back(shot, "accept") for shot in range(40))


def test_others_answer_the_truth_at_once() -> None:
    """Mutation: every referee is careless."""
    for kind in (Kind.TRUTHFUL, Kind.SLOW, Kind.UNDOING, Kind.ABSENT, Kind.BUTTONS):
        manner = Manner(kind, seed=3, sloppy=1.0)
        assert manner.answers(1, {"rows": ROWS}, {"Q1": "opponent"}) == {"Q1": "opponent"}


def test_a_slow_one_takes_his_time_and_one_takes_back_each_once() -> None:
    """Mutation: taken back again and again."""
    assert Manner(Kind.SLOW).thinks_s(1) > THINK_S
    manner = Manner(Kind.UNDOING)
    assert [manner.takes_back(1), manner.takes_back(1), manner.takes_back(2)] == [True, False, True]
    assert [manner.takes_back(1, "accept"), manner.takes_back(1, "accept")] == [True, False]
    assert not Manner().takes_back(1)


# --- at the hub's sheet ----------------------------------------------------------------------------------------------


class Table:
    """A table of a hub that shows one sheet and keeps what is entered."""

    def __init__(self, phase: str, *, certain: bool, countdown: bool, short: str = "A+2") -> None:
        self.view: dict[str, Any] = {"n": 7, "phase": phase, "countdown": {"held": False} if countdown else None}
        self.shown: dict[str, Any] = {"n": 7, "certain": certain, "proposal": {"short": short}, "rows": [], "calls": []}
        self.entered: list[str] = []

    async def sheet(self) -> dict[str, Any]:
        return self.shown

    async def command(self, kind: str, **_: Any) -> bool:
        self.entered.append(kind)
        if kind == "hold":
            self.view["countdown"] = {"held": True}
        elif kind == "call":
            self.shown["calls"] = [{"code": "D", "by": "A"}]
        return True


def handled(table: Table, kind: Kind, *facts: str, steps: int = 1) -> Handling:
    told = timeline(parse_facts(["strike cue", "contact cue opponent", *facts]), ())
    match = Matchplay.new(GameId.FIVE_PINS, 1).match
    match.state = match.game.start(Setup(match.options, opener=Player.A))
    ruling = match.game.rule(told.shot, match.state, match.options)
    work = Handling(TrueShot(1, Player.A, told, ruling, match.state), Manner(kind))
    for _ in range(steps):
        asyncio.run(work.step(table))  # type: ignore[arg-type]
    return work


def test_without_a_referee_nothing_is_entered_while_the_countdown_runs() -> None:
    """Mutation: somebody comes at once, or accepts by hand."""
    table = Table("proposed", certain=True, countdown=True, short="0")
    work = handled(table, Kind.ABSENT, steps=3)
    assert (table.entered, work.came, work.tapped, work.watch.guessed) == ([], False, 0, False)


@pytest.mark.parametrize("phase", ["asking", "proposed"])
def test_what_the_house_leaves_open_somebody_decides(phase: str) -> None:
    """Mutation: waiting for ever."""
    table = Table(phase, certain=True, countdown=False, short="0")
    work = handled(table, Kind.ABSENT)
    assert (table.entered, work.came, work.tapped) == (["accept"], True, 1)


def test_a_countdown_over_more_than_one_ruling_is_guessing() -> None:
    """Also when it would be right. Mutation: only what is accepted is looked at."""
    assert handled(Table("proposed", certain=False, countdown=True, short="0"), Kind.ABSENT).watch.guessed


def test_what_no_sensor_feels_is_said_before_the_countdown_ends() -> None:
    """A ball off the table: held, called, accepted. Mutation: the call races with the countdown."""
    table = Table("proposed", certain=True, countdown=True, short="0")
    handled(table, Kind.ABSENT, "off cue", steps=3)
    assert table.entered == ["hold", "call", "accept"]


def test_one_who_takes_back_takes_the_acceptance_back_too() -> None:
    table = Table("proposed", certain=True, countdown=False, short="0")
    handled(table, Kind.UNDOING, steps=2)
    assert table.entered == ["accept", "undo", "accept"]


def test_with_a_slow_one_the_tables_time_goes_on_in_any_pace() -> None:
    """Three to six seconds of board time before he looks. Mutation: only people who watch wait for him."""
    until: list[int] = []

    class Node:
        async def feed(self, _: object, until_us: int) -> None:
            until.append(until_us)

    for kind in (Kind.SLOW, Kind.TRUTHFUL):
        table, node = Table("proposed", certain=True, countdown=False), Node()
        node.sleep = lambda _: asyncio.sleep(0)  # type: ignore[attr-defined]
        sensors = sensors_of(Profile.CAROM5, 1, "1")
        play = TablePlay(Progress("1"), table, node, sensors, table, table, {}, manner=Manner(kind))  # type: ignore[arg-type]
        start = play.now_us
        asyncio.run(play._think(1))
        assert (play.now_us > start) == (kind is Kind.SLOW)
        if kind is Kind.SLOW:
            assert 3_000_000 <= until[0] - start <= 6_000_000


@pytest.mark.slow
@pytest.mark.parametrize("referee", ["sloppy", "undoing", "buttons"])
def test_the_score_is_the_truth_whoever_handles_it(referee: str) -> None:
    """A game through broker and hub. Mutation: an answer taken back that still counts; a press the hub takes twice."""
    words = [
        "sim",
        "match",
        "five-pins",
        "--points",
        "24",
        "--games",
        "1",
        "--sink",
        "mqtt",
        "--referee",
        referee,
        *(["--sloppy", "0.3"] if referee == "sloppy" else []),
        "--json",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "marker_hub", *words], capture_output=True, text=True, timeout=170, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.strip().splitlines()[-1])
    assert result["wrong_rulings"] == 0 <= result["referee_errors"]
    assert (result["referee_errors"] > 0) == (referee == "sloppy")
    assert ("pressed" in result) == (referee == "buttons")
    if referee == "buttons":
        assert result["pressed"] > result["shots"], "accept in each, and mostly still and an answer"
    assert result["final_score"] == result["ground_truth_score"]
