"""The slot record (file `slot`), shared with boot.py: `<running> <pending or -> <tries> <crc32>`. Pure but for the store it is given."""

import binascii


def read_slot(store):
    """(running, pending or "", tries) of the slot record; slot a when there is none."""
    for name in ("slot", "slot.new"):
        raw = store.get(name)
        try:
            body, _, crc = (raw or b"").rpartition(b" ")
            if int(crc, 16) == binascii.crc32(body):
                running, pending, tries = body.decode().split(" ")
                return running, pending.replace("-", ""), int(tries)
        except ValueError:
            continue
    return "a", "", 0


def write_slot(store, running, pending, tries):
    """Replace the slot record; a power cut leaves the old or the new one."""
    body = ("%s %s %d" % (running, pending or "-", tries)).encode()
    store.put("slot.new", body + (" %08x" % binascii.crc32(body)).encode())
    store.rename("slot.new", "slot")


def confirm(store):
    """The running slot has proved itself: it stays. Nothing is written when nothing was pending and no start was counted."""
    running, pending, tries = read_slot(store)
    if pending or tries:
        write_slot(store, pending or running, "", 0)
        return True
    return False
