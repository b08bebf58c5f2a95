"""Fixtures for whoever builds on the hub: a feed of a table, and a hub on loopback to play it into.

Loaded by pytest wherever billiard-marker is installed. Nothing heavy is imported until a fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from marker_sim.feed import Feed
    from marker_sim.hubserver import HubServer

    FeedMaker = Callable[..., Feed]


@pytest.fixture
def table_feed(tmp_path: Path) -> FeedMaker:
    """A feed: `table_feed("five-pins-8")` by name, `table_feed(path)` from a file, `table_feed(game="five-pins", seed=3, shots=5)` made anew."""
    from marker_sim.hubserver import named_feed, new_feed

    def make(name: str | Path | None = None, *, game: str = "five-pins", seed: int = 1, shots: int = 5) -> Feed:
        if name is not None:
            return named_feed(name)
        return new_feed(game, seed, shots, tmp_path / f"{game}-{seed}-{shots}.feed.jsonl")

    return make


@pytest.fixture
def hub_server(tmp_path: Path) -> Iterator[HubServer]:
    """A running hub with its broker on loopback: tables `1` (five-pins) and `2` (pyramid). Ended after the test."""
    from marker_sim.hubserver import HubServer

    with HubServer(tmp_path / "hub") as server:
        yield server
