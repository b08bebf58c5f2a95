"""What the sensors, the referee and the health of the channels say of one shot, and how far each may be believed.

An observation is believed as far as its channel allows, and no further: `ok` channels are believed when they report and
when they are silent; a gap in the records takes away the silence; every other quality takes away both. Nothing here
knows a rule or a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar

from marker_rules.balls import Pin, Pocket, Rail
from marker_rules.errors import IllegalInput, MalformedFact, cut, shown
from marker_rules.facts import Fact
from marker_rules.shot import Call

W = TypeVar("W", bound=StrEnum)

HEALTHS = 256  # different healths of a table kept
UNSEEN = "unknown"  # the answer `did not see`: it never excludes anything
PICK = "pick"  # the answer that names a ruling instead of a fact


class Kind(StrEnum):
    """What a sensor can report."""

    STRIKE = "strike"
    CLICK = "click"  # two balls met
    PIN = "pin"  # the base of a pin lost contact
    CUSHION = "cushion"
    GATE = "gate"  # a ball passed a pocket


class Channel(StrEnum):
    """All sensors of one kind together."""

    STRIKES = "strikes"
    CLICKS = "clicks"
    PINS = "pins"
    CUSHIONS = "cushions"
    GATES = "gates"


CHANNEL_OF = {
    Kind.STRIKE: Channel.STRIKES,
    Kind.CLICK: Channel.CLICKS,
    Kind.PIN: Channel.PINS,
    Kind.CUSHION: Channel.CUSHIONS,
    Kind.GATE: Channel.GATES,
}
_NAMES: dict[Kind, type[StrEnum]] = {Kind.PIN: Pin, Kind.CUSHION: Rail, Kind.GATE: Pocket}


class Quality(StrEnum):
    """How far a channel may be believed, best first."""

    OK = "ok"  # complete and exact
    HINT = "hint"  # orders answers, excludes nothing
    NOISY = "noisy"
    STUCK = "stuck"
    ABSENT = "absent"


class Flag(StrEnum):
    """What is suspicious about one observation."""

    MERGED = "merged"  # may be several in one
    ECHO = "echo"  # may be the same one again
    XTALK = "xtalk"  # may come from a neighbouring channel
    CLIPPED = "clipped"  # stronger than can be measured: it happened, its strength is unknown
    SLID = "slid"  # a pin left its place, its base kept contact


class Frozen(StrEnum):
    """Whether balls lay against a cushion before the shot."""

    NONE = "none"
    SOME = "some"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Observation:
    """What one sensor reported.

    what: pin, rail or pocket, empty for strikes and clicks. t_us, unc_us: device time and its uncertainty (+-), in us;
    without a time the place in the list is its order. least, most: how many times it happened (`maybe` of a pin latch
    is 0..1; a gate that lost count is 1..None).
    """

    kind: Kind
    what: str = ""
    t_us: int | None = None
    unc_us: int = 0
    flags: frozenset[Flag] = frozenset()
    least: int = 1
    most: int | None = 1

    def __post_init__(self) -> None:
        names = _NAMES.get(self.kind)
        if names is None and self.what:
            raise IllegalInput(f"observation '{self.kind} {self.what}': a {self.kind} has no place", code="observation")
        if names is not None and self.what not in set(names):
            raise IllegalInput(
                f"observation '{self.kind} {self.what}': give one of {', '.join(names)}", code="observation"
            )
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise IllegalInput(
                f"observation '{self.kind}': happened {self.least}..{self.most} times", code="observation"
            )

    @property
    def bounds(self) -> tuple[int, int | None]:
        """How often it may have happened, flags counted in."""
        least = 0 if self.flags & {Flag.ECHO, Flag.XTALK} else self.least
        return least, None if Flag.MERGED in self.flags else self.most


@dataclass(frozen=True, slots=True)
class Trust:
    """reports: what was reported happened; silence: what was not reported did not happen."""

    reports: bool
    silence: bool


class _Health:
    """How far each sensor may be believed under one table of qualities; each worked out once."""

    __slots__ = ("_qualities", "_silent", "_table", "_trusts")

    def __init__(self, quality: tuple[tuple[str, Quality], ...], gap: bool) -> None:
        self._table = dict(quality)
        self._silent = not gap
        self._qualities: dict[tuple[str, str], Quality] = {}
        self._trusts: dict[tuple[str, str], Trust] = {}

    def quality(self, kind: Kind, what: str) -> Quality:
        """The worse of a channel's quality and the sensor's own."""
        found = self._qualities.get((kind, what))
        if found is None:
            order = tuple(Quality)
            whole = self._table.get(CHANNEL_OF[kind], Quality.ABSENT)
            own = self._table.get(f"{kind} {what}", whole) if what else whole
            found = self._qualities[kind, what] = max(whole, own, key=order.index)
        return found

    def trust(self, kind: Kind, what: str) -> Trust:
        """What follows from that."""
        found = self._trusts.get((kind, what))
        if found is None:
            ok = self.quality(kind, what) is Quality.OK
            found = self._trusts[kind, what] = Trust(reports=ok, silence=ok and self._silent)
        return found


_health = lru_cache(maxsize=HEALTHS)(_Health)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything known of one shot, before it is ruled. What stood or lay on the table is in the state `before` it.

    observations: in time order. calls: fouls the referee entered. answers: (question id, answer id) in the order given;
    the last one of a question holds. quality: (channel, or one sensor as `pin N`; quality); a channel not named is absent.
    gap: records are missing. facts: what the referee entered besides (`off red`, `shift N by red`), in the notation's types.
    """

    observations: tuple[Observation, ...] = ()
    calls: tuple[Call, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    quality: tuple[tuple[str, Quality], ...] = ()
    frozen: Frozen = Frozen.UNKNOWN
    gap: bool = False
    facts: tuple[Fact, ...] = ()

    @staticmethod
    def of(
        observations: Iterable[str | Observation] = (),
        quality: Mapping[str, str] | None = None,
        *,
        calls: Iterable[Call] = (),
        answers: Mapping[str, str] | None = None,
        frozen: str = Frozen.UNKNOWN,
        gap: bool = False,
        facts: Iterable[Fact] = (),
    ) -> Evidence:
        """Evidence from plain text and mappings. Raises MalformedFact, IllegalInput naming what cannot be read."""
        return Evidence(
            observations=tuple(
                item if isinstance(item, Observation) else parse_observation(item, at)
                for at, item in enumerate(observations)
            ),
            calls=tuple(calls),
            answers=tuple((answers or {}).items()),
            quality=tuple((_sensor(name), _word(Quality, value, name)) for name, value in (quality or {}).items()),
            frozen=_word(Frozen, frozen, "frozen"),
            gap=gap,
            facts=tuple(facts),
        )

    def answered(self, question: str, answer: str) -> Evidence:
        """The same with one answer more (or another answer to the same question)."""
        kept = tuple(pair for pair in self.answers if pair[0] != question)
        return replace(self, answers=(*kept, (question, answer)))

    def with_quality(self, name: str, quality: Quality) -> Evidence:
        """The same with another quality of a channel or sensor."""
        kept = tuple(pair for pair in self.quality if pair[0] != name)
        return replace(self, quality=(*kept, (name, quality)))

    def quality_of(self, kind: Kind, what: str = "") -> Quality:
        """The quality of a sensor: the worse of its channel's and its own."""
        return _health(self.quality, self.gap).quality(kind, what)

    def trust(self, kind: Kind, what: str = "") -> Trust:
        """How far a sensor may be believed in this shot."""
        return _health(self.quality, self.gap).trust(kind, what)

    def believed(self, *kinds: Kind) -> tuple[Observation, ...]:
        """The observations of these kinds whose sensors are believed, in the order given."""
        return tuple(o for o in self.observations if o.kind in kinds and self.trust(o.kind, o.what).reports)

    def hinted(self, kind: Kind) -> tuple[Observation, ...] | None:
        """The observations of a kind that may order answers (`ok` or `hint`); None where the channel tells nothing."""
        if self.quality_of(kind) not in (Quality.OK, Quality.HINT):
            return None
        good = (Quality.OK, Quality.HINT)
        return tuple(o for o in self.observations if o.kind is kind and self.quality_of(kind, o.what) in good)


def surely_before(first: Observation, second: Observation, *, listed: bool) -> bool:
    """Whether `first` came before `second` for certain; `listed`: it stands before it in the list.

    Two stamps closer than their joint uncertainty are unordered; where a stamp is missing the list is the order.
    """
    if first.t_us is None or second.t_us is None:
        return listed
    return first.t_us + first.unc_us < second.t_us - second.unc_us


def parse_observation(text: str, position: int = 0) -> Observation:
    """Read `click`, `pin N`, `cushion foot`, `gate BL`, with any of `maybe merged echo xtalk clipped uncounted` after it.

    Raises MalformedFact naming the word that did not fit.
    """

    def fail(token: str, expected: str) -> MalformedFact:
        return MalformedFact(
            f"observation {position + 1} '{cut(str(text))}': '{cut(token)}' where {expected} was expected",
            position=position,
            within="observations",
            token=token,
            expected=expected,
        )

    words = text.split() if isinstance(text, str) else [str(text)]
    if not words or words[0] not in set(Kind):
        raise fail(words[0] if words else "", f"one of {', '.join(Kind)}")
    kind, rest = Kind(words[0]), words[1:]
    what = ""
    if names := _NAMES.get(kind):
        if not rest or rest[0] not in set(names):
            raise fail(rest[0] if rest else "", f"one of {', '.join(names)}")
        what, rest = rest[0], rest[1:]
    flags, least, most = set(), 1, 1
    for word in rest:
        if word in set(Flag):
            flags.add(Flag(word))
        elif word == "maybe":
            least = 0
        elif word == "uncounted":
            most = 0
        else:
            raise fail(word, f"the end, maybe, uncounted or one of {', '.join(Flag)}")
    return Observation(kind, what, flags=frozenset(flags), least=least, most=most or None)


def _sensor(name: str) -> str:
    """A channel or `kind what`, checked."""
    if name in set(Channel):
        return name
    kind, _, what = name.partition(" ")
    if kind in {Kind.PIN, Kind.CUSHION, Kind.GATE} and what in set(_NAMES[Kind(kind)]):
        return name
    raise IllegalInput(
        f"sensor '{cut(name)}' is not known; give a channel ({', '.join(Channel)}) or one sensor as 'pin N'",
        code="sensors",
    )


def _word(kind: type[W], value: str, name: str) -> W:
    try:
        return kind(value)
    except ValueError:
        raise IllegalInput(f"'{name}': {shown(value)} is not one of {', '.join(kind)}", code=name) from None
