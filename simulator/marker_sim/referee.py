"""The simulated referee's eyes: what he would answer and call, read from the true facts of a shot.

Written from the meaning of the questions, not from the engine that asks them, so that the two check each other.
"""

from __future__ import annotations

from typing import Any

from marker_rules.balls import Ball, Pin
from marker_rules.facts import Contact, Fact, Hop, Off, Strike, Topple
from marker_rules.shot import Call
from marker_sim import referee_pyramid
from marker_sim.truth import TrueShot

DISTURBED = "disturbed"
"""Id of the hub's own question: something moved, and no stroke was felt."""


def _meetings(facts: tuple[Fact, ...]) -> list[tuple[int, frozenset[Ball]]]:
    return [(at, frozenset(pair)) for at, fact in enumerate(facts) if isinstance(fact, Contact) for pair in fact.pairs]


def _red_reached(meetings: list[tuple[int, frozenset[Ball]]], touched: int) -> str:
    """Who reached red after, or by, the touch of the opponent's ball; of two at one instant the cue ball.

    Both met by the cue ball at one instant is neither carom nor ricochet (A38).
    """
    cue = [at for at, pair in meetings if pair == {Ball.CUE, Ball.RED} and at >= touched]
    opponent = [at for at, pair in meetings if pair == {Ball.OPPONENT, Ball.RED} and at >= touched]
    both_at_once = touched in cue
    by_cue = min((at for at in cue if at > touched), default=None)
    by_opponent = min((at for at in opponent if at > touched or not both_at_once), default=None)
    if by_cue is None and by_opponent is None:
        return "nobody"
    return "cue" if by_opponent is None or (by_cue is not None and by_cue <= by_opponent) else "opponent"


def five_pins_answers(facts: tuple[Fact, ...]) -> dict[str, str]:
    """Answers to Q1 (first ball), Q2 (who then reached red), Q3 (cue ball felled a pin), Q4 (opponent's ball touched), QP (pins that fell)."""
    meetings = _meetings(facts)
    firsts = [pair for _, pair in meetings if Ball.CUE in pair]
    first = next(iter(firsts[0] - {Ball.CUE})).value if firsts else "none"
    touched = next((at for at, pair in meetings if pair == {Ball.CUE, Ball.OPPONENT}), None)
    red = "nobody"
    if touched is not None:
        red = _red_reached(meetings, touched)
    own = [at for at, fact in enumerate(facts) if isinstance(fact, Topple) and fact.by is Ball.CUE]
    before = bool(own) and (touched is None or own[0] < touched)
    felled = "before" if before else "after" if own else "no"
    fell = {pin for fact in facts if isinstance(fact, Topple) for pin in fact.pins}
    return {
        "Q1": first,
        "Q2": red,
        "Q3": felled,
        "Q4": "no" if touched is None else "yes",
        "QP": ",".join(pin for pin in Pin if pin in fell) or "none",
    }


def five_pins_calls(shot: TrueShot) -> list[tuple[Call, tuple[str, ...]]]:
    """What he calls: the errors he saw, and balls off and jumps, which no sensor feels; with the balls concerned."""
    facts = shot.timeline.shot.facts
    called: list[tuple[Call, tuple[str, ...]]] = [(call, ()) for call in shot.timeline.calls]
    off = tuple(fact.ball.value for fact in facts if isinstance(fact, Off))
    if off:
        called.append((Call("D", shot.striker), off))
    if any(isinstance(fact, Strike) and fact.ball is not Ball.CUE for fact in facts):
        called.append((Call("A", shot.striker), ()))
    if any(isinstance(fact, Hop) for fact in facts) and "O" in getattr(shot.ruling, "letters", ()):
        called.append((Call("O", shot.striker), ()))
    return called


def to_change(sheet: dict[str, Any], truth: dict[str, str], first: str | None = None) -> tuple[str, str] | None:
    """The first row of the sheet that does not show the truth, and the answer that does; None when all do.

    first: a row that is looked at before the others.
    """
    for row in sorted(sheet["rows"], key=lambda one: one["id"] != first):
        wanted = truth[row["id"]]
        if row["multi"]:
            shown = ",".join(answer["id"] for answer in row["answers"] if answer["selected"]) or "none"
            if shown != wanted:
                return row["id"], wanted
            continue
        answer = next((a for a in row["answers"] if wanted in a["id"].split("|")), None)
        if answer is not None and not answer["selected"]:
            return row["id"], answer["id"]
    return None


def answers(shot: TrueShot) -> dict[str, str]:
    """Question id to the true answer, whatever the game; what the hub took for a disturbance was the stroke."""
    pyramid = shot.ruling.game.is_pyramid
    found = referee_pyramid.answers(shot) if pyramid else five_pins_answers(shot.timeline.shot.facts)
    return {**found, DISTURBED: "shot"}


def called(shot: TrueShot) -> list[tuple[Call, tuple[str, ...]]]:
    """What he enters besides his answers, with the balls concerned."""
    return referee_pyramid.calls(shot) if shot.ruling.game.is_pyramid else five_pins_calls(shot)
