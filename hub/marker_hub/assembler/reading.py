"""From the records of one shot to what the rules take as evidence, and to the live facts that pages show."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from marker_hardware.codes import Flag, Kind, Latch, PinState, Quality
from marker_hardware.wire import Group
from marker_hub.assembler.channels import channels, trust
from marker_hub.assembler.run import Rec, ShotRun
from marker_rules.balls import Ball, Pin, Player
from marker_rules.evidence import observations as ev
from marker_rules.facts import Fact, Off, Shift
from marker_rules.shot import Call, When

_FLAGS = ((int(Flag.MERGED), ev.Flag.MERGED), (int(Flag.ECHO), ev.Flag.ECHO), (int(Flag.XTALK), ev.Flag.XTALK))
_FLAG_BITS = sum(bit for bit, _ in _FLAGS)
_NO_FLAGS: frozenset[ev.Flag] = frozenset()
_PINS = tuple(pin.value for pin in Pin)


class LiveFact(NamedTuple):
    """One fact for the display: kind pin, pot, click or cushion; what; ms after the strike; doubtful ones are chalk with `?`."""

    kind: str
    what: str
    ms: int
    sure: bool


class PinView(NamedTuple):
    """What the sensors say of one pin in one shot. least, most: times it was toppled; slid: displaced, base in contact."""

    least: int
    most: int
    t: int | None
    slid: bool
    tilted: bool


def _flags(rec: Rec) -> frozenset[ev.Flag]:
    return frozenset(word for bit, word in _FLAGS if rec.aux & bit) if rec.aux & _FLAG_BITS else _NO_FLAGS


class _Key:
    """A run with what else shapes its evidence; equal only to itself, because runs are replaced and never changed."""

    __slots__ = ("override", "profile", "run")

    def __init__(self, run: ShotRun, profile: str, override: tuple[tuple[int, str], ...]) -> None:
        self.run, self.profile, self.override = run, profile, override

    def __hash__(self) -> int:
        return hash((id(self.run), self.profile, self.override))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.run is other.run and self.override == other.override


def pin_views(run: ShotRun, profile: str) -> Mapping[str, PinView]:
    """What each pin of the layout did, by the records from the strike on."""
    return _pin_views(_Key(run, profile, ()))


@lru_cache(maxsize=512)
def _pin_views(key: _Key) -> Mapping[str, PinView]:
    run, profile = key.run, key.profile
    table = channels(profile)
    latch: dict[str, tuple[int, int]] = {}
    state: dict[str, tuple[int, int]] = {}
    for rec in run.ordered:
        channel = table.get(rec.ch)
        if channel is None or channel.group is not Group.PIN or channel.place not in run.standing:
            continue
        if rec.kind == Kind.LOST and rec.v > latch.get(channel.place, (0, 0))[0]:
            latch[channel.place] = (rec.v, rec.t)
        elif rec.kind == Kind.STATE:
            first = latch.get(channel.place)
            state[channel.place] = (rec.v, rec.t)
            if rec.v == PinState.FALLEN and (first is None or first[0] < Latch.YES):
                latch[channel.place] = (Latch.YES, rec.t)
    views = {}
    for pin in run.standing:
        lost, t_lost = latch.get(pin, (Latch.NO, None))
        now, t_now = state.get(pin, (PinState.STANDING, None))
        unsure = now in (PinState.TILTED, PinState.UNKNOWN)
        most = 1 if lost > Latch.NO or unsure else 0
        views[pin] = PinView(
            least=1 if lost == Latch.YES else 0,
            most=most,
            t=t_lost if t_lost is not None else t_now if unsure else None,
            slid=now == PinState.SLID and lost < Latch.YES,
            tilted=unsure and lost < Latch.YES,
        )
    return views


def _observations(run: ShotRun, profile: str) -> tuple[ev.Observation, ...]:
    return _observed(_Key(run, profile, ()))


@lru_cache(maxsize=512)
def _observed(key: _Key) -> tuple[ev.Observation, ...]:
    run, profile = key.run, key.profile
    table = channels(profile)
    found: list[tuple[int, ev.Observation]] = []
    struck = False
    for rec in run.ordered:
        channel = table.get(rec.ch)
        if channel is None:
            continue
        unc = channel.unc_us
        if rec.kind == Kind.HIT and channel.group is Group.CLICK:
            kind = ev.Kind.CLICK if struck else ev.Kind.STRIKE
            struck = struck or not rec.doubtful
            found.append((rec.t, ev.Observation(kind, "", rec.t, unc, _flags(rec))))
        elif rec.kind == Kind.HIT and channel.group is Group.RAIL:
            found.append((rec.t, ev.Observation(ev.Kind.CUSHION, channel.place, rec.t, unc, _flags(rec))))
        elif rec.kind == Kind.DROP:
            unsure, merged = bool(rec.aux & Flag.UNSURE), bool(rec.aux & Flag.MERGED)
            most = None if merged else 1
            seen = ev.Observation(
                ev.Kind.GATE, channel.place, rec.t, unc, _flags(rec), least=0 if unsure else 1, most=most
            )
            found.append((rec.t, seen))
    for pin, view in pin_views(run, profile).items():
        if view.most:
            t = view.t if view.t is not None else (run.from_t or 0)
            found.append((t, ev.Observation(ev.Kind.PIN, pin, view.t, 10_000, least=view.least, most=view.most)))
    found.sort(key=lambda pair: pair[0])
    return tuple(item for _, item in found)


def _quality(run: ShotRun, profile: str, override: tuple[tuple[int, str], ...]) -> tuple[tuple[str, ev.Quality], ...]:
    return _qualities(tuple(run.quality.items()), run.latched, profile, override)


@lru_cache(maxsize=256)
def _qualities(
    reported: tuple[tuple[int, int], ...], latched: tuple[str, ...], profile: str, override: tuple[tuple[int, str], ...]
) -> tuple[tuple[str, ev.Quality], ...]:
    words, quality = dict(override), dict(reported)
    table = channels(profile)
    whole: dict[ev.Channel, ev.Quality] = {}
    single: list[tuple[str, ev.Quality]] = []
    of = {Group.PIN: ev.Kind.PIN, Group.RAIL: ev.Kind.CUSHION, Group.GATE: ev.Kind.GATE}
    order = tuple(ev.Quality)
    places: dict[tuple[ev.Kind, str], ev.Quality] = {}
    for number, channel in table.items():
        level = trust(profile, number, quality.get(number), words.get(number))
        if channel.group is Group.CLICK:
            whole[ev.Channel.CLICKS] = whole[ev.Channel.STRIKES] = level
        elif channel.group in of:
            if channel.place in latched:
                level = ev.Quality.ABSENT
            kind = of[channel.group]
            key = (kind, channel.place)
            places[key] = max(places.get(key, ev.Quality.OK), level, key=order.index)
    for (kind, place), level in places.items():
        best = whole.get(ev.CHANNEL_OF[kind])
        whole[ev.CHANNEL_OF[kind]] = level if best is None else min(best, level, key=order.index)
        single.append((f"{kind} {place}", level))
    named = [(name, level) for name, level in single if level is not whole[ev.CHANNEL_OF[ev.Kind(name.split()[0])]]]
    return (*((channel.value, level) for channel, level in sorted(whole.items())), *sorted(named))


def _calls(run: ShotRun) -> tuple[tuple[Call, ...], tuple[Fact, ...]]:
    calls: list[Call] = []
    facts: list[Fact] = []
    balls = {ball.value for ball in Ball}
    for made in run.calls:
        jumped = [name for name in made.args if name in balls]
        facts += [Off(Ball(name)) for name in jumped]
        calls.append(Call(made.code, Player(made.by), When(made.when)))
    return tuple(calls), tuple(facts)


@lru_cache(maxsize=512)
def _gather(key: _Key) -> ev.Evidence:
    run, profile = key.run, key.profile
    calls, facts = _calls(run)
    slid = tuple(Shift(Pin(pin)) for pin, view in pin_views(run, profile).items() if view.slid)
    return ev.Evidence(
        observations=_observations(run, profile),
        calls=calls,
        answers=run.answers,
        quality=_quality(run, profile, key.override),
        gap=run.incomplete,
        facts=(*facts, *slid),
    )


def evidence(run: ShotRun, profile: str, override: tuple[tuple[int, str], ...] = ()) -> ev.Evidence:
    """The shot as the rules take it. `override`: (channel, `ok` or `hint`) from a commissioning report."""
    return _gather(_Key(run, profile, override))


def live_facts(run: ShotRun, profile: str) -> tuple[LiveFact, ...]:
    """What to show while the shot runs, in time order; the first click is the tip and is not shown."""
    start = run.from_t
    found = []
    if start is None:
        return ()
    words = {ev.Kind.CLICK: "click", ev.Kind.PIN: "pin", ev.Kind.CUSHION: "cushion", ev.Kind.GATE: "pot"}
    for seen in _observations(run, profile):
        word = words.get(seen.kind)
        if word is not None:
            t = seen.t_us if seen.t_us is not None else start
            sure = seen.least > 0 and not seen.flags & {ev.Flag.ECHO, ev.Flag.XTALK}
            found.append(LiveFact(word, seen.what, max(0, (t - start) // 1000), sure))
    return tuple(found)


def sick(quality: dict[int, int], profile: str) -> tuple[str, ...]:
    """Places of pins whose sensor is not healthy (or not there)."""
    return tuple(
        channel.place
        for number, channel in channels(profile).items()
        if channel.group is Group.PIN and quality.get(number) != Quality.OK
    )
