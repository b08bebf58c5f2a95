"""A refusal is read by a referee: in his language, saying what is the matter."""

from __future__ import annotations

import re
from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core
from marker_hub.projections import rule_words

LATIN = re.compile(r"[A-Za-z]{3,}")
PLAYERS: Any = {"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")}


def words(refusal: core.Refusal) -> dict[str, str]:
    made = projections.refusal_text(refusal)
    assert set(made) == {"ru", "en", "it"}
    assert all(made.values())
    return made


def test_every_text_is_in_three_languages() -> None:
    for table in (rule_words.BY_CLAUSE, rule_words.BY_COMMAND, rule_words.BY_CODE, rule_words.ELSE):
        for text in table.values():
            assert not LATIN.search(text.ru.replace("{code}", "").replace("{call}", "")), text
            assert re.search("[а-я]", text.ru)
            assert len({*text}) == 3


def test_taking_back_what_was_never_called_or_answered_is_refused(carom: Any) -> None:
    carom.shot("N")
    assert carom.refuse(c.Uncall(code="P", by="A")).code == "not-called"
    assert carom.refuse(c.Unanswer(question="Q1")).code == "not-answered"
    carom.do(c.Call(code="Z", by="A"))
    assert carom.refuse(c.Uncall(code="Z", by="B")).code == "not-called"
    carom.do(c.Uncall(code="Z", by="A"))
    assert carom.refuse(c.Uncall(code="Z", by="A")).code == "not-called"
    carom.do(c.Answer(question="Q1", answer="red"))
    carom.do(c.Unanswer(question="Q1"))
    assert "отвечали" in words(carom.refuse(c.Unanswer(question="Q1")))["ru"]


def test_a_question_of_the_hub_is_not_taken_back_but_answered(drivers: Any) -> None:
    """Nothing rolled, a pin fell: until somebody says what it was the shot stays; an empty answer must not drop it."""
    driver = drivers()
    driver.five_pins()
    driver.fall("N")
    driver.wait(1.5)
    assert driver.view["asking"]["ask"] == "disturbed"
    assert driver.refuse(c.Unanswer(question="disturbed")).code == "not-answered"
    assert driver.view["asking"]["ask"] == "disturbed"


@pytest.mark.parametrize(
    ("game", "command", "said"),
    [
        ("five-pins", c.Manual(points={"A": 900}, note="x"), "Столько записать нельзя"),
        ("five-pins", c.Amend(shot=9, changes=e.Change(void=True)), "Такого удара"),
        ("five-pins", c.Call(code="Z", by="A"), "нарушение «Z»"),
        ("five-pins", c.ContactReset(), "соприкосновения"),
        ("free-pyramid", c.Manual(points={"A": 1}, note="x", ball_in_hand=True), "битка с руки"),
        ("free-pyramid", c.Act(action="white", value="taken"), "Снимать шар"),
        ("free-pyramid", c.Act(action="late", player="A", value="70"), "телевизионном"),
        ("free-pyramid", c.Act(action="hall_referee", player="A"), "Серии"),
        ("free-pyramid", c.Extension(by="B"), "чей удар"),
    ],
    ids=lambda value: value if isinstance(value, str) else c.kind_of(value),
)
def test_the_rules_refuse_in_the_referees_language(drivers: Any, game: str, command: c.Command, said: str) -> None:
    driver = drivers(profile="carom5" if game == "five-pins" else "pyramid")
    driver.five_pins() if game == "five-pins" else driver.pyramid(game)
    made = words(driver.refuse(command))
    assert said in made["ru"], made
    assert not LATIN.search(made["ru"])


def test_a_second_break_and_a_second_pair_of_extra_times(free: Any) -> None:
    free.do(c.BreakRequest(by="A"))
    free.do(c.Resume())
    free.do(c.Ready())
    assert "29.1" in words(free.refuse(c.BreakRequest(by="A")))["ru"]
    for _ in range(2):
        free.do(c.Extension(by="A"))
    assert "(2)" in words(free.refuse(c.Extension(by="A")))["it"]


def test_what_the_rules_did_not_take_after_all_is_said_in_every_language(drivers: Any) -> None:
    """A notice, not an answer: the entry was journalled, as one of an earlier version. The rules' own text is English."""
    driver = drivers(profile="pyramid")
    driver.pyramid("dynamic-pyramid")
    driver.put(e.LayoutSet(balls=16))
    (notice,) = [notice for notice in driver.view["notices"] if notice["code"] == "refused"]
    reason = notice["args"]["reason"]
    assert set(reason) == {"ru", "en", "it"}
    assert not LATIN.search(reason["ru"])
    assert reason["it"] == "Sul tavolo non possono esserci tante bilie."
    assert not any("balls; give" in text for text in reason.values()), "no message of the rules"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"games": 3}, {"ru": "очков", "en": "points that win a game", "it": "punti"}),
        ({"points_limit": 60}, {"ru": "партий", "en": "number of games", "it": "partite"}),
        ({"points_limit": 0, "games": 3}, {"ru": "очков", "en": "points that win a game", "it": "punti"}),
        ({}, {"ru": "очков", "en": "points that win a game", "it": "punti"}),
    ],
)
def test_a_match_without_its_length_is_asked_for_it(
    drivers: Any, options: dict[str, int], said: dict[str, str]
) -> None:
    made = words(drivers().refuse(c.MatchStart(game="five-pins", players=PLAYERS, options=options)))
    assert all(word in made[lang] for lang, word in said.items()), made


def test_no_refusal_mixes_english_into_another_language(carom: Any) -> None:
    """What is allowed is named by codes, never by English words beside them."""
    made = carom.refuse(c.Layout(pins=("N", "N")))
    assert "each" not in words(made)["ru"]
    made = carom.refuse(c.Log(code="zz"))
    assert "clauses" not in words(made)["ru"]


def test_a_match_that_cannot_be_set_up_names_the_setting(drivers: Any) -> None:
    driver = drivers()
    start = c.MatchStart(game="five-pins", players=PLAYERS, options={"points_limit": 60, "games": 4})
    assert "нечётным" in words(driver.refuse(start))["ru"]
    start = c.MatchStart(game="five-pins", players=PLAYERS, options={"points_limit": 60, "games": 3, "nonsense": 1})
    assert "nonsense" in words(driver.refuse(start))["ru"]
