"""Who may do what: referee, two friends with one tablet, practice, a scoreboard without any sensor."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import table as core


def complete(driver: Any, pins: str = "N") -> None:
    driver.shot(pins)
    driver.answer_all(Q1="opponent", Q2="nobody", Q3="no")


def test_two_friends_a_certain_proposal_counts_down_and_is_accepted(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(policy="self")
    complete(driver)
    assert driver.phase == "proposed"
    assert driver.view["countdown"] == {"remaining_ms": 5000, "total_ms": 5000, "held": False}
    driver.wait(4.9)
    assert driver.score == (0, 0)
    driver.wait(0.2)
    assert driver.score == (2, 0)
    accepted = [entry.body for entry in driver.journal if isinstance(entry.body, e.Accepted)]
    assert accepted[0].by == e.Side.COUNTDOWN
    assert accepted[0].ruling["game"] == "five-pins"
    driver.do(c.Undo(), core.Role.PLAYER)
    assert driver.score == (0, 0)


def test_either_player_can_hold_the_countdown(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(policy="self")
    complete(driver)
    driver.do(c.Hold(), core.Role.PLAYER)
    assert driver.view["countdown"]["held"]
    driver.wait(30)
    assert driver.phase == "proposed"
    driver.do(c.Accept(), core.Role.PLAYER)
    assert driver.score == (2, 0)


def test_incomplete_evidence_never_counts_down(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(policy="self")
    driver.click()
    driver.now += 300_000
    driver.click()
    driver.put(e.Loss(1, 3))
    driver.do(c.Still(), core.Role.PLAYER)
    driver.answer_all(QP="none", Q1="opponent", Q2="nobody", Q3="no")
    assert driver.phase == "proposed"
    assert driver.view["countdown"] is None
    driver.wait(30)
    assert driver.score == (0, 0)


def test_a_referee_match_never_counts_down_and_players_cannot_rule(carom: Any) -> None:
    complete(carom)
    assert carom.view["countdown"] is None
    assert carom.refuse(c.Accept(), core.Role.PLAYER).code == "role"
    assert carom.refuse(c.Undo(), core.Role.PLAYER).code == "role"
    assert carom.refuse(c.Accept(), core.Role.VIEWER).code == "role"
    carom.do(c.Accept())


def test_a_stale_acceptance_is_refused_with_the_fresh_position(carom: Any) -> None:
    carom.shot("N")
    seen = carom.table.n
    carom.do(c.Answer(question="Q1", answer="opponent"))
    refusal = carom.refuse(c.Accept(seen=seen))
    assert refusal.code == "stale"
    assert refusal.n == carom.table.n
    carom.answer_all(Q2="nobody", Q3="no")
    carom.do(c.Accept(seen=carom.table.n))
    assert carom.refuse(c.Accept(seen=carom.table.n - 1)).code == "stale"


def test_a_scoreboard_without_sensors_plays_a_game(drivers: Any) -> None:
    driver = drivers(born=False, sensors=False)
    driver.five_pins(options={"points_limit": 6, "games": 1})
    assert driver.phase == "armed"
    for turn in range(3):
        driver.do(c.Strike())
        assert driver.phase == "asking"
        fell = "N,E" if turn == 2 else "N" if turn == 0 else "none"
        driver.answer_all(QP=fell, Q1="opponent", Q2="nobody", Q3="no")
        driver.do(c.Accept())
    assert driver.phase == "match_over"
    assert driver.score == (6, 0)


@pytest.mark.parametrize("game", ["free-pyramid", "dynamic-pyramid", "combined-pyramid"])
def test_a_frame_of_each_pyramid_without_sensors(drivers: Any, game: str) -> None:
    driver = drivers(born=False, sensors=False, profile="pyramid")
    driver.pyramid(game, options={"race_to": 1, "target": 3})
    for _ in range(10):
        if driver.phase == "match_over":
            break
        driver.do(c.Strike())
        driver.decide()
        if driver.phase == "asking":
            driver.decide(QN="1", QL="legal")
        driver.do(c.Accept())
        while driver.phase in ("placing", "respotting"):
            due = driver.view["due"]
            driver.do(c.Choice(value=due["choices"][0]) if due["kind"] == "choice" else c.Ready())
    assert len(driver.table.match.shots) > 2


def test_manual_entry_is_a_ruling_without_a_stroke(carom: Any) -> None:
    carom.do(c.Manual(points={"B": 4}, note="clause P.3"))
    assert carom.score == (0, 4)
    assert carom.view["last"]["ruling"]["kind"] == "manual"
    assert carom.view["last"]["note"] == "clause P.3"


def test_a_match_needs_the_right_table_or_the_word_manual(drivers: Any) -> None:
    driver = drivers(profile="pyramid")
    start = c.MatchStart(
        game="five-pins",
        players={"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")},
        options={"points_limit": 9, "games": 1},
    )
    assert driver.refuse(start).code == "profile"
    bad = c.MatchStart(
        game="free-pyramid", players={"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")}, options={"race": 1}
    )
    assert driver.refuse(bad).code == "race"
    nameless = c.MatchStart(game="free-pyramid", players={"A": e.PlayerInfo(" ")}, options={"race_to": 1})
    assert driver.refuse(nameless).code == "players"


def test_practice_has_no_clock_and_players_start_it(drivers: Any) -> None:
    driver = drivers(profile="pyramid")
    players = {"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")}
    command = c.MatchStart(
        game="free-pyramid", players=players, options={"race_to": 1}, opener="A", policy="self", practice=True
    )
    driver.do(command, core.Role.PLAYER)
    driver.do(c.Ready(), core.Role.PLAYER)
    assert driver.phase == "armed"
    assert driver.view["clock"] is None
    assert driver.view["match"]["practice"]


def test_contact_reset_by_its_switch(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins()
    driver.play("N")
    driver.do(c.ContactReset())
    assert driver.phase == "placing"
    assert driver.view["mode"] == "contact-reset"
    driver.do(c.Ready())
    driver.play("E")
    assert driver.score == (2, 0)
    other = drivers()
    other.five_pins(options={"contact_reset": False})
    other.play("N")
    assert other.refuse(c.ContactReset()).code == "contact_reset"


def test_suspend_and_resume_keep_the_place(carom: Any) -> None:
    carom.shot("N")
    assert carom.refuse(c.Suspend(note="")).code == "note"
    carom.do(c.Suspend(note="power cut"))
    assert carom.phase == "suspended"
    assert carom.refuse(c.Accept()).code == "phase"
    carom.do(c.Resume())
    assert carom.phase == "asking"


def test_suspending_a_running_shot_leaves_it_incomplete(carom: Any) -> None:
    carom.click()
    carom.do(c.Suspend(note="fire alarm"))
    carom.do(c.Resume())
    assert carom.phase == "asking"
    assert carom.view["incomplete"]


@pytest.mark.clause("FP-9.1")
@pytest.mark.clause("FP-9.2")
@pytest.mark.clause("FP-P.4")
def test_awards_of_game_and_match_and_a_replayed_game(carom: Any) -> None:
    carom.play("N")
    carom.do(c.AwardGame(to="replay", note="the table was moved"))
    assert carom.score == (0, 0)
    assert carom.view["turn"] == "A"
    carom.do(c.AwardGame(to="B", note="left the hall"))
    assert carom.phase == "game_over"
    assert carom.view["games"][0]["forfeit"]
    carom.do(c.NextGame())
    carom.do(c.AwardMatch(to="B", note="excluded"))
    assert carom.phase == "match_over"
    assert carom.view["winner"] == "B"


def test_an_unforeseen_interference_voids_the_stroke(carom: Any) -> None:
    carom.click()
    carom.fall("N")
    carom.do(c.Interference(value="restorable", note="a spectator"))
    assert carom.phase in ("respotting", "placing")
    assert carom.score == (0, 0)
    assert carom.view["turn"] == "A"


def test_lag_replay_and_late_marks(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(opener=None)
    driver.do(c.LagResult(winner="replay", late=("A",)))
    assert driver.phase == "lag"
    driver.do(c.LagResult(winner="replay", late=("A",)))
    assert driver.phase == "placing"
    assert driver.view["due"]["player"] == "B"
    driver.do(c.Choice(value="open"))
    assert driver.view["turn"] == "B"


@pytest.mark.parametrize("value", ["alternate", "lag"])
def test_decider_opening(drivers: Any, value: str) -> None:
    driver = drivers()
    driver.five_pins(options={"points_limit": 2, "games": 3, "decider_opening": value, "breaks": {}})
    driver.play("N")
    driver.do(c.NextGame())
    driver.do(c.Ready())
    driver.play("N")
    assert driver.phase == "game_over"
    driver.do(c.NextGame())
    assert driver.phase == ("lag" if value == "lag" else "placing")
