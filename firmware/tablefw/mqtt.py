"""MQTT 3.1.1 client for asyncio: QoS 0 and 1, clean session, one write per packet, every wait limited.

It keeps no messages: what is unacknowledged when the connection goes is the owner's to send again.
"""

import asyncio
import struct

from tablefw import net

KEEPALIVE_S = 3
GIVE_UP_S = 4.5
RX_MAX = 2304  # larger packets are read past and reported as oversized
CHUNK = 1024


class MQTTError(OSError):
    """The broker refused, or said something that is not MQTT."""


def field(s):
    """Length-prefixed string or bytes."""
    b = s.encode() if isinstance(s, str) else s
    return struct.pack(">H", len(b)) + b


def packet(first, body):
    """Fixed header and body."""
    n = len(body)
    head = bytearray((first,))
    while n > 127:
        head.append(n & 127 | 128)
        n >>= 7
    head.append(n)
    return bytes(head) + body


class Client:
    """One connection; make a new one for the next.

    on_message(topic, payload or None when oversized, retained) is called from the reader; on_puback(packet id) likewise.
    """

    def __init__(self, client_id, host, port, user="", password="", will=None, tls=None):
        self.client_id = client_id
        self.address = (host, port)
        self.user = user
        self.password = password
        self.will = will  # (topic, payload, qos, retain)
        self.tls = tls
        self.stream = None
        self.on_message = None
        self.on_puback = None
        self.dead = asyncio.Event()
        self.why = ""
        self.heard = False  # a packet has come in since the last ping
        self._pid = 0
        self._lock = asyncio.Lock()
        self._wait = {}  # packet id -> [event, return codes] of SUBSCRIBE
        self._buf = bytearray(CHUNK)
        self._rx = bytearray()
        self._skip = 0  # bytes of an oversized packet still to come

    async def open(self, timeout):
        """TCP, TLS, CONNECT, CONNACK. Raises OSError or asyncio.TimeoutError."""
        self.stream = await net.connect(self.address[0], self.address[1], timeout, self.tls)
        flags = 2  # clean session
        body = field(self.client_id)
        if self.will:
            topic, payload, qos, retain = self.will
            flags |= 4 | qos << 3 | (32 if retain else 0)
            body += field(topic) + field(payload)
        if self.user:
            flags |= 128
            body += field(self.user)
            if self.password:
                flags |= 64
                body += field(self.password)
        head = b"\x00\x04MQTT\x04" + bytes((flags,)) + struct.pack(">H", KEEPALIVE_S)
        await self._send(packet(0x10, head + body))
        await asyncio.wait_for(self._connack(), timeout)

    async def _connack(self):
        while len(self._rx) < 4:
            await self._more()
        first, n, present, code = self._rx[:4]
        if first != 0x20 or n != 2:
            raise MQTTError("CONNACK expected, got %02x %02x" % (first, n))
        if code:
            reasons = {
                1: "protocol version",
                2: "client id",
                3: "unavailable",
                4: "user or password",
                5: "not authorised",
            }
            raise MQTTError("broker refused: %s" % reasons.get(code, code))
        if present:
            raise MQTTError("broker kept a session that was asked to be clean")
        self._rx = self._rx[4:]

    async def _more(self):
        n = await self.stream.readinto(self._buf)
        if not n:
            raise MQTTError("connection closed by the broker")
        self._rx += memoryview(self._buf)[:n]
        self.heard = True

    async def reader(self):
        """Run until the connection ends; then `dead` is set."""
        try:
            while True:
                while self._one():
                    pass
                for pid in self._acks():
                    await self._send(b"\x40\x02" + struct.pack(">H", pid))
                await self._more()
        except Exception as e:  # whatever it is: a connection without a reader is a dead one
            self.fail(str(e) or type(e).__name__)

    _pending = ()

    def _acks(self):
        p = self._pending
        self._pending = ()
        return p

    def _one(self):
        """Handle one complete packet of the buffer; False when more bytes are needed."""
        rx = self._rx
        if self._skip:
            n = min(self._skip, len(rx))
            self._skip -= n
            self._rx = rx[n:]
            return n > 0
        n = shift = 0
        i = 1
        while True:
            if i >= len(rx):
                return False
            b = rx[i]
            n |= (b & 127) << shift
            i += 1
            if b < 128:
                break
            shift += 7
            if shift > 21:
                raise MQTTError("packet length")
        if n > RX_MAX:
            return self._oversized(rx, i, n)
        if len(rx) < i + n:
            return False
        self._packet(rx[0], memoryview(rx)[i : i + n])
        self._rx = rx[i + n :]
        return True

    def _oversized(self, rx, i, n):
        """A PUBLISH too large for the buffer: acknowledge it, report it, read past it."""
        if rx[0] >> 4 != 3:
            raise MQTTError("packet of %d bytes" % n)
        if len(rx) < i + 2:
            return False
        ln = rx[i] << 8 | rx[i + 1]
        if ln > 64:
            raise MQTTError("topic of %d bytes" % ln)
        if len(rx) < i + ln + 4:
            return False
        self._publish(rx[0], memoryview(rx)[i : i + ln + 4], True)
        self._skip = i + n
        return True

    def _packet(self, first, body):
        kind = first >> 4
        if kind == 3:
            self._publish(first, body, False)
        elif kind == 4 and len(body) == 2:
            if self.on_puback:
                self.on_puback(body[0] << 8 | body[1])
        elif kind == 9 and len(body) >= 3:
            w = self._wait.pop(body[0] << 8 | body[1], None)
            if w:
                w[1] = bytes(body[2:])
                w[0].set()
        elif kind != 13:  # PINGRESP
            raise MQTTError("unexpected packet %02x" % first)

    def _publish(self, first, body, oversized):
        ln = body[0] << 8 | body[1] if len(body) >= 2 else len(body)
        at = 2 + ln
        if at > len(body):
            raise MQTTError("malformed PUBLISH")
        topic = bytes(body[2:at])
        qos = first >> 1 & 3
        if qos:
            if at + 2 > len(body):
                raise MQTTError("malformed PUBLISH")
            self._pending = self._pending + (body[at] << 8 | body[at + 1],)
            at += 2
        if self.on_message:
            self.on_message(topic, None if oversized else bytes(body[at:]), first & 1)

    async def subscribe(self, topics, timeout):
        """Subscribe to (topic, qos) pairs and wait for the grant. Raises MQTTError when one is refused."""
        pid = self.next_id()
        entry = self._wait[pid] = [asyncio.Event(), b""]
        body = struct.pack(">H", pid)
        for topic, qos in topics:
            body += field(topic) + bytes((qos,))
        await self._send(packet(0x82, body))
        await asyncio.wait_for(entry[0].wait(), timeout)
        if 128 in entry[1]:
            raise MQTTError("subscription refused")

    def next_id(self):
        """A packet id, 1..65535."""
        self._pid = self._pid % 65535 + 1
        return self._pid

    async def publish(self, topic, payload, qos=0, retain=False, entry=None):
        """Send one message; its packet id (0 for QoS 0) is put into entry[0] before the first byte leaves."""
        pid = self.next_id() if qos else 0
        if entry:
            entry[0] = pid
        body = field(topic)
        if qos:
            body += struct.pack(">H", pid)
        body += payload.encode() if isinstance(payload, str) else payload
        await self._send(packet(0x30 | qos << 1 | (1 if retain else 0), body))
        return pid

    async def _send(self, data):
        async with self._lock:
            await self.stream.write(data, GIVE_UP_S)

    async def keep_alive(self):
        """Ping every second; give up when nothing has come in for 4.5 s."""
        silent = 0.0
        try:
            while not self.dead.is_set():
                self.heard = False
                await self._send(b"\xc0\x00")
                await asyncio.sleep(1)
                silent = 0.0 if self.heard else silent + 1
                if silent > GIVE_UP_S - 1:
                    self.fail("no packet for %d s" % silent)
        except (OSError, asyncio.TimeoutError) as e:
            self.fail(str(e) or "timeout")

    def fail(self, why):
        """Mark the connection as gone."""
        if not self.dead.is_set():
            self.why = why
            self.dead.set()

    def close(self):
        """Close at once, without DISCONNECT: the broker then publishes the will."""
        self.fail("closed")
        if self.stream:
            self.stream.close()

    async def disconnect(self):
        """Orderly end: the will is not published."""
        try:
            await self._send(b"\xe0\x00")
        except (OSError, asyncio.TimeoutError):
            pass
        self.close()
