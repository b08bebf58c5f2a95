"""Which of our readings a ruling rests on: the places where the text says less, or something else."""

from __future__ import annotations

from marker_rules.balls import Ball
from marker_rules.pyramid.case import Case
from marker_rules.pyramid.state import Phase
from marker_rules.pyramid.story import Kind, Story

C, BREAK = Ball.C, Phase.BREAK
OF_CONDITION = {
    "RP-18.2": ("AMB-04",),
    "RP-18.2a": ("AMB-01", "AMB-51"),
    "RP-18.2b": ("AMB-01",),
    "RP-18.3b": ("AMB-51",),
    "RP-18.4a": ("AMB-02",),
    "RP-18.5": ("AMB-02", "AMB-51"),
    "RP-18.6": ("AMB-02", "AMB-03", "AMB-40"),
}
OF_MISSING = {Kind.RAIL: ("AMB-04",), Kind.ZONE: ("AMB-03",)}  # what did not help a shot that nothing completed


def of_stroke(case: Case) -> None:
    """Note the readings behind the judgement of a stroke: contact, completion, the break, the cue ball."""
    story, found = case.story, case.readings
    if case.met is not None:
        found.extend(OF_CONDITION.get(case.met.clause, ()))
    elif story.events:
        kinds = [event[0] for event in story.events]
        for kind, missing in OF_MISSING.items():
            if kind in kinds:
                found.extend(missing)
    if story.odd:
        _of_odd(story, found)
    if case.entered.no_push:
        found.append("AMB-34")
    if C in story.potted:
        found.append("AMB-17" if case.legal else "AMB-19")
    if case.before.phase is BREAK:
        _of_break(case)


def _of_odd(story: Story, found: list[str]) -> None:
    if story.frozen:
        found.extend(("AMB-01", "AMB-05"))
    if story.cushion_before >= 0:
        found.append("AMB-06")
    if story.jaws:
        found.append("AMB-47")
    if story.foreign:
        found.append("AMB-31")


def _of_break(case: Case) -> None:
    if case.violations:
        case.readings.append("AMB-13")
    if case.before.debt.a or case.before.debt.b:
        case.readings.append("AMB-14")  # it was kept through a new rack


def of_balls(case: Case, *, paid: int, won: bool) -> None:
    """Note the readings behind debts, the end of the frame and what happened after the shot."""
    if paid:
        case.readings.append("AMB-10")
    if won:
        case.readings.append("AMB-16")
    if any(map(case.is_late, case.violations)):
        case.readings.append("AMB-28" if won else "AMB-11")
