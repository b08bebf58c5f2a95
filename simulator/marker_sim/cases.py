"""Shots of a unit as cases for the rules: physics, sensors, faults, the node's own detection, evidence."""

from __future__ import annotations

from collections.abc import Iterator

from marker_hardware.wire import Profile
from marker_rules.balls import Ball, GameId, Pin
from marker_rules.evidence import Evidence
from marker_rules.facts import Fact, Off
from marker_rules.game import Action, DueKind, Setup, game
from marker_rules.options import Options
from marker_rules.pyramid.match import NEW_RACK
from marker_sim.after_frame import after_frame, racks_anew
from marker_sim.detector import Detector, Record
from marker_sim.faults import Kind, Rig, load
from marker_sim.judging import Case
from marker_sim.play import Play, Style
from marker_sim.plays import play
from marker_sim.reading import Fitted, exact, sensed
from marker_sim.referee import answers, called
from marker_sim.rng import Stream
from marker_sim.sensors.table import sensors_of
from marker_sim.truth import TrueMatch, TrueShot

TABLE = "1"
BETWEEN_US = 1_500_000
PLACED_US = 2_500_000
SETTLED_US = 700_000  # after the balls rest, until every pin's state is known and every passage told
POINTS = 60
RACE_TO = 60
GAMES = 99  # a unit never plays a match out


def options_of(game_id: GameId) -> Options:
    """Switches of a match that no unit plays out."""
    return Options(game_id, {"race_to": RACE_TO} if game_id.is_pyramid else {"points_limit": POINTS, "games": GAMES})


def ready(match: TrueMatch, players: Play, seed: int) -> None:
    """Bring a true match to its next shot: lag, choices, next game or the run played on, what must be said before a stroke."""
    while match.due.kind is not DueKind.SHOT or racks_anew(match, seed, TABLE):
        due = match.due
        match due.kind:
            case DueKind.SHOT:
                match.state = match.game.act(match.state, Action(NEW_RACK))
            case DueKind.OVER:
                match.state = match.game.start(Setup(match.options))
            case DueKind.LAG:
                outcome = players.lag()
                value = outcome.winner.value if outcome.winner else "replay"
                late = tuple(("late", player.value) for player in outcome.late)
                match.state = match.game.act(match.state, Action("lag", value=value, args=late))
            case DueKind.CHOICE:
                match.state = match.game.act(match.state, Action("choose", due.player, players.choose(match)))
            case _:
                match.state = match.game.act(match.state, Action(after_frame(match, seed, TABLE)))
    for act in players.prepare(match):
        match.state = match.game.act(match.state, act)


class _Table:
    """One table: who plays, what its sensors feel, what its node tells."""

    def __init__(self, game_id: GameId, seed: int, fitted: Fitted, rig: Rig, style: Style | None) -> None:
        self.profile = Profile.PYRAMID if game_id.is_pyramid else Profile.CAROM5
        self.fitted = fitted
        self.rig = rig
        self.players = play(game_id, seed, TABLE, style)
        self.sensors = sensors_of(self.profile, seed, TABLE)
        self.node = Detector(self.profile.value)
        self.now_us = BETWEEN_US
        self._struck = 0  # the stroke in the node's clock, us
        self.wire = Stream(seed, TABLE, "fault", "records")

    def play(self, number: int, match: TrueMatch) -> Case:
        """One shot, from the pins put up before it to the evidence of it."""
        self._stand(number, match)
        before = match.state
        layout: frozenset[Pin] = getattr(before, "pins", frozenset())
        shot = match.strike(self.players.stroke(match, number))
        first = self.node.outbox.head
        self.node.arm(number, layout)
        self.rig.begin(number)
        self._struck = self.now_us + self.node.origin_us
        known = len(self.rig.injected)
        self.node.feed(self.rig.signal(self.sensors.shot(number, shot.timeline, self.now_us)))
        self.now_us += shot.timeline.rest_ns // 1000 + SETTLED_US
        self.node.until(self.now_us)
        evidence = self._evidence(shot, self.node.records(first), layout)
        injected = tuple(str(one.kind) for one in self.rig.injected[known:])
        return Case(number, before, match.options, evidence, answers(shot), shot.ruling, shot.line(), injected)

    def _evidence(self, shot: TrueShot, records: list[Record], layout: frozenset[Pin]) -> Evidence:
        records, gap = self._travelled(shot.number, records)
        entered = called(shot)
        calls = tuple(call for call, _ in entered)
        facts: tuple[Fact, ...] = tuple(Off(Ball(name)) for _, balls in entered for name in balls)
        if self.fitted is Fitted.ALL:
            return exact(shot.timeline, self.profile, calls, facts)
        codes = dict(self.node.sensors.health.codes)
        return sensed(records, codes, sorted(layout), self.profile, self.fitted, calls, facts, gap=gap)

    def _travelled(self, shot: int, records: list[Record]) -> tuple[list[Record], bool]:
        """The records that arrived, in some order and number, and whether some never will."""
        arrived = list(records)
        gap = False
        for act in self.rig.acts(shot):
            if act.kind in (Kind.REBOOT, Kind.POWER_CUT):  # what the ring still held is gone
                arrived, gap = arrived[: self.wire.below(len(arrived) + 1)], True
        for ms in self.rig.moments(shot):
            if any(act.kind in (Kind.REBOOT, Kind.POWER_CUT) for act in self.rig.acts(shot, ms)):
                arrived, gap = [record for record in arrived if record.t < self._struck + ms * 1000], True
        for spec in self.rig.profile.faults:
            count = len(arrived)
            if spec.kind is Kind.LOST:
                arrived = [record for record in arrived if not self.wire.chance(spec.number("rate"))]
                gap = gap or len(arrived) < count
            elif spec.kind is Kind.DUPLICATE:
                arrived += [record for record in arrived if self.wire.chance(spec.number("rate"))]
            elif spec.kind in (Kind.REORDER, Kind.LATE) and count > 1 and self.wire.chance(spec.number("rate")):
                arrived.append(arrived.pop(self.wire.below(count)))
                self.rig.note(spec.kind, "a record")
            for _ in range(abs(len(arrived) - count)):
                self.rig.note(spec.kind, "a record")
        return arrived, gap

    def _stand(self, number: int, match: TrueMatch) -> None:
        """The referee puts up the pins that must stand and do not."""
        wanted: frozenset[Pin] = getattr(match.state, "pins", frozenset())
        down = [pin for pin in Pin if pin in wanted and pin not in self.sensors.standing]
        self.node.feed(self.rig.signal(self.sensors.stand(down, self.now_us + BETWEEN_US, number)))
        self.now_us += BETWEEN_US + len(down) * PLACED_US + SETTLED_US
        self.node.until(self.now_us)


def cases(
    game_id: GameId, seed: int, number: int, fitted: Fitted, profile: str, style: Style | None = None
) -> Iterator[Case]:
    """`number` shots of a match from `seed`, with the faults of `profile`. Raises FaultError, SimulationError."""
    options = options_of(game_id)
    match = TrueMatch(game_id, options, game(game_id).start(Setup(options)))
    table = _Table(game_id, seed, fitted, Rig(load(profile), seed, TABLE, number), style)
    for at in range(1, number + 1):
        ready(match, table.players, seed)
        yield table.play(at, match)
