"""Configuration of the node: schema, checks, and storage that a power cut cannot damage. Pure but for the store it is given.

File form: one header line `marker-config <schema> <serial> <crc32>`, then the data as JSON. Three names: config.json (current),
config.bak (the one before), config.new (being written). The newest valid one counts.
"""

import binascii
import json

from tablefw import board_pins as B
from tablefw import wire

SCHEMA = 1
FILES = ("config.json", "config.bak", "config.new")
SECRET = ("psk", "password", "key")
_LETTERS = ("C", "N", "E", "S", "W")


class ConfigError(ValueError):
    """A value that is refused; the text names the key, what is wrong and what is allowed."""


def _text(low, high):
    def check(v):
        return isinstance(v, str) and low <= len(v) <= high

    return check, "text of %d to %d characters" % (low, high)


def _number(low, high):
    def check(v):
        return type(v) is int and low <= v <= high

    return check, "whole number %d..%d" % (low, high)


def _hexkey(v):
    if not isinstance(v, str) or len(v) != 64:
        return False
    try:
        binascii.unhexlify(v)
    except ValueError:
        return False
    return True


def _vector(v):
    return isinstance(v, list) and len(v) == 3 and all(type(x) is int and -32767 <= x <= 32767 for x in v)


def _seat(v):
    return (
        isinstance(v, dict) and set(v) == {"b0", "empty"} and _vector(v["b0"]) and _vector(v["empty"]) and any(v["b0"])
    )


def _curve(v):
    if not isinstance(v, list) or not 2 <= len(v) <= 32:
        return False
    for p in v:
        if not isinstance(p, list) or len(p) != 3 or any(type(x) is not int or abs(x) > 16000 for x in p):
            return False
    return all(v[i][0] < v[i + 1][0] for i in range(len(v) - 1))


_CAL = {
    "date": lambda v: isinstance(v, str) and len(v) <= 20,
    "technician": lambda v: isinstance(v, str) and len(v) <= 40,
    "report": lambda v: isinstance(v, str) and len(v) <= 40,
    "vth": lambda v: type(v) is int and 100 <= v <= 1000,
    "gains": lambda v: isinstance(v, dict) and all(type(g) is int and 50 <= g <= 20000 for g in v.values()),
    "pins": lambda v: isinstance(v, dict) and set(v) == set(_LETTERS) and all(_seat(s) for s in v.values()),
    "curve": _curve,
}


def _calibration(v):
    if not isinstance(v, dict):
        return False
    for k in v:
        if k not in _CAL or not _CAL[k](v[k]):
            raise ConfigError("cal.%s: not valid" % k)
    return True


def _profile(v):
    return v in B.PROFILES


KEYS = {
    "table": (wire.table_ok, "1 to 16 of a-z 0-9 _ -"),
    "profile": (_profile, "one of " + " ".join(sorted(B.PROFILES))),
    "ssid": _text(0, 32),
    "psk": _text(0, 63),
    "host": _text(1, 64),
    "port": _number(1, 65535),
    "user": _text(0, 64),
    "password": _text(0, 64),
    "tls": _number(0, 2),  # 0 none, 1 encrypted, 2 encrypted and the server checked against `ca`
    "ca": _text(0, 2048),  # DER in base64
    "key": (_hexkey, "64 hex digits"),
    "cal": (_calibration, "an object"),
}
REQUIRED = ("table", "profile", "host", "port")


def check(key, value):
    """Raise ConfigError unless `key` exists and takes `value`."""
    if key not in KEYS:
        raise ConfigError("%s: unknown key" % (key,))
    test, allowed = KEYS[key]
    if not test(value):
        raise ConfigError("%s: %s" % (key, allowed))


def check_all(data):
    """Raise ConfigError for the first key that is unknown, missing or wrong."""
    if not isinstance(data, dict):
        raise ConfigError("configuration: not an object")
    for k in data:
        check(k, data[k])
    for k in REQUIRED:
        if k not in data:
            raise ConfigError("%s: missing" % k)


def encode(data, serial):
    """Bytes of a configuration file."""
    body = json.dumps(data).encode()
    return b"marker-config %d %d %08x\n" % (SCHEMA, serial, binascii.crc32(body)) + body


def decode(raw):
    """(serial, data, crc32) of a valid file, or None."""
    if not raw:
        return None
    head, _, body = bytes(raw).partition(b"\n")
    parts = head.split(b" ")
    try:
        if len(parts) != 4 or parts[0] != b"marker-config" or int(parts[1]) != SCHEMA:
            return None
        crc = binascii.crc32(body)
        if int(parts[3], 16) != crc:
            return None
        data = json.loads(body)
        check_all(data)
        return int(parts[2]), data, crc
    except ValueError:
        return None


class Config:
    """The configuration in use. `store` has get, put and rename of whole files."""

    def __init__(self, store):
        self.store = store
        self.serial = 0
        self.crc = 0
        self.data = {}
        self.draft = None
        self.load()

    def load(self):
        """Take the newest valid copy; none leaves the node unprovisioned."""
        best = None
        for name in FILES:
            found = decode(self.store.get(name))
            if found and (best is None or found[0] > best[0]):
                best = found
        if best:
            self.serial, self.data, self.crc = best
        return bool(best)

    @property
    def provisioned(self):
        """Whether the node knows its table and its broker."""
        return bool(self.data)

    def get(self, key, default=None):
        """Value of a key in use."""
        return self.data.get(key, default)

    def set(self, key, value, part=False):
        """Check and keep a value for the next commit. "cal.x" sets one part of the calibration; part = append to a text."""
        draft = dict(self.data if self.draft is None else self.draft)
        if key.startswith("cal."):
            value = dict(draft.get("cal") or {}, **{key[4:]: value})
            key = "cal"
        elif part:
            value = draft.get(key, "") + value
        check(key, value)
        draft[key] = value
        self.draft = draft

    def commit(self):
        """Write the draft; it counts from the next start. Raises ConfigError when a required key is missing."""
        data = self.draft if self.draft is not None else self.data
        check_all(data)
        self.save(data)
        self.draft = None

    def save(self, data):
        """New copy first, then the old one steps back: at any instant one of the three files is whole."""
        serial = self.serial + 1
        raw = encode(data, serial)
        self.store.put("config.new", raw)
        if decode(self.store.get("config.json")):
            self.store.rename("config.json", "config.bak")
        self.store.rename("config.new", "config.json")
        self.serial, self.data, self.crc = decode(raw)

    def shown(self):
        """Everything in use, secrets replaced by a hash prefix."""
        source = self.draft if self.draft is not None else self.data
        return {k: (mark(v) if k in SECRET else v) for k, v in source.items() if k != "ca"}

    def hash(self):
        """Eight hex digits that change with the configuration."""
        return "%08x" % self.crc


def mark(secret):
    """What may be shown of a secret: enough to compare, not to use."""
    import hashlib

    return "sha256:" + binascii.hexlify(hashlib.sha256(secret.encode()).digest())[:8].decode()


def next_boot(store):
    """Count this start; power-cut safe like the configuration."""
    n = 0
    for name in ("boot", "boot.new"):
        raw = store.get(name)
        try:
            a, b = (raw or b"").split()
            if int(b, 16) == binascii.crc32(a):
                n = max(n, int(a))
        except ValueError:
            continue
    n += 1
    text = "%d" % n
    store.put("boot.new", ("%s %08x" % (text, binascii.crc32(text.encode()))).encode())
    store.rename("boot.new", "boot")
    return n
