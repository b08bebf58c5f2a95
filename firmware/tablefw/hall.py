"""Five TMAG5273 (0x35) behind a TCA9548A (0x70): one scan without allocation; recovers a hung bus."""

from tablefw.log import log

MUX = 0x70
SENSOR = 0x35
_CONFIG = (
    (0x00, 0x10),  # 16 conversions averaged
    (0x02, 0x70),  # X, Y and Z
    (0x03, 0x00),  # +-40 mT on every axis
    (0x01, 0x02),  # convert continuously
)
_X_MSB = 0x12
_MANUFACTURER = 0x0E  # 0x49, 0x54 = "TI"
N = 5
RECOVER_AFTER = 5  # scans in a row without any answer


class Hall:
    """`make()` builds the I2C bus, `unstick()` clocks a slave that holds SDA free; both given by the port."""

    def __init__(self, make, unstick):
        self.make = make
        self.unstick = unstick
        self.i2c = make()
        self.raw = bytearray(6)
        self.select = [bytes((1 << i,)) for i in range(N)]
        self.none = bytes(1)
        self.silent = 0
        self.recoveries = 0
        self.setup()

    def setup(self):
        """Configure every sensor that answers."""
        for i in range(N):
            try:
                self.i2c.writeto(MUX, self.select[i])
                for register, value in _CONFIG:
                    self.i2c.writeto_mem(SENSOR, register, bytes((value,)))
            except OSError:
                continue

    def scan(self, vectors):
        """x, y, z of each sensor in uT into vectors[0:15]; returns the mask of those that answered."""
        i2c = self.i2c
        raw = self.raw
        mask = 0
        for i in range(N):
            try:
                i2c.writeto(MUX, self.select[i])
                i2c.readfrom_mem_into(SENSOR, _X_MSB, raw)
            except OSError:
                continue
            k = 3 * i
            for a in (0, 1, 2):
                v = raw[2 * a] << 8 | raw[2 * a + 1]
                if v > 32767:
                    v -= 65536
                # +-40 mT full scale: 1.2207 uT a step; the ends of the range are kept recognisable
                vectors[k + a] = 32767 if v > 26700 else -32767 if v < -26700 else v * 10000 >> 13
            mask |= 1 << i
        if mask:
            self.silent = 0
        else:
            self.silent += 1
            if self.silent % RECOVER_AFTER == 0:
                self.recover()
        return mask

    def recover(self):
        """Nine clocks, mux closed, bus and sensors set up again."""
        self.recoveries += 1
        if self.recoveries & (self.recoveries - 1) == 0:
            log("pin board: bus recovery %d" % self.recoveries)
        self.unstick()
        self.i2c = self.make()
        try:
            self.i2c.writeto(MUX, self.none)
        except OSError:
            return
        self.setup()

    def identified(self, i):
        """Whether sensor i answers with its maker's name."""
        try:
            self.i2c.writeto(MUX, self.select[i])
            return self.i2c.readfrom_mem(SENSOR, _MANUFACTURER, 2) == b"IT"
        except OSError:
            return False
