"""Frames of the virtual board's socket (docs/developer/virtual-board.md): building and splitting, no I/O."""

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

HEADER = struct.Struct("<IBBH")
PINS = 5
START_US = (1 << 30) - 2_000_000
"""Default start of the board's clock: two seconds before its 30-bit counter wraps."""
SHIFT_FIRST = 64
NEVER_READ = 0xFFFF
"""aux of a piezo edge whose peak was never read."""
_U32 = 0xFFFFFFFF


class FrameKind(IntEnum):
    """Values of `ch` that are no input numbers."""

    FIELD = 0x90
    HOLD = 0x91
    TIME = 0xA0
    SYNC = 0xA1
    ADC = 0xA2
    TEST = 0xA3
    FREEZE = 0xAD
    RESET = 0xAE
    OUT = 0xB0
    FED = 0xB1
    MODE = 0xB2
    LINK = 0xB3
    TEXT = 0xB4
    HELLO = 0xC0


class Frame(NamedTuple):
    """One frame: board time in us (its low 32 bits travel), channel or kind, level, aux, payload."""

    us: int
    ch: int
    level: int
    aux: int
    payload: bytes = b""

    def encode(self) -> bytes:
        """Bytes on the wire."""
        return HEADER.pack(self.us & _U32, self.ch, self.level, self.aux) + self.payload


def edge(us: int, channel: int, level: int, aux: int = 0) -> Frame:
    """An edge of a comparator (16..22; aux of a rise = peak in mV) or of a shift bit (64..79; aux 1 = stamped late)."""
    return Frame(us, channel, level, aux)


def reread(us: int, channel: int, millivolts: int) -> Frame:
    """A further ADC reading while the comparator is high."""
    return Frame(us, channel, 2, millivolts)


def field(us: int, vectors: Sequence[tuple[int, int, int]], answering: int = 0x1F) -> Frame:
    """One 100 Hz scan: five vectors in uT, order C N E S W; bit i of `answering` = sensor i answered."""
    if len(vectors) != PINS:
        raise ValueError(f"a scan has {PINS} vectors, got {len(vectors)}")
    payload = struct.pack("<15h", *(component for vector in vectors for component in vector))
    return Frame(us, FrameKind.FIELD, answering, len(payload), payload)


def hold(us: int, scans: int, *, frozen: bool = False) -> list[Frame]:
    """`scans` more scans like the last one from `us` on, in frames of at most 65,535 scans."""
    frames = []
    while scans > 0:
        part = min(scans, 0xFFFF)
        frames.append(Frame(us, FrameKind.HOLD, int(frozen), part))
        us += part * 10_000
        scans -= part
    return frames


def time(us: int, speed: int = 0) -> Frame:
    """Set the board's clock; speed 0 = it steps, 1..255 = times real time."""
    return Frame(us, FrameKind.TIME, speed, 0)


def sync(us: int, token: int, *, acknowledged: bool = True) -> Frame:
    """Ask for an ACK once everything up to `us` is consumed and, if wanted, acknowledged by the broker."""
    return Frame(us, FrameKind.SYNC, int(acknowledged), token)


def reset(us: int = 0) -> Frame:
    """The chip resets when it comes to this frame."""
    return Frame(us, FrameKind.RESET, 0, 0)


class Splitter:
    """Cuts the board's byte stream into frames."""

    def __init__(self) -> None:
        """Start with nothing received."""
        self._rest = b""

    def feed(self, data: bytes) -> list[Frame]:
        """Frames completed by `data`."""
        self._rest += data
        frames = []
        while len(self._rest) >= HEADER.size:
            us, ch, level, aux = HEADER.unpack_from(self._rest)
            size = HEADER.size + (aux if ch in (FrameKind.TEXT, FrameKind.FIELD) else 0)
            if len(self._rest) < size:
                break
            frames.append(Frame(us, ch, level, aux, self._rest[HEADER.size : size]))
            self._rest = self._rest[size:]
        return frames
