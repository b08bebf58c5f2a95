"""Facts that contradict each other, the layout or the game: a precise refusal, nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalFact, IllegalInput, MalformedFact
from marker_rules.five_pins.game import FIVE_PINS
from marker_rules.five_pins.state import FivePinsState, Phase
from marker_rules.options import Options
from marker_rules.shot import Call, Shot

HIT = "strike cue; contact cue opponent"


@pytest.mark.parametrize(
    ("facts", "position", "words"),
    [
        (f"{HIT}; topple N by opponent; topple N by red", 3, "pin N had fallen already"),
        (f"{HIT}; topple N by opponent; shift N", 3, "pin N had fallen already"),
        (f"{HIT}; topple N by opponent; wobble N", 3, "pin N had fallen already"),
        (f"{HIT}; topple N by opponent; lean N on red driven-off", 3, "pin N had fallen already"),
        (f"{HIT}; topple W by opponent", 2, "pin W was not standing"),
        (f"{HIT}; wobble W", 2, "pin W was not standing"),
        (f"{HIT}; lean W on cue away", 2, "pin W was not standing"),
        (f"{HIT}; restand N", 2, "pin N had not fallen"),
        (f"{HIT}; topple N by red; restand N; restand N", 4, "pin N had not fallen"),
        (f"{HIT}; free N", 2, "pin N stood before the stroke"),
        (
            f"{HIT}; off red; contact cue red",
            3,
            "red is off the table since fact 3; if it dropped back, put 'off' last",
        ),
        (f"{HIT}; off red; topple N by red", 3, "red is off the table since fact 3"),
        (f"{HIT}; off red; cushion red top", 3, "red is off the table since fact 3"),
        (f"{HIT}; off red; off red", 3, "red is off the table since fact 3"),
        (f"{HIT}; off cue; hop cue", 3, "cue is off the table since fact 3"),
        (f"{HIT}; off cue; pass cue", 3, "cue is off the table since fact 3"),
        (f"{HIT}; off cue; strike cue", 3, "cue is off the table since fact 3"),
        (f"{HIT}; off cue; support cue", 3, "cue is off the table since fact 3"),
        (f"{HIT}; off cue; shift N by cue", 3, "cue is off the table since fact 3"),
        (f"{HIT}; off cue; lean N on cue away", 3, "cue is off the table since fact 3"),
        (f"{HIT}; off cue; cross cue", 3, "cue is off the table since fact 3"),
        (f"{HIT}; contact cue w3", 2, "ball w3 is not on a five-pins table"),
        (f"{HIT}; topple N by pin of C", 2, "ball C is not on a five-pins table"),
        ("strike w1", 0, "ball w1 is not on a five-pins table"),
        (f"{HIT}; cushion cue head", 2, "no cushion 'head'"),
        (f"{HIT}; frozen red foot", 2, "no cushion 'foot'"),
        (f"{HIT}; pot red BL", 2, "no pockets"),
        (f"{HIT}; zone red BL", 2, "no pockets"),
        (f"{HIT}; return cue frame", 2, "no pockets"),
        (f"{HIT}; lean N on cue driven-off", 2, "'away' or 'toward'"),
    ],
)
def test_what_cannot_have_happened(judge: Any, facts: str, position: int, words: str) -> None:
    """The message names the fact, its text and what contradicts it; `position` counts from 0."""
    with pytest.raises(IllegalFact, match=words) as caught:
        judge(facts, pins="C,N,E,S")
    assert caught.value.position == position
    assert f"fact {position + 1} '" in caught.value.message


@pytest.mark.parametrize(
    "facts",
    [
        f"{HIT}; topple N by opponent; restand N; topple N by opponent",
        f"{HIT}; off opponent; topple N by pin of opponent",
        f"{HIT}; shift N; shift N; topple N by opponent",
        f"{HIT}; cross cue; frozen cue left; note anything at all",
        "contact cue opponent; topple N by opponent",
    ],
)
def test_what_is_odd_but_possible_is_judged(judge: Any, facts: str) -> None:
    assert judge(facts).next is not None


def test_a_stroke_while_nothing_was_struck(judge: Any) -> None:
    with pytest.raises(IllegalFact, match="mode is 'idle'") as caught:
        judge("shift N; strike cue", mode="idle")
    assert caught.value.position == 1


def test_nothing_to_judge(judge: Any) -> None:
    with pytest.raises(IllegalFact, match="nothing to judge"):
        judge("")


@pytest.mark.parametrize(
    "fact", ["topple N,N by cue", "contact cue cue", "strike blue", "smash cue", "cushion cue", ""]
)
def test_what_cannot_be_read(judge: Any, fact: str) -> None:
    from marker_rules.notation import parse_facts

    with pytest.raises(MalformedFact) as caught:
        parse_facts(["strike cue", fact])
    assert caught.value.position == 1


@pytest.mark.parametrize(
    ("facts", "calls", "mode", "words"),
    [
        (HIT, "X", "normal", "call 'X' is not an error of five-pins"),
        (HIT, "FP-F.Z", "normal", "call 'FP-F.Z' is not an error of five-pins"),
        (HIT, "Z@B", "normal", "the waiting player can only make I, K, P"),
        ("", "Z", "idle", "'Z' needs a stroke"),
        ("", "D", "hand", "'D' needs a stroke"),
    ],
)
def test_calls_that_are_refused(judge: Any, facts: str, calls: str, mode: str, words: str) -> None:
    with pytest.raises(IllegalInput, match=words) as caught:
        judge(facts, calls=calls, mode=mode)
    assert caught.value.code == "call"


@pytest.mark.clause("FP-C.5")
@pytest.mark.clause("FP-C.6")
def test_a_contact_reset_that_is_switched_off(judge: Any) -> None:
    """By the switch it is not offered (A24), so no stroke can be one."""
    assert judge(HIT, mode="contact-reset").points.a == 0
    with pytest.raises(IllegalInput, match="contact_reset = false") as caught:
        judge(HIT, mode="contact-reset", contact_reset=False)
    assert caught.value.code == "mode"


@pytest.mark.parametrize(
    ("before", "field"),
    [
        ({"striker": "C", "limit": 50}, "striker"),
        ({"limit": 50}, "striker"),
        ({"striker": "A"}, "limit"),
        ({"striker": "A", "limit": 0}, "limit"),
        ({"striker": "A", "limit": True}, "limit"),
        ({"striker": "A", "limit": 50, "score": {"A": 50, "B": 0}}, "score.A"),
        ({"striker": "A", "limit": 50, "score": {"A": 0, "B": -1}}, "score.B"),
        ({"striker": "A", "limit": 50, "score": {"A": 1}}, "score"),
        ({"striker": "A", "limit": 50, "score": [1, 2]}, "score"),
        ({"striker": "A", "limit": 50, "mode": "free"}, "mode"),
        ({"striker": "A", "limit": 50, "pins": "C,N"}, "pins"),
        ({"striker": "A", "limit": 50, "pins": ["C", "C"]}, "pins"),
        ({"striker": "A", "limit": 50, "pins": ["X"]}, "pins"),
        ({"striker": "A", "limit": 50, "shelf": 3}, "shelf"),
    ],
)
def test_a_state_that_is_refused(before: dict[str, Any], field: str) -> None:
    with pytest.raises(IllegalInput) as caught:
        FIVE_PINS.read_before(before, Options(GameId.FIVE_PINS))
    assert caught.value.code == field


def test_a_stroke_is_judged_only_when_one_is_due() -> None:
    state = FivePinsState(striker=Player.A, limit=50, phase=Phase.NEXT_GAME)
    with pytest.raises(IllegalInput, match="waits for 'next-game'"):
        FIVE_PINS.rule(Shot((), (Call("Z", Player.A),)), state, Options(GameId.FIVE_PINS))
