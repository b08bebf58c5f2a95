"""What a match can be set up with: per game its presets and switches, in the words of the rule catalogue."""

from __future__ import annotations

from functools import cache
from typing import Any

from marker_hub.projections.public import numbers
from marker_rules.balls import GameId
from marker_rules.options import presets, switches


@cache
def games() -> dict[str, Any]:
    """Game -> presets (name, label, switches) and switches (name, values, default, clauses, meaning per language)."""
    made: dict[str, Any] = {}
    for game in GameId:
        made[game.value] = {
            "presets": [
                {"name": preset.name, "label": dict(preset.label), "switches": dict(preset.switches)}
                for preset in presets(game).values()
            ],
            "switches": [
                {
                    "name": switch.name,
                    "values": list(switch.values) if switch.values is not None else None,
                    "default": switch.default,
                    "clauses": list(switch.clauses),
                    "public": numbers(switch.clauses),
                    "meaning": dict(switch.meaning),
                }
                for switch in switches(game).values()
            ],
        }
    return made
