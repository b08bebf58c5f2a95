"""What holds for every five-pins stroke whatever happened (default switches): properties over random strokes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from marker_rules import facts as f
from marker_rules.balls import ALL_PINS, GameId, Pin, Player, Rail
from marker_rules.five_pins.game import FIVE_PINS
from marker_rules.five_pins.judge import judge
from marker_rules.five_pins.offences import ERRORS
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.state import FivePinsState, Mode, Phase, Score
from marker_rules.game import Action, Setup
from marker_rules.options import Options
from marker_rules.ruling import Turn
from marker_rules.shot import Call, Shot

Draw = Callable[..., Any]
DEFAULT = Options(GameId.FIVE_PINS)
MADE = frozenset({"side", "centre", "centre_alone", "carom", "ricochet"})
randoms = st.randoms(use_true_random=False)


def total(ruling: FivePinsRuling, player: Player) -> int:
    return sum(part.points for part in ruling.components if part.to is player)


@given(rng=randoms)
def test_components_add_up_and_one_player_is_credited(draw: Draw, rng: Random) -> None:
    """Invariants 1 and 4: the parts make the points; both are credited only when the waiting player erred too."""
    drawn = draw(rng, default_switches=True)
    ruling = judge(*drawn)
    if ruling.next is Turn.REFEREE:
        assert (ruling.points, ruling.components, ruling.score) == (Score(), (), drawn.before.score)
        return
    assert all(total(ruling, player) == ruling.points.of(player) for player in Player)
    if all(ruling.points):
        assert ruling.waiting_letters
    striker = drawn.before.striker
    if ruling.letters or ruling.own_pins:
        assert ruling.points.of(striker) == 2 * len(ruling.waiting_letters)
    assert ruling.ball_in_hand == (bool(ruling.letters) and ruling.winner is None)


@given(rng=randoms)
def test_parts_of_a_stroke(draw: Draw, rng: Random) -> None:
    """Invariants 2 and 3: one carom, one price of the centre pin, 0..16 and never 1; each error 2, once."""
    drawn = draw(rng, default_switches=True)
    ruling = judge(*drawn)
    names = [part.name for part in ruling.components]
    assert names.count("carom") + names.count("ricochet") <= 1
    assert names.count("centre") + names.count("centre_alone") <= 1
    parts = {part.name: part.points for part in ruling.components}
    if "centre_alone" in parts:
        assert drawn.before.pins == ALL_PINS
        assert "side" not in parts
    assert parts.get("side", 0) in (0, 2, 4, 6, 8)
    made = sum(points for name, points in parts.items() if name in MADE)
    assert 0 <= made <= 16
    assert made != 1
    fouls = [part for part in ruling.components if part.name.startswith("foul.") and part.to is not ruling.striker]
    assert [part.points for part in fouls] == [2] * len(ruling.letters)
    assert len({part.name for part in fouls}) == len(fouls)


def test_every_value_from_0_to_16_but_1_can_be_made(draw: Draw) -> None:
    rng, seen = Random(3), set()
    for _ in range(4000):
        drawn = draw(rng, default_switches=True, waiting=False)
        ruling = judge(replace(drawn.shot, calls=()), replace(drawn.before, limit=1000), DEFAULT)
        seen.add(sum(part.points for part in ruling.components if part.name in MADE))
    possible = {pins + carom for pins in (0, 2, 4, 6, 8, 10, 12) for carom in (0, 3, 4)}
    assert 1 not in seen
    assert seen <= possible
    assert {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12} <= seen


@given(rng=randoms)
def test_scores_grow_to_the_limit_and_no_further(draw: Draw, rng: Random) -> None:
    """Invariants 5 and 6: after = min(limit, before + points); a winner exactly at the limit; then nobody is next."""
    drawn = draw(rng, default_switches=True)
    before, ruling = drawn.before, judge(*drawn)
    for player in Player:
        assert ruling.score.of(player) == min(before.limit, before.score.of(player) + ruling.points.of(player))
    at_limit = [player for player in Player if ruling.score.of(player) == before.limit]
    assert at_limit == ([ruling.winner] if ruling.winner else [])
    if ruling.winner:
        assert (ruling.next, ruling.ball_in_hand) == (None, False)
    elif not ruling.manual:
        assert ruling.next is Turn.of(before.striker.other)


@given(rng=randoms)
def test_everything_that_fell_or_jumped_is_put_back(draw: Draw, rng: Random) -> None:
    """Invariant 7."""
    drawn = draw(rng, default_switches=True)
    due = {str(fact.ball) for fact in drawn.shot.facts if isinstance(fact, f.Off)}
    for fact in drawn.shot.facts:
        if isinstance(fact, f.Topple):
            due |= set(fact.pins)
        elif isinstance(fact, f.Shift | f.Lean | f.Free):
            due.add(fact.pin)
    ruling = judge(*drawn)
    if not ruling.manual:
        assert set(ruling.respot) == due
        assert len(ruling.respot) == len(due)


@st.composite
def harmless(draw: DrawFn) -> f.Fact:
    """Facts that may be put anywhere and change nothing."""
    ball = draw(st.sampled_from(["cue", "opponent", "red"]))
    from marker_rules.balls import Ball

    kind = draw(st.sampled_from(["cushion", "support", "pass", "note"]))
    if kind == "cushion":
        return f.Cushion(Ball(ball), draw(st.sampled_from([Rail.TOP, Rail.LEFT])))
    if kind == "support":
        return f.Support(Ball(ball))
    return f.Pass(Ball(ball)) if kind == "pass" else f.Note("applause")


def same_value(one: FivePinsRuling, other: FivePinsRuling) -> bool:
    return replace(one, steps=(), interpretations=()) == replace(other, steps=(), interpretations=())


@given(rng=randoms, extra=st.lists(harmless(), max_size=3), data=st.data())
def test_cushions_and_the_like_change_nothing(
    draw: Draw, rng: Random, extra: list[f.Fact], data: st.DataObject
) -> None:
    """Invariant 8, first part."""
    drawn = draw(rng, default_switches=True)
    facts = list(drawn.shot.facts)
    gone = {fact.ball: at for at, fact in enumerate(facts) if isinstance(fact, f.Off)}
    last = min(gone.values(), default=len(facts))
    for fact in extra:
        facts.insert(data.draw(st.integers(1, max(1, last))), fact)
    assert same_value(judge(*drawn), judge(replace(drawn.shot, facts=tuple(facts)), drawn.before, drawn.options))


@given(rng=randoms)
def test_a_wobble_and_a_repeated_contact_change_nothing(draw: Draw, rng: Random) -> None:
    """Invariant 8: a pin that wobbles before anything fell; every contact told twice.

    Two contacts of the same instant are not doubled: the second time red is touched after the opponent's ball (A38).
    """
    drawn = draw(rng, default_switches=True)
    facts: list[f.Fact] = [drawn.shot.facts[0]]
    facts += [f.Wobble(pin) for pin in sorted(drawn.before.pins)[:1]]
    for fact in drawn.shot.facts[1:]:
        facts += [fact, fact] if isinstance(fact, f.Contact) and len(fact.pairs) == 1 else [fact]
    assert same_value(judge(*drawn), judge(replace(drawn.shot, facts=tuple(facts)), drawn.before, drawn.options))


@given(rng=randoms)
def test_swapping_the_players_mirrors_the_ruling(draw: Draw, rng: Random) -> None:
    """Invariant 8, second part, under any switches."""
    drawn = draw(rng)
    one = judge(*drawn)
    swapped = replace(
        drawn.before, striker=drawn.before.striker.other, score=Score(drawn.before.score.b, drawn.before.score.a)
    )
    calls = tuple(replace(call, by=call.by.other) for call in drawn.shot.calls)
    two = judge(replace(drawn.shot, calls=calls), swapped, drawn.options)
    assert two.points == Score(one.points.b, one.points.a)
    assert two.score == Score(one.score.b, one.score.a)
    assert two.winner is (one.winner.other if one.winner else None)
    assert (two.ball_in_hand, two.respot, two.clauses) == (one.ball_in_hand, one.respot, one.clauses)


@given(rng=randoms, letter=st.sampled_from([row.letter for row in ERRORS if row.letter not in "ABVGM"]))
def test_one_more_error_gives_exactly_two_more(draw: Draw, rng: Random, letter: str) -> None:
    """Invariant 8, third part, in a stroke that the opponent already profits from."""
    drawn = draw(rng, default_switches=True, interference=False)
    before = replace(drawn.before, limit=10_000)
    one = judge(drawn.shot, before, drawn.options)
    if letter in one.letters or not one.letters:
        return
    more = replace(drawn.shot, calls=(*drawn.shot.calls, Call(letter, before.striker)))
    two = judge(more, before, drawn.options)
    other = before.striker.other
    assert two.points.of(other) == one.points.of(other) + 2
    assert two.points.of(before.striker) == one.points.of(before.striker)


@given(rng=randoms)
def test_contact_reset_never_scores_for_the_striker(draw: Draw, rng: Random) -> None:
    drawn = draw(rng, waiting=False)
    ruling = judge(drawn.shot, replace(drawn.before, mode=Mode.CONTACT_RESET), drawn.options)
    assert ruling.points.of(drawn.before.striker) == 0


@given(rng=randoms)
def test_a_match_keeps_its_promises(draw: Draw, rng: Random) -> None:
    """Invariant 9 over whole random matches: openers alternate, the winner has more than half, no break after the end."""
    games = rng.choice((1, 3, 5))
    options = Options(GameId.FIVE_PINS, {"games": games, "points_limit": 20})
    state = FIVE_PINS.start(Setup(options, opener=rng.choice((Player.A, Player.B))))
    for _ in range(400):
        if state.phase is Phase.OVER:
            break
        if state.phase is Phase.NEXT_GAME:
            state = FIVE_PINS.act(state, Action("next_game"))
            continue
        drawn = draw(rng, default_switches=True, interference=False, waiting=False)
        ruling = judge(Shot(only_standing(drawn.shot.facts, state)), state, options)
        after = FIVE_PINS.apply(state, ruling)
        assert all(new >= old for new, old in zip(after.score, state.score, strict=True))
        state = after
    assert state.phase is Phase.OVER
    openers = [result.opener for result in state.results]
    assert all(one is not two for one, two in pairwise(openers))
    assert state.winner is not None
    assert state.games_won.of(state.winner) > games / 2
    assert FIVE_PINS.due(state).break_s == 0


def only_standing(facts: tuple[f.Fact, ...], state: FivePinsState) -> tuple[f.Fact, ...]:
    """The facts without pins, so that they fit any layout, but with one pin felled by the opponent's ball."""
    from marker_rules.balls import Ball

    kept = tuple(
        fact for fact in facts if not isinstance(fact, f.Topple | f.Shift | f.Lean | f.Free | f.Wobble | f.Restand)
    )
    fall = f.Topple((Pin.C,), Ball.OPPONENT, chain=True) if Pin.C in state.pins else f.Note("none")
    return (*kept, fall)


@given(rng=randoms)
def test_the_same_input_gives_the_same_ruling(draw: Draw, rng: Random) -> None:
    """Invariant 19; and a ruling names at least one clause for whatever it decides."""
    drawn = draw(rng)
    ruling = judge(*drawn)
    assert ruling == judge(Shot(tuple(drawn.shot.facts), tuple(drawn.shot.calls)), drawn.before, drawn.options)
    assert ruling.clauses
    assert hash(ruling) == hash(judge(*drawn))
