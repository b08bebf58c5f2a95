"""What the application may use of the board. One port per platform, each with the same names:

edge_source, field_scan, adc, output, ticks_us, uid, wifi, wdt, reset, reset_cause, nv, stdio, segments (and BOARD, its name).
"""

import sys

_port = getattr(sys.implementation, "_marker_hal", None) or sys.platform
if _port == "rp2":
    from tablefw.hal.rp2 import *  # noqa: F403
elif _port == "esp32":
    from tablefw.hal.esp32 import *  # noqa: F403
else:
    from tablefw.hal.unix import *  # noqa: F403
