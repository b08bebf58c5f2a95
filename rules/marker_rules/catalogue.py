"""The rule catalogue: every clause with its own words in three languages, the readings, the switches, the phrases.

Data: `data/<family>-clauses.toml`, `-interpretations.toml`, `-switches.toml`, `-phrases.toml` beside this module.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "ru", "it")
FAMILIES = ("five-pins", "pyramid")


@cache
def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((files("marker_rules") / "data" / name).read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    text, call, letter, short: per language. call: the referee's word (`call_ours`: the text has none); short: for a
    narrow button. evidence: who can tell it. documented: the page that covers it where no code does.
    """

    id: str
    section: str
    kind: str
    text: dict[str, str]
    consequence: str
    evidence: tuple[str, ...] = ()
    how: str = ""
    interpretations: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    call: dict[str, str] | None = None
    call_ours: bool = False
    letter: dict[str, str] | None = None
    short: dict[str, str] | None = None
    documented: str = ""


@cache
def clauses(family: str) -> dict[str, Clause]:
    """The clauses of a family by id, in the order of the text."""
    return {
        row["id"]: Clause(
            id=row["id"],
            section=row.get("section", ""),
            kind=row["kind"],
            text=row["text"],
            consequence=row.get("consequence", ""),
            evidence=tuple(row.get("evidence", ())),
            how=row.get("how", ""),
            interpretations=tuple(row.get("interpretations", ())),
            games=tuple(row.get("games", ())),
            call=row.get("call"),
            call_ours=row.get("call_ours", False),
            letter=row.get("letter"),
            short=row.get("short"),
            documented=row.get("documented", ""),
        )
        for row in _load(f"{family}-clauses.toml")["clause"]
    }


def load_switches(family: str) -> dict[str, Any]:
    """The raw switch and preset rows of a family."""
    return _load(f"{family}-switches.toml")


def load_interpretations(family: str) -> list[dict[str, Any]]:
    """The raw rows of the readings of a family."""
    rows: list[dict[str, Any]] = _load(f"{family}-interpretations.toml")["interpretation"]
    return rows


@cache
def phrases(family: str) -> dict[str, dict[str, str]]:
    """Phrase key -> language -> sentence pattern with `{arg}` places."""
    table: dict[str, dict[str, str]] = _load(f"{family}-phrases.toml")
    return table
