"""The port to the Pico W and Pico 2 W. Piezo edges and shift words are stamped in hard interrupts on core 0."""

import asyncio
import time

import micropython
from machine import I2C, SPI, Pin, Timer

from tablefw import board_pins as B
from tablefw import items as I
from tablefw import wire_codes as W
from tablefw.edges import LATE, SHIFT, make_edge, make_words
from tablefw.hal.board import (  # noqa: F401 - part of the port
    Mcp3008,
    Outputs,
    Stdio,
    Wifi,
    display,
    nv,
    reset,
    reset_cause,
    supply,
    uid,
    unstick,
    wdt,
)
from tablefw.loading import forget

BOARD = B.BOARD
MASK = (1 << 30) - 1
SCAN_US = 10000
SCAN_MS = 10

if hasattr(micropython, "alloc_emergency_exception_buf"):
    micropython.alloc_emergency_exception_buf(100)

ticks_us = time.ticks_us
_adc = Mcp3008(SPI(0, baudrate=1350000, sck=Pin(B.ADC_SCK), mosi=Pin(B.ADC_MOSI), miso=Pin(B.ADC_MISO)), B.ADC_CS_N)
_v5 = supply(B.V5_SENSE)
_outputs = Outputs()
_hall = None
_display = None
output = _outputs.set
wifi = Wifi()
stdio = Stdio()


def adc(ch):
    """mV at MCP3008 input 0..7, or at the supply divider (8)."""
    return _v5() if ch == 8 else _adc.read(ch)


def _pin_bus():
    return I2C(0, scl=Pin(B.PIN_SCL), sda=Pin(B.PIN_SDA), freq=400000, timeout=2000)


def field_scan(buf):
    """One scan of the pin board into buf[0:15]; the mask of sensors that answered."""
    global _hall
    if _hall is None:
        from tablefw.hall import Hall  # a table without pins does not load it

        _hall = Hall(_pin_bus, lambda: unstick(B.PIN_SCL, B.PIN_SDA))
    return _hall.scan(buf)


def segments(text, blink):
    """Show text on the local display, where one is fitted."""
    global _display
    if _display is None:
        _display = display(I2C(1, scl=Pin(B.AUX_SCL), sda=Pin(B.AUX_SDA), freq=100000, timeout=2000))
    _display.show(text, blink)


def _shift_chain():
    """The running state machine; the maker of its program is garbage afterwards."""
    from tablefw import pioin

    sm = pioin.start()
    pioin = None
    forget("pioin")
    return sm


class Source:
    """Interrupts fill the ring; a 100 Hz timer wakes the main loop for the field scan and for time-outs."""

    readings = True

    def __init__(self, profile, ring):
        click, pins, _, rails = profile
        self.ring = ring
        self.flag = asyncio.ThreadSafeFlag()
        wake = self.flag.set
        self.vectors = [0] * 15
        self.scans = bool(pins)
        self.levels = bytearray(16)
        self.words = [B.SHIFT_IDLE]
        self.fitted = []
        used = [n for n, _ in rails] + (["CLICK"] if click else [])
        for name, gpio, _ in B.PIEZO:
            if name in used:
                ch = W.CHANNELS[name]
                p = Pin(gpio, Pin.IN)
                self.levels[ch & 15] = p.value()
                self.fitted.append((ch, p, make_edge(ch, ring, time.ticks_us, wake, self.levels)))
        for _, p, handler in self.fitted:
            p.irq(handler, Pin.IRQ_RISING | Pin.IRQ_FALLING, hard=True)
        self.sm = _shift_chain()
        time.sleep_ms(5)
        while self.sm.rx_fifo():
            self.words[0] = self.sm.get() & 0xFFFF
        self.sm.irq(make_words(ring, time.ticks_us, wake, self.sm.rx_fifo, self.sm.get, self.words), hard=True)
        ring.push(time.ticks_us(), SHIFT | self.words[0])
        self.timer = Timer(-1, period=SCAN_MS, mode=Timer.PERIODIC, callback=lambda t: wake())
        self._scan = time.ticks_us()
        self._told = True
        self.stale = []

    async def wait(self):
        """Until an interrupt or the timer."""
        await self.flag.wait()
        self._told = False

    def take(self, item):
        """Ring first, then a scan that is due, then the time."""
        if self._told:
            return False
        now = time.ticks_us()  # read before the ring is seen empty: nothing older can follow
        if not self.ring.empty():
            item[1], what = self.ring.pop()
            if what & SHIFT:
                item[0], item[2], item[3] = I.WORD, what & 0xFFFF, 1 if what & LATE else 0
            else:
                item[0], item[2], item[3], item[4] = I.EDGE, what >> 1, what & 1, 0
            return True
        if self.scans and time.ticks_diff(now, self._scan) >= SCAN_US:
            behind = time.ticks_diff(now, self._scan)
            self._scan = time.ticks_add(self._scan, SCAN_US) if behind < 3 * SCAN_US else now
            item[0], item[1], item[2] = I.FIELD, now, field_scan(self.vectors)
            return True
        self._told = True
        item[0], item[1] = I.TIME, now
        return True

    def word(self):
        """The shift chain now."""
        return self.words[0]

    def rearm(self):
        """Arm again the handlers whose stamped level differs from the pin's now and at the call before. How many.

        An exception in a hard interrupt disables its handler for good; call twice, at least 50 ms apart.
        """
        wrong = [f for f in self.fitted if f[1].value() != self.levels[f[0] & 15]]
        again = [f for f in wrong if f in self.stale]
        for ch, p, handler in again:
            p.irq(handler, Pin.IRQ_RISING | Pin.IRQ_FALLING, hard=True)
            level = p.value()
            self.levels[ch & 15] = level
            self.ring.push(time.ticks_us(), ch << 1 | level)
        self.stale = [f for f in wrong if f not in again]
        if again:
            self.flag.set()
        return len(again)

    def barrier(self, stamp, token, wait, outbox):
        """Virtual board only."""

    def acked(self, outbox):
        """Virtual board only."""


def edge_source(profile, ring):
    """Arm every input of a profile."""
    return Source(profile, ring)
