"""The decision order of pyramid evidence, written down a second time as its ten steps say, over all small evidence."""

from __future__ import annotations

from itertools import product

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.evidence import Evidence, next_question, possible, worst_case
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.pyramid.state import PyramidState
from marker_rules.shot import Call

GAMES = (GameId.FREE, GameId.DYNAMIC, GameId.COMBINED)
PHASES = {
    GameId.FREE: ("break", "play"),
    GameId.DYNAMIC: ("break", "play", "in-hand-any-premium"),
    GameId.COMBINED: ("break", "play", "in-hand-house", "in-hand-temp-house"),
}


def state(game_id: GameId, phase: str, options: Options) -> PyramidState:
    breaks = phase == "break"
    balls = {"total": 16 if breaks else 11} if game_id is GameId.FREE else {"whites": 15 if breaks else 10}
    raw = {
        "striker": "A",
        "phase": phase,
        "shelf": {"A": 0, "B": 0} if breaks else {"A": 3, "B": 2},
        "debt": {"A": 0, "B": 0},
        "table": {**balls, "coloured": "table"},
    }
    return game(game_id).read_before(raw, options)


def by_the_steps(game_id, phase, clicks, cushions, frozen, heard, hits, potted, foul):
    """The rulings left, as the decision order says. clicks, cushions: quality; heard, hits: numbers."""
    breaks, fixed = phase == "break", game_id is not GameId.FREE
    silent = clicks == "ok" and not heard
    stars = ("", "*") if fixed and potted else ("",)
    may_meet = not silent and (cushions != "ok" or hits >= (2 if breaks else 1))
    if silent:  # step 2; only the cue ball can have fallen
        return {"F4" + stars[-1] if breaks else "F" + stars[-1]}
    if foul:  # step 1
        kinds = ("F", "F4") if breaks and may_meet else ("F4",) if breaks else ("F",)
        return {kind + star for kind in kinds for star in stars}
    if potted:  # steps 3 and 4
        left = {f"A+{potted}{star}" for star in stars}
        if phase == "in-hand-any-premium":  # EXT-D3: the cue ball is not credited
            left = {f"A+{potted}", f"A+{potted - 1}*" if potted > 1 else "0*"}
        return left | ({"F", "F*"} if phase == "in-hand-house" else set())
    if breaks:  # steps 5 to 7
        return {"0", "F4"} if may_meet else {"F4"}
    if not may_meet and frozen == "none":  # step 8
        return {"F"}
    return {"0", "F"}  # steps 8 to 10


@pytest.mark.parametrize("game_id", GAMES)
def test_the_ten_steps(game_id: GameId) -> None:
    options = Options(game_id)
    kinds = product(("ok", "hint"), ("ok", "noisy"), ("none", "some"), range(2), range(4), range(3))
    for clicks, cushions, frozen, heard, hits, potted in kinds:
        if clicks == "ok" and not heard and potted > 1:
            continue  # contradicts itself: nothing but the cue ball moved
        for phase, foul in product(PHASES[game_id], (False, True)):
            observations = ["strike", *["click"] * heard, *["cushion foot", "cushion left", "cushion foot"][:hits]]
            evidence = Evidence.of(
                [*observations, *["gate BL"] * potted],
                {"gates": "ok", "cushions": cushions, "clicks": clicks},
                calls=[Call("RP-16", Player.A)] * foul,
                frozen=frozen,
            )
            before = state(game_id, phase, options)
            expected = by_the_steps(game_id, phase, clicks, cushions, frozen, heard, hits, potted, foul)
            left = {p.short for p in possible(evidence, before, options)}
            assert left == expected, (phase, clicks, cushions, frozen, heard, hits, potted, foul)
            assert worst_case(evidence, before, options) == {1: 0, 2: 1, 4: 2}[len(expected)]


@pytest.mark.clause("RP-18.0")
def test_hits_before_the_contact_do_not_count() -> None:
    """AMB-06: with exact clicks a cushion hit before the first of them meets no pattern."""
    options = Options(GameId.FREE)
    before = state(GameId.FREE, "play", options)
    exact = {"gates": "ok", "cushions": "ok", "clicks": "ok"}
    evidence = Evidence.of(["strike", "cushion foot", "cushion left", "click"], exact, frozen="none")
    assert [p.short for p in possible(evidence, before, options)] == ["F"]
    rough = Evidence.of(["strike", "cushion foot", "cushion left", "click"], {**exact, "clicks": "hint"}, frozen="none")
    assert {p.short for p in possible(rough, before, options)} == {"0", "F"}


@pytest.mark.parametrize("game_id", GAMES)
def test_gates_absent_need_a_number(game_id: GameId) -> None:
    """QG is one question; with any number of balls the rest is as with gates, and 0 to all balls are possible."""
    options = Options(game_id)
    before = state(game_id, "play", options)
    evidence = Evidence.of(["strike"], {}, frozen="none")
    left = {p.short for p in possible(evidence, before, options)}
    scored = {f"A+{n}" for n in range(1, 12 if game_id is GameId.FREE else 11)}
    if game_id is not GameId.FREE:
        scored |= {f"A+{n}*" for n in range(1, 11)}
    assert left == scored | {"0", "F"}
    assert worst_case(evidence, before, options) == 2
    question = next_question(evidence, before, options)
    assert question is not None
    assert question.id == "QG"
    assert [answer.id for answer in question.answers] == [str(n) for n in range(12)]


@pytest.mark.clause("RP-18.6")
def test_stop_in_a_zone_alone() -> None:
    """With `zone_stop_requires_rail` false a shot without any cushion can be legal, so it must be asked."""
    exact = {"gates": "ok", "cushions": "ok", "clicks": "ok"}
    evidence = Evidence.of(["strike", "click"], exact, frozen="none")
    for switch, expected in ((True, {"F"}), (False, {"0", "F"})):
        options = Options(GameId.FREE, {"zone_stop_requires_rail": switch})
        before = state(GameId.FREE, "play", options)
        assert {p.short for p in possible(evidence, before, options)} == expected


@pytest.mark.clause("RP-18.2")
def test_two_cushions_by_any_balls_are_proved_by_sensors() -> None:
    """With `two_rails` any_balls two cushions felt after the contact decide; a ball pressed at its cushion does not."""
    options = Options(GameId.FREE, {"two_rails": "any_balls"})
    before = state(GameId.FREE, "play", options)
    exact = {"gates": "ok", "cushions": "ok", "clicks": "ok"}
    two = ["strike", "click", "cushion left", "cushion foot"]
    assert [p.short for p in possible(Evidence.of(two, exact, frozen="none"), before, options)] == ["0"]
    assert {p.short for p in possible(Evidence.of(two, exact, frozen="some"), before, options)} == {"0", "F"}
    same = ["strike", "click", "cushion left", "cushion left"]
    assert {p.short for p in possible(Evidence.of(same, exact, frozen="none"), before, options)} == {"0", "F"}


@pytest.mark.clause("RP-19.2a")
@pytest.mark.parametrize(
    ("game_id", "phase", "switches", "hits"),
    [
        (GameId.COMBINED, "in-hand-house", {"two_rails": "any_balls"}, ["cushion head", "cushion right"]),
        (
            GameId.FREE,
            "play",
            {"two_rails": "any_balls", "jaw_counts_as_rail": False},
            ["cushion left", "cushion foot"],
        ),
    ],
)
def test_two_cushions_prove_nothing_where_more_decides(game_id, phase, switches, hits) -> None:
    """In hand from the house the first ball's place decides too; a jaw that is no cushion feels like its rail."""
    options = Options(game_id, switches)
    before = state(game_id, phase, options)
    exact = {"gates": "ok", "cushions": "ok", "clicks": "ok"}
    evidence = Evidence.of(["strike", "click", *hits], exact, frozen="none")
    assert {p.short for p in possible(evidence, before, options)} == {"0", "F"}
    assert worst_case(evidence, before, options) == 1


@pytest.mark.clause("RP-19.2a")
def test_house_ball_first_without_a_foul() -> None:
    """AMB-20, other reading: asked is how many balls fell after a ball outside the house was touched."""
    options = Options(GameId.COMBINED, {"house_ball_first": "no_foul"})
    before = state(GameId.COMBINED, "in-hand-house", options)
    exact = {"gates": "ok", "cushions": "ok", "clicks": "ok"}
    evidence = Evidence.of(["strike", "click", "gate BR", "gate BL"], exact, frozen="none")
    left = {p.short for p in possible(evidence, before, options)}
    assert left == {"A+2", "A+1", "0", "A+2*", "A+1*", "0*"}
    assert worst_case(evidence, before, options) == 2
    assert [p.short for p in possible(evidence.answered("Q15", "1").answered("Q1", "no"), before, options)] == ["A+1"]


@pytest.mark.clause("RP-22.3a")
def test_cue_ball_called_off_comes_in_hand() -> None:
    """Nothing senses a ball off the table: the key alone puts the fixed cue ball in hand."""
    options = Options(GameId.DYNAMIC)
    before = state(GameId.DYNAMIC, "play", options)
    evidence = Evidence.of(["click"], {"gates": "ok"}, calls=[Call("RP-22.3a", Player.A)])
    assert [p.short for p in possible(evidence, before, options)] == ["F*"]
