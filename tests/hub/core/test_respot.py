"""What goes back where: the rules' drawing on the sheet, with what is done left out."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

from marker_hub import commands as c

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
