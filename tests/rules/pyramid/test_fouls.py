"""Violations: what may be called when, one penalty per offender, who chooses, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalFact, IllegalInput
from marker_rules.options import Options
from marker_rules.pyramid.games import FREE, GAMES
from marker_rules.pyramid.offences import ALIASES, FOULS
from marker_rules.pyramid.state import PenaltySource, Table
from marker_rules.shot import Shot

A, B = Player.A, Player.B
DRY = "strike C; contact C w3; cushion w3 left; cushion w3 foot"
POT = "strike C; contact C w3; pot w3 BL"
DURING = ["RP-12.2", "RP-13", "RP-14", "RP-15.1", "RP-16", "RP-17.1", "RP-22.3a", "RP-26.1.11", "RP-26.1.13"]


def clauses(ruling: Any) -> list[str]:
    return [violation.clause for violation in ruling.violations]


@pytest.mark.clause("RP-20.2")
@pytest.mark.clause("RP-20.4")
@pytest.mark.parametrize("code", DURING)
@pytest.mark.parametrize("facts", [DRY, POT])
def test_called_foul_spoils_the_shot(judge: Any, code: str, facts: str) -> None:
    """A violation between start and end of the shot costs one ball and voids what fell."""
    ruling = judge(facts, calls=f"{code} A")
    assert clauses(ruling) == [code]
    assert ruling.legal is False
    assert ruling.credited == ()
    assert "w3" in ruling.respot or facts == DRY
    assert ruling.shelf.as_dict() == {"A": 2, "B": 2}
    assert (ruling.chooser, ruling.choices) == (B, ("play", "cede"))
    assert FOULS[code].penalised_by in ruling.clauses


@pytest.mark.parametrize(("alias", "code"), sorted(ALIASES.items()))
def test_aliases(judge: Any, alias: str, code: str) -> None:
    """An item of the penalty list and the clause it points to are one and the same offence."""
    phase = "break" if code == "RP-11.1.P" else "play"
    assert code in clauses(judge(DRY, calls=f"{alias} A", phase=phase))


@pytest.mark.clause("RP-26.2")
def test_several_violations_cost_one_ball(judge: Any) -> None:
    """Any number of violations in one shot is one penalty; the same one twice is named once."""
    ruling = judge(POT, calls="RP-13 A, RP-14 A, RP-16 A, RP-16 A, RP-15.1 A after")
    assert clauses(ruling) == ["RP-13", "RP-14", "RP-16", "RP-15.1"]
    assert ruling.shelf.a == 2
    assert len(ruling.penalties) == 1
    assert "RP-26.2" in ruling.clauses


@pytest.mark.clause("RP-27.1a")
@pytest.mark.clause("RP-27.1b")
def test_debt_instead_of_a_shelf_ball(judge: Any) -> None:
    """With an empty shelf the penalty is owed and the score goes below zero."""
    ruling = judge("strike C", shelf=(0, 2), debt=(2, 0))
    assert ruling.penalty.source is PenaltySource.DEBT
    assert ruling.score.as_dict() == {"A": -3, "B": 2}
    assert ruling.balls_to_place == 0


@pytest.mark.clause("RP-20.3")
@pytest.mark.parametrize(
    ("shelf", "debt", "facts", "shelf_after", "debt_after"),
    [
        ((3, 2), (0, 0), POT, 3, 0),
        ((0, 2), (0, 0), POT, 0, 0),  # the new ball pays at once
        ((0, 2), (1, 0), POT, 0, 1),  # it has paid the old debt, so the new one is owed
        ((0, 2), (0, 0), DRY, 0, 1),
        ((3, 2), (0, 0), DRY, 2, 0),
    ],
)
def test_violation_after_the_shot(
    judge: Any, shelf: Any, debt: Any, facts: str, shelf_after: int, debt_after: int
) -> None:
    """After the shot the pot stays credited, then the penalty is paid from the shelf as it stands (AMB-11)."""
    ruling = judge(facts, shelf=shelf, debt=debt, calls="RP-15.1 A after")
    assert ruling.legal is True
    assert (ruling.shelf.a, ruling.debt.a) == (shelf_after, debt_after)
    assert (ruling.next, ruling.chooser) == (None, B)


@pytest.mark.clause("RP-12.1")
@pytest.mark.clause("RP-20.2")
@pytest.mark.parametrize("code", ["RP-12.2", "RP-13", "RP-14", "RP-16", "RP-17.1", "RP-22.3a"])
def test_an_offence_of_the_stroke_is_one_of_the_shot(judge: Any, code: str) -> None:
    """Entered for after the shot, it voids the pots all the same: nothing but a stroke can break these."""
    assert (judge(POT, calls=f"{code} A after").credited, judge(POT, calls=f"{code} A").credited) == ((), ())
    lost = judge(POT, shelf=(7, 5), calls=f"{code} A after")
    assert (lost.winner, lost.score.a, lost.chooser) == (None, 6, B)


@pytest.mark.clause("RP-12.2")
def test_a_premature_stroke_that_spoils_the_new_shot_only(judge: Any) -> None:
    """By the switch the running shot keeps its pots, whatever time was entered (AMB-12)."""
    for when in ("during", "after"):
        ruling = judge(POT, calls=f"RP-12.2 A {when}", premature_voids_previous=False)
        assert (len(ruling.credited), ruling.score.a) == (1, 3)


@pytest.mark.clause("RP-20.3.N1")
def test_violation_after_the_frame_is_ignored(judge: Any) -> None:
    """Once the frame is won nothing is charged; a foul during the winning shot voids it (AMB-28)."""
    won = judge(POT, shelf=(7, 5), calls="RP-15.1 A after, RP-25 B after")
    assert (won.winner, won.penalties, won.violations, won.choices) == (A, (), (), ())
    lost = judge(POT, shelf=(7, 5), calls="RP-15.1 A during")
    assert (lost.winner, lost.score.a) == (None, 6)


@pytest.mark.clause("RP-25")
def test_interference_in_the_winning_shot_is_named_and_costs_nothing(judge: Any) -> None:
    won = judge(POT, shelf=(7, 5), calls="RP-25 B sitting")
    assert (won.winner, won.penalties, clauses(won), won.choices) == (A, (), ["RP-25"], ())
    assert "RP-25" in won.clauses
    assert "RP-26.1.12" not in won.clauses


@pytest.mark.clause("RP-25")
@pytest.mark.clause("RP-26.1.12")
class TestInterferenceByTheOpponent:
    """The sitting player pays; the shooter chooses; his undisturbed pot counts (AMB-29)."""

    def test_pot_counts(self, judge: Any) -> None:
        ruling = judge(POT, calls="RP-25 B sitting")
        assert ruling.legal is True
        assert ruling.score.as_dict() == {"A": 4, "B": 1}
        assert (ruling.chooser, ruling.choices) == (A, ("play", "cede"))

    def test_any_offence_of_the_other_player_leaves_the_shot_alone(self, judge: Any) -> None:
        ruling = judge(POT, calls="RP-15.1 B during")
        assert (ruling.legal, ruling.score.as_dict()) == (True, {"A": 4, "B": 1})

    def test_disturbed_shot_is_restored(self, judge: Any) -> None:
        ruling = judge(POT, calls="RP-25 B sitting", decided={"disturbed": "yes"})
        assert (ruling.legal, ruling.credited, ruling.respot) == (None, (), ())
        assert ruling.score.as_dict() == {"A": 3, "B": 1}
        assert ruling.chooser is A

    def test_disturbed_shot_charges_the_shooter_nothing(self, judge: Any) -> None:
        """What he may have done in a shot that does not count is not charged either."""
        ruling = judge(POT, calls="RP-16 A, RP-25 B sitting", decided={"disturbed": "yes"})
        assert ([v.clause for v in ruling.violations], ruling.score.as_dict()) == (["RP-25"], {"A": 3, "B": 1})
        alone = judge(POT, decided={"disturbed": "yes"})  # nobody is named: the shot stands
        assert alone.credited == ("w3",)

    def test_during_the_winning_shot(self, judge: Any) -> None:
        """It happened before the end of the frame and is named, but nothing is charged."""
        ruling = judge(POT, shelf=(7, 5), calls="RP-25 B sitting")
        assert (ruling.winner, clauses(ruling), ruling.penalties) == (A, ["RP-25"], ())

    @pytest.mark.clause("RP-26.2")
    def test_both_offend(self, judge: Any) -> None:
        """Each pays one ball; the opponent of the last offender chooses (AMB-43, AMB-44)."""
        ruling = judge(POT, calls="RP-16 A, RP-25 B sitting")
        assert ruling.score.as_dict() == {"A": 2, "B": 1}
        assert ruling.chooser is A
        assert FREE.result(ruling, None)["penalty"] == [
            {"player": "A", "from": "shelf"},
            {"player": "B", "from": "shelf"},
        ]
        assert judge(POT, calls="RP-25 B sitting, RP-16 A").chooser is B
        assert judge("strike C", calls="RP-25 B sitting").chooser is A  # found at the table before the call
        assert judge(POT, calls="RP-15.1 A after, RP-25 B sitting").chooser is B

    def test_both_by_the_same_offence(self, judge: Any) -> None:
        ruling = judge(POT, calls="RP-15.1 A, RP-15.1 B, RP-15.1 B")
        assert ([v.by for v in ruling.violations], ruling.score.as_dict()) == ([A, B], {"A": 2, "B": 1})

    def test_illegal_break_and_interference(self, judge: Any) -> None:
        """The four rights of 11.2 belong to the opponent of an offending breaker only."""
        ruling = judge("strike C", phase="break", calls="RP-25 B sitting")
        assert (ruling.chooser, ruling.choices) == (A, ("play", "cede"))


@pytest.mark.clause("RP-12.2")
class TestPrematureStroke:
    """The stroke before the balls stopped spoils the running shot too, or only the new one (AMB-12)."""

    def test_voids_the_running_shot(self, judge: Any) -> None:
        ruling = judge(POT, calls="RP-12.2 A")
        assert (ruling.legal, ruling.credited, ruling.score.a) == (False, (), 2)

    def test_switch(self, judge: Any) -> None:
        ruling = judge(POT, calls="RP-12.2 A", premature_voids_previous=False)
        assert (ruling.legal, len(ruling.credited), ruling.score.a) == (True, 1, 3)
        assert (ruling.chooser, ruling.balls_to_place) == (B, 1)

    def test_by_the_next_player(self, judge: Any) -> None:
        ruling = judge(DRY, calls="RP-12.2 B")
        assert (ruling.legal, ruling.chooser, ruling.score.b) == (True, A, 1)


@pytest.mark.clause("RP-26.1.11")
@pytest.mark.clause("RP-26.1.13")
@pytest.mark.clause("RP-26.1.14")
@pytest.mark.parametrize("code", ["RP-26.1.11", "RP-26.1.13", "RP-26.1.14", "RP-15.1", "RP-25"])
def test_between_shots(judge: Any, code: str) -> None:
    """An offence before the stroke has no shot to void: penalty, choice of clause 5, position as it is (AMB-35)."""
    by = "B" if code == "RP-25" else "A"
    ruling = judge("", calls=f"{code} {by} {'sitting' if by == 'B' else 'during'}")
    assert (ruling.legal, ruling.legal_by, ruling.credited) == (None, None, ())
    assert ruling.choices == ("play", "cede")
    assert ruling.shelf.of(Player(by)) == {"A": 2, "B": 1}[by]
    assert ruling.chooser is Player(by).other


def test_between_shots_before_the_break(judge: Any) -> None:
    """The break has not been played: two options even under `any_foul`, and the next shot is still the break."""
    ruling = judge("", phase="break", calls="RP-26.1.11 A", break_11_2_on="any_foul")
    assert (ruling.choices, ruling.phase) == (("play", "cede"), "break")


@pytest.mark.clause("RP-10.3b")
@pytest.mark.clause("RP-10.3c")
class TestPlacementForTheBreak:
    """Unwarned counts as right; warned and not corrected is a break that fails 11.1 (AMB-08)."""

    BREAK = "strike C; contact C w1; pot w12 BR"

    def test_nobody_warned(self, judge: Any) -> None:
        ruling = judge(self.BREAK, phase="break", decided={"warned": "False"})
        assert ruling.legal is True
        assert "RP-10.3b" in ruling.clauses

    def test_warned_and_corrected(self, judge: Any) -> None:
        assert judge(self.BREAK, phase="break", decided={"warned": "True", "corrected": "True"}).legal is True

    @pytest.mark.parametrize("how", ["decided", "called"])
    def test_warned_and_not_corrected(self, judge: Any, how: str) -> None:
        given = {"decided": {"warned": "True"}} if how == "decided" else {"calls": "RP-10.3c A"}
        ruling = judge(self.BREAK, phase="break", **given)
        assert "RP-10.3c" in clauses(ruling)
        assert (ruling.legal, ruling.credited, len(ruling.choices)) == (False, (), 4)

    def test_not_corrected_is_as_a_break_that_fails(self, judge: Any) -> None:
        """The four rights of 11.2, though three object balls reached cushions (AMB-08)."""
        rails = "strike C; contact C w1; cushion w1 foot; cushion w2 left; cushion w3 right"
        ruling = judge(rails, phase="break", calls="RP-10.3c A")
        assert (clauses(ruling), ruling.legal_by, len(ruling.choices)) == (["RP-10.3c"], "RP-11.1.2", 4)

    @pytest.mark.parametrize("given", [{"calls": "RP-10.3c A"}, {"decided": {"warned": "True"}}])
    def test_stop_play(self, judge: Any, given: Any) -> None:
        """By the switch the stroke is not allowed: nothing is judged, the same player breaks."""
        ruling = judge(self.BREAK, phase="break", uncorrected_placement="stop_play", **given)
        assert (ruling.void, ruling.legal, ruling.next, ruling.violations) == (True, None, "A", ())


@pytest.mark.clause("RP-3.2")
@pytest.mark.clause("RP-10.2")
@pytest.mark.parametrize(
    ("game", "phase", "options"),
    [("dynamic", "play", 2), ("combined", "play", 2), ("free", "break", 4), ("dynamic", "break", 4)],
)
def test_wrong_ball(judge: Any, game: str, phase: str, options: int) -> None:
    """A white struck where the coloured ball is the cue ball, or on the break, is a foul by 20.2 (AMB-46)."""
    facts = "strike w5; contact w5 w1; cushion w1 foot; cushion w2 left; cushion w3 right; cushion w1 left"
    ruling = judge(facts, game=game, phase=phase)
    assert clauses(ruling) == ["RP-20.2"]
    assert len(ruling.choices) == options
    assert "AMB-46" in ruling.interpretations


def test_free_pyramid_takes_any_cue_ball(judge: Any) -> None:
    assert judge("strike w5; contact w5 w1; pot w5 BL").credited == ("w5",)


@pytest.mark.clause("RP-11.2")
@pytest.mark.clause("RP-26.1.2")
class TestBreakFouls:
    """Four options when 11.1 fails, two after other break fouls, four after any by the switch (AMB-13)."""

    RAILS = "strike C; contact C w1; cushion w1 foot; cushion w2 left; cushion w3 right"

    @pytest.mark.parametrize(
        ("facts", "calls", "switch", "options", "codes"),
        [
            ("strike C", "", "only_11_1", 4, ["RP-4.3"]),
            (RAILS, "RP-16 A", "only_11_1", 2, ["RP-16"]),
            (RAILS, "RP-16 A", "any_foul", 4, ["RP-16"]),
            (RAILS, "RP-15.1 A after", "any_foul", 2, ["RP-15.1"]),  # not a foul on the break any more
            (RAILS + "; pot w4 BL", "RP-16 A", "only_11_1", 2, ["RP-16"]),
            ("strike C; contact C w1; pot w4 BL", "RP-16 A", "only_11_1", 4, ["RP-11.1.P", "RP-16"]),
            ("strike C; contact C w1; pot w4 BL", "RP-15.1 A after", "only_11_1", 2, ["RP-15.1"]),
            ("strike C; contact C w1; pot w4 BL", "RP-16 A after", "only_11_1", 4, ["RP-11.1.P", "RP-16"]),
            (RAILS + "; pot w4 BL", "RP-10.3c A after", "only_11_1", 4, ["RP-10.3c"]),
            ("strike C; contact C w1; pot w4 BL; off C floor", "", "only_11_1", 4, ["RP-11.1.P", "RP-22.3a"]),
            (RAILS + "; off C floor", "", "only_11_1", 2, ["RP-22.3a"]),
            (RAILS + "; off C floor", "", "any_foul", 4, ["RP-22.3a"]),
            (RAILS, "RP-11.1.P A", "only_11_1", 4, ["RP-11.1.P"]),  # the referee saw it otherwise
        ],
    )
    def test_options(self, judge: Any, facts: str, calls: str, switch: str, options: int, codes: list[str]) -> None:
        ruling = judge(facts, phase="break", calls=calls, break_11_2_on=switch)
        assert len(ruling.choices) == options
        assert sorted(clauses(ruling)) == sorted(codes)
        assert ruling.debt.a == (0 if ruling.credited else 1)

    def test_named_condition(self, judge: Any) -> None:
        """A pot made with a foul is no legal pot; what else was met is still named."""
        assert judge("strike C; contact C w1; pot w4 BL", phase="break", calls="RP-16 A").legal_by is None
        assert judge(self.RAILS + "; pot w4 BL", phase="break", calls="RP-16 A").legal_by == "RP-11.1.2"


@pytest.mark.clause("RP-17.1")
@pytest.mark.clause("RP-17.2.0")
@pytest.mark.clause("RP-17.2.2")
@pytest.mark.parametrize(
    ("check", "codes"),
    [
        ("17.2.2 satisfied", []),
        ("yes", []),
        ("True", []),  # a bare `yes` of YAML
        ("no", ["RP-17.1"]),
        ("False", ["RP-17.1"]),  # a bare `no` of YAML
        ("17.2.2 not satisfied", ["RP-17.1"]),
        ("neither 17.2.1 nor 17.2.2", ["RP-17.1"]),
    ],
)
def test_push_check(judge: Any, check: str, codes: list[str]) -> None:
    """The referee's look at touching balls: no push, or a push."""
    ruling = judge(POT, decided={"push_check": check})
    assert clauses(ruling) == codes
    assert ("RP-17.2.2" in ruling.clauses) is (not codes)


@pytest.mark.clause("RP-22.1")
@pytest.mark.clause("RP-22.3b")
class TestBallsOff:
    """Object balls off cost nothing and are placed; the cue ball off costs a ball."""

    def test_object_balls(self, judge: Any) -> None:
        ruling = judge(POT + "; off w7 floor; off w8 lamp")
        assert (ruling.legal, ruling.score.a, sorted(ruling.respot)) == (True, 4, ["w7", "w8"])

    def test_entered_by_the_referee(self, judge: Any) -> None:
        assert judge(DRY, calls="RP-22.3b A, RP-22.3b A").respot == ("white", "white")
        called = judge(DRY, calls="RP-22.3a A")
        assert (called.respot, called.score.a) == (("C",), 2)

    def test_called_and_seen_is_one(self, judge: Any) -> None:
        ruling = judge("strike C; contact C w3; pot w3 BL; off C floor", calls="RP-22.3a A")
        assert clauses(ruling) == ["RP-22.3a"]
        assert sorted(ruling.respot) == ["C", "w3"]

    def test_returns_by_itself(self, judge: Any) -> None:
        assert "RP-22.2a" in judge("strike C; contact C w3; return w3 rail-top; pot w3 BL").clauses


@pytest.mark.clause("RP-20.5")
def test_ball_leaves_the_pocket(judge: Any) -> None:
    """Potted and back is not potted; potted again it counts once."""
    assert judge("strike C; contact C w3; pot w3 BL; back w3 BL").legal_by is None
    assert judge("strike C; contact C w3; pot w3 BL; back w3 BL; pot w3 BL").credited == ("w3",)


@pytest.mark.clause("RP-24.1")
@pytest.mark.clause("RP-24.2")
@pytest.mark.clause("RP-21.2")
@pytest.mark.parametrize(
    ("facts", "calls", "reason"),
    [
        (POT + "; interference third-party", "", "RP-24.1"),
        (POT + "; interference force-majeure", "", "RP-24.2"),
        (POT, "RP-24.1 A", "RP-24.1"),
        (POT, "RP-24.2 A", "RP-24.2"),
        (POT, "RP-21.2 A", "RP-21.2"),
        (POT + "; interference third-party", "RP-16 A", "RP-24.1"),
        (POT + "; interference force-majeure", "RP-16 A", "RP-24.2"),
    ],
)
def test_void_shot(judge: Any, facts: str, calls: str, reason: str) -> None:
    """A shot disturbed by an outsider, an emergency or a hanging ball in the way is void and played again."""
    ruling = judge(facts, calls=calls)
    assert (ruling.void, ruling.legal, ruling.next, ruling.credited, ruling.penalties) == (True, None, "A", (), ())
    assert ruling.score.as_dict() == {"A": 3, "B": 2}
    assert ruling.clauses == (reason,)


@pytest.mark.clause("RP-22.2b")
@pytest.mark.clause("RP-22.4")
@pytest.mark.parametrize("game", ["free", "dynamic", "combined"])
def test_a_ball_that_fell_off_a_lamp_is_off(judge: Any, game: str) -> None:
    """Off from the foreign object on: it completes no shot, scores nothing and is placed once, wherever it ends."""
    ruling = judge("strike C; contact C w3; off w3 lamp; pot w3 BL", game=game)
    assert (clauses(ruling), ruling.credited, ruling.respot) == (["RP-18.P"], (), ("w3",))
    other = judge("strike C; contact C w3; off w3 lamp; pot w3 BL; pot w4 BR", game=game)
    assert (other.legal_by, other.credited, other.respot) == ("RP-18.1", ("w4",), ("w3",))
    cue = judge("strike C; contact C w3; off C lamp; pot C BL; pot w4 BR", game=game)
    assert (clauses(cue), cue.credited) == (["RP-22.3a"], ())
    assert cue.respot == (("w4", "C") if game == "free" else ("w4",))


@pytest.mark.clause("RP-21.1")
class TestHangingBall:
    """A ball that fell by itself counts for nothing and goes back to the edge (AMB-26)."""

    def test_during_a_safety(self, judge: Any) -> None:
        ruling = judge(DRY + "; pot w6 BL", calls="RP-21.1 A")
        assert (ruling.legal_by, ruling.credited, ruling.respot, ruling.next) == ("RP-18.2", (), (), "B")

    def test_it_completes_no_shot(self, judge: Any) -> None:
        assert judge("strike C; contact C w3; pot w6 BL", calls="RP-21.1 A").legal is False

    def test_which_one(self, judge: Any) -> None:
        facts = "strike C; contact C w3; pot w3 BL; pot w6 BR"
        assert judge(facts, decided={"unaided": "w6"}).credited == ("w3",)
        with pytest.raises(IllegalInput, match="which one"):
            judge(facts, calls="RP-21.1 A")
        with pytest.raises(IllegalInput, match="did not fall"):
            judge(facts, decided={"unaided": "w9"})

    def test_several_in_the_order_they_fell(self, judge: Any) -> None:
        """The same input gives the same derivation, in every process (invariant 19)."""
        facts = "strike C; contact C w3; pot w9 BL; pot w3 BR; pot w7 FL; pot w11 FR"
        ruling = judge(facts, decided={"unaided": "w11 w7 w9"})
        fell = [dict(step.args)["ball"] for step in ruling.steps if step.clause == "RP-21.1"]
        assert (ruling.credited, ruling.respot, fell) == (("w3",), (), ["w9", "w7", "w11"])

    def test_before_the_contact(self, judge: Any) -> None:
        """What falls before the cue ball has met anything cannot have fallen by the shot."""
        ruling = judge("strike C; pot w6 BL; contact C w3; cushion w3 left; cushion w3 foot")
        assert (ruling.credited, ruling.respot) == ((), ())

    def test_between_shots(self, judge: Any) -> None:
        ruling = judge("pot w6 BL")
        assert (ruling.void, ruling.next, ruling.score.as_dict()) == (True, "A", {"A": 3, "B": 2})


REFUSED_FACTS = [
    ("strike C; contact C w3; pot w3 BL; contact C w3", 3),
    ("strike C; contact C w3; pot w3 BL; pot w3 BR", 3),
    ("strike C; contact C w3; off w3 floor; cushion w3 left", 3),
    ("strike C; contact C w3; off w3; off w3 floor", 3),
    ("strike C; strike C", 1),
    ("contact C w3; strike C", 0),
    ("strike C; cushion C top", 1),
    ("frozen C bottom; strike C", 0),
    ("strike cue", 0),
    ("strike C; contact C red", 1),
    ("strike C; topple N by cue", 1),
    ("strike C; wobble N", 1),
    ("strike C; hop C", 1),
]


@pytest.mark.parametrize(("facts", "position"), REFUSED_FACTS)
def test_impossible_facts(judge: Any, facts: str, position: int) -> None:
    """Facts that cannot have happened are refused with their position."""
    with pytest.raises(IllegalFact) as caught:
        judge(facts)
    assert caught.value.position == position
    assert f"fact {position + 1}" in caught.value.message


@pytest.mark.parametrize(
    ("game", "shelf", "table", "facts", "position"),
    [
        ("free", (7, 7), {"total": 2, "coloured": "table"}, "strike C; contact C w3; contact w3 w4", 2),
        ("dynamic", (7, 7), {"whites": 1, "coloured": "table"}, "strike C; contact C w3; contact w3 w4", 2),
        ("free", (6, 5), {"total": 5, "coloured": "shelf A"}, "strike C; contact C w3", 0),
    ],
)
def test_balls_that_are_not_there(
    judge: Any, game: str, shelf: tuple[int, int], table: Any, facts: str, position: int
) -> None:
    with pytest.raises(IllegalFact) as caught:
        judge(facts, game=game, shelf=shelf, table=table)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("calls", "game", "words"),
    [
        ("RP-99 A", "free", "no offence"),
        ("RP-19.2a A", "dynamic", "no offence"),
        ("RP-19.2a A", "combined", "in hand from the house"),
        ("EXT-D3 A", "combined", "no offence"),
        ("RP-31.2c A", "free", "award_game"),
        ("RP-31.2d A", "free", "award_match"),
        ("RP-25 A sitting", "free", "is the striker"),
    ],
)
def test_refused_calls(judge: Any, calls: str, game: str, words: str) -> None:
    """A call the rules do not know here is refused and says what to do."""
    with pytest.raises(IllegalInput, match=words):
        judge(POT, calls=calls, game=game)


@pytest.mark.parametrize("calls", ["", "RP-16 A", "RP-22.3a A", "RP-23.4 A"])
def test_nothing_to_judge(judge: Any, calls: str) -> None:
    """Without a stroke only offences that need none can be judged."""
    with pytest.raises(IllegalInput):
        judge("", calls=calls)


@pytest.mark.clause("RP-31.2.0")
def test_remarks_cost_nothing(judge: Any) -> None:
    """Gauging, remarks and warnings go with a shot without a penalty (AMB-35)."""
    ruling = judge(POT, calls="RP-23.4 A, RP-31.2a B, RP-10.3b A")
    assert (ruling.violations, ruling.penalties, ruling.score.a) == ((), (), 4)


def test_every_foul_says_how_it_is_penalised() -> None:
    """The table is complete: each item of 26.1 stands for exactly one row."""
    items = [row.penalised_by if row.penalised_by.startswith("RP-26.1") else row.code for row in FOULS.values()]
    listed = sorted((item for item in items if item.startswith("RP-26.1")), key=lambda item: int(item.split(".")[-1]))
    assert listed == [f"RP-26.1.{n}" for n in range(1, 15)]


def test_state_is_unchanged_by_an_error() -> None:
    """A refused input leaves the state as it was."""
    rules = GAMES[GameId.FREE]
    options = Options(GameId.FREE)
    before = rules.read_before({}, options)
    kept = repr(before)
    with pytest.raises(IllegalInput):
        rules.rule(Shot(), before, options)
    assert repr(before) == kept


@pytest.mark.parametrize("game", ["dynamic", "combined"])
def test_cue_ball_called_off_comes_in_hand(judge: Any, game: str) -> None:
    """The referee's call is as good as the fact: the fixed cue ball is in hand, in free pyramid it is placed."""
    ruling = judge(DRY, calls="RP-22.3a A", game=game)
    assert ruling.ball_in_hand is not None
    assert ruling.respot == ()
    assert judge(DRY, calls="RP-22.3a A").respot == ("C",)


def test_second_offence_before_the_choice_keeps_the_four_rights(play: Any) -> None:
    """The breaker offends again before his opponent has chosen: two penalties, the rights of 11.2 stay."""
    match = play(rerack_keeps_debt=False)
    match.miss()
    ruling = match.shot("", "RP-26.1.14 A")
    assert (len(ruling.choices), match.state.debt.a) == (4, 2)
    match.act("choose", B, "rerack_cede")
    assert match.state.debt.a == 1  # only the debt of the illegal break is cancelled


def test_second_offence_does_not_change_what_a_new_rack_cancels(play: Any) -> None:
    """After a break by 24.3 the penalty came from the shelf: a debt made since then stays."""
    match = play(rerack_keeps_debt=False)
    match.set(shelf=(1, 0), table=Table(15))
    match.miss()
    match.shot("", "RP-26.1.14 A")
    assert match.state.score.a == -1
    match.act("choose", B, "rerack_play")
    assert match.state.debt.a == 1


@pytest.mark.clause("RP-12.2")
def test_premature_stroke_after_the_running_shot(judge: Any) -> None:
    """By the switch it belongs to the new shot: no break foul, and nothing after a won frame."""
    options = {"premature_voids_previous": False, "break_11_2_on": "any_foul"}
    rails = "strike C; contact C w1; cushion w1 foot; cushion w2 left; cushion w3 right"
    assert judge(rails, phase="break", calls="RP-12.2 A", **options).choices == ("play", "cede")
    won = judge(POT, shelf=(7, 0), calls="RP-12.2 A", **options)
    assert (won.winner, won.violations) == (A, ())


@pytest.mark.parametrize(
    ("facts", "more", "short"),
    [
        (POT, {}, "A+1"),
        (DRY, {}, "0"),
        ("strike C", {}, "F"),
        ("strike C", {"phase": "break"}, "F4"),
        ("strike C", {"shelf": (3, 7), "penalty_scheme": "opponent_plus_one"}, "F"),
        (POT, {"calls": "RP-15.1 A after"}, "A+1/FA"),
        (POT, {"calls": "RP-25 B sitting"}, "A+1/FB"),
        (POT, {"calls": "RP-15.1 A after, RP-25 B sitting"}, "A+1/FB/FA"),
        (DRY, {"calls": "RP-15.1 A after"}, "F"),  # costs what an illegal shot costs
        (DRY, {"calls": "RP-25 B sitting"}, "0/FB"),
        ("strike C", {"calls": "RP-25 B sitting"}, "F/FB"),
        (DRY, {"calls": "RP-25 B sitting", "decided": {"disturbed": "yes"}}, "0/FB"),
        ("", {"calls": "RP-26.1.11 A"}, "F"),
        ("", {"calls": "RP-25 B"}, "0/FB"),
        (POT, {"calls": "RP-15.1 A after", "shelf": (7, 0)}, "A+1"),  # the frame is won (RP-20.3.N1)
        (DRY + "; interference third-party", {}, "0"),
        ("strike C; contact C w3; pot C BL", {"game": "dynamic"}, "A+1*"),
        ("strike C; pot C BL", {"game": "combined"}, "F*"),
        ("strike C; pot C BL", {"game": "combined", "phase": "break"}, "F4*"),
    ],
)
def test_short_form(judge: Any, facts: str, more: Any, short: str) -> None:
    """The ruling in one word; a foul is never the same word as a legal shot without a pot."""
    assert judge(facts, **more).short == short
