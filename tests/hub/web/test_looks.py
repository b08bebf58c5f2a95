"""What can be proved about the looks without a browser: contrast, glyphs, weight, colours only in one file."""

from __future__ import annotations

import gzip
import io
import re
from functools import cache

import pytest
from fontTools.ttLib import TTFont

from marker_hub.web.assets import assets

DARK, LIGHT = "dark", "light"
NAMES = "ЁЖЩЫЮЯ Бармалей-Ёжиков Константинопольский-Преображенский àèéìòùÀÈÉ Łódź Żółć Šárka Ďábel Őri Şükrü ’"
SLAVIC = "ЂЋЉЊЏЈђћљњџј Ђорђевић Љубојевић ЃЌЅѓќѕ Ќосев ЄІЇҐЎєіїґў Шевченко"
DIGITS = "0123456789+−–:? "


@cache
def tokens(theme: str) -> dict[str, str]:
    """The colour tokens of a theme; the light one overrides the dark one."""
    css = assets().contents["css/tokens.css"].decode()
    root = css.partition(":root {")[2].partition("}")[0]
    light = css.partition('[data-theme="light"] {')[2].partition("}")[0]
    found = dict(re.findall(r"--([\w-]+):\s*(#[0-9A-Fa-f]{6})", root))
    if theme == LIGHT:
        found |= dict(re.findall(r"--([\w-]+):\s*(#[0-9A-Fa-f]{6})", light))
    return found


def luminance(colour: str) -> float:
    """Relative luminance of #RRGGBB (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def over(front: str, back: str, alpha: float) -> str:
    """`front` at `alpha` over `back`."""
    mixed = (round(int(front[at : at + 2], 16) * alpha + int(back[at : at + 2], 16) * (1 - alpha)) for at in (1, 3, 5))
    return "#" + "".join(f"{part:02X}" for part in mixed)


TEXT_PAIRS = [
    ("text", "ground"), ("text", "raised"), ("text-2", "ground"), ("text-2", "raised"), ("chalk", "ground"), ("chalk", "raised"),
    ("flame", "ground"), ("flame", "raised"), ("on-decided", "decided"), ("on-flame", "flame"), ("text", "row"), ("text-2", "row"),
    ("stale", "ground"), ("stale", "stripe"), ("ivory", "cloth"), ("ivory-2", "cloth"), ("second-line", "ground"),
]  # fmt: skip
SCREEN_PAIRS = [
    ("ivory", "hall"),
    ("ivory-2", "hall"),
    ("chalk", "hall"),
    ("flame", "hall"),
    ("stale", "hall"),
    ("stale", "stripe"),
    ("ivory", "cloth"),
    ("ivory-2", "cloth"),
    ("chalk", "cloth"),
    ("flame", "cloth"),
]


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize(("front", "back"), TEXT_PAIRS)
def test_text_has_the_contrast_of_wcag_aa(theme: str, front: str, back: str) -> None:
    """At least 4.5 for every pair of text and ground the pages use."""
    colours = tokens(theme)
    assert contrast(colours[front], colours[back]) >= 4.5


@pytest.mark.parametrize(("front", "back"), SCREEN_PAIRS)
def test_screens_read_from_afar_have_five(front: str, back: str) -> None:
    """Display, hall and overlay: at least 5."""
    assert contrast(tokens(DARK)[front], tokens(DARK)[back]) >= 5


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_borders_that_carry_meaning_have_three(theme: str) -> None:
    """Edges of controls against the grounds they stand on."""
    colours = tokens(theme)
    assert contrast(colours["edge"], colours["ground"]) >= 3
    assert contrast(colours["edge"], colours["raised"]) >= 3


@pytest.mark.parametrize("front", ["ivory", "ivory-2", "chalk"])
def test_the_overlay_plate_holds_over_white(front: str) -> None:
    """The plate is the hall colour at 94 %; even a white picture behind it leaves more than 5."""
    plate = over(tokens(DARK)["hall"], "#FFFFFF", 0.94)
    assert contrast(tokens(DARK)[front], plate) >= 5


def test_colours_are_named_in_the_token_file_only() -> None:
    """One exception: the wood of the drawn table, which carries no meaning and no text."""
    for path, content in assets().contents.items():
        if path.endswith(".css") and path != "css/tokens.css" and not path.startswith("css/page."):  # those hold it
            found = set(re.findall(r"#[0-9A-Fa-f]{3,8}\b", content.decode())) - {"#app", "#0B2A21"}
            assert found == set(), path


def _characters(family: str) -> set[int]:
    known: set[int] = set()
    for path, content in assets().contents.items():
        if path.startswith(f"fonts/{family}"):
            with TTFont(io.BytesIO(content)) as font:
                known |= set(font.getBestCmap())
    return known


@pytest.mark.report("R059")
@pytest.mark.parametrize("family", ["marker-text-500", "marker-text-700", "marker-name-600"])
def test_names_have_a_glyph_in_every_font(family: str) -> None:
    """R059: Cyrillic with Ё Ж Щ Ы Ю Я, Italian and Polish letters and the like in each face that draws names and texts."""
    assert {character for character in NAMES if ord(character) not in _characters(family)} == set()


@pytest.mark.report("R059")
@pytest.mark.parametrize("face", ["marker-text-500", "marker-text-700", "marker-name-600"])
def test_a_slavic_name_is_drawn_by_one_file(face: str) -> None:
    """R059: Serbian, Macedonian, Ukrainian and Belarusian letters stand in the file of the Russian ones: no word is mixed."""
    with TTFont(io.BytesIO(assets().contents[f"fonts/{face}-cyrillic.woff2"])) as font:
        assert {letter for letter in SLAVIC if letter != " " and ord(letter) not in font.getBestCmap()} == set()


@pytest.mark.report("R059")
def test_the_big_digits_are_complete_and_all_words_can_be_drawn() -> None:
    """R059: digits, minus and colon of the score face; every character of the three catalogues in the text faces."""
    assert {c for c in DIGITS if ord(c) not in _characters("marker-digits")} == set()
    used: set[str] = set()
    for lang in ("ru", "en", "it"):
        used |= set(assets().contents[f"locales/{lang}.json"].decode())
    for family in ("marker-text-500", "marker-text-700"):
        assert {c for c in used if ord(c) >= 32 and ord(c) not in _characters(family)} == set()


def test_every_font_ships_with_its_licence_and_a_name_of_its_own() -> None:
    """OFL 1.1: the licence text beside the files, the reserved names gone from inside."""
    contents = assets().contents
    licences = [path for path in contents if path.startswith("fonts/OFL-")]
    assert len(licences) == 3
    assert all(b"SIL OPEN FONT LICENSE Version 1.1" in contents[path] for path in licences)
    for path, content in contents.items():
        if path.endswith(".woff2"):
            with TTFont(io.BytesIO(content)) as font:
                assert {font["name"].getDebugName(number) for number in (1, 4)} <= {
                    f"{name} {weight}"
                    for name, weight in (
                        ("Marker Text", 500),
                        ("Marker Text", 700),
                        ("Marker Name", 600),
                        ("Marker Digits", 760),
                    )
                }, path


def test_the_ranges_of_the_style_sheet_are_those_of_the_files() -> None:
    """A character that a file has is asked of that file, so no system font answers for it."""
    css = assets().contents["css/fonts.css"].decode()
    for block in css.split("@font-face")[1:]:
        path = re.search(r"fonts/([\w-]+\.woff2)", block)
        ranges = re.search(r"unicode-range: ([^;]+);", block)
        assert path is not None
        assert ranges is not None
        told: set[int] = set()
        for part in ranges.group(1).split(","):
            low, _, high = part.strip().removeprefix("U+").partition("-")
            told |= set(range(int(low, 16), int(high or low, 16) + 1))
        with TTFont(io.BytesIO(assets().contents[f"fonts/{path.group(1)}"])) as font:
            has = set(font.getBestCmap()) - {0xA0, 0xAD}
        assert has <= told | {0x20}, path.group(1)


def sent(path: str) -> int:
    """Bytes on the wire: texts are sent compressed."""
    content = assets().contents[path]
    return len(content) if path.endswith("woff2") else len(gzip.compress(content, mtime=0))


def test_modules_and_styles_are_small() -> None:
    """As sent: style sheets of a page at most 20 KB, all shared modules at most 60 KB, a catalogue at most 20 KB."""
    base = sum(sent(f"css/{name}.css") for name in ("tokens", "fonts", "base"))
    for page in ("display", "hall", "overlay", "referee", "service", "data"):
        assert base + sent(f"css/{page}.css") <= 20_000, page
    assert sum(sent(path) for path in assets().contents if path.startswith("js/lib/")) <= 60_000
    assert all(sent(f"locales/{lang}.json") <= 20_000 for lang in ("ru", "en", "it"))
