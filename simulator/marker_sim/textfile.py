"""Text files that somebody names on the command line: read in bounded memory, every way to fail told in a few words."""

from __future__ import annotations

from pathlib import Path


class UnreadableText(ValueError):
    """Why a file cannot be read as text; whoever tells it names the file and the remedy."""


def text_of(path: Path, most: int) -> str:
    """The whole text, at most `most` bytes of UTF-8; also of a pipe. Raises UnreadableText."""
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except OSError as problem:
        raise UnreadableText(problem.strerror or str(problem)) from problem
    except ValueError as problem:  # a NUL in the name
        raise UnreadableText(f"no name of a file: {problem}") from problem
    if len(raw) > most:
        raise UnreadableText(f"more than {most} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise UnreadableText(f"no UTF-8 text: {problem.reason} at byte {problem.start}") from problem
