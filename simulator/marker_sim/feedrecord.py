"""A feed written down while a table plays: what the hub took, and every ruling that was accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marker_rules.balls import GameId
from marker_sim.feed import Header, Recorder, config_hash
from marker_sim.hubclient import HubClient
from marker_sim.score import view_fields

BY_ITSELF = ("ready",)  # depends on how fast the hub is; whoever plays a feed enters it when it is due


class RecordingClient(HubClient):
    """A referee's client that writes down what the hub took, and every ruling that was accepted."""

    recorder: Recorder | None = None

    async def command(self, table: str, seen: int, kind: str, **fields: Any) -> Any:
        """One command, recorded once the hub has taken it."""
        answer = await super().command(table, seen, kind, **fields)
        if self.recorder is not None and kind not in BY_ITSELF:
            self.recorder.entered(kind, fields)
            if kind == "accept":
                last = (answer["view"].get("last") or {}).get("ruling") or {}
                self.recorder.ruled(view_fields(last))
        return answer


def recorder_of(game: GameId, seed: int, table: str, options: Mapping[str, Any], faults: str) -> Recorder:
    """A recorder for a table that plays `game` from `seed`."""
    config = {"game": game.value, "options": dict(options), "faults": faults}
    profile = "pyramid" if game.is_pyramid else "carom5"
    return Recorder(Header(game.value, profile, table, seed, config_hash(config)))
