"""The node's life on MQTT: connect, subscribe, birth, clock, records, commands; again and again, for ever.

Clean session plus own outbox: subscriptions are made anew each time, everything unacknowledged goes again with the same numbers.
A birth is a snapshot and never scores.
"""

import asyncio
import json
import random
import time

from tablefw import wire
from tablefw import wire_codes as W
from tablefw.commands import Commands
from tablefw.log import log

TIMEOUT_S = 5
PUBACK_MS = 3000
WINDOW = 8
BATCH_MS = 5
BACKOFF_S = (0.1, 2.0)
CLOCK_BURST = 8
CLOCK_BURST_S = 0.1
CLOCK_S = 2
HEALTH_S = 5
DASHES_S = 5
CYCLE_WIFI_AFTER = 3


class Session:
    """Owner of the connection. `app` gives identity, outbox, clock, sensors and modes."""

    def __init__(self, app):
        self.app = app
        self.commands = Commands(app)
        self.client = None
        self.up = False
        self.hub = False  # it has answered on this connection
        self.reconnects = 0
        self.failures = 0
        self.wake = asyncio.Event()  # something to send, or an acknowledgement came
        self.inflight = []  # [packet id, records below, acknowledged, when sent]
        self.t_down = time.ticks_ms()
        self._todo = asyncio.Event()
        self._health = asyncio.Event()
        self._acks = []
        self._clk_n = 0
        self._topics = {}
        for name in ("EV", "STATE", "HEALTH", "CLK_REQ", "CLK_REP", "CMD", "CMD_ACK", "DISPLAY"):
            self._topics[name] = wire.topic(app.config.get("table"), getattr(W, "TOPIC_" + name))

    def poke(self):
        """Records wait: called at every push."""
        self.wake.set()

    def dark_ms(self):
        """How long the session has been down."""
        return 0 if self.up else time.ticks_diff(time.ticks_ms(), self.t_down)

    def health_changed(self):
        """Publish `health` soon."""
        self._health.set()

    async def run(self):
        """Keep a connection up."""
        delay = BACKOFF_S[0]
        while True:
            t = time.ticks_ms()
            try:
                await self._connect()
                self.failures = 0
                await self._serve()
            except Exception as e:  # whatever it is, the next try may succeed; the node goes on recording
                log("link: %s" % (str(e) or "timeout"))
            self._down()
            if time.ticks_diff(time.ticks_ms(), t) > 10000:
                delay = BACKOFF_S[0]
            await asyncio.sleep(delay * (0.5 + random.getrandbits(10) / 1024))
            delay = min(delay * 2, BACKOFF_S[1])

    async def _connect(self):
        app = self.app
        cfg = app.config
        if cfg.get("host") == "usb":
            from tablefw import wired

            c = wired.Client(app.shell, wire.topic(cfg.get("table"), ("",)))
        else:
            from tablefw import mqtt

            await app.link.ready(self.failures >= CYCLE_WIFI_AFTER)
            c = mqtt.Client(
                "marker-" + cfg.get("table"),
                cfg.get("host"),
                cfg.get("port"),
                cfg.get("user", ""),
                cfg.get("password", ""),
                (self._topics["STATE"], wire.will(app.boot), 1, True),
                app.tls(),
            )
        self.failures += 1
        app.collect()
        c.on_message = self._message
        c.on_puback = self._puback
        self.client = c
        self.inflight = []
        await c.open(TIMEOUT_S)

    async def _serve(self):
        app = self.app
        c = self.client
        tasks = [asyncio.create_task(c.reader()), asyncio.create_task(c.keep_alive())]
        try:
            t = self._topics
            await c.subscribe([(t["CMD"], 1), (t["CLK_REP"], 0), (t["DISPLAY"], 1)], TIMEOUT_S)
            app.outbox.rewind()
            app.offset.lost()
            self.hub = False
            await self._send("STATE", json.dumps(app.birth()))
            await self.settled(TIMEOUT_S)
            self.up = True
            self.reconnects += 1
            app.linked(True)
            self._health.set()
            for job in (self._clock, self._answer, self._healths, self._kept):
                tasks.append(asyncio.create_task(self._guard(c, job)))
            await self._pump()
        finally:
            for task in tasks:
                task.cancel()

    async def _guard(self, c, job):
        try:
            await job()
        except Exception as e:  # a session without one of its jobs is no session
            c.fail(str(e) or type(e).__name__)

    def _down(self):
        if self.client:
            if self.client.why:
                log("link lost: %s" % self.client.why)
            self.client.close()
            self.client = None
        if self.up:
            self.up = False
            self.t_down = time.ticks_ms()
            self.app.linked(False)

    async def _send(self, name, payload, upto=-1):
        """Publish on one of the node's topics; QoS 1 messages join the window."""
        _, qos, retain = getattr(W, "TOPIC_" + name)
        entry = None
        if qos:  # in the window before it is sent: its acknowledgement may come while the write waits
            entry = [0, upto, False, time.ticks_ms()]
            self.inflight.append(entry)
        await self.client.publish(self._topics[name], payload, qos, retain, entry)

    def _puback(self, pid):
        flight = self.inflight
        for entry in flight:
            if entry[0] == pid:
                entry[2] = True
                break
        outbox = self.app.outbox
        while flight and flight[0][2]:
            upto = flight.pop(0)[1]
            if upto >= 0:
                outbox.ack(upto)
        self.app.source.acked(outbox)
        self.wake.set()

    async def settled(self, seconds):
        """Until everything sent is acknowledged."""
        end = time.ticks_add(time.ticks_ms(), seconds * 1000)
        while self.inflight:
            await self._wait(end)

    async def _wait(self, end):
        """Until something happens or `end`; raises when the connection is gone or an acknowledgement is overdue."""
        c = self.client
        left = time.ticks_diff(end, time.ticks_ms())
        if c.dead.is_set():
            raise OSError(c.why)
        if self.inflight and time.ticks_diff(time.ticks_ms(), self.inflight[0][3]) > PUBACK_MS:
            raise OSError("no acknowledgement for %d ms" % PUBACK_MS)
        self.wake.clear()
        try:
            await asyncio.wait_for(self.wake.wait(), max(0.001, min(left, 250) / 1000))
        except asyncio.TimeoutError:
            pass

    async def _pump(self):
        """Send records: at once when nothing is in flight, else in batches of 16 or after 5 ms."""
        o = self.app.outbox
        since = None
        while True:
            n = o.unsent()
            now = time.ticks_ms()
            if n and since is None:
                since = now
            if n and len(self.inflight) < WINDOW:
                age = time.ticks_diff(now, since)
                if n >= W.RECORDS_MAX or not self.inflight or age >= BATCH_MS:
                    first, count = o.take(W.RECORDS_MAX)
                    since = None
                    await self._send("EV", wire.batch(self.app.boot, o, first, count), first + count)
                    continue
                await self._wait(time.ticks_add(now, BATCH_MS - age))
                continue
            if o.unreported and o.head - o.tail < o.capacity:
                self.app.loss(o.take_unreported(), W.LOSS_OUTBOX)
                continue
            await self._wait(time.ticks_add(now, 1000))

    async def resend(self, source, boot, first, count, flags):
        """A batch out of its turn, of the outbox or of what was kept over a reset; waits for room in the window."""
        end = time.ticks_add(time.ticks_ms(), PUBACK_MS)
        while len(self.inflight) >= WINDOW:
            await self._wait(end)
        await self._send("EV", wire.batch(boot, source, first, count, flags))

    def _message(self, topic, payload, retained):
        topic = topic.decode()
        t = self._topics
        if topic == t["CMD"]:
            answer = self.commands.receive(payload, retained)
            if answer and len(self._acks) < 16:
                self._acks.append(answer)
            self._todo.set()
        elif topic == t["CLK_REP"]:
            r = wire.clk_rep(payload) if payload else None
            if r and r[0] == self._clk_n:
                self.hub = True
                self.app.offset.feed(r[1], r[2], r[3], self.app.now())
        elif topic == t["DISPLAY"]:
            shown = wire.display(payload) if payload else ("", False)
            if shown:
                self.app.show(shown[0], shown[1])

    async def _answer(self):
        """Carry out commands one after the other and acknowledge each."""
        while True:
            if self._acks:
                await self._send("CMD_ACK", self._acks.pop(0))
            elif self.commands.queue:
                await self._send("CMD_ACK", await self.commands.step())
            else:
                self._todo.clear()
                await self._todo.wait()

    async def _clock(self):
        burst = CLOCK_BURST
        while True:
            self._clk_n += 1
            await self._send("CLK_REQ", wire.clk_req(self._clk_n, self.app.now()))
            burst -= 1
            await asyncio.sleep(CLOCK_BURST_S if burst > 0 else CLOCK_S)

    async def _healths(self):
        while True:
            self._health.clear()
            await self._send("HEALTH", json.dumps(self.app.health_report()))
            await asyncio.sleep(0.2)
            try:
                await asyncio.wait_for(self._health.wait(), HEALTH_S)
            except asyncio.TimeoutError:
                pass

    async def _kept(self):
        """Records of an earlier start, once the hub has answered: a broker alone forgets them."""
        while self.app.kept:
            await asyncio.sleep(1)
            if self.hub:
                await self.app.deliver_kept()

    async def farewell(self):
        """Before an orderly reset: say offline, and leave without the broker waiting for the keepalive."""
        if self.up:
            try:
                await self._send("STATE", wire.will(self.app.boot))
                await self.settled(1)
                await self.client.disconnect()
            except (OSError, asyncio.TimeoutError):
                pass
