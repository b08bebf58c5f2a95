"""A port that stays one's own while nobody listens there: before the first start, and between a death and the next start."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved() -> Iterator[int]:
    """A free loopback port that no other program is given until the end.

    It is bound and never listened on: a server with SO_REUSEADDR may listen there, and neither a search for a free port
    nor an outgoing connection gets it.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])
