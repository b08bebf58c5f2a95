"""The largest piece of memory, taken by main.py before anything else is loaded: later the heap is in pieces too small for it."""

import gc

RECORDS = 1024
LOAD_EVERY = (
    8192  # bytes between two collections while modules are compiled: their garbage leaves the heap in pieces otherwise
)
OUTBOX = bytearray(RECORDS * 16)


def loading(on):
    """Collect often while modules are loaded; afterwards only where the application asks for it, or nothing is left."""
    if hasattr(gc, "threshold"):  # not so in CPython
        gc.threshold(LOAD_EVERY if on else -1)


loading(True)
