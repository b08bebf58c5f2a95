"""The faults of one table in one unit: filters with streams of their own, moments drawn from the seed, and a log of all that was done."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from marker_sim.faults import signal, transport
from marker_sim.faults.profile import Kind, Profile, Spec, Stage
from marker_sim.rng import Stream
from marker_sim.sensors.inputs import Input
from marker_sim.sinks.packets import Publish


class Injected(NamedTuple):
    """One injected fault, for the truth: in which shot (0 before the first), what, and where or how."""

    shot: int
    kind: Kind
    detail: str


class Act(NamedTuple):
    """Something to be done to a process in the middle of a shot; `seconds` where it lasts, `tries` where it is counted."""

    kind: Kind
    seconds: float = 0.0
    tries: int = 1


class Rig:
    """`shots`: length of the unit, over which moments are drawn. The same arguments give the same faults."""

    def __init__(self, profile: Profile, seed: int, table: str, shots: int) -> None:
        self.profile = profile
        self.injected: list[Injected] = []
        self.shot = 0
        self._seed, self._table, self._shots = seed, table, shots
        self._feeds = 0
        self._names = self._named()
        self._moments = {at: self._drawn(at, spec) for at, spec in enumerate(profile.faults)}
        pairs = [*profile.stage(Stage.TRANSPORT), *profile.stage(Stage.PAYLOAD)]
        self.transport = [
            transport.FILTERS[spec.kind](spec, self._stream(at, "wire"), self.note) for at, spec in sorted(pairs)
        ]

    def _named(self) -> list[str]:
        """A stream's name is that of its fault, numbered among its kind: what else the profile holds does not matter."""
        seen: Counter[Kind] = Counter()
        found = []
        for spec in self.profile.faults:
            seen[spec.kind] += 1
            found.append(f"{spec.kind}-{seen[spec.kind]}")
        return found

    def _stream(self, at: int, *more: str | int) -> Stream:
        return Stream(self._seed, self._table, "fault", self._names[at], *more)

    def _drawn(self, at: int, spec: Spec) -> frozenset[int]:
        """The shots in which a fault counted by `times` strikes."""
        times = dict(spec.params).get("times")
        if times is None:
            return frozenset()
        chance = self._stream(at, "when")
        return frozenset(1 + chance.below(self._shots) for _ in range(int(times)))

    def note(self, kind: Kind, detail: str) -> None:
        """Log an injected fault."""
        self.injected.append(Injected(self.shot, kind, detail))

    def counts(self) -> dict[str, int]:
        """How often each fault was injected."""
        return dict(sorted(Counter(str(one.kind) for one in self.injected).items()))

    @property
    def signals(self) -> bool:
        """Whether inputs are touched at all."""
        return bool(self.profile.stage(Stage.SIGNAL))

    def begin(self, shot: int) -> None:
        """Shot number `shot` is played from now on."""
        self.shot = shot

    def signal(self, inputs: list[Input]) -> list[Input]:
        """The inputs as the faulty sensors give them."""
        self._feeds += 1
        filters = []
        for at, spec in self.profile.stage(Stage.SIGNAL):
            moments = self._moments[at]
            broken = spec.kind in (Kind.STUCK, Kind.DEAD)
            active = self.shot in moments or (broken and any(shot <= self.shot for shot in moments))
            if broken and self.shot in moments and not self._told(spec.kind):
                self.note(spec.kind, spec.text("channel"))
            filters.append(signal.FILTERS[spec.kind](spec, self._stream(at, self._feeds), self.note, active))
        return signal.through(filters, inputs)

    def _told(self, kind: Kind) -> bool:
        return any(one.kind is kind and one.shot == self.shot for one in self.injected)

    def send(self, item: Publish) -> list[transport.Wire]:
        """What goes on the wire for one publish of the node."""
        return transport.through(self.transport, item)

    def clock_delays_s(self) -> tuple[float, float]:
        """How much longer than other messages a clock request and a clock reply are on their way."""
        found = [one.delays_s() for one in self.transport if isinstance(one, transport.Asymmetry)]
        return sum(up for up, _ in found), sum(down for _, down in found)

    def moments(self, shot: int) -> list[float]:
        """When in a shot something is planned, ms after the strike; what is done in its middle is not among them."""
        return sorted({one.at_ms for one in self.profile.schedule if one.at_shot == shot and one.at_ms is not None})

    def acts(self, shot: int, at_ms: float | None = None) -> list[Act]:
        """What is done to processes in the middle of a shot, or at one of its `moments`."""
        found = []
        for at, spec in self.profile.stage(Stage.PROCESS):
            if shot in self._moments[at] and at_ms is None:
                seconds = 0.0
                if spec.kind in (Kind.WIFI_LOSS, Kind.REFUSED_JOIN):
                    low, high = spec.number("min_s"), spec.number("max_s")
                    seconds = self._stream(at, shot).uniform(low, high)
                elif spec.kind is Kind.BROKER_STOP:
                    seconds = spec.number("stop_s")
                tries = int(spec.number("tries")) if spec.kind is Kind.WRONG_CONNACK else 1
                found.append(Act(spec.kind, seconds, tries))
        found += [Act(one.do, 1.0) for one in self.profile.schedule if (one.at_shot, one.at_ms) == (shot, at_ms)]
        when = [] if at_ms is None else [f"at {at_ms:g} ms"]
        for act in found:
            self.note(act.kind, ", ".join([*when, *([f"{act.seconds:.1f} s"] if act.seconds else ())]))
        return found
