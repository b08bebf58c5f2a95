# Shim: the Pico's network module, always joined once asked to join.
STA_IF = 0


class WLAN:
    def __init__(self, interface):
        self._active = False
        self._joined = False
        self.joins = 0

    def active(self, on=None):
        if on is None:
            return self._active
        self._active = bool(on)
        if not on:
            self._joined = False

    def config(self, **how):
        self.settings = how

    def connect(self, ssid, psk):
        if not self._active:
            raise OSError("interface is off")
        self.joins += 1
        self._joined = True

    def isconnected(self):
        return self._joined

    def status(self, what=None):
        return -55 if what == "rssi" else 3
