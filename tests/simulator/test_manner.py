"""Referees who are slow, careless or take things back: the score must be the truth all the same."""

import json
import subprocess
import sys

import pytest

from marker_sim.manner import THINK_S, Kind, Manner

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
    assert again == ["opponent"] * 40


def test_others_answer_the_truth_at_once() -> None:
    """Mutation: every referee is careless."""
    for kind in (Kind.TRUTHFUL, Kind.SLOW, Kind.UNDOING):
        manner = Manner(kind, seed=3, sloppy=1.0)
        assert manner.answers(1, {"rows": ROWS}, {"Q1": "opponent"}) == {"Q1": "opponent"}


def test_a_slow_one_takes_his_time_and_one_takes_back_each_once() -> None:
    """Mutation: taken back again and again."""
    assert Manner(Kind.SLOW).thinks_s(1) > THINK_S
    manner = Manner(Kind.UNDOING)
    assert [manner.takes_back(1), manner.takes_back(1), manner.takes_back(2)] == [True, False, True]
    assert not Manner().takes_back(1)


@pytest.mark.slow
@pytest.mark.parametrize("referee", ["sloppy", "undoing"])
def test_the_score_is_the_truth_whoever_handles_it(referee: str) -> None:
    """A game through broker and hub. Mutation: an answer taken back that still counts."""
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
        "--json",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "marker_hub", *words], capture_output=True, text=True, timeout=170, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.strip().splitlines()[-1])
    assert result["wrong_rulings"] == 0
    assert result["final_score"] == result["ground_truth_score"]
