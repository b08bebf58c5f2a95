"""The printed protocol: what it says beside the shots, read back out of the file."""

from __future__ import annotations

import re
import zlib
from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub.export import pdf_protocol
from marker_hub.export.pdf import protocol_font
from marker_hub.export.record import End, Head, MatchRecord

PEOPLE = {"A": {"name": "Ёжиков", "given": "Ян"}, "B": {"name": "D'Àrsié", "given": "Ugo"}}


def printed(driver: Any, language: str) -> list[str]:
    """The texts of the PDF of a driver's match, in the order they are written."""
    head = Head(1, e.FOLD_VERSION, driver.config, {"id": "m", "players": PEOPLE}, 1)
    raw = pdf_protocol(MatchRecord(head, tuple(driver.journal), End(len(driver.journal), "")), "UTC", language)
    characters = {glyph: chr(code) for code, glyph in protocol_font().glyphs.items()}
    texts = []
    for packed in re.findall(rb"stream\n(.*?)\nendstream", raw, re.DOTALL):
        page = zlib.decompress(packed)
        runs = re.findall(rb"<([0-9A-F]+)> Tj", page)
        texts += ["".join(characters[int(run[at : at + 4], 16)] for at in range(0, len(run), 4)) for run in runs]
    return texts


@pytest.mark.clause("FP-9.1")
@pytest.mark.clause("FP-P.4")
@pytest.mark.parametrize(
    ("language", "replayed", "game", "match"),
    [
        (
            "en",
            "Game replayed (the lamp fell)",
            "Game awarded: D'Àrsié Ugo (left)",
            "Match awarded: Ёжиков Ян (B gave up)",
        ),
        (
            "ru",
            "Партия переигрывается (the lamp fell)",
            "Партия присуждена: D'Àrsié Ugo (left)",
            "Матч присуждён: Ёжиков Ян (B gave up)",
        ),
        (
            "it",
            "La partita si rigioca (the lamp fell)",
            "Partita assegnata: D'Àrsié Ugo (left)",
            "Incontro assegnato: Ёжиков Ян (B gave up)",
        ),
    ],
)
def test_awards_stand_where_they_were_made_with_their_notes(
    carom: Any, language: str, replayed: str, game: str, match: str
) -> None:
    carom.play("N")
    carom.do(c.AwardGame(to="replay", note="the lamp fell"))
    carom.do(c.Ready())
    carom.play("S")
    carom.do(c.AwardGame(to="B", note="left"))
    carom.do(c.NextGame())
    carom.do(c.AwardMatch(to="A", note="B gave up"))
    texts = printed(carom, language)
    shots = [texts.index(number) for number in ("1", "2")]
    where = [shots[0], texts.index(replayed), shots[1], texts.index(game), texts.index(match)]
    assert where == sorted(where), texts
    assert sum("awarded" in text or "присужд" in text or "assegnat" in text for text in texts) == 2


def test_points_the_referee_gave_stand_with_his_note(carom: Any) -> None:
    carom.do(c.Manual(points={"A": 4, "B": 0}, next="B", note="stopped by a spectator"))
    texts = " ".join(printed(carom, "en"))
    assert "referee's ruling: stopped by a spectator" in texts
    assert "awarded" not in texts
