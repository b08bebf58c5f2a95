"""Numbers on a command line."""

from __future__ import annotations

import argparse


def bounded(text: str, low: float, high: float, remedy: str) -> float:
    """A number from `low` to `high`. Raises ArgumentTypeError naming what was given and the remedy."""
    try:
        value = float(text)
    except ValueError:
        value = low - 1
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"'{text}': {remedy}")
    return value
