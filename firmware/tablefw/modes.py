"""Modes of the node: boot -> idle -> armed <-> settling -> idle, and service. Only the hub, or the local shell, changes them. Pure."""

from tablefw import wire_codes as W

NAMES = ("boot", "idle", "armed", "settling", "service")

# mode -> modes that `mode` may lead to from it; entering a new shot is `arm`'s alone
_FROM = {
    W.MODE_BOOT: (W.MODE_IDLE,),
    W.MODE_IDLE: (W.MODE_IDLE, W.MODE_SERVICE),
    W.MODE_ARMED: (W.MODE_ARMED, W.MODE_SETTLING, W.MODE_IDLE),
    W.MODE_SETTLING: (W.MODE_SETTLING, W.MODE_ARMED, W.MODE_IDLE),
    W.MODE_SERVICE: (W.MODE_SERVICE, W.MODE_IDLE),
}
_ARM_FROM = (W.MODE_IDLE, W.MODE_ARMED, W.MODE_SETTLING)


class Modes:
    """Current mode and shot; `on_change(mode, shot)` is called after each change."""

    def __init__(self):
        self.mode = W.MODE_BOOT
        self.shot = 0
        self.on_change = None

    def set(self, mode):
        """True when the mode is now `mode`, False when it cannot be reached from here."""
        if mode not in _FROM[self.mode]:
            return False
        if mode != self.mode:
            self._enter(mode)
        return True

    def arm(self, shot):
        """Arm for a shot; False from service or boot."""
        if self.mode not in _ARM_FROM:
            return False
        self.shot = shot
        self._enter(W.MODE_ARMED)
        return True

    def _enter(self, mode):
        self.mode = mode
        if self.on_change:
            self.on_change(mode, self.shot)
