"""Why a ruling is what it is, in the language of the reader: one sentence, or every step with the text of its clause.

Nothing else in the product makes sentences about rulings. Names of players stand in the nominative only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from marker_rules.balls import Player
from marker_rules.catalogue import LANGUAGES, clauses, phrases
from marker_rules.errors import IllegalInput
from marker_rules.options import family
from marker_rules.ruling import Ruling, Step

_WORDING = {"five-pins": "marker_rules.five_pins.wording", "pyramid": "marker_rules.pyramid.wording"}


@dataclass(frozen=True, slots=True)
class Line:
    """One step in words. clause: id; what: what it did here; text: the clause itself; facts: indices (0-based)."""

    clause: str
    what: str
    text: str
    facts: tuple[int, ...] = ()


def check_language(lang: str) -> str:
    """Raises IllegalInput naming the languages there are."""
    if lang not in LANGUAGES:
        raise IllegalInput(f"language '{lang}' is not known; there are {', '.join(LANGUAGES)}", code="lang")
    return lang


def sentence(ruling: Ruling, before: Any, lang: str = "en", names: Mapping[Player, str] | None = None) -> str:
    """One sentence a referee can read. `before`: the state the ruling was made on; `names`: shown for A and B."""
    wording = import_module(_WORDING[family(ruling.game)])
    said: str = wording.sentence(ruling, before, check_language(lang), names)
    return said


def phrase(family_name: str, key: str, lang: str, args: Mapping[str, Any] | None = None) -> str:
    """A phrase of the catalogue with its places filled; an argument that is itself a word of it is translated."""
    table = phrases(family_name)
    pattern = table[key][lang]
    if not args:
        return pattern
    words = {name: table.get(f"word_{value}", {}).get(lang, value) for name, value in args.items()}
    return pattern.format(**words)


def step_text(step: Step, family_name: str, lang: str) -> str:
    """What one step did, in words."""
    args: dict[str, Any] = dict(step.args)
    clause = clauses(family_name)[step.clause]
    if clause.letter and clause.call:
        args |= {"letter": quoted_letter(clause.letter[lang], lang), "call": clause.call[lang]}
    return phrase(family_name, step.text, lang, args)


def derivation(ruling: Ruling, lang: str = "en") -> tuple[Line, ...]:
    """Every step of a ruling, in order, with the text of the clause it cites."""
    check_language(lang)
    name = family(ruling.game)
    texts = clauses(name)
    return tuple(
        Line(step.clause, step_text(step, name, lang), texts[step.clause].text[lang], step.facts)
        for step in ruling.steps
    )


_QUOTES = {"en": "“{}”", "ru": "«{}»", "it": "«{}»"}
_LIKE_DIGITS = frozenset("OZОЗ")  # Latin and Cyrillic letters that could be read as 0, 2 and 3


def quoted_letter(letter: str, lang: str) -> str:
    """The letter of an error, in quotes where it could be read as a digit."""
    return _QUOTES[lang].format(letter) if letter in _LIKE_DIGITS else letter
