"""Parts that the Pico and the ESP32 port share: converter, supply, Wi-Fi, serial line, flash, watchdog, identity."""

import binascii
import select
import sys

import machine
import network
from machine import ADC, PWM, Pin

from tablefw import board_pins as B
from tablefw.files import Files

DISPLAY = 0x70  # of the HT16K33 on the second bus
_CAUSES = {1: "power_on", 3: "watchdog"}


class Mcp3008:
    """10-bit converter; `read` does not allocate."""

    def __init__(self, spi, cs):
        self.spi = spi
        self.cs = Pin(cs, Pin.OUT, value=1)
        self.tx = bytearray((1, 0, 0))
        self.rx = bytearray(3)

    def read(self, ch):
        """mV at input ch."""
        self.tx[1] = 0x80 | ch << 4
        self.cs(0)
        self.spi.write_readinto(self.tx, self.rx)
        self.cs(1)
        return ((self.rx[1] & 3) << 8 | self.rx[2]) * 3300 >> 10


class Outputs:
    """IR emitters, test step, comparator threshold, status light."""

    def __init__(self):
        self.ir = PWM(Pin(B.IR_EN), freq=100000, duty_u16=0)
        self.test = Pin(B.PZ_TEST, Pin.OUT, value=0)
        self.vth = PWM(Pin(B.PZ_VTH), freq=30000, duty_u16=0)
        self.light = None
        self.link = 0
        self.mode = 0

    def set(self, name, v):
        """Drive one output by its name; IR_EN in permille, PZ_VTH in mV."""
        if name == "IR_EN":
            self.ir.duty_u16(v * 65535 // 1000)
        elif name == "PZ_TEST":
            self.test(1 if v else 0)
        elif name == "PZ_VTH":
            self.vth.duty_u16(v * 65535 // 3300)
        elif name == "LINK":
            self.link = v[0]
            self._shine()
        elif name == "MODE":
            self.mode = v[0]
            self._shine()

    def _shine(self):
        """Red: no link; green: idle; blue: a shot runs; white: service."""
        if self.light is None:
            try:
                from neopixel import NeoPixel

                self.light = NeoPixel(Pin(B.STATUS_WS2812, Pin.OUT), 1)
            except ImportError:
                return
        colour = (0, 8, 0)
        if not self.link:
            colour = (12, 0, 0)
        elif self.mode == 4:
            colour = (6, 6, 6)
        elif self.mode in (2, 3):
            colour = (0, 0, 12)
        self.light[0] = colour
        self.light.write()


class Wifi:
    """Station interface with power saving off."""

    def __init__(self):
        self.w = network.WLAN(network.STA_IF)

    def up(self, ssid, psk):
        """Start joining."""
        self.w.active(True)
        try:
            self.w.config(pm=0xA11140)  # no power saving: it costs up to 100 ms a packet
        except (ValueError, OSError, TypeError):
            pass
        self.w.connect(ssid, psk)

    def down(self):
        """Radio off."""
        self.w.active(False)

    def status(self):
        """Joined, as the radio says."""
        return self.w.isconnected()

    def rssi(self):
        """dBm, or None."""
        try:
            return self.w.status("rssi")
        except (ValueError, OSError, TypeError):
            return None


class Stdio:
    """USB serial line, never waited for."""

    def __init__(self):
        self.p = select.poll()
        self.p.register(sys.stdin, select.POLLIN)
        self.o = select.poll()
        self.o.register(sys.stdout, select.POLLOUT)

    def read(self):
        """One byte that has come in, b"" for none."""
        if self.p.poll(0):
            return sys.stdin.buffer.read(1)
        return b""

    def write(self, line):
        """Write a line if the other side takes it now; False otherwise."""
        if not self.o.poll(0):
            return False
        sys.stdout.write(line)
        return True


class NoDisplay:
    """In place of a display that is not fitted."""

    def show(self, text, blink):
        """Nothing."""


def display(i2c):
    """Driver of the local display; its code is loaded only where one answers."""
    try:
        i2c.writeto(DISPLAY, b"\x21")  # oscillator on
    except OSError:
        return NoDisplay()
    from tablefw.segments import Segments

    return Segments(i2c)


def supply(gpio):
    """Reader of the supply in mV at the pin (half of 5 V)."""
    a = ADC(Pin(gpio))
    return lambda: a.read_u16() * 3300 >> 16


def unstick(scl, sda):
    """Nine clocks on SCL free a slave that holds SDA low."""
    from time import sleep_us

    c = Pin(scl, Pin.OPEN_DRAIN, value=1)
    d = Pin(sda, Pin.OPEN_DRAIN, value=1)
    for _ in range(9):
        c(0)
        sleep_us(5)
        c(1)
        sleep_us(5)
    d(0)
    sleep_us(5)
    d(1)  # stop condition


def uid():
    """The controller's own number, hex."""
    return binascii.hexlify(machine.unique_id()).decode()


def wdt(ms):
    """Hardware watchdog; cannot be stopped."""
    return machine.WDT(timeout=ms)


def reset():
    """Start anew."""
    machine.reset()


def reset_cause():
    """power_on, watchdog or reset."""
    return _CAUSES.get(machine.reset_cause(), "reset")


nv = Files("")
