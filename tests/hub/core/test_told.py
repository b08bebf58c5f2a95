"""What pages are told in words and numbers: deciding clauses, calls, awards, extra time, what a correction does at the limit."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core
from marker_hub.export.history import events
from marker_hub.projections.acts import awards
from marker_hub.projections.public import number, numbers
from marker_hub.web.games import games
from marker_rules.catalogue import LANGUAGES


def stroke(driver: Any) -> None:
    """What a node feels of a stroke that nobody waited for: the click, then a cushion."""
    driver.now += 300_000
    driver.click()
    driver.now += 300_000
    driver.rail()


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("RP-18.2a", "18 (2)"),
        ("RP-18.P", "18"),
        ("RP-18.N3", "18"),
        ("RP-26.1.11", "26.1 (11)"),
        ("RP-11.1.P", "11.1"),
        ("RP-11.1.0", "11.1"),
        ("RP-20.3.N1", "20.3"),
        ("RP-4.3", "4.3"),
        ("RP-16", "16"),
        ("FP-8.2a", "8.2"),
        ("FP-F.B", ""),
        ("EXT-D2", ""),
    ],
)
def test_a_clause_has_the_number_of_the_published_text(clause: str, text: str) -> None:
    """Items of a list stand in brackets, as in the text; marks of ours (.P, .N, .0) are not shown."""
    assert number(clause) == text


def test_several_clauses_are_told_each_once() -> None:
    assert numbers(("RP-30.1m", "RP-30.1w", "RP-30.2m"))["ru"] == "п. 30.1, 30.2"
    assert numbers(("EXT-F5",)) == {"ru": "", "en": "", "it": ""}


def test_the_clause_that_decided_stands_beside_a_pyramid_ruling(free: Any) -> None:
    """Not the contact that every shot has: the condition met and the pot, the offence, a time that ran out."""
    free.pots("P1")
    assert free.view["last"]["ruling"]["public"]["en"] == "cl. 11.1 (1), 20.1"
    free.pots("P2")
    assert free.view["last"]["ruling"]["public"]["en"] == "cl. 18 (1), 20.1"
    free.pots("P3", accept=False)
    free.do(c.Call(code="RP-16", by="A"))
    free.do(c.Accept())
    ruling = free.view["last"]["ruling"]
    assert ruling["public"]["ru"] == "п. 16"
    assert ruling["decided"] == ["RP-16"]
    assert ruling["clauses"][0] == "RP-4.1", "the derivation keeps its order"


def test_a_call_that_the_hub_makes_is_told_in_words(free: Any) -> None:
    """The overrun is no chip of the palette: sheet, sensor data and match page name it all the same."""
    for _ in range(2):
        free.do(c.Extension(by="A"))
    free.wait(41)
    free.do(c.TimeCalled())
    call = free.sheet["calls"][0]
    assert (call["code"], call["words"]["ru"]) == ("RP-26.1.11", "Время (п. 26.1 (11))")
    said = [row for row in free.sheet["observations"] if row["source"] == "referee"]
    assert said[0]["text"] == call["words"]
    assert events(free.table.run, free.table.match.game_id)[-1]["called"] == call["words"]


@pytest.mark.clause("RP-28.2a")
def test_extra_time_taken_is_told_until_the_stroke(free: Any) -> None:
    """Asked for or called, it shows beside the clock with what is left; the next stroke begins with none taken."""
    assert free.view["clock"]["taken"] == 0
    free.do(c.Extension(by="A"))
    free.wait(42)
    free.do(c.TimeCalled())
    assert "time_called" in free.notices()
    assert free.view["clock"]["taken"] == 2
    assert free.view["players"]["A"]["extensions_left"] == 0
    free.pots("P1")
    assert "time_called" not in free.notices(), "the call belongs to its stroke"
    assert free.view["clock"]["taken"] == 0


def test_a_stroke_behind_the_foul_of_the_clock_is_not_called_early(free: Any) -> None:
    """'Time' was called; the click that comes after it belongs to no earlier shot that was still to be decided."""
    for _ in range(2):
        free.do(c.Extension(by="A"))
    free.wait(41)
    free.do(c.TimeCalled())
    stroke(free)
    assert "struck-late" in free.notices()
    assert "struck-early" not in free.notices()
    free.do(c.Accept())
    assert "struck-late" in free.notices()


def test_a_stroke_before_the_ruling_is_still_called_early(free: Any) -> None:
    free.pots("P1", accept=False)
    stroke(free)
    assert "struck-early" in free.notices()


@pytest.mark.clause("FP-P.4")
def test_an_award_is_told_until_something_else_happens(carom: Any) -> None:
    """To everybody what and to whom; to the referee why."""
    carom.play("N")
    assert carom.view["award"] is None
    carom.do(c.AwardGame(to="B", note="left the hall"))
    assert carom.view["award"] == {"what": "game", "to": "B", "game_no": 1}
    assert carom.sheet["award"]["note"] == "left the hall"
    carom.do(c.NextGame())
    carom.do(c.Ready())
    assert carom.view["award"] is None
    carom.play("N")
    carom.do(c.AwardMatch(to="B", note="excluded"))
    assert carom.view["award"] == {"what": "match", "to": "B", "game_no": 2}
    assert [(one["what"], one["game_no"]) for one in awards(carom.table.match)] == [("game", 1), ("match", 2)]
    carom.do(c.Undo())
    assert carom.view["award"] is None


@pytest.mark.clause("FP-2.3")
def test_a_correction_lists_the_shot_that_only_now_reaches_the_limit(drivers: Any) -> None:
    """The later shot reads the same before and after; it wins the game now, and its points are cut."""
    driver = drivers()
    driver.five_pins(options={"points_limit": 11, "games": 1})
    driver.play("N")
    driver.play("")
    driver.play("C")
    seen = core.preview(driver.table, c.Amend(shot=1, changes=e.Change(pins=("N", "E")), dry_run=True))
    assert isinstance(seen, core.Preview)
    view = projections.preview_view(driver.table, seen)
    changed = {item["shot"]: item for item in view["changed"]}
    assert set(changed) == {1, 3}
    assert changed[3]["old"]["short"] == changed[3]["new"]["short"]
    assert (changed[3]["old"]["winner"], changed[3]["new"]["winner"]) == (None, "A")
    assert changed[3]["new"]["limit"] == {"wanted": 8, "given": 7}


def test_a_table_without_sensors_misses_none(drivers: Any) -> None:
    """R029: nothing is said to be absent where nothing was ever fitted; the same where a match is scored by hand."""
    bare = drivers(born=False, sensors=False)
    bare.five_pins()
    bare.do(c.Strike())
    assert bare.view["sensors"] == []
    assert bare.view["watched"] is False
    assert bare.sheet["observations"] == []
    hand = drivers()
    hand.five_pins(manual=True)
    hand.do(c.Strike())
    assert hand.view["watched"] is False
    assert hand.view["sensors"] != []
    assert hand.sheet["observations"] == []
    fitted = drivers()
    fitted.five_pins()
    fitted.click()
    assert fitted.view["watched"] is True
    assert {row["status"] for row in fitted.sheet["observations"]} >= {"not_seen"}


def test_switches_name_their_clauses_as_the_text_does() -> None:
    """No id of ours stands on the form of a match."""
    for game in games().values():
        for switch in game["switches"]:
            for lang in LANGUAGES:
                assert not any(mark in switch["public"][lang] for mark in ("RP-", "FP-", "EXT-")), switch["name"]
    live = next(one for one in games()["free-pyramid"]["switches"] if one["name"] == "live_tv")
    assert live["public"]["ru"] == "п. 28.1, 29.2"
