"""Kinds of input items that `edge_source().take(item)` fills in: item = [kind, stamp, x, y, z]. Stamps are 30-bit ticks."""

EDGE = 1  # x = input, y = level, z = 1 when stamped late
WORD = 2  # x = 16-bit shift word, z = 1 when stamped late
READING = 3  # x = piezo input, y = mV
FIELD = 4  # x = mask of sensors that answered; vectors in source.vectors
HOLD = 5  # x = scans, y = 1 when frozen
TIME = 6  # nothing before the stamp is still to come
BARRIER = 7  # x = token, y = 1 to wait for the broker; virtual board only
