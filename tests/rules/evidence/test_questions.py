"""What is asked: never more than three answers, never a needless question, never more than the best order needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from marker_rules.balls import GameId, Player
from marker_rules.catalogue import LANGUAGES
from marker_rules.errors import IllegalInput
from marker_rules.evidence import Evidence, Shape, next_question, possible, worst_case
from marker_rules.evidence.phrases import answer_label, known_questions, question_text
from marker_rules.five_pins.state import FivePinsState
from marker_rules.options import Options
from marker_rules.scenario import ScenarioError, judge_scenario

CONFORMANCE = Path(__file__).parents[2] / "conformance"
SCENARIOS = [
    scenario
    for name in ("five-pins-evidence.yaml", "pyramid-evidence.yaml")
    for scenario in yaml.safe_load((CONFORMANCE / name).read_text(encoding="utf-8"))
]
OPTIONS = Options(GameId.FIVE_PINS)
BEFORE = FivePinsState(striker=Player.A, limit=100)


def most_asked(raw: dict[str, Any], possible_before: set[str]) -> int:
    """The questions an adversary can draw out of the engine, whatever he answers; every step checked."""
    outcome = judge_scenario(raw, "en")
    left, question = set(outcome.result["possible"]), outcome.result["question"]
    assert left <= possible_before
    if question is None:
        assert len(left) == 1
        return 0
    answers = question["answers"]
    assert len(answers) > 1
    assert question["id"] in ("QP", "QG") or len(answers) <= 3
    assert all(set(answer["possible"]) <= left for answer in answers)
    assert any(set(answer["possible"]) != left for answer in answers)  # it decides something
    return 1 + max(
        most_asked({**raw, "answers": {**raw["answers"], question["id"]: answer["id"]}, "expect": {}}, left)
        for answer in answers
    )


@pytest.mark.parametrize("raw", SCENARIOS, ids=lambda raw: raw["id"])
def test_scenarios_against_an_adversary(raw: dict[str, Any]) -> None:
    """Every evidence scenario: exactly the possible rulings, and at most so many questions whatever is answered."""
    outcome = judge_scenario(raw, "it")
    assert outcome.ok, outcome.mismatch
    assert most_asked(raw, set(outcome.result["possible"])) <= raw["expect"]["questions_at_most"]


def test_without_any_sensor_it_is_a_scoreboard() -> None:
    """All pins sets and all stories: 10 rulings a pin set, decided by four questions at most."""
    nothing = Evidence.of([], {})
    assert worst_case(nothing, BEFORE, OPTIONS) == 4
    assert len(possible(nothing, BEFORE, OPTIONS)) > 40
    question = next_question(nothing, BEFORE, OPTIONS)
    assert question is not None
    assert (question.id, question.shape, question.elements) == ("QP", Shape.SET, ("C", "N", "E", "S", "W"))
    assert len({answer.id for answer in question.answers}) == 32
    left = possible(nothing.answered("QP", "E,N"), BEFORE, OPTIONS)
    assert {p.short for p in left} == {f"{w}+{n}" for w in "AB" for n in (4, 7, 8)} | {f"B+{n}*" for n in (6, 8, 9, 10)}


def test_answers_between_which_nothing_depends_are_one_button() -> None:
    """With red first at a flat 4 and no pins, red leads to one ruling whatever was touched later."""
    options = Options(GameId.FIVE_PINS, {"red_first": "always_4"})
    question = next_question(Evidence.of([], {"pins": "ok"}, answers={"Q1": "red"}), BEFORE, options)
    assert question is None
    touched = {"Q1": "red", "Q4": "yes"}
    felled = next_question(Evidence.of(["pin N"], {"pins": "ok"}, answers=touched), BEFORE, options)
    assert felled is not None
    assert [(a.id, [p.short for p in a.possible]) for a in felled.answers] == [
        ("no|after", ["B+6*"]),
        ("before", ["B+8*"]),
    ]
    assert felled.answers[0].label("en") == "no or only after touching it"
    merged = Evidence.of(["pin N"], {"pins": "ok"}, answers={**touched, "Q3": "no|after"})
    assert [p.short for p in possible(merged, BEFORE, options)] == ["B+6*"]


def test_story_is_the_shortest_that_fits() -> None:
    """Possible rulings come with facts a referee can read, and with their clauses."""
    found = {
        p.short: p for p in possible(Evidence.of(["click", "pin N"], {"pins": "ok", "clicks": "ok"}), BEFORE, OPTIONS)
    }
    assert len(found["A+2"].story) == 3
    assert "FP-8.1a" in found["A+2"].ruling.clauses
    assert sum(p.likelihood for p in found.values()) == pytest.approx(1)


def test_an_answer_may_be_taken_back() -> None:
    evidence = Evidence.of([], {"pins": "ok"}).answered("Q1", "red").answered("Q1", "opponent")
    assert {p.short for p in possible(evidence, BEFORE, OPTIONS)} == {"0", "A+3", "A+4"}


@pytest.mark.parametrize("game_id", [GameId.FIVE_PINS, GameId.FREE])
def test_every_question_is_worded_in_three_languages(game_id: GameId) -> None:
    for question in known_questions(game_id):
        texts = {question_text(game_id, question, lang) for lang in LANGUAGES}
        assert len(texts) == len(LANGUAGES)
        for answer in ("unknown", "yes", "red|none", "N,E", "3"):
            assert all(answer_label(game_id, question, answer, lang) for lang in LANGUAGES)
    assert answer_label(GameId.FIVE_PINS, "QP", "N,E", "ru") == "верхняя, правая"
    assert answer_label(GameId.FIVE_PINS, "Q1", "red|none", "it") == "rossa o nessuna"
    with pytest.raises(IllegalInput, match="xx"):
        question_text(game_id, "Q1", "xx")


def test_scenario_fields_that_cannot_be_read() -> None:
    base = {**SCENARIOS[0], "expect": {}}
    for field, value in (
        ("answers", {"Q99": "yes"}),
        ("sensors", {"pins": "fine"}),
        ("observations", ["pin X"]),
        ("before", {**base["before"], "pins": ["X"]}),
    ):
        with pytest.raises(Exception, match=r"Q99|fine|X"):
            judge_scenario({**base, field: value}, "en")


def test_yaml_words_are_read_as_answers() -> None:
    """`no` is a boolean and a list is a set for YAML; both are answers here."""
    raw = {**SCENARIOS[0], "observations": [], "sensors": {"clicks": "absent"}, "expect": {}}
    answers = {"QP": ["E", "N"], "Q1": "opponent", "Q3": False, "Q2": "NOBODY"}
    assert judge_scenario({**raw, "answers": answers}, "en").result["possible"] == ["A+4"]


@pytest.mark.parametrize(
    ("question", "answer", "named"),
    [
        ("Q1", "blue", "'blue' is not an answer; there are opponent, red, none, unknown"),
        ("Q1", "opponent|cue", "'cue' is not an answer"),
        ("QP", "N,X", "'X' is not an answer; there are C, N, E, S, none, unknown"),
        ("QP", ["W"], "'W' is not an answer"),
        ("QP", "N E", "'N E' is not an answer"),
        ("QP", "N,none", "'NONE' is not an answer"),
        ("QP", "N,", "'N,' is not an answer"),
    ],
)
def test_an_answer_that_is_not_offered_is_refused_by_name(question: str, answer: object, named: str) -> None:
    """Taken for the nearest set of pins, or for none, it would decide a ruling that nobody meant."""
    raw = {**SCENARIOS[0], "sensors": {"pins": "absent"}, "expect": {}}
    raw["before"] = {**raw["before"], "pins": ["C", "N", "E", "S"]}
    with pytest.raises(ScenarioError) as caught:
        judge_scenario({**raw, "answers": {question: answer}}, "en")
    assert caught.value.field == f"answers.{question}"
    assert named in caught.value.message


@pytest.mark.parametrize("answer", ["N, E", ["E", "N"], "e,n"])
def test_a_set_is_read_in_any_order_and_spacing(answer: object) -> None:
    raw = {**SCENARIOS[0], "observations": [], "sensors": {"clicks": "absent"}, "expect": {}}
    answers = {"QP": answer, "Q1": "opponent", "Q3": "no", "Q2": "nobody"}
    assert judge_scenario({**raw, "answers": answers}, "en").result["possible"] == ["A+4"]
