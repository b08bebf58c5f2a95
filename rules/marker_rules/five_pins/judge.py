"""The judge of five-pins: one stroke, or what happened between strokes, to one ruling.

Source: clauses 5 to 8 and 'Errors and penalties'. Values and errors: the tables of `law`. The steps that say why are
written by `derivation`.
"""

from __future__ import annotations

from functools import lru_cache

from marker_rules.balls import Ball, GameId, Pin, Player
from marker_rules.errors import IllegalFact, IllegalInput
from marker_rules.facts import Strike
from marker_rules.five_pins import derivation as why
from marker_rules.five_pins.fouls import Error, costs, idle_errors, split_calls, stroke_errors
from marker_rules.five_pins.law import Law, law
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.scoring import Worth, carom_worth, pins_worth
from marker_rules.five_pins.state import NIL, FivePinsState, Mode, Phase, Score
from marker_rules.five_pins.view import ShotView
from marker_rules.options import Options
from marker_rules.ruling import Component, Placement, Step, Turn
from marker_rules.shot import Shot

# Members of enums used in every stroke, bound once: looking one up on its class costs a call each time.
A, REFEREE, SHOT, IDLE, CONTACT_RESET = Player.A, Turn.REFEREE, Phase.SHOT, Mode.IDLE, Mode.CONTACT_RESET
FIVE_PINS = GameId.FIVE_PINS
PINS = tuple(Pin)
PIN_PLACEMENT = {pin: Placement(pin.value, pin.value) for pin in Pin}
BALL_PLACEMENT = {Ball.CUE: Placement("cue"), Ball.OPPONENT: Placement("opponent"), Ball.RED: Placement("red", "red")}
TURN = {player: Turn.of(player) for player in Player}
OTHER = {player: player.other for player in Player}

_component = lru_cache(maxsize=1024)(Component)  # equal components are made once


class _Case:
    """One stroke while it is judged: what is known, and the steps written so far."""

    __slots__ = ("before", "law", "other", "steps", "striker", "view")

    def __init__(self, view: ShotView, before: FivePinsState, rules: Law) -> None:
        self.view = view
        self.before = before
        self.law = rules
        self.striker = before.striker
        self.other = OTHER[before.striker]
        self.steps: list[Step] = []

    def placements(self) -> tuple[Placement, ...]:
        """Every pin that fell or was displaced, in the order C N E S W, then every ball off."""
        respot, off = self.view.respot, self.view.off
        if not respot and not off:
            return ()
        pins = [PIN_PLACEMENT[pin] for pin in PINS if pin in respot]
        return (*pins, *[BALL_PLACEMENT[ball] for ball in off])


def judge(shot: Shot, before: FivePinsState, options: Options) -> FivePinsRuling:
    """Judge one shot. Raises IllegalFact (with the position) and IllegalInput (calls, a game that is over)."""
    if before.phase is not SHOT:
        raise IllegalInput(f"no stroke can be judged while the match waits for '{before.phase}'", code="phase")
    rules = law(options)
    called, waiting = split_calls(shot.calls, before.striker) if shot.calls else (frozenset(), ())
    view = ShotView(shot.facts, before.pins, rules, "A" in called)
    case = _Case(view, before, rules)
    if view.interference >= 0:
        case.steps += (why.step("FP-X.1", "interference", (), (view.interference,)), why.REFEREE_DECIDES)
        return _left_to_referee(case)
    if waiting and not rules.waiting_counts:
        case.steps.append(why.WAITING_IGNORED)
        waiting = ()
    if before.mode is IDLE or not view.moved:
        return _between_strokes(case, shot, called, waiting)
    return _stroke(case, called, waiting)


def _left_to_referee(case: _Case) -> FivePinsRuling:
    """Nothing is credited; the referee rules by hand (FP-P.3)."""
    return FivePinsRuling(
        game=FIVE_PINS,
        striker=case.striker,
        next=REFEREE,
        manual=True,
        score=case.before.score,
        placements=case.placements(),
        interpretations=why.readings(case.steps),
        steps=tuple(case.steps),
    )


def _stroke(case: _Case, called: frozenset[str], waiting: tuple[str, ...]) -> FivePinsRuling:
    view, rules, steps = case.view, case.law, case.steps
    errors = stroke_errors(view, called, case.before.mode, rules)
    if "M" in called and not any(error.row.letter == "M" for error in errors):
        steps.append(why.FOOT_FREE)
    correct = view.opponent_at >= 0 and view.red_first < 0 and not view.cue_before and not view.wrong
    own_pins = correct and bool(view.cue_after)
    illegal = bool(errors) or bool(view.lean_foul)
    to = case.other if illegal or own_pins else case.striker
    carom, pins = _made(case)
    if correct:
        why.contact_steps(steps, view, bool(carom), bool(pins), not illegal)
    why.made_steps(steps, view, case.before, carom, pins)
    components = [_component(part.name, part.points, to) for part in (*carom, *pins)]
    total = sum([part.points for part in components])
    if own_pins:
        extra = 0 if illegal and rules.single else rules.bevuto_extra
        why.own_pin_steps(steps, view, illegal, extra)
        if extra:
            components.append(_component("bevuto", extra, to))
            total += extra
    if illegal:
        total += _errors(case, errors, components)
    if case.before.mode is CONTACT_RESET:
        total = _after_contact_reset(case, to, total, components)
    points = Score(total, 0) if to is A else Score(0, total)
    if waiting:
        points = points.plus(case.striker, _waiting(case, waiting, components))
    why.noted_steps(steps, view)
    return _close(
        case, points, components, errors, waiting, hand=illegal, next_player=case.other, own_pins=own_pins, stroke=True
    )


def _made(case: _Case) -> tuple[tuple[Worth, ...], tuple[Worth, ...]]:
    """Carom and pins of the stroke, whoever gets them."""
    view, rules = case.view, case.law
    if view.wrong and not rules.wrong_ball_pins:
        return (), ()
    pins = pins_worth(view.felled, case.before.pins, rules.need_full, rules.centre_alone)
    if view.wrong or (view.red_first >= 0 and not rules.carom_after_red):
        return (), pins
    return carom_worth(view.carom), pins


def _errors(case: _Case, errors: list[Error], components: list[Component]) -> int:
    """Adds the components of the striker's errors; their points."""
    parts = costs([error.row.letter for error in errors], bool(case.view.lean_foul), case.law)
    cost = sum([points for _, points in parts])
    why.error_steps(case.steps, case.view, errors, case.law, case.before, cost, bool(components))
    components += [_component(name, points, case.other) for name, points in parts]
    return cost


def _after_contact_reset(case: _Case, to: Player, total: int, components: list[Component]) -> int:
    """The striker gets no positive points in this stroke; the opponent gets what goes to him (FP-C.6)."""
    if to is not case.striker:
        case.steps.append(why.RESET_FOR_OPPONENT)
        return total
    if total:
        components.append(_component("void", -total, to))
        case.steps.append(why.VOID)
    return 0


def _waiting(case: _Case, letters: tuple[str, ...], components: list[Component]) -> int:
    """Points the striker gets for errors of the player who waits."""
    parts = costs(letters, False, case.law)
    components += [_component(name, points, case.striker) for name, points in parts]
    case.steps += [why.step(f"FP-F.{letter}", "waiting_erred") for letter in letters]
    return sum([points for _, points in parts])


def _between_strokes(case: _Case, shot: Shot, called: frozenset[str], waiting: tuple[str, ...]) -> FivePinsRuling:
    """Nothing was struck: errors of either player, or pins that moved by nobody's fault (FP-F.I, FP-F.K, FP-F.N, FP-F.P)."""
    if case.before.mode is IDLE:
        for index, fact in enumerate(shot.facts):
            if type(fact) is Strike:
                raise IllegalFact(f"fact {index + 1}: a stroke was made, but the mode is 'idle'", position=index)
    elif not shot.facts and not shot.calls:
        raise IllegalFact("no facts and no calls: nothing to judge (a stroke begins with 'strike cue')", position=0)
    errors = idle_errors(called)
    components: list[Component] = []
    points = NIL
    if errors:
        points = points.plus(case.other, _errors(case, errors, components))
    if waiting:
        points = points.plus(case.striker, _waiting(case, waiting, components))
    if case.view.respot and not case.view.noted:
        case.steps.append(why.PUT_BACK)
    why.noted_steps(case.steps, case.view)
    next_player = case.other if errors else case.striker
    hand = bool(errors or waiting)
    return _close(
        case, points, components, errors, waiting, hand=hand, next_player=next_player, own_pins=False, stroke=False
    )


def _close(
    case: _Case,
    points: Score,
    components: list[Component],
    errors: list[Error],
    waiting: tuple[str, ...],
    *,
    hand: bool,
    next_player: Player,
    own_pins: bool,
    stroke: bool,
) -> FivePinsRuling:
    """Cut to the limit, find the winner and who is next (FP-2.2, FP-2.3, FP-2.5)."""
    before, steps = case.before, case.steps
    limit = before.limit
    score = Score(before.score.a + points.a, before.score.b + points.b)
    winner: Player | None = None
    if score.a >= limit or score.b >= limit:
        if score.a >= limit and score.b >= limit:
            steps.append(why.BOTH_REACH_LIMIT)
            return _left_to_referee(case)
        winner = A if score.a >= limit else Player.B
        score = score.capped(limit)
        why.win_steps(steps, limit, score.of(winner) - before.score.of(winner), points.of(winner))
        hand = False
    elif hand:
        steps.append(why.BALL_IN_HAND)
    if errors or own_pins:
        steps.append(why.TO_OPPONENT)
    if stroke and winner is None:
        steps.append(why.TURN_PASSES)
    return FivePinsRuling(
        game=FIVE_PINS,
        striker=before.striker,
        next=TURN[next_player] if winner is None else None,
        winner=winner,
        placements=case.placements(),
        interpretations=why.readings(steps),
        steps=tuple(steps),
        points=points,
        score=score,
        components=tuple(components),
        ball_in_hand=hand,
        letters=tuple([error.row.letter for error in errors]),
        waiting_letters=waiting,
        own_pins=own_pins,
        stroke=stroke,
    )
