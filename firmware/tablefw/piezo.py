"""Piezo channels: cushion segments and the click under the slate. From comparator edges and peak readings to `hit` records. Pure.

The rising edge is the stamp. A hit is told when its pulse has ended (at least 4 ms, at most 52 ms after the edge), because only then
it is known whether a second hit may hide in it. Nothing suspicious is discarded: it goes out flagged.
Times in us, levels in mV.
"""

from tablefw import defaults as D
from tablefw import wire_codes as W
from tablefw.fixed import decay, decay_time, undecay

UNKNOWN = 65535
TAU = D.PIEZO_ADC_HOLD_TAU_US
PULSE_MAX_US = 52000  # the longest pulse of one hit (60 V at the disc, worst corner of the circuit)
SETTLE_US = D.PIEZO_XTALK_WINDOW_US + 1000  # neighbours of a hit have come in by then
READ_LAST = D.PIEZO_ADC_AFTER_US[1]
READ_FIRST = D.PIEZO_ADC_AFTER_US[0]
NOISE_MV = 60  # three sigma of a reading
FLOOR_US = 70000  # between two readings of the quiet table
FLOOR_N = 1000  # readings of a window; its second highest is their 99.9th percentile
QUIET_US = 1000000  # after a pulse the plates still ring
RAIL_MV = 3300
FLAT_MV = (
    D.PIEZO_ADC_CLIP_MV - 100
)  # above, a strong hit still rings against the clamp and holds the voltage up by itself


class Hit:
    """One pulse on one channel, from its edge until it is told."""

    def __init__(self, t, late):
        self.t = t
        self.amp = UNKNOWN
        self.flags = W.FLAG_LATE if late else 0
        self.t_fall = 0  # 0 = still high
        self.read_t = 0  # last reading while high
        self.read_mv = 0
        self.told = False


class Piezo:
    """One comparator input. `gain` in permille normalises its peak for the comparison between channels."""

    def __init__(self, ch, bank, gain=1000, mask_us=D.PIEZO_MASK_US):
        self.ch = ch
        self.bank = bank
        self.gain = gain
        self.mask_us = min(mask_us, D.PIEZO_MASK_MAX_US)
        self.hit = None  # pulse in progress
        self.before = None  # last counted hit, for the mask
        self.high_since = -1
        self.stuck = False
        self.quiet_until = 0  # self-test: edges before this are its own
        self.ignored = 0
        self.idle_hits = []  # device times of hits while the table is idle
        self.noise = None  # mV, of the last whole window of the quiet table
        self._high = self._top = 0  # second highest and highest reading of the running window

    def rise(self, t, late=False):
        """The comparator went high."""
        self.high_since = t
        if t < self.quiet_until:
            self.ignored += 1
            return None
        if self.hit is not None and not self.hit.t_fall:  # the falling edge was lost
            self.hit.flags |= W.FLAG_MERGED
            self._end(self.hit, t)
        self.hit = Hit(t, late)
        self.bank.add(self, self.hit)
        return self.hit

    def fall(self, t):
        """The comparator went low."""
        self.high_since = -1
        self.stuck = False
        if self.hit is not None and not self.hit.t_fall:
            self._end(self.hit, t)

    def reading(self, t, mv):
        """The peak-hold voltage at time t, read while the pulse lasts. The first one gives the amplitude."""
        h = self.hit
        if h is None or h.t_fall or h.told:
            return
        age = t - h.t
        if h.amp == UNKNOWN and not h.read_t:
            if age <= READ_LAST:
                h.amp = min(undecay(mv, age, TAU), RAIL_MV)
                if h.amp >= D.PIEZO_ADC_CLIP_MV:
                    h.flags |= W.FLAG_CLIPPED
        elif h.read_mv < FLAT_MV:
            expected = decay(h.read_mv, t - h.read_t, TAU)
            if mv > expected * (100 + D.PIEZO_ADC_RISE_PCT) // 100 + NOISE_MV:
                h.flags |= W.FLAG_MERGED
        h.read_t = t
        h.read_mv = mv

    def wants_reading(self, t):
        """Whether the main loop should read the ADC now: 0.3 ms after the edge, then each 5 ms while high."""
        h = self.hit
        if h is None or h.t_fall or h.told:
            return False
        if not h.read_t:
            return t - h.t >= READ_FIRST
        return t - h.read_t >= D.PIEZO_ADC_REREAD_US

    def quiet(self, mv, last):
        """A reading of the quiet table; `last` = it ends the window."""
        if mv > self._top:
            self._high, self._top = self._top, mv
        elif mv > self._high:
            self._high = mv
        if last:
            self.noise = self._high
            self._high = self._top = 0

    def _end(self, h, t):
        h.t_fall = t
        if h.amp != UNKNOWN and not h.flags & W.FLAG_CLIPPED:
            if t - h.t > decay_time(h.amp, self.bank.vth, TAU) + D.PIEZO_MASK_MERGE_SLACK_US:
                h.flags |= W.FLAG_MERGED
        elif t - h.t > PULSE_MAX_US:
            h.flags |= W.FLAG_MERGED

    def masked(self, h):
        """Flag a hit that may be the ring-down of the one before."""
        b = self.before
        if b is not None and h.t - b.t < self.mask_us:
            limit = decay(b.amp, h.t - b.t, TAU) * D.PIEZO_MASK_ECHO_RATIO_PERMILLE // 1000
            if UNKNOWN in (h.amp, b.amp) or h.amp < limit:
                h.flags |= W.FLAG_ECHO
                return
        self.before = h


class PiezoBank:
    """All piezo channels of the table: tells hits in the order of their stamps and marks cross-talk between rails."""

    def __init__(self, emit, vth=D.PIEZO_VTH_FLOOR_MV):
        self.emit = emit
        self.vth = vth  # mV; one threshold for all comparators
        self.channels = {}
        self.all = []  # in the order fitted: MicroPython's dictionaries have none
        self.open = []  # (channel, hit) not told yet, by stamp
        self.recent = []  # told rail hits younger than the cross-talk window
        self.idle = True
        self.last = -1 << 40  # stamp of the newest pulse
        self.counts = {"echo": 0, "xtalk": 0, "merged": 0}
        self._floor_t = self._floor_n = 0

    def make(self, ch, **how):
        """Fit a channel."""
        p = self.channels[ch] = Piezo(ch, self, **how)
        self.all.append(p)
        return p

    def add(self, channel, hit):
        """A pulse began."""
        self.last = hit.t
        i = len(self.open)
        while i and self.open[i - 1][1].t > hit.t:
            i -= 1
        self.open.insert(i, (channel, hit))

    def listen(self, t, adc):
        """Noise floor while the table is idle: `adc(input)` in mV, 14 times a second, not while the plates ring."""
        if not self.idle or t - self._floor_t < FLOOR_US or t - self.last < QUIET_US:
            return
        self._floor_t = t
        self._floor_n += 1
        last = self._floor_n == FLOOR_N
        if last:
            self._floor_n = 0
        for p in self.all:
            p.quiet(adc(p.ch - W.CH_PIEZO_FIRST), last)

    def due(self):
        """Device time at which `tick` has something to do, or None."""
        if not self.open:
            return None
        h = self.open[0][1]
        return max(h.t + SETTLE_US, h.t_fall) if h.t_fall else h.t + PULSE_MAX_US

    def tick(self, t):
        """Tell every hit that is complete at time t."""
        while self.open:
            p, h = self.open[0]
            if h.t_fall:
                if t < h.t + SETTLE_US:
                    break
            elif t < h.t + PULSE_MAX_US:
                break
            else:
                h.flags |= W.FLAG_MERGED  # longer than any single hit
            self.open.pop(0)
            self._tell(p, h)
        for p in self.all:
            if p.high_since >= 0 and t - p.high_since > D.PIEZO_FAULT_HIGH_US:
                p.stuck = True

    def _tell(self, p, h):
        h.told = True
        p.masked(h)
        if p.ch != W.CH_CLICK:
            self._crosstalk(p, h)
        flags = h.flags
        if flags & W.FLAG_ECHO:
            self.counts["echo"] += 1
        if flags & W.FLAG_XTALK:
            self.counts["xtalk"] += 1
        if flags & W.FLAG_MERGED:
            self.counts["merged"] += 1
        if self.idle and not flags & (W.FLAG_ECHO | W.FLAG_XTALK):
            p.idle_hits.append(h.t)
            del p.idle_hits[:-16]
        self.emit(h.t, p.ch, W.KIND_HIT, h.amp, flags)

    def _crosstalk(self, p, h):
        own = h.amp * 1000 // p.gain
        recent = [x for x in self.recent if h.t - x[1].t <= D.PIEZO_XTALK_WINDOW_US]
        for q, other in recent + self.open:
            if q.ch in (p.ch, W.CH_CLICK) or abs(other.t - h.t) > D.PIEZO_XTALK_WINDOW_US:
                continue
            if UNKNOWN in (h.amp, other.amp):
                if h.amp == UNKNOWN:
                    h.flags |= W.FLAG_XTALK
            elif own <= other.amp * 1000 // q.gain * D.PIEZO_XTALK_KEEP_RATIO_PERMILLE // 1000:
                h.flags |= W.FLAG_XTALK
        recent.append((p, h))
        self.recent = recent
