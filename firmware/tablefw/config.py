"""Configuration of the node: storage that a power cut cannot damage. Pure but for the store it is given. Checks: schema.py.

File form: one header line `marker-config <schema> <serial> <crc32>`, then the data as JSON. Three names: config.json (current),
config.bak (the one before), config.new (being written). The newest valid one counts.
"""

import binascii
import json

SCHEMA = 1
FILES = ("config.json", "config.bak", "config.new")
SECRET = ("psk", "password", "key")


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
        return (int(parts[2]), data, crc) if isinstance(data, dict) else None
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
        from tablefw.schema import check

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
        from tablefw.schema import check_all

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
