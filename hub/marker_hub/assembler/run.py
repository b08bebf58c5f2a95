"""One running or closed shot as evidence: its records, its window in device time, what the referee said about it."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from marker_hardware.codes import Flag, Quality
from marker_hub.assembler.link import worst
from marker_hub.entries import Called, Entry, Obs

_DOUBT = int(Flag.ECHO | Flag.XTALK)


class Rec(msgspec.Struct, frozen=True):
    """One record of the node, kept in the order of arrival; t: device time, us."""

    boot: int
    seq: int
    t: int
    ch: int
    kind: int
    v: int
    aux: int
    mono_us: int = 0

    @property
    def doubtful(self) -> bool:
        """Flagged as an echo or as cross-talk: counts as motion, proves nothing."""
        return bool(self.aux & _DOUBT)


def record(entry: Entry, body: Obs) -> Rec:
    """The record inside an observation entry; without device time the arrival stands in."""
    return Rec(
        boot=entry.boot if entry.boot is not None else 0,
        seq=entry.seq if entry.seq is not None else entry.n,
        t=entry.dev_us if entry.dev_us is not None else entry.mono_us,
        ch=body.ch,
        kind=body.kind,
        v=body.v,
        aux=body.aux,
        mono_us=entry.mono_us,
    )


EARLIEST_US = 1_000
"""A record so little older than the strike still belongs to it: stamps of two channels agree no better, us."""


class Stage(StrEnum):
    """How far a shot has come."""

    ROLLING = "rolling"
    SETTLING = "settling"
    CLOSED = "closed"


class Opened(StrEnum):
    """What opened a shot."""

    CLICK = "click"
    MOTION = "motion"  # the click channel is not healthy
    KEY = "key"
    ASKED = "asked"  # the referee said that a disturbance was a shot
    CALL = "call"  # no stroke at all: something was called between strokes


class ShotRun(msgspec.Struct, frozen=True):
    """A shot from its opening to its ruling.

    boot, from_t: where it begins in the node's stream (from_t device us, None without records); arm_seq: the record with
    which the node said that it was armed for it; to_seq: the node's position at the close, end_seq: the record with which
    the node said that it watches no longer. opened_us, last_us, rest_us: hub time of the strike, of the last motion's
    arrival, of the rest. lost: why evidence is missing for good; unverified: the end of the stream was not seen.
    striker: who was at the table when it opened, empty where an earlier ruling was still to decide that.
    ask: a question that comes before the rules' own (`disturbed`); latched: pins whose latch could not show a fall.
    """

    no: int
    opened: Opened
    opened_us: int
    standing: tuple[str, ...] = ()
    boot: int = -1
    from_t: int | None = None
    arm_seq: int = 0
    to_seq: int | None = None
    end_seq: int | None = None
    stage: Stage = Stage.ROLLING
    records: tuple[Rec, ...] = ()
    quality: dict[int, int] = {}
    latched: tuple[str, ...] = ()
    last_us: int = 0
    rest_us: int | None = None
    settle_n: int = 0
    closing: bool = False
    unverified: bool = False
    lost: tuple[str, ...] = ()
    early: bool = False
    answers: tuple[tuple[str, str], ...] = ()
    calls: tuple[Called, ...] = ()
    picked: str = ""
    ask: str = ""
    striker: str = ""

    @property
    def idle(self) -> bool:
        """True for a ruling between strokes."""
        return self.opened is Opened.CALL

    @property
    def incomplete(self) -> bool:
        """True while evidence is known to be missing: silence then proves nothing."""
        return bool(self.lost) or self.unverified

    def with_record(self, rec: Rec, *, opens: bool = False, moved_us: int = 0) -> ShotRun:
        """With one record more; `opens`: it could have begun the shot, and does if it is the earliest such one.

        moved_us: when this motion was noticed (hub us); 0: it came too late to say that something moves.
        """
        begins = self.from_t
        if opens and self.opened is not Opened.CALL and (begins is None or (rec.boot == self.boot and rec.t < begins)):
            begins = rec.t
        boot = rec.boot if self.boot < 0 else self.boot
        records = (*self.records, rec)
        if not moved_us:
            return msgspec.structs.replace(self, records=records, from_t=begins, boot=boot)
        last = max(self.last_us, moved_us)
        return msgspec.structs.replace(self, records=records, from_t=begins, boot=boot, last_us=last, rest_us=None)

    def moved(self, now_us: int) -> ShotRun:
        """With motion noticed at now_us."""
        return msgspec.structs.replace(self, last_us=max(self.last_us, now_us), rest_us=None)

    def worse(self, ch: int, code: int) -> ShotRun:
        """With a channel's fault noted: its worst in the shot counts."""
        old = self.quality.get(ch, Quality.ABSENT)
        new = worst(old, code)
        return self if new == old else msgspec.structs.replace(self, quality={**self.quality, ch: new})

    def missing(self, reason: str) -> ShotRun:
        """With evidence lost for good."""
        return self if reason in self.lost else msgspec.structs.replace(self, lost=(*self.lost, reason))

    def covers(self, boot: int, first: int, last: int, end_seq: int | None) -> bool:
        """True when the missing range touches this shot's part of the stream (from arming to its end)."""
        if boot != self.boot:
            return False
        return last >= self.arm_seq and (end_seq is None or first < end_seq)

    def answer(self, question: str, answer: str | None) -> ShotRun:
        """With one answer given, changed or (None) taken back."""
        kept = tuple(pair for pair in self.answers if pair[0] != question)
        return msgspec.structs.replace(self, answers=kept if answer is None else (*kept, (question, answer)), picked="")

    def call(self, call: Called) -> ShotRun:
        """With a call made; the same code by the same player replaces the older one."""
        return msgspec.structs.replace(self, calls=(*self.uncall(call.code, call.by).calls, call))

    def uncall(self, code: str, by: str) -> ShotRun:
        """With a call taken back."""
        kept = tuple(call for call in self.calls if (call.code, call.by) != (code, by))
        return msgspec.structs.replace(self, calls=kept)

    @property
    def ordered(self) -> tuple[Rec, ...]:
        """The records from the strike on, by the node's own clock; the same for every order of arrival."""
        kept = {(rec.boot, rec.seq): rec for rec in self.records if self.holds(rec)}
        return tuple(sorted(kept.values(), key=lambda rec: (rec.boot, rec.t, rec.seq)))

    def holds(self, rec: Rec) -> bool:
        """True when a record lies in this shot's part of the device's time."""
        if rec.boot != self.boot:
            return True
        return self.from_t is None or rec.t >= self.from_t - EARLIEST_US
