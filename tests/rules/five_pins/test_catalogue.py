"""The catalogue as data: every clause in three languages, every reading, every switch, every phrase; and the coverage page."""

from __future__ import annotations

import ast
import importlib.util
import re
import string
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import marker_rules.five_pins
from marker_rules.balls import GameId
from marker_rules.catalogue import LANGUAGES, clauses, load_interpretations, phrases
from marker_rules.coverage import Sources, holes, page
from marker_rules.errors import IllegalInput
from marker_rules.five_pins.law import law
from marker_rules.five_pins.offences import ERRORS
from marker_rules.options import Options, presets, switches

ROOT = Path(__file__).resolve().parents[3]
CLAUSES = clauses("five-pins")
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
FIVE = GameId.FIVE_PINS


def in_every_language(text: dict[str, str]) -> bool:
    return set(text) == set(LANGUAGES) and all(text.values()) and bool(CYRILLIC.search(text["ru"]))


def test_all_130_clauses_are_there_in_three_languages() -> None:
    assert len(CLAUSES) == 130
    for clause in CLAUSES.values():
        assert in_every_language(clause.text), clause.id
        assert not CYRILLIC.search(clause.text["en"] + clause.text["it"]), clause.id
        assert clause.evidence, clause.id
        assert clause.consequence, clause.id


def test_every_lettered_error_has_letter_call_and_short_word() -> None:
    letters = {id_.removeprefix("FP-F."): clause for id_, clause in CLAUSES.items() if clause.letter}
    assert list(letters) == [row.letter for row in ERRORS]
    assert [letters[row.letter].letter["ru"] for row in ERRORS if letters[row.letter].letter] == list(
        "АБВГДЕЖЗИКЛМНОПР"
    )  # type: ignore[index]
    for letter, clause in letters.items():
        assert clause.call is not None
        assert clause.short is not None
        assert in_every_language(clause.call), letter
        assert in_every_language(clause.short), letter
        assert max(map(len, clause.short.values())) <= 20, letter
    assert {letter for letter, clause in letters.items() if clause.call_ours} == {"M", "P", "R"}


def test_clauses_readings_and_switches_refer_to_each_other() -> None:
    readings = {row["id"]: row for row in load_interpretations("five-pins")}
    assert list(readings) == [f"A{number:02}" for number in range(1, 51)]
    for clause in CLAUSES.values():
        for name in clause.interpretations:
            assert clause.id in readings[name]["clauses"], (clause.id, name)
    schema = switches(FIVE)
    for name, row in readings.items():
        assert in_every_language(row["question"]), name
        assert in_every_language(row["reading"]), name
        assert set(row["clauses"]) <= set(CLAUSES)
        for switch in row["switches"]:
            assert name in schema[switch].interpretations
    for switch in schema.values():
        assert in_every_language(dict(switch.meaning)), switch.name
        assert set(switch.clauses) <= set(CLAUSES)
        assert set(switch.interpretations) <= set(readings)


def test_every_preset_says_that_it_is_an_interpretation() -> None:
    assert list(presets(FIVE)) == ["wcbs1997", "later", "italian-pro", "german"]
    words = {"en": "interpretation", "ru": "толкование", "it": "interpretazione"}
    for preset in presets(FIVE).values():
        assert in_every_language(dict(preset.label))
        assert all(words[lang] in text for lang, text in preset.label.items())
        Options(FIVE, preset=preset.name)


@pytest.mark.parametrize(
    ("preset", "changed"),
    [
        ("wcbs1997", {}),
        ("later", {"leaning_pin": "later", "shifted_counts": True}),
        ("italian-pro", {"centre_alone": 10, "blocked_spot": "other_half"}),
        ("german", {"stacking": "single_plus_red", "carom_after_red_first": True}),
    ],
)
def test_presets(preset: str, changed: dict[str, Any]) -> None:
    assert Options(FIVE, preset=preset).changed() == changed


def test_the_law_reads_every_switch_of_a_stroke() -> None:
    """Each switch that a stroke needs changes the law; the others belong to placement, lag and match."""
    base = law(Options(FIVE))
    elsewhere = {"points_limit", "games", "blocked_spot", "breaks", "play_all", "decider_opening", "ball_assignment", "contact_reset"}  # fmt: skip
    for name, switch in switches(FIVE).items():
        if name not in elsewhere:
            assert switch.values is not None
            assert law(Options(FIVE, {name: switch.values[1]})) != base, name


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"centre_alone": 9}, "8 or 10"),
        ({"need_full": 1}, "true or false"),
        ({"bevuto_extra": False}, "0 or 2"),
        ({"points_limit": 0}, "whole number from 1"),
        ({"points_limit": "50"}, "whole number"),
        ({"games": 4}, "must be odd"),
        ({"games": 0}, "must be odd"),
        ({"games": -3}, "whole number from 1"),
        ({"breaks": {4: [2]}}, "a table"),
        ({"breaks": {5: [5]}}, "a table"),
        ({"breaks": 3}, "a table"),
        ({"stacking": "sums"}, "sum or single_plus_red"),
        ({"gravity": 9}, "not known"),
    ],
)
def test_a_switch_that_is_refused_is_named_with_its_values(given: dict[str, Any], words: str) -> None:
    with pytest.raises(IllegalInput, match=words) as caught:
        Options(FIVE, given)
    assert str(next(iter(given))) in caught.value.message


def test_options_survive_the_record() -> None:
    """What differs from the defaults rebuilds the value, also after a way through JSON."""
    import json

    options = Options(FIVE, {"breaks": {3: [1], 5: []}, "games": 5, "points_limit": 60}, preset="german")
    assert Options(FIVE, json.loads(json.dumps(options.changed()))) == options


# --- phrases ---------------------------------------------------------------------------------------------------------


def step_keys() -> dict[str, str]:
    """Phrase keys that the code passes to steps, with the module: every text constant that is a key."""
    found = {}
    for path in sorted(Path(marker_rules.five_pins.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.setdefault(node.value, path.name)
    return found


def test_every_phrase_is_in_every_language_with_the_same_places() -> None:
    for key, text in phrases("five-pins").items():
        assert set(text) == set(LANGUAGES), key
        places = [{name for _, name, _, _ in string.Formatter().parse(text[lang]) if name} for lang in LANGUAGES]
        assert places[0] == places[1] == places[2], key
        assert not any(sign in "".join(text.values()) for sign in "!\n"), key


def test_no_phrase_is_left_over() -> None:
    used = step_keys()
    dynamic = ("say_", "word_", "refused_", "off_")
    for key in phrases("five-pins"):
        assert key in used or key.startswith(dynamic), key
    for key in (f"say_{name}" for name in ("carom", "ricochet", "hand", "wins", "cut", "legal")):
        assert key in phrases("five-pins")


# --- coverage ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rules_coverage", ROOT / "tools" / "rules_coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_clause_has_a_hole(tool: ModuleType) -> None:
    assert holes("five-pins", tool.read_sources("five-pins")) == []


def test_the_coverage_page_is_up_to_date(tool: ModuleType) -> None:
    """After a change of rules or tests: python tools/rules_coverage.py."""
    current = tool.page_path("five-pins").read_text(encoding="utf-8")
    assert current == page("five-pins", tool.read_sources("five-pins"))


def test_holes_are_found() -> None:
    """Without code, tests and pages every clause is a hole; an id that is no clause is reported."""
    code = {"m.py": 'def f():\n    """FP-8.1a, FP-99.9"""\n'}
    tests = {"test_m.py": '@pytest.mark.clause("FP-8.1a")\ndef test_f(): pass\n'}
    found = holes("five-pins", Sources(code=code, tests=tests))
    assert len(found) == 130
    assert not any(line.startswith("FP-8.1a:") for line in found)
    assert "FP-8.1b: no code names it and no page documents it" in found
    assert "FP-99.9: no such clause, named in code m.py: f" in found
    assert "FP-8.1a: no test and no scenario proves it" in holes("five-pins", Sources(code=code))
    assert any("which does not exist" in line for line in found)
