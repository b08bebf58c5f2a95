"""What a command line or a service says when it cannot go on: one clear line and an exit status."""

from __future__ import annotations


class MarkerError(Exception):
    """Bad input or environment: exit status 2. The message names the place, the value and the remedy."""

    exit_status = 2


class CheckFailed(MarkerError):
    """A check ran and did not hold: exit status 1."""

    exit_status = 1
