"""Runs the node firmware under CPython where no MicroPython VM exists: the few names it needs that CPython has not."""
