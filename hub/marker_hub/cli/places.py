"""Files and folders that commands work with: those to be written are tried before the work whose result they are to hold."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from marker_hub.errors import CheckFailed, MarkerError


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Around what reads a journal: damage is a failed check, anything else bad input."""
    from marker_hub.journal import Damaged, JournalError

    try:
        yield
    except Damaged as error:
        raise CheckFailed(str(error)) from error
    except JournalError as error:
        raise MarkerError(str(error)) from error


def writable_folder(option: str, folder: Path) -> None:
    """Make the folder and try it. Raises MarkerError naming the option, the folder and the remedy."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        said = getattr(problem, "strerror", None) or problem
        raise MarkerError(f"{option} {folder}: {said}; give a folder that can be written") from problem


def writable_file(option: str, file: Path) -> None:
    """Try the file and leave nothing new behind. Raises MarkerError naming the option, the file and the remedy."""
    new = not file.exists()
    try:
        with file.open("ab"):
            pass
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or problem
        raise MarkerError(f"{option} {file}: {said}; give a file that can be written") from problem
    if new:
        file.unlink()
