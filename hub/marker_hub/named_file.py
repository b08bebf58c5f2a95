"""A file that somebody named, read whole: no further than such a file can be long, whatever the path leads to."""

from __future__ import annotations

from pathlib import Path

from marker_hub.errors import MarkerError, shorten


def read_named(path: Path, most: int, large: str, remedy: str, error: type[MarkerError] = MarkerError) -> bytes:
    """The bytes of a file of at most `most` bytes. Raises `error` with the path, what is wrong (`large` for one that is
    longer, of which no more is read) and the remedy.
    """
    try:
        with path.open("rb") as stream:
            found = stream.read(most + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise error(f"{shorten(path)}: {reason}; {remedy}") from problem
    if len(found) > most:
        raise error(f"{path}: {large}; {remedy}")
    return found
