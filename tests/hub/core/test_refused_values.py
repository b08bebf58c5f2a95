"""Words that nothing knows are refused before they are journalled: answers, pins, players, calls, placements, remarks."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hardware.codes import Quality
from marker_hub import commands as c
from marker_hub import projections
from marker_hub import table as core
from marker_hub.entries import Change
from marker_hub.match.asked import offers
from marker_rules.evidence.worlds import Feature, Shape


@pytest.fixture
def blind(drivers: Any) -> Any:
    """A five-pins table whose pins say nothing, after a stroke: the pins are asked."""
    driver = drivers(born=False)
    driver.birth(sick=dict.fromkeys(("C", "N", "E", "S", "W"), Quality.ABSENT))
    driver.five_pins()
    driver.shot("")
    return driver


def refused(driver: Any, command: Any) -> core.Refusal:
    """The refusal of a command; it has words in every language."""
    made: core.Refusal = driver.refuse(command)
    assert all("{" not in text and text for text in projections.refusal_text(made).values())
    return made


@pytest.mark.parametrize("question", ["QX", "Q9", "", "q2", "QG", "pick"])
def test_a_question_that_is_not_asked_is_refused(blind: Any, question: str) -> None:
    made = refused(blind, c.Answer(question=question, answer="no"))
    assert made.code == ("answer" if question == "pick" else "question")
    if made.code == "question":
        assert made.args == {"question": question, "questions": "QP, Q1, Q2, Q3, Q4"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        *(("QP", word) for word in ("zzz", "n", "", "N,N", "N,none", "N|E", "N, E", "N,")),
        *(("Q2", word) for word in ("zzz", "", "Nobody", "nobody,cue", "nobody|nobody", "nobody|", "unknown|cue")),
    ],
)
def test_an_answer_that_is_not_offered_is_refused(blind: Any, question: str, answer: str) -> None:
    made = refused(blind, c.Answer(question=question, answer=answer))
    assert (made.code, made.args["question"], made.args["answer"]) == ("answer", question, answer)
    assert made.args["answers"] == (
        "C, N, E, S, W, none, unknown" if question == "QP" else "nobody, cue, opponent, unknown"
    )
    assert f"'{answer}'" in projections.refusal_text(made)["en"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("QP", "none"), ("QP", "W,C,N"), ("QP", "unknown"), ("Q3", "no|after"), ("Q3", "after"), ("Q3", "unknown")],
)
def test_every_answer_that_is_offered_stays_possible(blind: Any, question: str, answer: str) -> None:
    blind.do(c.Answer(question=question, answer=answer))
    assert (question, answer) in blind.table.run.answers


def test_a_number_is_one_of_the_balls_on_the_table() -> None:
    balls = Feature("QG", ("0", "1", "2"), Shape.NUMBER)
    assert offers(balls, "2")
    assert offers(balls, "1|2")
    assert not any(offers(balls, word) for word in ("3", "-1", "one", "02", "1,2"))


@pytest.mark.parametrize(
    ("change", "code", "named"),
    [
        (Change(answers={"QX": "no"}), "question", "QX"),
        (Change(answers={"QX": None}), "question", "QX"),
        (Change(answers={"Q2": "zzz"}), "answer", "zzz"),
        (Change(answers={"QP": "n"}), "answer", "'n'"),
        (Change(pins=("N", "N")), "value", "N,N"),
        (Change(pins=("X",)), "value", "X"),
        (Change(striker="C"), "value", "striker"),
        (Change(striker=""), "value", "striker"),
        (Change(calls=(("zz", "A", "during"),)), "call", "zz"),
        (Change(calls=(("Z", "C", "during"),)), "value", "'C'"),
        (Change(calls=(("Z", "A", "never"),)), "value", "never"),
        (Change(ruling={"points": {"C": 3}}, note="x"), "value", "ruling"),
        (Change(ruling={"points": {"A": "three"}}, note="x"), "value", "ruling"),
        (Change(ruling={"points": {"A": 3}, "next": "C"}, note="x"), "value", "ruling"),
        (Change(insert_after=True, answers={"Q2": "zzz"}), "answer", "zzz"),
        (Change(insert_after=True, striker="C"), "value", "striker"),
    ],
)
def test_a_correction_with_a_word_nothing_knows_is_refused_and_not_shown(
    carom: Any, change: Change, code: str, named: str
) -> None:
    carom.play("N")
    carom.play("")
    before = core.state_hash(carom.table)
    made = refused(carom, c.Amend(shot=1, changes=change))
    shown = core.preview(carom.table, c.Amend(shot=1, changes=change, dry_run=True))
    assert isinstance(shown, core.Refusal)
    assert made.code == shown.code == code
    assert named in projections.refusal_text(made)["en"]
    assert core.state_hash(carom.table) == before


def test_corrections_with_known_words_are_still_made(carom: Any) -> None:
    carom.play("N")
    carom.play("")
    for change in (
        Change(answers={"Q2": "cue"}),
        Change(pins=("S", "C")),
        Change(calls=(("Z", "A", "during"),)),
        Change(calls=()),
        Change(striker="B"),
        Change(ruling={"points": {"A": 3, "B": 0}, "next": "", "ball_in_hand": False}, note="x"),
    ):
        carom.do(c.Amend(shot=1, changes=change))
    record = carom.table.match.shot(1)
    assert record.striker == "B"
    assert ("QP", "C,S") in record.run.answers


def test_pins_of_a_pyramid_shot_are_not_asked(free: Any) -> None:
    free.pots("P1")
    assert refused(free, c.Amend(shot=1, changes=Change(pins=("N",)))).code == "question"
    made = refused(free, c.Amend(shot=1, changes=Change(calls=(("RP-99", "A", "during"),))))
    assert made.code == "call"


def test_pins_are_said_where_pins_stand_and_balls_where_balls_are_counted(drivers: Any) -> None:
    """What is played decides, without a match the table; the other, both or neither would be journalled for nothing."""
    pins, balls = c.Layout(off=("N",)), c.Layout(balls=9)
    both, neither = c.Layout(pins=("N",), balls=9), c.Layout()
    for driver, key in ((drivers(), "refuse.pins"), (drivers(profile="pyramid"), "refuse.balls")):
        for command in (balls if key == "refuse.pins" else pins, both, neither):
            made = refused(driver, command)
            assert (made.code, made.text_key) == ("layout", key)
    driver = drivers()
    driver.five_pins()
    assert refused(driver, balls).text_key == "refuse.pins"
    driver.do(pins)
    driver = drivers(profile="pyramid")
    driver.pyramid()
    assert refused(driver, pins).text_key == "refuse.balls"
    assert refused(driver, c.PickStanding(pins=("N",))).code in ("layout", "phase")
    driver.do(balls)


def test_balls_are_counted_also_where_pyramid_is_scored_by_hand_at_a_table_for_pins(drivers: Any) -> None:
    driver = drivers(sensors=False)
    driver.pyramid(manual=True)
    driver.do(c.Layout(balls=14))
    assert driver.view["balls"]["on_table"] == 14


@pytest.mark.parametrize("game", ["dynamic-pyramid", "combined-pyramid"])
def test_more_balls_than_there_are_is_refused_before_it_is_journalled(drivers: Any, game: str) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid(game)
    made = refused(driver, c.Layout(balls=16))
    assert (made.text_key, projections.refusal_text(made)["it"]) == (
        "refuse.rules",
        "Sul tavolo non possono esserci tante bilie.",
    )
    driver.do(c.Layout(balls=15))


@pytest.mark.parametrize(
    "command",
    [
        c.Layout(pins=("N", "N")),
        c.Layout(off=("N", "N")),
        c.PickStanding(pins=("N", "N")),
        c.Place(what="zz"),
        c.Place(what=""),
        c.Log(code="zz"),
    ],
)
def test_lists_placements_and_remarks_name_what_there_is(carom: Any, command: Any) -> None:
    made = refused(carom, command)
    assert made.code == "value"
    assert made.args["allowed"]


def test_a_remark_by_its_clause_is_taken(carom: Any) -> None:
    carom.do(c.Log(code="FP-P.1", by="A"))
    assert carom.phase == "armed"


def test_an_acceptance_that_saw_nothing_is_stale(carom: Any) -> None:
    carom.shot("N")
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    assert carom.phase == "proposed"
    made = core.propose(carom.table, c.Accept(), core.Role.REFEREE, carom.now)
    assert isinstance(made, core.Refusal)
    assert (made.code, made.n) == ("stale", carom.table.n)
    carom.do(c.Accept(seen=carom.table.n))
    again = core.propose(carom.table, c.Accept(seen=0), core.Role.REFEREE, carom.now)
    assert isinstance(again, core.Refusal)
    assert again.code == "stale"
