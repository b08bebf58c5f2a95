# Chooses the firmware slot before anything else runs. Must never raise: an error here would take the USB port away.
# Leaves SLOT ("a", "b" or "" = run from the root) and SAFE (why only the serial REPL is offered, or "") for main.py.
SLOT = ""
SAFE = ""
try:
    import binascii
    import hashlib
    import json
    import os
    import sys

    _TRIES = 3

    def _read(name):
        try:
            with open(name, "rb") as f:
                return f.read()
        except OSError:
            return b""

    def _record():
        for name in ("slot", "slot.new"):
            body, _, crc = _read(name).rpartition(b" ")
            try:
                if body and int(crc, 16) == binascii.crc32(body):
                    running, pending, tries = body.decode().split(" ")
                    return running, pending.replace("-", ""), int(tries)
            except ValueError:
                pass
        return "a", "", 0

    def _write(running, pending, tries):
        body = ("%s %s %d" % (running, pending or "-", tries)).encode()
        with open("slot.new", "wb") as f:
            f.write(body + (" %08x" % binascii.crc32(body)).encode())
        os.rename("slot.new", "slot")

    def _whole(slot):
        """Every file of the slot's manifest is there, undamaged."""
        try:
            files = json.loads(_read(slot + "/manifest.json"))["files"]
            for path in files:
                with open(slot + "/" + path, "rb") as f:
                    h = hashlib.sha256()
                    n = 0
                    while True:
                        b = f.read(1024)
                        if not b:
                            break
                        n += len(b)
                        h.update(b)
                if n != files[path][0] or binascii.hexlify(h.digest()).decode() != files[path][1]:
                    return False
            return len(files) > 0
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _other(slot):
        return "b" if slot == "a" else "a"

    def _choose():
        """The slot to run, or "" with SAFE set. A start counts as failed until the application confirms it."""
        running, pending, tries = _record()
        if pending and tries >= _TRIES:
            pending, tries = "", 0  # never confirmed: back to the one that worked
        elif not pending and tries >= _TRIES and _whole(_other(running)):
            running, tries = _other(running), 0
        want = pending or running
        if not _whole(want):
            want, pending = _other(want), ""
            if not _whole(want):
                return "", "both firmware slots are damaged"
            running = want
        _write(running, pending, tries + 1)
        return want, ""

    try:
        import rp2

        _held = rp2.bootsel_button()
    except (ImportError, AttributeError):
        _held = 0
    if _held:
        SAFE = "BOOTSEL was held"
    elif _read("a/manifest.json") or _read("b/manifest.json"):
        SLOT, SAFE = _choose()
        if SLOT:
            sys.path.insert(0, SLOT)
except Exception as e:
    SAFE = "boot: %s %s" % (type(e).__name__, e)
