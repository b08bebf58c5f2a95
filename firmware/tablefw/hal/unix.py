"""The virtual board: inputs arrive stamped on a socket, outputs go back. Protocol: docs/developer/virtual-board.md."""

import asyncio
import os
import select
import socket
import struct
import sys
import time

from tablefw import items as I
from tablefw.files import Files

BOARD = "virtual"
MASK = (1 << 30) - 1
START = (1 << 30) - 2000000  # two seconds before the counter wraps

_FIELD, _HOLD, _TIME, _SYNC, _ADC, _TEST, _FREEZE, _RESET = 0x90, 0x91, 0xA0, 0xA1, 0xA2, 0xA3, 0xAD, 0xAE
_HELLO, _OUT, _FED, _MODE, _LINK, _TEXT = 0xC0, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4
_OUTPUTS = ("IR_EN", "PZ_TEST", "PZ_VTH", "LED")
EXIT_RESET = 75
PROTOCOL = 1

# board time at the anchor, real time of the anchor, speed; stands still until the host sets it
_clock = [START, time.ticks_us(), 0 if os.getenv("MARKER_BOARD") else 1]
_adc = {8: 2500}
_test = {}
_out = {}
_host = None


def ticks_us():
    """The board's 30-bit clock, driven by the host."""
    base, anchor, speed = _clock
    if not speed:
        return base & MASK
    return (base + speed * time.ticks_diff(time.ticks_us(), anchor)) & MASK


def _advance(us, speed=None):
    """The host says it is `us`; the clock never runs back."""
    d = (us - ticks_us()) & MASK
    if speed is not None:
        _clock[2] = speed
    elif d >= 1 << 29:
        return
    _clock[0] = us & MASK
    _clock[1] = time.ticks_us()


class _Host:
    """The socket to the simulator."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.s = socket.socket()
        self.s.connect(socket.getaddrinfo(host, int(port))[0][-1])
        try:
            self.s.setsockopt(6, 1, 1)  # TCP_NODELAY
        except (OSError, AttributeError):
            pass
        self.s.setblocking(False)
        self.stream = asyncio.StreamReader(self.s)
        self.pending = b""

    def send(self, ch, level, aux, payload=b""):
        data = self.pending + struct.pack("<IBBH", ticks_us(), ch, level, aux & 0xFFFF) + payload
        n = self.s.write(data) or 0
        self.pending = data[n:]


class Source:
    """Frames of the host as input items, in the order sent."""

    readings = False  # the host sends what the ADC read

    def __init__(self, ring):
        self.ring = ring
        self.vectors = [0] * 15
        self.bits = 0xFFFF
        self.buf = bytearray(1024)
        self.view = memoryview(self.buf)
        self.a = self.b = 0
        self._reading = None
        self._stall = None  # end of a stall: until then edges only reach the ring, as interrupts would do it
        self._barriers = []
        self.stale = ()

    async def wait(self):
        """Until a whole frame is there. The end of the stream ends the program."""
        if self._ready():
            return
        if _host is None:
            while True:
                await asyncio.sleep(3600)
        while not self._ready():
            if self.a:
                n = self.b - self.a
                self.buf[0:n] = self.buf[self.a : self.b]
                self.a, self.b = 0, n
            n = await _host.stream.readinto(self.view[self.b :])
            if not n:
                sys.exit(0)
            self.b += n

    def _ready(self):
        if self._reading or (self._stall is None and not self.ring.empty()):
            return True
        n = self.b - self.a
        if n < 8:
            return False
        ch = self.buf[self.a + 4]
        return ch != _FIELD or n >= 8 + (self.buf[self.a + 6] | self.buf[self.a + 7] << 8)

    def take(self, item):
        """Fill `item` with the next input; False when nothing waits."""
        while self._ready():
            if self._reading:
                item[0] = I.READING
                item[1], item[2], item[3] = self._reading
                self._reading = None
                return True
            if self._stall is None and not self.ring.empty():
                item[1], what = self.ring.pop()
                item[0], item[2], item[3], item[4] = I.EDGE, what >> 1, what & 1, 0
                return True
            if self._frame(item):
                return True
        return False

    def _frame(self, item):
        us, ch, level, aux = struct.unpack_from("<IBBH", self.buf, self.a)
        self.a += 8
        us &= MASK
        if self._stall is not None and ((us - self._stall) & MASK) < 1 << 29:
            self._stall = None  # over; the frame is looked at again after the ring is drained
            self.a -= 8
            return False
        if ch < 128:
            _advance(us)
            return self._edge(item, us, ch, level, aux)
        if ch == _TIME:
            _advance(us, level)
            item[0], item[1] = I.TIME, us
        elif ch == _FIELD:
            _advance(us)
            self.vectors[:] = struct.unpack_from("<15h", self.buf, self.a)
            self.a += aux
            item[0], item[1], item[2] = I.FIELD, us, _answering(level)
        elif ch == _HOLD:
            _advance(us + 10000 * max(0, aux - 1))
            item[0], item[1], item[2], item[3] = I.HOLD, us, aux, level
        elif ch == _SYNC:
            _advance(us)
            item[0], item[1], item[2], item[3] = I.BARRIER, us, aux, level & 1
        else:
            return self._fault(us, ch, level, aux)
        return True

    def _edge(self, item, us, ch, level, aux):
        if level == 2:
            item[0], item[1], item[2], item[3] = I.READING, us, ch, aux
            return True
        if self._stall is not None:
            self.ring.push(us, ch << 1 | level)
            return False
        if ch >= 64:
            self.bits = self.bits | 1 << (ch - 64) if level else self.bits & ~(1 << (ch - 64))
        item[0], item[1], item[2], item[3], item[4] = I.EDGE, us, ch, level, aux if ch >= 64 else 0
        if ch < 64 and level and aux != 0xFFFF:
            self._reading = ((us + 300) & MASK, ch, aux)
        return True

    def _fault(self, us, ch, level, aux):
        if ch == _ADC:
            _adc[level] = aux
        elif ch == _TEST:
            _test[level] = aux
        elif ch == _RESET:
            if level == 0:
                reset()
            sys.exit(EXIT_RESET)
        elif ch == _FREEZE:
            if level:
                self._stall = (us + aux * 1000) & MASK
            else:
                while aux == 0xFFFF:
                    time.sleep(1)
                time.sleep(aux / 1000)
        return False

    def word(self):
        """The shift chain now, as the emitters and the faults the host has set let it be."""
        word = self.bits
        duty = _out.get("IR_EN", 0)
        for i in range(12):
            fault = _test.get(16 + i, 0)
            if fault == 2 or (duty < (700 if fault == 3 else 100) and fault != 1):
                word &= ~(1 << i)
        return word

    def rearm(self):
        """There are no interrupts here to be lost."""
        return 0

    def barrier(self, stamp, token, wait, outbox):
        """A SYNC frame: everything before it is consumed."""
        self._barriers.append((outbox.head if wait else 0, stamp, token, outbox.dropped))
        self.acked(outbox)

    def acked(self, outbox):
        """The broker acknowledged records: answer what waited for it."""
        while self._barriers and outbox.tail >= self._barriers[0][0]:
            _, _, token, dropped = self._barriers.pop(0)
            if _host:
                _host.send(_SYNC, 1 if outbox.dropped != dropped else 0, token)


def _answering(mask):
    for i in range(5):
        if _test.get(32 + i):
            mask &= ~(1 << i)
    return mask


def edge_source(channels, ring):
    """Connect to the host (MARKER_BOARD); without one the board has no inputs."""
    global _host
    address = os.getenv("MARKER_BOARD")
    if address:
        _host = _Host(address)
        _host.send(_HELLO, PROTOCOL, _out.get("BOOT", 0))
    return Source(ring)


def field_scan(buf):
    """One scan for calibration and self-test: the host's vectors are pushed, so there is none to fetch."""
    return


def adc(ch):
    """mV at an ADC pin."""
    if ch < 7 and _out.get("PZ_TEST"):
        return _test.get(ch, 600)
    return _adc.get(ch, 0)


def output(name, v):
    """Drive an output. LINK, MODE and FED are told to the host as frames."""
    _out[name] = v
    if _host is None:
        return
    if name == "MODE":
        _host.send(_MODE, v[0], v[1])
    elif name == "LINK":
        _host.send(_LINK, v[0], v[1])
    else:
        _host.send(_OUT, _OUTPUTS.index(name), v)


def segments(text, blink):
    """Show text on the 7-segment display."""
    if _host is not None:
        b = text.encode()
        _host.send(_TEXT, 1 if blink else 0, len(b), b)


class _Wifi:
    """The laptop's own network."""

    def up(self, ssid, psk):
        return None

    def down(self):
        return None

    def status(self):
        return True

    def rssi(self):
        return None


wifi = _Wifi()


class _Watchdog:
    def __init__(self, ms):
        self.ms = ms

    def feed(self):
        if _host is not None:
            _host.send(_FED, 0, self.ms)


def wdt(ms):
    """The host is the watchdog: it hears every feed."""
    return _Watchdog(ms)


def reset():
    """End with the status that asks for a new start."""
    sys.exit(EXIT_RESET)


def reset_cause():
    """What the host says, else power_on."""
    return os.getenv("MARKER_RESET_CAUSE") or "power_on"


nv = Files(os.getenv("MARKER_NODE_DIR") or ".")


def uid():
    """16 hex digits: given by the host, else drawn once and kept."""
    given = os.getenv("MARKER_NODE_UID")
    if given:
        return given
    kept = nv.get("uid")
    if kept is None:
        kept = "".join("%02x" % b for b in os.urandom(8)).encode()
        nv.put("uid", kept)
    return kept.decode()


class _Stdio:
    """Standard input and output as the serial line, never waited for."""

    def __init__(self):
        self.p = select.poll()
        self.p.register(sys.stdin, select.POLLIN)
        self.o = select.poll()
        self.o.register(sys.stdout, select.POLLOUT)
        self.eof = False

    def read(self):
        """Bytes that have come in, b"" for none."""
        if self.eof:
            return b""
        for e in self.p.poll(0):
            if e[1] & select.POLLIN:
                b = sys.stdin.buffer.read(1)
                if b:
                    return b
            self.eof = True
        return b""

    def write(self, line):
        """Write a line if the other side takes it now; False otherwise."""
        if not any(e[1] & select.POLLOUT for e in self.o.poll(0)):
            return False
        sys.stdout.write(line)
        return True


stdio = _Stdio()
