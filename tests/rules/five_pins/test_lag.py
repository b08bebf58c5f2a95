"""The lag: both balls moving, late marks, ways to lose it, collisions, distance."""

from __future__ import annotations

import pytest

from marker_rules.errors import IllegalFact, MalformedFact, Undecided
from marker_rules.five_pins.lag import Lane, judge_lag, parse_lag

CLEAN = "strike left; strike right; cushion top left; cushion top right"


def lag(facts: str, late: str = "") -> str:
    """`left`, `right` (the winner) or `replay`, then the late marks."""
    texts = [text.strip() for text in facts.split(";")]
    ruling = judge_lag(parse_lag(texts), [Lane(name) for name in late.split()])
    return " ".join([ruling.winner.value if ruling.winner else "replay", *ruling.late])


@pytest.mark.parametrize(
    ("facts", "late", "result"),
    [
        pytest.param(f"{CLEAN}; nearer left", "", "left", marks=pytest.mark.clause("FP-3.10")),
        pytest.param(f"{CLEAN}; nearer right", "left", "right left", marks=pytest.mark.clause("FP-3.10")),
        pytest.param(f"{CLEAN}; nearer equal", "", "replay", marks=pytest.mark.clause("FP-3.9")),
        pytest.param(f"{CLEAN}; nearer equal", "right", "replay right", marks=pytest.mark.clause("FP-3.9")),
        pytest.param(f"{CLEAN}; cross left; nearer left", "", "right", marks=pytest.mark.clause("FP-3.8a")),
        pytest.param(f"{CLEAN}; cushion long right; nearer right", "", "left", marks=pytest.mark.clause("FP-3.8b")),
        pytest.param(f"{CLEAN}; topple-pin left", "", "right", marks=pytest.mark.clause("FP-3.8c")),
        pytest.param(f"{CLEAN}; contact-red right", "", "left", marks=pytest.mark.clause("FP-3.8c")),
        pytest.param(f"{CLEAN}; cross left; cushion long left", "", "right", marks=pytest.mark.clause("FP-3.8a")),
        pytest.param(f"{CLEAN}; cross left; topple-pin right", "", "replay", marks=pytest.mark.clause("FP-3.9")),
        pytest.param("strike left; cushion top left; strike right; nearer right", "", "replay right", marks=pytest.mark.clause("FP-3.6")),
        pytest.param("strike right; cushion top right; strike left", "left", "right left left", marks=pytest.mark.clause("FP-3.7")),
        pytest.param("strike left; cushion top left; strike right", "left", "replay left right", marks=pytest.mark.clause("FP-3.6")),
        pytest.param("strike left; cushion top left", "", "replay right", marks=pytest.mark.clause("FP-3.6")),
        pytest.param("strike left; cushion top left; strike right; cross left", "", "replay right", marks=pytest.mark.clause("FP-3.6")),
        pytest.param(f"{CLEAN}; collide", "", "replay", marks=pytest.mark.clause("FP-3.9")),
        pytest.param(f"{CLEAN}; collide unknown", "left", "replay left", marks=pytest.mark.clause("FP-3.9")),
        pytest.param(f"{CLEAN}; cross right; collide; cushion long left", "", "left", marks=pytest.mark.clause("FP-3.8a")),
        pytest.param(f"{CLEAN}; collide unknown; cross right", "", "replay", marks=pytest.mark.clause("FP-3.9")),
        pytest.param(f"{CLEAN}; collide; cross right", "", "left", marks=pytest.mark.clause("FP-3.8a")),
        pytest.param(f"{CLEAN}; cross left; cross right; collide", "", "replay", marks=pytest.mark.clause("FP-3.9")),
        pytest.param(f"{CLEAN}; cushion long left; collide unknown", "", "right", marks=pytest.mark.clause("FP-3.8b")),
        pytest.param("strike left; strike right; cushion top right; nearer left", "", "replay", marks=pytest.mark.clause("FP-3.5")),
        pytest.param("strike left; strike right; nearer left", "", "replay", marks=pytest.mark.clause("FP-3.5")),
        pytest.param("strike left; strike right; cushion long left", "", "right", marks=pytest.mark.clause("FP-3.8b")),
    ],
)  # fmt: skip
def test_lag(facts: str, late: str, result: str) -> None:
    assert lag(facts, late) == result


def test_the_distance_is_asked_when_nothing_else_decides() -> None:
    with pytest.raises(Undecided) as caught:
        lag(CLEAN)
    assert caught.value.features == ("nearer",)
    with pytest.raises(Undecided):
        judge_lag(())


@pytest.mark.parametrize(
    ("fact", "token"),
    [("strike middle", "middle"), ("strike", ""), ("cushion left", "cushion"), ("collide maybe", "maybe"), ("", "")],
)
def test_a_fact_that_cannot_be_read(fact: str, token: str) -> None:
    with pytest.raises(MalformedFact) as caught:
        parse_lag(["strike left", fact])
    assert (caught.value.position, caught.value.token) == (1, token)


def test_a_ball_is_struck_once() -> None:
    with pytest.raises(IllegalFact) as caught:
        lag("strike left; strike left")
    assert caught.value.position == 1
    with pytest.raises(IllegalFact, match="'nearer' stands twice"):
        lag(f"{CLEAN}; nearer left; nearer right")


def test_a_lag_of_absurd_length_is_refused() -> None:
    with pytest.raises(MalformedFact, match="at most"):
        parse_lag(["cross left"] * 61)
