"""The pyramid catalogue as data: clauses, readings, switches, presets and phrases in three languages; the coverage page."""

from __future__ import annotations

import ast
import importlib.util
import re
import string
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from marker_rules.balls import GameId, Player
from marker_rules.catalogue import LANGUAGES, clauses, load_interpretations, phrases
from marker_rules.coverage import holes, page
from marker_rules.errors import IllegalInput
from marker_rules.explain import derivation, sentence
from marker_rules.options import Options, presets, switches
from marker_rules.pyramid import wording
from marker_rules.pyramid.derivation import slug
from marker_rules.pyramid.games import GAMES
from marker_rules.pyramid.legality import BREAK_POTTED, BREAK_RAILS, ORDER
from marker_rules.pyramid.offences import FOULS, REMARKS, UNAIDED, VOIDING
from marker_rules.pyramid.ruling import CLAUSE_5, CLAUSE_11_2
from marker_rules.pyramid.state import Hand
from marker_rules.scenario import read_shot

ROOT = Path(__file__).resolve().parents[3]
CLAUSES = clauses("pyramid")
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
SHOTS = yaml.safe_load((ROOT / "tests/conformance/pyramid-shots.yaml").read_text(encoding="utf-8"))


def in_every_language(text: dict[str, str]) -> bool:
    return set(text) == set(LANGUAGES) and all(text.values()) and bool(CYRILLIC.search(text["ru"]))


def test_167_clauses_and_19_game_rules_in_three_languages() -> None:
    assert sum(id_.startswith("RP-") for id_ in CLAUSES) == 167
    assert sum(id_.startswith("EXT-") for id_ in CLAUSES) == 19
    for clause in CLAUSES.values():
        assert in_every_language(clause.text), clause.id
        assert not CYRILLIC.search(clause.text["en"] + clause.text["it"]), clause.id
        assert clause.evidence, clause.id
        assert clause.consequence, clause.id
        assert clause.games, clause.id
        assert set(clause.games) <= {game.value for game in GAMES}, clause.id


def test_what_can_be_called_has_a_short_word() -> None:
    for code in (*FOULS, *REMARKS, *VOIDING, UNAIDED):
        short = CLAUSES[code].short
        assert short is not None, code
        assert in_every_language(short), code
        assert max(map(len, short.values())) <= 20, code


def test_readings_and_clauses_refer_to_each_other() -> None:
    readings = {row["id"]: row for row in load_interpretations("pyramid")}
    numbers = [n for n in range(1, 53) if n not in (42, 45)]
    assert list(readings) == [f"AMB-{n:02}" for n in numbers] + ["TYPO"]
    schema = switches(GameId.FREE)
    for name, row in readings.items():
        assert in_every_language(row["question"]), name
        assert in_every_language(row["reading"]), name
        for clause in row["clauses"]:
            assert name in CLAUSES[clause].interpretations, (clause, name)
        for switch in row["switches"]:
            assert name in schema[switch].interpretations, (name, switch)
    for clause_row in CLAUSES.values():
        for name in clause_row.interpretations:
            assert clause_row.id in readings[name]["clauses"]


def test_switches_are_those_of_the_rules() -> None:
    schema = switches(GameId.DYNAMIC)
    assert len(schema) == 27
    for switch in schema.values():
        assert in_every_language(dict(switch.meaning)), switch.name
        assert set(switch.clauses) <= set(CLAUSES), switch.name
    assert Options(GameId.FREE) == Options(GameId.FREE, preset="general-rules")
    assert Options(GameId.FREE, preset="ipc-later").changed() == {"penalty_scheme": "opponent_plus_one"}
    words = {"en": "interpretation", "ru": "толкование", "it": "interpretazione"}
    for preset in presets(GameId.FREE).values():
        assert all(words[lang] in preset.label[lang] for lang in LANGUAGES)


@pytest.mark.parametrize(
    "given",
    [
        {"target": 0},
        {"target": True},
        {"race_to": -1},
        {"shot_clock_s": 35},
        {"sex": "x"},
        {"hang_prompt_s": -1},
        {"two_rails": 2},
    ],
)
def test_refused_option_is_named(given: dict[str, Any]) -> None:
    with pytest.raises(IllegalInput) as caught:
        Options(GameId.FREE, given)
    assert str(next(iter(given))) in caught.value.message


def test_phrases_have_the_same_places_in_every_language() -> None:
    for key, text in phrases("pyramid").items():
        assert set(text) == set(LANGUAGES), key
        places = [{name for _, name, _, _ in string.Formatter().parse(text[lang]) if name} for lang in LANGUAGES]
        assert places[0] == places[1] == places[2], key
        assert not any(sign in "".join(text.values()) for sign in "!\n"), key


def test_every_condition_and_every_foul_has_its_phrases() -> None:
    known = phrases("pyramid")
    for clause in (*ORDER, BREAK_POTTED, *BREAK_RAILS.values()):
        assert f"met_{slug(clause)}" in known
    for code in FOULS:
        assert f"foul_{slug(code)}" in known
        assert max(map(len, known[f"say_foul_{slug(code)}"].values())) <= 40, code


def step_keys() -> set[str]:
    """Phrase keys given to steps as plain text, in every module of the game."""
    makers = ("Step", "step", "player_step")
    found = set()
    for path in sorted((ROOT / "rules/marker_rules/pyramid").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or len(node.args) < 2:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            key = node.args[1]
            if name in makers and isinstance(key, ast.Constant):
                found.add(key.value)
            elif name in makers and isinstance(key, ast.IfExp):
                found |= {part.value for part in (key.body, key.orelse) if isinstance(part, ast.Constant)}
    return found


def test_every_step_has_a_phrase_and_no_phrase_is_left_over() -> None:
    built = {f"option_{name}" for name in (*CLAUSE_5, *CLAUSE_11_2)} | {f"in_hand_{hand}" for hand in Hand}
    built |= {f"void_{slug(clause)}" for clause in (*VOIDING, "RP-10.3c")} | {f"foul_{slug(code)}" for code in FOULS}
    built |= {f"met_{slug(clause)}" for clause in (*ORDER, BREAK_POTTED, *BREAK_RAILS.values())}
    known = {key for key in phrases("pyramid") if not key.startswith("say_")}
    assert known == step_keys() | built


@pytest.mark.parametrize("scenario", SHOTS, ids=lambda row: row["id"])
def test_every_ruling_can_be_explained(scenario: dict[str, Any]) -> None:
    """Sentence and derivation in each language; every step cites a clause of the catalogue."""
    rules = GAMES[GameId(scenario["game"])]
    options = Options(rules.id, scenario["options"])
    before = rules.read_before(scenario["before"], options)
    ruling = rules.rule(read_shot(scenario), before, options)
    for lang in LANGUAGES:
        said = sentence(ruling, before, lang, {Player.A: "Ёжиков", Player.B: "Rossi"})
        assert said.endswith(".")
        assert "Ёжиков" in said
        assert "{" not in said
        lines = derivation(ruling, lang)
        assert len(lines) == len(ruling.steps)
        assert all(line.what and line.text and "{" not in line.what for line in lines)
    assert set(ruling.clauses) <= set(CLAUSES)
    assert set(scenario["depends_on"]) <= set(ruling.interpretations)  # a reading that is ours is named
    assert set(ruling.interpretations) <= {row["id"] for row in load_interpretations("pyramid")}


def test_sentences_between_shots(judge: Any) -> None:
    """A hanging ball put back and an offence without a stroke are told as what they are."""
    options = Options(GameId.FREE)
    before = GAMES[GameId.FREE].read_before({}, options)
    hung = sentence(judge("pot w6 BL"), before, "en")
    assert hung == "ball that fell by itself put back; next A."
    void = sentence(judge("strike C; contact C w3; interference third-party"), before, "en")
    assert void == "A: shot void, played again; next A."
    time = sentence(judge("", calls="RP-26.1.11 A"), before, "ru", {Player.A: "Ёжиков", Player.B: "Петров"})
    assert time.startswith("Ёжиков: превышение времени; Ёжиков: штрафной шар с полки; Петров: выбор")


def test_sentences() -> None:
    assert [wording.plural(n, "ru") for n in (1, 2, 5, 11, 12, 21, 22, 25)] == [
        "one", "few", "many", "many", "many", "one", "few", "many",
    ]  # fmt: skip
    assert [wording.plural(n, "it") for n in (0, 1, 2)] == ["many", "one", "many"]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rules_coverage", ROOT / "tools" / "rules_coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_clause_has_a_hole(tool: ModuleType) -> None:
    assert holes("pyramid", tool.read_sources("pyramid")) == []


def test_the_coverage_page_is_up_to_date(tool: ModuleType) -> None:
    """After a change of rules or tests: python tools/rules_coverage.py pyramid."""
    assert tool.page_path("pyramid").read_text(encoding="utf-8") == page("pyramid", tool.read_sources("pyramid"))


def test_drawings_of_the_pages_are_the_generated_ones() -> None:
    from marker_rules.pyramid.diagram import rack_svg, spotting_svg

    docs = ROOT / "docs" / "rules"
    assert (docs / "pyramid-placing.svg").read_text("utf-8") == spotting_svg(["1", "2", "3"]) + "\n"
    assert (docs / "pyramid-rack-9.svg").read_text("utf-8") == rack_svg(9) + "\n"
