# Runs the application from the slot that boot.py chose; after a crash keeps the trace, waits 3 s and resets.
import sys
import time

if globals().get("SAFE"):
    print('{"t":0,"log":"safe mode: %s; flash the node again by USB"}' % SAFE)  # noqa: F821 - set by boot.py
else:
    try:
        from tablefw import memory  # noqa: F401 - first: see there
        from tablefw.app import main

        main()
    except Exception as e:
        sys.print_exception(e)
        place = "crash.txt"
        try:
            from tablefw import hal

            reset = hal.reset
            place = hal.nv.path(place)
        except Exception:  # the slot itself is broken: three such starts and boot.py takes the other one
            from machine import reset
        try:
            with open(place, "w") as f:
                sys.print_exception(e, f)
        except (OSError, TypeError):
            pass
        time.sleep(3)
        reset()
