"""Standard output that may be lost: a full disk, a reader that went away as with `| head`."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast


class Watched:
    """A text stream that remembers the error with which it was lost, also where whoever wrote to it did not care."""

    def __init__(self, stream: TextIO) -> None:
        """stream: where everything goes."""
        self._stream = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        """As the stream's."""
        with self._watch():
            return self._stream.write(text)

    def flush(self) -> None:
        """As the stream's."""
        with self._watch():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        """Everything else is the stream's own."""
        return getattr(self._stream, name)

    @contextlib.contextmanager
    def _watch(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            self.failure = self.failure or problem
            raise

    def give_up(self) -> None:
        """What is left in the buffers goes nowhere, so that the interpreter does not stumble over it at its end."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)


def watch() -> Watched | None:
    """Put a watched stream in place of standard output; None where there is none."""
    if sys.stdout is None:
        return None
    made = Watched(sys.stdout)
    sys.stdout = cast("TextIO", made)
    return made
