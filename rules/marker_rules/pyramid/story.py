"""The facts of one pyramid shot, read once: who was struck, what was met, what fell, which balls did what in order.

Facts that cannot have happened raise `IllegalFact` with their position; nothing here knows what a shot is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NoReturn

from marker_rules import facts as f
from marker_rules.balls import FIVE_PINS_BALLS, PYRAMID_RAILS, Ball, Pocket, Rail
from marker_rules.errors import IllegalFact
from marker_rules.notation import format_fact

RAIL_BIT = {Rail.HEAD: 1, Rail.FOOT: 2, Rail.LEFT: 4, Rail.RIGHT: 8}
JAW_RAIL = {Pocket.ML: RAIL_BIT[Rail.LEFT], Pocket.MR: RAIL_BIT[Rail.RIGHT]}
FLOOR = ("", "floor")  # from there a ball does not come back by itself
FOREIGN_BALLS = frozenset(FIVE_PINS_BALLS)


class Kind(IntEnum):
    """The elementary events of clause 18 (RP-18.N1)."""

    MEET = 0  # two balls met
    RAIL = 1
    CROSS = 2
    ZONE = 3


MEET, RAIL, CROSS, ZONE = Kind.MEET, Kind.RAIL, Kind.CROSS, Kind.ZONE
Event = tuple[Kind, Ball, int | Ball, int]  # kind, ball, rail bit or other ball, index of the fact


class Story:
    """struck: None when no stroke was made. events: in order; meetings all, the others only those after the first contact of the struck ball.

    potted, off: in order of the facts, without balls that came back. frozen: ball -> rail bits before the shot.
    cue_contacts: (index, object ball) of every contact of the struck ball. balls: every ball named -> first index.
    touching: index of a contact with a touching ball that did not move (RP-17.N1). cushion_before: index of the last
    cushion of the struck ball before its first contact. odd: anything seldom: one of these two, a frozen ball, a jaw, a
    ball that left or came back. emergency: no person disturbed the shot (RP-24.2). An index is -1 where there is no
    such fact.
    """

    __slots__ = (
        *("back", "balls", "contact_at", "cue_contacts", "cushion_before", "disturbed", "events", "foreign", "frozen"),
        "emergency",
        *("jaws", "odd", "off", "potted", "returned", "strike_at", "struck", "touching"),
    )

    def __init__(self) -> None:
        self.struck: Ball | None = None
        self.strike_at = self.contact_at = self.touching = self.cushion_before = self.disturbed = -1
        self.odd = self.emergency = False
        self.cue_contacts: list[tuple[int, Ball]] = []
        self.events: list[Event] = []
        self.potted: dict[Ball, int] = {}
        self.off: dict[Ball, int] = {}
        self.back: dict[Ball, int] = {}
        self.returned: dict[Ball, int] = {}
        self.foreign: dict[Ball, int] = {}
        self.frozen: dict[Ball, int] = {}
        self.jaws: dict[Ball, int] = {}
        self.balls: dict[Ball, int] = {}


def _illegal(fact: f.Fact, at: int, why: str) -> NoReturn:
    raise IllegalFact(f"fact {at + 1} '{format_fact(fact)}': {why}", position=at)


class _Reader:
    """Walks the facts once; `story` is the result."""

    __slots__ = ("balls", "first_touch", "jaw_is_rail", "left", "moved_by", "on_line", "story")

    def __init__(self, on_line: frozenset[Ball], *, first_touch: bool, jaw_is_rail: bool) -> None:
        self.story = Story()
        self.balls = self.story.balls
        self.first_touch = first_touch
        self.jaw_is_rail = jaw_is_rail
        self.on_line = on_line  # balls that stand exactly on the centre line (RP-18.N2)
        self.left: set[Ball] = set()  # balls that have demonstrably moved away from where they lay
        self.moved_by: dict[Ball, Ball] = {}  # what first set a ball moving

    def ball(self, fact: f.Fact, at: int, ball: Ball) -> Ball:
        """The ball, if it can still take part."""
        balls = self.balls
        if ball not in balls:
            if ball in FOREIGN_BALLS:
                _illegal(fact, at, f"'{ball}' is no ball of pyramid; give C or w1 to w15")
            balls[ball] = at
            return ball
        story = self.story
        if ball in story.potted:
            _illegal(
                fact, at, f"{ball} already fell (fact {story.potted[ball] + 1}); if it came back, say 'back' first"
            )
        if ball in story.off and ball not in story.foreign:
            _illegal(fact, at, f"{ball} is already off the table (fact {story.off[ball] + 1})")
        return ball

    def rail(self, fact: f.Cushion | f.Frozen, at: int) -> int:
        if fact.rail not in PYRAMID_RAILS:
            _illegal(fact, at, f"'{fact.rail}' is no cushion of a pyramid table; give head, foot, left or right")
        return RAIL_BIT[fact.rail]

    def counts(self, ball: Ball) -> bool:
        """Events count after the first contact, for balls that are on the table (RP-18.0, RP-22.2b)."""
        return self.story.contact_at >= 0 and ball not in self.story.off

    def contact(self, fact: f.Contact, at: int) -> None:
        story, pairs = self.story, fact.pairs
        for one, other in pairs:
            self.ball(fact, at, one)
            self.ball(fact, at, other)
        if fact.unmoved:
            if story.contact_at < 0:
                story.touching, story.odd = at, True
            return
        struck, off = story.struck, story.off
        for one, other in pairs:
            if one is struck or other is struck:
                if story.contact_at < 0:
                    story.contact_at = at
                story.cue_contacts.append((at, other if one is struck else one))
            if not off or (one not in off and other not in off):
                story.events.append((MEET, one, other, at))
            if story.frozen:
                self.depart(one, other)

    def depart(self, one: Ball, other: Ball) -> None:
        """A moving ball that meets another one, not at the same cushion, has left its place (AMB-05).

        Being met is no proof: the ball may only be pressed into its cushion by the one that met it.
        """
        frozen, moved_by = self.story.frozen, self.moved_by
        for mover, met in ((one, other), (other, one)):
            moving = mover is self.story.struck or mover in moved_by
            if moving and moved_by.get(mover) is not met and not frozen.get(mover, 0) & frozen.get(met, 0):
                self.left.add(mover)
        moved_by.setdefault(one, other)
        moved_by.setdefault(other, one)

    def cushion(self, fact: f.Cushion, at: int) -> None:
        ball, bit, story = self.ball(fact, at, fact.ball), self.rail(fact, at), self.story
        pressed = False
        if story.frozen:
            pressed = story.frozen.get(ball, 0) & bit != 0 and ball not in self.left
            self.left.add(ball)
        if story.contact_at < 0:
            if ball is story.struck:
                story.cushion_before, story.odd = at, True
        elif ball not in story.off and (self.first_touch or not pressed):
            story.events.append((RAIL, ball, bit, at))

    def cross(self, ball: Ball, at: int) -> None:
        self.left.add(ball)
        if ball in self.on_line:
            self.on_line -= {ball}
            return
        if self.counts(ball):
            self.story.events.append((CROSS, ball, 0, at))

    def jaw(self, fact: f.Jaw, at: int) -> None:
        ball = self.ball(fact, at, fact.ball)
        self.story.odd = True
        self.on_line -= {ball}
        self.cross(ball, at)
        if self.counts(ball):
            self.story.jaws[ball] = at
        if self.jaw_is_rail and self.counts(ball):
            self.story.events.append((RAIL, ball, JAW_RAIL[fact.pocket], at))

    def leave(self, fact: f.Off, at: int) -> None:
        """A ball is off the table (RP-22.1); from a foreign object it may come back and is off all the same (RP-22.2b)."""
        story = self.story
        if fact.ball in story.off:
            _illegal(fact, at, f"{fact.ball} is already off the table (fact {story.off[fact.ball] + 1})")
        story.off[self.ball(fact, at, fact.ball)] = at
        story.odd = True
        if fact.where not in FLOOR:
            story.foreign[fact.ball] = at

    def strike(self, fact: f.Strike, at: int) -> None:
        story = self.story
        if story.struck is not None:
            _illegal(
                fact,
                at,
                f"the stroke was made already (fact {story.strike_at + 1}); a second one is a new shot (RP-12.2)",
            )
        story.struck, story.strike_at = self.ball(fact, at, fact.ball), at

    def frozen(self, fact: f.Frozen, at: int) -> None:
        ball, bit = self.ball(fact, at, fact.ball), self.rail(fact, at)
        self.story.frozen[ball] = self.story.frozen.get(ball, 0) | bit
        self.story.odd = True

    def zone(self, fact: f.Zone, at: int) -> None:
        if self.counts(self.ball(fact, at, fact.ball)):
            self.story.events.append((ZONE, fact.ball, 0, at))

    def pot(self, fact: f.Pot, at: int) -> None:
        """A ball fell; one that paused on the edge and then fell was potted by the shot, however late (RP-21.3)."""
        ball = self.ball(fact, at, fact.ball)
        if ball not in self.story.off:  # off by a foreign object, it stays off wherever it ends (RP-22.2b)
            self.story.potted[ball] = at

    def back(self, fact: f.Back, at: int) -> None:
        self.story.potted.pop(fact.ball, None)
        self.story.back[self.ball(fact, at, fact.ball)] = at
        self.story.odd = True

    def returned(self, fact: f.Return, at: int) -> None:
        self.story.returned[self.ball(fact, at, fact.ball)] = at
        self.story.odd = True

    def crossed(self, fact: f.Cross, at: int) -> None:
        self.cross(self.ball(fact, at, fact.ball), at)

    def disturbed(self, fact: f.Interference, at: int) -> None:
        self.story.disturbed = at
        self.story.emergency = fact.kind is f.Disturbance.FORCE_MAJEURE

    def foreign(self, fact: f.Fact, at: int) -> None:
        _illegal(fact, at, "belongs to five-pins, nothing of the kind happens in pyramid")


_READERS: dict[type, Callable[[_Reader, Any, int], None]] = {
    f.Strike: _Reader.strike,
    f.Contact: _Reader.contact,
    f.Cushion: _Reader.cushion,
    f.Cross: _Reader.crossed,
    f.Jaw: _Reader.jaw,
    f.Zone: _Reader.zone,
    f.Pot: _Reader.pot,
    f.Back: _Reader.back,
    f.Off: _Reader.leave,
    f.Return: _Reader.returned,
    f.Interference: _Reader.disturbed,
    **dict.fromkeys((f.Topple, f.Restand, f.Wobble, f.Shift, f.Free, f.Lean), _Reader.foreign),
    **dict.fromkeys((f.Hop, f.Pass, f.Support), _Reader.foreign),
}
_WITHOUT_STROKE = frozenset({f.Pot, f.Strike, f.Interference})


def read_story(
    facts: tuple[f.Fact, ...], *, first_touch: bool, jaw_is_rail: bool, on_line: frozenset[Ball] = frozenset()
) -> Story:
    """Read the facts of one shot, 0..400 in time order.

    first_touch: the first press of a frozen ball is a touch (switch `frozen_first_touch`). jaw_is_rail: a side-pocket
    jaw is a cushion (switch `jaw_counts_as_rail`). on_line: balls that stood exactly on the centre line.
    Raises IllegalFact with the position of the fact that cannot have happened.
    """
    reader = _Reader(on_line, first_touch=first_touch, jaw_is_rail=jaw_is_rail)
    story = reader.story
    kinds = list(map(type, facts))
    if f.Frozen in kinds:  # where balls lay is known before anything moves
        for at, fact in enumerate(facts):
            if isinstance(fact, f.Frozen):
                reader.frozen(fact, at)
    for at, kind in enumerate(kinds):
        if kind is f.Note or kind is f.Frozen:
            continue
        if story.struck is None and kind not in _WITHOUT_STROKE:
            _illegal(facts[at], at, "comes before the stroke; begin with 'strike' and the ball struck")
        _READERS[kind](reader, facts[at], at)
    return story
