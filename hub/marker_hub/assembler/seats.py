"""Which pins stand now: the layout between shots. Nothing here is ever a fact of a shot."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from marker_hardware.codes import Kind, Latch, PinState
from marker_hub.assembler.channels import channels, pin_healthy
from marker_hub.assembler.run import Rec

PINS = ("C", "N", "E", "S", "W")


class Seat(StrEnum):
    """One pin's place."""

    STANDING = "standing"
    DOWN = "down"
    UNKNOWN = "unknown"
    OFF = "off"  # taken off by the referee: outside the layout


class Seats(msgspec.Struct, frozen=True):
    """seen: pin -> (boot, seq, state) of the newest record; said: pin -> the referee's word; off: taken off by him."""

    seen: dict[str, tuple[int, int, str]] = {}
    said: dict[str, str] = {}
    off: tuple[str, ...] = ()

    def seat(self, pin: str) -> Seat:
        """What is known of one seat; the referee's word until a newer record."""
        if pin in self.off:
            return Seat.OFF
        word = self.said.get(pin)
        if word is not None:
            return Seat(word)
        entry = self.seen.get(pin)
        return Seat.UNKNOWN if entry is None else Seat(entry[2])

    @property
    def expected(self) -> tuple[str, ...]:
        """The pins that must stand before the next stroke."""
        return tuple(pin for pin in PINS if pin not in self.off) if self.off else PINS

    @property
    def complete(self) -> bool:
        """True when every expected pin is known to stand."""
        return all(self.seat(pin) is Seat.STANDING for pin in self.expected)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Expected pins not known to stand."""
        return tuple(pin for pin in self.expected if self.seat(pin) is not Seat.STANDING)

    def record(self, rec: Rec, profile: str) -> Seats:
        """After a pin record; older ones (by the node's own order) change nothing."""
        channel = channels(profile).get(rec.ch)
        if channel is None or channel.place not in PINS:
            return self
        pin = channel.place
        if rec.kind == Kind.STATE:
            word = Seat.STANDING if rec.v == PinState.STANDING else Seat.DOWN
            if rec.v == PinState.UNKNOWN:
                word = Seat.UNKNOWN
        elif rec.kind == Kind.LOST and rec.v == Latch.YES:
            word = Seat.DOWN
        else:
            return self
        old = self.seen.get(pin)
        if old is not None and (old[0], old[1]) > (rec.boot, rec.seq):
            return self
        said = {key: value for key, value in self.said.items() if key != pin}
        return Seats({**self.seen, pin: (rec.boot, rec.seq, word.value)}, said, self.off)

    def say(self, standing: tuple[str, ...] | None, off: tuple[str, ...] | None) -> Seats:
        """After the referee's word; None: he did not speak of it."""
        now_off = self.off if off is None else tuple(pin for pin in PINS if pin in off)
        said = dict(self.said)
        if standing is not None:
            for pin in PINS:
                if pin not in now_off:
                    said[pin] = Seat.STANDING.value if pin in standing else Seat.DOWN.value
        return Seats(self.seen, said, now_off)

    def all_stand(self) -> Seats:
        """After the word 'all is placed'."""
        return self.say(self.expected, None)

    def distrust(self, quality: dict[int, int], profile: str) -> Seats:
        """Without what sick sensors said; their seats need the referee's word."""
        bad = [pin for pin in self.seen if not pin_healthy(quality, profile, pin)]
        return self if not bad else Seats({p: s for p, s in self.seen.items() if p not in bad}, self.said, self.off)
