# Shim of the Pico's `machine` for the MicroPython unix VM. Puts no convenience over the port: interrupts run with the heap locked and an
# exception disables their handler, as on the board. Tests drive it: drive(), Bus.devices, SPI.values, words via rp2.StateMachine.
import micropython
import sys
import time

PWRON_RESET = 1
WDT_RESET = 3
_cause = PWRON_RESET
armed = {}  # gpio -> [handler, trigger]
levels = {}  # gpio -> level, set by drive()
errors = []  # what handlers raised
sensor_gpio = set()  # of these a soft interrupt is refused
duty = {}  # gpio -> PWM duty


def run_handler(handler, argument):
    """As the port does: heap locked; False when the handler raised."""
    micropython.heap_lock()
    try:
        handler(argument)
        return True
    except Exception as e:
        micropython.heap_unlock()
        errors.append(type(e).__name__)
        micropython.heap_lock()
        return False
    finally:
        micropython.heap_unlock()


def drive(gpio, level):
    """Set an input from outside; interrupts follow."""
    old = levels.get(gpio, 0)
    levels[gpio] = level
    if old == level:
        return
    entry = armed.get(gpio)
    if entry and entry[0]:
        edge = Pin.IRQ_RISING if level else Pin.IRQ_FALLING
        if entry[1] & edge and not run_handler(entry[0], entry[2]):
            entry[0] = None  # disabled for good, until it is armed again


class Pin:
    IN = 0
    OUT = 1
    OPEN_DRAIN = 2
    IRQ_FALLING = 4
    IRQ_RISING = 8

    def __init__(self, n, mode=IN, value=None):
        self.n = n
        self.mode = mode
        if value is not None:
            levels[n] = value

    def value(self, v=None):
        if v is None:
            return levels.get(self.n, 0)
        levels[self.n] = v

    __call__ = value

    def irq(self, handler, trigger, hard=False):
        if self.n in sensor_gpio and not hard:
            raise ValueError("GPIO %d: a sensor needs a hard interrupt" % self.n)
        armed[self.n] = [handler, trigger, self]


class PWM:
    def __init__(self, pin, freq, duty_u16=0):
        self.n = pin.n
        self.freq = freq
        duty[self.n] = duty_u16

    def duty_u16(self, v):
        duty[self.n] = v


class ADC:
    values = {26: 49650}  # 2.5 V at the supply divider

    def __init__(self, pin):
        self.n = pin.n

    def read_u16(self):
        return ADC.values.get(self.n, 0)


class SPI:
    values = [0] * 8  # mV at the inputs of the MCP3008

    def __init__(self, n, baudrate, sck, mosi, miso):
        self.n = n

    def write_readinto(self, tx, rx):
        v = SPI.values[tx[1] >> 4 & 7] * 1024 // 3300
        v = 1023 if v > 1023 else v
        rx[0] = 0
        rx[1] = v >> 8
        rx[2] = v & 255


class I2C:
    """One pin board (bus 0) and a display (bus 1). `field` = five vectors in uT; `absent` = sensors that do not answer."""

    field = [[0, 0, 1500], [0, 0, 1500], [0, 0, 1500], [0, 0, 1500], [0, 0, 1500]]
    absent = set()
    hung = False
    display = None
    display_frame = b""
    made = 0

    def __init__(self, n, scl, sda, freq, timeout=0):
        self.n = n
        self.mux = 0
        I2C.made += 1

    def _check(self, address):
        if self.n == 0:
            if I2C.hung:
                raise OSError(110)
            if address == 0x70:
                return
            for i in range(5):
                if self.mux >> i & 1 and i not in I2C.absent and address == 0x35:
                    return
        elif I2C.display is not None and address == 0x70:
            return
        raise OSError(5)

    def writeto(self, address, data):
        self._check(address)
        if self.n == 0 and address == 0x70:
            self.mux = data[0]
        elif self.n == 1:
            I2C.display.append(bytes(data))
            if len(data) > 1:
                I2C.display_frame = bytes(data)

    def writeto_mem(self, address, register, data):
        self._check(address)

    def readfrom_mem(self, address, register, n):
        b = bytearray(n)
        self.readfrom_mem_into(address, register, b)
        return bytes(b)

    def readfrom_mem_into(self, address, register, buf):
        self._check(address)
        if register == 0x0E:
            buf[0:2] = b"IT"
            return
        i = 0
        while not self.mux >> i & 1:
            i += 1
        for a in range(3):
            v = I2C.field[i][a] * 32768 // 40000
            v = min(32767, max(-32768, v)) & 0xFFFF
            buf[2 * a] = v >> 8
            buf[2 * a + 1] = v & 255


class Timer:
    PERIODIC = 1
    made = []

    def __init__(self, n=-1, period=0, mode=0, callback=None):
        self.callback = callback
        Timer.made.append(self)

    def fire(self):
        self.callback(self)


class WDT:
    def __init__(self, timeout):
        self.timeout = timeout
        self.fed = 0

    def feed(self):
        self.fed += 1


def unique_id():
    return b"\xe6\x61\x41\x03\xe7\x45\x2d\x2f"


def reset_cause():
    return _cause


def reset():
    sys.exit(75)


def disable_irq():
    return 0


def enable_irq(state):
    pass


def freq(hz=None):
    return 125000000
