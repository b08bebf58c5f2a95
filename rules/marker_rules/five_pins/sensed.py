"""What the sensors and the referee say of a five-pins stroke, as far as it decides how the stroke can have gone.

Two strokes with the same reading can have gone the same ways: times are reduced to what surely came before what, the
score, the players' names and what no sensor is believed to say are left out.
"""

from __future__ import annotations

from typing import NamedTuple

from marker_rules.balls import Pin, Player
from marker_rules.evidence.observations import Evidence, Flag, Kind, Observation, Quality, surely_before
from marker_rules.five_pins.state import Mode
from marker_rules.options import Options
from marker_rules.shot import Call, When

PIN, CLICK, SLID, IDLE, SITTING = Kind.PIN, Kind.CLICK, Flag.SLID, Mode.IDLE, When.SITTING
PINS = tuple(Pin)
USED = (Quality.OK, Quality.HINT)  # qualities of which a report at least orders answers
SEEN_NOT_CHOSEN = frozenset({"B", "V", "G"})  # errors that the facts themselves show


class Layout(NamedTuple):
    """What of a state decides how a stroke can go."""

    striker: Player
    mode: Mode
    pins: frozenset[Pin]


class Event(NamedTuple):
    """One believed observation. pin: empty for a click. unsure: it may be nothing. several: it may be more than one."""

    pin: Pin | None
    unsure: bool = False
    several: bool = False


class Reading(NamedTuple):
    """struck: False where no stroke was made. standing: the pins before it. events: what was reported, in the order listed.

    order: for each event the bit set of those that surely came before it. unknown: pins that perhaps fell, nobody knows
    when. slid: displaced pins. unheard: balls may have met without a click. called: errors B, V and G the referee saw.
    hinted: of the open pins with a hint sensor, whether it reported.
    """

    struck: bool
    standing: frozenset[Pin]
    events: tuple[Event, ...] = ()
    order: tuple[int, ...] = ()
    unknown: tuple[Pin, ...] = ()
    slid: frozenset[Pin] = frozenset()
    unheard: bool = False
    called: frozenset[str] = frozenset()
    hinted: tuple[tuple[Pin, bool], ...] = ()

    @property
    def maybe(self) -> tuple[int, ...]:
        """The places of the pins that may have fallen then or not at all, in the order of the pins."""
        places = [at for at, event in enumerate(self.events) if event.unsure and event.pin is not None]
        return tuple(sorted(places, key=lambda at: PINS.index(self.events[at].pin)))


NO_ERRORS: frozenset[str] = frozenset()


class _Pins(NamedTuple):
    """told: the pins that fell or may have, by the place of the report. unknown, slid: as in `Reading`. reported: named at all."""

    told: dict[int, Event]
    unknown: tuple[Pin, ...]
    slid: frozenset[Pin]
    reported: frozenset[str]


def _pins(evidence: Evidence, before: Layout, shifts_count: bool) -> _Pins:
    """Sorted by the pins, each told once."""
    reports: dict[str, list[tuple[int, Observation]]] = {}
    for at, observation in enumerate(evidence.observations):
        if observation.kind is PIN:
            reports.setdefault(observation.what, []).append((at, observation))
    told: dict[int, Event] = {}
    unknown: list[Pin] = []
    slid: set[Pin] = set()
    for pin in PINS:
        if pin not in before.pins:
            continue
        trust = evidence.trust(PIN, pin)
        seen = reports.get(pin, []) if trust.reports else []
        toppled = [(at, o) for at, o in seen if SLID not in o.flags]
        if seen and not toppled:
            slid.add(pin)
            toppled = seen if shifts_count else []
        certain = [at for at, o in toppled if o.bounds[0]]
        if certain:
            told[certain[0]] = Event(pin)
        elif toppled:
            told[toppled[0][0]] = Event(pin, unsure=True)
        elif not trust.silence and pin not in slid:
            unknown.append(pin)
    return _Pins(told, tuple(unknown), frozenset(slid), frozenset(reports))


def read(evidence: Evidence, before: Layout, options: Options) -> Reading:
    """The reading of a stroke."""
    told, unknown, slid, reported = _pins(evidence, before, options["shifted_counts"])
    if before.mode is IDLE:
        moved = slid.union(event.pin for event in told.values() if event.pin is not None and not event.unsure)
        return Reading(struck=False, standing=before.pins, slid=moved)
    heard = evidence.trust(CLICK)
    if heard.reports:
        for at, observation in enumerate(evidence.observations):
            if observation.kind is CLICK:
                least, most = observation.bounds
                told[at] = Event(None, least == 0, most != 1)
    places = sorted(told)
    called = _called(evidence.calls, before) if evidence.calls else NO_ERRORS
    events = tuple([told[at] for at in places])
    open_pins = {event.pin for event in events if event.unsure}.union(unknown)
    return Reading(
        struck=True,
        standing=before.pins,
        events=events,
        order=_order([evidence.observations[at] for at in places]),
        unknown=unknown,
        slid=slid,
        unheard=not heard.silence,
        called=called,
        hinted=tuple(
            [(pin, pin in reported) for pin in PINS if pin in open_pins and evidence.quality_of(PIN, pin) in USED]
        ),
    )


def _called(calls: tuple[Call, ...], before: Layout) -> frozenset[str]:
    """The errors among B, V and G that were called against the striker; with a wrong ball (A) none of them counts."""
    mine = {call.code for call in calls if call.by is before.striker and call.when is not SITTING}
    return NO_ERRORS if "A" in mine else SEEN_NOT_CHOSEN & mine


def _order(seen: list[Observation]) -> tuple[int, ...]:
    """For each observation the bit set of those that surely came before it."""
    if all(observation.t_us is None for observation in seen):
        return tuple([(1 << at) - 1 for at in range(len(seen))])
    return tuple(
        [
            sum([1 << i for i, a in enumerate(seen) if i != at and surely_before(a, b, listed=i < at)])
            for at, b in enumerate(seen)
        ]
    )
