"""Records kept in flash over a reset the node decides on itself: what the broker has not acknowledged yet.

File form: segments magic, boot, number of the first record, records lost before, records kept, told; CRC-32 of all that and the records;
then 16 bytes a record. `told` = the hub knows that boot, so its records may be sent under their own numbers; else they are only counted. Written beside the old file, read
back, renamed: a power cut leaves the old or the new one. Pure but for the store it is given; loaded only when used.
"""

import binascii
import struct

from tablefw import wire_codes as W
from tablefw.outbox import SIZE, unpack

NAME = "kept"
NEW = "kept.new"
LIMIT = 65536  # bytes; more than that is not kept, and the node does not reset by itself
_MAGIC = b"mk1\n"
_HEAD = "<4sIIIHH"
_HEAD_SIZE = 24  # with the checksum
# told anew by every birth and health report: no reason to wear the flash
_STATES = (W.KIND_MODE, W.KIND_QUALITY)


def worth(outbox):
    """Whether anything unacknowledged is more than a state the next birth tells anyway."""
    for seq in range(outbox.tail, outbox.head):
        if outbox.get(seq)[2] not in _STATES:
            return True
    return outbox.unreported > 0


def save(store, outbox, boot, told):
    """Add the unacknowledged records to the file; False when there is no room. OSError when the flash does not take them."""
    first = outbox.tail
    n = outbox.head - first
    if store.size(NAME) + _HEAD_SIZE + n * SIZE > LIMIT:
        return False
    head = struct.pack(_HEAD, _MAGIC, boot, first, outbox.unreported, n, told)
    at = first % outbox.capacity * SIZE
    ring = memoryview(outbox.buf)
    parts = (ring[at : at + n * SIZE], ring[: max(0, at + n * SIZE - len(ring))])
    crc = binascii.crc32(head)
    for part in parts:
        crc = binascii.crc32(part, crc)
    with open(store.path(NEW), "wb") as f:
        for old in _chunks(store, NAME):
            f.write(old)
        f.write(head + struct.pack("<I", crc))
        for part in parts:
            f.write(part)
    end = list(segments(store, NEW))[-1:]
    if not end or end[0][1:] != (boot, first, outbox.unreported, n, told):
        raise OSError("%s: not written" % NEW)
    store.rename(NEW, NAME)
    return True


def _chunks(store, name):
    if not store.size(name):
        return
    with open(store.path(name), "rb") as f:
        while True:
            b = f.read(512)
            if not b:
                return
            yield b


def segments(store, name=NAME):
    """(place of its records, boot, first, lost before, count, told) of each segment; a damaged one has told 0: its records are lost, not unknown."""
    if not store.size(name):
        return
    with open(store.path(name), "rb") as f:
        at = 0
        while True:
            raw = f.read(_HEAD_SIZE)
            if len(raw) < _HEAD_SIZE or raw[:4] != _MAGIC:
                return
            _, boot, first, lost, n, told = struct.unpack(_HEAD, raw[:20])
            crc = binascii.crc32(raw[:20])
            left = n * SIZE
            while left:
                b = f.read(min(512, left))
                if not b:
                    break
                crc = binascii.crc32(b, crc)
                left -= len(b)
            at += _HEAD_SIZE
            yield at, boot, first, lost, n, told if crc == struct.unpack("<I", raw[20:])[0] else 0
            at += n * SIZE


class Part:
    """Up to 16 records of the file, with the face of an outbox that `wire.batch` reads."""

    def __init__(self, store, at, first, count):
        self.first = first
        with open(store.path(NAME), "rb") as f:
            f.seek(at)
            self.buf = f.read(count * SIZE)

    def get(self, seq):
        """(t, ch, kind, v, aux) of a record."""
        return unpack(self.buf, (seq - self.first) * SIZE)


async def deliver(session, store):
    """Send what is kept under its old numbers; returns how many records can only be counted."""
    total = 0
    for at, boot, first, lost, n, told in segments(store):
        total += lost
        if not told:
            total += n
            continue
        for i in range(0, n, W.RECORDS_MAX):
            count = min(W.RECORDS_MAX, n - i)
            part = Part(store, at + i * SIZE, first + i, count)
            await session.resend(part, boot, first + i, count, 0)
    return total
