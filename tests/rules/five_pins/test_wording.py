"""Sentences and derivations: what a referee reads, in his language; names in the nominative, parts in the fixed order."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.catalogue import LANGUAGES, clauses
from marker_rules.errors import IllegalInput
from marker_rules.explain import derivation, sentence
from marker_rules.five_pins.game import FIVE_PINS
from marker_rules.five_pins.judge import judge as judge_stroke
from marker_rules.five_pins.state import FivePinsState, Score
from marker_rules.game import ManualEntry
from marker_rules.options import Options

HIT = "strike cue; contact cue opponent"
NAMES = {Player.A: "Константинопольский-Преображенский", Player.B: "Ёжиков"}


def state(score: tuple[int, int] = (0, 0), limit: int = 50) -> FivePinsState:
    return FivePinsState(striker=Player.A, limit=limit, score=Score(*score))


@pytest.mark.parametrize(
    ("facts", "how", "lang", "said"),
    [
        (f"{HIT}; contact cue red; topple N,E by red", {}, "ru", "A: карамболь 4, две боковые фишки 4; A: +8."),
        (f"{HIT}; contact cue red; topple N,E by red", {}, "it", "A: carambola 4, due birilli laterali 4; A: +8."),
        (f"{HIT}; topple C by opponent", {}, "en", "A: centre pin alone 8; A: +8."),
        (HIT, {}, "ru", "A: правильный удар без очков."),
        ("strike cue; contact cue red; contact cue opponent", {}, "ru", "A: ошибка Б – красный шар 2; B: +2, игра с руки."),
        (f"{HIT}; contact cue red", {"calls": "Z"}, "ru", "A: карамболь 4, ошибка «З» – двойной удар 2; B: +6, игра с руки."),
        (HIT, {"calls": "O"}, "en", "A: error “O” – ball jumped over 2; B: +2, ball in hand."),
        (HIT, {"calls": "ZH"}, "it", "A: errore ZH – cuoio 2; B: +2, bilia in mano."),
        (f"{HIT}; topple N by cue", {}, "en", "A: one side pin 2, cue ball felled pins; B: +2."),
        (f"{HIT}; topple N by opponent", {"score": (49, 0)}, "ru", "A: одна боковая фишка 2; A: +1 из 2 (предел), выигрыш партии."),
        ("strike cue", {"score": (0, 49)}, "en", "A: error G – opponent's ball 2; B: +1 of 2 (limit), wins the game."),
        (HIT, {"calls": "P@B"}, "en", "B: error P – touch in play 2; A: +2."),
        ("strike cue", {"calls": "P@B"}, "en", "A: error G – opponent's ball 2; B: error P – touch in play 2; A: +2; B: +2, ball in hand."),
        ("", {"calls": "K@B", "mode": "idle"}, "en", "B: error K – touch 2; A: +2, ball in hand."),
        ("shift N", {"mode": "idle"}, "en", "A: no error, nothing changes."),
        (f"{HIT}; interference third-party", {}, "it", "A: non si addebita, decide l'arbitro."),
        ("strike cue", {"calls": "P@B", "score": (49, 49)}, "en", "A: both reach the limit, the referee decides."),
        (f"{HIT}; contact cue red", {"mode": "contact-reset"}, "en", "A: carom 4, void after the contact reset."),
        (f"{HIT}; off red", {"calls": "Z", "stacking": "single_plus_red"}, "en", "A: error D – ball jumped, error “Z” – double hit, errors together 2; B: +2, ball in hand."),
        (f"{HIT}; lean N on cue away", {"leaning_pin": "later"}, "en", "A: one side pin 2, leaning pin 2; B: +4, ball in hand."),
        (f"{HIT}; topple N by cue", {"bevuto_extra": 2}, "en", "A: one side pin 2, own pins 2 more, cue ball felled pins; B: +4."),
    ],
)  # fmt: skip
def test_sentences(judge: Any, facts: str, how: dict[str, Any], lang: str, said: str) -> None:
    assert sentence(judge(facts, **how), state(how.get("score", (0, 0))), lang) == said


def test_names_are_never_declined_nor_cut(judge: Any) -> None:
    said = sentence(judge("strike cue"), state(), "ru", NAMES)
    assert said == ("Константинопольский-Преображенский: ошибка Г – шар соперника 2; Ёжиков: +2, игра с руки.")


def test_manual_ruling_is_told_with_its_note() -> None:
    before = state()
    ruling = FIVE_PINS.manual(ManualEntry({Player.B: 2}, "{marker} broke"), before, Options(GameId.FIVE_PINS))
    assert sentence(ruling, before, "en") == "referee's ruling – {marker} broke; B: +2."
    assert derivation(ruling, "it")[0].what == "decisione dell'arbitro: {marker} broke"


def test_a_language_there_is_not() -> None:
    before = state()
    ruling = FIVE_PINS.manual(ManualEntry({}, "x"), before, Options(GameId.FIVE_PINS))
    for say in (lambda: sentence(ruling, before, "de"), lambda: derivation(ruling, "de")):
        with pytest.raises(IllegalInput, match="en, ru, it"):
            say()


def test_a_derivation_names_every_step_with_its_clause(judge: Any) -> None:
    lines = derivation(judge(f"{HIT}; contact cue red; topple N by cue; off red", calls="Z"), "ru")
    by_clause = {line.clause: line for line in lines}
    assert by_clause["FP-8.2a"].what == "биток в шар соперника, затем в красный: 4"
    assert by_clause["FP-8.2a"].facts == (2,)
    assert by_clause["FP-F.Z"].what == "ошибка «З» – двойной удар"
    assert by_clause["FP-F.0b"].text == clauses("five-pins")["FP-F.0b"].text["ru"]
    assert [line.clause for line in lines][-1] == "FP-2.5"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_whatever_is_ruled_can_be_told(draw: Callable[..., Any], lang: str) -> None:
    """Random strokes under random switches: every step has words, no place stays open, every part is short."""
    rng = Random(11)
    for _ in range(1500):
        drawn = draw(rng)
        ruling = judge_stroke(*drawn)
        said = sentence(ruling, drawn.before, lang)
        told = [line.what for line in derivation(ruling, lang)]
        assert said.endswith(".")
        assert not any("{" in text or "}" in text or "!" in text for text in [said, *told])
        parts = [part for piece in said.rstrip(".").split("; ") for part in piece.partition(": ")[2].split(", ")]
        assert max(map(len, parts)) <= 40, said
