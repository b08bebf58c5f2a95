"""What decides a pyramid shot, and every way it can have gone given what was sensed. No ball is credited here.

Contact, the number of balls potted, the coloured ball among them, the first ball outside the house and whether a
pattern of clause 18 (of 11.1 on the break) was met decide every ruling. Sensors bound them from above: cushion hits
after the first contact can meet a pattern but never prove one, because no sensor knows which ball it felt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from marker_rules.balls import WHITES, Ball, GameId, Player, Pocket, Rail
from marker_rules.evidence.likelihood import table as likelihood
from marker_rules.evidence.observations import Channel, Evidence, Frozen, Kind, Observation, Quality, surely_before
from marker_rules.evidence.worlds import Feature, Shape, World
from marker_rules.facts import Contact, Cross, Cushion, Fact, Off, Pot, Strike, Zone
from marker_rules.facts import Frozen as LayFrozen
from marker_rules.options import Options
from marker_rules.pyramid.state import Coloured, Phase, PyramidState, Table
from marker_rules.shot import Call

LEGAL, FOUL = "legal", "foul"
MET, NOT_MET = "met", "not-met"
YES, NO = "yes", "no"
RAILS = (Rail.FOOT, Rail.LEFT, Rail.RIGHT)  # where a witness lets balls run when nothing was felt
NO_CONTACT = ("RP-4.3", "RP-26.1.1")
CUE_OFF = "RP-22.3a"
HOUSE_BALL_FIRST = "RP-19.2a"  # no fact tells it: the first ball touched lay in the house


class Layout(NamedTuple):
    """What of a state decides how a shot can go."""

    game: GameId
    striker: Player
    phase: Phase
    table: Table


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


def _fixed(before: Layout) -> bool:
    """Whether the coloured ball is the cue ball of every shot (RP-3.2)."""
    return before.game is not GameId.FREE


def _from_house(before: Layout) -> bool:
    """Whether the first ball must lie outside the house (RP-19.2a); in a temporary house lies no ball (RP-19.2b)."""
    return before.game is GameId.COMBINED and before.phase is Phase.IN_HAND_HOUSE


def _balls(before: Layout) -> tuple[Ball, ...]:
    """A cue ball and the object balls, named as far as it matters."""
    if _fixed(before):
        return (Ball.C, *WHITES[: before.table.balls])
    coloured = before.table.coloured is Coloured.TABLE
    return (*((Ball.C,) if coloured else ()), *WHITES[: before.table.balls - coloured])


def _asked(before: Layout, options: Options) -> list[tuple[Feature, int]]:
    """The questions of a shot with their places in `_values`."""
    numbers = tuple(map(str, range(len(_balls(before)) + 1)))
    asked = [(Feature("QG", numbers, Shape.NUMBER), 0)]
    if _from_house(before):
        foul = options["house_ball_first"] == "foul"
        asked.append((Feature("Q11", (YES, NO)), 1) if foul else (Feature("Q15", numbers, Shape.NUMBER), 4))
    breaks = before.phase is Phase.BREAK
    asked.append((Feature("QM", (MET, NOT_MET)) if breaks else Feature("QL", (LEGAL, FOUL)), 2))
    if _fixed(before):
        asked.append((Feature("Q1", (YES, NO)), 3))
    return asked


@dataclass(frozen=True)
class Seen:
    """The evidence of one shot as bounds on what can have happened."""

    evidence: Evidence
    before: Layout
    options: Options

    @property
    def breaks(self) -> bool:
        """Whether this is the break."""
        return self.before.phase is Phase.BREAK

    @property
    def fixed(self) -> bool:
        """Whether every shot is played with the coloured ball (RP-3.2)."""
        return _fixed(self.before)

    @property
    def from_house(self) -> bool:
        """Whether the first ball must lie outside the house."""
        return _from_house(self.before)

    @cached_property
    def balls(self) -> tuple[Ball, ...]:
        """A cue ball and the object balls."""
        return _balls(self.before)

    def called(self, code: str) -> bool:
        """Whether the referee called this offence against the striker."""
        return any(call.code == code and call.by is self.before.striker for call in self.evidence.calls)

    def first_ball(self, potted: int) -> list[tuple[bool | None, int]]:
        """Where the first ball can have lain, and how many balls can have fallen after a contact outside the house."""
        if not (potted and self.from_house):
            return [(None, potted)]
        if self.options["house_ball_first"] == "foul":
            return [(True, potted), (False, potted)]
        others = len(self.balls) - 1  # of these one must still lie there to be touched outside
        return [(late == potted, late) for late in range(potted, -1, -1) if not late or potted - late < others]

    @cached_property
    def clicks(self) -> tuple[Observation, ...]:
        """The clicks that are believed."""
        return self.evidence.believed(Kind.CLICK)

    @cached_property
    def contact(self) -> bool:
        """False where silence proves that no object ball was touched (RP-4.3); elsewhere it is part of QL and QM."""
        if len(self.balls) < 2 or any(self.called(code) for code in NO_CONTACT):
            return False
        return not (self.evidence.trust(Kind.CLICK).silence and all(click.bounds[1] == 0 for click in self.clicks))

    @cached_property
    def cushions(self) -> tuple[Observation, ...]:
        """The believed cushion hits that may have come after the first contact."""
        hits = self._listed(Kind.CUSHION)
        if not (self.evidence.trust(Kind.CLICK).silence and self.clicks):
            return tuple(hit for _, hit in hits)
        clicks = self._listed(Kind.CLICK)
        return tuple(
            hit for at, hit in hits if not all(surely_before(hit, click, listed=at < i) for i, click in clicks)
        )

    @cached_property
    def cushions_most(self) -> int | None:
        """The most cushion hits there can have been after the first contact; None without limit."""
        if not all(self.evidence.trust(Kind.CUSHION, rail).silence for rail in (*RAILS, Rail.HEAD)):
            return None
        most = [hit.bounds[1] for hit in self.cushions]
        return None if None in most else sum(count or 0 for count in most)

    @cached_property
    def rails(self) -> tuple[Rail, ...]:
        """The cushions felt, each once, in order."""
        return tuple(dict.fromkeys(Rail(hit.what) for hit in self.cushions))

    @property
    def can_meet(self) -> bool:
        """Whether a pattern that needs no pot can have been met."""
        if self.breaks:
            return len(self.balls) > 2 and self._at_least(2)  # 11.1.2, 11.1.3: two object balls at least
        return (
            self._at_least(1)
            or self.evidence.frozen is not Frozen.NONE  # 18.3c
            or not self.options["zone_stop_requires_rail"]  # 18.6
        )

    @property
    def must_meet(self) -> bool:
        """Whether sensors prove a pattern: only where any two cushions by any balls are enough (AMB-04).

        They prove nothing where a side-pocket jaw, which feels like its rail, is none (AMB-47), or where the place of the
        first ball decides as well, which nothing senses (RP-19.2a, AMB-20).
        """
        if self.breaks or self.options["two_rails"] != "any_balls" or not self.options["jaw_counts_as_rail"]:
            return False
        if self.from_house and self.options["house_ball_first"] == "foul":
            return False
        pressed = self.evidence.frozen is not Frozen.NONE and not self.options["frozen_first_touch"]
        clicks = [(i, click) for i, click in self._listed(Kind.CLICK) if click.bounds[0]]
        after = {
            hit.what
            for at, hit in self._listed(Kind.CUSHION)
            if hit.bounds[0] and any(surely_before(click, hit, listed=i < at) for i, click in clicks)
        }
        return len(after) > 1 and not pressed

    @cached_property
    def potted(self) -> range:
        """How many balls can have been potted."""
        gates = self.evidence.believed(Kind.GATE)
        least = sum(gate.bounds[0] for gate in gates)
        most: int | None = 0
        for gate in gates:
            most = None if most is None or gate.bounds[1] is None else most + gate.bounds[1]
        if not all(self.evidence.trust(Kind.GATE, pocket).silence for pocket in Pocket):
            most = None
        on_table = len(self.balls)
        return range(least, (on_table if most is None else min(most, on_table)) + 1)

    def _listed(self, kind: Kind) -> list[tuple[int, Observation]]:
        believed = self.evidence.trust
        return [
            (at, o)
            for at, o in enumerate(self.evidence.observations)
            if o.kind is kind and believed(o.kind, o.what).reports
        ]

    def _at_least(self, hits: int) -> bool:
        return self.cushions_most is None or self.cushions_most >= hits


class PyramidModel:
    """QG balls potted, Q11 first ball outside the house, QL legal or foul (QM met or not), Q1 coloured ball potted."""

    channels = (Channel.CLICKS, Channel.CUSHIONS, Channel.GATES)

    def view(self, before: PyramidState) -> Layout:
        """Which game and shot, who plays it, and the balls on the table."""
        return Layout(before.game, before.striker, before.phase, before.table)

    def features(self, before: Layout, options: Options) -> tuple[Feature, ...]:
        """In the order of a referee's thoughts: how many, how, which."""
        return tuple(feature for feature, _ in _asked(before, options))

    def worlds(self, evidence: Evidence, before: Layout, options: Options) -> tuple[World, ...]:
        """Every combination within the bounds, with the shortest facts that realise it."""
        seen = Seen(evidence, before, options)
        places = [place for _, place in _asked(before, options)]
        found = []
        for way in _ways(seen):
            values = _values(way, seen)
            found.append(
                World(
                    values=tuple(values[place] for place in places),
                    facts=_facts(way, seen),
                    calls=(Call(HOUSE_BALL_FIRST, before.striker),) if way.outside is False else (),
                    kind=_kind(way, seen),
                    fit=_fit(way, evidence),
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


def _ways(seen: Seen) -> Iterator[Way]:
    if not seen.contact:
        for potted in seen.potted:
            if potted < 2:  # nothing but the cue ball moved
                yield Way(contact=False, potted=potted, coloured=bool(potted and seen.fixed))
        return
    whites = len(seen.balls) - seen.fixed
    for potted in seen.potted:
        patterns = [met for met in (True, False) if (seen.can_meet if met else not seen.must_meet)]
        if potted and not seen.breaks:
            patterns = [False]  # 18.1 is enough
        for coloured in (True, False) if potted and seen.fixed and not seen.called(CUE_OFF) else (False,):
            if potted - coloured > whites:
                continue
            for pattern in patterns:
                for outside, late in seen.first_ball(potted):
                    yield Way(True, potted, coloured, pattern, outside, late)


def _values(way: Way, seen: Seen) -> tuple[str | None, ...]:
    """The answers to QG, Q11, QL or QM, Q1, Q15. QM speaks of the cushions only: a pot voided by a foul does not meet 11.1."""
    if seen.breaks:
        result = MET if way.pattern else NOT_MET
    else:
        inside = way.outside is False and seen.options["house_ball_first"] == "foul"
        result = LEGAL if way.contact and not inside and (way.pattern or way.potted) else FOUL
    outside = None if way.outside is None else YES if way.outside else NO
    late = None if way.outside is None else str(way.late)
    return str(way.potted), outside, result, YES if way.coloured else NO, late


def _facts(way: Way, seen: Seen) -> tuple[Fact, ...]:
    cue, *others = seen.balls
    if not way.contact:
        return (Strike(cue), *((Pot(cue, _pocket(seen, 0)),) if way.potted else ()))
    facts: list[Fact] = [Strike(cue), Contact(((cue, others[0]),))]
    if way.pattern:
        facts = _break_facts(facts, others, seen) if seen.breaks else _pattern_facts(facts, cue, others, seen)
    whites = [*others, cue] if not seen.fixed else others
    fell = [*whites[: way.potted - way.coloured], *([cue] if way.coloured else [])]
    pots: list[Fact] = [Pot(ball, _pocket(seen, at)) for at, ball in enumerate(fell)]
    if way.outside is False and way.late:
        early = way.potted - way.late
        pots = [*pots[:early], Contact(((cue, others[early]),)), *pots[early:]]
    off: tuple[Fact, ...] = (Off(cue),) if seen.called(CUE_OFF) and cue not in fell else ()
    return (*facts, *pots, *off)


def _pocket(seen: Seen, at: int) -> Pocket:
    gates = seen.evidence.believed(Kind.GATE)
    return Pocket(gates[at].what) if at < len(gates) else Pocket.BL


def _break_facts(facts: list[Fact], others: list[Ball], seen: Seen) -> list[Fact]:
    """Three object balls to cushions (11.1.2), or two and one over the centre line (11.1.3)."""
    rails = (*seen.rails, *RAILS)
    three = len(others) > 2 and (seen.cushions_most is None or seen.cushions_most > 2)
    touched: list[Fact] = [Cushion(ball, rail) for ball, rail in zip(others[: 3 if three else 2], rails, strict=False)]
    return [*facts, *touched] if three else [*facts, *touched, Cross(others[0])]


def _pattern_facts(facts: list[Fact], cue: Ball, others: list[Ball], seen: Seen) -> list[Fact]:
    """The shortest pattern of clause 18 that fits what was felt."""
    most, rails, ball = seen.cushions_most, seen.rails, others[0]
    if (most is None or most > 1) and len(rails) > 1:
        return [*facts, Cushion(ball, rails[0]), Cushion(ball, rails[1])]  # 18.2
    if most is None or most:
        return [*facts, Cross(ball), Cushion(ball, rails[0] if rails else Rail.FOOT)]  # 18.3a
    if seen.evidence.frozen is not Frozen.NONE and len(others) > 1:
        lying = others[1]
        return [LayFrozen(lying, Rail.FOOT), *facts, Cross(cue), Contact(((cue, lying),))]  # 18.3c
    return [*facts, Zone(ball, Pocket.BL)]  # 18.6 where the stop alone is enough


def _kind(way: Way, seen: Seen) -> str:
    """The row of the likelihood table: break, shot from the house or other; then what happened."""
    phase = "break" if seen.breaks else "house" if seen.from_house else "play"
    parts = [phase, str(min(way.potted, 3)), "contact" if way.contact else "none"]
    parts += ["pattern" if way.pattern else "-", "coloured" if way.coloured else "-"]
    return " ".join([*parts, "inside" if way.outside is False else "-"])


def _fit(way: Way, evidence: Evidence) -> float:
    """How well a number of balls explains what hint gates reported."""
    if evidence.quality_of(Kind.GATE) is not Quality.HINT:
        return 1.0
    reported = sum(o.kind is Kind.GATE for o in evidence.observations)
    share = likelihood().sensor["gate_exact"]
    return share if reported == way.potted else 1 - share


MODEL = PyramidModel()
