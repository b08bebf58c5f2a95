"""Health of each channel: ok, noisy, stuck or absent, from the live stream and from the self-test. Pure.

A channel that was not ok comes back only by a passed self-test or after 60 s clean. A change is a `quality` record.
"""

from tablefw import defaults as D
from tablefw import wire_codes as W

CLEAN_US = 60000000
STEP_US = 250000  # how often the machines are asked
IDLE_QUIET_US = 60000000


def wanted_vth(noise_mv):
    """Comparator threshold in mV that a noise floor asks for; above PIEZO_VTH_MAX_MV the channel is too noisy to use."""
    return max(D.PIEZO_VTH_FLOOR_MV, D.PIEZO_VTH_GAIN * noise_mv + D.PIEZO_VTH_ADD_MV)


class Health:
    """Quality code per channel number; `causes` keeps a short word for the service page."""

    def __init__(self, sensors):
        self.s = sensors
        self.codes = {W.CHANNELS[n]: W.QUALITY_OK for n in sensors.names}
        self.tested = {}  # channel -> code the last self-test gave
        self._bad_t = {}  # channel -> when it was last seen not ok
        self._next = 0

    def live(self, ch):
        """What the machine of a channel says now."""
        s = self.s
        if ch < W.CH_PIEZO_FIRST:
            return s.pins[ch].quality()
        p = s.piezo.channels.get(ch)
        if p is not None:
            if p.stuck:
                return W.QUALITY_STUCK
            if (
                max(s.piezo.vth, wanted_vth(p.noise or 0)) > D.PIEZO_VTH_MAX_MV
                or len(p.idle_hits) > D.PIEZO_FAULT_FALSE_PER_MIN
            ):
                return W.QUALITY_NOISY
            return W.QUALITY_OK
        if ch < W.CH_BUTTON_FIRST:
            return s.gates["P%d" % (ch - W.CH_GATE_FIRST + 1)].quality()
        for b in s.all_buttons:
            if b.ch == ch:
                return b.quality()
        return W.QUALITY_OK

    def tick(self, t):
        """Ask the machines, four times a second of device time."""
        if t < self._next:
            return
        self._next = t + STEP_US
        self._forget(t)
        for name in self.s.names:
            ch = W.CHANNELS[name]
            self._judge(t, ch, max(self.live(ch), self.tested.get(ch, W.QUALITY_OK)))

    def _judge(self, t, ch, code):
        old = self.codes[ch]
        if code != W.QUALITY_OK:
            self._bad_t[ch] = t
        elif old != W.QUALITY_OK and t - self._bad_t.get(ch, t) < CLEAN_US:
            return
        if code != old:
            self.codes[ch] = code
            self.s.emit(t, ch, W.KIND_QUALITY, code, 0)

    def _forget(self, t):
        """Let noisy beams, buttons and idle knocks age."""
        for g in self.s.all_gates:
            for b in g.beams:
                if b.noisy and t - b.t_last > CLEAN_US:
                    b.noisy = False
        for b in self.s.all_buttons:
            if b.noisy and t - b.t_raw > CLEAN_US:
                b.noisy = False
        for p in self.s.piezo.all:
            while p.idle_hits and t - p.idle_hits[0] > IDLE_QUIET_US:
                p.idle_hits.pop(0)

    def test_result(self, t, ch, code):
        """The self-test's word on a channel: a pass brings it back at once."""
        self.tested[ch] = code
        if code == W.QUALITY_OK and self.live(ch) == W.QUALITY_OK:
            self._bad_t.pop(ch, None)
            if self.codes[ch] != W.QUALITY_OK:
                self.codes[ch] = W.QUALITY_OK
                self.s.emit(t, ch, W.KIND_QUALITY, W.QUALITY_OK, 0)
        else:
            self._judge(t, ch, max(code, self.live(ch)))

    def by_name(self):
        """Channel name -> code, for birth and health."""
        return {n: self.codes[W.CHANNELS[n]] for n in self.s.names}
