"""What may be answered at all: the questions of a shot in a state, and the answers that each of them offers."""

from __future__ import annotations

from typing import Any

from marker_rules.evidence.observations import UNSEEN
from marker_rules.evidence.worlds import EITHER, NONE, Feature, Shape, model
from marker_rules.options import Options


def questions(state: Any, options: Options) -> dict[str, Feature]:
    """The questions of a shot in a state, by id; none where nothing was struck."""
    made = model(options.game)
    return {feature.id: feature for feature in made.features(made.view(state), options)}


def offers(feature: Feature, answer: str) -> bool:
    """True for `unknown`, one answer or several joined by `|`; of a set: its elements in any order, each once, or `none`.

    Spelling is exact: a word the judge would not know excludes nothing or everything, and neither was meant.
    """
    if answer == UNSEEN:
        return True
    if feature.shape is Shape.SET:
        return answer == NONE or _each_once(answer.split(","), feature.elements)
    return _each_once(answer.split(EITHER), feature.elements)


def offered(feature: Feature) -> str:
    """The answers of a question as a list for people."""
    more = (NONE,) if feature.shape is Shape.SET else ()
    return ", ".join((*feature.elements, *more, UNSEEN))


def _each_once(words: list[str], known: tuple[str, ...]) -> bool:
    return len(set(words)) == len(words) and set(words) <= set(known)
