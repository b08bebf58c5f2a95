"""Each weakness of a channel widens the possibilities exactly as far as it must, and no further."""

from __future__ import annotations

import pytest

from marker_rules.balls import Ball, GameId, Pin, Player
from marker_rules.errors import IllegalInput, MalformedFact
from marker_rules.evidence import Evidence, Flag, Kind, Observation, next_question, possible, worst_case
from marker_rules.facts import Off, Shift
from marker_rules.five_pins.state import FivePinsState, Mode
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.shot import Call

OPTIONS = Options(GameId.FIVE_PINS)
BEFORE = FivePinsState(striker=Player.A, limit=100)
EXACT = {"pins": "ok", "clicks": "ok"}


def shorts(evidence: Evidence, before: object = BEFORE, options: Options = OPTIONS) -> set[str]:
    return {p.short for p in possible(evidence, before, options)}


def left(observations: list[str | Observation], quality: dict[str, str] = EXACT, **more: object) -> set[str]:
    return shorts(Evidence.of(observations, quality, **more))


def test_one_stuck_pin_makes_only_that_pin_unknown() -> None:
    """Another pin that fell stays certain, and the stuck one is asked as a set of one."""
    evidence = Evidence.of(["click", "pin N"], {**EXACT, "pin E": "stuck"})
    assert shorts(evidence) == left(["click", "pin N"]) | left(["click", "pin N", "pin E"]) | left(
        ["pin E", "click", "pin N"]
    )
    question = next_question(evidence.answered("Q1", "opponent").answered("Q3", "no"), BEFORE, OPTIONS)
    assert question is not None
    assert question.id == "QP"
    assert [answer.id for answer in question.answers] == ["N", "N,E"]


def test_a_stuck_pin_that_reports_is_not_believed() -> None:
    assert left(["pin N"], {**EXACT, "pin N": "stuck"}) == left([], {**EXACT, "pin N": "absent"})


@pytest.mark.parametrize("flag", ["echo", "xtalk"])
def test_a_click_that_may_be_nothing(flag: str) -> None:
    assert left(["click", f"click {flag}", "pin N"]) == left(["click", "pin N"]) | left(["click", "click", "pin N"])


def test_a_click_that_may_be_several() -> None:
    """Merged clicks are one or more at that place: the first may be the second contact already, the pin comes after."""
    several = left(["click", "pin N"]) | left(["click", "click", "pin N"]) | left(["click", "click", "click", "pin N"])
    assert left(["click merged", "pin N"]) == several


def test_a_clipped_click_is_a_click() -> None:
    assert left(["click clipped", "pin N"]) == left(["click", "pin N"])


def test_a_latch_that_is_not_sure() -> None:
    """`maybe`: the pin fell then or not at all."""
    assert left(["pin N maybe", "click"]) == left(["pin N", "click"]) | left(["click"])


def test_crosstalk_on_a_pin_is_not_a_fall_for_certain() -> None:
    assert left(["click", "pin N xtalk"]) == left(["click", "pin N"]) | left(["click"])


def test_the_same_value_twice_keeps_its_places() -> None:
    """Observations are told apart by their place: equal ones before and after a pin stay before and after it."""
    click = Observation(Kind.CLICK)
    assert left([click, Observation(Kind.PIN, "N"), click]) == left(["click", "pin N", "click"])


def test_a_gap_takes_away_silence_only() -> None:
    """What was reported stays; what was not reported may have happened at any time."""
    whole, torn = left(["pin N", "click"]), left(["pin N", "click"], gap=True)
    assert whole < torn
    assert "B+2*" not in torn  # that would need no pin at all
    assert "B+4*" in torn


def test_two_stamps_closer_than_their_uncertainty_are_unordered() -> None:
    def at(kind: Kind, what: str, t_us: int, unc_us: int) -> Observation:
        return Observation(kind, what, t_us, unc_us)

    apart = [at(Kind.PIN, "N", 1_000, 400), at(Kind.CLICK, "", 2_000, 400)]
    close = [at(Kind.PIN, "N", 1_000, 500), at(Kind.CLICK, "", 2_000, 500)]
    assert left(apart) == left(["pin N", "click"])
    assert left(close) == left(["pin N", "click"]) | left(["click", "pin N"])


def test_many_unordered_observations_stay_quick_and_sound() -> None:
    """A burst of 20 clicks and 3 pins nobody can order: no order is used."""
    burst = [Observation(Kind.CLICK, "", 1_000 + at, 900) for at in range(20)]
    burst += [Observation(Kind.PIN, pin, 1_500, 900) for pin in "NES"]
    assert left(burst) >= {"A+6", "A+9", "A+10", "B+6", "B+9", "B+10", "B+8*", "B+10*"}


def test_a_slid_pin_counts_only_by_the_switch() -> None:
    """FP-T.4a: displaced with its base on the cloth, put back; with `shifted_counts` it counts as felled."""
    (only,) = possible(Evidence.of(["click", "pin N slid"], EXACT, answers={"Q1": "opponent"}), BEFORE, OPTIONS)
    assert only.short == "0"
    assert [placement.what for placement in only.ruling.placements] == ["N"]
    later = Options(GameId.FIVE_PINS, {"shifted_counts": True})
    assert shorts(Evidence.of(["click", "pin N slid"], EXACT), options=later) == left(["click", "pin N"])


def test_contradiction_of_channels_makes_the_weaker_one_yield() -> None:
    """Two balls fell, yet exact clicks heard no contact: the gates are believed."""
    options = Options(GameId.FREE)
    before = game(GameId.FREE).read_before(
        {
            "striker": "A",
            "phase": "play",
            "shelf": {"A": 0, "B": 0},
            "debt": {"A": 0, "B": 0},
            "table": {"total": 16, "coloured": "table"},
        },
        options,
    )
    evidence = Evidence.of(["strike", "gate BL", "gate BR"], {"gates": "ok", "clicks": "ok", "cushions": "ok"})
    assert shorts(evidence, before, options) == {"A+2"}


def test_the_referees_word_enters_against_a_sensor() -> None:
    """The latch says N fell, the referee says only E did: his word enters, the rest stays as sensed."""
    evidence = Evidence.of(["click", "pin N"], EXACT, answers={"QP": "E", "Q1": "opponent", "Q3": "no"})
    (only,) = possible(evidence, BEFORE, OPTIONS)
    assert only.short == "A+2"
    assert [placement.what for placement in only.ruling.placements] == ["E"]


def test_answers_that_contradict_each_other_are_refused() -> None:
    evidence = Evidence.of(["click"], EXACT, answers={"Q1": "none", "Q4": "yes"})
    with pytest.raises(IllegalInput, match="Q1=none, Q4=yes"):
        possible(evidence, BEFORE, OPTIONS)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("Z", {f"B+{n}*" for n in (4, 6, 7, 8, 9, 10)}),  # 2 more than without, and ball in hand always
        ("A", {"B+4*"}),  # wrong ball: 2 and the pins, whatever was touched
        ("B", {"B+4*", "B+6*"}),
        ("V", {"B+4*", "B+6*", "B+7*", "B+8*"}),
        ("G", {"B+4*", "B+6*"}),
    ],
)
def test_calls(call: str, expected: set[str]) -> None:
    """A called error is added or, where facts show it, taken as seen."""
    evidence = Evidence.of(["pin N"], {"pins": "ok"}, calls=[Call(call, Player.A)])
    assert shorts(evidence) == expected


@pytest.mark.parametrize("mode", [Mode.NORMAL, Mode.OPENING, Mode.HAND])
def test_a_wrong_ball_asks_nothing_more(mode: Mode) -> None:
    before = FivePinsState(striker=Player.A, limit=100, mode=mode)
    evidence = Evidence.of(["click", "pin C"], {"pins": "ok"}, calls=[Call("A", Player.A)])
    assert shorts(evidence, before) == {"B+10*"}
    assert worst_case(evidence, before, OPTIONS) == 0


def test_entered_facts_count_and_exclude() -> None:
    """A ball off is an error beside what is asked; a pin that was only displaced cannot have fallen."""
    off = Evidence.of(["click"], EXACT, facts=[Off(Ball.RED)])
    assert shorts(off) == {"B+2*", "B+6*"}
    displaced = Evidence.of(["click"], {**EXACT, "pin N": "noisy"}, facts=[Shift(Pin.N)])
    assert shorts(displaced) == left(["click"])


@pytest.mark.parametrize(
    ("text", "word"),
    [("pin X", "X"), ("bang", "bang"), ("gate", ""), ("click N", "N"), ("cushion top loud", "loud"), ("", "")],
)
def test_observations_that_cannot_be_read(text: str, word: str) -> None:
    with pytest.raises(MalformedFact) as caught:
        Evidence.of(["click", text])
    assert caught.value.position == 1
    assert caught.value.token == word


@pytest.mark.parametrize("quality", [{"pin X": "ok"}, {"pins": "good"}, {"ears": "ok"}])
def test_qualities_that_are_not_known(quality: dict[str, str]) -> None:
    with pytest.raises(IllegalInput):
        Evidence.of([], quality)


def test_observations_that_make_no_sense() -> None:
    with pytest.raises(IllegalInput):
        Observation(Kind.PIN, "BL")
    with pytest.raises(IllegalInput):
        Observation(Kind.CLICK, "N")
    with pytest.raises(IllegalInput):
        Observation(Kind.GATE, "BL", least=2, most=1)
    assert Observation(Kind.CLICK, flags=frozenset({Flag.MERGED})).bounds == (1, None)
