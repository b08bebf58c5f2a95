"""Where the balls go after an error: ball in hand, the starting place, balls that jumped, blocked spots."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.balls import GameId
from marker_rules.errors import IllegalInput, Undecided
from marker_rules.five_pins.match import read_lie
from marker_rules.five_pins.placement import SPOT_HALF, TWIN, Placed, place
from marker_rules.options import Options


def put(given: dict[str, Any], **switches: Any) -> Placed:
    return place(read_lie(given), Options(GameId.FIVE_PINS, switches))


def words(placed: Placed) -> str:
    """`hand half, offender's spot or stays, red's spot or nothing`."""
    parts = [placed.hand_half.value, placed.offender.word if placed.offender else "stays"]
    return ", ".join([*parts, placed.red.word] if placed.red else parts)


OTHER = {"blocked_spot": "other_half"}


@pytest.mark.parametrize(
    ("given", "switches", "expected"),
    [
        pytest.param({"offender_half": "upper"}, {}, "lower, stays", marks=pytest.mark.clause("FP-H.2a")),
        pytest.param({"offender_half": "lower"}, {}, "upper, stays", marks=pytest.mark.clause("FP-H.2b")),
        pytest.param({"offender_half": "midline"}, {}, "lower, stays", marks=pytest.mark.clause("FP-H.4")),
        pytest.param({"choice": "start"}, {}, "lower, UPPER", marks=pytest.mark.clause("FP-H.5a")),
        pytest.param({"choice": "start", "offender_half": "upper"}, {}, "lower, UPPER", marks=pytest.mark.clause("FP-H.5a")),
        pytest.param({"choice": "start", "upper_spot": "red"}, {}, "upper, LOWER", marks=pytest.mark.clause("FP-H.5b")),
        pytest.param({"choice": "start", "upper_spot": "red"}, OTHER, "upper, LOWER", marks=pytest.mark.clause("FP-1.7")),
        pytest.param({"jumped": "cue", "opponent_half": "lower"}, {}, "lower, UPPER", marks=pytest.mark.clause("FP-J.3a")),
        pytest.param({"jumped": "cue", "opponent_half": "upper"}, {}, "upper, LOWER", marks=pytest.mark.clause("FP-J.3a")),
        pytest.param({"jumped": "cue", "opponent_half": "midline"}, {}, "lower, UPPER", marks=pytest.mark.clause("FP-J.3a")),
        pytest.param({"jumped": "cue", "opponent_half": "lower", "upper_spot": "red"}, {}, "lower, RED", marks=pytest.mark.clause("FP-J.3b")),
        pytest.param({"jumped": "cue", "opponent_half": "upper", "lower_spot": "red"}, {}, "lower, RED", marks=pytest.mark.clause("FP-J.3b")),
        pytest.param({"jumped": "cue", "opponent_half": "lower", "upper_spot": "red"}, OTHER, "upper, LOWER", marks=pytest.mark.clause("FP-J.3b")),
        pytest.param({"jumped": "cue", "opponent_half": "upper", "lower_spot": "red"}, OTHER, "lower, UPPER", marks=pytest.mark.clause("FP-J.3b")),
        pytest.param({"jumped": "cue", "opponent_half": "lower", "lower_spot": "red"}, {}, "lower, UPPER", marks=pytest.mark.clause("FP-J.3b")),
        pytest.param({"jumped": "opponent", "offender_half": "lower"}, {}, "upper, stays", marks=pytest.mark.clause("FP-J.3c")),
        pytest.param({"jumped": "opponent", "offender_half": "midline"}, {}, "lower, stays", marks=pytest.mark.clause("FP-J.3c")),
        pytest.param({"jumped": "red", "offender_half": "lower"}, {}, "upper, stays, RED", marks=pytest.mark.clause("FP-J.3d")),
        pytest.param({"jumped": "red", "offender_half": "upper", "red_spot": "cue"}, {}, "lower, stays, UPPER", marks=pytest.mark.clause("FP-J.3e")),
        pytest.param({"jumped": "red", "offender_half": "lower", "red_spot": "opponent"}, {}, "upper, stays, UPPER", marks=pytest.mark.clause("FP-J.3e")),
        pytest.param({"jumped": "red", "offender_half": "upper", "red_spot": "cue"}, OTHER, "lower, stays, LOWER-CENTRE", marks=pytest.mark.clause("FP-J.3e")),
        pytest.param({"jumped": ["red", "opponent"], "offender_half": "upper"}, {}, "lower, stays, RED", marks=pytest.mark.clause("FP-J.3f")),
        pytest.param({"jumped": "cue,red", "opponent_half": "lower"}, {}, "lower, UPPER, RED", marks=pytest.mark.clause("FP-J.3")),
        pytest.param({"jumped": "cue,red", "opponent_half": "upper", "red_spot": "opponent"}, {}, "upper, LOWER, UPPER", marks=pytest.mark.clause("FP-J.3")),
        pytest.param({"jumped": ["cue", "opponent"]}, {}, "lower, UPPER", marks=pytest.mark.clause("FP-J.3")),
        pytest.param({"jumped": ["cue", "opponent"], "upper_spot": "red"}, {}, "lower, RED", marks=pytest.mark.clause("FP-J.3")),
        pytest.param({"jumped": "red", "choice": "start", "red_spot": "opponent"}, {}, "upper, LOWER, UPPER", marks=pytest.mark.clause("FP-H.5b")),
        pytest.param({"jumped": "cue", "choice": "start"}, {}, "lower, UPPER", marks=pytest.mark.clause("FP-H.5a")),
    ],
)  # fmt: skip
def test_placement(given: dict[str, Any], switches: dict[str, Any], expected: str) -> None:
    assert words(put(given, **switches)) == expected


@pytest.mark.report("R020")
@pytest.mark.clause("FP-J.3b")
def test_a_blocked_spot_sends_the_jumped_ball_to_the_spot_of_the_blocker() -> None:
    """R020: cue ball off, opponent's ball in the lower half, red on the upper spot: red spot, lower half (FP-B08)."""
    placed = put({"jumped": "cue", "opponent_half": "lower", "upper_spot": "red"})
    assert words(placed) == "lower, RED"
    assert [(p.what, p.spot) for p in placed.placements] == [("cue", "red")]
    assert "FP-J.3b" in {step.clause for step in placed.steps}


@pytest.mark.parametrize(
    ("given", "feature"),
    [({}, "offender_half"), ({"jumped": "opponent"}, "offender_half"), ({"jumped": "cue"}, "opponent_half")],
)
def test_what_only_the_referee_can_tell_is_asked(given: dict[str, Any], feature: str) -> None:
    with pytest.raises(Undecided) as caught:
        put(given)
    assert caught.value.features == (feature,)


def test_red_with_no_free_spot_is_left_to_the_referee() -> None:
    with pytest.raises(Undecided, match="the referee chooses"):
        put({"jumped": "red", "offender_half": "upper", "upper_spot": "cue", "red_spot": "opponent"})


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"offender_half": "left"}, "offender_half"),
        ({"offender_half": "upper", "jumped": "white"}, "jumped"),
        ({"offender_half": "upper", "jumped": 3}, "jumped"),
        ({"offender_half": "upper", "upper_spot": "taken"}, "upper_spot"),
        ({"offender_half": "upper", "choice": "begin"}, "choice"),
        ({"offender_half": "upper", "middle_spot": "red"}, "middle_spot"),
        ({"jumped": "red", "offender_half": "lower", "upper_spot": "red"}, "upper_spot"),
        ({"jumped": "cue", "opponent_half": "lower", "upper_spot": "opponent"}, "upper_spot"),
        ({"offender_half": "lower", "red_spot": "cue"}, "red_spot"),
    ],
)
def test_what_contradicts_itself_is_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(IllegalInput) as caught:
        put(given)
    assert caught.value.code == field


def test_every_spot_has_its_twin_in_the_other_half() -> None:
    for spot, twin in TWIN.items():
        assert TWIN[twin] is spot
        assert SPOT_HALF[spot] is not SPOT_HALF[twin]
