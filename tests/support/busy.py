"""Limits of wall time where a time is part of what a test proves: they grow with what else the machine has to do."""

import os


def within(seconds: float) -> float:
    """The limit for something that takes less than `seconds` on an idle machine."""
    return seconds * max(1.0, 3 * os.getloadavg()[0] / (os.cpu_count() or 1))
