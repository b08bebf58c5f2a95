"""Records of one shot as evidence for the rules, without a hub.

Written from the wire contract and the evidence table of the design, not from the hub's code, so that the two check each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from marker_hardware import wire
from marker_hardware.wire import Flag, Group, Kind, Latch, PinState, Profile
from marker_hardware.wire import Quality as Code
from marker_rules.evidence import Evidence, Observation, Quality
from marker_rules.evidence import Flag as Doubt
from marker_rules.evidence import Kind as Sense
from marker_rules.facts import Contact, Cushion, Fact, Jaw, Pot, Shift, Strike, Topple
from marker_rules.shot import Call
from marker_sim.detector import Record
from marker_sim.timeline import Timeline

PIN_UNC_US = 10_000
_DOUBTS = ((Flag.MERGED, Doubt.MERGED), (Flag.ECHO, Doubt.ECHO), (Flag.XTALK, Doubt.XTALK))
_SICK = {Code.NOISY: Quality.NOISY, Code.STUCK: Quality.STUCK, Code.ABSENT: Quality.ABSENT}


class Fitted(StrEnum):
    """What a table is fitted with: `all` exact and complete; `hints` as built; `main` pins or gates only; `none`."""

    ALL = "all"
    HINTS = "hints"
    MAIN = "main"
    NONE = "none"


_SENSED = {
    Fitted.HINTS: frozenset({Group.PIN, Group.GATE, Group.RAIL, Group.CLICK}),
    Fitted.MAIN: frozenset({Group.PIN, Group.GATE}),
    Fitted.NONE: frozenset[Group](),
}


def sensed(
    records: Iterable[Record],
    codes: Mapping[int, int],
    standing: Iterable[str],
    profile: Profile,
    fitted: Fitted,
    calls: tuple[Call, ...],
    facts: tuple[Fact, ...] = (),
    *,
    gap: bool = False,
) -> Evidence:
    """Evidence from `records`. codes: worst health of each channel in the shot; gap: some records never came.

    facts: what the referee entered with his calls.
    """
    groups = _SENSED[fitted]
    once = {r.seq: r for r in records if _group(profile, r.ch) in groups}
    kept = sorted(once.values(), key=lambda r: (r.t, r.seq))
    found = [*_hits(kept, profile), *_gates(kept, profile)]
    slid: list[Fact] = []
    if Group.PIN in groups:
        for pin in standing:
            seen, moved = _pin(pin, [r for r in kept if _place(profile, r.ch) == pin])
            found += seen
            slid += moved
    found.sort(key=lambda item: item.t_us or 0)
    quality = _quality(profile, codes, groups)
    return Evidence.of(found, quality, calls=calls, gap=gap, facts=(*facts, *slid))


def _group(profile: Profile, ch: int) -> Group | None:
    channel = wire.channel(profile, ch)
    return None if channel is None else channel.group


def _place(profile: Profile, ch: int) -> str:
    channel = wire.channel(profile, ch)
    return "" if channel is None else channel.place


def _doubts(record: Record) -> frozenset[Doubt]:
    return frozenset(word for bit, word in _DOUBTS if record.aux & bit)


def _hits(records: list[Record], profile: Profile) -> list[Observation]:
    """The first click that is no echo is the tip; later ones are balls that met."""
    found = []
    struck = False
    for record in records:
        channel = wire.channel(profile, record.ch)
        if record.kind != Kind.HIT or channel is None:
            continue
        doubts = _doubts(record)
        if channel.group is Group.CLICK:
            kind = Sense.CLICK if struck else Sense.STRIKE
            struck = struck or not doubts & {Doubt.ECHO, Doubt.XTALK}
            found.append(Observation(kind, "", record.t, channel.unc_us, doubts))
        else:
            found.append(Observation(Sense.CUSHION, channel.place, record.t, channel.unc_us, doubts))
    return found


def _gates(records: list[Record], profile: Profile) -> list[Observation]:
    found = []
    for record in records:
        channel = wire.channel(profile, record.ch)
        if record.kind == Kind.DROP and channel is not None:
            least = 0 if record.aux & Flag.UNSURE else 1
            most = None if record.aux & Flag.MERGED else 1
            found.append(
                Observation(
                    Sense.GATE, channel.place, record.t, channel.unc_us, _doubts(record), least=least, most=most
                )
            )
    return found


def _pin(pin: str, records: list[Record]) -> tuple[list[Observation], list[Fact]]:
    """What one pin did: it fell, it may have fallen, or it slid without falling."""
    latch, fell_t = Latch.NO, None
    state, state_t = PinState.STANDING, None
    for record in records:
        if record.kind == Kind.LOST and record.v > latch:
            latch, fell_t = Latch(record.v), record.t
        elif record.kind == Kind.STATE:
            state, state_t = PinState(record.v), record.t
            if state is PinState.FALLEN and latch is not Latch.YES:
                latch, fell_t = Latch.YES, record.t
    unclear = state in (PinState.TILTED, PinState.UNKNOWN)
    slid: list[Fact] = []
    if state is PinState.SLID and latch is not Latch.YES:
        slid = [Shift(_as_pin(pin))]
    if latch is Latch.NO and not unclear:
        return [], slid
    least = 1 if latch is Latch.YES else 0
    return [Observation(Sense.PIN, pin, fell_t if fell_t is not None else state_t, PIN_UNC_US, least=least)], slid


def _as_pin(letter: str) -> Any:
    from marker_rules.balls import Pin

    return Pin(letter)


def _quality(profile: Profile, codes: Mapping[int, int], groups: frozenset[Group]) -> dict[str, str]:
    """Quality by channel and by single sensor; what is not fitted is absent."""
    order = tuple(Quality)
    words = {Group.PIN: "pin", Group.RAIL: "cushion", Group.GATE: "gate"}
    single: dict[str, Quality] = {}
    whole: dict[str, Quality] = {}
    for number, channel in wire.channels(profile).items():
        if channel.group not in groups:
            continue
        code = Code(codes.get(number, Code.OK))
        level = _SICK.get(code) or Quality(channel.quality)
        if channel.group is Group.CLICK:
            whole["clicks"] = whole["strikes"] = level
            continue
        word = words[channel.group]
        name = f"{word} {channel.place}"
        single[name] = max(single.get(name, Quality.OK), level, key=order.index)
    for name, level in single.items():
        plural = f"{name.split()[0]}s"
        whole[plural] = min(whole.get(plural, Quality.ABSENT), level, key=order.index)
    found = {name: level.value for name, level in whole.items()}
    return found | {name: level.value for name, level in single.items() if level is not whole[f"{name.split()[0]}s"]}


def exact(timeline: Timeline, profile: Profile, calls: tuple[Call, ...], facts: tuple[Fact, ...] = ()) -> Evidence:
    """Evidence of a table whose every sensor is complete and exact: each fact it can feel, no other."""
    found: list[Observation] = []
    for item in timeline.items:
        t = item.t_ns // 1000
        match item.fact:
            case Strike():
                found.append(Observation(Sense.STRIKE, "", t))
            case Contact(_, unmoved) if not unmoved:
                found.append(Observation(Sense.CLICK, "", t))
            case Cushion(_, rail):
                found.append(Observation(Sense.CUSHION, rail, t))
            case Jaw(_, pocket):
                found.append(Observation(Sense.CUSHION, "left" if pocket == "ML" else "right", t))
            case Topple(pins):
                found += [Observation(Sense.PIN, pin, t, PIN_UNC_US) for pin in pins]
            case Pot(_, pocket):
                found.append(Observation(Sense.GATE, pocket, t))
            case _:
                pass
    main = "pins" if profile is Profile.CAROM5 else "gates"
    quality = {main: "ok", "cushions": "ok", "clicks": "ok", "strikes": "ok"}
    return Evidence.of(found, quality, calls=calls, facts=facts)
