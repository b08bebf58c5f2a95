"""The shot clock of pyramid: start, calls, extra times, overrun, restart of the hub."""

from __future__ import annotations

from typing import Any

import pytest

from marker_hardware.codes import Kind
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core


def announced(driver: Any) -> list[str]:
    return [effect.kind for effect in driver.effects if isinstance(effect, core.Announce)]


def with_options(drivers: Any, **options: Any) -> Any:
    driver = drivers(profile="pyramid")
    driver.pyramid(options=options)
    return driver


@pytest.mark.clause("RP-28.3a")
def test_expiry_only_prompts_and_the_call_spends_an_extra_time(free: Any) -> None:
    free.wait(39)
    assert "time" not in free.notices()
    assert free.refuse(c.TimeCalled()).code == "early"
    free.wait(3)
    assert "time" in free.notices()
    assert free.view["clock"]["expired"]
    assert free.view["players"]["A"]["extensions"] == 0
    free.do(c.TimeCalled())
    assert free.view["clock"]["remaining_ms"] == 40_000
    assert free.view["players"]["A"]["extensions"] == 1
    assert "time" not in free.notices()


@pytest.mark.clause("RP-28.3b")
def test_only_the_player_at_the_table_may_ask(free: Any) -> None:
    free.now += 5_000_000
    assert free.refuse(c.Extension(by="B"), core.Role.PLAYER).code == "refused"
    free.do(c.Extension(by="A"), core.Role.PLAYER)
    assert free.view["clock"]["remaining_ms"] == 40_000


@pytest.mark.clause("RP-28.3c")
@pytest.mark.clause("RP-28.3d")
@pytest.mark.clause("RP-28.3e")
def test_without_extra_time_ten_seconds_are_announced_and_an_overrun_is_a_foul(free: Any) -> None:
    free.do(c.Extension(by="A"))
    free.do(c.Extension(by="A"))
    assert free.refuse(c.Extension(by="A")).code == "refused"
    assert free.view["clock"]["strict"]
    free.wait(29)
    assert "ten_seconds" not in announced(free)
    free.wait(2)
    assert announced(free).count("ten_seconds") == 1
    free.wait(11)
    assert free.phase == "armed"
    free.do(c.TimeCalled())
    assert free.phase == "proposed"
    assert "RP-26.1.11" in free.view["proposal"]["ruling"]["clauses"]
    free.do(c.Accept())
    assert free.view["due"]["player"] == "B"


@pytest.mark.clause("RP-28.3e")
def test_a_late_strike_without_extra_time_carries_the_foul(free: Any) -> None:
    free.do(c.Extension(by="A"))
    free.do(c.Extension(by="A"))
    free.wait(45)
    free.put(e.ClockPair(1, free.t, free.OFFSET, 2_000))
    free.click()
    assert free.phase == "rolling"
    assert [call["code"] for call in free.sheet["calls"]] == ["RP-26.1.11"]


@pytest.mark.report("R033")
def test_the_time_of_the_event_decides_not_its_arrival(free: Any) -> None:
    """R033: struck 50 ms before zero, the message comes 300 ms later: no overrun."""
    free.put(e.ClockPair(1, free.t, free.OFFSET, 2_000))
    free.do(c.Extension(by="A"))
    free.do(c.Extension(by="A"))
    zero = free.now + 40_000_000
    free.wait(39.95)
    late = free.record("CLICK", Kind.HIT, 900, t=zero - 50_000 - free.OFFSET)
    free.wait(0.35)
    free.deliver(late)
    assert free.phase == "rolling"
    assert free.sheet["calls"] == []
    assert free.table.run.ask == ""
    assert free.table.run.opened_us == zero - 50_000


def test_within_the_uncertainty_of_zero_the_referee_is_asked(free: Any) -> None:
    free.do(c.Extension(by="A"))
    free.do(c.Extension(by="A"))
    free.wait(40.5)
    free.click()
    assert free.sheet["needed"] == ["overrun"]
    free.now += 2_000_000
    free.do(c.Still())
    assert free.phase == "asking"
    assert free.refuse(c.Answer(question="QL", answer="legal")).code == "question"
    free.do(c.Answer(question="overrun", answer="no"))
    assert free.sheet["calls"] == []


@pytest.mark.parametrize(("value", "expected"), [("from_call", 40_000), ("added", 60_000)])
def test_extension_mode(drivers: Any, value: str, expected: int) -> None:
    driver = with_options(drivers, extension_mode=value)
    driver.now += 20_000_000
    driver.do(c.Extension(by="A"))
    assert driver.view["clock"]["remaining_ms"] == expected


@pytest.mark.parametrize(("value", "second"), [(2, True), (1, False)])
def test_extensions_per_shot(drivers: Any, value: int, second: bool) -> None:
    driver = with_options(drivers, extensions_per_shot=value)
    driver.do(c.Extension(by="A"))
    if second:
        driver.do(c.Extension(by="A"))
        assert driver.view["players"]["A"]["extensions"] == 2
    else:
        assert driver.refuse(c.Extension(by="A")).code == "refused"


@pytest.mark.parametrize("value", [False, True])
def test_auto_extension(drivers: Any, value: bool) -> None:
    driver = with_options(drivers, auto_extension=value)
    driver.wait(42)
    assert driver.view["players"]["A"]["extensions"] == (1 if value else 0)
    assert ("time" in announced(driver)) is value


def test_the_hub_calls_time_only_after_the_strikes_message_had_its_time(drivers: Any) -> None:
    """Struck 50 ms before zero, heard 300 ms after it: no extra time is spent; the one spent later runs from zero."""
    driver = with_options(drivers, auto_extension=True)
    driver.put(e.ClockPair(1, driver.t, driver.OFFSET, 2_000))
    zero = driver.now + 40_000_000
    late = driver.record("CLICK", Kind.HIT, 900, t=zero - 50_000 - driver.OFFSET)
    driver.wait(40.3)
    driver.deliver(late)
    assert driver.phase == "rolling"
    assert driver.view["players"]["A"]["extensions"] == 0
    assert driver.sheet["calls"] == []
    other = with_options(drivers, auto_extension=True)
    other.wait(41.5)
    assert other.view["players"]["A"]["extensions"] == 1
    assert other.view["clock"]["remaining_ms"] == 38_500


def test_the_hub_calls_no_time_while_it_cannot_hear_the_table(drivers: Any) -> None:
    driver = with_options(drivers, auto_extension=True)
    driver.wait(30)
    driver.put(e.Offline(1))
    driver.wait(15)
    assert driver.view["players"]["A"]["extensions"] == 0
    assert "time" in driver.notices()
    driver.do(c.TimeCalled())
    assert driver.view["players"]["A"]["extensions"] == 1


@pytest.mark.clause("RP-28.2a")
def test_extra_times_are_two_a_player_and_frame(drivers: Any) -> None:
    driver = with_options(drivers)
    for _ in range(2):
        driver.do(c.Extension(by="A"))
    assert driver.refuse(c.Extension(by="A")).text_key == "refuse.no_extension"
    assert driver.view["players"]["B"]["extensions_left"] == 2
    driver.do(c.AwardGame(to="B", note="left"))
    driver.do(c.NextGame())
    driver.do(c.Ready())
    assert [driver.view["players"][who]["extensions_left"] for who in "AB"] == [2, 2]
    driver.do(c.Extension(by=driver.view["turn"]))


@pytest.mark.clause("RP-28.1a")
@pytest.mark.parametrize(("value", "left"), [("ready", 40_000), ("stopped", 33_000)])
def test_clock_start(drivers: Any, value: str, left: int) -> None:
    """Balls at rest at 0 s, choice made and balls placed at 7 s."""
    driver = with_options(drivers, clock_start=value)
    driver.click()
    driver.do(c.Call(code="RP-16", by="A"))
    driver.now += 1_000_000
    driver.do(c.Still())
    driver.decide()
    driver.now += 3_000_000
    driver.do(c.Accept())
    driver.do(c.Choice(value="rerack_play"))
    driver.now += 4_000_000
    driver.do(c.Ready())
    assert driver.view["clock"]["remaining_ms"] == left


def test_asking_and_confirming_never_add_time(free: Any) -> None:
    free.pots("P1", accept=False)
    free.now += 9_000_000
    free.do(c.Accept())
    assert free.phase == "armed"
    assert free.view["clock"]["remaining_ms"] == 31_000


def test_after_a_restart_of_the_hub_a_running_clock_stands(free: Any) -> None:
    free.now += 12_000_000
    free.put(e.TimerExpired("nothing"))
    free.now = 5_000
    free.put(e.HubStarted("again"))
    assert "clock-paused" in free.notices()
    assert free.view["clock"]["remaining_ms"] == 28_000
    free.now += 60_000_000
    assert free.view["clock"]["remaining_ms"] == 28_000
    free.do(c.ClockSet(running=True))
    free.now += 1_000_000
    assert free.view["clock"]["remaining_ms"] == 27_000


def test_time_is_not_called_while_the_clock_stands(free: Any) -> None:
    """Zero has passed and the hub begins anew: first the clock is started, then 'Time' spends the extra time."""
    free.wait(42)
    free.now = 5_000
    free.put(e.HubStarted("again"))
    assert free.view["clock"]["expired"]
    assert not free.view["clock"]["running"]
    refusal = free.refuse(c.TimeCalled())
    assert refusal.text_key == "refuse.no_clock"
    assert set(projections.refusal_text(refusal)) == {"ru", "en", "it"}
    free.do(c.ClockSet(running=True))
    free.do(c.TimeCalled())
    assert "refused" not in free.notices()
    assert free.view["players"]["A"]["extensions"] == 1


def test_a_stroke_that_was_none_gives_the_time_back_to_the_clock(free: Any) -> None:
    free.now += 10_000_000
    free.click()
    free.now += 5_000_000
    free.do(c.NotAShot())
    assert free.phase == "armed"
    assert free.view["clock"]["remaining_ms"] == 25_000


def test_five_pins_has_no_shot_clock(carom: Any) -> None:
    assert carom.view["clock"] is None


def test_without_a_shot_clock_no_time_is_counted_and_none_can_be_called(drivers: Any) -> None:
    """shot_clock_s = 0: nothing runs, nothing is prompted, and nobody can ask for more of it."""
    driver = with_options(drivers, shot_clock_s=0)
    assert driver.phase == "armed"
    driver.wait(120)
    assert driver.view["clock"] is None
    assert "time" not in driver.notices()
    assert driver.refuse(c.TimeCalled()).code in ("early", "refused")
    assert driver.refuse(c.Extension(by="A")).text_key == "refuse.no_clock"
