"""MQTT 3.1.1 packets as far as a table node and the fault proxy need them: building and splitting, no I/O."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple


class PacketKind(IntEnum):
    """Control packet types."""

    CONNECT = 1
    CONNACK = 2
    PUBLISH = 3
    PUBACK = 4
    SUBSCRIBE = 8
    SUBACK = 9
    PINGREQ = 12
    PINGRESP = 13
    DISCONNECT = 14


class BadPacket(ValueError):
    """Bytes that are no MQTT packet."""


class Packet(NamedTuple):
    """One control packet: type, flags of the first byte, body after the length, and all its bytes."""

    kind: int
    flags: int
    body: bytes
    raw: bytes


class Publish(NamedTuple):
    """A PUBLISH; pid is 0 at QoS 0."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    dup: bool = False
    pid: int = 0

    def encode(self) -> bytes:
        """Bytes on the wire."""
        flags = self.dup << 3 | self.qos << 1 | self.retain
        head = _text(self.topic) + (struct.pack(">H", self.pid) if self.qos else b"")
        return _packet(PacketKind.PUBLISH, flags, head + self.payload)

    @staticmethod
    def of(packet: Packet) -> Publish:
        """The PUBLISH in `packet`. Raises BadPacket."""
        try:
            (size,) = struct.unpack_from(">H", packet.body)
            topic = packet.body[2 : 2 + size].decode()
            at = 2 + size
            qos = packet.flags >> 1 & 3
            pid = 0
            if qos:
                (pid,) = struct.unpack_from(">H", packet.body, at)
                at += 2
        except (struct.error, UnicodeDecodeError) as problem:
            raise BadPacket(str(problem)) from problem
        return Publish(topic, packet.body[at:], qos, bool(packet.flags & 1), bool(packet.flags & 8), pid)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def _packet(kind: int, flags: int, body: bytes) -> bytes:
    size = len(body)
    length = bytearray()
    while True:
        size, digit = divmod(size, 128) if size >= 128 else (0, size)
        length.append(digit | (0x80 if size else 0))
        if not size:
            break
    return bytes((kind << 4 | flags,)) + bytes(length) + body


def connect(client: str, user: str, password: str, will: Publish | None, keepalive_s: int) -> bytes:
    """CONNECT with a clean session."""
    flags = 0x02 | (0x80 if user else 0) | (0x40 if password else 0)
    payload = _text(client)
    if will is not None:
        flags |= 0x04 | will.qos << 3 | will.retain << 5
        payload += _text(will.topic) + struct.pack(">H", len(will.payload)) + will.payload
    payload += (_text(user) if user else b"") + (_text(password) if password else b"")
    return _packet(PacketKind.CONNECT, 0, _text("MQTT") + bytes((4, flags)) + struct.pack(">H", keepalive_s) + payload)


def subscribe(pid: int, filters: list[tuple[str, int]]) -> bytes:
    """SUBSCRIBE to (filter, QoS) pairs."""
    body = struct.pack(">H", pid) + b"".join(_text(name) + bytes((qos,)) for name, qos in filters)
    return _packet(PacketKind.SUBSCRIBE, 2, body)


def puback(pid: int) -> bytes:
    """PUBACK."""
    return _packet(PacketKind.PUBACK, 0, struct.pack(">H", pid))


def acked(packet: Packet) -> int:
    """Packet id of a PUBACK or SUBACK. Raises BadPacket."""
    try:
        (pid,) = struct.unpack_from(">H", packet.body)
    except struct.error as problem:
        raise BadPacket(str(problem)) from problem
    return int(pid)


PINGREQ = _packet(PacketKind.PINGREQ, 0, b"")
DISCONNECT = _packet(PacketKind.DISCONNECT, 0, b"")


class PacketSplitter:
    """Cuts a byte stream into packets."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Packet]:
        """Packets completed by `data`. Raises BadPacket on a length that cannot be."""
        self._rest += data
        found = []
        while (cut := self._one()) is not None:
            found.append(cut)
        return found

    def _one(self) -> Packet | None:
        size, shift, at = 0, 0, 1
        while True:
            if at >= len(self._rest):
                return None
            digit = self._rest[at]
            size |= (digit & 0x7F) << shift
            shift += 7
            at += 1
            if not digit & 0x80:
                break
            if shift > 21:
                raise BadPacket("the length of a packet has more than four bytes")
        end = at + size
        if len(self._rest) < end:
            return None
        raw, self._rest = self._rest[:end], self._rest[end:]
        return Packet(raw[0] >> 4, raw[0] & 15, raw[at:], raw)
