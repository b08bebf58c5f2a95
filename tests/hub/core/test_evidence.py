"""What arrives from the node and what it means: strikes, disturbances, gaps, late records, pending shots."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hardware.codes import Flag, Kind, Latch, Mode, PinState, Quality
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import table as core


@pytest.mark.report("R002")
def test_a_knock_on_the_rail_opens_no_shot(carom: Any) -> None:
    """R002: no ball moves, two neighbouring cushions fire 1-3 ms apart."""
    carom.rail("PZ1")
    carom.now += 2_000
    carom.rail("PZ2", Flag.XTALK)
    carom.wait(12)
    assert carom.phase == "armed"
    assert carom.view["live"] is None
    assert "knock" in carom.notices()
    carom.shot("N")
    facts = [fact["kind"] for fact in carom.view["live"]["facts"]]
    assert facts.count("cushion") == 1


@pytest.mark.report("R008")
def test_pins_set_up_one_by_one_never_score(carom: Any) -> None:
    """R008: the last pin put up nudges the first, however long it takes."""
    carom.shot("NES")
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    score = carom.score
    assert carom.phase == "respotting"
    for pin in ("N", "E"):
        carom.wait(20)
        carom.stand(pin)
        assert carom.phase == "respotting"
    carom.fall("N")
    carom.click()
    carom.wait(60)
    carom.stand("S")
    assert carom.phase == "respotting"
    assert carom.view["due"]["waiting"] == ["N"]
    carom.stand("N")
    assert carom.phase == "armed"
    assert carom.score == score
    assert len(carom.table.match.shots) == 1


@pytest.mark.report("R021")
def test_each_pin_appears_at_once_and_in_true_order(carom: Any) -> None:
    """R021: two pins fall 400 ms apart; each is shown as soon as its record is there, the score follows confirmation."""
    carom.click()
    carom.now += 300_000
    carom.fall("E")
    first = carom.view["live"]["facts"]
    assert [fact["what"] for fact in first if fact["kind"] == "pin"] == ["E"]
    assert carom.view["pins"]["E"] == "down"
    carom.now += 400_000
    carom.fall("W")
    pins = [fact for fact in carom.view["live"]["facts"] if fact["kind"] == "pin"]
    assert [fact["what"] for fact in pins] == ["E", "W"]
    assert pins[1]["ms"] - pins[0]["ms"] == 400
    assert carom.score == (0, 0)
    assert not carom.view["pins_decided"]


@pytest.mark.report("R027")
def test_a_hand_and_a_cloth_between_shots_score_nothing(carom: Any) -> None:
    """R027: pins and gates are stirred between two shots; no shot opens or closes, the turn stays, nothing scores."""
    for pin in ("N", "E", "S"):
        carom.obs(pin, Kind.MOVE, 300)
        carom.now += 50_000
        carom.stand(pin)
    carom.wait(5)
    assert carom.phase == "armed"
    assert "bump" in carom.notices()
    carom.obs("W", Kind.MOVE, 300)
    carom.stand("W")
    carom.wait(5)
    assert carom.phase == "armed"
    assert carom.view["turn"] == "A"
    assert carom.score == (0, 0)


@pytest.mark.report("R027")
def test_a_gate_stirred_between_shots_is_asked_and_scores_nothing(free: Any) -> None:
    """R027: a cloth through a pocket gate of a pyramid table."""
    free.pots("P1")
    free.drop("P3", int(Flag.UNSURE))
    free.wait(1.5)
    assert free.phase == "asking"
    assert free.sheet["needed"] == ["disturbed"]
    assert free.refuse(c.Accept()).code == "needed"
    free.do(c.Answer(question="disturbed", answer="nobody"))
    assert free.phase == "armed"
    assert free.score == (1, 0)
    assert len(free.table.match.shots) == 1


@pytest.mark.report("R026")
def test_the_possible_readings_are_offered_with_their_points(carom: Any) -> None:
    """R026: centre pin surely down, one side pin doubtful: 8 or 6, likeliest first."""
    carom.click()
    carom.now += 300_000
    carom.click()
    carom.fall("C")
    carom.obs("N", Kind.MOVE, 500)
    carom.obs("N", Kind.LOST, Latch.MAYBE)
    carom.obs("N", Kind.STATE, PinState.STANDING)
    carom.now += 1_000_000
    carom.do(c.Still())
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    assert carom.phase == "asking"
    row = next(row for row in carom.sheet["rows"] if row["id"] == "QP")
    assert row["multi"]
    assert {item["short"] for item in carom.sheet["direct"]} == {"A+8", "A+6"}
    carom.do(c.Pick(ruling="A+6"))
    assert carom.phase == "proposed"
    carom.do(c.Accept())
    assert carom.score == (6, 0)


@pytest.mark.report("R046")
def test_a_snapshot_after_a_restart_scores_nothing_and_is_asked_about(carom: Any) -> None:
    """R046: the hub restarts while three pins are lying on the table."""
    carom.now = 1_000_000
    carom.put(e.HubStarted("again"))
    carom.birth()
    for pin in ("N", "E", "S"):
        carom.obs(pin, Kind.STATE, PinState.FALLEN)
    assert carom.phase == "armed"
    assert carom.score == (0, 0)
    carom.wait(1.5)
    assert carom.phase == "asking"
    assert carom.sheet["needed"] == ["disturbed"]
    carom.do(c.Answer(question="disturbed", answer="referee"))
    assert carom.phase == "respotting"
    assert carom.score == (0, 0)
    carom.stand("N", "E", "S")
    assert carom.phase == "armed"


def test_a_disturbance_that_was_a_shot_is_judged_as_one(carom: Any) -> None:
    carom.fall("N")
    carom.wait(1.2)
    carom.do(c.Answer(question="disturbed", answer="shot"))
    assert carom.phase == "rolling"
    carom.wait(12)
    assert carom.phase == "asking"
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert carom.score == (2, 0)


@pytest.mark.parametrize(("who", "score"), [("A", (0, 2)), ("B", (2, 0))])
def test_a_disturbance_by_a_player_is_his_error(carom: Any, who: str, score: tuple[int, int]) -> None:
    carom.fall("N")
    carom.wait(1.2)
    carom.do(c.Answer(question="disturbed", answer=who))
    assert carom.phase == "proposed"
    carom.do(c.Accept())
    assert carom.score == score
    assert carom.phase in ("placing", "respotting")


def test_a_click_within_a_second_makes_it_a_stroke(carom: Any) -> None:
    early = carom.record("CLICK", Kind.HIT, 900)
    carom.now += 200_000
    carom.fall("N")
    assert carom.phase == "armed"
    carom.deliver(early)
    assert carom.phase == "rolling"
    assert [fact["what"] for fact in carom.view["live"]["facts"] if fact["kind"] == "pin"] == ["N"]


def test_without_a_healthy_click_any_motion_opens_the_shot(drivers: Any) -> None:
    driver = drivers(born=False)
    driver.birth(sick={"CLICK": Quality.STUCK})
    driver.stand()
    driver.five_pins()
    driver.rail()
    assert driver.phase == "rolling"
    driver.now += 1_000_000
    driver.do(c.NotAShot())
    assert driver.phase == "armed"


def test_a_pin_taken_off_by_the_referee_leaves_the_layout(carom: Any) -> None:
    armed = core.desired(carom.table).command_id
    carom.do(c.Layout(off=("N",)))
    assert carom.phase == "armed"
    assert carom.view["pins"]["N"] == "off"
    assert core.desired(carom.table).command_id != armed
    assert core.desired(carom.table).layout == ("C", "E", "S", "W")
    carom.play("C")
    assert carom.score == (4, 0)


def test_a_dead_pin_sensor_is_asked_and_its_seat_needs_one_tap(drivers: Any) -> None:
    driver = drivers(born=False)
    driver.birth(sick={"W": Quality.ABSENT})
    driver.stand("C", "N", "E", "S")
    driver.five_pins()
    driver.shot("N")
    assert any(row["id"] == "QP" for row in driver.sheet["rows"])
    driver.do(c.PickStanding(pins=("C", "E", "S")))
    driver.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    driver.do(c.Accept())
    assert driver.score == (4, 0)
    driver.stand("N")
    assert driver.phase == "respotting"
    assert driver.view["due"]["waiting"] == ["W"]
    driver.do(c.Place(what="W"))
    assert driver.phase == "armed"


def test_a_node_lost_in_mid_shot_makes_it_incomplete_until_everything_came(carom: Any) -> None:
    carom.click()
    carom.now += 300_000
    carom.click()
    lost = [carom.record("N", Kind.LOST, Latch.YES), carom.record("N", Kind.STATE, PinState.FALLEN)]
    carom.put(e.Offline(1))
    assert carom.view["node"] == "offline"
    carom.wait(30)
    assert carom.phase == "settling"
    carom.do(c.Still())
    assert carom.phase == "asking"
    assert carom.view["incomplete"]
    assert any(row["id"] == "QP" for row in carom.sheet["rows"])
    carom.birth()
    for entry in lost:
        carom.deliver(entry)
    assert not carom.view["incomplete"]
    assert not any(row["id"] == "QP" for row in carom.sheet["rows"])
    assert carom.view["pins"]["N"] == "down"


def test_a_node_armed_anew_in_a_shot_may_have_missed_a_pin(carom: Any) -> None:
    """Arming clears the latches: a pin that had fallen would look as if it had not, so it is asked. Mutation: take the silence as proof."""
    carom.click()
    carom.now += 300_000
    carom.click()
    carom.deliver(carom.record("NODE", Kind.MODE, Mode.ARMED, 1))
    carom.do(c.Still())
    assert carom.view["incomplete"]
    assert any(row["id"] == "QP" for row in carom.sheet["rows"])


def test_motion_after_a_lull_is_no_new_arming(carom: Any) -> None:
    """Settling and rolling again changes the node's mode without touching a latch: nothing is missing."""
    carom.click()
    carom.now += 300_000
    carom.click()
    carom.deliver(carom.record("NODE", Kind.MODE, Mode.SETTLING, 1))
    carom.deliver(carom.record("NODE", Kind.MODE, Mode.ARMED, 1))
    carom.do(c.Still())
    assert not carom.view["incomplete"]


def test_missing_records_only_widen_what_is_asked(carom: Any) -> None:
    carom.click()
    carom.now += 300_000
    carom.click()
    gone = carom.seq
    carom.seq += 2
    carom.rail()
    carom.now += 1_000_000
    carom.do(c.Still())
    assert carom.phase in ("settling", "rolling")
    carom.put(e.Missing(1, gone, gone + 1))
    assert carom.phase == "asking"
    assert carom.view["incomplete"]
    assert any(row["id"] == "QP" for row in carom.sheet["rows"])


def test_a_tail_that_never_comes_is_given_up_after_two_seconds(carom: Any) -> None:
    carom.click()
    carom.answer_commands = False
    carom.do(c.Still())
    assert carom.phase == "settling"
    carom.wait(1.9)
    assert carom.phase == "settling"
    carom.wait(0.2)
    assert carom.phase == "asking"
    assert carom.view["incomplete"]
    carom.put(e.Head(1, carom.seq, core.desired(carom.table).command_id))
    assert not carom.view["incomplete"]


def test_a_reboot_in_mid_shot_makes_it_incomplete(carom: Any) -> None:
    carom.click()
    carom.boot, carom.seq = 2, 0
    carom.birth()
    carom.rail()
    carom.now += 1_000_000
    carom.do(c.Still())
    assert carom.view["incomplete"]


def test_records_kept_over_a_reset_are_no_part_of_the_shot_of_the_new_boot(carom: Any) -> None:
    """A node without a link resets after ten minutes and sends what it had kept. Mutation: `_kept` that feeds the table:
    the old pin falls in the new shot."""
    carom.answer_commands = False
    old = [carom.record("N", Kind.LOST, Latch.YES), carom.record("N", Kind.STATE, PinState.FALLEN)]
    carom.boot, carom.seq, carom.acked, carom.mode = 2, 0, "", "idle"
    carom.answer_commands = True
    carom.birth()
    carom.click()
    before = (carom.view["pins"], len(carom.table.run.records))
    for entry in old:
        carom.deliver(entry)
    assert carom.view["pins"]["N"] != "down"
    assert (carom.view["pins"], len(carom.table.run.records)) == before


def test_late_evidence_against_the_referees_word_is_shown_as_a_conflict(carom: Any) -> None:
    carom.click()
    carom.now += 300_000
    carom.click()
    late = [carom.record("N", Kind.LOST, Latch.YES), carom.record("N", Kind.STATE, PinState.FALLEN)]
    carom.answer_commands = False
    carom.rail()
    carom.do(c.Still())
    carom.wait(2.5)
    carom.answer_all(QP="none", Q1="opponent", Q2="nobody", Q3="no")
    assert carom.phase == "proposed"
    assert carom.view["proposal"]["ruling"]["short"] == "0"
    for entry in late:
        carom.deliver(entry)
    assert carom.view["pins"]["N"] == "down"
    assert "conflict" in carom.notices()
    assert carom.view["proposal"]["ruling"]["short"] == "0"
    carom.do(c.Reopen())
    carom.do(c.Unanswer(question="QP"))
    assert carom.sheet["proposal"]["short"] == "A+2"


def test_late_evidence_of_a_confirmed_shot_is_a_review_item(carom: Any) -> None:
    carom.click()
    carom.now += 300_000
    carom.click()
    carom.now += 100_000
    late = [carom.record("N", Kind.LOST, Latch.YES), carom.record("N", Kind.STATE, PinState.FALLEN)]
    carom.answer_commands = False
    carom.rail()
    carom.do(c.Still())
    carom.wait(2.5)
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no", QP="none")
    carom.do(c.Accept())
    score = carom.score
    for entry in late:
        carom.deliver(entry)
    assert carom.score == score
    review = next(notice for notice in carom.view["notices"] if notice["code"] == "review")
    assert review["args"]["new"] != review["args"]["old"]


def test_a_strike_while_the_last_shot_is_judged_is_never_dropped(carom: Any) -> None:
    carom.shot("N")
    assert carom.phase == "asking"
    carom.now += 2_000_000
    carom.click()
    carom.now += 300_000
    carom.click()
    carom.now += 200_000
    carom.rail()
    carom.fall("E")
    assert carom.view["pending"] == [2]
    assert "struck-early" in carom.notices()
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert carom.score == (2, 0)
    assert carom.phase == "rolling"
    carom.now += 1_000_000
    carom.do(c.Still())
    assert carom.phase == "asking"
    carom.answer_all(QP="E", Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert carom.score == (2, 2)


def test_a_premature_stroke_ends_the_shot_and_opens_the_next(carom: Any) -> None:
    carom.click()
    carom.now += 400_000
    carom.click()
    carom.now += 400_000
    carom.click()
    carom.do(c.Premature())
    assert carom.phase == "asking"
    assert carom.view["pending"] == [2]
    carom.answer_all(Q1="opponent", Q2="nobody")
    carom.do(c.Accept())
    carom.now += 2_000_000
    carom.do(c.Still())
    carom.answer_all(QP="none", Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Call(code="E", by="B"))
    carom.do(c.Accept())
    assert carom.score == (2, 0)


def test_records_of_a_table_without_a_match_change_only_the_layout(drivers: Any) -> None:
    driver = drivers()
    driver.click()
    driver.fall("N")
    driver.wait(20)
    assert driver.phase == "idle"
    assert driver.view["live"] is None
    assert driver.view["pins"]["N"] == "down"


def test_a_replaced_node_is_named(carom: Any) -> None:
    carom.put(e.Birth(boot=1, uid="other", channels={}), node=2)
    assert "node-replaced" in carom.notices()


def test_a_fault_shows_that_the_referee_is_needed_and_manual_rulings_work(carom: Any) -> None:
    carom.put(e.Fault("ValueError: boom", 3))
    assert carom.view["fault"]
    carom.do(c.Manual(points={"A": 2}, note="by hand"))
    assert carom.score == (2, 0)
    assert carom.view["last"]["status"] == "manual"


@pytest.mark.report("R041")
@pytest.mark.parametrize("sorted_first", [True, False])
def test_records_of_the_last_shot_that_come_after_the_next_arming_are_not_the_next_shots(
    carom: Any, sorted_first: bool
) -> None:
    """R041: hub and node were apart; shot 1 was closed incomplete and ruled, the table is armed again, then its records come."""
    carom.click()
    carom.now += 200_000
    flood = [carom.record("CLICK", Kind.HIT, 500)]
    for kind, value in ((Kind.MOVE, 400), (Kind.LOST, Latch.YES), (Kind.STATE, PinState.FALLEN)):
        carom.now += 100_000
        flood.append(carom.record("N", kind, value))
    flood.append(carom.record("PZ1", Kind.HIT, 700))
    carom.answer_commands = False
    carom.now += 1_000_000
    carom.do(c.Still())
    carom.wait(3)
    assert carom.view["incomplete"]
    carom.answer_all(QP="N", Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert carom.score == (2, 0)
    idle = carom.record("NODE", Kind.MODE, 1, 1)
    up = carom.record("N", Kind.STATE, PinState.STANDING)
    carom.do(c.Ready())
    assert carom.phase == "armed"
    armed = carom.record("NODE", Kind.MODE, 2, 2)
    last = [*flood, idle, up, armed]
    if sorted_first:
        carom.put(e.Head(1, carom.seq, core.desired(carom.table).command_id))
    for entry in last:
        carom.now += 2_000
        carom.deliver(entry)
    carom.wait(5)
    assert carom.phase == "armed"
    assert carom.view["live"] is None
    assert carom.score == (2, 0)
    assert carom.view["pins"]["N"] == "standing"
    carom.answer_commands = True
    carom.shot("E")
    assert [fact["what"] for fact in carom.view["live"]["facts"] if fact["kind"] == "pin"] == ["E"]
    assert carom.table.match.shots[0].run.records[-1].ch == 16


def test_a_birth_of_the_same_boot_does_not_arm_again(carom: Any) -> None:
    armed = core.desired(carom.table).command_id
    carom.put(e.Offline(1))
    carom.birth(mode=2)
    assert core.desired(carom.table).command_id == armed


def test_records_while_the_arming_is_not_confirmed_wait_a_moment(carom: Any) -> None:
    carom.play("")
    carom.answer_commands = False
    carom.do(c.Layout(off=("W",)))
    assert carom.phase == "armed"
    carom.click()
    assert carom.phase == "armed"
    carom.wait(1.1)
    assert carom.phase == "rolling"


@pytest.mark.parametrize("pin", ["C", "N", "E", "S", "W"])
def test_every_seat_is_watched_until_its_pin_stands_again(carom: Any, pin: str) -> None:
    carom.shot(pin)
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert carom.phase == "respotting"
    assert carom.view["due"]["waiting"] == [pin]
    carom.stand(pin)
    assert carom.phase == "armed"


@pytest.mark.parametrize("what", ["birth", "health", "old command", "command of somebody else"])
def test_a_position_given_before_the_close_was_asked_for_does_not_end_the_shot(carom: Any, what: str) -> None:
    """The last records of the shot are still on their way, and a report made before them comes after the close was asked for.

    Mutation: taking any report that comes after the close for the end of the stream turns it red.
    """
    armed = core.desired(carom.table).command_id
    carom.click()
    carom.answer_commands = False
    early = carom.seq
    late = [carom.record("N", Kind.LOST, Latch.YES), carom.record("N", Kind.STATE, PinState.FALLEN)]
    carom.do(c.Still())
    carom.now += 900_000
    stale: dict[str, e.Body] = {
        "birth": e.Birth(boot=1, uid="u1", head=early, tail=early, mode=2, channels=carom.table.link.quality),
        "health": e.Health(1, early, carom.table.link.quality, ()),
        "old command": e.Head(1, early, armed),
        "command of somebody else": e.Head(1, early, "rp-1-0-3-1"),
    }
    carom.put(stale[what])
    assert carom.phase == "settling"
    carom.put(e.Head(1, carom.seq, core.desired(carom.table).command_id))
    assert carom.phase == "settling"  # now it is known that two records are lacking
    for entry in late:
        carom.deliver(entry)
    assert carom.phase == "asking"
    assert not carom.view["incomplete"]
    assert [row for row in carom.sheet["rows"] if row["id"] == "QP"] == []


def test_a_shot_that_ends_by_silence_is_closed_by_a_position_asked_for_then(carom: Any) -> None:
    """What the node said at the lull is five seconds old when silence ends the shot."""
    carom.click()
    carom.wait(4)
    assert carom.phase == "settling"
    lull = core.desired(carom.table).command_id
    carom.record("N", Kind.LOST, Latch.YES)  # never arrives
    carom.answer_commands = False
    carom.wait(4.5)
    assert carom.phase == "settling"
    assert core.desired(carom.table).command_id != lull
    carom.put(e.Head(1, carom.seq, core.desired(carom.table).command_id))
    assert carom.phase == "settling"
    carom.put(e.Missing(1, carom.seq - 1, carom.seq - 1))
    assert carom.phase == "asking"
    assert carom.view["incomplete"]


def _gone(driver: Any, how: str) -> None:
    """The first records of a stroke are lost while the table waits for it."""
    if how == "reboot":
        driver.boot, driver.seq = driver.boot + 1, 0
        driver.mode, driver.acked = "idle", ""
        driver.birth(mode=1)
    elif how == "missing":
        first = driver.seq
        driver.seq += 2
        driver.put(e.Missing(driver.boot, first, first + 1))
    else:
        driver.obs("NODE", Kind.LOSS, 3)


@pytest.mark.parametrize("how", ["reboot", "missing", "loss"])
def test_a_stroke_that_began_unseen_is_incomplete(free: Any, how: str) -> None:
    """The node restarts, or records are gone for good, while the table waits for a stroke: what was not seen proves nothing.

    Mutation: forgetting in phase `armed` that something was missed turns it red: the shot was ruled as one without a pot.
    """
    _gone(free, how)
    assert free.phase == "armed"
    free.do(c.Strike())
    free.now += 1_000_000
    free.do(c.Still())
    assert free.phase == "asking"
    assert free.view["incomplete"]
    assert not free.sheet["certain"]


@pytest.mark.parametrize("how", ["reboot", "missing", "loss"])
def test_a_stroke_felt_long_after_a_gap_is_complete(free: Any, how: str) -> None:
    """No ball of an unseen stroke rolls for so long: a question then would be needless."""
    _gone(free, how)
    free.now += 9_000_000
    free.click()
    free.now += 300_000
    free.click()
    free.now += 1_000_000
    free.do(c.Still())
    assert not free.view["incomplete"]


def test_a_pocket_gate_before_the_node_is_armed_again_belongs_to_the_stroke(free: Any) -> None:
    """The ball falls after the restart and before the hub has armed the node again: it is asked about, never dropped."""
    free.answer_commands = False
    _gone(free, "reboot")
    free.drop("P1")
    free.answer_commands = True
    free.wait(1.5)
    assert free.phase == "asking"
    assert [row["id"] for row in free.sheet["rows"]] == ["disturbed"]
    free.do(c.Answer(question="disturbed", answer="shot"))
    free.do(c.Still())
    assert free.view["incomplete"]
    assert [fact["kind"] for fact in free.view["live"]["facts"]] == ["pot"]


@pytest.mark.parametrize("mark_first", [True, False])
def test_a_shot_closed_without_its_end_takes_nothing_of_the_next_one(free: Any, mark_first: bool) -> None:
    """The node is away when the balls rest: the shot is closed unverified. What it sends after it was armed anew is the next stroke.

    Mutation: leaving the end of such a shot open when the node is armed turns it red: the next stroke opened no shot.
    """
    free.click()
    free.now += 300_000
    free.click()
    free.put(e.Offline(1))
    free.answer_commands = False
    free.do(c.Still())
    assert free.view["incomplete"]
    free.decide(QG="0", QL="legal", QM="met")
    free.do(c.Accept())
    assert free.phase == "armed"
    free.birth(mode=3)
    mark = free.record("NODE", Kind.MODE, Mode.ARMED, 2)
    stroke = [
        free.record("CLICK", Kind.HIT, 900),
        free.record("CLICK", Kind.HIT, 700),
        free.record("P2", Kind.DROP, 60),
    ]
    for entry in [mark, *stroke] if mark_first else [*stroke, mark]:
        free.now += 1_000
        free.deliver(entry)
    assert free.phase == "rolling"
    assert [fact["kind"] for fact in free.view["live"]["facts"]] == ["click", "pot"]


def test_a_view_says_armed_once_the_node_has_acknowledged_this_arming(carom: Any) -> None:
    """The mode alone may be that of an earlier arming. Mutation: the phase, or the node's mode, taken for the acknowledgement."""
    assert carom.view["armed"]
    carom.click()
    assert not carom.view["armed"]
    carom.now += 2_000_000
    carom.answer_commands = False
    carom.do(c.NotAShot())
    before = carom.table.armed_n
    carom.put(e.Head(carom.boot, carom.seq, carom.acked))  # of the arming before
    assert (carom.phase, carom.table.link.mode, carom.view["armed"]) == ("armed", Mode.ARMED, False)
    carom.answer_commands = True
    carom.put(e.ClockPair(carom.boot, 1, 1, 1))
    assert carom.table.armed_n == before
    assert carom.view["armed"]
    carom.answer_commands = False
    carom.boot += 1
    carom.seq = 0
    carom.birth()
    assert (carom.phase, carom.view["armed"]) == ("armed", False)
    carom.acked = ""
    carom.answer_commands = True
    carom.put(e.ClockPair(carom.boot, 1, 1, 1))
    assert carom.view["armed"]


@pytest.mark.parametrize("before", [0, 1, 5])
def test_an_arming_acknowledged_again_in_the_stroke_takes_nothing_from_it(carom: Any, before: int) -> None:
    """A slow node gets the command twice and acknowledges it twice; the second time `before` of the stroke's records are in.

    Mutation: letting every acknowledgement of an arming move the mark drops the fallen pins and rules "nothing made".
    """
    stroke = [
        carom.record("CLICK", Kind.HIT, 900),
        carom.record("E", Kind.MOVE, 400),
        carom.record("E", Kind.LOST, Latch.YES),
        carom.record("E", Kind.STATE, PinState.FALLEN),
        carom.record("CLICK", Kind.HIT, 600),
        carom.record("PZ1", Kind.HIT, 700),
    ]
    for entry in stroke[:before]:
        carom.deliver(entry)
    carom.put(e.Head(carom.boot, carom.seq, carom.acked))
    for entry in stroke[before:]:
        carom.deliver(entry)
    assert carom.phase == "rolling"
    carom.now += 2_000_000
    carom.do(c.Still())
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    carom.do(c.Accept())
    assert carom.score == (2, 0)


def test_a_table_that_nobody_watches_is_never_armed(drivers: Any) -> None:
    driver = drivers(profile="pyramid")
    driver.pyramid(manual=True)
    assert (driver.phase, driver.view["armed"]) == ("armed", False)
