"""Readings that are ours and that a worked example alone would not pin down."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.evidence import Evidence, next_question, possible
from marker_rules.options import Options
from marker_rules.pyramid.games import GAMES
from marker_rules.shot import Call

C = "strike C; contact C w3; "


@pytest.mark.clause("RP-18.2a")
@pytest.mark.clause("RP-18.3b")
@pytest.mark.clause("RP-18.5")
@pytest.mark.parametrize(
    ("head", "tail", "by"),
    [
        ("cushion w3 left", "cushion {} foot", "RP-18.2a"),
        ("cross w3", "cushion {} foot", "RP-18.3b"),
        ("cushion w3 left", "cross {}", "RP-18.5"),
    ],
)
def test_a_ball_is_driven_by_the_one_it_met_itself(judge: Any, head: str, tail: str, by: str) -> None:
    """AMB-51: one meeting deep. Mutation: driven bits handed on at the next meeting: the chain is legal."""
    met = judge(f"{C}{head}; contact w3 w8; {tail.format('w8')}")
    assert (met.legal, met.legal_by) == (True, by)
    assert "AMB-51" in met.interpretations
    chain = judge(f"{C}{head}; contact w3 w8; contact w8 w9; {tail.format('w9')}")
    assert (chain.legal, [violation.clause for violation in chain.violations]) == (False, ["RP-18.P"])


def left(game: GameId, observed: list[str], clicks: str, *codes: str, **answers: str) -> set[str]:
    """The rulings left, in short."""
    options = Options(game)
    before = GAMES[game].read_before({"shelf": {"A": 3, "B": 2}}, options)
    calls = [Call(code, Player.A) for code in codes]
    evidence = Evidence.of(observed, {"gates": "ok", "cushions": "hint", "clicks": clicks}, calls=calls)
    for question, answer in answers.items():
        evidence = evidence.answered(question, answer)
    if not answers:
        asked = next_question(evidence, before, options)
        assert (asked is None) == (len(possible(evidence, before, options)) == 1)
    return {ruling.short for ruling in possible(evidence, before, options)}


@pytest.mark.clause("RP-4.1")
@pytest.mark.clause("RP-4.3")
@pytest.mark.parametrize("clicks", ["hint", "absent", "noisy"])
def test_a_pot_without_a_click_stands_unless_the_referee_calls_it(clicks: str) -> None:
    """AMB-52: nothing proves that the cue ball fell untouched, and nobody called it; the call alone decides, without a question."""
    pot = ["strike", "gate BL"]
    assert left(GameId.FREE, pot, clicks) == {"A+1"}
    assert left(GameId.FREE, pot, clicks, "RP-4.3") == {"F"}
    for game in (GameId.DYNAMIC, GameId.COMBINED):
        assert left(game, pot, clicks, Q1="yes") == {"A+1*"}
        assert left(game, pot, clicks, "RP-4.3") == {"F*"}


@pytest.mark.clause("RP-4.3")
def test_where_clicks_are_exact_silence_proves_it() -> None:
    """AMB-52: no click, one ball fell: the cue ball, untouched, and nothing is asked."""
    assert left(GameId.FREE, ["strike", "gate BL"], "ok") == {"F"}
    assert left(GameId.DYNAMIC, ["strike", "gate BL"], "ok") == {"F*"}


@pytest.mark.clause("RP-4.2")
@pytest.mark.clause("RP-17.N1")
@pytest.mark.clause("RP-18.N3")
@pytest.mark.clause("RP-20.5")
@pytest.mark.clause("RP-22.2a")
@pytest.mark.clause("RP-22.2b")
@pytest.mark.parametrize(
    ("facts", "clause", "reading"),
    [
        ("strike C; cushion C foot; contact C w3", "RP-4.2", "AMB-06"),
        ("strike C; contact C w3 unmoved; contact C w4", "RP-17.N1", ""),
        (C + "jaw w3 ML", "RP-18.N3", "AMB-47"),
        (C + "return w3 rail-top", "RP-22.2a", ""),
        (C + "off w3 lamp", "RP-22.2b", "AMB-31"),
        (C + "off w3 floor", "RP-22.3b", ""),
        (C + "pot w3 BL; back w3 BL", "RP-20.5", ""),
        ("frozen w5 foot; " + C + "cross w3", "RP-4.1", "AMB-05"),
    ],
)
def test_what_seldom_happens_is_cited(judge: Any, facts: str, clause: str, reading: str) -> None:
    """Each such fact has its step; where the reading is ours it is named, and in a plain shot neither stands there."""
    ruling, plain = judge(facts), judge(C + "cushion w3 left")
    assert clause in ruling.clauses
    assert clause == "RP-4.1" or clause not in plain.clauses
    if reading:
        assert reading in ruling.interpretations
        assert reading not in plain.interpretations
