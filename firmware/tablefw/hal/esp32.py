"""EXPERIMENTAL port to an ESP32-S3. Pin interrupts are soft here and their queue of eight drops edges silently: what can be
noticed of that (a level that differs from the last stamp) is counted and reported as `loss`. The shift chain is polled at 500 Hz.

The wiring below is for a 38-pin development board; pinmap.toml describes the Pico only.
"""

import asyncio
import time

from machine import ADC, I2C, SPI, Pin, Timer

from tablefw import board_pins as B
from tablefw import items as I
from tablefw import wire_codes as W
from tablefw.edges import SHIFT, make_edge
from tablefw.hal.board import Mcp3008, Outputs, Stdio, Wifi, display, nv, reset, reset_cause, uid, unstick, wdt  # noqa: F401

BOARD = "esp32_s3"
# Pico GPIO of the pin map -> GPIO here
GPIO = {2: 8, 3: 9, 4: 10, 5: 11, 6: 1, 7: 2, 8: 4, 9: 5, 10: 6, 11: 7, 12: 15, 14: 12, 15: 13, 20: 14}
_SPI_SCK, _SPI_MOSI, _SPI_MISO, _SPI_CS, _V5 = 36, 35, 37, 38, 16
POLL_MS = 2
SCAN_US = 10000
MASK = (1 << 30) - 1

_outputs = None
_adc = _v5 = _hall = _display = None
wifi = Wifi()
stdio = Stdio()


def ticks_us():
    """30-bit ticks: this port's own counter is wider."""
    return time.ticks_us() & MASK


def output(name, v):
    """Drive an output by its name."""
    global _outputs
    if _outputs is None:
        _outputs = Outputs()
    _outputs.set(name, v)


def adc(ch):
    """mV at MCP3008 input 0..7, or at the supply divider (8)."""
    global _adc, _v5
    if ch == 8:
        if _v5 is None:
            _v5 = ADC(Pin(_V5))
        return _v5.read_uv() // 1000
    if _adc is None:
        _adc = Mcp3008(SPI(1, baudrate=1350000, sck=Pin(_SPI_SCK), mosi=Pin(_SPI_MOSI), miso=Pin(_SPI_MISO)), _SPI_CS)
    return _adc.read(ch)


def field_scan(buf):
    """One scan of the pin board; the mask of sensors that answered."""
    global _hall
    if _hall is None:
        from tablefw.hall import Hall  # a table without pins does not load it

        _hall = Hall(
            lambda: I2C(0, scl=Pin(GPIO[B.PIN_SCL]), sda=Pin(GPIO[B.PIN_SDA]), freq=400000, timeout=2000),
            lambda: unstick(GPIO[B.PIN_SCL], GPIO[B.PIN_SDA]),
        )
    return _hall.scan(buf)


def segments(text, blink):
    """Show text on the local display, where one is fitted."""
    global _display
    if _display is None:
        _display = display(I2C(1, scl=Pin(GPIO[B.AUX_SCL]), sda=Pin(GPIO[B.AUX_SDA]), freq=100000))
    _display.show(text, blink)


class Source:
    """Soft interrupts and a polled shift chain in front of the same ring."""

    readings = True

    def __init__(self, profile, ring):
        click, pins, _, rails = profile
        self.ring = ring
        self.flag = asyncio.ThreadSafeFlag()
        self.vectors = [0] * 15
        self.scans = bool(pins)
        self.levels = bytearray(16)
        self._word = B.SHIFT_IDLE
        self.fitted = []
        self.stale = []
        self._told = True
        self._scan = ticks_us()
        used = [n for n, _ in rails] + (["CLICK"] if click else [])
        for name, gpio, _ in B.PIEZO:
            if name in used:
                ch = W.CHANNELS[name]
                p = Pin(GPIO[gpio], Pin.IN)
                self.levels[ch & 15] = p.value()
                handler = make_edge(ch, ring, ticks_us, self.flag.set, self.levels)
                p.irq(handler, Pin.IRQ_RISING | Pin.IRQ_FALLING)
                self.fitted.append((ch, p, handler))
        self.clk = Pin(GPIO[B.SR_CLK], Pin.OUT, value=0)
        self.load = Pin(GPIO[B.SR_LOAD_N], Pin.OUT, value=1)
        self.data = Pin(GPIO[B.SR_DATA], Pin.IN)
        ring.push(ticks_us(), SHIFT | self._word)
        self.timer = Timer(0)
        self.timer.init(period=POLL_MS, mode=Timer.PERIODIC, callback=self._poll)

    def _poll(self, timer):
        clk, data = self.clk, self.data
        self.load(0)
        self.load(1)
        w = 0
        for i in range(16):
            w |= data() << i
            clk(1)
            clk(0)
        if w != self._word:
            self._word = w
            self.ring.push(ticks_us(), SHIFT | w)
        self.flag.set()

    async def wait(self):
        """Until an interrupt or the timer."""
        await self.flag.wait()
        self._told = False

    def take(self, item):
        """Ring first, then a scan that is due, then the time."""
        if self._told:
            return False
        now = ticks_us()
        if not self.ring.empty():
            item[1], what = self.ring.pop()
            if what & SHIFT:
                item[0], item[2], item[3] = I.WORD, what & 0xFFFF, 0
            else:
                item[0], item[2], item[3], item[4] = I.EDGE, what >> 1, what & 1, 0
            return True
        if self.scans and (now - self._scan) & MASK >= SCAN_US:
            self._scan = now
            item[0], item[1], item[2] = I.FIELD, now, field_scan(self.vectors)
            return True
        self._told = True
        item[0], item[1] = I.TIME, now
        return True

    def word(self):
        """The shift chain now."""
        return self._word

    def rearm(self):
        """An edge was dropped where the level differs from the last stamp twice: stamp it now, count it."""
        wrong = [f for f in self.fitted if f[1].value() != self.levels[f[0] & 15]]
        again = [f for f in wrong if f in self.stale]
        for ch, p, _ in again:
            level = p.value()
            self.levels[ch & 15] = level
            self.ring.push(ticks_us(), ch << 1 | level)
        self.stale = [f for f in wrong if f not in again]
        return len(again)

    def barrier(self, stamp, token, wait, outbox):
        """Virtual board only."""

    def acked(self, outbox):
        """Virtual board only."""


def edge_source(profile, ring):
    """Arm every input of a profile."""
    return Source(profile, ring)
