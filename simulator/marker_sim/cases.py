"""Shots of a unit as cases for the rules: play, sensors, faults, the node's own detection, evidence."""

from __future__ import annotations

from collections.abc import Iterator

from marker_hardware.wire import Profile
from marker_rules.balls import ALL_PINS, Ball, GameId, Pin, Player
from marker_rules.evidence import Evidence
from marker_rules.facts import Fact, Off
from marker_rules.game import Action, DueKind, Setup, game
from marker_rules.options import Options
from marker_sim.detector import Detector, Record
from marker_sim.faults import Kind, Rig, load
from marker_sim.judging import Case
from marker_sim.reading import Fitted, exact, sensed
from marker_sim.referee import five_pins_answers, five_pins_calls
from marker_sim.rng import Stream
from marker_sim.scripted import stroke
from marker_sim.sensors.table import CaromSensors
from marker_sim.truth import TrueMatch, TrueShot

TABLE = "1"
BETWEEN_US = 1_500_000
POINTS = 60
GAMES = 99  # a unit never plays a match out


def ready(match: TrueMatch, chance: Stream) -> None:
    """Bring a true match to its next shot: lag, choices, next game, a new match."""
    while match.due.kind is not DueKind.SHOT:
        due = match.due
        match match_step(due.kind):
            case "new":
                match.state = match.game.start(Setup(match.options))
            case "lag":
                match.state = match.game.act(match.state, Action("lag", value=chance.pick(tuple(Player)).value))
            case "choice":
                match.state = match.game.act(match.state, Action("choose", due.player, due.choices[0]))
            case _:
                match.state = match.game.act(match.state, Action("next_game"))


def match_step(kind: DueKind) -> str:
    """What to do where the rules wait for `kind`."""
    names = {DueKind.OVER: "new", DueKind.LAG: "lag", DueKind.CHOICE: "choice", DueKind.NEXT_GAME: "next"}
    return names[kind]


class _Table:
    """One five-pins table: who plays, what its sensors feel, what its node tells."""

    def __init__(self, seed: int, fitted: Fitted, rig: Rig) -> None:
        self.seed = seed
        self.fitted = fitted
        self.rig = rig
        self.wire = Stream(seed, TABLE, "fault", "records")
        self.sensors = CaromSensors(seed, TABLE)
        self.node = Detector(Profile.CAROM5.value)
        self.now_us = BETWEEN_US

    def play(self, number: int, match: TrueMatch) -> Case:
        """One shot and, after it, the pins put up again."""
        due, before = match.due, match.state
        assert due.player is not None
        layout = ALL_PINS & self.sensors.standing
        shot = match.strike(stroke(self.seed, number, due.player, layout))
        first = self.node.outbox.head
        self.node.arm(number, layout)
        self.rig.begin(number)
        known = len(self.rig.injected)
        self.node.feed(self.rig.signal(self.sensors.shot(number, shot.timeline, self.now_us)))
        self.now_us += shot.timeline.rest_ns // 1000
        self.node.until(self.now_us + 100_000)
        evidence = self._evidence(shot, self.node.records(first), layout)
        self._stand(number)
        return Case(
            number,
            before,
            match.options,
            evidence,
            five_pins_answers(shot.timeline.shot.facts),
            shot.ruling,
            shot.line(),
            tuple(str(one.kind) for one in self.rig.injected[known:]),
        )

    def _evidence(self, shot: TrueShot, records: list[Record], layout: frozenset[Pin]) -> Evidence:
        records, gap = self._travelled(shot.number, records)
        called = five_pins_calls(shot)
        calls = tuple(call for call, _ in called)
        facts: tuple[Fact, ...] = tuple(Off(Ball(name)) for _, balls in called for name in balls)
        if self.fitted is Fitted.ALL:
            return exact(shot.timeline, Profile.CAROM5, calls, facts)
        codes = dict(self.node.sensors.health.codes)
        return sensed(records, codes, sorted(layout), Profile.CAROM5, self.fitted, calls, facts, gap=gap)

    def _travelled(self, shot: int, records: list[Record]) -> tuple[list[Record], bool]:
        """The records that arrived, in some order and number, and whether some never will."""
        arrived = list(records)
        gap = False
        for act in self.rig.acts(shot):
            if act.kind in (Kind.REBOOT, Kind.POWER_CUT):  # what the ring still held is gone
                arrived, gap = arrived[: self.wire.below(len(arrived) + 1)], True
        for spec in self.rig.profile.faults:
            if spec.kind is Kind.LOST:
                kept = [record for record in arrived if not self.wire.chance(spec.number("rate"))]
                gap = gap or len(kept) < len(arrived)
                arrived = kept
            elif spec.kind is Kind.DUPLICATE:
                arrived += [record for record in arrived if self.wire.chance(spec.number("rate"))]
            elif spec.kind in (Kind.REORDER, Kind.LATE) and len(arrived) > 1 and self.wire.chance(spec.number("rate")):
                arrived.append(arrived.pop(self.wire.below(len(arrived))))
        return arrived, gap

    def _stand(self, number: int) -> None:
        down = [pin for pin in sorted(ALL_PINS) if pin not in self.sensors.standing]
        self.node.feed(self.rig.signal(self.sensors.stand(down, self.now_us + BETWEEN_US, number)))
        self.now_us += BETWEEN_US + len(down) * 2_500_000 + 600_000
        self.node.until(self.now_us)


def five_pins(game_id: GameId, seed: int, number: int, fitted: Fitted, profile: str) -> Iterator[Case]:
    """`number` shots of a five-pins match from `seed`, with the faults of `profile`. Raises FaultError."""
    options = Options(game_id, {"points_limit": POINTS, "games": GAMES})
    match = TrueMatch(game_id, options, game(game_id).start(Setup(options)))
    chance = Stream(seed, TABLE, "lag")
    table = _Table(seed, fitted, Rig(load(profile), seed, TABLE, number))
    for at in range(1, number + 1):
        ready(match, chance)
        yield table.play(at, match)
