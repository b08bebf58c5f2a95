"""What a table is configured to is what its pages start a match with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from marker_hub.commands import MatchStart
from marker_hub.config import BrokerKind, BrokerSection, Config, TableSection
from marker_hub.entries import PlayerInfo
from marker_hub.service.hub import Hub, HubOptions
from marker_hub.transport.memory import MemoryBroker


def test_a_free_table_tells_what_its_match_starts_with(
    tmp_path: Path, in_loop: Callable[[Awaitable[Any]], Any]
) -> None:
    """Game, preset, options and policy are in the view until a match is played."""
    options: dict[str, bool | int | str] = {"points_limit": 45, "games": 5}
    table = TableSection(id="1", game="five-pins", preset="german", options=options, policy="self", sensors=False)
    config = Config(broker=BrokerSection(kind=BrokerKind.MEMORY), table=(table,))

    async def play() -> None:
        hub = Hub(HubOptions(config, tmp_path / "data", memory=MemoryBroker()))
        await hub.start()
        try:
            setup = {"game": "five-pins", "preset": "german", "options": options, "policy": "self"}
            assert hub.view("1")["setup"] == setup
            start = MatchStart(game="five-pins", players={"A": PlayerInfo("A"), "B": PlayerInfo("B")}, opener="A")
            assert (await hub.command("1", start, role="referee", session="s")).status == 200
            assert hub.view("1")["match"]["limit"] == 45
            assert "setup" not in hub.view("1")
        finally:
            await hub.stop()

    in_loop(play())
