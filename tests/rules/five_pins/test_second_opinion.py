"""A second judge of five-pins strokes, written naively from the words of the clauses, must agree with the first.

It shares nothing with `marker_rules.five_pins` but the fact types: every clause is a question put to the whole list of
facts, with no state carried along. 10,000 random strokes under random switches; 200,000 in the long run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from marker_rules import facts as f
from marker_rules.balls import Ball, Pin
from marker_rules.five_pins.judge import judge
from marker_rules.options import Options
from marker_rules.shot import Shot


def meets(fact: f.Fact, one: Ball, two: Ball) -> bool:
    return isinstance(fact, f.Contact) and not fact.unmoved and any({one, two} == set(pair) for pair in fact.pairs)


def times(facts: tuple[f.Fact, ...], one: Ball, two: Ball) -> list[int]:
    return [t for t, fact in enumerate(facts) if meets(fact, one, two)]


def falls(facts: tuple[f.Fact, ...], options: Options) -> list[tuple[int, Pin, Ball | None]]:
    """(time, pin, whose fall it is) of every fall that counts."""
    found: list[tuple[int, Pin, Ball | None]] = []
    for t, fact in enumerate(facts):
        if isinstance(fact, f.Topple):
            found += [(t, pin, fact.by) for pin in fact.pins]
        if isinstance(fact, f.Shift) and fact.by and options["shifted_counts"]:
            found.append((t, fact.pin, fact.by))
        if isinstance(fact, f.Lean):
            if fact.ball != "cue" or fact.how == "toward":
                found.append((t, fact.pin, fact.ball))
            elif options["leaning_pin"] == "later":
                found.append((t, fact.pin, None))
    return found


def told(shot: Shot, striker: str, mode: str, options: Options) -> set[str]:
    """Errors that the calls name or that single facts show by themselves."""
    facts = shot.facts
    mine = {call.code for call in shot.calls if call.by == striker}
    if mode not in ("opening", "hand") and not options["foot_always"]:
        mine -= {"M"}
    strikes = [fact.ball for fact in facts if isinstance(fact, f.Strike)]
    shown = {
        "A": bool(strikes) and strikes[0] != "cue",
        "Z": any(ball in strikes[:n] for n, ball in enumerate(strikes)),
        "P": any(ball not in strikes[:n] for n, ball in enumerate(strikes) if n),
        "D": any(isinstance(fact, f.Off) for fact in facts),
    }
    return mine | {letter for letter, there in shown.items() if there}


def letters_of(shot: Shot, striker: str, mode: str, options: Options) -> set[str]:
    facts = shot.facts
    mine = told(shot, striker, mode, options)
    touch = min(times(facts, Ball.CUE, Ball.OPPONENT), default=len(facts))
    before = facts[:touch]
    felled_before = {by for t, _, by in falls(facts, options) if t < touch}
    if any(f.Hop(ball) in before and ball not in felled_before for ball in (Ball.CUE, Ball.RED)):
        mine.add("O")
    if "A" in mine:
        return mine - {"B", "V", "G"}
    if times(before, Ball.CUE, Ball.RED):
        mine.add("B")
    if touch == len(facts):
        mine.add("G")
    elif Ball.CUE in felled_before:
        mine.add("V")
    if "B" in mine and options["red_first"] == "always_4":
        mine.discard("G")
    return mine


def made(shot: Shot, letters: set[str], standing: frozenset[Pin], options: Options) -> list[tuple[str, int]]:
    facts = shot.facts
    parts: list[tuple[str, int]] = []
    touch = min(times(facts, Ball.CUE, Ball.OPPONENT), default=len(facts))
    by_cue = [t for t in times(facts, Ball.CUE, Ball.RED) if t > touch]
    both_at_once = touch in times(facts, Ball.CUE, Ball.RED)  # A38: neither carom nor ricochet
    by_opponent = [t for t in times(facts, Ball.OPPONENT, Ball.RED) if t > touch or (t == touch and not both_at_once)]
    red_first = bool(times(facts[:touch], Ball.CUE, Ball.RED))
    if (by_cue or by_opponent) and "A" not in letters and (not red_first or options["carom_after_red_first"]):
        first_is_cue = min(by_cue, default=10**6) <= min(by_opponent, default=10**6)
        parts.append(("carom", 4) if first_is_cue else ("ricochet", 3))
    pins = {pin for _, pin, _ in falls(facts, options)}
    if "A" in letters and not options["wrong_ball_pins"]:
        pins = set()
    sides = pins - {Pin.C}
    if sides:
        parts.append(("side", 2 * len(sides)))
    if Pin.C in pins:
        full = len(standing) == 5 or not options["need_full"]
        parts.append(("centre_alone", options["centre_alone"]) if full and not sides else ("centre", 4))
    return parts


def price(letters: set[str], leaned: bool, options: Options) -> list[tuple[str, int]]:
    red = [("foul.B", 4 if options["red_first"] == "always_4" else 2)] if "B" in letters else []
    others = [(f"foul.{letter}", 2) for letter in letters - {"B"}] + [("foul.lean", 2)] * leaned
    if options["stacking"] == "single_plus_red" and others:
        return [*red, ("foul.other", 2)]
    return red + others


def second_opinion(shot: Shot, before: Any, options: Options) -> dict[str, Any]:
    facts, striker = shot.facts, str(before.striker)
    other = "B" if striker == "A" else "A"
    if any(isinstance(fact, f.Interference) for fact in facts):
        return {"manual": True, "points": {"A": 0, "B": 0}, "next": "referee", "winner": None, "hand": False}
    letters = letters_of(shot, striker, before.mode, options)
    waiting = {call.code for call in shot.calls if call.by != striker}
    if options["waiting_player_errors"] == "ignore":
        waiting = set()
    leaned = options["leaning_pin"] == "later" and any(
        isinstance(fact, f.Lean) and fact.ball == "cue" and fact.how == "away" for fact in facts
    )
    parts = made(shot, letters, before.pins, options)
    touch = min(times(facts, Ball.CUE, Ball.OPPONENT), default=len(facts))
    own = [t for t, _, by in falls(facts, options) if by == "cue"]
    correct = touch < len(facts) and "A" not in letters and not times(facts[:touch], Ball.CUE, Ball.RED)
    own_pins = correct and bool(own) and min(own) > touch
    faults = price(letters, leaned, options)
    loses_all = bool(faults) or own_pins
    if own_pins and options["bevuto_extra"] and not (faults and options["stacking"] == "single_plus_red"):
        parts.append(("bevuto", 2))
    parts += faults
    total = sum(points for _, points in parts)
    points = {"A": 0, "B": 0}
    if not loses_all and before.mode == "contact-reset":
        parts += [("void", -total)] if total else []
        total = 0
    points[other if loses_all else striker] = total
    extra = price(waiting, False, options)
    parts += extra
    points[striker] += sum(cost for _, cost in extra)
    full = {player: before.score.words()[player] + points[player] for player in "AB"}
    reached = [player for player in "AB" if full[player] >= before.limit]
    if len(reached) == 2:
        return {"manual": True, "points": {"A": 0, "B": 0}, "next": "referee", "winner": None, "hand": False}
    winner = reached[0] if reached else None
    return {
        "manual": False,
        "points": points,
        "components": Counter(parts),
        "score": {player: min(before.limit, full[player]) for player in "AB"},
        "next": None if winner else other,
        "winner": winner,
        "hand": bool(faults) and not winner,
    }


@pytest.mark.parametrize(
    "strokes", [pytest.param(10_000, marks=pytest.mark.slow), pytest.param(200_000, marks=pytest.mark.soak)]
)
def test_both_judges_agree_on_random_strokes(draw: Callable[..., Any], strokes: int) -> None:
    """Points, components, score after the cut, winner, next player and ball in hand are the same."""
    rng = Random(19970507 + strokes)
    manual = credited_both = 0
    for number in range(strokes):
        drawn = draw(rng)
        first = judge(*drawn)
        second = second_opinion(*drawn)
        got = {
            "manual": first.manual,
            "points": first.points.words(),
            "next": str(first.next) if first.next else None,
            "winner": str(first.winner) if first.winner else None,
            "hand": first.ball_in_hand,
        }
        if not first.manual:
            got["components"] = Counter((part.name, part.points) for part in first.components)
            got["score"] = first.score.words()
            credited_both += all(first.points)
        manual += first.manual
        assert got == second, f"stroke {number}: {drawn.shot} in {drawn.before.mode} under {drawn.options}"
    assert manual > strokes // 200
    assert credited_both > strokes // 200


@pytest.mark.parametrize("ball", [Ball.OPPONENT, Ball.RED])
def test_the_second_judge_is_not_blind(ball: Ball) -> None:
    """The comparison can fail: another first ball gives another answer."""
    from marker_rules.balls import GameId, Player
    from marker_rules.five_pins.state import FivePinsState

    before, options = FivePinsState(striker=Player.A, limit=50), Options(GameId.FIVE_PINS)
    facts = (f.Strike(Ball.CUE), f.Contact(((Ball.CUE, ball),)))
    points = second_opinion(Shot(facts), before, options)["points"]
    assert points == ({"A": 0, "B": 0} if ball is Ball.OPPONENT else {"A": 0, "B": 4})
