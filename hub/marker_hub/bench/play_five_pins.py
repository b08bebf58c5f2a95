"""Random strokes of five-pins and what a truthful referee says of them."""

from __future__ import annotations

import random
from typing import Any

from marker_rules import facts as f
from marker_rules.balls import ALL_PINS, Ball, Pin, Player, Rail
from marker_rules.five_pins.state import FivePinsState, Mode, Score
from marker_rules.options import Options
from marker_rules.shot import Call

CUE, OPPONENT, RED = Ball.CUE, Ball.OPPONENT, Ball.RED
MODES = {Mode.NORMAL: 82, Mode.OPENING: 6, Mode.HAND: 10, Mode.CONTACT_RESET: 2}
FOULED = 0.06  # share of strokes with an error that only the referee sees
LETTERS = ("A", "E", "ZH", "Z", "L", "M", "N", "P", "R", "D")
LONGEST = 14  # events of one stroke

# What happens next: (event, weight before any contact, weight after one).
EVENTS = {
    "cue opponent": (86, 5),
    "cue red": (6, 7),
    "opponent red": (0, 7),
    "both": (1, 1),
    "pin cue": (3, 3),
    "pin opponent": (0, 22),
    "pin red": (0, 8),
    "wobble": (1, 2),
    "cushion": (2, 14),
    "end": (5, 40),
}


def five_pins_shot(
    rng: random.Random, options: Options
) -> tuple[FivePinsState, tuple[f.Fact, ...], tuple[Call, ...], tuple[Call, ...]]:
    """State, facts, calls, and no calls that are asked for."""
    limit = rng.choice((50, 60, 80))
    before = FivePinsState(
        striker=rng.choice(tuple(Player)),
        limit=limit,
        score=Score(rng.randrange(limit), rng.randrange(limit)),
        mode=rng.choices(tuple(MODES), tuple(MODES.values()))[0],
        pins=ALL_PINS if rng.random() < 0.95 else frozenset(rng.sample(sorted(ALL_PINS), rng.randint(2, 4))),
        options=options,
    )
    return before, *five_pins_story(rng, before)


def five_pins_story(
    rng: random.Random, before: FivePinsState
) -> tuple[tuple[f.Fact, ...], tuple[Call, ...], tuple[Call, ...]]:
    """Facts, calls, and no calls that are asked for, of a stroke from `before`."""
    calls: tuple[Call, ...] = ()
    if rng.random() < FOULED:
        calls = (Call(rng.choice(LETTERS), before.striker),)
    elif rng.random() < FOULED / 6:
        calls = (Call("P", before.striker.other),)
    return _facts(rng, before.pins), calls, ()


def _facts(rng: random.Random, standing: frozenset[Pin]) -> tuple[f.Fact, ...]:
    facts: list[f.Fact] = [f.Strike(CUE)]
    moving, upright = [CUE], sorted(standing)
    rng.shuffle(upright)
    while len(facts) < LONGEST:
        weights = [weight[len(moving) > 1] for weight in EVENTS.values()]
        what, _, ball = rng.choices(tuple(EVENTS), weights)[0].partition(" ")
        if what == "end":
            break
        if what == "pin":
            by = Ball(ball)
            if by in moving and upright:
                number = 1 if rng.random() < 0.7 else min(2, len(upright))
                facts.append(f.Topple(tuple(upright.pop() for _ in range(number)), by, rng.random() < 0.1))
        elif what == "cushion":
            facts.append(f.Cushion(rng.choice(moving), rng.choice((Rail.TOP, Rail.BOTTOM, Rail.LEFT, Rail.RIGHT))))
        elif what == "wobble":
            facts += [f.Wobble(upright[-1])] if upright else []
        else:
            pairs = ((CUE, OPPONENT), (CUE, RED)) if what == "both" else ((Ball(what), Ball(ball)),)
            if any(first in moving or second in moving for first, second in pairs):
                facts.append(f.Contact(pairs))
                moving += [met for pair in pairs for met in pair if met not in moving]
    return tuple(facts)


def five_pins_truth(facts: tuple[f.Fact, ...]) -> dict[str, str]:
    """The answers to QP, Q1, Q2, Q3, Q4; at the same instant the opponent's ball comes first (A38), then the cue ball."""
    first, red, own, touched = "none", "nobody", "no", False
    fell: set[Pin] = set()
    for fact in facts:
        if isinstance(fact, f.Topple):
            fell |= set(fact.pins)
            if fact.by is CUE and own != "before":
                own = "after" if touched else "before"
        elif isinstance(fact, f.Contact):
            met = [frozenset(pair) for pair in fact.pairs]
            if frozenset((CUE, OPPONENT)) in met and not touched:
                first, touched = "opponent" if first == "none" else first, True
                continue
            if frozenset((CUE, RED)) in met:
                first = "red" if first == "none" else first
                red = "cue" if touched and red == "nobody" else red
            elif touched and red == "nobody" and frozenset((OPPONENT, RED)) in met:
                red = "opponent"
    answers: dict[str, Any] = {"QP": ",".join(pin for pin in Pin if pin in fell) or "none"}
    return answers | {"Q1": first, "Q2": red, "Q3": own, "Q4": "yes" if touched else "no"}
