"""Faults that users of comparable systems reported, played against the evidence engine."""

from __future__ import annotations

import random

import pytest

from marker_hub.bench.play import Play, Sensors, sensed, truth
from marker_hub.bench.play_five_pins import five_pins_story
from marker_hub.bench.play_pyramid import pyramid_story
from marker_rules.balls import GameId, Player
from marker_rules.evidence import Evidence, Kind, Observation, next_question, possible
from marker_rules.five_pins.state import FivePinsState
from marker_rules.game import Action, DueKind, Setup, game
from marker_rules.options import Options
from marker_rules.pyramid.state import PyramidState
from marker_rules.ruling import Ruling

FIVE = Options(GameId.FIVE_PINS)
BEFORE = FivePinsState(striker=Player.A, limit=60)


@pytest.mark.report("R007")
def test_stuck_and_jittery_pins_become_questions() -> None:
    """R007: a pin that stays down over five shots and one that toggles 40 times a second score nothing by themselves."""
    stuck = [Observation(Kind.PIN, "E")]
    jittery = [Observation(Kind.PIN, "S", t_us=at * 25_000) for at in range(40)]
    quality = {"pins": "ok", "pin E": "stuck", "pin S": "noisy"}
    for _ in range(5):
        evidence = Evidence.of([*stuck, *jittery], quality).answered("Q1", "opponent").answered("Q2", "nobody")
        assert {p.short for p in possible(evidence, BEFORE, FIVE)} >= {"0", "A+2", "A+4"}
        asked = set()
        while (question := next_question(evidence, BEFORE, FIVE)) is not None:
            asked.add(question.id)
            assert all({"C", "N", "W"}.isdisjoint(a.id.split(",")) for a in question.answers if question.id == "QP")
            evidence = evidence.answered(question.id, {"QP": "none", "Q3": "no"}[question.id])
        assert asked == {"QP"}
        assert [p.short for p in possible(evidence, BEFORE, FIVE)] == ["0"]


@pytest.mark.report("R013")
def test_gate_that_runs_on_scores_nothing() -> None:
    """R013: one gate toggles at 200 Hz for 3 s; its pots are asked, the other gates still count."""
    options = Options(GameId.FREE, {"race_to": 1})
    before = start(options)
    storm = [Observation(Kind.GATE, "BL", t_us=at * 5_000) for at in range(600)]
    evidence = Evidence.of(
        ["strike", "click", *storm, "gate MR"],
        {"gates": "ok", "gate BL": "noisy", "cushions": "hint", "clicks": "hint"},
    )
    left = {p.short for p in possible(evidence, before, options)}
    assert left == {f"{before.striker}+{n}" for n in range(1, 17)}
    question = next_question(evidence, before, options)
    assert question is not None
    assert question.id == "QG"
    assert [p.short for p in possible(evidence.answered("QG", "1"), before, options)] == [f"{before.striker}+1"]


def start(options: Options) -> object:
    """The state before the first shot of a match."""
    of = game(options.game)
    state = of.start(Setup(options))
    while of.due(state).kind is not DueKind.SHOT:
        state = step(state, options)
    return state


def step(state: object, options: Options) -> object:
    """Do whatever is due that is no shot."""
    of = game(options.game)
    due = of.due(state)
    if due.kind is DueKind.LAG:
        return of.act(state, Action("lag", value="A"))
    if due.kind is DueKind.CHOICE:
        return of.act(state, Action("choose", due.player, due.choices[0]))
    return of.act(state, Action("next_game"))


def told(state: object, options: Options, sensors: Sensors, rng: random.Random) -> tuple[Ruling, Ruling]:
    """One random shot: the true ruling, and the one that sensors and a truthful referee lead to."""
    story = pyramid_story if options.game.is_pyramid else five_pins_story
    play = Play(state, *story(rng, state))
    evidence, answers = sensed(play, sensors, options, rng), truth(play, options)
    while (question := next_question(evidence, state, options)) is not None:
        fitting = next(a.id for a in question.answers if answers[question.id] in a.id.split("|"))
        evidence = evidence.answered(question.id, fitting)
    (left,) = possible(evidence, state, options)
    return play.ruling(options), left.ruling


def decided(state: object) -> tuple[object, ...]:
    """What of a state the score and the turn are made of (which ball is the coloured one, no sensor tells)."""
    names = ("score", "striker", "mode", "phase", "shelf", "debt", "frames", "results", "winner", "stage")
    balls = state.table.balls if isinstance(state, PyramidState) else 0
    return (balls, *(getattr(state, name, None) for name in names))


@pytest.mark.report("R028")
@pytest.mark.parametrize("sensors", [Sensors.MAIN, Sensors.NONE])
@pytest.mark.parametrize("game_id", list(GameId))
def test_a_match_with_pins_or_gates_only_or_with_nothing(game_id: GameId, sensors: Sensors) -> None:
    """R028: a table with pins (gates) only, or no sensor at all, plays a whole match to the true end."""
    given = {"race_to": 1} if game_id.is_pyramid else {"points_limit": 30, "games": 1}
    options, of = Options(game_id, given), game(game_id)
    rng = random.Random(f"{game_id} {sensors}")
    true = seen = start(options)
    for _ in range(400):
        due = of.due(true)
        if due.kind is DueKind.OVER:
            break
        if due.kind is DueKind.SHOT:
            judged, ruled = told(true, options, sensors, rng)
            true, seen = of.apply(true, judged), of.apply(seen, ruled)
        else:
            true, seen = step(true, options), step(seen, options)
        assert decided(true) == decided(seen)
    assert of.due(seen).kind is DueKind.OVER
