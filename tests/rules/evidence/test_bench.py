"""The measurement itself: a small run over all games and sets of sensors, and the time one question takes."""

from __future__ import annotations

import random
from statistics import median
from time import process_time

import pytest

from marker_hub.bench.evidence import ask_through, run
from marker_hub.bench.play import Sensors, sensed, shots
from marker_rules.balls import GameId
from marker_rules.evidence import Evidence, Kind, Observation, next_question, sheet
from marker_rules.options import Options

PROVEN = {  # the worst case of the question trees, by game and sensors
    GameId.FIVE_PINS: {Sensors.ALL: 3, Sensors.HINTS: 3, Sensors.MAIN: 3, Sensors.NONE: 4},
    GameId.FREE: {Sensors.ALL: 1, Sensors.HINTS: 1, Sensors.MAIN: 1, Sensors.NONE: 2},
    # two on the break with a foul key and a pot: met or not (AMB-13), and the coloured ball
    GameId.DYNAMIC: {Sensors.ALL: 2, Sensors.HINTS: 2, Sensors.MAIN: 2, Sensors.NONE: 3},
    GameId.COMBINED: {Sensors.ALL: 2, Sensors.HINTS: 2, Sensors.MAIN: 2, Sensors.NONE: 3},
}


@pytest.mark.parametrize("sensors", list(Sensors))
@pytest.mark.parametrize("game_id", list(GameId))
def test_random_shots_are_never_ruled_wrong(game_id: GameId, sensors: Sensors) -> None:
    """Truthful answers, by questions and by the sheet, end in the true ruling within the proven number of questions."""
    number = 15 if (game_id, sensors) == (GameId.FIVE_PINS, Sensors.NONE) else 60
    tally = ask_through(Options(game_id), sensors, number, seed=2)
    assert (tally.shots, tally.wrong, tally.truth_excluded, tally.above_worst_case) == (number, 0, 0, 0)
    assert tally.most <= PROVEN[game_id][sensors]
    assert tally.taps >= tally.shots


def test_the_report_has_its_figures() -> None:
    figures = run(size=3)
    assert (figures["wrong"], figures["truth_excluded"], figures["above_worst_case"]) == (0, 0, 0)
    for game_id in GameId:
        for sensors in Sensors:
            one = figures["games"][game_id.value][sensors.value]
            assert one["shots"] == 3
            assert {"questions_per_shot", "taps_per_shot", "share_without_question"} <= one.keys()
            timed = figures["speed"]["games"][game_id.value][sensors.value]
            assert timed.keys() == {"next_question", "sheet"}
            for call in timed.values():
                assert all(call[f"{kind}_{of}"] > 0 for kind in ("first", "warm", "cold") for of in ("ms", "p99_ms"))
    assert figures["speed"]["break_of_40"]["free-pyramid_cold_ms"] > 0


def test_free_pyramid_asks_nothing_when_a_ball_fell() -> None:
    """0 questions with a pot and no foul key, 1 otherwise."""
    options = Options(GameId.FREE)
    rng = random.Random(3)
    for play in shots(options, 3, 100):
        evidence = sensed(play, Sensors.HINTS, options, rng)
        potted = any(o.kind == "gate" for o in evidence.observations)
        if potted and not play.calls:
            assert next_question(evidence, play.before, options) is None


@pytest.mark.parametrize("game_id", list(GameId))
def test_a_question_and_a_sheet_take_about_a_millisecond(game_id: GameId) -> None:
    """Processor time of new evidence on a warm engine; the bound leaves room for a slow machine."""
    options, rng = Options(game_id), random.Random(4)
    times = []
    for at, play in enumerate(shots(options, 4, 120)):
        evidence = sensed(play, Sensors.HINTS, options, rng)
        began = process_time()
        next_question(evidence, play.before, options)
        sheet(evidence, play.before, options)
        if at >= 40 and len(evidence.observations) <= 12:
            times.append(process_time() - began)
    assert median(times) < 0.010


def test_a_break_of_forty_observations() -> None:
    options = Options(GameId.FREE)
    times = []
    for play in shots(options, 5, 30):
        clicks = tuple(Observation(Kind.CLICK, t_us=at * 700, unc_us=2_000) for at in range(40))
        evidence = Evidence(clicks, quality=Evidence.of([], {"gates": "ok", "clicks": "ok", "cushions": "ok"}).quality)
        began = process_time()
        next_question(evidence, play.before, options)
        sheet(evidence, play.before, options)
        times.append(process_time() - began)
    assert median(times) < 0.020
