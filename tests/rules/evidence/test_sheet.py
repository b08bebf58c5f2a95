"""The shot sheet: one screen with the rows that can still change the ruling."""

from __future__ import annotations

from dataclasses import replace

from marker_rules.balls import GameId, Player
from marker_rules.evidence import UNSEEN, Channel, Evidence, Origin, Sheet, sheet, worst_case
from marker_rules.five_pins.state import FivePinsState, Mode, Score
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.shot import Call

OPTIONS = Options(GameId.FIVE_PINS)
BEFORE = FivePinsState(striker=Player.A, limit=60, score=Score(47, 38))
TWO_PINS = Evidence.of(["click", "click", "pin N", "pin E"], {"pins": "ok", "clicks": "hint"})


def rows(shown: Sheet) -> dict[str, dict[str, str]]:
    return {row.id: {answer.id: answer.ruling.short for answer in row.answers} for row in shown.rows}


def test_the_drawn_sheet() -> None:
    """The sheet of the design's drawing: two pins down, about two clicks, red reached by the cue ball by hand."""
    first = sheet(TWO_PINS, BEFORE, OPTIONS)
    assert first.proposal.short == "A+4"
    assert [(row.id, row.selected, row.origin) for row in first.rows] == [
        ("Q1", "opponent", Origin.LIKELY),
        ("Q2", "nobody", Origin.LIKELY),
        ("Q3", "no", Origin.LIKELY),
    ]
    shown = sheet(TWO_PINS.answered("Q2", "cue"), BEFORE, OPTIONS)
    assert shown.proposal.short == "A+8"
    assert rows(shown) == {
        "Q1": {
            "opponent": "A+8",
            "red": "B+8*",
            "none": "B+6*",
        },  # red alone is likelier than red and then the other ball
        "Q2": {"nobody": "A+4", "cue": "A+8", "opponent": "A+7"},
        "Q3": {"no": "A+8", "before": "B+10*", "after": "B+8"},
    }
    assert shown.rows[1].origin is Origin.CHANGED
    assert (shown.taps, shown.undecided, shown.certain, shown.needed) == (2, 2, False, ())
    assert [answer.label("ru") for answer in shown.rows[0].answers] == ["соперника", "красного", "никакого"]
    assert "FP-8.2a" in shown.proposal.ruling.clauses


def test_rows_follow_the_answers_above_them() -> None:
    """After red first Q2 cannot change anything, and whether the opponent's ball was touched at all can."""
    red = sheet(TWO_PINS.answered("Q1", "red").answered("Q3", "no"), BEFORE, OPTIONS)
    assert list(rows(red)) == ["Q1", "Q3", "Q4"]
    assert rows(red)["Q4"] == {"yes": "B+6*", "no": "B+8*"}
    none = sheet(TWO_PINS.answered("Q1", "none"), BEFORE, OPTIONS)
    assert list(rows(none)) == ["Q1"]
    assert none.certain
    assert none.proposal.short == "B+6*"


def test_confirmed_row_is_decided() -> None:
    shown = sheet(TWO_PINS.answered("Q1", "opponent"), BEFORE, OPTIONS)
    assert shown.rows[0].origin is Origin.DECIDED
    assert shown.undecided == 2


def test_did_not_see_needs_an_answer_or_a_pick() -> None:
    """Nothing is selected, nothing can be accepted, and no answer is lost; a direct button ends it."""
    shown = sheet(TWO_PINS.answered("Q1", "unknown"), BEFORE, OPTIONS)
    assert shown.needed == ("Q1",)
    assert shown.rows[0].selected is None
    assert len(shown.rows[0].answers) == 3
    picked = sheet(TWO_PINS.answered("Q1", "unknown").answered("pick", "B+10*"), BEFORE, OPTIONS)
    assert picked.certain
    assert picked.proposal.short == "B+10*"


def test_few_rulings_are_offered_directly() -> None:
    shown = sheet(Evidence.of(["click", "pin N"], {"pins": "ok", "clicks": "ok"}), BEFORE, OPTIONS)
    assert {p.short for p in shown.direct} == {"A+2", "B+2", "B+6*"}
    assert all(p.story for p in shown.direct)
    assert sheet(TWO_PINS, BEFORE, OPTIONS).direct == ()


def test_certain_evidence_has_no_rows() -> None:
    shown = sheet(Evidence.of(["pin N"], {"pins": "ok", "clicks": "ok"}), BEFORE, OPTIONS)
    assert (shown.rows, shown.certain, shown.proposal.short, shown.taps) == ((), True, "B+4*", 1)


def test_idle_and_called() -> None:
    idle = FivePinsState(striker=Player.A, limit=60, mode=Mode.IDLE)
    shown = sheet(Evidence.of([], {"pins": "ok"}, calls=[Call("K", Player.B)]), idle, OPTIONS)
    assert (shown.rows, shown.proposal.short) == ((), "A+2*")


def test_unlikely_answers_are_not_selected() -> None:
    """Nothing felt on a break: which way it went is not likely enough, or FOUL is; never a silent guess of a pin set."""
    shown = sheet(Evidence.of([], {"pins": "absent", "clicks": "hint"}).answered("Q3", "after"), BEFORE, OPTIONS)
    pins = next(row for row in shown.rows if row.id == "QP")
    assert pins.origin is Origin.NEEDED
    assert pins.selected is None
    assert "QP" in shown.needed


def test_pyramid_row_is_legal_or_foul() -> None:
    """Cushions as hints: nothing felt pre-selects FOUL; two felt pre-select LEGAL."""
    options = Options(GameId.FREE)
    before = game(GameId.FREE).read_before(
        {
            "striker": "A",
            "phase": "play",
            "shelf": {"A": 3, "B": 2},
            "debt": {"A": 0, "B": 0},
            "table": {"total": 11, "coloured": "table"},
        },
        options,
    )
    quality = {"gates": "ok", "cushions": "hint", "clicks": "hint"}
    silent = sheet(Evidence.of(["strike", "click"], quality, frozen="none"), before, options)
    assert rows(silent) == {"QL": {"legal": "0", "foul": "F"}}
    assert silent.rows[0].selected == "foul"
    felt = sheet(Evidence.of(["strike", "click", "cushion foot", "cushion left"], quality), before, options)
    assert felt.rows[0].selected == "legal"


def test_an_answer_speaks_of_a_shot_in_which_its_question_has_a_meaning() -> None:
    """One uncertain click, and the cue ball reached red: so it hit the other ball first, or nobody would ask."""
    one = Evidence.of(["strike", "click"], {"pins": "ok", "clicks": "noisy"}, frozen="none")
    assert rows(sheet(one, BEFORE, OPTIONS))["Q2"]["cue"] == "A+4"
    shown = sheet(one.answered("Q2", "cue"), BEFORE, OPTIONS)
    assert shown.proposal.short == "A+4"
    assert [(row.id, row.selected) for row in shown.rows] == [("Q1", "opponent"), ("Q2", "cue")]


def test_a_row_is_shown_for_what_lies_below_its_other_answer() -> None:
    """Red first proposes the same as it stands, but then it matters whether the other ball was touched at all."""
    hand = replace(BEFORE, striker=Player.B, score=Score(0, 37), limit=50, mode=Mode.HAND)
    seen = ["strike", "click", "click", "click", "pin N", "pin C", "cushion left"]
    called = Evidence.of(seen, {"pins": "ok", "clicks": "ok"}, calls=[Call("D", Player.B)], frozen="none")
    shown = sheet(called, hand, OPTIONS)
    assert rows(shown)["Q1"] == {"opponent": "A+12*", "red": "A+12*"}
    red = sheet(called.answered("Q1", "red"), hand, OPTIONS)
    assert rows(red)["Q4"] == {"yes": "A+10*", "no": "A+12*"}


def test_a_row_that_another_answers_too_is_left_out() -> None:
    """To a foul it is all one how many balls fell; all thirteen would say that the cue ball did, and that is asked itself."""
    options = Options(GameId.DYNAMIC)
    position = {"striker": "B", "phase": "play", "shelf": {"A": 0, "B": 3}, "debt": {"A": 0, "B": 0}}
    before = game(GameId.DYNAMIC).read_before({**position, "table": {"total": 13, "coloured": "table"}}, options)
    lost = Evidence.of(["strike", "click", "gate FR"], {"gates": "ok", "clicks": "hint"}, frozen="none", gap=True)
    assert list(rows(sheet(lost, before, options))) == ["QG", "Q1"]
    foul = replace(lost, calls=(Call("RP-13", Player.B),))
    assert list(rows(sheet(foul, before, options))) == ["Q1"]
    assert worst_case(foul, before, options) == 1
    unseen = sheet(foul.answered("Q1", UNSEEN), before, options)
    assert list(rows(unseen)) == ["QG", "Q1"], "where nobody saw the cue ball, the number can still tell"


def test_conflict_is_named() -> None:
    evidence = Evidence.of(["click", "pin N"], {"pins": "ok", "clicks": "ok"}, answers={"QP": "E"})
    assert sheet(evidence, BEFORE, OPTIONS).conflict == (Channel.PINS,)
