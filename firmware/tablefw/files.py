"""Small files in flash with a lock: outside `service` every write is a programming error and raises. Pure but for `os`."""

import binascii
import hashlib
import os

# May be written before the first shot and while idle: boot counter, slot record, delivered records of an earlier start
BOOT_FILES = ("boot", "boot.new", "slot", "slot.new", "uid", "kept")


class FlashLocked(RuntimeError):
    """A write in a mode in which the flash must rest: erasing it stops every interrupt."""


class Files:
    """get, put and rename of whole files below `root`; `unlocked` (service) and `idle` are set by the modes."""

    def __init__(self, root):
        self.root = root
        self.unlocked = True  # until the application has started
        self.idle = True

    def path(self, name):
        """Full path of a file."""
        return self.root + "/" + name

    def get(self, name):
        """Content, or None when there is no such file."""
        try:
            with open(self.path(name), "rb") as f:
                return f.read()
        except OSError:
            return None

    def put(self, name, data):
        """Write a file and read it back; OSError when it does not hold what was written."""
        self._check(name)
        with open(self.path(name), "wb") as f:
            f.write(data)
        if self.get(name) != data:
            raise OSError("%s: not written" % name)

    def append(self, name, data):
        """Add to a file."""
        self._check(name)
        with open(self.path(name), "ab") as f:
            f.write(data)

    def size(self, name):
        """Bytes in a file, 0 when there is none."""
        try:
            return os.stat(self.path(name))[6]
        except OSError:
            return 0

    def digest(self, name):
        """SHA-256 of a file, hex; "" when there is none."""
        h = hashlib.sha256()
        try:
            with open(self.path(name), "rb") as f:
                while True:
                    b = f.read(1024)
                    if not b:
                        break
                    h.update(b)
        except OSError:
            return ""
        return binascii.hexlify(h.digest()).decode()

    def rename(self, old, new):
        """Rename, replacing what is there."""
        self._check(new)
        os.rename(self.path(old), self.path(new))

    def remove(self, name):
        """Delete; nothing happens when it is not there."""
        self._check(name)
        try:
            os.remove(self.path(name))
        except OSError:
            pass

    def mkdir(self, name):
        """Make a folder; nothing happens when it is there."""
        self._check(name)
        try:
            os.mkdir(self.path(name))
        except OSError:
            pass

    def _check(self, name):
        if not self.unlocked and not (self.idle and name in BOOT_FILES):
            raise FlashLocked("%s: flash is written in service mode only" % name)
