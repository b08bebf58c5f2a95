"""Device time: extension of the 30-bit tick counter to 48 bits, and the filtered offset to the hub's clock. Pure."""

PERIOD = 1 << 30  # ticks_us() wraps here: every 17.9 minutes
MASK = PERIOD - 1
HALF = PERIOD >> 1
LIMIT = (1 << 48) - 1  # a record keeps 48 bits: 8.9 years

RTT_MAX_US = 250_000
JUMP_US = 5_000
AGREEING = 3
DRIFT = 32  # samples agree when they differ by no more than a clock that is wrong by 1/32 explains
KEEP = 8


class Extender:
    """Turns a 30-bit stamp into device time in microseconds. Call at least once in half a period (9 minutes)."""

    def __init__(self, first):
        self.now = first & MASK  # newest device time seen

    def extend(self, tick):
        """Device time of a stamp that is newer, or up to half a period older, than the newest seen."""
        d = (tick - self.now) & MASK
        if d < HALF:
            self.now += d
            return self.now
        old = self.now - (PERIOD - d)
        return old if old > 0 else 0


class Offset:
    """Offset between the hub's monotonic clock and device time, from request and reply stamps (all in us).

    Keeps the sample of the shortest round trip of the last eight; a jump counts only after three samples agree on it.
    """

    def __init__(self):
        self.samples = []  # (rtt, offset, device time)
        self.best = None  # (device time, offset, rtt), as published
        self.ok = False
        self.rejected = 0
        self._jump = []

    def feed(self, t0, t1, t2, t3):
        """One exchange: sent t0 and answered t3 in device time, received t1 and replied t2 in hub time."""
        rtt = (t3 - t0) - (t2 - t1)
        if rtt < 0 or rtt > RTT_MAX_US or t2 < t1:
            self.rejected += 1
            return False
        off = ((t1 - t0) + (t2 - t3)) // 2
        limit = JUMP_US + rtt // 2
        if self.best is not None and abs(off - self.best[1]) > limit:
            self.ok = False
            if self._jump and abs(off - self._jump[-1][1]) > limit + (t3 - self._jump[-1][2]) // DRIFT:
                self._jump = []  # two jumps that disagree prove nothing
            self._jump.append((rtt, off, t3))
            if len(self._jump) < AGREEING:
                return True
            self.samples = self._jump
        else:
            self.samples.append((rtt, off, t3))
        self._jump = []
        if len(self.samples) > KEEP:
            self.samples.pop(0)
        rtt, off, t = min(self.samples)
        self.best = (t, off, rtt)
        self.ok = True
        return True

    def lost(self):
        """The link went down: the next samples decide anew."""
        self.samples = []
        self._jump = []
