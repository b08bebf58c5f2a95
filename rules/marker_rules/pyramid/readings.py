"""Which of our readings a ruling rests on: the places where the text says less, or something else."""

from __future__ import annotations

from marker_rules.balls import Ball
from marker_rules.pyramid.case import Case
from marker_rules.pyramid.state import Phase
from marker_rules.pyramid.story import Kind

OF_CONDITION = {
    "RP-18.2": ("AMB-04",),
    "RP-18.2a": ("AMB-01",),
    "RP-18.2b": ("AMB-01",),
    "RP-18.4a": ("AMB-02",),
    "RP-18.5": ("AMB-02",),
    "RP-18.6": ("AMB-02", "AMB-03", "AMB-40"),
}
OF_MISSING = {Kind.RAIL: ("AMB-04",), Kind.ZONE: ("AMB-03",)}  # what did not help a shot that nothing completed


def of_stroke(case: Case) -> list[str]:
    """Readings behind the judgement of a stroke: contact, completion, the break, the cue ball."""
    story = case.story
    found: list[str] = []
    if case.met is not None:
        found.extend(OF_CONDITION.get(case.met.clause, ()))
    elif story.events:
        for kind in {event[0] for event in story.events} & OF_MISSING.keys():
            found.extend(OF_MISSING[kind])
    if story.frozen:
        found.extend(("AMB-01", "AMB-05"))
    if story.cushion_before >= 0:
        found.append("AMB-06")
    if story.jaws:
        found.append("AMB-47")
    if story.foreign:
        found.append("AMB-31")
    if case.entered.no_push:
        found.append("AMB-34")
    if Ball.C in story.potted:
        found.append("AMB-17" if case.legal else "AMB-19")
    if case.before.phase is Phase.BREAK:
        found.extend(_of_break(case))
    return found


def _of_break(case: Case) -> list[str]:
    found = ["AMB-13"] if case.violations else []
    if case.before.debt.a or case.before.debt.b:
        found.append("AMB-14")  # it was kept through a new rack
    return found


def of_balls(case: Case, *, paid: int, won: bool) -> list[str]:
    """Readings behind debts, the end of the frame and what happened after the shot."""
    found: list[str] = []
    if paid:
        found.append("AMB-10")
    if won:
        found.append("AMB-16")
    if any(case.is_late(violation) for violation in case.violations):
        found.append("AMB-28" if won else "AMB-11")
    return found
