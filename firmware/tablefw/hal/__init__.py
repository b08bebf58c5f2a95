"""What the application may use of the board. One port per platform, each with the same names (NAMES), and BOARD, its own.

A module `marker_port` on the path names another port than the platform's: so the Pico's port runs on a PC over shims.
"""

import sys

NAMES = (
    "edge_source",
    "field_scan",
    "adc",
    "output",
    "ticks_us",
    "uid",
    "wifi",
    "wdt",
    "reset",
    "reset_cause",
    "nv",
    "stdio",
    "segments",
)

try:
    import marker_port

    _port = marker_port.NAME
except ImportError:
    _port = sys.platform
if _port == "rp2":
    from tablefw.hal.rp2 import *  # noqa: F403
elif _port == "esp32":
    from tablefw.hal.esp32 import *  # noqa: F403
else:
    from tablefw.hal.unix import *  # noqa: F403
