"""Push buttons of the table: act on the first edge, ignore 30 ms of bounce. Pure. Electrical level 0 = pressed."""

from tablefw import defaults as D
from tablefw import wire_codes as W


class Button:
    """One button. Emits `press` at its first edge and `release` with the time held."""

    def __init__(self, ch, emit):
        self.ch = ch
        self.emit = emit
        self.pressed = False
        self.raw = False
        self.t_press = 0
        self.t_raw = 0
        self.lock = 0  # edges before this are bounce
        self.stuck = False
        self.noisy = False
        self._burst = 0
        self._burst_t = 0

    def edge(self, t, level):
        """A raw edge."""
        if t - self._burst_t >= 1000000:
            self._burst_t = t
            self._burst = 0
        self._burst += 1
        if self._burst > D.BUTTON_CHATTER_PER_S:
            self.noisy = True
        self.tick(t)
        self.raw = not level
        self.t_raw = t
        if t >= self.lock and self.raw != self.pressed:
            self._act(t)

    def _act(self, t):
        self.pressed = self.raw
        self.lock = t + D.BUTTON_DEBOUNCE_US
        if self.noisy:
            return
        if self.pressed:
            self.t_press = t
            self.emit(t, self.ch, W.KIND_PRESS, 0, 0)
        else:
            self.stuck = False
            self.emit(t, self.ch, W.KIND_RELEASE, min((t - self.t_press) // 1000, 65535), 0)

    def tick(self, t):
        """Follow the level that stands after the bounce; find a stuck button."""
        if t >= self.lock and self.raw != self.pressed:
            self._act(max(self.t_raw, self.lock - D.BUTTON_DEBOUNCE_US))
            self.lock = max(self.lock, self.t_raw + D.BUTTON_DEBOUNCE_US)
        if self.pressed and not self.stuck and t - self.t_press > D.BUTTON_STUCK_MS * 1000:
            self.stuck = True

    def due(self):
        """Device time at which `tick` has something to do, or None."""
        if self.raw != self.pressed:
            return self.lock
        if self.pressed and not self.stuck:
            return self.t_press + D.BUTTON_STUCK_MS * 1000 + 1
        return None

    def quality(self):
        """Health of the button."""
        return W.QUALITY_STUCK if self.stuck else W.QUALITY_NOISY if self.noisy else W.QUALITY_OK
