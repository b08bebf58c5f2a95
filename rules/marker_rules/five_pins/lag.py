"""The lag of five-pins (FP-3.5 to FP-3.10): who may choose the opening, or that it is repeated and who was late."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from marker_rules.errors import IllegalFact, MalformedFact, Undecided, cut
from marker_rules.ruling import Step


class Lane(StrEnum):
    """The half of the table a player lags in, as seen from the bottom cushion."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> Lane:
        """The other player's lane."""
        return Lane.RIGHT if self is Lane.LEFT else Lane.LEFT


class LagVerb(StrEnum):
    """What can happen in a lag; the value is the word of the notation."""

    STRIKE = "strike"
    TOP = "cushion top"
    LONG = "cushion long"
    PIN = "topple-pin"
    RED = "contact-red"
    CROSS = "cross"
    COLLIDE = "collide"
    NEARER = "nearer"


# Ways to lose the lag at once: what the ball did -> clause.
LOSSES = {
    LagVerb.CROSS: "FP-3.8a",
    LagVerb.LONG: "FP-3.8b",
    LagVerb.PIN: "FP-3.8c",  # read: one or more (A17)
    LagVerb.RED: "FP-3.8c",
}
MAX_FACTS = 60


@dataclass(frozen=True, slots=True)
class LagFact:
    """`lane` None: of `nearer equal`, and of `collide`. unknown: nobody could tell who caused the collision."""

    verb: LagVerb
    lane: Lane | None = None
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class LagRuling:
    """winner: may open or give the opening away (FP-3.10); None: repeated. late: the late marks from now on."""

    winner: Lane | None
    late: tuple[Lane, ...]
    steps: tuple[Step, ...]

    @property
    def replay(self) -> bool:
        """True when the lag is repeated."""
        return self.winner is None

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses it rests on."""
        return tuple(dict.fromkeys(step.clause for step in self.steps))


def parse_lag_fact(text: str, position: int = 0) -> LagFact:
    """Read one fact of a lag. Raises MalformedFact with the position and the word that did not fit."""
    words = text.split() if isinstance(text, str) else []
    for verb in LagVerb:
        head = verb.value.split()
        if words[: len(head)] == head:
            return _read(verb, words[len(head) :], text, position)
    expected = f"one of {', '.join(LagVerb)}"
    raise MalformedFact(
        f"fact {position + 1} '{cut(str(text))}': {expected} was expected",
        position=position,
        token=words[0] if words else "",
        expected=expected,
    )


def _read(verb: LagVerb, rest: Sequence[str], text: str, position: int) -> LagFact:
    if verb is LagVerb.COLLIDE:
        allowed: dict[str, LagFact] = {"": LagFact(verb), "unknown": LagFact(verb, None, True)}
    else:
        allowed = {lane.value: LagFact(verb, lane) for lane in Lane}
        if verb is LagVerb.NEARER:
            allowed["equal"] = LagFact(verb)
    found = allowed.get(" ".join(rest))
    if found is None:
        expected = " or ".join(f"'{word}'" if word else "nothing" for word in allowed)
        raise MalformedFact(
            f"fact {position + 1} '{cut(str(text))}': '{' '.join(rest)}' where {expected} was expected",
            position=position,
            token=" ".join(rest),
            expected=expected,
        )
    return found


def parse_lag(texts: Iterable[str]) -> tuple[LagFact, ...]:
    """Read the facts of one lag, in order. Raises MalformedFact."""
    facts = tuple(parse_lag_fact(text, position) for position, text in enumerate(texts))
    if len(facts) > MAX_FACTS:
        raise MalformedFact(f"{len(facts)} facts in one lag, at most {MAX_FACTS} are read", position=MAX_FACTS)
    return facts


def judge_lag(facts: Sequence[LagFact], late_marks: Sequence[Lane] = ()) -> LagRuling:
    """Judge one try. `late_marks`: from earlier tries of the same lag, at most one a player.

    Raises Undecided where the referee must still say which ball is nearer, IllegalFact where facts contradict.
    """
    if not facts:
        raise Undecided("nothing is known of the lag", features=("strike",))
    _check(facts)
    late = _late(facts)
    if late is not None:
        return _was_late(late, late_marks)
    losers, repeat = _losers(facts)
    marks = tuple(late_marks)
    if repeat is not None:
        return LagRuling(None, marks, (repeat,))
    if len(losers) == 1:
        lane, (clause, at) = next(iter(losers.items()))
        step = Step(clause, "lag_lost", (("lane", lane.value),), (at,))
        return LagRuling(lane.other, marks, (step, *_choice(lane.other)))
    if losers:
        steps = [Step(clause, "lag_lost", (("lane", lane.value),), (at,)) for lane, (clause, at) in losers.items()]
        return LagRuling(None, marks, (*steps, Step("FP-3.9", "lag_both_lost")))
    return _by_distance(facts, marks)


def _check(facts: Sequence[LagFact]) -> None:
    seen: set[tuple[LagVerb, Lane | None]] = set()
    once = (LagVerb.STRIKE, LagVerb.NEARER)
    for at, fact in enumerate(facts):
        key = (fact.verb, None if fact.verb is LagVerb.NEARER else fact.lane)
        if fact.verb in once and key in seen:
            raise IllegalFact(f"fact {at + 1}: '{fact.verb}' stands twice", position=at)
        seen.add(key)


def _late(facts: Sequence[LagFact]) -> Lane | None:
    """The player whose ball was not in motion when the other one's reached the top cushion (FP-3.6)."""
    struck: set[Lane] = set()
    for fact in facts:
        if fact.verb is LagVerb.STRIKE and fact.lane is not None:
            struck.add(fact.lane)
        elif fact.verb is LagVerb.TOP and fact.lane is not None:
            return next((lane for lane in Lane if lane not in struck and lane is not fact.lane), None)
    return None


def _was_late(late: Lane, marks: Sequence[Lane]) -> LagRuling:
    step = Step("FP-3.6", "lag_late", (("lane", late.value),))
    if late in marks:
        lost = Step("FP-3.7", "lag_late_twice", (("lane", late.value),))
        return LagRuling(late.other, (*marks, late), (step, lost, *_choice(late.other)))
    return LagRuling(None, (*marks, late), (step,))


def _losers(facts: Sequence[LagFact]) -> tuple[dict[Lane, tuple[str, int]], Step | None]:
    """Who lost by FP-3.8a to FP-3.8c, or the step that says why it is repeated. After a collision only its culprit matters (A18)."""
    losers: dict[Lane, tuple[str, int]] = {}
    for at, fact in enumerate(facts):
        if fact.verb is LagVerb.COLLIDE and not losers:
            crossed = {
                later.lane: (LOSSES[LagVerb.CROSS], at + offset)
                for offset, later in enumerate(facts[at:])
                if later.verb is LagVerb.CROSS and later.lane is not None
            }
            if fact.unknown or len(crossed) != 1:
                return {}, Step("FP-3.9", "lag_culprit_unknown", (), (at,))
            return {lane: why for lane, why in crossed.items() if lane is not None}, None
        if fact.verb is LagVerb.COLLIDE:
            break
        if fact.verb in LOSSES and fact.lane is not None:
            losers.setdefault(fact.lane, (LOSSES[fact.verb], at))
    return losers, None


def _by_distance(facts: Sequence[LagFact], marks: tuple[Lane, ...]) -> LagRuling:
    reached = {fact.lane for fact in facts if fact.verb is LagVerb.TOP}
    short = [lane for lane in Lane if lane not in reached]
    if short:  # not listed as a loss; the referee, by default a new lag (A45)
        return LagRuling(None, marks, tuple(Step("FP-3.5", "lag_short", (("lane", lane.value),)) for lane in short))
    nearer = next((fact for fact in facts if fact.verb is LagVerb.NEARER), None)
    if nearer is None:
        raise Undecided("which ball stopped nearer the bottom cushion is not known", features=("nearer",))
    if nearer.lane is None:
        return LagRuling(None, marks, (Step("FP-3.9", "lag_equal"),))
    return LagRuling(nearer.lane, marks, (Step("FP-3.5", "lag_both_reached"), *_choice(nearer.lane)))


def _choice(winner: Lane) -> tuple[Step, ...]:
    return (Step("FP-3.10", "lag_choice", (("lane", winner.value),)),)
