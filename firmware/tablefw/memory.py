"""The largest piece of memory, taken by main.py before anything else is loaded: later the heap is in pieces too small for it."""

RECORDS = 1024
OUTBOX = bytearray(RECORDS * 16)
