"""How a command is refused, and what the rules would say to it: shared by all proposals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from marker_hub.assembler.seats import PINS
from marker_hub.match.asked import offered, offers
from marker_hub.phases import ALLOWED, Event, Phase
from marker_hub.table.state import Work
from marker_hub.table.types import Refusal
from marker_rules.balls import Player
from marker_rules.evidence.worlds import Feature
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


def unanswerable(work: Work, asked: Mapping[str, Feature], question: str, answer: str | None) -> Refusal | None:
    """A refusal where the question is none of those asked, or does not offer the answer (None: taken back)."""
    feature = asked.get(question)
    if feature is None:
        return refuse(work, "question", "refuse.question", question=question, questions=", ".join(asked) or "-")
    if answer is None or offers(feature, answer):
        return None
    return refuse(work, "answer", "refuse.answer", question=question, answer=answer, answers=offered(feature))


def repeated(work: Work, field: str, pins: Iterable[str] | None) -> Refusal | None:
    """A refusal where a list of pins names what is no pin, or one pin twice."""
    named = list(pins or ())
    if len(set(named)) == len(named) and set(named) <= set(PINS):
        return None
    return unlisted(work, field, ",".join(named), ", ".join(PINS))


def unlisted(work: Work, field: str, value: str, allowed: str) -> Refusal:
    """A field holds a value that is none of those allowed."""
    return refuse(work, "value", "refuse.value", field=field, value=value, allowed=allowed)
