"""A hub on loopback for programs that are not asynchronous, as tests are."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

from marker_hardware.data import HardwareDataError, resource
from marker_rules.balls import GameId
from marker_sim.feed import Feed, FeedError, read
from marker_sim.feedplay import Played, hall, play_at, record
from marker_sim.hubclient import HubClient
from marker_sim.stage import Ready

T = TypeVar("T")
TABLES = {"1": "carom5", "2": "pyramid"}
SUFFIX = ".feed.jsonl"
LIMIT_S = 600.0


def named_feed(name: str | Path) -> Feed:
    """A feed that comes with the package, or from a file. Raises FeedError."""
    path = Path(name)
    if path.suffix == ".jsonl":
        return read(path)
    try:
        return read(Path(str(resource("feeds", f"{name}{SUFFIX}"))))
    except HardwareDataError:
        there = sorted(item.name.removesuffix(SUFFIX) for item in resource("feeds").iterdir())
        raise FeedError(f"feed '{name}' is not known; there are {', '.join(there)}, or give a file") from None


def new_feed(game: str, seed: int, shots: int, path: Path) -> Feed:
    """A feed made from a seed, by a hub of its own. Raises FeedError, StageError."""
    asyncio.run(record(GameId(game), seed, shots, path))
    return read(path)


class HubServer:
    """A hub process with tables `1` (five-pins) and `2` (pyramid), its broker, and nodes as feeds are played."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hub-server", daemon=True)
        self._stack = AsyncExitStack()
        self._ready: Ready | None = None
        self._nodes = 0

    def __enter__(self) -> Self:
        """Start. Raises StageError."""
        self._data.mkdir(parents=True, exist_ok=True)
        self._thread.start()
        try:
            self._ready = self._do(self._stack.enter_async_context(hall(TABLES, self._data)))
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End hub and broker."""
        self._do(self._stack.aclose())
        self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result(LIMIT_S)

    @property
    def ready(self) -> Ready:
        """Addresses and credentials."""
        assert self._ready is not None
        return self._ready

    @property
    def url(self) -> str:
        """Address of the hall page."""
        return self.ready.url

    def play(self, feed: Feed, *, firmware: bool = False) -> Played:
        """Play a feed at the table of its profile and compare every ruling. Raises FeedError."""
        table = next(name for name, profile in TABLES.items() if profile == feed.header.profile)
        self._nodes += 1
        return self._do(play_at(feed, self.ready, table, self._data / f"node-{self._nodes}", firmware=firmware))

    def get(self, path: str, table: str = "1") -> Any:
        """The decoded answer of a GET, logged in as the referee of `table`."""
        client = HubClient(self.ready.http_host, self.ready.http_port, self.ready.login(table))
        return self._do(client.get(path))
