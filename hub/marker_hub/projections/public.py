"""The clauses that decided a ruling, and their numbers as the published texts write them."""

from __future__ import annotations

import re
from typing import Any

from marker_rules.catalogue import LANGUAGES, clauses
from marker_rules.ruling import Ruling

Texts = dict[str, str]

_ERROR = re.compile(r"^FP-F\.([A-Z]+)$")
_NUMBER = re.compile(r"^(?:FP|RP)-(\d+(?:\.\d+)*)")
_ITEM = re.compile(r"^(5|18|11\.1|11\.2|17\.2|26\.1)\.(\d+)$")
"""Where the last number of an id is an item of a list: the text writes `18 (2)`, `26.1 (11)`."""
_WORDS = {"ru": "п. {}", "en": "cl. {}", "it": "art. {}"}
_ERROR_WORDS = {"ru": "ошибка {}", "en": "error {}", "it": "errore {}"}
_OWN_PINS = ("FP-7.4", "FP-8.4")
_CREDITED, _CONTACT, _HEAD = "RP-20.1", "RP-4.1", "0"
SHOWN = 2
"""So many clauses stand beside a ruling."""


def number(clause: str) -> str:
    """`FP-8.2a` -> `8.2`, `RP-26.1.11` -> `26.1 (11)`, `RP-18.P` -> `18`; empty where the text has no number there."""
    found = _NUMBER.match(clause)
    if found is None:
        return ""
    item = _ITEM.match(found.group(1))
    if item is None:
        return found.group(1)
    section, at = item.groups()
    return section if at == _HEAD else f"{section} ({at})"


def numbers(ids: tuple[str, ...]) -> Texts:
    """`cl. 18 (1), 20.1` in each language; empty where none of them has a number."""
    told = [text for text in dict.fromkeys(number(clause) for clause in ids) if text][:SHOWN]
    return {lang: _WORDS[lang].format(", ".join(told)) if told else "" for lang in LANGUAGES}


def decided(ruling: Any) -> tuple[str, ...]:
    """Ids of the clauses without which the ruling would be another one, the weightiest first."""
    return _pyramid(ruling) if ruling.game.is_pyramid else _five_pins(ruling)


def _five_pins(ruling: Any) -> tuple[str, ...]:
    errors = tuple(clause for clause in ruling.clauses if _ERROR.match(clause) and _letter(clause) is not None)
    if errors:
        return errors
    own = tuple(clause for clause in _OWN_PINS if clause in ruling.clauses)
    if ruling.own_pins and own:
        return own[:1]
    return tuple(clause for clause in ruling.clauses if number(clause))[:1]


def _pyramid(ruling: Any) -> tuple[str, ...]:
    """An offence, else what made the shot legal and what it brought; a contact is said of every shot and decides none."""
    offences = tuple(dict.fromkeys(violation.clause for violation in ruling.violations))
    if offences:
        return offences
    if ruling.void:
        return tuple(reversed(ruling.clauses))[:1]
    made = ((ruling.legal_by,) if ruling.legal_by else ()) + ((_CREDITED,) if ruling.credited else ())
    return made or tuple(clause for clause in ruling.clauses if clause != _CONTACT)[:1]


def _letter(clause: str) -> Texts | None:
    row = clauses("five-pins").get(clause)
    return None if row is None else row.letter


def public(ruling: Ruling) -> Texts:
    """The clauses spectators see: the letter of an error, else the numbers of the clauses that decided."""
    ids = decided(ruling)
    letter = _letter(ids[0]) if ids else None
    if letter is not None:
        return {lang: _ERROR_WORDS[lang].format(letter[lang]) for lang in LANGUAGES}
    return numbers(ids)
