"""Every lettered error, every offence and every switch value is reached through the table; buttons, refusals, previews, lag hints."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hardware.codes import Kind
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core
from marker_hub.projections.palette import PYRAMID, REMARKS
from marker_hub.projections.refusals import KEYS
from marker_rules.balls import GameId
from marker_rules.five_pins.offences import ERRORS
from marker_rules.options import presets, switches
from marker_rules.pyramid.offences import FOULS

SHOWN = {"B": {"Q1": "red", "Q4": "yes"}, "V": {"Q1": "opponent", "Q2": "nobody", "Q3": "before"}, "G": {"Q1": "none"}}
PLAYERS = {"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")}


@pytest.mark.parametrize("row", ERRORS, ids=lambda row: row.letter)
def test_every_error_of_five_pins_is_reached(drivers: Any, row: Any) -> None:
    driver = drivers()
    driver.five_pins(options={"foot_always": True})
    driver.shot("N")
    if row.letter in SHOWN:
        driver.answer_all(**SHOWN[row.letter])
    else:
        extra = {"args": ("red",)} if row.letter == "D" else {}
        driver.do(c.Call(code=row.letter, by="A", **extra))
        driver.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    assert row.clause in driver.sheet["proposal"]["clauses"]
    driver.do(c.Accept())
    assert driver.score[1] >= 2
    assert driver.view["mode"] == "hand"


@pytest.mark.parametrize("row", [row for row in ERRORS if row.idle], ids=lambda row: row.letter)
@pytest.mark.parametrize("by", ["A", "B"])
def test_errors_between_strokes(drivers: Any, row: Any, by: str) -> None:
    driver = drivers()
    driver.five_pins()
    when = "during" if by == "A" else "sitting"
    if by == "B" and not row.waiting:
        assert driver.refuse(c.Call(code=row.letter, by=by, when=when)).code
        return
    driver.do(c.Call(code=row.letter, by=by, when=when))
    assert driver.phase == "proposed"
    driver.do(c.Accept())
    assert driver.score == ((0, 2) if by == "A" else (2, 0))
    assert driver.view["turn"] == ("B" if by == "A" else "A")


def test_a_call_taken_back_leaves_no_trace(carom: Any) -> None:
    carom.do(c.Call(code="P", by="A"))
    carom.do(c.Uncall(code="P", by="A"))
    assert carom.phase == "armed"
    carom.shot("N")
    carom.do(c.Call(code="Z", by="A"))
    carom.do(c.Uncall(code="Z", by="A"))
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert carom.score == (2, 0)


BY_FACTS = ("RP-4.3", "RP-11.1.P")
"""Offences that only the facts of a shot show."""


@pytest.mark.parametrize(
    "code", [code for code, row in FOULS.items() if GameId.FREE in row.games and code not in BY_FACTS]
)
def test_every_offence_of_pyramid_is_reached(drivers: Any, code: str) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid()
    driver.pots("P1")
    by, when = ("B", "sitting") if code == "RP-25" else ("A", "during")
    if code == "RP-18.P":
        driver.pots(accept=False, QL="foul")
    elif FOULS[code].idle:
        driver.do(c.Call(code=code, by=by, when=when))
    else:
        driver.do(c.Strike())
        driver.do(c.Call(code=code, by=by, when=when))
        driver.now += 1_000_000
        driver.do(c.Still())
        driver.decide()
    ruling = driver.sheet["proposal"]
    assert ruling["kind"] == "foul"
    assert any(clause in ruling["clauses"] for clause in (code, FOULS[code].penalised_by))
    driver.do(c.Accept())
    assert driver.view["due"]["kind"] == "choice"


def test_offences_shown_by_the_facts_of_a_break(free: Any) -> None:
    free.click()
    free.now += 1_000_000
    free.do(c.Still())
    free.answer_all(QB="no", QL="foul")
    found = set()
    for row in free.sheet["rows"]:
        for answer in row["answers"]:
            free.do(c.Answer(question=row["id"], answer=answer["id"]))
            found.update(free.sheet["proposal"]["clauses"])
    assert found & set(BY_FACTS)


@pytest.mark.parametrize("code", sorted(REMARKS))
def test_remarks_are_recorded_and_change_nothing(free: Any, code: str) -> None:
    free.do(c.Log(code=code, by="A", note="seen"))
    assert free.phase == "armed"
    assert free.score == (0, 0)
    assert free.table.match.state.log[-1].clause == code


@pytest.mark.parametrize(
    ("game", "name", "value"),
    [
        (game, name, value)
        for game in GameId
        for name, switch in switches(game).items()
        for value in (switch.values or ())
    ],
)
def test_every_switch_value_starts_a_match_and_is_kept_with_it(
    drivers: Any, game: GameId, name: str, value: Any
) -> None:
    driver = drivers(profile="pyramid" if game.is_pyramid else "carom5")
    base = {"race_to": 2} if game.is_pyramid else {"points_limit": 20, "games": 3}
    driver.do(c.MatchStart(game=game.value, players=PLAYERS, options={**base, name: value}, opener="A"))  # type: ignore[arg-type]
    assert driver.table.match.options[name] == value


@pytest.mark.parametrize(("game", "preset"), [(game, name) for game in GameId for name in presets(game)])
def test_every_preset(drivers: Any, game: GameId, preset: str) -> None:
    driver = drivers(profile="pyramid" if game.is_pyramid else "carom5")
    base = {"race_to": 2} if game.is_pyramid else {"points_limit": 20, "games": 3}
    driver.do(c.MatchStart(game=game.value, players=PLAYERS, options=base, preset=preset, opener="A"))  # type: ignore[arg-type]
    assert driver.view["match"]["preset"] == preset


@pytest.mark.parametrize(("value", "extra"), [(0, 0), (2, 2)])
def test_bevuto_extra_reaches_the_score(drivers: Any, value: int, extra: int) -> None:
    driver = drivers()
    driver.five_pins(options={"bevuto_extra": value})
    driver.play("N", Q3="after")
    assert driver.score == (0, 2 + extra)


@pytest.mark.parametrize(("value", "over"), [(False, True), (True, False)])
def test_play_all_reaches_the_end_of_the_match(drivers: Any, value: bool, over: bool) -> None:
    driver = drivers()
    driver.five_pins(options={"points_limit": 2, "games": 3, "play_all": value, "breaks": {}})
    driver.play("N")
    driver.do(c.NextGame())
    driver.do(c.Ready())
    driver.play("", Q1="none")
    assert driver.view["players"]["A"]["games"] == 2
    assert (driver.phase == "match_over") is over


def test_the_palette_names_every_call_in_three_languages(carom: Any, free: Any) -> None:
    letters = {row.letter for row in ERRORS} - set(SHOWN)
    for driver, codes in ((carom, letters), (free, set(PYRAMID))):
        entries = driver.sheet["palette"]
        assert {entry["code"] for entry in entries} == codes
        for entry in entries:
            assert set(entry["word"]) == {"ru", "en", "it"}
            assert all(entry["word"].values())
            assert entry["possible"] or entry["reason"]


def test_table_buttons(carom: Any) -> None:
    def press(name: str, kind: Kind = Kind.PRESS, held: int = 0) -> c.Command | None:
        carom.obs(name, kind, held)
        return projections.table_button(carom.table, carom.journal[-1])

    carom.click()
    assert isinstance(press("BTN_STILL", Kind.RELEASE, 80), c.Still)
    assert isinstance(press("BTN_STILL", Kind.RELEASE, 1200), c.TimeCalled)
    assert press("BTN_YES") is None
    carom.now += 1_000_000
    carom.do(c.Still())
    asked = carom.sheet
    command = press("BTN_NO")
    assert isinstance(command, c.Answer)
    assert (command.question, command.answer) == (asked["question"], asked["buttons"]["a2"])
    carom.answer_all(Q1="opponent", Q2="nobody")
    assert isinstance(press("BTN_NO"), c.Reopen)
    yes = press("BTN_YES")
    assert isinstance(yes, c.Accept)
    carom.do(yes)
    assert isinstance(press("BTN_UNDO", Kind.RELEASE, 90), c.Undo)
    assert isinstance(press("BTN_UNDO", Kind.RELEASE, 1500), c.Suspend)


def test_a_press_whose_command_is_missing_is_owed_only_while_it_means_the_same(carom: Any) -> None:
    carom.shot("N")
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.obs("BTN_YES", Kind.PRESS)
    carom.put(e.HubStarted("again"))
    ((press, command),) = projections.owed(carom.table)
    assert isinstance(command, c.Accept)
    assert press.body == e.Obs(press.body.ch, Kind.PRESS.value, 0)
    assert command.key == "node:1:1:" + str(press.seq)
    carom.do(c.Reopen())
    assert projections.owed(carom.table) == ()
    carom.obs("BTN_STILL", Kind.RELEASE, 80)
    assert projections.owed(carom.table) == (), "refused when it was pressed"


def test_an_old_press_does_nothing(carom: Any) -> None:
    carom.put(e.ClockPair(1, carom.t, carom.OFFSET, 1000))
    stale = carom.record("BTN_STILL", Kind.RELEASE, 50)
    carom.click()
    carom.now += 20_000_000
    carom.deliver(stale)
    assert projections.table_button(carom.table, carom.journal[-1]) is None


WORDS = (
    "reason",
    "shots",
    "used",
    "call",
    "choices",
    "question",
    "questions",
    "answer",
    "answers",
    "field",
    "value",
    "allowed",
)


def test_every_refusal_has_words() -> None:
    for key in KEYS:
        words = projections.refusal_text(core.Refusal("x", key, dict.fromkeys(WORDS, "r")))
        assert set(words) == {"ru", "en", "it"}
        assert all("{" not in text for text in words.values())


def test_a_preview_shows_both_rulings(carom: Any) -> None:
    carom.play("N")
    made = core.preview(carom.table, c.Amend(shot=1, changes=e.Change(answers={"Q2": "cue"})))
    assert isinstance(made, core.Preview)
    shown = projections.preview_view(carom.table, made)
    assert shown["before"] == {"A": 2, "B": 0}
    assert shown["after"] == {"A": 6, "B": 0}
    assert [(item["old"]["short"], item["new"]["short"]) for item in shown["changed"]] == [("A+2", "A+6")]


def test_lag_hints(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(opener=None)
    driver.click()
    driver.now += 900_000
    driver.rail("PZ1")
    driver.now += 100_000
    driver.click()
    driver.rail("PZ2")
    assert driver.view["lag"] == {"late": True, "long": ["right"], "pins": []}
    driver.do(c.LagResult(winner="replay", late=("B",)))
    assert driver.view["lag"] == {"late": None, "long": [], "pins": []}


@pytest.mark.clause("RP-21.3")
@pytest.mark.parametrize(("value", "shown"), [(5, True), (0, False)])
def test_a_hanging_ball_is_prompted(drivers: Any, value: int, shown: bool) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid(options={"hang_prompt_s": value})
    driver.click()
    driver.now += 300_000
    driver.click()
    driver.now += 6_000_000
    driver.drop("P1")
    assert ("hanging" in driver.notices()) is shown


def test_did_not_see_is_an_answer_and_manual_remains(carom: Any) -> None:
    carom.shot("N")
    for question in ("Q1", "Q2", "Q3", "Q4"):
        if any(row["id"] == question for row in carom.sheet["rows"]):
            carom.do(c.Answer(question=question, answer="unknown"))
    assert carom.phase == "asking"
    assert carom.refuse(c.Accept()).code == "needed"
    carom.do(c.Manual(points={"A": 2}, note="nobody saw it"))
    assert carom.score == (2, 0)


def test_a_sheet_of_a_judged_shot_is_prefilled(carom: Any) -> None:
    carom.play("N", Q2="cue")
    sheet = projections.sheet_view(carom.table, 1)
    assert sheet["shot"] == 1
    assert sheet["proposal"]["short"] == "A+6"
    chosen = {row["id"]: row["selected"] for row in sheet["rows"]}
    assert chosen["Q2"] == "cue"
    assert sheet["record"]["striker"] == "A"
    assert projections.sheet_view(carom.table, 99)["rows"] == []


def test_announcements_carry_the_ruling_and_the_new_total(carom: Any) -> None:
    carom.play("N")
    said = [effect for effect in carom.effects if isinstance(effect, core.Announce) and effect.kind == "ruling"]
    assert projections.announcement(carom.table, said[-1])["ruling"]["short"] == "A+2"
    carom.effects.clear()
    carom.do(c.Amend(shot=1, changes=e.Change(answers={"Q2": "cue"})))
    corrections = [effect for effect in carom.effects if isinstance(effect, core.Announce)]
    assert len(corrections) == 1
    told = projections.announcement(carom.table, corrections[0])
    assert told["ruling"]["short"] == "A+6"
    assert told["score"] == {"A": 6, "B": 0}
