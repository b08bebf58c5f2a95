"""How a command is refused, and what the rules would say to it: shared by all proposals."""

from __future__ import annotations

from marker_hub.phases import ALLOWED, Event, Phase
from marker_hub.table.state import Work
from marker_hub.table.types import Refusal
from marker_rules.balls import Player
from marker_rules.game import Action


def refuse(work: Work, code: str, key: str, **args: str | int) -> Refusal:
    """A refusal at the present position; key: its words in the catalogue."""
    return Refusal(code, key, dict(args), work.n)


def wrong_phase(work: Work, command: str) -> Refusal:
    """The phase does not know the command."""
    return refuse(work, "phase", "refuse.phase", phase=work.phase, command=command)


def need(work: Work, event: Event) -> Refusal | None:
    """None where the phase knows the event."""
    return None if event in ALLOWED[Phase(work.phase)] else wrong_phase(work, event.value)


def attempt(work: Work, tried: Action) -> None:
    """Raises IllegalInput where the rules do not allow an action now."""
    assert work.match is not None
    work.match.rules.act(work.match.state, tried)


def action(kind: str, player: str | None = None, value: str = "", note: str = "", **args: str) -> Action:
    """An action of the rules."""
    return Action(kind, Player(player) if player else None, value, tuple(args.items()), note)
