"""What a command line or a service says when it cannot go on: one clear line and an exit status."""

from __future__ import annotations

from pathlib import Path

from marker_rules.errors import shown


class MarkerError(Exception):
    """Bad input or environment: exit status 2. The message names the place, the value and the remedy."""

    exit_status = 2


class CheckFailed(MarkerError):
    """A check ran and did not hold: exit status 1."""

    exit_status = 1


def shorten(path: Path) -> str:
    """A path for a message; one that no file system takes is cut."""
    text = str(path)
    return text if len(text) <= 1000 and text.isprintable() else shown(text)
