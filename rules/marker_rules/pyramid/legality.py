"""Clause 18 and clause 11.1 as tables: what completes a shot, what makes a break legal.

A pattern of clause 18 speaks of one ball that first did something (its head: touched a cushion, crossed the centre
line) and then does something else (its tail), or makes another ball do it by meeting it. Heads are kept per ball as
bits: the four cushions and the crossing; a meeting passes each ball's bits to the other as driven bits. Two balls that
meet drive each other: a ball with a head has been moving, and which of two moving balls drove the other nobody can say.
Only events after the first contact of cue and object ball are looked at (RP-18.0, AMB-06), in their order (RP-18.N1).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import lru_cache

from marker_rules.balls import Ball
from marker_rules.options import Options
from marker_rules.pyramid.story import CROSS, MEET, RAIL, Story

RAILS = 1 | 2 | 4 | 8  # head, foot, left, right; the halves of a long cushion are one cushion (AMB-04)
CROSSED = 16
ALWAYS = 32  # a head every ball has: the tail alone is enough


class Tail(IntEnum):
    """What completes a pattern."""

    RAIL = 0  # touches a cushion
    FROZEN = 1  # touches a ball that stands against a cushion
    CROSS = 2
    ZONE = 3  # stops in a pocket zone


class Who(Enum):
    """Which ball must have the head."""

    SELF = "the ball itself"
    DRIVER = "a ball that met it afterwards"
    ANY = "any ball"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row of clause 18. `other`: the cushion of the tail must differ from the one of the head."""

    clause: str
    head: int
    tail: Tail
    who: Who
    other: bool = False


PATTERNS = (
    Pattern("RP-18.2", RAILS, Tail.RAIL, Who.SELF, other=True),
    Pattern("RP-18.2a", RAILS, Tail.RAIL, Who.DRIVER, other=True),
    Pattern("RP-18.2b", RAILS, Tail.FROZEN, Who.SELF, other=True),
    # head of the next three: a ball crosses the centre line (RP-18.3)
    Pattern("RP-18.3a", CROSSED, Tail.RAIL, Who.SELF),
    Pattern("RP-18.3b", CROSSED, Tail.RAIL, Who.DRIVER),
    Pattern("RP-18.3c", CROSSED, Tail.FROZEN, Who.SELF),
    # head of the last three: a ball rebounds from a cushion (RP-18.4; 18.5 and 18.6 read as 4b and 4c, AMB-02)
    Pattern("RP-18.4a", RAILS, Tail.CROSS, Who.SELF),
    Pattern("RP-18.5", RAILS, Tail.CROSS, Who.DRIVER),
    Pattern("RP-18.6", RAILS, Tail.ZONE, Who.SELF),
)
POTTED = "RP-18.1"
BREAK_POTTED = "RP-11.1.1"
BREAK_RAILS = {3: "RP-11.1.2", 2: "RP-11.1.3"}  # different object balls that touched a cushion; 2 need a crossing too
ORDER = (POTTED, *(pattern.clause for pattern in PATTERNS))


@lru_cache(maxsize=512)
def patterns(options: Options) -> tuple[tuple[Pattern, ...], ...]:
    """The rows in force under `options`, by tail."""
    rows = list(PATTERNS)
    if options["two_rails"] == "any_balls":  # AMB-04
        rows.insert(1, Pattern("RP-18.2", RAILS, Tail.RAIL, Who.ANY, other=True))
    if not options["zone_stop_requires_rail"]:  # AMB-03
        rows.append(Pattern("RP-18.6", ALWAYS, Tail.ZONE, Who.SELF))
    return tuple(tuple(row for row in rows if row.tail is tail) for tail in Tail)


@dataclass(frozen=True, slots=True)
class Met:
    """A condition that was met, and the facts that met it."""

    clause: str
    facts: tuple[int, ...]


class _Walk:
    """The state of one walk over the events: bits of each ball, bits it got by being met."""

    __slots__ = ("any_bits", "driven", "found", "frozen", "met_at", "own", "rows")

    def __init__(self, story: Story, rows: tuple[tuple[Pattern, ...], ...]) -> None:
        self.rows = rows
        self.own: dict[Ball, int] = {}
        self.driven: dict[Ball, int] = {}
        self.any_bits = 0
        self.frozen = story.frozen
        self.met_at: dict[Ball, int] = {}  # frozen balls: the instant of their first meeting
        self.found: dict[str, int] = {}

    def try_tail(self, tail: Tail, ball: Ball, rail: int, at: int) -> None:
        """Look for rows that end with this event. rail: bit of the tail's cushion, 0 if none."""
        for row in self.rows[tail]:
            if row.who is Who.SELF:
                bits = self.own.get(ball, 0) | ALWAYS
            elif row.who is Who.DRIVER:
                bits = self.driven.get(ball, 0)
            else:
                bits = self.any_bits
            if bits & row.head & ~(rail if row.other else 0):
                self.found.setdefault(row.clause, at)

    def touch_frozen(self, ball: Ball, rails: int, at: int) -> None:
        """`ball` touches a ball that stands against `rails` (two of them in a corner)."""
        for bit in (1, 2, 4, 8):
            if rails & bit:
                self.try_tail(Tail.FROZEN, ball, bit, at)

    def meet(self, one: Ball, other: Ball, at: int) -> None:
        own, driven, frozen, met_at = self.own, self.driven, self.frozen, self.met_at
        if frozen:  # a ball met at an earlier instant has moved: it stands against its cushion no longer
            if other in frozen and met_at.setdefault(other, at) == at:
                self.touch_frozen(one, frozen[other], at)
            if one in frozen and met_at.setdefault(one, at) == at:
                self.touch_frozen(other, frozen[one], at)
        if own:
            mine, theirs = own.get(one, 0), own.get(other, 0)
            driven[other] = driven.get(other, 0) | mine
            driven[one] = driven.get(one, 0) | theirs


def completed_by(story: Story, options: Options) -> Met | None:
    """The first condition of clause 18, in the order of the text, that an ordinary shot met; None if none.

    Contact of the cue ball is a condition of its own (RP-4.1) and not checked here.
    """
    if story.potted:
        return Met(POTTED, tuple(story.potted.values()))
    if not story.events:
        return None
    walk = _Walk(story, patterns(options))
    for kind, ball, detail, at in story.events:
        if kind is MEET:
            assert isinstance(detail, Ball)
            walk.meet(ball, detail, at)
        elif kind is RAIL:
            assert isinstance(detail, int)
            if walk.own:  # without any head yet no cushion completes a pattern
                walk.try_tail(Tail.RAIL, ball, detail, at)
            walk.own[ball] = walk.own.get(ball, 0) | detail
            walk.any_bits |= detail
        elif kind is CROSS:
            walk.try_tail(Tail.CROSS, ball, 0, at)
            walk.own[ball] = walk.own.get(ball, 0) | CROSSED
        else:
            walk.try_tail(Tail.ZONE, ball, 0, at)
    if not walk.found:
        return None
    for clause in ORDER:
        if clause in walk.found:
            return Met(clause, (walk.found[clause],))
    return None


def break_by(story: Story, *, pot_is_legal: bool) -> Met | None:
    """The condition of 11.1 that a break met after the contact (RP-11.1.0). pot_is_legal: no other rule was broken (AMB-13)."""
    if story.potted and pot_is_legal:
        return Met(BREAK_POTTED, tuple(story.potted.values()))
    reached: dict[Ball, int] = {}
    crossed = -1
    for kind, ball, _, at in story.events:
        if ball is story.struck:
            continue
        if kind is RAIL:
            reached.setdefault(ball, at)
        elif kind is CROSS and crossed < 0:
            crossed = at
    if len(reached) >= 3:
        return Met(BREAK_RAILS[3], tuple(reached.values()))
    if len(reached) == 2 and crossed >= 0:
        return Met(BREAK_RAILS[2], (*reached.values(), crossed))
    return None
