"""The walk over the rows of the phase table does what the state machine library does with the same rows."""

from __future__ import annotations

import itertools

import pytest

from marker_hub import phases
from marker_hub.phases import Event, Phase


class Model:
    """A phase, and guards that answer as told; it notes which of them were asked, in order."""

    def __init__(self, phase: Phase, true: frozenset[str]) -> None:
        self.phase = phase.value
        self.asked: list[str] = []
        for guard in phases.GUARDS:
            setattr(self, guard, lambda guard=guard: self._answer(guard, true))

    def _answer(self, guard: str, true: frozenset[str]) -> bool:
        self.asked.append(guard)
        return guard in true


@pytest.mark.parametrize("phase", list(Phase))
def test_fire_is_the_machines_trigger(phase: Phase) -> None:
    """Same result, same phase, same guards asked in the same order: for every event and every answer the guards can give."""
    for event in sorted(phases.ALLOWED[phase]):
        rows = [row for row in phases.TRANSITIONS if row.event is event and phase in row.sources]
        names = sorted({guard for row in rows for guard in row.guards})
        single = [frozenset(chosen) for size in (0, 1, 2, len(names)) for chosen in itertools.combinations(names, size)]
        for true in single:
            ours, theirs = Model(phase, true), Model(phase, true)
            moved = phases.fire(ours, event)
            assert moved == bool(phases.machine().events[event.value].trigger(theirs))
            assert (ours.phase, ours.asked) == (theirs.phase, theirs.asked)


def test_an_event_that_a_phase_does_not_know_asks_nothing() -> None:
    model = Model(Phase.IDLE, frozenset(phases.GUARDS))
    assert not phases.fire(model, Event.ACCEPT)
    assert (model.phase, model.asked) == (Phase.IDLE, [])
