"""Faults before the node's detection: inputs in, inputs out, shot by shot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from marker_hardware import wire
from marker_sim.faults.profile import Kind, Spec
from marker_sim.rng import Stream
from marker_sim.sensors.inputs import PIEZO_FIRST, SHIFT_FIRST, Edge, Hold, Input, Scan

PERIOD_US = 10_000
PULSE_US = 4_000
PINS = 5
LONG_HOLD = 400  # scans of a held stretch that a frozen sensor is told one by one
RAILS = range(PIEZO_FIRST, PIEZO_FIRST + 6)

Note = Callable[[Kind, str], None]


class SignalFilter:
    """One signal fault. `begin` is called before the inputs of each shot with the rails fitted and the play time."""

    def __init__(self, spec: Spec, chance: Stream, note: Note, active: bool) -> None:
        self.spec = spec
        self.chance = chance
        self.note = note
        self.active = active

    def feed(self, item: Input) -> list[Input]:
        """What goes on for one item."""
        return [item]

    def flush(self) -> list[Input]:
        """What is still held."""
        return []

    def hits(self, item: Input) -> bool:
        """Whether this fault strikes this item: a rising piezo edge, at the rate."""
        return (
            isinstance(item, Edge)
            and item.ch < SHIFT_FIRST
            and item.level == 1
            and self.spec.number("rate") > 0
            and self.chance.chance(self.spec.number("rate"))
        )


class Bounce(SignalFilter):
    """Extra edges soon after an edge."""

    def feed(self, item: Input) -> list[Input]:
        """The edge and, now and then, more of it."""
        if (
            not isinstance(item, Edge)
            or not self.spec.number("rate")
            or not self.chance.chance(self.spec.number("rate"))
        ):
            return [item]
        self.note(self.spec.kind, f"{item.ch}")
        low, high = self.spec.number("min_ms") * 1000, self.spec.number("max_ms") * 1000
        pairs = 1 + self.chance.below(max(1, int(self.spec.number("edges")) // 2))
        times = sorted(item.t_us + int(self.chance.uniform(low, high)) for _ in range(2 * pairs))
        extra: list[Input] = [
            Edge(t, item.ch, 1 - item.level if at % 2 == 0 else item.level, 0) for at, t in enumerate(times)
        ]
        return [item, *extra]


class Chatter(SignalFilter):
    """One channel that never rests while the shot lasts."""

    _from: int | None = None
    _to = 0

    def feed(self, item: Input) -> list[Input]:
        """The item; the time it covers is remembered."""
        if self.active:
            last = item.t_us + (item.n - 1) * PERIOD_US if isinstance(item, Hold) else item.t_us
            self._from = item.t_us if self._from is None else self._from
            self._to = max(self._to, last)
        return [item]

    def flush(self) -> list[Input]:
        """All the edges of the channel, to be sorted in."""
        if self._from is None:
            return []
        ch = input_of(self.spec.text("channel"))
        step = 1e6 / self.spec.number("edges_per_s")
        self.note(self.spec.kind, self.spec.text("channel"))
        count = min(int((self._to - self._from) / step), 20_000)
        made: list[Input] = []
        for at in range(count - count % 2):
            t = int(self._from + (at + self.chance.uniform(0.0, 0.9)) * step)
            made.append(Edge(t, ch, 1 - at % 2, 400 if ch < SHIFT_FIRST and at % 2 == 0 else 0))
        return made


class Broken(SignalFilter):
    """A sensor that is dead (no edges, no answer) or stuck (level or vector frozen) from the shot on."""

    _frozen: tuple[int, ...] | None = None

    def feed(self, item: Input) -> list[Input]:
        """The item as the broken sensor lets it through."""
        if not self.active:
            return [item]
        name = self.spec.text("channel")
        number = wire.channel_number(name)
        if number < PINS:
            return self._pin(item, number)
        if isinstance(item, Edge) and item.ch == input_of(name):
            stays_high = self.spec.kind is Kind.STUCK and item.level == 1
            return [item] if stays_high else []
        return [item]

    def _pin(self, item: Input, number: int) -> list[Input]:
        if isinstance(item, Edge):
            return [item]
        if self.spec.kind is Kind.DEAD:
            if isinstance(item, Scan):
                return [replace(item, answered=item.answered & ~(1 << number))]
            return [item]
        if isinstance(item, Scan):
            mine = item.values[3 * number : 3 * number + 3]
            self._frozen = self._frozen or mine
            self._others = (item.values[: 3 * number], item.values[3 * number + 3 :])
            return [replace(item, values=self._vector(item.values, number))]
        return self._held(item, number)

    def _held(self, item: Hold, number: int) -> list[Input]:
        """A held stretch is told scan by scan at first: only the frozen sensor repeats itself exactly."""
        if self._frozen is None:
            return [item]
        before, after = self._others
        made: list[Input] = []
        told = min(item.n, LONG_HOLD)
        for at in range(told):
            noisy = [round(self.chance.gauss(v, 25.0)) for v in (*before, *self._frozen, *after)]
            made.append(Scan(item.t_us + at * PERIOD_US, self._vector(tuple(noisy), number)))
        if item.n > told:
            made.append(Hold(item.t_us + told * PERIOD_US, item.n - told, item.frozen))
        return made

    def _vector(self, values: tuple[int, ...], number: int) -> tuple[int, ...]:
        assert self._frozen is not None
        return (*values[: 3 * number], *self._frozen, *values[3 * number + 3 :])

    _others: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


class Crosstalk(SignalFilter):
    """A hit on one rail is felt by the next one too, weaker and a little later."""

    def feed(self, item: Input) -> list[Input]:
        """The hit and perhaps its echo next door."""
        if not self.hits(item) or not isinstance(item, Edge) or item.ch not in RAILS:
            return [item]
        ratio = self.chance.uniform(self.spec.number("min_ratio"), self.spec.number("max_ratio"))
        neighbour = PIEZO_FIRST + (item.ch - PIEZO_FIRST + 1) % 4
        volts = int(item.aux * ratio)
        if volts < 150:  # too weak for the comparator
            return [item]
        self.note(self.spec.kind, f"{item.ch} to {neighbour}")
        at = item.t_us + int(self.chance.uniform(200, 1000))
        return [item, Edge(at, neighbour, 1, volts), Edge(at + PULSE_US, neighbour, 0)]


class Miss(SignalFilter):
    """A hit that gives no pulse."""

    def __init__(self, spec: Spec, chance: Stream, note: Note, active: bool) -> None:
        super().__init__(spec, chance, note, active)
        self._silent: set[int] = set()

    def feed(self, item: Input) -> list[Input]:
        """Nothing for a missed pulse, from its rise to its fall."""
        if isinstance(item, Edge) and item.ch in self._silent and item.level == 0:
            self._silent.discard(item.ch)
            return []
        if self.hits(item) and isinstance(item, Edge):
            self._silent.add(item.ch)
            self.note(self.spec.kind, f"{item.ch}")
            return []
        return [item]


class Phantom(SignalFilter):
    """A pulse that nothing caused."""

    _from: int | None = None
    _to = 0
    _channels: tuple[int, ...] = tuple(RAILS)[:4]

    def feed(self, item: Input) -> list[Input]:
        """The item; the time it covers is remembered."""
        self._from = item.t_us if self._from is None else self._from
        self._to = item.t_us
        return [item]

    def flush(self) -> list[Input]:
        """At most one false pulse on a rail in the stretch."""
        if self._from is None:
            return []
        share = self.spec.number("per_hour") * (self._to - self._from) / 3.6e9
        if not share or not self.chance.chance(share):
            return []
        at = int(self.chance.uniform(self._from, self._to))
        ch = self.chance.pick(self._channels)
        self.note(self.spec.kind, f"{ch}")
        return [Edge(at, ch, 1, 300), Edge(at + PULSE_US, ch, 0)]


class Swap(SignalFilter):
    """Two piezo plugs exchanged."""

    _said = False

    def feed(self, item: Input) -> list[Input]:
        """The edge on the other channel."""
        if not isinstance(item, Edge):
            return [item]
        if not self._said:
            self._said = True
            self.note(self.spec.kind, f"{self.spec.text('a')} and {self.spec.text('b')}")
        a, b = input_of(self.spec.text("a")), input_of(self.spec.text("b"))
        return [replace(item, ch=b if item.ch == a else a if item.ch == b else item.ch)]


class Drift(SignalFilter):
    """The node's crystal is off by some ppm."""

    _said = False

    def feed(self, item: Input) -> list[Input]:
        """The item at the time the node's clock shows."""
        if not self._said and self.spec.number("ppm"):
            self._said = True
            self.note(self.spec.kind, f"{self.spec.number('ppm'):g} ppm")
        late = int(item.t_us * self.spec.number("ppm") / 1e6 + self.spec.number("step_ms") * 1000)
        return [replace(item, t_us=item.t_us + late)]


FILTERS: dict[Kind, type[SignalFilter]] = {
    Kind.BOUNCE: Bounce,
    Kind.CHATTER: Chatter,
    Kind.STUCK: Broken,
    Kind.DEAD: Broken,
    Kind.CROSSTALK: Crosstalk,
    Kind.MISS: Miss,
    Kind.PHANTOM: Phantom,
    Kind.SWAP: Swap,
    Kind.DRIFT: Drift,
}


def input_of(name: str) -> int:
    """The input number of a piezo channel."""
    return wire.channel_number(name)


def through(filters: list[SignalFilter], inputs: list[Input]) -> list[Input]:
    """All inputs through all filters in turn, in time order again where a filter added some."""
    for one in filters:
        passed = [made for item in inputs for made in one.feed(item)]
        more = one.flush()
        changed = bool(more) or len(passed) != len(inputs)
        inputs = in_order([*passed, *more]) if changed else passed
    return inputs


def in_order(inputs: list[Input]) -> list[Input]:
    """By time; a held stretch is cut where an edge falls into it."""
    edges = sorted((i for i in inputs if isinstance(i, Edge)), key=lambda e: e.t_us)
    fields = [i for i in inputs if not isinstance(i, Edge)]
    made: list[Input] = []
    for item in sorted(fields, key=lambda f: f.t_us):
        rest: Hold | None = None
        while edges and edges[0].t_us < item.t_us:
            made.append(edges.pop(0))
        if not isinstance(item, Hold):
            made.append(item)
            continue
        rest = item
        while edges and rest is not None and edges[0].t_us < rest.t_us + (rest.n - 1) * PERIOD_US:
            before = max(0, (edges[0].t_us - rest.t_us) // PERIOD_US + 1)
            if before:
                made.append(Hold(rest.t_us, before, rest.frozen))
            left = rest.n - before
            rest = Hold(rest.t_us + before * PERIOD_US, left, rest.frozen) if left > 0 else None
            made.append(edges.pop(0))
            while edges and rest is not None and edges[0].t_us < rest.t_us:
                made.append(edges.pop(0))
        if rest is not None:
            made.append(rest)
    return [*made, *edges]
