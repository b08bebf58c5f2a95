"""One table's sensors: a timeline in, the inputs of its node out."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from marker_hardware import calibration, wire
from marker_hardware.pinmap import Profile
from marker_rules.balls import ALL_PINS, Pin, Rail
from marker_rules.facts import Contact, Cushion, Restand, Shift, Strike, Topple
from marker_sim.rng import Stream
from marker_sim.sensors import hall, piezo
from marker_sim.sensors.hall import Change, Pose
from marker_sim.sensors.inputs import Edge, Hold, Input
from marker_sim.timeline import Timeline

CUE_SOURCE = 1.0  # how loud a source is to the click disc, relative to two balls meeting
CUSHION_SOURCE = 0.3
CLICK_DISTANCE_M = 0.3
RESTAND_US = 150_000
PLACE_US = 2_500_000  # the referee sets one pin


class CaromSensors:
    """The pins, rails and click disc of one five-pins table, in the clock of its node (us)."""

    def __init__(self, seed: int, table: str) -> None:
        self.seed = seed
        self.table = table
        self.poses: dict[Pin, Pose] = dict.fromkeys(ALL_PINS, Pose.STANDING)
        self._vth_v = calibration.load().piezo.vth.floor_mv / 1000
        channels = wire.channels(Profile.CAROM5).values()
        self._rails = {Rail(c.place): c.number for c in channels if c.group is wire.Group.RAIL}
        self._click = next(c.number for c in channels if c.group is wire.Group.CLICK)

    def shot(self, number: int, timeline: Timeline, strike_us: int) -> list[Input]:
        """What the inputs do during one shot whose strike is at `strike_us`, until the balls rest."""
        end_us = strike_us + timeline.rest_ns // 1000
        changes = self._pin_changes(timeline, strike_us)
        fields = hall.scans(self.poses, changes, strike_us, end_us, Stream(self.seed, self.table, "hall", number))
        return list(_merge(self._hits(number, timeline, strike_us), fields))

    def stand(self, pins: Iterable[Pin], start_us: int, number: int) -> list[Input]:
        """The referee takes `pins` up and sets them on their spots, one after another, and all stand still for half a second."""
        changes: list[Change] = []
        at = start_us
        for pin in pins:
            changes += [Change(at, pin, Pose.GONE), Change(at + PLACE_US, pin, Pose.STANDING)]
            at += PLACE_US
        chance = Stream(self.seed, self.table, "stand", number)
        return hall.scans(self.poses, changes, start_us, at + 500_000, chance)

    @property
    def standing(self) -> frozenset[Pin]:
        """Pins that stand upright on their spots."""
        return frozenset(pin for pin, pose in self.poses.items() if pose is Pose.STANDING)

    def _pin_changes(self, timeline: Timeline, strike_us: int) -> list[Change]:
        changes: list[Change] = []
        for item in timeline.items:
            at = strike_us + item.t_ns // 1000
            match item.fact:
                case Topple(pins):
                    for pin in pins:
                        changes += hall.fall(pin, at, item.strength)
                case Shift(pin):
                    changes.append(Change(at, pin, Pose.SLID))
                case Restand(pin):
                    changes.append(Change(at + RESTAND_US, pin, Pose.STANDING))
                case _:
                    pass
        return changes

    def _hits(self, number: int, timeline: Timeline, strike_us: int) -> list[Edge]:
        hits: dict[int, list[piezo.Hit]] = {}
        for item in timeline.items:
            at = strike_us + item.t_ns / 1000
            match item.fact:
                case Strike():
                    hits.setdefault(self._click, []).append(piezo.Hit(at, item.strength, CLICK_DISTANCE_M, CUE_SOURCE))
                case Contact():
                    hits.setdefault(self._click, []).append(piezo.Hit(at, item.strength, CLICK_DISTANCE_M))
                case Cushion(_, rail):
                    hits.setdefault(self._rails[rail], []).append(piezo.Hit(at, item.strength))
                    far = piezo.Hit(at, item.strength, CLICK_DISTANCE_M * 3, CUSHION_SOURCE)
                    hits.setdefault(self._click, []).append(far)
                case _:
                    pass
        out: list[Edge] = []
        for ch, list_of_hits in sorted(hits.items()):
            out += piezo.edges(list_of_hits, ch, self._vth_v, Stream(self.seed, self.table, "piezo", ch, number))
        return sorted(out)


def _merge(edges: list[Edge], fields: list[Input]) -> Iterable[Input]:
    """Edges and scans in time order; a held stretch is cut where an edge falls into it."""
    pending = list(fields)
    queue = sorted(edges)
    while pending:
        item = pending.pop(0)
        if isinstance(item, Hold) and queue:
            span_end = item.t_us + (item.n - 1) * hall.PERIOD_US
            if item.t_us <= queue[0].t_us < span_end:
                before = (queue[0].t_us - item.t_us) // hall.PERIOD_US + 1
                rest = item.n - before
                if rest > 0:
                    pending.insert(0, Hold(item.t_us + before * hall.PERIOD_US, rest, item.frozen))
                    item = Hold(item.t_us, before, item.frozen)
        last = item.t_us + (item.n - 1) * hall.PERIOD_US if isinstance(item, Hold) else item.t_us
        while queue and queue[0].t_us < item.t_us:
            yield queue.pop(0)
        yield item
        while queue and queue[0].t_us <= last:
            yield queue.pop(0)
    yield from heapq.merge(queue)
