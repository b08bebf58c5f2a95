"""One table's sensors: a timeline in, the inputs of its node out."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from marker_hardware import calibration, tables, wire
from marker_hardware.pinmap import Profile
from marker_rules.balls import Pin, Pocket, Rail
from marker_rules.facts import Contact, Cushion, Jaw, Pot, Restand, Shift, Strike, Topple
from marker_sim.rng import Stream
from marker_sim.sensors import gate, hall, piezo
from marker_sim.sensors.hall import Change, Pose, Seats
from marker_sim.sensors.inputs import Edge, Hold, Input
from marker_sim.sensors.piezo import Disc, Hit
from marker_sim.timeline import Timed, Timeline

CUE_SOURCE = 1.0  # how loud a source is to the click disc, relative to two balls meeting
CUSHION_SOURCE = 0.3
PIN_SOURCE = 0.05
CLICK_DISTANCE_M = 0.3  # where the player does not say where it happened
CROSSTALK = (0.05, 0.25)  # of a hit's amplitude, in the rails beside
CROSSTALK_MS = (0.2, 1.0)
RESTAND_US = 150_000
PLACE_US = 2_500_000  # the referee sets one pin
AFTER_POT_US = 400_000  # until a ball is through its gate and the beams are lit again
PHANTOM_PER_H = 1.0  # false rail edges
BESIDE = {  # rails whose wood meets
    "top": ("left", "right"),
    "bottom": ("left", "right"),
    "left": ("top", "bottom"),
    "right": ("top", "bottom"),
    "head": ("left_head", "right_head"),
    "foot": ("left_foot", "right_foot"),
    "left_head": ("head", "left_foot"),
    "left_foot": ("foot", "left_head"),
    "right_head": ("head", "right_foot"),
    "right_foot": ("foot", "right_head"),
}
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Besides:
    """Inputs that no fact of a shot explains, in us after its strike: edges of piezos and beams, poses of pins."""

    edges: tuple[Edge, ...] = ()
    changes: tuple[Change, ...] = ()

    def moved(self, by_us: int) -> Besides:
        """The same, so much later."""
        return Besides(
            tuple(replace(edge, t_us=edge.t_us + by_us) for edge in self.edges),
            tuple(replace(change, t_us=change.t_us + by_us) for change in self.changes),
        )


NOTHING = Besides()


class TableSensors:
    """Rails, click disc and what the profile adds, in the clock of its node (us). Constants come from the table's seed."""

    profile: Profile

    def __init__(self, seed: int, table: str) -> None:
        self.seed = seed
        self.table = table
        self._vth_v = calibration.load().piezo.vth.floor_mv / 1000
        self._data = tables.load(self.profile)
        self._mass = self._data.ball.mass.v / 1000
        channels = wire.channels(self.profile).values()
        self._click = next(c.number for c in channels if c.group is wire.Group.CLICK)
        self._at: dict[int, Point] = {self._click: self._data.click.sensor.v}
        self._number: dict[str, int] = {}
        self._of_rail: dict[Rail, list[int]] = {}
        for channel in channels:
            if channel.group is wire.Group.RAIL:
                self._number[channel.position] = channel.number
                self._of_rail.setdefault(Rail(channel.place), []).append(channel.number)
                self._at[channel.number] = self._data.rails[channel.name].sensor.v
        self._discs = {
            ch: Disc.drawn(Stream(seed, table, "disc", ch), slate=ch == self._click) for ch in sorted(self._at)
        }
        row = Stream(seed, table, "crosstalk")
        self._felt_by = {
            self._number[name]: [(self._number[other], row.uniform(*CROSSTALK)) for other in BESIDE[name]]
            for name in sorted(self._number)
        }

    # --- what every table has ------------------------------------------------------------------------------------

    def shot(self, number: int, timeline: Timeline, strike_us: int, besides: Besides = NOTHING) -> list[Input]:
        """What the inputs do during one shot whose strike is at `strike_us`, until the balls rest."""
        return [*sorted([*self._hits(number, timeline, strike_us), *besides.moved(strike_us).edges])]

    def stand(self, _pins: Iterable[Pin], _start_us: int, _number: int) -> list[Input]:
        """The referee sets pins up: nothing to feel on a table without."""
        return []

    def lasts_us(self, timeline: Timeline) -> int:
        """How long the inputs of a shot go on after its strike."""
        return timeline.rest_ns // 1000

    @property
    def standing(self) -> frozenset[Pin]:
        """Pins that stand upright on their spots."""
        return frozenset()

    def _hits(self, number: int, timeline: Timeline, strike_us: int) -> list[Edge]:
        hits: dict[int, list[Hit]] = {}
        delays = Stream(self.seed, self.table, "crosstalk", number)
        for item in (*timeline.items, *timeline.felt):
            for ch, hit in self._felt(item, strike_us, delays):
                hits.setdefault(ch, []).append(hit)
        for ch, hit in self._phantoms(number, timeline, strike_us):
            hits.setdefault(ch, []).append(hit)
        out: list[Edge] = []
        for ch, list_of_hits in sorted(hits.items()):
            chance = Stream(self.seed, self.table, "piezo", ch, number)
            out += piezo.edges(list_of_hits, ch, self._vth_v, chance, self._discs[ch])
        return sorted(out)

    def _felt(self, item: Timed, strike_us: int, delays: Stream) -> Iterator[tuple[int, Hit]]:
        """The discs that one fact shakes."""
        at, speed = strike_us + item.t_ns / 1000, item.strength
        match item.fact:
            case Strike():
                yield self._click, self._heard(at, item, CUE_SOURCE)
            case Contact():
                yield self._click, self._heard(at, item, 1.0)
            case Topple() | Shift():
                yield self._click, self._heard(at, item, PIN_SOURCE)
            case Cushion(_, rail):
                ch = self._segment(rail, item.at_mm)
                distance = piezo.USUAL_DISTANCE_M if item.at_mm is None else _metres(item.at_mm, self._at[ch])
                yield ch, Hit(at, speed, distance, 1.0, self._mass)
                for other, ratio in self._felt_by[ch]:
                    late = delays.uniform(*CROSSTALK_MS) * 1000
                    yield other, Hit(at + late, speed, distance, ratio, self._mass)
                yield self._click, self._heard(at, item, CUSHION_SOURCE)
            case Jaw(_, pocket):
                rail = Rail.LEFT if pocket is Pocket.ML else Rail.RIGHT
                ch = self._segment(rail, item.at_mm)
                distance = piezo.USUAL_DISTANCE_M if item.at_mm is None else _metres(item.at_mm, self._at[ch])
                yield ch, Hit(at, speed, distance, 1.0, self._mass)
                yield self._click, self._heard(at, item, CUSHION_SOURCE)
            case _:
                pass

    def _heard(self, at: float, item: Timed, source: float) -> Hit:
        """The same at the disc under the slate."""
        distance = CLICK_DISTANCE_M if item.at_mm is None else _metres(item.at_mm, self._at[self._click])
        if item.at_mm is None and isinstance(item.fact, Cushion | Jaw):
            distance *= 3
        return Hit(at, item.strength, distance, source, self._mass)

    def _segment(self, rail: Rail, at_mm: Point | None) -> int:
        """The channel that feels a hit on `rail`: of two segments the one it lies in."""
        channels = self._of_rail[rail]
        if at_mm is None or len(channels) == 1:
            return channels[0]
        return min(channels, key=lambda ch: _metres(at_mm, self._at[ch]))

    def _phantoms(self, number: int, timeline: Timeline, strike_us: int) -> Iterator[tuple[int, Hit]]:
        """Now and then a rail answers to something that is no ball."""
        chance = Stream(self.seed, self.table, "phantom", number)
        seconds = timeline.rest_ns / 1e9
        if chance.chance(PHANTOM_PER_H * seconds / 3600.0):
            ch = chance.pick(sorted(self._number.values()))
            yield ch, Hit(strike_us + chance.uniform(0.05, max(0.1, seconds)) * 1e6, chance.uniform(0.3, 1.0))


class CaromSensors(TableSensors):
    """The pins, rails and click disc of one five-pins table."""

    profile = Profile.CAROM5

    def __init__(self, seed: int, table: str) -> None:
        super().__init__(seed, table)
        self.seats = Seats(seed, table)

    def shot(self, number: int, timeline: Timeline, strike_us: int, besides: Besides = NOTHING) -> list[Input]:
        """Edges and the field vectors of the seats."""
        end_us = strike_us + timeline.rest_ns // 1000
        more = besides.moved(strike_us)
        changes = [*self._pin_changes(timeline, strike_us), *more.changes]
        chance = Stream(self.seed, self.table, "hall", number)
        phase = chance.below(hall.PERIOD_US)  # the grid of the scans knows nothing of the strike
        fields = self.seats.scans(changes, strike_us + phase, end_us, chance)
        return list(_merge([*self._hits(number, timeline, strike_us), *more.edges], fields))

    def stand(self, pins: Iterable[Pin], start_us: int, number: int) -> list[Input]:
        """The referee takes `pins` up and sets them on their spots, one after another, and all stand still for half a second."""
        changes: list[Change] = []
        at = start_us
        for pin in pins:
            changes += [Change(at, pin, Pose.GONE), Change(at + PLACE_US, pin, Pose.STANDING)]
            at += PLACE_US
        chance = Stream(self.seed, self.table, "stand", number)
        return self.seats.scans(changes, start_us, at + 500_000, chance)

    @property
    def standing(self) -> frozenset[Pin]:
        """Pins that stand upright on their spots."""
        return self.seats.standing

    def _pin_changes(self, timeline: Timeline, strike_us: int) -> list[Change]:
        changes: list[Change] = []
        for item in timeline.items:
            at = strike_us + item.t_ns // 1000
            match item.fact:
                case Topple(pins):
                    for pin in pins:
                        changes += hall.fall(pin, at, item.strength)
                case Shift(pin):
                    changes.append(Change(at, pin, Pose.SLID, item.size_mm or 5.0))
                case Restand(pin):
                    changes.append(Change(at + RESTAND_US, pin, Pose.STANDING))
                case _:
                    pass
        return changes


class PyramidSensors(TableSensors):
    """Six rail segments, six pocket gates and the click disc of one pyramid table."""

    profile = Profile.PYRAMID

    def __init__(self, seed: int, table: str) -> None:
        super().__init__(seed, table)
        first = min(c.number for c in wire.channels(self.profile).values() if c.group is wire.Group.GATE)
        self._gates = {
            Pocket(c.place): c.number - first
            for c in wire.channels(self.profile).values()
            if c.group is wire.Group.GATE
        }
        self._ball_r = self._data.ball.d.v / 2000

    def shot(self, number: int, timeline: Timeline, strike_us: int, besides: Besides = NOTHING) -> list[Input]:
        """Edges of the rails, the click disc and the beams."""
        pots: dict[int, list[tuple[float, float]]] = {}
        for item in timeline.items:
            if isinstance(item.fact, Pot):
                at = strike_us + item.t_ns / 1000
                pots.setdefault(self._gates[item.fact.pocket], []).append((at, item.strength))
        out = [*self._hits(number, timeline, strike_us), *besides.moved(strike_us).edges]
        for index, fallen in sorted(pots.items()):
            out += gate.edges(index, fallen, self._ball_r, Stream(self.seed, self.table, "gate", index, number))
        return [*sorted(out)]

    def lasts_us(self, timeline: Timeline) -> int:
        """Until the balls rest and the last one is through its gate."""
        balls = sum(isinstance(item.fact, Pot) for item in timeline.items)
        last = max((item.t_ns // 1000 for item in timeline.items if isinstance(item.fact, Pot)), default=-AFTER_POT_US)
        return max(timeline.rest_ns // 1000, last + (balls + 1) * AFTER_POT_US)


def sensors_of(profile: Profile, seed: int, table: str) -> TableSensors:
    """The sensors of a table of that profile."""
    return CaromSensors(seed, table) if profile is Profile.CAROM5 else PyramidSensors(seed, table)


def _metres(a_mm: Point, b_mm: Point) -> float:
    return math.hypot(a_mm[0] - b_mm[0], a_mm[1] - b_mm[1]) / 1000.0


def _merge(edges: list[Edge], fields: list[Input]) -> Iterable[Input]:
    """Edges and scans in time order; a held stretch is cut where an edge falls into it."""
    pending = list(fields)
    queue = sorted(edges)
    while pending:
        item = pending.pop(0)
        while queue and queue[0].t_us < item.t_us:
            yield queue.pop(0)
        if isinstance(item, Hold) and queue:
            span_end = item.t_us + (item.n - 1) * hall.PERIOD_US
            if item.t_us <= queue[0].t_us < span_end:
                before = (queue[0].t_us - item.t_us) // hall.PERIOD_US + 1
                rest = item.n - before
                if rest > 0:
                    pending.insert(0, Hold(item.t_us + before * hall.PERIOD_US, rest, item.frozen))
                    item = Hold(item.t_us, before, item.frozen)
        last = item.t_us + (item.n - 1) * hall.PERIOD_US if isinstance(item, Hold) else item.t_us
        yield item
        while queue and queue[0].t_us <= last:
            yield queue.pop(0)
    yield from heapq.merge(queue)
