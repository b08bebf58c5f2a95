"""The simulated referee at a pyramid table: what he would answer and call, read from the true facts of a shot."""

from __future__ import annotations

from marker_rules.balls import Ball
from marker_rules.facts import Contact, Fact, Off, Pot, Strike
from marker_rules.pyramid.legality import break_by, completed_by
from marker_rules.pyramid.story import read_story
from marker_rules.shot import Call
from marker_sim.truth import TrueShot


def _first_ball(facts: tuple[Fact, ...], cue: Ball) -> Ball | None:
    """The ball that the cue ball touched first."""
    for fact in facts:
        if isinstance(fact, Contact):
            for pair in fact.pairs:
                if cue in pair:
                    return pair[1] if pair[0] is cue else pair[0]
    return None


def _house(shot: TrueShot) -> frozenset[Ball]:
    """Object balls that lay in the house before the stroke."""
    named = dict(shot.timeline.decided).get("house", "")
    return frozenset(Ball(word) for word in named.replace(",", " ").split())


def _potted_after_outside(facts: tuple[Fact, ...], cue: Ball, house: frozenset[Ball]) -> int:
    """Balls that fell after the cue ball had touched one outside the house."""
    outside, count = False, 0
    for fact in facts:
        if isinstance(fact, Contact):
            outside = outside or any(cue in pair and set(pair) - {cue} - house for pair in fact.pairs)
        elif isinstance(fact, Pot) and outside:
            count += 1
    return count


def answers(shot: TrueShot) -> dict[str, str]:
    """QG balls potted, Q1 the coloured one among them, Q11 first ball outside the house, Q15 balls after such a contact,
    QL legal or foul by clauses 4 and 18, QM the cushions of a break.
    """
    facts, options = shot.timeline.shot.facts, shot.before.options
    cue = next(fact.ball for fact in facts if isinstance(fact, Strike))
    pots = [fact.ball for fact in facts if isinstance(fact, Pot)]
    story = read_story(
        facts,
        first_touch=options["frozen_first_touch"],
        jaw_is_rail=options["jaw_counts_as_rail"],
        on_line=frozenset(),
    )
    met = story.contact_at >= 0
    outside = _first_ball(facts, cue) not in _house(shot)
    wrong_first = not outside and options["house_ball_first"] == "foul"
    good = met and not wrong_first and completed_by(story, options) is not None
    return {
        "QG": str(len(pots)),
        "Q1": "yes" if Ball.C in pots else "no",
        "Q11": "yes" if outside else "no",
        "Q15": str(_potted_after_outside(facts, cue, _house(shot))),
        "QL": "legal" if good else "foul",
        "QM": "met" if met and break_by(story, pot_is_legal=False) is not None else "not-met",
    }


def calls(shot: TrueShot) -> list[tuple[Call, tuple[str, ...]]]:
    """The errors he saw, and balls that left the table, which no sensor feels."""
    facts = shot.timeline.shot.facts
    cue = next((fact.ball for fact in facts if isinstance(fact, Strike)), None)  # None: a call between strokes
    called: list[tuple[Call, tuple[str, ...]]] = [(call, ()) for call in shot.timeline.calls]
    if any(isinstance(fact, Pot) for fact in facts) and not any(isinstance(fact, Contact) for fact in facts):
        called.append((Call("RP-4.3", shot.striker), ()))  # a gate tells of the ball, nothing of what it did not touch
    for fact in facts:
        if isinstance(fact, Off):
            code = "RP-22.3a" if fact.ball is cue else "RP-22.3b"
            called.append((Call(code, shot.striker), ()))
    return called
