"""Edge ring between interrupt and main loop, and the makers of the interrupt handlers.

What a handler may do is little (tests/firmware/test_isr_rules.py enforces it): no allocation, no float, no global name, nothing of
asyncio but a `set` bound beforehand. An exception in a handler disables it for good. What a handler needs comes as default arguments:
calling a closure with more than four free variables allocates (measured on the VM), defaults do not.
"""

from array import array

N = 256  # entries; one stays free
LATE = 0x800000  # shift word that had waited in the FIFO: its stamp is later than the 2 kHz grid
SHIFT = 0x400000  # entry is a shift word: low 16 bits


class Ring:
    """Preallocated ring of (stamp, what) pairs. `what` = channel << 1 | level, or SHIFT | LATE | 16-bit word."""

    def __init__(self, n=N):
        self.n = n
        self.buf = array("I", bytearray(8 * n))
        self.idx = array("H", (0, 0, 0))  # next to write, next to read, edges lost
        self.reported = 0

    def push(self, stamp, what):
        """Write from the main loop as a handler would; False when the ring is full."""
        i = self.idx
        n = i[0]
        m = n + 1 if n + 1 < self.n else 0
        if m == i[1]:
            i[2] = (i[2] + 1) & 0x7FFF
            return False
        self.buf[2 * n] = stamp
        self.buf[2 * n + 1] = what
        i[0] = m
        return True

    def empty(self):
        """Whether nothing waits."""
        return self.idx[0] == self.idx[1]

    def pop(self):
        """Oldest (stamp, what); call only when not empty."""
        i = self.idx
        n = i[1]
        pair = self.buf[2 * n], self.buf[2 * n + 1]
        i[1] = n + 1 if n + 1 < self.n else 0
        return pair

    def lost(self):
        """Edges lost since the last call (the counter has 15 bits)."""
        c = self.idx[2]
        d = (c - self.reported) & 0x7FFF
        self.reported = c
        return d


def make_edge(ch, ring, ticks, wake, last):
    """Handler of a comparator input. `last[ch & 15]` keeps the level stamped last, for the supervisor."""

    def isr(pin, buf=ring.buf, idx=ring.idx, size=ring.n, code=ch << 1, last=last, at=ch & 15, ticks=ticks, wake=wake):
        v = pin.value()
        n = idx[0]
        m = n + 1
        if m >= size:
            m = 0
        if m == idx[1]:
            idx[2] = (idx[2] + 1) & 0x7FFF
        else:
            buf[2 * n] = ticks()
            buf[2 * n + 1] = code | v
            idx[0] = m
        last[at] = v
        wake()

    return isr


def make_words(ring, ticks, wake, fifo, get, last):
    """Handler of the shift-register state machine: takes every waiting word; `last[0]` keeps the newest.

    A word that waited behind another one is marked late: both would carry the same stamp.
    """

    def isr(sm, buf=ring.buf, idx=ring.idx, size=ring.n, last=last, ticks=ticks, wake=wake, fifo=fifo, get=get):
        mark = 0x400000  # SHIFT
        while fifo():
            v = get() & 0xFFFF
            n = idx[0]
            m = n + 1
            if m >= size:
                m = 0
            if m == idx[1]:
                idx[2] = (idx[2] + 1) & 0x7FFF
            else:
                buf[2 * n] = ticks()
                buf[2 * n + 1] = mark | v
                idx[0] = m
            last[0] = v
            mark = 0xC00000  # SHIFT | LATE
        wake()

    return isr
