"""Commands of the hub: checked, carried out once per id, answered by one acknowledgement. Pure but for what the handlers call."""

from tablefw import defaults as D
from tablefw import wire
from tablefw import wire_codes as W

REMEMBER = 32
WAITING = 8


class Commands:
    """`app` gives what commands act on; results go out through `session.answer(payload)`."""

    def __init__(self, app):
        self.app = app
        self.queue = []
        self.done = []  # acknowledgements as they were given, newest last: a repeated one tells no later position
        self.bad = 0

    def receive(self, payload, retained):
        """Take a message from `cmd`; returns the ack payload when it can be answered at once, else None."""
        try:
            d = wire.command(payload)
            if retained:
                raise wire.BadCommand(W.ERR_RETAINED, "a retained command is never executed", d["id"])
        except wire.BadCommand as e:
            self.bad += 1
            return self._ack(e.cmd_id, e.code, {"msg": e.text})
        for cmd_id, said in self.done:
            if cmd_id == d["id"]:
                return said
        for waiting in self.queue:
            if waiting["id"] == d["id"]:
                return None
        if len(self.queue) >= WAITING:
            return self._ack(d["id"], W.ERR_BUSY, {"msg": "%d commands wait" % WAITING})
        self.queue.append(d)
        return None

    async def step(self):
        """Carry out the oldest waiting command; returns its ack payload."""
        d = self.queue[0]
        code, extra = W.ERR_OK, None
        try:
            handler = _HANDLERS.get(d["cmd"])
            if handler is None:
                raise wire.BadCommand(W.ERR_UNKNOWN_CMD, "cmd: '%s' is not known" % d["cmd"][:20])
            extra = handler(self.app, d)
            if hasattr(extra, "send"):  # a coroutine: the command takes time
                extra = await extra
            if extra and "code" in extra:
                code = extra.pop("code")
        except wire.BadCommand as e:
            self.bad += 1
            code, extra = e.code, {"msg": e.text}
        self.queue.pop(0)
        said = self._ack(d["id"], code, extra)
        self.done.append((d["id"], said))
        del self.done[:-REMEMBER]
        return said

    def _ack(self, cmd_id, code, extra):
        return wire.ack(cmd_id, code, self.app.boot, self.app.outbox.head, extra)


def _wrong_mode(app, what):
    return wire.BadCommand(W.ERR_WRONG_MODE, "%s is refused in mode %d" % (what, app.modes.mode))


def arm(app, d):
    """A new shot: layout gives the pins that stand; clears the latches."""
    shot = wire.arg_int(d, "shot", 0, 1 << 30)
    layout = wire.arg_layout(d, app.sensors.letters())
    app.sensors_now()
    if not app.modes.arm(shot):
        raise _wrong_mode(app, "arm")
    app.sensors.arm(layout)


def mode(app, d):
    """Idle, armed again after settling, settling, service."""
    wanted = wire.arg_int(d, "mode", W.MODE_IDLE, W.MODE_SERVICE)
    if not app.modes.set(wanted):
        raise _wrong_mode(app, "mode %d" % wanted)


async def replay(app, d):
    """Send records again, flagged; what is no longer kept is named."""
    first = wire.arg_int(d, "from", 0, 1 << 32)
    last = wire.arg_int(d, "to", first, 1 << 32)
    boot = wire.arg_int(d, "boot", 0, 1 << 32)
    o = app.outbox
    if boot != app.boot:
        return {"code": W.ERR_GAP, "gap": {"from": first, "to": last}}
    lowest = max(first, o.floor)
    highest = min(last, o.head - 1)
    gone = None
    if lowest > first:
        gone = {"from": first, "to": min(last, lowest - 1)}
    elif highest < last:
        gone = {"from": highest + 1, "to": last}
    while lowest <= highest:
        n = min(W.RECORDS_MAX, highest - lowest + 1)
        if lowest < o.floor:  # overwritten meanwhile
            gone = {"from": first, "to": min(last, o.floor - 1)}
            lowest = o.floor
            continue
        await app.session.resend(o, boot, lowest, n, W.FLAG_REPLAY)
        lowest += n
    if gone:
        return {"code": W.ERR_GAP, "gap": gone}
    return None


def info(app, d):
    """Firmware, identity, configuration and counters."""
    return {"result": app.info()}


async def test(app, d):
    """Self-test; refused while a shot runs."""
    if app.modes.mode not in (W.MODE_IDLE, W.MODE_SERVICE):
        raise _wrong_mode(app, "selftest")
    return {"result": await app.selftest()}


def vth(app, d):
    """Set and keep the piezo threshold; flash is written in service mode only."""
    mv = wire.arg_int(d, "mv", D.PIEZO_VTH_FLOOR_MV, D.PIEZO_VTH_MAX_MV)
    if app.modes.mode != W.MODE_SERVICE:
        raise _wrong_mode(app, "vth")
    app.set_vth(mv)


def ota(app, d):
    """One operation of an update."""
    from tablefw.toolbox import ota_step

    try:
        app.update, result = ota_step(app, d, app.update, False)
    except (ValueError, KeyError, TypeError) as e:
        raise wire.BadCommand(W.ERR_BAD_ARG, "ota: %s" % e)
    return {"result": result}


def reset(app, d):
    """Start anew; refused while a shot runs."""
    if app.modes.mode not in (W.MODE_IDLE, W.MODE_SERVICE):
        raise _wrong_mode(app, "reset")
    app.reset_soon()


_HANDLERS = {
    "arm": arm,
    "mode": mode,
    "replay": replay,
    "info": info,
    "selftest": test,
    "ota": ota,
    "reset": reset,
    "vth": vth,
}
