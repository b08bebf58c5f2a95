"""Update into the slot that is not running: signed manifest, files in chunks, everything verified before it may start.

Pure but for the store it is given. Loaded only while an update is in progress.
"""

import binascii
import hashlib
import json

from tablefw.slots import read_slot, write_slot

MANIFEST = "manifest.json"
SLOTS = ("a", "b")
CHUNK_MAX = 1024
SIZE_MAX = 262144
BLOCK = 64


class OtaError(ValueError):
    """The update is refused; the text says why."""


def hmac_sha256(key, data):
    """HMAC-SHA256: the device has no hmac module."""
    if len(key) > BLOCK:
        key = hashlib.sha256(key).digest()
    key = key + bytes(BLOCK - len(key))
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key))
    inner.update(data)
    outer = hashlib.sha256(bytes(b ^ 0x5C for b in key))
    outer.update(inner.digest())
    return outer.digest()


def same(a, b):
    """Comparison whose time does not tell where two signatures differ."""
    if len(a) != len(b):
        return False
    d = 0
    for x, y in zip(a, b):
        d |= x ^ y
    return d == 0


def version(text):
    """Comparable form of "1.2.3"."""
    try:
        return tuple(int(p) for p in text.split("."))
    except ValueError:
        raise OtaError("version: %s" % (text,))


def path_ok(path):
    """A file of the device package, no way out of the slot."""
    if not isinstance(path, str) or not 1 <= len(path) <= 64 or ".." in path or path[0] == "/":
        return False
    return path == MANIFEST or (path.startswith("tablefw/") and path.endswith((".py", ".mpy")))


class Update:
    """One update in progress. `running` is the version of the running firmware."""

    def __init__(self, store, key, board, running):
        self.store = store
        self.key = key
        self.board = board
        self.running = running
        active, pending, _ = read_slot(store)
        self.slot = SLOTS[1] if active == SLOTS[0] else SLOTS[0]
        self.mac = None
        self.force = False
        self.files = None  # path -> [size, sha256 hex], once the manifest is verified
        self.pending = pending

    def begin(self, mac, force=False):
        """Start anew: mac = HMAC of the manifest, hex. force = an older version may come (serial line only)."""
        if not self.key:
            raise OtaError("key: this node has no device key; set one by the serial line")
        try:
            self.mac = binascii.unhexlify(mac)
        except (ValueError, TypeError):
            raise OtaError("mac: 64 hex digits")
        if len(self.mac) != 32:
            raise OtaError("mac: 64 hex digits")
        self.force = force
        self.files = None
        self.store.mkdir(self.slot)
        self.store.mkdir(self.slot + "/tablefw")
        self.store.mkdir(self.slot + "/tablefw/hal")
        self.store.put(self.slot + "/" + MANIFEST, b"")

    def put(self, path, offset, data):
        """Append a chunk; the same chunk again is taken as done. Returns the size now."""
        if self.mac is None:
            raise OtaError("begin first")
        if not path_ok(path):
            raise OtaError("file: %s is not part of the firmware" % (path,))
        if path != MANIFEST:
            if self.files is None:
                raise OtaError("manifest first")
            if path not in self.files:
                raise OtaError("file: %s is not in the manifest" % path)
        limit = SIZE_MAX if path == MANIFEST else self.files[path][0]
        if len(data) > CHUNK_MAX or offset + len(data) > limit:
            raise OtaError("chunk: beyond the size of %s" % path)
        name = self.slot + "/" + path
        have = 0 if offset == 0 else self.store.size(name)
        if offset == 0:
            self.store.put(name, data)
        elif have == offset:
            self.store.append(name, data)
        elif have != offset + len(data):
            raise OtaError("offset: %s has %d bytes" % (path, have))
        return offset + len(data)

    def check(self):
        """Verify the manifest: signature, board, version. Returns the number of files to come."""
        if self.mac is None:
            raise OtaError("begin first")
        raw = self.store.get(self.slot + "/" + MANIFEST) or b""
        if not same(hmac_sha256(self.key, raw), self.mac):
            raise OtaError("signature: the manifest was not signed with this node's key")
        try:
            m = json.loads(raw)
            board, new, files = m["board"], m["version"], m["files"]
        except (ValueError, KeyError, TypeError):
            raise OtaError("manifest: malformed")
        if board not in (self.board, "any"):
            raise OtaError("board: update is for %s, this is %s" % (board, self.board))
        if version(new) < version(self.running) and not self.force:
            raise OtaError("version: %s is older than %s; force it by the serial line" % (new, self.running))
        for path, entry in files.items():
            if not path_ok(path) or not 0 <= entry[0] <= SIZE_MAX or len(entry[1]) != 64:
                raise OtaError("manifest: %s" % (path,))
        self.files = files
        return len(files)

    def finish(self):
        """Verify every file, then make the slot pending: the next start tries it."""
        if self.files is None:
            raise OtaError("manifest first")
        for path in self.files:
            size, digest = self.files[path]
            if self.store.size(self.slot + "/" + path) != size:
                raise OtaError("file: %s is incomplete" % path)
            if self.store.digest(self.slot + "/" + path) != digest:
                raise OtaError("file: %s is damaged" % path)
        running, _, _ = read_slot(self.store)
        write_slot(self.store, running, self.slot, 0)
