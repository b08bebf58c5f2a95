"""Skittles: from 3-axis field vectors at 100 Hz to state, and the latch "its base left the cloth". Pure, integers only.

Units: field in uT, B = reading - empty-seat field; ratios in permille of |b0|, the field of the pin standing on its spot.
Ambiguity never becomes fallen; the latch falls only by `arm`, never by time and never by the pin itself.
"""

from tablefw import defaults as D
from tablefw import wire_codes as W
from tablefw.fixed import asinh20, isqrt

LETTERS = ("C", "N", "E", "S", "W")
SATURATED = 32767
TILT_BZ = (
    250  # permille of |b0|: an off-curve vector with less along the pin axis belongs to a pin that lies or is gone
)
STABLE = D.PIN_RULE_STABLE_US * D.PIN_RULE_POLL_HZ // 1000000
SCAN_US = 1000000 // D.PIN_RULE_POLL_HZ
NOISE_N = 64
_LIMIT = 16000  # permille: keeps every square below 2^30


def upright(r_tenths, gap_tenths):
    """(along, across) field in permille of its own value at r = 0 of an upright dipole at offset r, `gap` above the sensor."""
    g2 = gap_tenths * gap_tenths
    q = r_tenths * r_tenths + g2
    # (g / rho)^3 in 1e-6, rho = sqrt(q)
    cube = gap_tenths * g2 * 1000000 // max(1, isqrt(q * q * q))
    along = (3 * g2 - q) * cube // (2 * q) // 1000
    across = 3 * gap_tenths * r_tenths * cube // (2 * q) // 1000
    return along, across


def curve(gap_mm=10):
    """Points [offset mm, along, across] (permille) of an upright pin at 0..14 mm, for a magnet `gap_mm` above the sensor."""
    return [[r] + list(upright(r * 10, gap_mm * 10)) for r in range(15)]


def default_calibration():
    """Start values: 1.5 mT along the axis, no field in an empty seat, magnet 10 mm above the sensor."""
    return {p: {"b0": [0, 0, 1500], "empty": [0, 0, 0]} for p in LETTERS}


class Curve:
    """The calibrated line of an upright, displaced pin in (asinh 20 Bz, asinh 20 |Bxy|)."""

    def __init__(self, points):
        self.r = [p[0] for p in points]
        self.u = [asinh20(p[1]) for p in points]
        self.v = [asinh20(p[2]) for p in points]

    def distance(self, u, v):
        """(c in permille, offset in mm) of the nearest place on the line."""
        best = 1 << 29
        at = 0
        us, vs = self.u, self.v
        for i in range(len(us) - 1):
            ax, ay = us[i], vs[i]
            dx, dy = us[i + 1] - ax, vs[i + 1] - ay
            px, py = u - ax, v - ay
            n = dx * dx + dy * dy
            k = px * dx + py * dy
            if k <= 0 or n == 0:
                ex, ey, f = px, py, 0
            elif k >= n:
                ex, ey, f = px - dx, py - dy, 10
            else:
                ex, ey = px - dx * k // n, py - dy * k // n
                f = 10 * k // n
            e = ex * ex + ey * ey
            if e < best:
                best = e
                at = self.r[i] * 10 + f * (self.r[i + 1] - self.r[i])
        return isqrt(best), (at + 5) // 10


class Pin:
    """One skittle. Emits through `emit(t, ch, kind, v, aux)`: move, state, lost."""

    def __init__(self, ch, cal, line, emit):
        self.ch = ch
        self.emit = emit
        self.line = line
        self.b0 = tuple(cal["b0"])
        self.empty = tuple(cal["empty"])
        self.norm = max(1, isqrt(self.b0[0] ** 2 + self.b0[1] ** 2 + self.b0[2] ** 2))
        self.rel0 = tuple(x * 1000 // self.norm for x in self.b0)
        self.state = W.PIN_UNKNOWN
        self.latch = W.LATCH_NO
        self.watch = True  # latch counts: false for a seat that the layout says is empty, until a pin stands there
        self._cand = W.PIN_UNKNOWN
        self._count = 0
        self._away = 0  # scans outside standing in a row
        self._t_away = 0
        self._moved = False
        self._fallen = 0
        self._tilted = 0
        self.d = self.c = self.r = 0
        self.missing = 0
        self._same = 0
        # raw vector and, while standing, the one before: single numbers, since a tuple a scan would be 16 kB of garbage a second
        self._known = self._steady = False
        self._x = self._y = self._z = 0
        self._noise = self._noise_n = 0
        self.sigma2 = 0  # per axis, permille squared, of the last full window

    def classify(self, x, y, z):
        """State of one vector (uT, raw); leaves d, c (permille) and r (mm) behind."""
        self.d = self.c = self.r = 0
        if abs(x) >= SATURATED or abs(y) >= SATURATED or abs(z) >= SATURATED:
            return W.PIN_UNKNOWN
        n = self.norm
        bx = _clip((x - self.empty[0]) * 1000 // n)
        by = _clip((y - self.empty[1]) * 1000 // n)
        bz = _clip((z - self.empty[2]) * 1000 // n)
        r0 = self.rel0
        self.d = isqrt((bx - r0[0]) ** 2 + (by - r0[1]) ** 2 + (bz - r0[2]) ** 2)
        if self.d < D.PIN_RULE_STANDING_D_PERMILLE:
            return W.PIN_STANDING
        self.c, self.r = self.line.distance(asinh20(bz), asinh20(isqrt(bx * bx + by * by)))
        if self.c < D.PIN_RULE_SLID_C_PERMILLE:
            return W.PIN_SLID
        if self.c <= D.PIN_RULE_FALLEN_C_PERMILLE:
            return W.PIN_UNKNOWN
        return W.PIN_FALLEN if bz < TILT_BZ else W.PIN_TILTED

    def feed(self, t, x, y, z):
        """One scan at device time t. Raw field in uT."""
        self.missing = 0
        if self._known and x == self._x and y == self._y and z == self._z:
            self._same += 1
        else:
            self._same = 0
        s = self.classify(x, y, z)
        self._step(t, s)
        if s == W.PIN_STANDING:
            if self._steady:
                self._sigma(x - self._x, y - self._y, z - self._z)
            self._steady = True
        else:
            self._steady = False
        self._known = True
        self._x = x
        self._y = y
        self._z = z

    def miss(self, t):
        """A scan in which the sensor did not answer."""
        self.missing += 1
        self._known = self._steady = False
        self._same = 0
        self.d = self.c = self.r = 0
        self._step(t, W.PIN_UNKNOWN)

    def again(self, t, frozen=False):
        """One more scan with the last vector; a live sensor that sees no change does not count as frozen."""
        if not self._known:
            self.miss(t)
        elif frozen:
            self.feed(t, self._x, self._y, self._z)
        else:
            self._step(t, self.classify(self._x, self._y, self._z))

    def settled(self):
        """Whether further scans like the last one change nothing."""
        return self._count > STABLE and self._known

    def _step(self, t, s):
        if s == self._cand:
            self._count += 1
        else:
            self._cand = s
            self._count = 1
        if s == W.PIN_STANDING:
            self._away = 0
            if self._count == STABLE:
                self.watch = True
        else:
            self._away += 1
            if self._away == 1:
                self._t_away = t
            elif not self._moved and not self.missing and self.state == W.PIN_STANDING:
                self._moved = True
                self.emit(self._t_away, self.ch, W.KIND_MOVE, min(self.d, 65535), min(self.c // 10, 255) << 8)
        self._latch(t, s)
        if self._count == STABLE and (s != self.state or self._moved):
            self.state = s
            self._moved = False
            self.emit(t, self.ch, W.KIND_STATE, s, min(self.r, 255) << 8)

    def _latch(self, t, s):
        self._fallen = self._fallen + 1 if s == W.PIN_FALLEN else 0
        self._tilted = self._tilted + 1 if s == W.PIN_TILTED else 0
        if not self.watch:
            return
        if self._fallen >= D.PIN_RULE_LOST_SAMPLES:
            self._raise(t, W.LATCH_YES, self._fallen)
        elif self._fallen or self._tilted >= D.PIN_RULE_LOST_SAMPLES:
            self._raise(t, W.LATCH_MAYBE, self._fallen or self._tilted)

    def _raise(self, t, latch, samples):
        if latch > self.latch:
            self.latch = latch
            self.emit(t, self.ch, W.KIND_LOST, latch, min(samples, 255) << 8)

    def arm(self, present):
        """A new shot: clear the latch. `present` = the layout says a pin stands here."""
        self.latch = W.LATCH_NO
        self._fallen = self._tilted = 0
        self.watch = present or (self.state == W.PIN_STANDING and self._cand == W.PIN_STANDING)

    def _sigma(self, dx, dy, dz):
        """Noise from the difference of two scans in a row."""
        n = self.norm
        dx = _clip(dx * 1000 // n)
        dy = _clip(dy * 1000 // n)
        dz = _clip(dz * 1000 // n)
        self._noise += dx * dx + dy * dy + dz * dz
        self._noise_n += 1
        if self._noise_n == NOISE_N:
            self.sigma2 = self._noise // (6 * NOISE_N)  # successive differences have twice the variance, on three axes
            self._noise = self._noise_n = 0

    def quality(self):
        """What the stream of vectors says about the sensor itself."""
        if self.missing >= STABLE:
            return W.QUALITY_ABSENT
        if self._same >= D.PIN_CAL_SAME_VECTORS:
            return W.QUALITY_STUCK
        if self.sigma2 > D.PIN_CAL_SIGMA_MAX_PERMILLE**2:
            return W.QUALITY_NOISY
        return W.QUALITY_OK


def _clip(x):
    return _LIMIT if x > _LIMIT else -_LIMIT if x < -_LIMIT else x
