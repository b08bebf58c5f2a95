"""What the serial line understands: commands for the technician's tool. Loaded only while somebody talks to the node."""

import binascii
import json

from tablefw import hal, wire
from tablefw import wire_codes as W
from tablefw.loading import forget
from tablefw.log import log


async def answer(shell, line):
    """Carry out one line; the answer as a dictionary."""
    cmd_id = None
    try:
        d = json.loads(line)
        cmd_id = d.get("id")
        handler = _COMMANDS.get(d.get("cmd"))
        if handler is None:
            return {"id": cmd_id, "ok": False, "error": "cmd: known are " + " ".join(sorted(_COMMANDS))}
        result = handler(shell, d)
        if hasattr(result, "send"):
            result = await result
        return {"id": cmd_id, "ok": True, "result": result}
    except wire.BadCommand as e:
        return {"id": cmd_id, "ok": False, "error": e.text}
    except OSError as e:
        return {"id": cmd_id, "ok": False, "error": "flash: %s" % e}
    except wire.BAD as e:
        text = str(e)
        if type(e).__name__ not in ("ConfigError", "OtaError"):
            text = "not understood: %s %s" % (type(e).__name__, text)
        return {"id": cmd_id, "ok": False, "error": text}


def _service(shell):
    m = shell.app.modes.mode
    if m != W.MODE_SERVICE and shell.app.config.provisioned:
        raise wire.BadCommand(W.ERR_WRONG_MODE, "service mode first (mode is %d)" % m)


def _info(shell, d):
    r = shell.app.info()
    r["lost_lines"] = log.lost + shell.lost
    return r


def _get(shell, d):
    shown = shell.app.config.shown()
    key = d.get("key")
    return shown if key is None else shown.get(key)


def _set(shell, d):
    shell.app.config.set(d["key"], d["value"], bool(d.get("part")))


def _commit(shell, d):
    _service(shell)
    shell.app.config.commit()
    forget("schema")
    return {"cfg": shell.app.config.hash()}


def _mode(shell, d):
    app = shell.app
    wanted = d["mode"]
    if wanted not in (W.MODE_IDLE, W.MODE_SERVICE):
        raise wire.BadCommand(W.ERR_BAD_ARG, "mode: 1 (idle) or 4 (service)")
    if app.modes.mode not in (wanted, W.MODE_IDLE, W.MODE_SERVICE) or not app.modes.set(wanted):
        raise wire.BadCommand(W.ERR_WRONG_MODE, "refused in mode %d" % app.modes.mode)
    return {"mode": app.modes.mode}


def _fitted(shell):
    app = shell.app
    if app.sensors is None:
        raise wire.BadCommand(W.ERR_WRONG_MODE, "not provisioned: no sensors are set up")
    if app.modes.mode not in (W.MODE_IDLE, W.MODE_SERVICE):
        raise wire.BadCommand(W.ERR_WRONG_MODE, "refused in mode %d" % app.modes.mode)
    return app


def _selftest(shell, d):
    return _fitted(shell).selftest()


def _calibrate(shell, d):
    from tablefw import selftest

    app = _fitted(shell)
    step = d.get("step")
    if step == "scan":
        n = d.get("n", 20)
        if type(n) is not int or not 1 <= n <= 500:
            raise wire.BadCommand(W.ERR_BAD_ARG, "n: 1..500")
        return selftest.scan(app, n)
    if step == "noise":
        s = d.get("s", 10)
        if type(s) is not int or not 1 <= s <= 60:
            raise wire.BadCommand(W.ERR_BAD_ARG, "s: 1..60")
        return selftest.noise(app, s)
    raise wire.BadCommand(W.ERR_BAD_ARG, "step: scan or noise")


def _log(shell, d):
    return log.tail(d.get("n", 20))


def ota_step(app, d, update, serial):
    """One operation of an update, by serial line or MQTT; returns (update in progress, result)."""
    from tablefw import ota

    op = d.get("op")
    if app.modes.mode != W.MODE_SERVICE:
        raise ota.OtaError("service mode first (mode is %d)" % app.modes.mode)
    if op == "begin":
        key = app.config.get("key", "")
        update = ota.Update(hal.nv, binascii.unhexlify(key) if key else b"", hal.BOARD, app.version)
        update.begin(d.get("mac"), bool(d.get("force")) and serial)
        return update, {"slot": update.slot}
    if update is None:
        raise ota.OtaError("begin first")
    if op == "put":
        return update, {"size": update.put(d["f"], d["o"], binascii.a2b_base64(d["d"]))}
    if op == "check":
        return update, {"files": update.check()}
    if op == "end":
        update.finish()
        forget("ota")
        return None, {"pending": update.slot}
    raise ota.OtaError("op: begin put check end")


def _ota(shell, d):
    shell.update, result = ota_step(shell.app, d, shell.update, True)
    return result


async def _reset(shell, d):
    app = shell.app
    if app.modes.mode not in (W.MODE_IDLE, W.MODE_SERVICE, W.MODE_BOOT):
        raise wire.BadCommand(W.ERR_WRONG_MODE, "refused in mode %d" % app.modes.mode)
    app.reset_soon()


_COMMANDS = {
    "info": _info,
    "get": _get,
    "set": _set,
    "commit": _commit,
    "selftest": _selftest,
    "calibrate": _calibrate,
    "mode": _mode,
    "log": _log,
    "ota": _ota,
    "reset": _reset,
}
