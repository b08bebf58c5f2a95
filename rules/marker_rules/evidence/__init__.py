"""From incomplete evidence to every possible ruling and the fewest questions: the public names.

    evidence = Evidence.of(["click", "pin N"], {"pins": "ok", "clicks": "hint"})
    possible(evidence, before, options)        # every ruling left, likeliest first
    next_question(evidence, before, options)   # what to ask, None when one ruling is left
    sheet(evidence, before, options)           # all that is open, on one screen
    evidence = evidence.answered("Q1", "red")  # an answer never enlarges what is possible

`before` is a state of the game of `options`; nothing here keeps or changes one.
"""

from marker_rules.evidence.cases import Possible, forget, possible
from marker_rules.evidence.observations import (
    PICK,
    UNSEEN,
    Channel,
    Evidence,
    Flag,
    Frozen,
    Kind,
    Observation,
    Quality,
    parse_observation,
)
from marker_rules.evidence.questions import Answer, Question, next_question, worst_case
from marker_rules.evidence.sheet import Origin, Row, RowAnswer, Sheet, sheet
from marker_rules.evidence.worlds import Shape

__all__ = [
    "PICK",
    "UNSEEN",
    "Answer",
    "Channel",
    "Evidence",
    "Flag",
    "Frozen",
    "Kind",
    "Observation",
    "Origin",
    "Possible",
    "Quality",
    "Question",
    "Row",
    "RowAnswer",
    "Shape",
    "Sheet",
    "forget",
    "next_question",
    "parse_observation",
    "possible",
    "sheet",
    "worst_case",
]
