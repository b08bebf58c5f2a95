"""What sets the three games apart: the coloured ball potted or off, ball in hand, the house, both penalty schemes."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.pyramid.state import Coloured, Hand, Pair, Phase, Table

A, B = Player.A, Player.B
POT_C = "strike C; contact C w3; pot C BL"
POT_BOTH = "strike C; contact C w3; pot w3 BL; pot C MR"
DRY = "strike C; contact C w3; cushion w3 left; cushion w3 foot"


@pytest.mark.clause("EXT-F1")
@pytest.mark.clause("EXT-F4")
def test_free_coloured_ball_is_a_ball_like_the_others(judge: Any) -> None:
    ruling = judge(POT_BOTH)
    assert (ruling.credited, ruling.ball_in_hand, ruling.whites_taken_for_cue_ball) == (("w3", "C"), None, 0)
    assert ruling.table == Table(9, Coloured.SHELF_A)


@pytest.mark.clause("EXT-F2")
@pytest.mark.clause("EXT-F3")
def test_free_turn(play: Any) -> None:
    """A legal pot keeps the turn with a free choice of cue ball, a dry shot passes it."""
    match = play()
    assert match.pot("w1").next == "A"
    assert match.shot("strike w9; contact w9 C; pot w9 BL").next == "A"
    assert match.dry().next == "B"


class TestCueBallPotted:
    """A potted cue ball counts by a white taken for it and comes in hand (EXT-D2, EXT-C2)."""

    @pytest.mark.clause("EXT-D2")
    @pytest.mark.clause("EXT-C2")
    @pytest.mark.parametrize(
        ("game", "hand", "phase"),
        [
            ("dynamic", Hand.ANYWHERE, Phase.IN_HAND_ANY_PREMIUM),
            ("combined", Hand.HOUSE, Phase.IN_HAND_HOUSE),
        ],
    )
    def test_legal(self, judge: Any, game: str, hand: Hand, phase: Phase) -> None:
        ruling = judge(POT_BOTH, game=game)
        assert ruling.credited == ("w3", "C")
        assert (ruling.whites_taken_for_cue_ball, ruling.score.a, ruling.next) == (1, 5, "A")
        assert (ruling.ball_in_hand, ruling.phase, ruling.table.coloured) == (hand, phase, Coloured.HAND)
        assert ruling.table.balls == 8
        assert ruling.placements == ()

    @pytest.mark.parametrize("game", ["dynamic", "combined"])
    def test_no_white_left(self, judge: Any, game: str) -> None:
        """It cannot be scored when no white is left to take (AMB-48)."""
        ruling = judge(POT_BOTH, game=game, shelf=(7, 7), table={"whites": 1})
        assert (ruling.credited, ruling.winner, ruling.whites_taken_for_cue_ball) == (("w3",), A, 0)
        assert "AMB-48" in ruling.interpretations
        alone = judge(POT_C, game=game, shelf=(7, 7), table={"whites": 1})
        assert (alone.credited, alone.whites_taken_for_cue_ball, alone.winner) == (("C",), 1, A)

    @pytest.mark.clause("EXT-D4")
    @pytest.mark.clause("EXT-C6")
    @pytest.mark.parametrize("facts", [POT_C, "strike C; contact C w3; off C floor", "strike C; pot C BL"])
    @pytest.mark.parametrize(
        ("game", "options", "hand", "phase"),
        [
            ("dynamic", {}, Hand.ANYWHERE, Phase.IN_HAND_ANY),
            ("dynamic", {"dynamic_foul_in_hand": "house"}, Hand.HOUSE, Phase.IN_HAND_HOUSE),
            ("combined", {"dynamic_foul_in_hand": "anywhere"}, Hand.HOUSE, Phase.IN_HAND_HOUSE),
        ],
    )
    def test_by_a_foul(self, judge: Any, facts: str, game: str, options: Any, hand: Hand, phase: Phase) -> None:
        """In hand for the next player, never spotted (AMB-18)."""
        ruling = judge(facts, game=game, calls="RP-16 A", **options)
        assert (ruling.legal, ruling.credited, ruling.respot) == (False, (), ())
        assert (ruling.ball_in_hand, ruling.phase, ruling.table.coloured) == (hand, phase, Coloured.HAND)
        assert ruling.balls_to_place == 1  # the penalty ball

    def test_the_switch_is_about_fouls_only(self, judge: Any) -> None:
        ruling = judge(POT_C, game="dynamic", dynamic_foul_in_hand="house")
        assert (ruling.ball_in_hand, ruling.phase) == (Hand.ANYWHERE, Phase.IN_HAND_ANY_PREMIUM)

    def test_potting_it_is_no_foul_in_itself(self, judge: Any) -> None:
        assert judge(POT_C, game="combined").violations == ()

    def test_white_pays_a_debt(self, judge: Any) -> None:
        """Potted in debt, the chosen white pays and is placed (AMB-10)."""
        ruling = judge(POT_BOTH, game="dynamic", shelf=(0, 2), debt=(1, 0), table={"whites": 13})
        assert (ruling.debt_paid, ruling.shelf.a, ruling.debt.a, ruling.table.balls) == (1, 1, 0, 12)
        assert (ruling.balls_to_place, ruling.whites_taken_for_cue_ball) == (1, 1)


@pytest.mark.clause("EXT-D3")
class TestPremiumShot:
    """Dynamic: the shot after a credited cue ball credits object balls only (AMB-49)."""

    def premium(self, judge: Any, facts: str, **more: Any) -> Any:
        return judge(facts, game="dynamic", phase="in-hand-any-premium", **more)

    def test_white(self, judge: Any) -> None:
        ruling = self.premium(judge, "strike C; contact C w3; pot w3 BL")
        assert (ruling.credited, ruling.ball_in_hand, ruling.table.coloured) == (("w3",), None, Coloured.TABLE)

    def test_cue_ball_only(self, judge: Any) -> None:
        ruling = self.premium(judge, POT_C)
        assert (ruling.legal, ruling.credited, ruling.next) == (True, (), "B")
        assert (ruling.ball_in_hand, ruling.phase) == (Hand.ANYWHERE, Phase.IN_HAND_ANY)

    def test_both(self, judge: Any) -> None:
        """The white keeps the turn; the cue ball in hand is no second premium."""
        ruling = self.premium(judge, POT_BOTH)
        assert (ruling.credited, ruling.next, ruling.phase) == (("w3",), "A", Phase.IN_HAND_ANY)

    def test_foul_by_the_switch(self, judge: Any) -> None:
        ruling = self.premium(judge, POT_BOTH, premium_cue_pot="foul")
        assert ([v.clause for v in ruling.violations], ruling.respot) == (["EXT-D3"], ("w3",))
        assert (ruling.chooser, ruling.score.a, ruling.ball_in_hand) == (B, 2, Hand.ANYWHERE)

    def test_anywhere_without_premium_credits_the_cue_ball(self, judge: Any) -> None:
        """A ball in hand after a foul is no premium shot: the cue ball may be potted and counts, whatever the switch."""
        assert judge(POT_C, game="dynamic", premium_cue_pot="foul").credited == ("C",)
        assert judge(POT_C, game="dynamic", phase="in-hand-any").credited == ("C",)

    def test_premium_is_lost_by_an_offence(self, judge: Any) -> None:
        """After an offence before the premium shot the cue ball stays in hand, for whoever plays, without a premium."""
        ruling = self.premium(judge, "", calls="RP-15.1 A")
        assert (ruling.ball_in_hand, ruling.phase, ruling.chooser) == (Hand.ANYWHERE, Phase.IN_HAND_ANY, B)
        kept = self.premium(judge, "", calls="RP-25 B sitting")
        assert (kept.phase, kept.chooser) == (Phase.IN_HAND_ANY_PREMIUM, A)

    def test_premium_belongs_to_who_earned_it(self, play: Any) -> None:
        match = play("dynamic")
        match.set(shelf=(1, 1), phase=Phase.PLAY, table=Table(13))
        match.shot(POT_C, "RP-25 B sitting", choice="cede")
        assert (match.state.striker, match.state.phase) == (B, Phase.IN_HAND_ANY)
        match = play("dynamic")
        match.set(shelf=(1, 1), phase=Phase.PLAY, table=Table(13))
        match.shot(POT_C, "RP-25 B sitting", choice="play")
        assert (match.state.striker, match.state.phase) == (A, Phase.IN_HAND_ANY_PREMIUM)


@pytest.mark.clause("RP-19.2a")
class TestHouse:
    """Combined: a shot in hand from the house must meet a ball outside it first (AMB-20)."""

    def from_house(self, judge: Any, facts: str, **more: Any) -> Any:
        return judge(facts, game="combined", phase=more.pop("phase", "in-hand-house"), **more)

    def test_outside_first(self, judge: Any) -> None:
        assert self.from_house(judge, "strike C; contact C w3; pot w3 BL").credited == ("w3",)

    @pytest.mark.parametrize("given", [{"calls": "RP-19.2a A"}, {"decided": {"house": "w3"}}])
    def test_house_ball_first(self, judge: Any, given: Any) -> None:
        ruling = self.from_house(judge, "strike C; contact C w3; pot w3 BL", **given)
        assert [v.clause for v in ruling.violations] == ["RP-19.2a"]
        assert (ruling.credited, ruling.respot, ruling.score.a) == ((), ("w3",), 2)

    @pytest.mark.parametrize(
        ("facts", "credited", "respot"),
        [
            ("strike C; contact C w3; pot w3 BL", (), ("w3",)),
            ("strike C; contact C w3; pot w3 BL; contact C w9; pot w9 BR", ("w9",), ("w3",)),
            ("strike C; contact C w3; contact C w9; pot w3 BL; pot C BR", ("w3", "C"), ()),
            ("strike C; contact C w3; contact C w3; pot w3 BL", (), ("w3",)),
        ],
    )
    @pytest.mark.parametrize("given", [{"calls": "RP-19.2a A"}, {"decided": {"house": "w3 w4"}}])
    def test_no_foul(self, judge: Any, facts: str, credited: Any, respot: Any, given: Any) -> None:
        """By the switch the shot is legal by 18; pots before a contact outside the house do not count."""
        ruling = self.from_house(judge, facts, house_ball_first="no_foul", **given)
        assert (ruling.legal, ruling.legal_by, ruling.violations) == (True, "RP-18.1", ())
        assert (ruling.credited, ruling.respot) == (credited, respot)
        assert ruling.next == ("A" if credited else "B")

    def test_no_foul_second_ball_in_the_house_too(self, judge: Any) -> None:
        facts = "strike C; contact C w3; contact C w4; pot w3 BL"
        ruling = self.from_house(judge, facts, house_ball_first="no_foul", decided={"house": "w3 w4"})
        assert ruling.credited == ()

    @pytest.mark.clause("RP-19.2a")
    def test_no_foul_without_a_pot(self, judge: Any) -> None:
        """A dry shot that met a house ball first is legal by that reading (AMB-20), and says so."""
        facts = "strike C; contact C w3; cushion w3 foot; cushion w3 left"
        ruling = self.from_house(judge, facts, house_ball_first="no_foul", decided={"house": "w3"})
        assert (ruling.legal, ruling.credited, ruling.next) == (True, (), "B")
        assert "AMB-20" in ruling.interpretations

    def test_no_foul_cue_ball_before_an_outside_contact(self, judge: Any) -> None:
        """The cue ball potted too early is in hand and not credited."""
        ruling = self.from_house(judge, POT_C, house_ball_first="no_foul", calls="RP-19.2a A")
        assert (ruling.credited, ruling.ball_in_hand, ruling.respot, ruling.next) == ((), Hand.HOUSE, (), "B")

    def test_all_outside_of_nothing_named(self, judge: Any) -> None:
        assert self.from_house(judge, "strike C; contact C w3; pot w3 BL", house_ball_first="no_foul").credited == (
            "w3",
        )

    def test_two_balls_at_the_same_instant(self, judge: Any) -> None:
        """Hitting one that lies outside is what the clause asks for; which of the two is written first is nothing."""
        pots = "; pot w4 BL"
        for both in ("contact C w3 & contact C w5", "contact C w5 & contact C w3"):
            assert self.from_house(judge, f"strike C; {both}{pots}", decided={"house": "w3"}).credited == ("w4",)
            inside = self.from_house(judge, f"strike C; {both}{pots}", decided={"house": "w3 w5"})
            assert [violation.clause for violation in inside.violations] == ["RP-19.2a"]

    @pytest.mark.clause("RP-19.2b")
    @pytest.mark.parametrize("switch", ["foul", "no_foul"])
    def test_from_the_temporary_house_every_ball_lies_outside(self, judge: Any, switch: str) -> None:
        """All object balls lie in the house, none in the temporary one: each may be hit first and each pot counts."""
        facts = "strike C; contact C w3; pot w3 BL"
        given = {"phase": "in-hand-temp-house", "decided": {"house": "w3 w4 w5"}, "house_ball_first": switch}
        ruling = judge(facts, game="combined", **given)
        assert (ruling.violations, ruling.credited) == ((), ("w3",))

    @pytest.mark.clause("RP-19.2b")
    def test_temporary_house(self, play: Any) -> None:
        """All object balls in the house: the shot is played from the other end."""
        match = play("combined")
        match.set(phase=Phase.IN_HAND_HOUSE, table=Table(3, Coloured.HAND), shelf=(6, 6))
        match.act("house", value="all")
        assert match.rules.due(match.state).mode == "in-hand-temp-house"
        match.act("house", value="some")
        assert match.state.phase is Phase.IN_HAND_HOUSE
        with pytest.raises(IllegalInput):
            match.act("house", value="few")

    def test_house_only_where_it_matters(self, play: Any) -> None:
        match = play("dynamic")
        with pytest.raises(IllegalInput, match="combined"):
            match.act("house", value="all")

    def test_not_on_the_break_and_not_in_play(self, judge: Any) -> None:
        facts = "strike C; contact C w3; pot w3 BL"
        for phase in ("break", "play"):
            ruling = judge(facts, game="combined", phase=phase, decided={"house": "w3"}, house_ball_first="no_foul")
            assert ruling.credited == ("w3",)
            assert judge(facts, game="combined", phase=phase, decided={"house": "w3"}).legal is True

    @pytest.mark.clause("EXT-C5")
    def test_touch_while_placing(self, judge: Any) -> None:
        """A penalty ball, and the in-hand shot passes to the opponent, who may cede it."""
        ruling = self.from_house(judge, "", calls="EXT-C5 A")
        assert ([v.clause for v in ruling.violations], ruling.ball_in_hand) == (["RP-15.1"], Hand.HOUSE)
        assert (ruling.phase, ruling.chooser) == (Phase.IN_HAND_HOUSE, B)


@pytest.mark.clause("EXT-C3")
class TestWhiteForTheCueBall:
    """Combined: the white must be taken before the next stroke; otherwise it stays and does not count."""

    def potted(self, play: Any, debt: int = 0, game: str = "combined") -> Any:
        match = play(game)
        match.set(shelf=(0 if debt else 3, 2), debt=(debt, 0), phase=Phase.PLAY, table=Table(13 if debt else 10))
        match.shot(POT_C)
        return match

    def test_taken(self, play: Any) -> None:
        match = self.potted(play)
        assert (match.state.score.a, match.state.to_take, match.state.table.balls) == (4, 1, 9)
        match.act("white", value="taken")
        assert (match.state.score.a, match.state.to_take) == (4, 0)
        with pytest.raises(IllegalInput, match="no white"):
            match.act("white", value="taken")

    def test_left(self, play: Any) -> None:
        match = self.potted(play)
        match.act("white", value="left")
        state = match.state
        assert (state.score.a, state.table.balls, state.run.count, state.striker) == (3, 10, 0, A)

    def test_left_in_debt(self, play: Any) -> None:
        match = self.potted(play, debt=1)
        assert (match.state.debt.a, match.state.table.balls) == (0, 13)
        match.act("white", value="left")
        assert (match.state.debt.a, match.state.shelf.a, match.state.table.balls) == (1, 0, 13)

    @pytest.mark.parametrize("choice", ["", "play", "cede"])
    def test_left_after_an_offence(self, play: Any, choice: str) -> None:
        """The ball is taken from the player who potted the cue ball, not from whoever comes to the table."""
        match = play("combined")
        match.set(shelf=(3, 2), phase=Phase.PLAY, table=Table(10))
        match.shot(POT_C, "RP-15.1 A after")
        if choice:
            match.act("choose", value=choice)
        match.act("white", value="left")
        assert (match.state.score.as_dict(), match.state.debt) == ({"A": 2, "B": 2}, Pair())
        assert (match.state.table.balls, match.state.run.count) == (11, 0)

    @pytest.mark.parametrize("game", ["combined", "dynamic"])
    def test_still_to_be_taken_after_an_offence_between_the_strokes(self, play: Any, game: str) -> None:
        match = self.potted(play, game=game)
        match.shot("", "RP-25 B sitting")
        assert (match.state.to_take, match.state.taker) == (1, A)
        match.act("choose", value="cede")
        assert (match.state.striker, match.state.to_take) == (B, 1)
        if game == "combined":
            match.act("white", value="left")
            assert match.state.score.as_dict() == {"A": 3, "B": 1}
        else:
            match.shot("strike C")
            assert (match.state.to_take, match.state.taker) == (0, None)

    def test_left_while_playing_on(self, play: Any) -> None:
        """The finished frame stays as it is: the run alone loses the ball, and the ball that won stays won."""
        match = play("combined")
        match.set(shelf=(7, 2), phase=Phase.PLAY, table=Table(6))
        match.shot(POT_C)
        match.act("continue_run")
        with pytest.raises(IllegalInput, match="the frame is won"):
            match.act("white", value="left")
        match.shot(POT_C)
        assert (match.state.score.a, match.state.run.count, match.state.table.balls) == (8, 2, 4)
        match.act("white", value="left")
        assert (match.state.score.a, match.state.run.count, match.state.table.balls) == (8, 1, 5)

    def ended(self, play: Any, balls: int, **options: Any) -> Any:
        """A run of so many balls, the last one the cue ball, that a touch after the shot ended."""
        match = play("combined", target=20, **options)
        match.set(phase=Phase.PLAY, placements=())
        for n in range(balls - 1):
            match.pot(f"w{n + 1}")
        match.shot("strike C; contact C w15; pot C BL", "RP-15.1 A after")
        return match

    def balls(self, match: Any) -> list[int]:
        return [record.balls for record in match.state.runs]

    @pytest.mark.clause("RP-30.1w")
    @pytest.mark.clause("RP-30.3")
    @pytest.mark.parametrize(("balls", "kept"), [(8, []), (9, [8])])
    def test_left_after_the_run_has_ended(self, play: Any, balls: int, kept: list[int]) -> None:
        """The record of the run loses the ball, and with it may not count any more."""
        match = self.ended(play, balls, sex="w")
        assert self.balls(match) == [balls]
        match.shot("", "RP-25 B sitting")  # before anybody has chosen
        match.act("choose", match.state.pending.chooser, "play")
        match.act("white", value="left")
        assert (self.balls(match), match.state.to_take) == (kept, 0)

    @pytest.mark.parametrize("taken", [True, False])
    def test_once_taken_a_later_white_shortens_no_earlier_run(self, play: Any, taken: bool) -> None:
        match = self.ended(play, 8, sex="w")
        match.act("choose", B, "cede")
        if taken:
            match.act("white", value="taken")
            assert [record.untaken for record in match.state.runs] == [0]
        match.shot("strike C; contact C w15; pot C BL", "RP-15.1 A after")
        match.act("white", value="left")
        assert self.balls(match) == [8]

    def test_left_of_a_run_that_nobody_saw_to_its_end(self, play: Any) -> None:
        """What a referee saw of the run stays recorded: the ball that is lost was none of it."""
        match = play("combined", target=20, sex="w", table_referee=False)
        match.set(phase=Phase.PLAY, placements=())
        for n in range(7):
            match.pot(f"w{n + 1}")
        match.shot("strike C; contact C w15; pot C BL")
        before = match.state.run
        match.act("white", value="left")
        assert (before.count, before.recorded) == (8, 5)
        assert (match.state.run.count, match.state.run.recorded) == (7, 5)

    def test_only_combined(self, play: Any) -> None:
        with pytest.raises(IllegalInput, match="only combined"):
            self.potted(play, game="dynamic").act("white", value="left")


@pytest.mark.clause("EXT-F5")
def test_scheme_offender_shelf(judge: Any) -> None:
    ruling = judge("strike C")
    assert (ruling.score.as_dict(), ruling.taken, ruling.table.balls) == ({"A": 2, "B": 2}, 0, 12)


@pytest.mark.clause("EXT-F6")
@pytest.mark.clause("EXT-C7")
@pytest.mark.parametrize("game", ["free", "dynamic", "combined"])
class TestSchemeOpponentPlusOne:
    """No shelf ball, no debt: the opponent takes a ball from the table, after the placing. Derived by us: EXT-F6 and
    EXT-C7 give the rule, not worked examples; that the ball comes from the table is said for combined pyramid only.
    """

    def rule(self, judge: Any, game: str, facts: str, **more: Any) -> Any:
        return judge(facts, game=game, penalty_scheme="opponent_plus_one", **more)

    def test_foul(self, judge: Any, game: str) -> None:
        ruling = self.rule(judge, game, DRY, calls="RP-16 A")
        assert (ruling.score.as_dict(), ruling.debt.as_dict()) == ({"A": 3, "B": 3}, {"A": 0, "B": 0})
        assert (ruling.penalty, ruling.taken, ruling.balls_to_place) == (None, 1, 0)
        assert (ruling.chooser, ruling.choices) == (B, ("play", "cede"))
        assert ruling.table.balls == (10 if game == "free" else 9)

    def test_empty_shelf_owes_nothing(self, judge: Any, game: str) -> None:
        ruling = self.rule(judge, game, "strike C", shelf=(0, 2))
        assert (ruling.score.as_dict(), ruling.debt.a) == ({"A": 0, "B": 3}, 0)

    def test_voided_pot_is_placed_first(self, judge: Any, game: str) -> None:
        ruling = self.rule(judge, game, "strike C; contact C w3; pot w3 BL", calls="RP-16 A")
        assert (ruling.respot, ruling.balls_to_place, ruling.score.b) == (("w3",), 1, 3)

    def test_eighth_ball_by_a_foul(self, judge: Any, game: str) -> None:
        """The opponent's frame; he has no run to lengthen, and no choice is left."""
        ruling = self.rule(judge, game, "strike C", shelf=(3, 7))
        assert (ruling.winner, ruling.score.b, ruling.may_continue_run) == (B, 8, None)
        assert (ruling.next, ruling.chooser, ruling.choices) == (None, None, ())

    def test_illegal_break(self, judge: Any, game: str) -> None:
        ruling = self.rule(judge, game, "strike C", phase="break")
        assert (ruling.score.as_dict(), len(ruling.choices)) == ({"A": 0, "B": 1}, 4)

    def test_violation_after_the_shot(self, judge: Any, game: str) -> None:
        ruling = self.rule(judge, game, "strike C; contact C w3; pot w3 BL", calls="RP-15.1 A after")
        assert ruling.score.as_dict() == {"A": 4, "B": 3}

    def test_both_offend(self, judge: Any, game: str) -> None:
        ruling = self.rule(judge, game, DRY, calls="RP-16 A, RP-25 B sitting")
        assert (ruling.score.as_dict(), ruling.taken) == ({"A": 4, "B": 3}, 2)

    def test_nothing_left_to_take(self, judge: Any, game: str) -> None:
        scored = 13 if game == "free" else 12  # every ball lies on a shelf
        ruling = self.rule(judge, game, "", shelf=(3, scored), target=16, calls="RP-26.1.13 A")
        assert (ruling.score.as_dict(), ruling.taken) == ({"A": 3, "B": scored}, 0)

    def test_debt_from_before_is_paid(self, judge: Any, game: str) -> None:
        """A debt can only stem from a change of scheme; the ball that is due pays it."""
        ruling = self.rule(judge, game, DRY, calls="RP-16 A", shelf=(3, 0), debt=(0, 1))
        assert (ruling.score.as_dict(), ruling.taken) == ({"A": 3, "B": 0}, 0)


class TestDebts:
    """Debts are paid by the next scoring shot (AMB-10)."""

    @pytest.mark.clause("RP-27.2")
    @pytest.mark.parametrize(
        ("switch", "debt", "paid", "shelf_after", "debt_after"),
        [("all", 1, 1, 1, 0), ("all", 2, 2, 0, 0), ("all", 3, 2, 0, 1), ("one", 1, 1, 1, 0), ("one", 2, 1, 1, 1)],
    )
    def test_two_balls(self, judge: Any, switch: str, debt: int, paid: int, shelf_after: int, debt_after: int) -> None:
        facts = "strike C; contact C w3; pot w3 BL; pot C BR"
        ruling = judge(facts, shelf=(0, 2), debt=(debt, 0), debts_per_shot=switch)
        assert (ruling.debt_paid, ruling.balls_to_place) == (paid, paid)
        assert (ruling.shelf.a, ruling.debt.a) == (shelf_after, debt_after)
        assert ruling.next == "A"

    @pytest.mark.clause("EXT-D1")
    @pytest.mark.clause("EXT-C1")
    @pytest.mark.parametrize("game", ["free", "dynamic", "combined"])
    def test_eight(self, judge: Any, game: str) -> None:
        """The eighth ball wins the frame in all three games."""
        pot = "strike C; contact C w3; pot w3 BL"
        assert judge(pot, game=game, shelf=(7, 3)).winner is A
        assert judge(pot, game=game, shelf=(6, 3)).winner is None

    def test_target(self, judge: Any) -> None:
        """The frame ends with the shot that reaches the target; another target moves it (AMB-16)."""
        pot = "strike C; contact C w3; pot w3 BL"
        assert judge(pot, shelf=(2, 0), target=3).winner is A
        assert judge(pot, shelf=(7, 0), target=9).winner is None
        assert judge(pot + "; pot C BR", shelf=(7, 0)).score.a == 9

    def test_debt_is_paid_before_the_win(self, judge: Any) -> None:
        ruling = judge("strike C; contact C w3; pot w3 BL", shelf=(0, 0), debt=(1, 0), target=1)
        assert (ruling.winner, ruling.score.a) == (None, 0)


class TestColouredBallOfFreePyramid:
    """Where it lies is followed as far as anybody can know (RP-24.3b)."""

    def test_back_from_a_shelf_of_one(self, play: Any) -> None:
        match = play()
        match.set(phase=Phase.PLAY)
        match.pot("C")
        assert match.state.table.coloured is Coloured.SHELF_A
        match.miss(choice="play")
        assert match.state.table.coloured is Coloured.TABLE  # the only ball on the shelf went back

    def test_unknown_when_one_of_several_went_back(self, play: Any) -> None:
        match = play()
        match.set(phase=Phase.PLAY)
        match.pot("C", "w1")
        match.miss(choice="play")
        assert match.state.table.coloured is Coloured.UNKNOWN
        match.shot("strike w9; contact w9 C; cushion C left; cushion C foot")  # it is seen on the table again
        assert match.state.table.coloured is Coloured.TABLE

    def test_paid_debt(self, judge: Any) -> None:
        facts = "strike w9; contact w9 C; pot C BL"
        assert judge(facts, shelf=(0, 2), debt=(1, 0)).table.coloured is Coloured.TABLE
        both = judge(facts + "; pot w9 BR", shelf=(0, 2), debt=(1, 0))
        assert both.table.coloured is Coloured.UNKNOWN
