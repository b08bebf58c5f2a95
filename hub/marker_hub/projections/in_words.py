"""Answers and calls of a shot in the words of the people at the table, in each language; never a code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from marker_hub.entries import Called
from marker_hub.projections.public import numbers
from marker_rules.balls import GameId
from marker_rules.catalogue import LANGUAGES, Clause, clauses
from marker_rules.evidence.phrases import answer_label, known_questions, question_text

Texts = dict[str, str]
Json = dict[str, Any]


@lru_cache(maxsize=1024)
def answered(game: GameId, question: str, answer: str) -> Texts:
    """Question and answer; ids where the hub asked something of its own."""
    if question not in known_questions(game):
        return dict.fromkeys(LANGUAGES, f"{question}: {answer}")
    return {
        lang: f"{question_text(game, question, lang).rstrip('?')}: {answer_label(game, question, answer, lang)}"
        for lang in LANGUAGES
    }


def clause_of(game: GameId, code: str) -> Clause | None:
    """The clause behind the code of a call: a clause itself, or the letter of an error of five-pins."""
    rows = clauses("pyramid" if game.is_pyramid else "five-pins")
    return rows.get(code) or rows.get(f"FP-F.{code}")


@lru_cache(maxsize=256)
def called(game: GameId, code: str) -> Texts:
    """A call in the rules' own words, with its letter or the number of its clause; the code where nobody knows it."""
    row = clause_of(game, code)
    if row is None:
        return dict.fromkeys(LANGUAGES, code)
    words, letter = row.call or row.short or row.text, row.letter
    if letter is not None:
        return {lang: f"{letter[lang]} – {words[lang]}" for lang in LANGUAGES}
    told = numbers((row.id,))
    return {lang: f"{words[lang]} ({told[lang]})" if told[lang] else words[lang] for lang in LANGUAGES}


def call_view(game: GameId, call: Called) -> Json:
    """A call as the sheet lists it."""
    made = {"code": call.code, "by": call.by, "when": call.when, "args": list(call.args)}
    return made | {"words": called(game, call.code)}
