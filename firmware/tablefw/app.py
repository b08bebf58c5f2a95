"""The application: wires sensors, outbox, session, shell and watchdog together and keeps every task alive."""

import asyncio
import gc

from tablefw import VERSION, hal
from tablefw import board_pins as B
from tablefw import defaults as D
from tablefw import items as I
from tablefw import wire_codes as W
from tablefw.clock import Extender, Offset
from tablefw.config import Config, next_boot
from tablefw.edges import Ring
from tablefw.loading import forget
from tablefw.log import log
from tablefw.memory import OUTBOX, loading
from tablefw.modes import Modes
from tablefw.outbox import Outbox
from tablefw.sensors import Sensors
from tablefw.session import Session
from tablefw.shell import Shell
from tablefw.supervisor import Supervisor

DASHES_S = 5
DELIVER_S = 10
CONFIRM_S = 60
GIVE_UP_MS = 600000  # the radio may be beyond what switching it off and on repairs
QUIET_US = 60000000  # without any edge, before records are saved to flash, which stops the interrupts
SELFTEST_EVERY_S = D.SELFTEST_EVERY_MS // 1000
UNC_US = {
    "pin": D.UNC_US_PIN,
    "rail": D.UNC_US_RAIL,
    "click": D.UNC_US_CLICK,
    "gate": D.UNC_US_GATE,
    "button": D.UNC_US_BUTTON,
}


class App:
    """One node. Made once per start; `run` never returns."""

    def __init__(self):
        hal.nv.unlocked = True
        self.config = Config(hal.nv)
        self.boot = next_boot(hal.nv)
        hal.output("BOOT", self.boot & 0xFFFF)
        self.uid = hal.uid()
        self.outbox = Outbox(buf=OUTBOX)
        self.ring = Ring()
        self.modes = Modes()
        self.modes.on_change = self._mode_changed
        self.offset = Offset()
        self.overflow = 0
        self.rearms = 0
        self.v5 = 0
        self.brownout = False
        self.text = ("", False)
        self.supervisor = Supervisor(self.restart)
        self.version = VERSION
        self.confirmed = False
        self.update = None
        self._drop_kept = False
        self.t_edge = None  # device time of the newest edge, or of the first input
        self.kept = hal.nv.size("kept") > 0  # records of an earlier start wait to be delivered
        self.shell = Shell(self)
        self.sensors = self.session = self.link = self.source = None
        self.ext = Extender(hal.ticks_us())
        self._t0 = self.ext.now
        log.clock = self.now
        if self.config.provisioned:
            self._fit()
        hal.nv.unlocked = not self.config.provisioned

    def _fit(self):
        profile = self.config.get("profile")
        self.sensors = Sensors(profile, self.emit, self.config.get("cal"))
        if self.config.get("host") != "usb":
            from tablefw.link import Link

            self.link = Link(self.config)
        self.session = Session(self)
        self.outbox.on_push = self.session.poke
        self.source = hal.edge_source(B.PROFILES[profile], self.ring)
        hal.output("IR_EN", 1000)
        hal.output("PZ_VTH", self.sensors.piezo.vth)
        self.ext = Extender(hal.ticks_us())
        self._t0 = self.ext.now

    def now(self):
        """Device time in us."""
        return self.ext.extend(hal.ticks_us())

    def emit(self, t, ch, kind, v, aux):
        """A record of the state machines."""
        self.outbox.push(t, ch, kind, v, aux)
        if kind == W.KIND_QUALITY:
            self.session.health_changed()

    def loss(self, n, cause):
        """Edges or records are missing: say so in the stream."""
        self.outbox.push(self.now(), W.CH_NODE, W.KIND_LOSS, min(n, 65535), cause)

    def _mode_changed(self, mode, shot):
        hal.nv.unlocked = mode == W.MODE_SERVICE
        hal.nv.idle = mode in (W.MODE_IDLE, W.MODE_SERVICE)
        self.outbox.push(self.now(), W.CH_NODE, W.KIND_MODE, mode, shot & 0xFFFF)
        if mode == W.MODE_IDLE and self.sensors:
            self.sensors.disarm()
        if mode != W.MODE_SETTLING:
            self.collect()
        hal.output("MODE", (mode, shot & 0xFFFF))

    def collect(self):
        """Collect garbage now, where a pause does not hurt, so that none falls into a shot."""
        gc.collect()

    def set_vth(self, mv):
        """Comparator threshold in mV, from now on and kept in flash (service mode only)."""
        config = self.config
        config.save(dict(config.data, cal=dict(config.get("cal") or {}, vth=mv)))
        self.sensors.piezo.vth = mv
        hal.output("PZ_VTH", mv)

    def sensors_now(self):
        """Let time-outs that are due happen, before the latches are cleared."""
        self.sensors.tick(self.ext.now)

    def tls(self):
        """None, or the CA for a TLS connection."""
        how = self.config.get("tls", 0)
        if not how:
            return None
        if how == 1:
            return b""
        import binascii

        return binascii.a2b_base64(self.config.get("ca", ""))

    def linked(self, up):
        """The session came up or went down."""
        hal.output("LINK", (1 if up else 0, self.boot & 0xFFFF))

    def show(self, text, blink):
        """Remember and draw what the local display shows."""
        self.text = (text, blink)
        hal.segments(text, blink)

    def birth(self):
        """Snapshot for the retained `state`."""
        o = self.outbox
        return {
            "v": 1,
            "online": True,
            "fw": VERSION,
            "board": hal.BOARD,
            "boot": self.boot,
            "uid": self.uid,
            "reset": hal.reset_cause(),
            "cfg": self.config.hash(),
            "profile": self.config.get("profile"),
            "mode": self.modes.mode,
            "shot": self.modes.shot,
            "floor": o.floor,
            "tail": o.tail,
            "head": o.head,
            "t": self.now(),
            "channels": self.sensors.health.by_name(),
            "pins": self.sensors.snapshot(),
            "unc_us": UNC_US,
        }

    def health_report(self):
        """Payload of `health`."""
        counts = self.sensors.piezo.counts
        return {
            "v": 1,
            "boot": self.boot,
            "t": self.now(),
            "head": self.outbox.head,
            "mode": self.modes.mode,
            "up": (self.ext.now - self._t0) // 1000000,
            "channels": self.sensors.health.by_name(),
            "clk": self.offset.best,
            "clk_ok": self.offset.ok,
            "link": hal.wifi.rssi(),
            "reconnects": self.session.reconnects,
            "overflow": self.overflow,
            "rearms": self.rearms,
            "dropped": self.outbox.dropped,
            "heap": _heap(),
            "v5": self.v5,
            "brownout": self.brownout,
            "echo": counts["echo"],
            "xtalk": counts["xtalk"],
            "merged": counts["merged"],
            "bad_cmds": self.session.commands.bad,
            "vth": self.sensors.piezo.vth,
            "noise": self.sensors.floors(),
        }

    def info(self):
        """Answer to `info`, by MQTT and on the serial line."""
        if self.modes.mode not in (W.MODE_ARMED, W.MODE_SETTLING):
            self.collect()  # so that the heap figure means something
        return {
            "fw": VERSION,
            "board": hal.BOARD,
            "uid": self.uid,
            "boot": self.boot,
            "mode": self.modes.mode,
            "provisioned": self.config.provisioned,
            "table": self.config.get("table"),
            "profile": self.config.get("profile"),
            "cfg": self.config.hash(),
            "link": bool(self.session and self.session.up),
            "head": self.outbox.head,
            "heap": _heap(),
            "reset": hal.reset_cause(),
        }

    async def drain(self):
        """Inputs to state machines to records."""
        src = self.source
        item = [0, 0, 0, 0, 0]
        while True:
            await src.wait()
            self.supervisor.alive("drain")
            n = 0
            while src.take(item):
                self._input(item)
                n += 1
                if n & 63 == 0:
                    await asyncio.sleep(0)  # a flood of inputs must not starve the link
            lost = self.ring.lost()
            if lost:
                self.overflow += lost
                self.loss(lost, W.LOSS_RING)

    def _input(self, item):
        kind = item[0]
        s = self.sensors
        t = self.ext.extend(item[1])
        due = s.due()
        if due is not None and due < t:
            s.tick(t)
        if kind in (I.EDGE, I.WORD) or self.t_edge is None:
            self.t_edge = t
        if kind == I.EDGE:
            s.edge(t, item[2], item[3], bool(item[4]))
        elif kind == I.READING:
            s.reading(t, item[2], item[3])
        elif kind == I.WORD:
            s.shift_word(t, item[2], bool(item[3]))
        elif kind == I.FIELD:
            s.field(t, item[2], self.source.vectors)
        elif kind == I.HOLD:
            s.hold(t, item[2], bool(item[3]))
            t = self.ext.extend((item[1] + 10000 * max(0, item[2] - 1)) & 0x3FFFFFFF)
        s.tick(t)
        if kind == I.BARRIER:
            self.source.barrier(item[1], item[2], item[3], self.outbox)
            return
        if self.source.readings:
            self._read_adc(t)
        if kind == I.TIME:  # the last item of a round: no edge waits for its reading
            s.piezo.listen(t, hal.adc)

    def _read_adc(self, t):
        for p in self.sensors.piezo.all:
            if p.hit is not None and p.wants_reading(t):
                mv = hal.adc(p.ch - W.CH_PIEZO_FIRST)
                self.sensors.reading(self.now(), p.ch, mv)

    async def selftest(self):
        """Test sensors and supply; see selftest.py."""
        from tablefw import selftest

        try:
            return await selftest.run(self)
        finally:
            selftest = None
            forget("selftest")

    def reset_soon(self):
        """Say goodbye and reset, after the answer has gone out."""
        self._leaving = asyncio.create_task(self._leave())

    async def _leave(self):
        await asyncio.sleep(0.3)
        if self.session:
            await self.session.farewell()
        self.restart()

    def restart(self, only_if_kept=False):
        """Reset, once what the broker does not have is in flash; `only_if_kept` = rather stay than lose it."""
        if self._save() or not only_if_kept:
            hal.reset()

    def _save(self):
        """Whether nothing is lost by a reset now: unacknowledged records are in flash, or there are none worth it."""
        from tablefw import keep

        kept = not keep.worth(self.outbox)
        if not kept:
            hal.nv.unlocked = True  # whatever the mode: nothing is watched from here on
            try:
                if self._drop_kept:
                    hal.nv.remove("kept")
                kept = keep.save(hal.nv, self.outbox, self.boot, 1 if self.session.reconnects else 0)
            except OSError as e:
                log("kept records: %s" % e)
            hal.nv.unlocked = self.modes.mode == W.MODE_SERVICE
        keep = None
        forget("keep")
        return kept

    async def deliver_kept(self):
        """Send the records of an earlier start that were saved to flash; what can only be counted becomes a loss record."""
        from tablefw import keep

        lost = await keep.deliver(self.session, hal.nv)
        await self.session.settled(DELIVER_S)
        keep = None
        forget("keep")
        while lost:
            n = min(lost, 65535)
            self.loss(n, W.LOSS_OUTBOX)
            lost -= n
        self.kept = False
        self._drop_kept = True

    async def house(self):
        """Once a second: supply, clock, display, confirmation of an update, hourly self-test."""
        dark = 0
        ticks = healthy = 0
        while True:
            self.supervisor.alive("house")
            self.now()
            self.v5 = 2 * hal.adc(8)
            self.brownout = self.v5 < D.POWER_BROWNOUT_MV
            await self._rearm()
            if self.session.up:
                if dark >= DASHES_S:
                    hal.segments(self.text[0], self.text[1])
                dark = 0
            else:
                dark += 1
                if dark == DASHES_S:
                    hal.segments("--------", False)  # no old score may stand
            healthy = healthy + 1 if self.session.up and self.supervisor.healthy() and not self.rearms else 0
            idle = self.modes.mode == W.MODE_IDLE
            if healthy >= CONFIRM_S and idle and not self.confirmed:
                self._confirm()
            if idle and self._drop_kept:
                self._drop_kept = False
                hal.nv.remove("kept")
            quiet = self.t_edge is not None and self.ext.now - self.t_edge > QUIET_US
            if quiet and self.modes.mode != W.MODE_SERVICE and self.session.dark_ms() > GIVE_UP_MS:
                log("no link for ten minutes: reset")
                await asyncio.sleep(0.3)
                self.restart(True)
            ticks = ticks + 1 if idle else 0
            if ticks and ticks % SELFTEST_EVERY_S == 0:
                await self.selftest()
            await asyncio.sleep(1)

    def _confirm(self):
        """The running firmware has proved itself."""
        from tablefw import slots

        self.confirmed = True
        if slots.confirm(hal.nv):
            log("firmware %s confirmed" % VERSION)
        slots = None
        forget("slots")

    async def _rearm(self):
        n = self.source.rearm()
        if self.source.stale:
            await asyncio.sleep(0.06)
            n += self.source.rearm()
        if n:
            self.rearms += n
            self.loss(n, W.LOSS_REARM)

    async def run(self):
        """Start every task and watch over them."""
        loading(False)
        sup = self.supervisor
        sup.add("shell", self.shell.run, 60)
        if self.session:
            sup.add("drain", self.drain, 0)
            sup.add("session", self.session.run, 0)
            sup.add("house", self.house, 10)
            self.modes.set(W.MODE_IDLE)
        log("table node %s, boot %d, %s" % (VERSION, self.boot, self.config.get("table") or "not provisioned"))
        try:
            await sup.run()
        except Exception:
            self._save()
            raise


def _heap():
    free = getattr(gc, "mem_free", None)
    return free() if free else 0


def main():
    """Entry point of main.py."""
    asyncio.run(App().run())
