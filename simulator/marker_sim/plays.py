"""The players of each game."""

from __future__ import annotations

from marker_rules.balls import GameId
from marker_sim.play import Play, Style
from marker_sim.play_five_pins import FivePinsPlay
from marker_sim.play_pyramid import PyramidPlay


def play(game: GameId, seed: int, table: str = "1", style: Style | None = None) -> Play:
    """The players of one table."""
    style = style or Style()
    return PyramidPlay(game, seed, table, style) if game.is_pyramid else FivePinsPlay(seed, table, style)
