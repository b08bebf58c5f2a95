"""Random shots of the three pyramid games and what a truthful referee says of them."""

from __future__ import annotations

import random

from marker_rules import facts as f
from marker_rules.balls import PYRAMID_RAILS, WHITES, Ball, GameId, Player, Pocket
from marker_rules.game import game
from marker_rules.options import Options
from marker_rules.pyramid.ruling import PyramidRuling
from marker_rules.pyramid.state import Coloured, Phase, PyramidState
from marker_rules.ruling import Ruling
from marker_rules.shot import Call

PHASES = {
    GameId.FREE: {"break": 8, "play": 92},
    GameId.DYNAMIC: {"break": 8, "play": 77, "in-hand-any": 5, "in-hand-any-premium": 10},
    GameId.COMBINED: {"break": 8, "play": 74, "in-hand-house": 14, "in-hand-temp-house": 4},
}
FOULED = 0.06
CODES = ("RP-13", "RP-14", "RP-15.1", "RP-16", "RP-17.1")
POTTED = {0: 62, 1: 28, 2: 8, 3: 2}
PLANNED = 0.8  # share of shots that are sure to be legal by 18
NO_CONTACT = 0.03
INSIDE = 0.15  # share of shots from the house that meet a ball in it first
RAILS = sorted(PYRAMID_RAILS)
POCKETS = tuple(Pocket)


def pyramid_shot(
    rng: random.Random, options: Options
) -> tuple[PyramidState, tuple[f.Fact, ...], tuple[Call, ...], tuple[Call, ...]]:
    """State, facts, calls, and the calls that are asked for (first ball in the house)."""
    before = _before(rng, options)
    return before, *pyramid_story(rng, before)


def pyramid_story(
    rng: random.Random, before: PyramidState
) -> tuple[tuple[f.Fact, ...], tuple[Call, ...], tuple[Call, ...]]:
    """Facts, calls, and the calls that are asked for, of a shot from `before`."""
    free = before.game is GameId.FREE
    on_table = before.table.coloured in (Coloured.TABLE, Coloured.HAND)
    balls = [*((Ball.C,) if on_table else ()), *WHITES[: before.table.balls - (free and on_table)]]
    cue = Ball.C if not free or before.phase is Phase.BREAK else rng.choice(balls)
    others = [ball for ball in balls if ball is not cue]
    rng.shuffle(others)
    calls: list[Call] = []
    asked: list[Call] = []
    if rng.random() < FOULED:
        calls.append(Call(rng.choice(CODES), before.striker))
    if rng.random() < NO_CONTACT:
        facts = [f.Strike(cue), *_runs(rng, [cue], rng.randrange(3))]
        if rng.random() < 0.2:
            facts.append(f.Pot(cue, rng.choice(POCKETS)))
            calls.append(Call("RP-4.3", before.striker))  # nothing tells it but the referee
        return tuple(facts), tuple(calls), ()
    if before.phase is Phase.IN_HAND_HOUSE and rng.random() < INSIDE:
        asked.append(Call("RP-19.2a", before.striker))
    return _facts(rng, cue, others, before.phase is Phase.BREAK), tuple(calls), tuple(asked)


def _before(rng: random.Random, options: Options) -> PyramidState:
    phases = PHASES[options.game]
    phase = rng.choices(tuple(phases), tuple(phases.values()))[0]
    shelf_a, shelf_b = (0, 0) if phase == "break" else (rng.randrange(8), rng.randrange(8))
    left = (16 if options.game is GameId.FREE else 15) - shelf_a - shelf_b
    raw = {
        "striker": rng.choice(tuple(Player)).value,
        "phase": phase,
        "shelf": {"A": shelf_a, "B": shelf_b},
        "debt": {"A": 0 if shelf_a else rng.randrange(3), "B": 0 if shelf_b else rng.randrange(2)},
        "table": {"total" if options.game is GameId.FREE else "whites": left, "coloured": "table"},
    }
    state: PyramidState = game(options.game).read_before(raw, options)
    return state


def _runs(rng: random.Random, moving: list[Ball], number: int) -> list[f.Fact]:
    """Balls that run: cushions, the centre line, a jaw now and then."""
    facts: list[f.Fact] = []
    for _ in range(number):
        ball, chance = rng.choice(moving), rng.random()
        if chance < 0.6:
            facts.append(f.Cushion(ball, rng.choice(RAILS)))
        elif chance < 0.97:
            facts.append(f.Cross(ball))
        else:
            facts.append(f.Jaw(ball, rng.choice((Pocket.ML, Pocket.MR))))
    return facts


def _facts(rng: random.Random, cue: Ball, others: list[Ball], breaks: bool) -> tuple[f.Fact, ...]:
    facts: list[f.Fact] = []
    frozen = others[-1] if not breaks and len(others) > 2 and rng.random() < 0.2 else None
    if frozen is not None:
        facts.append(f.Frozen(frozen, rng.choice(RAILS)))
    facts.append(f.Strike(cue))
    facts += _runs(rng, [cue], rng.randrange(3) if rng.random() < 0.2 else 0)
    facts.append(f.Contact(((cue, others[0]),)))
    moving = [cue, others[0]]
    for ball in others[1 : rng.choice((2, 3, 5, 9)) if breaks else rng.choice((1, 1, 2, 3))]:
        facts += _runs(rng, moving, rng.randrange(3))
        facts.append(f.Contact(((rng.choice(moving), ball),)))
        moving.append(ball)
    facts += _runs(rng, moving, rng.randrange(5))
    if rng.random() < PLANNED:
        runner = rng.choice(moving)  # a player sees to it that one ball meets a pattern of clause 18
        facts += [f.Cross(runner), f.Cushion(runner, rng.choice(RAILS))]
    for _ in range(min(rng.choices(tuple(POTTED), tuple(POTTED.values()))[0], len(moving))):
        ball = moving.pop(rng.randrange(len(moving)))
        facts.append(f.Pot(ball, rng.choice(POCKETS)))
        facts += _runs(rng, moving, rng.randrange(2)) if moving else []
    if moving and rng.random() < 0.03:
        facts.append(f.Zone(rng.choice(moving), rng.choice(POCKETS)))
    return tuple(facts)


def pyramid_truth(facts: tuple[f.Fact, ...], asked: tuple[Call, ...], bare: Ruling, ruling: Ruling) -> dict[str, str]:
    """The answers to QG, Q1, Q11, QL, QM; whether a shot was legal the referee judges by the rules themselves.

    bare: the ruling apart from the fouls he called. ruling: with them.
    """
    assert isinstance(bare, PyramidRuling)
    assert isinstance(ruling, PyramidRuling)
    potted = [fact.ball for fact in facts if isinstance(fact, f.Pot)]
    return {
        "QG": str(len(potted)),
        "Q1": "yes" if Ball.C in potted else "no",
        "Q11": "no" if asked else "yes",
        "QL": "legal" if bare.legal else "foul",
        "QM": "met" if ruling.legal_by in ("RP-11.1.2", "RP-11.1.3") else "not-met",
    }
