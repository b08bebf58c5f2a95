"""The judge of five-pins: one stroke, or what happened between strokes, to one ruling with its derivation.

Source: clauses 5 to 8 and 'Errors and penalties'. Tables: `law`. Readings that are ours are cited in `interpretations`.
"""

from __future__ import annotations

from functools import lru_cache

from marker_rules.balls import Ball, GameId, Pin, Player
from marker_rules.errors import IllegalFact, IllegalInput
from marker_rules.facts import Strike
from marker_rules.five_pins.fouls import Error, costs, idle_errors, split_calls, stroke_errors
from marker_rules.five_pins.law import Law, law
from marker_rules.five_pins.ruling import FivePinsRuling
from marker_rules.five_pins.scoring import Worth, carom_worth, pins_worth
from marker_rules.five_pins.state import NIL, FivePinsState, Mode, Phase, Score
from marker_rules.five_pins.view import ShotView
from marker_rules.options import Options
from marker_rules.ruling import Component, Placement, Step, Turn
from marker_rules.shot import Shot

_PIN_PLACEMENT = {pin: Placement(pin.value, pin.value) for pin in Pin}
_BALL_PLACEMENT = {Ball.CUE: Placement("cue"), Ball.OPPONENT: Placement("opponent"), Ball.RED: Placement("red", "red")}
_OFF_CLAUSE = {Ball.CUE: "FP-J.3a", Ball.OPPONENT: "FP-J.3c", Ball.RED: "FP-J.3d"}


# The same few hundred steps and components come back in stroke after stroke; equal values are made once.
_step = lru_cache(maxsize=4096)(Step)
_component = lru_cache(maxsize=1024)(Component)


_TURN = {player: Turn.of(player) for player in Player}


class _Case:
    """One stroke while it is judged: what is known, and the steps written so far."""

    __slots__ = ("before", "interpretations", "law", "other", "steps", "striker", "view")

    def __init__(self, view: ShotView, before: FivePinsState, rules: Law) -> None:
        self.view = view
        self.before = before
        self.law = rules
        self.striker = before.striker
        self.other = before.striker.other
        self.steps: list[Step] = []
        self.interpretations: dict[str, None] = {}

    def step(
        self,
        clause: str,
        text: str,
        facts: tuple[int, ...] = (),
        args: tuple[tuple[str, str | int], ...] = (),
        read: tuple[str, ...] = (),
    ) -> None:
        self.steps.append(_step(clause, text, args, facts))
        if read:
            self.interpretations.update(dict.fromkeys(read))

    def placements(self) -> tuple[Placement, ...]:
        """Every pin that fell or was displaced, in the order C N E S W, then every ball off."""
        respot, off = self.view.respot, self.view.off
        if not respot and not off:
            return ()
        pins = [_PIN_PLACEMENT[pin] for pin in Pin if pin in respot]
        return (*pins, *[_BALL_PLACEMENT[ball] for ball in off])


def judge(shot: Shot, before: FivePinsState, options: Options) -> FivePinsRuling:
    """Judge one shot. Raises IllegalFact (with the position) and IllegalInput (calls, a game that is over)."""
    if before.phase is not Phase.SHOT:
        raise IllegalInput(f"no stroke can be judged while the match waits for '{before.phase}'", code="phase")
    rules = law(options)
    called, waiting = split_calls(shot.calls, before.striker) if shot.calls else (frozenset(), ())
    view = ShotView(shot.facts, before.pins, rules, "A" in called)
    case = _Case(view, before, rules)
    if view.interference >= 0:
        return _interference(case)
    if waiting and not rules.waiting_counts:
        case.step("FP-F.P", "waiting_ignored", read=("A29",))
        waiting = ()
    if before.mode is Mode.IDLE or not view.moved:
        return _between_strokes(case, shot, called, waiting)
    return _stroke(case, called, waiting)


def _interference(case: _Case) -> FivePinsRuling:
    case.step("FP-X.1", "interference", (case.view.interference,), read=("A49",))
    case.step("FP-P.3", "referee_decides", read=("A35",))
    return _left_to_referee(case)


def _left_to_referee(case: _Case) -> FivePinsRuling:
    """Nothing is credited; the referee rules by hand (FP-P.3)."""
    return FivePinsRuling(
        game=GameId.FIVE_PINS,
        striker=case.striker,
        next=Turn.REFEREE,
        manual=True,
        score=case.before.score,
        placements=case.placements(),
        interpretations=tuple(case.interpretations),
        steps=tuple(case.steps),
    )


def _stroke(case: _Case, called: frozenset[str], waiting: tuple[str, ...]) -> FivePinsRuling:
    view, rules = case.view, case.law
    errors = stroke_errors(view, called, case.before.mode, rules)
    if "M" in called and not any(error.row.letter == "M" for error in errors):
        case.step("FP-F.M", "foot_free", read=("A37",))
    correct = view.opponent_at >= 0 and view.red_first < 0 and not view.cue_before and not view.wrong
    own_pins = correct and bool(view.cue_after)
    illegal = bool(errors) or bool(view.lean_foul)
    to = case.other if illegal or own_pins else case.striker
    made = _made(case, correct, not illegal)
    components = [_component(part.name, part.points, to) for part in made]
    if own_pins:
        components += _own_pins(case, illegal)
    if illegal:
        components += _errors(case, errors, bool(made))
    total = sum(component.points for component in components)
    if to is case.striker:
        if case.before.mode is Mode.CONTACT_RESET and total:
            components.append(_component("void", -total, to))
            case.step("FP-C.6", "void", read=("A24",))
            total = 0
    elif case.before.mode is Mode.CONTACT_RESET:
        case.step("FP-C.6", "reset_for_opponent", read=("A24",))
    points = NIL.plus(to, total)
    if waiting:
        points = points.plus(case.striker, _waiting(case, waiting, components))
    _noted(case)
    return _close(
        case, points, components, errors, waiting, hand=illegal, next_player=case.other, own_pins=own_pins, stroke=True
    )


_NOTED_READ = {"FP-T.4a": ("A27",), "FP-T.6a": ("A26",), "FP-T.1": ("A26",), "FP-T.7c": ("A28",), "FP-F.O": ("A10",)}


def _noted(case: _Case) -> None:
    """What was seen and changed nothing, or only what must be put back."""
    view = case.view
    for at in view.clipped:
        case.step("FP-F.O", "hop_clipped", (at,), read=("A10",))
    for clause, phrase, index in view.noted:
        case.step(clause, phrase, (index,), read=_NOTED_READ.get(clause, ()))
        if clause == "FP-T.4a":
            case.step("FP-T.4b", "put_back", (index,))


def _made(case: _Case, correct: bool, legal: bool) -> tuple[Worth, ...]:
    """Carom and pins of the stroke, with the steps that say how they came about."""
    view, rules = case.view, case.law
    counts = not view.wrong and (view.red_first < 0 or rules.carom_after_red)
    carom = carom_worth(view.carom) if counts else ()
    pins = pins_worth(view.felled, case.before.pins, rules.need_full, rules.centre_alone)
    if view.wrong and not rules.wrong_ball_pins:
        pins = ()
    if correct:
        _contact_step(case, bool(carom), bool(pins), legal)
    if view.felled:
        case.step("FP-T.1", "pins_fell", tuple(dict.fromkeys(at for _, at in view.felled.values())))
        if view.chained:
            case.step("FP-T.3", "chain", view.chained)
    for part in carom:
        case.step(part.clause, part.phrase, (view.carom_at,), (("points", part.points),))
        if view.touched_red_again or view.both_touched:
            case.step("FP-8.2c", "first_carom", (view.carom_at,), read=("A08",))
    if view.carom and not carom and not view.wrong:
        case.step("FP-8.2a", "no_carom_after_red", (view.carom_at,), read=("A36",))
    for part in pins:
        case.step(part.clause, part.phrase, (), (("points", part.points), ("n", part.count)), part.interpretations)
    if len(case.before.pins) < len(Pin) and pins:
        case.step("FP-T.7b", "incomplete")
    if len(carom) + len(pins) > 1:
        case.step("FP-8.3", "sum")
    if case.before.mode is Mode.OPENING:
        case.step("FP-4.9", "opening", read=("A39",))
    return (*carom, *pins)


def _contact_step(case: _Case, carom: bool, pins: bool, legal: bool) -> None:
    """Which of the legal strokes of clause 5 or 6 this was."""
    view = case.view
    at = (view.opponent_at,)
    if view.same_instant:
        case.step("FP-8.2a", "same_instant", at, read=("A38",))
        case.step("FP-F.B", "not_red_first", at)
    if view.both_touched:
        case.step("FP-5.5", "both_touched_red", (view.carom_at,), read=("A08",))
    elif carom and pins:
        case.step("FP-5.3" if view.touched_red_again else "FP-5.2", "red_and_pins", (*at, view.carom_at), read=("A08",))
    elif carom:
        case.step("FP-5.4" if view.carom == 4 else "FP-5.6", "red_only", (*at, view.carom_at))
    elif pins:
        case.step("FP-5.1", "opponent_then_pins", at)
    elif legal:
        case.step("FP-6.1", "nothing_made", at)


def _own_pins(case: _Case, illegal: bool) -> list[Component]:
    """The cue ball felled pins after a correct contact: everything to the opponent, no ball in hand by itself."""
    view = case.view
    case.step("FP-F.0b", "own_pins", view.cue_after, read=("A02",))
    if any(ball is not Ball.CUE for ball, _ in view.felled.values()):
        case.step("FP-7.4", "all_pins_to_opponent", read=("A25",))
    case.step("FP-8.4", "all_points_to_opponent")
    if not illegal:
        case.step("FP-H.1b", "no_ball_in_hand", read=("A02",))
    extra = case.law.bevuto_extra
    if not extra or (illegal and case.law.single):
        return []
    case.step("FP-F.0c", "bevuto_extra", (), (("points", extra),), ("A02",))
    return [_component("bevuto", extra, case.other)]


# Clauses that an error cites beside its own, and the readings it rests on.
_BESIDES: dict[str, tuple[tuple[str, str], ...]] = {
    "A": (("FP-4.7", "own_ball_only"),),
    "G": (("FP-7.1", "not_touched"),),
    "ZH": (("FP-2.6", "tip_only"),),
    "D": (("FP-J.1", "jumped"), ("FP-J.2", "jumped_once")),
}
_READ: dict[str, tuple[str, ...]] = {
    "A": ("A31",),
    "B": ("A03", "A36"),
    "V": ("A05",),
    "G": ("A05", "A09"),
    "D": ("A11", "A12"),
    "E": ("A43",),
    "I": ("A30",),
    "K": ("A30",),
    "L": ("A25",),
    "M": ("A37",),
    "N": ("A30", "A33"),
    "O": ("A10",),
    "P": ("A42",),
}


def _errors(case: _Case, errors: list[Error], made: bool) -> list[Component]:
    """The components of the striker's errors, with their steps."""
    view = case.view
    for error in errors:
        letter = error.row.letter
        case.step(error.row.clause, "error", error.facts, read=_READ.get(letter, ()))
        for clause, phrase in _BESIDES.get(letter, ()):
            case.step(clause, phrase, error.facts)
        if letter == "A" and view.wrong_strike:
            case.step("FP-7.3", "wrong_ball_struck", error.facts, read=("A31",))
        elif letter == "B" and view.felled:
            case.step("FP-7.2", "red_then_pins", error.facts)
        elif letter == "L":
            case.step("FP-C.2" if view.cushion_first else "FP-C.1", "played_on_contact")
        elif letter == "M" and case.before.mode is Mode.OPENING:
            case.step("FP-4.5", "foot_at_opening")
        elif letter == "D":
            for ball, at in zip(view.off, view.off_at, strict=True):
                case.step(_OFF_CLAUSE[ball], f"off_{ball}", (at,))
    if view.lean_foul:
        case.step("FP-T.6a", "lean_later", view.lean_foul, read=("A26",))
    parts = costs([error.row.letter for error in errors], bool(view.lean_foul), case.law)
    total = sum(points for _, points in parts)
    case.step("FP-F.0d", "two_more", (), (("points", total),))
    if len(errors) + bool(view.lean_foul) > 1:
        case.step("FP-F.0a", "single" if case.law.single else "added", read=("A04",))
    if made:
        case.step("FP-7.5", "all_to_opponent", read=("A35",))
        case.step("FP-8.4", "all_points_to_opponent")
    return [_component(name, points, case.other) for name, points in parts]


def _waiting(case: _Case, letters: tuple[str, ...], components: list[Component]) -> int:
    """Points the striker gets for errors of the player who waits."""
    total = 0
    for name, points in costs(letters, False, case.law):
        components.append(_component(name, points, case.striker))
        total += points
    for letter in letters:
        case.step(f"FP-F.{letter}", "waiting_erred", read=("A29",))
    return total


def _between_strokes(case: _Case, shot: Shot, called: frozenset[str], waiting: tuple[str, ...]) -> FivePinsRuling:
    """Nothing was struck: errors of either player, or pins that moved by nobody's fault (FP-F.I, K, N, P)."""
    if case.before.mode is Mode.IDLE:
        for index, fact in enumerate(shot.facts):
            if type(fact) is Strike:
                raise IllegalFact(f"fact {index + 1}: a stroke was made, but the mode is 'idle'", position=index)
    elif not shot.facts and not shot.calls:
        raise IllegalFact("no facts and no calls: nothing to judge (a stroke begins with 'strike cue')", position=0)
    errors = idle_errors(called)
    components: list[Component] = []
    points = NIL
    if errors:
        for error in errors:
            letter = error.row.letter
            case.step(error.row.clause, "error", read=_READ[letter])
        parts = costs([error.row.letter for error in errors], False, case.law)
        components = [_component(name, cost, case.other) for name, cost in parts]
        points = points.plus(case.other, sum(cost for _, cost in parts))
        case.step("FP-F.0d", "two_more", (), (("points", points.of(case.other)),))
        if len(errors) > 1:
            case.step("FP-F.0a", "single" if case.law.single else "added", read=("A04",))
    if waiting:
        points = points.plus(case.striker, _waiting(case, waiting, components))
    if case.view.respot and not case.view.noted:
        case.step("FP-T.4b", "put_back")
    _noted(case)
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
    """Cut to the limit, find the winner and who is next, write the last steps."""
    before = case.before
    limit = before.limit
    raw = Score(before.score.a + points.a, before.score.b + points.b)
    winner: Player | None = None
    if raw.a >= limit or raw.b >= limit:
        if raw.a >= limit and raw.b >= limit:
            case.step("FP-P.3", "both_reach_limit", read=("A44",))
            return _left_to_referee(case)
        winner = Player.A if raw.a >= limit else Player.B
        case.step("FP-2.1", "limit", (), (("limit", limit),))
        case.step("FP-2.2", "game_won", read=("A32",))
        if raw.of(winner) > limit:
            case.step(
                "FP-2.3", "cut", (), (("credited", limit - before.score.of(winner)), ("points", points.of(winner)))
            )
        hand = False
    elif hand:
        case.step("FP-H.1a", "ball_in_hand", read=("A47",))
    if errors or own_pins:
        case.step("FP-7.0", "credited_to_opponent", read=("A01",))
    if stroke and winner is None:
        case.step("FP-2.5", "turn_passes", read=("A50",))
    return FivePinsRuling(
        game=GameId.FIVE_PINS,
        striker=before.striker,
        next=_TURN[next_player] if winner is None else None,
        winner=winner,
        placements=case.placements(),
        interpretations=tuple(case.interpretations),
        steps=tuple(case.steps),
        points=points,
        score=raw.capped(limit),
        components=tuple(components),
        ball_in_hand=hand,
        letters=tuple(error.row.letter for error in errors),
        waiting_letters=waiting,
        own_pins=own_pins,
        stroke=stroke,
    )
