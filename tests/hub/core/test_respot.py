"""What goes back where: the rules' drawing on the sheet, with what is done left out."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e

SVG = "{http://www.w3.org/2000/svg}"


def drawn(driver: Any) -> list[str]:
    """What the drawing marks: classes of its marks, `half` for the tinted half, balls of a pyramid drawing as `ball`."""
    text = driver.sheet["respot"]
    if text is None:
        return []
    found = []
    for item in ET.fromstring(text).iter():
        name = item.get("class") or ""
        if name.startswith("put") or name == "half":
            found.append(name.removeprefix("put "))
        elif item.tag == f"{SVG}circle" and not name and item.get("stroke"):
            found.append("ball")
    return sorted(found)


def test_the_opening_stroke_shows_its_balls_and_half_until_they_lie_there(drivers: Any) -> None:
    driver = drivers()
    driver.do(c.MatchStart(game="five-pins", players=players(), options={"points_limit": 50, "games": 3}, opener="A"))
    assert driver.phase == "placing"
    assert drawn(driver) == ["half", "opponent", "red"]
    assert [item["what"] for item in driver.sheet["placements"]] == ["red", "opponent"]
    driver.do(c.Place(what="red"))
    assert drawn(driver) == ["half", "opponent"]
    assert [item["done"] for item in driver.sheet["placements"]] == [True, False]
    driver.do(c.Ready())
    assert driver.phase == "armed"
    assert drawn(driver) == []
    driver.do(c.Undo())
    assert drawn(driver) == ["half", "opponent"]


def test_pins_alone_are_told_by_their_sensors_and_need_no_drawing(carom: Any) -> None:
    carom.shot("NE")
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert drawn(carom) == []
    assert {item["what"]: item["done"] for item in carom.sheet["placements"]} == {"N": False, "E": False}
    carom.stand("N")
    assert {item["what"]: item["done"] for item in carom.sheet["placements"]} == {"N": True, "E": False}


def test_ball_in_hand_after_a_jump(carom: Any) -> None:
    carom.shot("N")
    carom.do(c.Call(code="D", by="A", args=("red",)))
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert drawn(carom) == ["pin", "red"]
    assert carom.view["due"]["choices"] == ["in_place", "start"]
    assert carom.view["due"]["chosen"] is None
    carom.do(c.Choice(value="start"))
    assert carom.view["due"]["chosen"] == "start"
    assert drawn(carom) == ["half", "opponent", "pin", "red"]
    carom.do(c.Ready())
    assert carom.phase == "armed"


def test_without_sensors_the_table_is_armed_and_the_list_stays(drivers: Any) -> None:
    driver = drivers(sensors=False)
    driver.five_pins()
    driver.do(c.Strike())
    driver.do(c.Call(code="D", by="A", args=("red",)))
    driver.decide(QP="none", Q1="opponent", Q2="nobody", Q3="no")
    driver.do(c.Accept())
    assert driver.phase == "armed"
    assert "red" in drawn(driver)
    assert driver.view["due"]["placements"] == [], "spectators are told nothing that nobody waits for"
    driver.do(c.Place(what="red"))
    assert "red" not in drawn(driver)


def left(driver: Any) -> list[str]:
    """What the sheet lists and nobody has put back."""
    return [item["what"] for item in driver.sheet["placements"] if not item["done"]]


def red_off(driver: Any, pin: str = "N") -> None:
    """A stroke that fells a pin and throws the red ball off the table."""
    striker = driver.view["turn"]
    if driver.config.sensors:
        driver.shot(pin)
    else:
        driver.do(c.Strike())
    driver.do(c.Call(code="D", by=striker, args=("red",)))
    driver.decide(QP=pin, Q1="opponent", Q2="nobody", Q3="no")
    driver.do(c.Accept())


def called(driver: Any, code: str, by: str) -> None:
    """An error between strokes, accepted."""
    driver.do(c.Call(code=code, by=by))
    driver.do(c.Accept())


@pytest.mark.clause("FP-J.3d")
def test_a_ruling_between_strokes_leaves_what_is_still_to_be_put_back(carom: Any) -> None:
    red_off(carom)
    assert (carom.phase, left(carom)) == ("placing", ["N", "red"])
    called(carom, "K", "B")
    assert (carom.phase, left(carom)) == ("placing", ["N", "red"])
    assert [item["what"] for item in carom.view["due"]["placements"]] == ["N", "red"]
    carom.stand("N")
    called(carom, "K", "A")
    assert left(carom) == ["red"], "what was put back meanwhile is not"
    carom.do(c.Manual(points={"A": 2, "B": 0}, next="B", note="conduct"))
    assert (carom.phase, left(carom)) == ("respotting", ["red"]), "the table is not ready before"
    carom.do(c.Undo())
    carom.do(c.Place(what="red"))
    carom.do(c.Manual(points={"A": 2, "B": 0}, next="B", note="conduct"))
    assert (carom.phase, left(carom)) == ("armed", [])
    assert carom.notices() == set()


@pytest.mark.clause("FP-J.3d")
def test_nothing_is_left_to_put_back_once_all_is_placed_or_struck(carom: Any) -> None:
    red_off(carom)
    carom.do(c.Ready())
    called(carom, "K", "B")
    assert (carom.phase, carom.sheet["placements"]) == ("placing", []), "only the ball in hand"
    carom.do(c.Ready())
    carom.play("E", Q2="cue")
    assert carom.sheet["placements"] == []


@pytest.mark.clause("FP-J.3d")
def test_without_sensors_rulings_between_strokes_leave_the_list(drivers: Any) -> None:
    """A ruling of the referee's own at a table that waits for a stroke may stand for one: the list stays all the same."""
    driver = drivers(sensors=False)
    driver.five_pins()
    red_off(driver)
    driver.do(c.Manual(points={"A": 0, "B": 2}, next="A", note="conduct"))
    assert (driver.phase, left(driver)) == ("armed", ["N", "red"])
    called(driver, "K", "A")
    assert "red" in drawn(driver)
    driver.do(c.Place(what="red"))
    called(driver, "K", "B")
    assert left(driver) == ["N"]
    driver.do(c.Strike())
    driver.decide(QP="none", Q1="opponent", Q2="nobody", Q3="no")
    driver.do(c.Accept())
    assert driver.sheet["placements"] == []


def test_a_correction_further_back_does_not_bring_back_what_was_placed(carom: Any) -> None:
    carom.play("S")
    red_off(carom)
    carom.do(c.Place(what="red"))
    called(carom, "K", "B")
    carom.do(c.Manual(points={"A": 2, "B": 0}, next="A", note="conduct"))
    assert left(carom) == ["N"]
    before = carom.score
    carom.do(c.Amend(shot=1, changes=e.Change(void=True)))
    assert (carom.score, left(carom)) == ((before[0] - 2, before[1]), ["N"])
    carom.do(c.Amend(shot=3, changes=e.Change(calls=())))
    assert left(carom) == ["N"]


@pytest.mark.clause("FP-C.5")
def test_a_reset_of_the_balls_is_placed_anew_but_the_pins_stay_due(drivers: Any) -> None:
    driver = drivers(sensors=False)
    driver.five_pins()
    driver.do(c.Place(what="red"))
    driver.do(c.Strike())
    driver.decide(QP="N", Q1="opponent", Q2="nobody", Q3="no")
    driver.do(c.Accept())
    driver.do(c.Place(what="N"))
    driver.do(c.ContactReset())
    assert left(driver) == ["red", "opponent"]
    assert [item["what"] for item in driver.sheet["placements"]] == ["N", "red", "opponent"]


def test_a_penalty_ball_comes_beside_the_one_that_is_still_to_be_placed(drivers: Any) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid()
    driver.pots("P1")
    driver.pots("P2", accept=False)
    driver.do(c.Call(code="RP-16", by="A"))
    driver.do(c.Accept())
    assert len(left(driver)) == 2
    called(driver, "RP-15.1", "A")
    assert [item["spot"] for item in driver.sheet["placements"]] == ["line-1", "line-2"], (
        "nothing on the shelf any more"
    )
    driver.do(c.Choice(value="play"))
    driver.do(c.Manual(points={"A": 0, "B": 0}, next="B", note="conduct"))
    assert len(left(driver)) == 2
    driver.do(c.Ready())
    driver.pots("P3")
    assert left(driver) == []


def test_pyramid_draws_the_rack_and_the_line(drivers: Any) -> None:
    driver = drivers(profile="pyramid")
    driver.do(c.MatchStart(game="free-pyramid", players=players(), options={"race_to": 2}, opener="A"))
    assert drawn(driver) == ["ball"] * 15
    driver.do(c.Ready())
    driver.pots("P1")
    driver.do(c.Strike())
    driver.do(c.Call(code="RP-16", by="A"))
    driver.now += 1_000_000
    driver.do(c.Still())
    driver.decide()
    driver.do(c.Accept())
    driver.do(c.Choice(value=driver.view["due"]["choices"][0]))
    assert drawn(driver) == ["ball"]


def players() -> Any:
    from marker_hub.entries import PlayerInfo

    return {"A": PlayerInfo("a"), "B": PlayerInfo("b")}
