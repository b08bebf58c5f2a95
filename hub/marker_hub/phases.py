"""The phases of a table as one flat state machine: states and transitions are data, everything else is derived.

The machine decides *where* the table goes; what a phase means for shots, clocks and scores is done by the handlers of
`marker_hub.table`. An event that a phase does not know is never raised: `ALLOWED` decides before anything is triggered.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple, Protocol

from transitions import Machine


class Phase(StrEnum):
    """Where a table is."""

    IDLE = "idle"
    LAG = "lag"
    PLACING = "placing"
    ARMED = "armed"
    ROLLING = "rolling"
    SETTLING = "settling"
    ASKING = "asking"
    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    RESPOTTING = "respotting"
    GAME_OVER = "game_over"
    BREAK = "break"
    MATCH_OVER = "match_over"
    SUSPENDED = "suspended"


class Event(StrEnum):
    """What can move a table from phase to phase."""

    MATCH_START = "match_start"
    LAG_SIGNAL = "lag_signal"
    LAG_RESULT = "lag_result"
    CHOICE = "choice"
    READY = "ready"
    IDLE_CALL = "idle_call"
    LAYOUT = "layout"
    CONTACT_RESET = "contact_reset"
    LOG_CALL = "log_call"
    STRIKE = "strike"
    DISTURB = "disturb"
    DISTURB_ANSWERED = "disturb_answered"
    BUMP = "bump"
    TIME_CALLED = "time_called"
    EXTENSION = "extension"
    CLOCK_FOUL = "clock_foul"
    LULL = "lull"
    MOTION = "motion"
    CLOSE = "close_shot"
    NODE_LOST = "node_lost"
    PREMATURE = "premature"
    NOT_A_SHOT = "not_a_shot"
    INTERFERENCE = "interference"
    ANSWER = "answer"
    MANUAL = "manual"
    ACCEPT = "accept"
    REOPEN = "reopen"
    LATE_EVIDENCE = "late_evidence"
    ADVANCE = "advance"
    NEXT_GAME = "next_game"
    CONTINUE_RUN = "continue_run"
    NEW_RACK = "new_rack"
    BREAK_REQUEST = "break_request"
    BREAK_OVER = "break_over"
    SUSPEND = "suspend"
    RESUME = "resume"
    CORRECTED = "corrected"
    AWARD_GAME = "award_game"
    AWARD_MATCH = "award_match"
    CLOSE_MATCH = "close_match"


class Row(NamedTuple):
    """One line of the table: on `event` in any of `sources`, if every guard holds, go to `dest`. The first row that fits counts."""

    event: Event
    sources: tuple[Phase, ...]
    dest: Phase
    guards: tuple[str, ...] = ()


P = Phase
SHOT = (P.ARMED, P.ROLLING, P.SETTLING, P.ASKING, P.PROPOSED)
MATCH = tuple(p for p in Phase if p is not P.IDLE)
PLAYING = tuple(p for p in MATCH if p not in (P.MATCH_OVER, P.CONFIRMED))
WAITING = (P.PLACING, P.ARMED, P.RESPOTTING)

# Where a table goes from what the rules wait for: used wherever the score may have changed (advance, resume, corrected).
_BY_RULES: tuple[tuple[Phase, tuple[str, ...]], ...] = (
    (P.MATCH_OVER, ("match_is_over",)),
    (P.GAME_OVER, ("game_is_over",)),
    (P.LAG, ("lag_is_due",)),
    (P.PROPOSED, ("shot_waits", "one_ruling")),
    (P.ASKING, ("shot_waits",)),
    (P.SETTLING, ("shot_settles",)),
    (P.ROLLING, ("shot_runs",)),
    (P.PLACING, ("hand_is_due",)),
    (P.ARMED, ("layout_is_complete",)),
    (P.RESPOTTING, ()),
)


def _by_rules(event: Event, sources: tuple[Phase, ...], *extra: str) -> tuple[Row, ...]:
    return tuple(Row(event, sources, dest, (*extra, *guards)) for dest, guards in _BY_RULES)


TRANSITIONS: tuple[Row, ...] = (
    Row(Event.MATCH_START, (P.IDLE,), P.LAG, ("lag_is_due",)),
    Row(Event.MATCH_START, (P.IDLE,), P.PLACING),
    Row(Event.LAG_SIGNAL, (P.LAG,), P.LAG),
    Row(Event.LAG_RESULT, (P.LAG,), P.LAG, ("lag_is_due",)),
    Row(Event.LAG_RESULT, (P.LAG,), P.PLACING),
    Row(Event.CHOICE, (P.PLACING, P.RESPOTTING), P.PLACING),
    Row(Event.CHOICE, (P.ARMED,), P.ARMED, ("layout_is_complete",)),  # ball in hand without sensors: FP-H.5a
    Row(Event.CHOICE, (P.ARMED,), P.PLACING),
    Row(Event.READY, (P.PLACING,), P.ARMED, ("no_choice_open",)),
    Row(Event.READY, (P.RESPOTTING,), P.PLACING, ("hand_is_due",)),
    Row(Event.READY, (P.RESPOTTING,), P.ARMED),
    Row(Event.IDLE_CALL, WAITING, P.PROPOSED, ("one_ruling",)),
    Row(Event.IDLE_CALL, WAITING, P.ASKING),
    Row(Event.LAYOUT, (P.PLACING, P.ARMED, P.RESPOTTING), P.PLACING, ("hand_is_due",)),
    Row(Event.LAYOUT, (P.PLACING, P.ARMED, P.RESPOTTING), P.ARMED, ("layout_is_complete",)),
    Row(Event.LAYOUT, (P.PLACING,), P.PLACING),
    Row(Event.LAYOUT, (P.ARMED, P.RESPOTTING), P.RESPOTTING),
    Row(Event.LAYOUT, (P.LAG,), P.LAG),
    Row(Event.CONTACT_RESET, WAITING, P.PLACING, ("contact_reset_allowed",)),
    *(Row(Event.LOG_CALL, (phase,), phase) for phase in MATCH),
    Row(Event.STRIKE, (P.ARMED, P.RESPOTTING, P.PLACING), P.ROLLING, ("no_choice_open",)),
    Row(Event.DISTURB, (P.ARMED,), P.ASKING),
    *_by_rules(Event.DISTURB_ANSWERED, (P.ASKING,)),
    Row(Event.BUMP, (P.ARMED,), P.ARMED),
    Row(Event.TIME_CALLED, (P.ARMED,), P.ARMED),
    Row(Event.EXTENSION, (P.ARMED,), P.ARMED),
    Row(Event.CLOCK_FOUL, (P.ARMED,), P.PROPOSED, ("one_ruling",)),
    Row(Event.CLOCK_FOUL, (P.ARMED,), P.ASKING),
    Row(Event.LULL, (P.ROLLING,), P.SETTLING),
    Row(Event.MOTION, (P.SETTLING,), P.ROLLING),
    Row(Event.MOTION, (P.ROLLING,), P.ROLLING),
    Row(Event.CLOSE, (P.ROLLING, P.SETTLING), P.PROPOSED, ("one_ruling",)),
    Row(Event.CLOSE, (P.ROLLING, P.SETTLING), P.ASKING),
    *(Row(Event.NODE_LOST, (phase,), phase) for phase in Phase),
    Row(Event.PREMATURE, (P.ROLLING, P.SETTLING), P.ASKING),
    *_by_rules(Event.NOT_A_SHOT, (P.ROLLING, P.SETTLING, P.ASKING, P.PROPOSED)),
    Row(Event.INTERFERENCE, SHOT, P.LAG, ("lag_is_due",)),
    *_by_rules(Event.INTERFERENCE, SHOT),
    Row(Event.ANSWER, (P.ROLLING,), P.ROLLING),
    Row(Event.ANSWER, (P.SETTLING,), P.SETTLING),
    Row(Event.ANSWER, (P.ASKING, P.PROPOSED), P.PROPOSED, ("one_ruling",)),
    Row(Event.ANSWER, (P.ASKING, P.PROPOSED), P.ASKING),
    Row(Event.MANUAL, (P.ROLLING, P.SETTLING, P.ASKING, P.PROPOSED, P.PLACING, P.ARMED, P.RESPOTTING), P.CONFIRMED),
    Row(Event.ACCEPT, (P.ROLLING, P.SETTLING, P.ASKING, P.PROPOSED), P.CONFIRMED),
    Row(Event.REOPEN, (P.PROPOSED,), P.ASKING),
    Row(Event.LATE_EVIDENCE, (P.PROPOSED,), P.PROPOSED, ("one_ruling",)),
    Row(Event.LATE_EVIDENCE, (P.ASKING,), P.PROPOSED, ("one_ruling",)),
    Row(Event.LATE_EVIDENCE, (P.ASKING, P.PROPOSED), P.ASKING),
    *_by_rules(Event.ADVANCE, (P.CONFIRMED,)),
    Row(Event.NEXT_GAME, (P.GAME_OVER,), P.BREAK, ("break_is_due",)),
    Row(Event.NEXT_GAME, (P.GAME_OVER,), P.LAG, ("lag_is_due",)),
    Row(Event.NEXT_GAME, (P.GAME_OVER,), P.PLACING),
    Row(Event.CONTINUE_RUN, (P.GAME_OVER, P.MATCH_OVER), P.RESPOTTING),
    Row(Event.NEW_RACK, (P.RESPOTTING, P.PLACING, P.ARMED, P.GAME_OVER), P.PLACING),
    Row(Event.BREAK_REQUEST, (P.PLACING, P.ARMED, P.RESPOTTING, P.GAME_OVER), P.BREAK),
    Row(Event.BREAK_OVER, (P.BREAK,), P.PLACING, ("was_armed",)),
    *_by_rules(Event.BREAK_OVER, (P.BREAK,)),
    Row(Event.SUSPEND, tuple(p for p in PLAYING if p is not P.SUSPENDED), P.SUSPENDED),
    Row(Event.RESUME, (P.SUSPENDED,), P.BREAK, ("was_in_break",)),
    *_by_rules(Event.RESUME, (P.SUSPENDED,)),
    Row(Event.CORRECTED, (P.BREAK,), P.BREAK, ("game_is_over",)),
    Row(Event.CORRECTED, (P.SUSPENDED,), P.SUSPENDED),
    Row(Event.CORRECTED, (P.IDLE,), P.IDLE, ("match_is_over",)),
    *_by_rules(Event.CORRECTED, tuple(p for p in Phase if p is not P.SUSPENDED)),
    *_by_rules(Event.AWARD_GAME, PLAYING),
    Row(Event.AWARD_MATCH, PLAYING, P.MATCH_OVER),
    Row(Event.CLOSE_MATCH, (P.MATCH_OVER,), P.IDLE),
)
"""The whole table of phases, in order of precedence."""

GUARDS = tuple(dict.fromkeys(guard for row in TRANSITIONS for guard in row.guards))
"""The names of the questions a model must be able to answer."""


class PhaseModel(Protocol):
    """What the machine needs of a table: the phase, and one method per guard."""

    phase: str


def _allowed() -> Mapping[Phase, frozenset[Event]]:
    return {phase: frozenset(row.event for row in TRANSITIONS if phase in row.sources) for phase in Phase}


ALLOWED = _allowed()
"""Phase -> events it handles; derived, so it cannot disagree with the machine."""


def definition() -> list[dict[str, Any]]:
    """The transitions as keyword arguments of the library, for the machine and for the diagram."""
    return [
        {
            "trigger": row.event.value,
            "source": [phase.value for phase in row.sources],
            "dest": row.dest.value,
            "conditions": list(row.guards),
        }
        for row in TRANSITIONS
    ]


@cache
def machine() -> Machine:
    """The one machine of all tables; models are passed to it and never registered."""
    return Machine(
        model=None,
        states=[phase.value for phase in Phase],
        transitions=definition(),
        initial=Phase.IDLE.value,
        auto_transitions=False,
        send_event=False,
        model_attribute="phase",
    )


def _dispatch() -> Mapping[tuple[str, str], tuple[tuple[tuple[str, ...], str], ...]]:
    found: dict[tuple[str, str], list[tuple[tuple[str, ...], str]]] = {}
    for row in TRANSITIONS:
        for phase in row.sources:
            found.setdefault((phase.value, row.event.value), []).append((row.guards, row.dest.value))
    return {key: tuple(rows) for key, rows in found.items()}


_DISPATCH = _dispatch()
"""(phase, event) -> (guards, destination) in order of precedence."""


def fire(model: PhaseModel, event: Event) -> bool:
    """Move `model` by `event`; False where its phase does not know the event or every guard refused.

    The rows themselves are walked: the same as the machine's trigger (a test compares them), at a tenth of its cost, and
    it runs half a dozen times a shot.
    """
    for guards, dest in _DISPATCH.get((model.phase, event.value), ()):
        if all(getattr(model, guard)() for guard in guards):
            model.phase = dest
            return True
    return False
