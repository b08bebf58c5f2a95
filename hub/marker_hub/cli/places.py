"""Files and folders a command will write to, tried before the work whose result they are to hold."""

from __future__ import annotations

import tempfile
from pathlib import Path

from marker_hub.errors import MarkerError


def writable_folder(option: str, folder: Path) -> None:
    """Make the folder and try it. Raises MarkerError naming the option, the folder and the remedy."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise MarkerError(
            f"{option} {folder}: {problem.strerror or problem}; give a folder that can be written"
        ) from problem


def writable_file(option: str, file: Path) -> None:
    """Try the file and leave nothing new behind. Raises MarkerError naming the option, the file and the remedy."""
    new = not file.exists()
    try:
        with file.open("ab"):
            pass
    except OSError as problem:
        raise MarkerError(
            f"{option} {file}: {problem.strerror or problem}; give a file that can be written"
        ) from problem
    if new:
        file.unlink()
