"""The words of questions and answers, in three languages: `data/evidence-phrases.toml`, keyed by their stable ids."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from marker_rules.balls import GameId
from marker_rules.catalogue import LANGUAGES
from marker_rules.errors import IllegalInput
from marker_rules.options import family


@cache
def _phrases() -> dict[str, Any]:
    return tomllib.loads((files("marker_rules") / "data" / "evidence-phrases.toml").read_text(encoding="utf-8"))


def _in(texts: dict[str, str], lang: str) -> str:
    if lang not in texts:
        raise IllegalInput(f"language '{lang}' is not known; there are {', '.join(LANGUAGES)}", code="lang")
    return texts[lang]


def _row(game: GameId, question: str) -> dict[str, Any]:
    table = _phrases()
    row: dict[str, Any] = table[family(game)].get(question) or table["common"][question]
    return row


def phrase(name: str, lang: str) -> str:
    """A sentence pattern of the engine's own. Raises IllegalInput for a language there is not."""
    return _in(_phrases()["common"]["words"][name], lang)


def known_questions(game: GameId) -> tuple[str, ...]:
    """The ids of every question of a game, in the order of the phrase file; `pick` is one of them."""
    table = _phrases()
    return (*table[family(game)], *(name for name, row in table["common"].items() if "text" in row))


def question_text(game: GameId, question: str, lang: str) -> str:
    """The question. Raises IllegalInput for a language there is not."""
    return _in(_row(game, question)["text"], lang)


def answer_label(game: GameId, question: str, answer: str, lang: str) -> str:
    """The words of an answer: a button, a set of pins, a number, or a ruling in short."""
    labels = {**_phrases()["common"]["answers"], **_row(game, question).get("answers", {})}
    if answer in labels:
        return _in(labels[answer], lang)
    for mark, joint in (("|", phrase("or", lang)), (",", ", ")):
        if mark in answer:
            return joint.join(answer_label(game, question, part, lang) for part in answer.split(mark))
    return answer
