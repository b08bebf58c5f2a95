"""What travels: topics, payloads, parsing of what comes in. Codes are generated in wire_codes.py. Pure.

Both sides pass tests/wire/vectors.json.
"""

import json

from tablefw import wire_codes as W

TABLE_MAX = 16
ID_MAX = 40
DISPLAY_MAX = 8
# What a hostile payload can raise while it is read; nested too deep is a RuntimeError or no memory
BAD = (ValueError, KeyError, TypeError, IndexError, AttributeError, RuntimeError, MemoryError)


class BadCommand(Exception):
    """A command that is not carried out: code of wire.toml, text for the hub's log, id when it could be read."""

    def __init__(self, code, text, cmd_id=""):
        super().__init__(text)
        self.code = code
        self.text = text
        self.cmd_id = cmd_id


def table_ok(table):
    """Whether a table id may stand in a topic: 1 to 16 of a-z, 0-9, _ and -."""
    if not isinstance(table, str) or not 1 <= len(table) <= TABLE_MAX:
        return False
    for c in table:
        if not ("a" <= c <= "z" or "0" <= c <= "9" or c in "_-"):
            return False
    return True


def topic(table, entry):
    """Full topic of one of the TOPIC_* entries."""
    return "%s/%s/%s" % (W.PREFIX, table, entry[0])


def batch(boot, outbox, first, count, flags=0):
    """Payload of `ev`: `count` records from number `first`; flags are added to each aux."""
    parts = []
    for seq in range(first, first + count):
        t, ch, kind, v, aux = outbox.get(seq)
        parts.append("[%d,%d,%d,%d,%d]" % (t, ch, kind, v, aux | flags))
    return '{"b":%d,"s":%d,"e":[%s]}' % (boot, first, ",".join(parts))


def will(boot):
    """Last will, and the farewell before an orderly reset."""
    return '{"online":false,"boot":%d,"v":1}' % boot


def clk_req(n, t0):
    """Clock request."""
    return '{"n":%d,"t0":%d}' % (n, t0)


def clk_rep(payload):
    """(n, t0, t1, t2) of a clock reply, or None when it is not one."""
    try:
        d = json.loads(payload)
        r = (d["n"], d["t0"], d["t1"], d["t2"])
    except BAD:
        return None
    for x in r:
        if type(x) is not int or x < 0:
            return None
    return r


def ack(cmd_id, code, boot, head, extra=None):
    """Payload of `cmd/ack`."""
    d = {"id": cmd_id, "ok": code == W.ERR_OK, "code": code, "boot": boot, "head": head}
    if extra:
        d.update(extra)
    return json.dumps(d)


def command(payload):
    """A command as a dictionary with `id` and `cmd` checked, or BadCommand. Arguments: see `arg_*`."""
    if payload is None:
        raise BadCommand(W.ERR_BAD_ARG, "command: too long")
    try:
        d = json.loads(payload)
    except BAD:
        raise BadCommand(W.ERR_BAD_ARG, "command: not JSON")
    if not isinstance(d, dict):
        raise BadCommand(W.ERR_BAD_ARG, "command: not an object")
    cmd_id = d.get("id")
    if not isinstance(cmd_id, str) or not 1 <= len(cmd_id) <= ID_MAX:
        raise BadCommand(W.ERR_BAD_ARG, "id: 1 to %d characters" % ID_MAX)
    if not isinstance(d.get("cmd"), str):
        raise BadCommand(W.ERR_BAD_ARG, "cmd: missing", cmd_id)
    return d


def arg_int(d, key, low, high):
    """Whole number argument within low..high, or BadCommand naming it."""
    x = d.get(key)
    if type(x) is not int or not low <= x <= high:
        raise BadCommand(W.ERR_BAD_ARG, "%s: whole number %d..%d" % (key, low, high), d.get("id", ""))
    return x


def arg_layout(d, pins):
    """Standing pins as a set of letters, or BadCommand. Tables without pins take an empty list."""
    x = d.get("layout")
    if not isinstance(x, list):
        raise BadCommand(W.ERR_BAD_ARG, "layout: a list of pins", d.get("id", ""))
    for p in x:
        if p not in pins:
            raise BadCommand(W.ERR_BAD_ARG, "layout: %s is no pin of this table" % (p,), d.get("id", ""))
    return set(x)


def display(payload):
    """(text, blink) to be shown from a `display` payload; None when it is not one."""
    try:
        d = json.loads(payload)
        text = d.get("text") or ""
        if not text:
            text = "%4s%4s" % (d["a"], d["b"])
        if not isinstance(text, str) or len(text) > DISPLAY_MAX:
            return None
        return text, bool(d.get("blink"))
    except BAD:
        return None
