"""The embedded broker's own process: `python -m marker_hub.broker.child CONFIG`.

A process of its own because the broker has no shutdown call; it outlives a hub that was killed, as mosquitto does.
"""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Serve until SIGTERM."""
    from iotcore.iotcore import IotCoreBroker

    # The broker runs in threads of its own language that never look at Python's signal handlers.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    broker = IotCoreBroker(config_path=sys.argv[1])
    broker.check_ports()
    broker.run_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
