"""Pocket gates: two beams, A above B, past the point of no return. From beam edges to `drop` and `back` records. Pure.

Level 1 = lit. A beam's first edge is the stamp, accepted when the level stays for 3 ms. Every accepted block becomes a record or makes
the beam `stuck`; what is not a clean passage goes out flagged. Times in us.
"""

from tablefw import defaults as D
from tablefw import wire_codes as W

UNKNOWN = 65535
NONE = -1


class Beam:
    """One beam: debounce, chatter and stuck detection. `gate.blocked/released(beam, t, late)` get the accepted edges."""

    def __init__(self, name, gate):
        self.name = name
        self.gate = gate
        self.lit = True  # accepted
        self.raw = True
        self._edge = NONE  # stamp of the edge that waits for acceptance
        self._late = False
        self.since = NONE  # stamp of the accepted block
        self.stuck = False
        self.noisy = False
        self._burst = 0
        self._burst_t = 0
        self.t_last = 0  # newest raw edge
        self.mute_until = 0  # self-test: edges before this are its own

    def edge(self, t, lit, late=False):
        """A raw edge."""
        if t < self.mute_until:
            self.raw = self.lit = lit
            self._edge = NONE
            return
        self._chatter(t)
        if lit == self.raw:
            return
        self.settle(t)
        self.raw = lit
        if self.noisy:
            self.lit = lit
            return
        if lit == self.lit:
            # back to the accepted level within 3 ms: a rattle, unless both edges had waited in the FIFO (then its length is unknown)
            if late and self._edge != NONE and lit:
                self.gate.blocked(self, self._edge, True)
                self.gate.released(self, t, True)
            self._edge = NONE
        else:
            self._edge = t
            self._late = late

    def settle(self, t):
        """Accept an edge that has stood long enough at time t."""
        if self._edge == NONE or t - self._edge < D.GATE_DEBOUNCE_US:
            return
        e = self._edge
        self._edge = NONE
        self.lit = self.raw
        if self.lit:
            self.stuck = False
            since = self.since
            self.since = NONE
            if since != NONE:
                self.gate.released(self, e, self._late)
        else:
            self.since = e
            self.gate.blocked(self, e, self._late)

    def _chatter(self, t):
        self.t_last = t
        if t - self._burst_t >= 1000000:
            self._burst_t = t
            self._burst = 0
        self._burst += 1
        if self._burst > D.GATE_BEAM_CHATTER_PER_S and not self.noisy:
            self.noisy = True
            self._edge = self.since = NONE
            self.lit = self.raw
            self.gate.dead(self, t)


class Passage:
    """One ball on its way: block intervals of both beams, NONE where not seen."""

    def __init__(self, t, flags):
        self.t = t
        self.flags = flags
        self.on = [NONE, NONE]
        self.off = [NONE, NONE]


class Gate:
    """One pocket. Emits through `emit(t, ch, kind, v, aux)`."""

    def __init__(self, ch, emit):
        self.ch = ch
        self.emit = emit
        self.beams = (Beam("A", self), Beam("B", self))
        self.open = []
        self.last = NONE  # start of the passage before
        self.was_noisy = False

    def edge(self, t, beam, lit, late=False):
        """A raw edge of beam 0 (A) or 1 (B)."""
        self.beams[beam].edge(t, lit, late)
        self.tick(t)

    def _usable(self, i):
        b = self.beams[i]
        return not b.stuck and not b.noisy

    def blocked(self, beam, t, late):
        """A beam was interrupted at t."""
        i = 0 if beam is self.beams[0] else 1
        for p in self.open:
            if p.on[i] == NONE and abs(t - p.t) <= D.GATE_ORDER_US:
                break
        else:
            flags = 0
            if self.open or (self.last != NONE and t - self.last < D.GATE_ORDER_US):
                flags = W.FLAG_MERGED
            self.last = t
            p = Passage(t, flags)
            self.open.append(p)
        p.on[i] = t
        if late:
            p.flags |= W.FLAG_LATE | W.FLAG_UNSURE

    def released(self, beam, t, late):
        """A beam is lit again since t."""
        i = 0 if beam is self.beams[0] else 1
        for p in self.open:
            if p.on[i] != NONE and p.off[i] == NONE:
                p.off[i] = t
                if late:
                    p.flags |= W.FLAG_LATE | W.FLAG_UNSURE
                break

    def dead(self, beam, t):
        """A beam became noisy: what it had begun is told unsure by `tick`."""
        i = 0 if beam is self.beams[0] else 1
        for p in self.open:
            if p.on[i] != NONE and p.off[i] == NONE:
                p.off[i] = t
                p.flags |= W.FLAG_UNSURE

    def tick(self, t):
        """Accept edges, tell complete passages, find stuck beams."""
        for b in self.beams:
            b.settle(t)
            if b.since != NONE and not b.stuck and t - b.since > D.GATE_UNSURE_MAX_US:
                b.stuck = True
                self._drop_blocked(b)
        while self.open and self._complete(self.open[0], t):
            self._tell(self.open.pop(0))

    def due(self):
        """Device time at which `tick` has something to do, or None."""
        best = None
        for b in self.beams:
            if b._edge != NONE:
                best = _first(best, b._edge + D.GATE_DEBOUNCE_US)
            if b.since != NONE and not b.stuck:
                best = _first(best, b.since + D.GATE_UNSURE_MAX_US + 1)
        if self.open:
            best = _first(best, self.open[0].t + D.GATE_ORDER_US)
        return best

    def _drop_blocked(self, beam):
        """A stuck beam: its block is no passage; a passage that has nothing else ends without a record (the quality record tells)."""
        i = 0 if beam is self.beams[0] else 1
        for p in self.open[:]:
            if p.on[i] != NONE and p.off[i] == NONE:
                p.on[i] = NONE
                p.flags |= W.FLAG_UNSURE
                if p.on[1 - i] == NONE:
                    self.open.remove(p)

    def _complete(self, p, t):
        for i in (0, 1):
            if p.on[i] != NONE and p.off[i] == NONE:
                return False
        if p.on[0] != NONE and p.on[1] != NONE:
            return True
        if not self._usable(0) or not self._usable(1):
            return True
        for b in self.beams:  # an edge that waits for acceptance may still belong here
            if b._edge != NONE:
                return False
        return t - p.t >= D.GATE_ORDER_US

    def _tell(self, p):
        low, high = D.GATE_BLOCK_US
        flags = p.flags
        longest = 0
        for i in (0, 1):
            if p.on[i] == NONE:
                flags |= W.FLAG_UNSURE
                continue
            block = p.off[i] - p.on[i]
            if block > longest:
                longest = block
            if not low <= block <= high:
                flags |= W.FLAG_UNSURE
        gap = UNKNOWN
        kind = W.KIND_DROP
        if p.on[0] != NONE and p.on[1] != NONE:
            gap = abs(p.on[1] - p.on[0]) // 100
            if p.on[1] < p.on[0]:
                kind = W.KIND_BACK
        start = min(x for x in p.on if x != NONE)
        aux = flags if kind == W.KIND_BACK else flags | min(longest // 4000, 255) << 8
        self.emit(start, self.ch, kind, gap, aux)

    def quality(self):
        """Worst of the two beams."""
        a, b = self.beams
        if a.stuck or b.stuck:
            return W.QUALITY_STUCK
        if a.noisy or b.noisy:
            return W.QUALITY_NOISY
        return W.QUALITY_OK


def _first(a, b):
    return b if a is None or b < a else a
