"""What decides a pyramid shot, and every way it can have gone given what was sensed. No ball is credited here.

Contact, the number of balls potted, the coloured ball among them, the first ball outside the house and whether a
pattern of clause 18 (of 11.1 on the break) was met decide every ruling.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from enum import StrEnum
from functools import lru_cache, partial
from typing import NamedTuple

from marker_rules.balls import WHITES, Ball, Pocket, Rail
from marker_rules.evidence.likelihood import table as likelihood
from marker_rules.evidence.observations import Channel, Evidence, Kind
from marker_rules.evidence.worlds import Feature, Shape, World
from marker_rules.facts import Contact, Cross, Cushion, Fact, Frozen, Off, Pot, Strike, Zone
from marker_rules.options import Options
from marker_rules.pyramid import sensed, standing
from marker_rules.pyramid.ruling import PyramidRuling
from marker_rules.pyramid.sensed import RAILS, Layout, Reading
from marker_rules.pyramid.state import PyramidState
from marker_rules.shot import Call

LEGAL, FOUL = "legal", "foul"
MET, NOT_MET = "met", "not-met"
YES, NO = "yes", "no"
HOUSE_BALL_FIRST = "RP-19.2a"  # no fact tells it: the first ball touched lay in the house


class Way(NamedTuple):
    """One combination. pattern: met without a pot. outside: the first ball lay outside the house (None: no question).

    late: where pots before a contact outside do not count (AMB-20), how many fell after one; else all.
    """

    contact: bool
    potted: int
    coloured: bool = False
    pattern: bool = False
    outside: bool | None = None
    late: int = 0


@lru_cache(maxsize=256)
def _asked(
    balls: int, breaks: bool, from_house: bool, fixed: bool, house_foul: bool
) -> tuple[tuple[Feature, ...], tuple[int, ...]]:
    """The questions of a shot, and their places in `_values`."""
    numbers = tuple(map(str, range(balls + 1)))
    asked = [(Feature("QG", numbers, Shape.NUMBER), 0)]
    if from_house:
        asked.append((Feature("Q11", (YES, NO)), 1) if house_foul else (Feature("Q15", numbers, Shape.NUMBER), 4))
    asked.append((Feature("QM", (MET, NOT_MET)) if breaks else Feature("QL", (LEGAL, FOUL)), 2))
    if fixed:
        asked.append((Feature("Q1", (YES, NO)), 3))
    return tuple(feature for feature, _ in asked), tuple(place for _, place in asked)


def _house_foul(options: Options) -> bool:
    """Whether touching a ball in the house first is a foul; else the pots before a contact outside do not count."""
    return bool(options["house_ball_first"] == "foul")


class PyramidModel:
    """QG balls potted, Q11 first ball outside the house, QL legal or foul (QM met or not), Q1 coloured ball potted."""

    channels = (Channel.CLICKS, Channel.CUSHIONS, Channel.GATES)

    def view(self, before: PyramidState) -> Layout:
        """Which game and shot, who plays it, and the balls on the table."""
        return Layout(before.game, before.striker, before.phase, before.table)

    def features(self, before: Layout, options: Options) -> tuple[Feature, ...]:
        """In the order of a referee's thoughts: how many, how, which."""
        return _asked(before.balls, before.breaks, before.from_house, before.fixed, _house_foul(options))[0]

    def reading(self, evidence: Evidence, before: Layout, options: Options) -> Reading:
        """What of the evidence decides how the shot can have gone."""
        return sensed.read(evidence, before, options)

    def worlds(self, reading: Reading, options: Options) -> tuple[World, ...]:
        """Every combination within the bounds, with the shortest facts that realise it."""
        house_foul = _house_foul(options)
        _, places = _asked(reading.balls, reading.breaks, reading.from_house, reading.fixed, house_foul)
        inside, pattern = (Call(HOUSE_BALL_FIRST, reading.striker),), _pattern(reading)
        found = []
        for way in _ways(reading, house_foul):
            values = _values(way, reading, house_foul)
            found.append(
                World(
                    tuple([values[place] for place in places]),
                    partial(_facts, way, reading),
                    _length(way, reading),
                    calls=inside if way.outside is False else (),
                    kind=_kind(way, reading),
                    fit=_fit(way, reading),
                    alike=(way, pattern if way.pattern else None, min(reading.balls - way.potted, 2)),
                )
            )
        return tuple(found)

    def hints(self, evidence: Evidence) -> tuple[str, ...]:
        """How many clicks were heard and cushion hits felt."""
        found = []
        for kind, name in ((Kind.CLICK, "clicks"), (Kind.CUSHION, "cushions")):
            felt = evidence.hinted(kind)
            if felt is not None:
                found.append(f"{name}={min(len(felt), 3)}")
        return tuple(found)

    def kind(self, before: PyramidState, options: Options) -> Hashable:
        """What of a state decides a ruling, the score and the balls on the table apart."""
        return standing.kind(before, options)

    def lacking(self, before: PyramidState, options: Options) -> tuple[int, ...]:
        """The balls the striker lacks to win the frame."""
        return standing.lacking(before, options)

    def gain(self, ruling: PyramidRuling) -> tuple[int, ...]:
        """The balls it credits the striker."""
        return (len(ruling.credited),)

    def stand_in(self, before: PyramidState, lacking: tuple[int, ...], options: Options) -> PyramidState:
        """The state in which a shot is sorted."""
        return standing.stand_in(before, lacking, options)


def _ways(seen: Reading, house_foul: bool) -> Iterator[Way]:
    if not seen.contact:
        for potted in range(seen.least, seen.most + 1):
            if potted < 2:  # nothing but the cue ball moved
                yield Way(contact=False, potted=potted, coloured=bool(potted and seen.fixed))
        return
    whites = seen.balls - seen.fixed
    met = [pattern for pattern in (True, False) if (seen.can_meet if pattern else not seen.must_meet)]
    for potted in range(seen.least, seen.most + 1):
        patterns = [False] if potted and not seen.breaks else met  # 18.1 is enough
        for coloured in (True, False) if potted and seen.fixed and not seen.cue_off else (False,):
            if potted - coloured > whites:
                continue
            for pattern in patterns:
                for outside, late in _first_ball(seen, potted, house_foul):
                    yield Way(True, potted, coloured, pattern, outside, late)


def _first_ball(seen: Reading, potted: int, house_foul: bool) -> list[tuple[bool | None, int]]:
    """Where the first ball can have lain, and how many balls can have fallen after a contact outside the house."""
    if not (potted and seen.from_house):
        return [(None, potted)]
    if house_foul:
        return [(True, potted), (False, potted)]
    others = seen.balls - 1  # of these one must still lie there to be touched outside
    return [(late == potted, late) for late in range(potted, -1, -1) if not late or potted - late < others]


def _values(way: Way, seen: Reading, house_foul: bool) -> tuple[str | None, ...]:
    """The answers to QG, Q11, QL or QM, Q1, Q15. QM speaks of the cushions only: a pot voided by a foul does not meet 11.1."""
    if seen.breaks:
        result = MET if way.pattern else NOT_MET
    else:
        inside = way.outside is False and house_foul
        result = LEGAL if way.contact and not inside and (way.pattern or way.potted) else FOUL
    outside = None if way.outside is None else YES if way.outside else NO
    late = None if way.outside is None else str(way.late)
    return str(way.potted), outside, result, YES if way.coloured else NO, late


def _length(way: Way, seen: Reading) -> int:
    """How long the story of a way is."""
    return (
        1
        + way.contact
        + way.potted
        + (2 if way.pattern else 0)
        + (way.outside is False and way.late > 0)
        + seen.cue_off
    )


def _facts(way: Way, seen: Reading) -> tuple[Fact, ...]:
    whites = WHITES[: seen.balls - seen.coloured]
    cue, *others = (Ball.C, *whites) if seen.coloured else whites
    if not way.contact:
        return (Strike(cue), *((Pot(cue, _pocket(seen, 0)),) if way.potted else ()))
    facts: list[Fact] = [Strike(cue), Contact(((cue, others[0]),))]
    if way.pattern:
        facts = _pattern_facts(facts, others, seen)
    objects = [*others, cue] if not seen.fixed else others
    fell = [*objects[: way.potted - way.coloured], *([cue] if way.coloured else [])]
    pots: list[Fact] = [Pot(ball, _pocket(seen, at)) for at, ball in enumerate(fell)]
    if way.outside is False and way.late:
        early = way.potted - way.late
        pots = [*pots[:early], Contact(((cue, others[early]),)), *pots[early:]]
    off: tuple[Fact, ...] = (Off(cue),) if seen.cue_off and cue not in fell else ()
    return (*facts, *pots, *off)


def _pocket(seen: Reading, at: int) -> Pocket:
    return seen.pockets[at] if at < len(seen.pockets) else Pocket.BL


class Pattern(StrEnum):
    """How a witness meets clause 11.1 or 18 without a pot: the shortest that fits what was felt."""

    THREE_BALLS = "RP-11.1.2"
    TWO_AND_LINE = "RP-11.1.3"
    TWO_CUSHIONS = "RP-18.2"
    LINE_AND_CUSHION = "RP-18.3a"
    LINE_AND_FROZEN = "RP-18.3c"
    ZONE = "RP-18.6"  # where the stop alone is enough


def _pattern(seen: Reading) -> Pattern:
    most = seen.cushions
    if seen.breaks:
        return Pattern.THREE_BALLS if seen.balls > 3 and (most is None or most > 2) else Pattern.TWO_AND_LINE
    if (most is None or most > 1) and len(seen.rails) > 1:
        return Pattern.TWO_CUSHIONS
    if most is None or most:
        return Pattern.LINE_AND_CUSHION
    return Pattern.LINE_AND_FROZEN if seen.pressed and seen.balls > 2 else Pattern.ZONE


def _pattern_facts(played: list[Fact], others: list[Ball], seen: Reading) -> list[Fact]:
    """The facts of a pattern, after those of the contact with the first of the others."""
    rails, ball = (*seen.rails, *RAILS), others[0]
    match _pattern(seen):
        case Pattern.THREE_BALLS:
            return [*played, *[Cushion(other, rail) for other, rail in zip(others[:3], rails, strict=False)]]
        case Pattern.TWO_AND_LINE:
            return [
                *played,
                *[Cushion(other, rail) for other, rail in zip(others[:2], rails, strict=False)],
                Cross(ball),
            ]
        case Pattern.TWO_CUSHIONS:
            return [*played, Cushion(ball, rails[0]), Cushion(ball, rails[1])]
        case Pattern.LINE_AND_CUSHION:
            return [*played, Cross(ball), Cushion(ball, rails[0])]
        case Pattern.LINE_AND_FROZEN:
            cue, lying = Ball.C if seen.coloured else WHITES[0], others[1]
            return [Frozen(lying, Rail.FOOT), *played, Cross(cue), Contact(((cue, lying),))]
        case Pattern.ZONE:
            return [*played, Zone(ball, Pocket.BL)]


def _kind(way: Way, seen: Reading) -> str:
    """The row of the likelihood table: break, shot from the house or other; then what happened."""
    phase = "break" if seen.breaks else "house" if seen.from_house else "play"
    parts = [phase, str(min(way.potted, 3)), "contact" if way.contact else "none"]
    parts += ["pattern" if way.pattern else "-", "coloured" if way.coloured else "-"]
    return " ".join([*parts, "inside" if way.outside is False else "-"])


def _fit(way: Way, seen: Reading) -> float:
    """How well a number of balls explains what hint gates reported."""
    if seen.reported is None:
        return 1.0
    share: float = likelihood().sensor["gate_exact"]
    return share if seen.reported == way.potted else 1 - share


MODEL = PyramidModel()
