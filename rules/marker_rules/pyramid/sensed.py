"""What the sensors and the referee say of a pyramid shot, as bounds on what can have happened.

Two shots with the same reading can have gone the same ways: times are reduced to what surely came before what, counts
to what a pattern needs; score, shelf and debt are left out. Sensors bound from above: cushion hits after the first
contact can meet a pattern but never prove one, because no sensor knows which ball it felt.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from marker_rules.balls import WHITES, GameId, Player, Pocket, Rail
from marker_rules.evidence.observations import Evidence, Frozen, Kind, Observation, Quality, surely_before
from marker_rules.options import Options
from marker_rules.pyramid.state import Coloured, Phase, Table

CLICK, CUSHION, GATE = Kind.CLICK, Kind.CUSHION, Kind.GATE
RAILS = (Rail.FOOT, Rail.LEFT, Rail.RIGHT)  # where a witness lets balls run when nothing was felt
NO_CONTACT = ("RP-4.3", "RP-26.1.1")
CUE_OFF = "RP-22.3a"
POCKETS = tuple(Pocket)
ENOUGH = 3  # hits and cushions that any pattern needs


class Layout(NamedTuple):
    """What of a state decides how a shot can go."""

    game: GameId
    striker: Player
    phase: Phase
    table: Table

    @property
    def fixed(self) -> bool:
        """Whether the coloured ball is the cue ball of every shot (RP-3.2)."""
        return self.game is not GameId.FREE

    @property
    def breaks(self) -> bool:
        """Whether this is the break."""
        return self.phase is Phase.BREAK

    @property
    def from_house(self) -> bool:
        """Whether the first ball must lie outside the house (RP-19.2a); in a temporary house lies no ball (RP-19.2b)."""
        return self.game is GameId.COMBINED and self.phase is Phase.IN_HAND_HOUSE

    @property
    def balls(self) -> int:
        """Cue ball and object balls on the table."""
        coloured = self.coloured
        return coloured + min(self.table.balls - (coloured and not self.fixed), len(WHITES))

    @property
    def coloured(self) -> bool:
        """Whether the coloured ball is one of them; of the fixed cue ball it always is."""
        return self.fixed or self.table.coloured is Coloured.TABLE


class Reading(NamedTuple):
    """balls, coloured, fixed, breaks, from_house: as in `Layout`. striker: whose offence a ball in the house is.

    contact: False where silence proves that no object ball was touched (RP-4.3); elsewhere it is part of QL and QM.
    least, most: balls potted. can_meet, must_meet: whether a pattern that needs no pot can, must have been met.
    cushions: the most hits after the first contact, 0..3; None without limit. rails: the first cushions felt then.
    pressed: a ball may have lain at a cushion. cue_off: the cue ball left the table. pockets: of the gates believed.
    reported: balls that hint gates reported, None where they are no hint.
    """

    balls: int
    coloured: bool
    fixed: bool
    breaks: bool
    from_house: bool
    striker: Player
    contact: bool
    least: int
    most: int
    can_meet: bool
    must_meet: bool
    cushions: int | None
    rails: tuple[Rail, ...]
    pressed: bool
    cue_off: bool
    pockets: tuple[Pocket, ...]
    reported: int | None


def read(evidence: Evidence, before: Layout, options: Options) -> Reading:
    """The reading of a shot."""
    seen = _Seen(evidence, before, options)
    least, most = seen.potted
    hits = seen.cushions_most
    hinted = evidence.quality_of(GATE) is Quality.HINT
    return Reading(
        balls=before.balls,
        coloured=before.coloured,
        fixed=before.fixed,
        breaks=before.breaks,
        from_house=before.from_house,
        striker=before.striker,
        contact=seen.contact,
        least=least,
        most=most,
        can_meet=seen.can_meet,
        must_meet=seen.must_meet,
        cushions=None if hits is None else min(hits, ENOUGH),
        rails=tuple(dict.fromkeys([Rail(hit.what) for hit in seen.cushions]))[:ENOUGH],
        pressed=evidence.frozen is not Frozen.NONE,
        cue_off=seen.called((CUE_OFF,)),
        pockets=tuple([Pocket(gate.what) for _, gate in seen.gates[:most]]),
        reported=sum(o.kind is GATE for o in evidence.observations) if hinted else None,
    )


class _Seen:
    """The evidence of one shot, sorted by kind as far as it is believed."""

    def __init__(self, evidence: Evidence, before: Layout, options: Options) -> None:
        self.evidence = evidence
        self.before = before
        self.options = options
        self.clicks: list[tuple[int, Observation]] = []
        self.hits: list[tuple[int, Observation]] = []
        self.gates: list[tuple[int, Observation]] = []
        sorts = {CLICK: self.clicks, CUSHION: self.hits, GATE: self.gates}
        for at, observation in enumerate(evidence.observations):
            of_kind = sorts.get(observation.kind)
            if of_kind is not None and evidence.trust(observation.kind, observation.what).reports:
                of_kind.append((at, observation))
        self.silent_clicks = evidence.trust(CLICK).silence

    def called(self, codes: tuple[str, ...]) -> bool:
        """Whether the referee called one of these offences against the striker."""
        return any(call.code in codes and call.by is self.before.striker for call in self.evidence.calls)

    @property
    def contact(self) -> bool:
        """Whether an object ball can have been touched."""
        if self.before.balls < 2 or self.called(NO_CONTACT):
            return False
        return not (self.silent_clicks and all(click.bounds[1] == 0 for _, click in self.clicks))

    @cached_property
    def cushions(self) -> list[Observation]:
        """The believed cushion hits that may have come after the first contact."""
        if not (self.silent_clicks and self.clicks):
            return [hit for _, hit in self.hits]
        return [
            hit
            for at, hit in self.hits
            if not all(surely_before(hit, click, listed=at < i) for i, click in self.clicks)
        ]

    @cached_property
    def cushions_most(self) -> int | None:
        """The most cushion hits there can have been after the first contact; None without limit."""
        if not all(self.evidence.trust(CUSHION, rail).silence for rail in (*RAILS, Rail.HEAD)):
            return None
        most = [hit.bounds[1] for hit in self.cushions]
        return None if None in most else sum([count or 0 for count in most])

    @property
    def can_meet(self) -> bool:
        """Whether a pattern that needs no pot can have been met."""
        most, before = self.cushions_most, self.before
        if before.breaks:
            return before.balls > 2 and (most is None or most > 1)  # 11.1.2, 11.1.3: two object balls at least
        return (
            most is None
            or most > 0
            or (self.evidence.frozen is not Frozen.NONE and before.balls > 2)  # 18.3c: a third ball lies there
            or not self.options["zone_stop_requires_rail"]  # 18.6
        )

    @property
    def must_meet(self) -> bool:
        """Whether sensors prove a pattern: only where any two cushions by any balls are enough (AMB-04).

        They prove nothing where a side-pocket jaw, which feels like its rail, is none (AMB-47), or where the place of the
        first ball decides as well, which nothing senses (RP-19.2a, AMB-20).
        """
        options = self.options
        if self.before.breaks or options["two_rails"] != "any_balls" or not options["jaw_counts_as_rail"]:
            return False
        if self.before.from_house and options["house_ball_first"] == "foul":
            return False
        pressed = self.evidence.frozen is not Frozen.NONE and not options["frozen_first_touch"]
        clicks = [(i, click) for i, click in self.clicks if click.bounds[0]]
        after = {
            hit.what
            for at, hit in self.hits
            if hit.bounds[0] and any(surely_before(click, hit, listed=i < at) for i, click in clicks)
        }
        return len(after) > 1 and not pressed

    @property
    def potted(self) -> tuple[int, int]:
        """The fewest and the most balls that can have been potted; more than the table holds are not."""
        least, most = 0, 0
        limited = all(self.evidence.trust(GATE, pocket).silence for pocket in POCKETS)
        for _, gate in self.gates:
            fewest, highest = gate.bounds
            least += fewest
            limited = limited and highest is not None
            most += highest or 0
        return least, min(most, self.before.balls) if limited else self.before.balls
