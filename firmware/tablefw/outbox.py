"""Store-and-forward ring of 16-byte records. Pushing never blocks and never allocates a buffer; when full, the oldest goes and is counted."""

import struct

SIZE = 16
FORMAT = "<IIHBBHH"  # seq, t_us low 32, t_us high 16, channel, kind, v, aux


def unpack(buf, at):
    """(t, ch, kind, v, aux) of the record at a place of a buffer."""
    _, low, high, ch, kind, v, aux = struct.unpack_from(FORMAT, buf, at)
    return low | high << 32, ch, kind, v, aux


class Outbox:
    """Absolute record numbers: floor (oldest kept) <= tail (oldest unacknowledged) <= sent <= head (next to be given).

    Acknowledged records stay until they are overwritten, so that the hub can ask for them again.
    """

    def __init__(self, capacity=1024, buf=None):
        self.buf = bytearray(capacity * SIZE) if buf is None else buf
        self.capacity = len(self.buf) // SIZE
        self.head = 0
        self.sent = 0
        self.tail = 0
        self.dropped = 0  # unacknowledged records overwritten since boot
        self.unreported = 0  # of these, not yet told in a loss record
        self.on_push = None

    @property
    def floor(self):
        """Oldest record that can still be replayed."""
        return max(0, self.head - self.capacity)

    def push(self, t, ch, kind, v, aux):
        """Keep one record; returns its number."""
        if self.head - self.tail >= self.capacity:
            self.tail += 1
            if self.sent < self.tail:
                self.sent = self.tail
            self.dropped += 1
            self.unreported += 1
        seq = self.head
        struct.pack_into(
            FORMAT, self.buf, seq % self.capacity * SIZE, seq & 0xFFFFFFFF, t & 0xFFFFFFFF, t >> 32, ch, kind, v, aux
        )
        self.head = seq + 1
        if self.on_push is not None:
            self.on_push()
        return seq

    def get(self, seq):
        """(t, ch, kind, v, aux) of a record between floor and head."""
        if not self.floor <= seq < self.head:
            raise IndexError(seq)
        return unpack(self.buf, seq % self.capacity * SIZE)

    def unsent(self):
        """Records waiting for their first or repeated sending."""
        return self.head - self.sent

    def take(self, n):
        """First number and count of the next batch of at most n records; marks them sent."""
        first = self.sent
        count = min(n, self.head - first)
        self.sent = first + count
        return first, count

    def ack(self, upto):
        """The broker has every record below `upto`."""
        if upto > self.tail:
            self.tail = min(upto, self.sent)

    def rewind(self):
        """New connection: everything unacknowledged goes again, with the same numbers."""
        self.sent = self.tail

    def take_unreported(self):
        """Records lost since the last call, for a loss record."""
        n = self.unreported
        self.unreported = 0
        return n
