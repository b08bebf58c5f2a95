"""Runs the application of the slot that boot.py chose; after a crash keeps the trace, waits 3 s and resets."""

import sys
import time

try:
    from tablefw.app import main

    main()
except Exception as e:
    sys.print_exception(e)
    time.sleep(3)
    from tablefw import hal

    hal.reset()
