"""The words of the pages: complete in three languages, all used, all there, no sentence in the code."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

import pytest

from marker_hub import entries
from marker_hub.phases import Phase
from marker_hub.web.assets import assets
from marker_rules.balls import GameId
from marker_rules.five_pins import match as lag_five
from marker_rules.five_pins.placement import Spot
from marker_rules.pyramid import match
from marker_rules.pyramid.ruling import CLAUSE_5, CLAUSE_11_2

LANGUAGES = ("ru", "en", "it")
PLURALS = {"ru": {"one", "few", "many", "other"}, "en": {"one", "other"}, "it": {"one", "many", "other"}}
CALL = re.compile(r"""\bt\(\s*(["'`])((?:(?!\1).)+)\1""")
TERNARY = re.compile(r"""\bt\([^()]*?\?\s*"([\w.-]+)"\s*:\s*"([\w.-]+)"\s*[,)]""")


@cache
def words(lang: str) -> dict[str, str | dict[str, str]]:
    """The catalogue of a language."""
    found: dict[str, str | dict[str, str]] = json.loads(assets().contents[f"locales/{lang}.json"])
    return found


def scripts() -> dict[str, str]:
    """Every module of the pages."""
    return {path: content.decode() for path, content in assets().contents.items() if path.endswith(".js")}


@pytest.mark.report("R058")
def test_the_three_catalogues_have_the_same_keys() -> None:
    """R058: a key that is missing in one language fails here."""
    keys = {lang: set(words(lang)) for lang in LANGUAGES}
    assert keys["ru"] == keys["en"] == keys["it"]
    for lang in LANGUAGES:
        empty = [key for key, text in words(lang).items() if not text]
        assert empty == [], lang


@pytest.mark.report("R058")
def test_every_text_the_pages_ask_for_is_there() -> None:
    """R058: keys in the code, also those made from phases, games, journal bodies and qualities."""
    asked = set()
    for content in scripts().values():
        asked |= {key for _, key in CALL.findall(content) if "${" not in key}
        asked |= {key for pair in TERNARY.findall(content) for key in pair}
    asked |= {f"phase.{phase.value}" for phase in Phase} | {f"hall.{phase.value}" for phase in Phase}
    asked |= {f"do.{phase.value}.{family}" for phase in Phase for family in ("five-pins", "pyramid")}
    asked |= {f"{kind}.{game.value}" for game in GameId for kind in ("game", "short")}
    asked |= {f"quality.{word}" for word in ("ok", "hint", "noisy", "stuck", "absent")}
    asked |= {f"status.{word}" for word in ("seen", "not_seen", "unknown", "no_data", "fault")}
    asked |= {f"origin.{word}" for word in ("likely", "changed", "needed", "decided")}
    asked |= {f"{kind}.{pin}" for pin in "NESWC" for kind in ("pin", "pin.short", "position")}
    asked |= {f"verdict.{word}" for word in ("approved", "not_approved", "incomplete")}
    asked |= {
        f"panel.{word}" for word in ("calls", "menu", "manual", "history", "amend", "stop", "award", "facts", "setup")
    }
    asked |= {f"policy.{policy.value}" for policy in entries.Policy}
    missing = sorted(key for key in asked if key not in words("en"))
    assert missing == []
    assert len(asked) > 250


def test_undo_can_name_everything_it_takes_back() -> None:
    """Each command body of the journal has its words, so the button never says a code."""

    def tag(body: type) -> str:
        return str(body.__struct_config__.tag)  # type: ignore[attr-defined]

    hub_only = {tag(body) for body in (*entries.NODE_BODIES, *entries.HUB_BODIES)}
    kinds = {tag(body) for body in entries.Body.__args__} - hub_only - {"undo", "redo", "undone", "redone"}  # type: ignore[attr-defined]
    assert sorted(f"undo.{kind}" for kind in kinds if f"undo.{kind}" not in words("en")) == []


def test_every_choice_and_spot_of_the_rules_has_words() -> None:
    """What a player may choose and where balls go, by the names the rules use."""
    choices = {*lag_five.LAG_CHOICES, *lag_five.HAND_CHOICES, *match.LAG_CHOICES, *CLAUSE_5, *CLAUSE_11_2}
    spots = {spot.value for spot in Spot} | {"house", "rear"}
    asked = {f"choice.{name}" for name in choices} | {f"spot.{name}" for name in spots}
    assert sorted(key for key in asked if key not in words("en")) == []


def test_every_notice_of_the_table_has_words() -> None:
    """The codes the core gives its notices, read from its source, so that none is shown as a code or lost."""
    said = set()
    for module in (files("marker_hub") / "table").iterdir():
        if module.name.endswith(".py"):
            said |= set(re.findall(r"""\.notice\(\s*"([\w-]+)\"""", module.read_text(encoding="utf-8")))
    elsewhere = {"incomplete", "suspended", "time_called"}
    assert len(said) > 10
    assert sorted(code for code in said - elsewhere if f"notice.{code}" not in words("en")) == []


def test_plural_forms_are_those_of_the_language() -> None:
    """Russian: 1 фишка, 2 фишки, 5 фишек; no language lacks a form its rules can choose."""
    for lang in LANGUAGES:
        for key, text in words(lang).items():
            if isinstance(text, dict):
                assert set(text) >= PLURALS[lang] - ({"many"} if lang == "it" else set()), (lang, key)
    live = words("ru")["live.pins"]
    assert isinstance(live, dict)
    assert [live["one"], live["few"], live["many"]] == ["упала {n} фишка", "упали {n} фишки", "упало {n} фишек"]


def test_places_to_fill_are_the_same_in_every_language() -> None:
    """A number or name that one language shows is shown by all."""

    def places(text: str | dict[str, str]) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", text if isinstance(text, str) else " ".join(text.values())))

    wrong = [
        key
        for key in words("en")
        if not places(words("en")[key]) == places(words("ru")[key]) == places(words("it")[key])
    ]
    assert wrong == []


def test_no_words_for_people_stand_in_the_code() -> None:
    """Cyrillic letters appear in patterns and names of languages only; nothing is worded in a module."""
    allowed = {"Русский"}
    found = []
    for path, content in scripts().items():
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", content, flags=re.DOTALL)
        found += [(path, text) for text in re.findall(r"[А-Яа-яЁё]{3,}", code) if text not in allowed]
    assert found == []


def test_no_exclamation_mark_and_true_minus_signs() -> None:
    """SCREENS: no exclamation mark, no hyphen as a minus."""
    for lang in LANGUAGES:
        for key, text in words(lang).items():
            forms = [text] if isinstance(text, str) else list(text.values())
            assert not any("!" in form for form in forms), key
            assert not any(re.search(r"(?<!\w)-\d", form) for form in forms), key
