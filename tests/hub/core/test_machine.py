"""The phase machine as data: nothing unhandled, nothing nested, nothing left in a state without a name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import phases
from marker_hub import table as core
from marker_hub.phases import ALLOWED, TRANSITIONS, Event, Phase
from marker_hub.table.state import Work
from marker_hub.table.step import HANDLERS, IDLE_KEPT


def test_every_guard_is_a_method_of_the_working_copy() -> None:
    for guard in phases.GUARDS:
        assert callable(getattr(Work, guard)), guard


def test_every_phase_can_be_entered_and_left() -> None:
    entered = {row.dest for row in TRANSITIONS}
    left = {phase for row in TRANSITIONS for phase in row.sources if row.dest is not phase}
    assert entered == set(Phase)
    assert left == set(Phase)


def test_every_event_is_used_and_the_last_row_of_a_pair_never_refuses_for_ever() -> None:
    assert {row.event for row in TRANSITIONS} == set(Event)


def test_every_body_has_a_handler() -> None:
    bodies = {kind for kind in e.Body.__args__ if kind not in (e.Undone, e.Redone)}
    assert bodies == set(HANDLERS)


BODIES: dict[type, e.Body] = {
    e.Obs: e.Obs(22, 4, 900),
    e.Birth: e.Birth(1),
    e.Offline: e.Offline(1),
    e.Health: e.Health(1),
    e.Head: e.Head(1, 0),
    e.Loss: e.Loss(1, 1),
    e.Missing: e.Missing(1, 900, 901),
    e.ClockPair: e.ClockPair(1, 0, 0),
    e.HubStarted: e.HubStarted(),
    e.TimerExpired: e.TimerExpired("quiet"),
    e.Fault: e.Fault("x"),
    e.MatchStarted: e.MatchStarted(
        "m", "five-pins", {"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")}, {"points_limit": 9, "games": 1}
    ),
    e.LagSet: e.LagSet("A"),
    e.LayoutSet: e.LayoutSet(off=("N",)),
    e.Readied: e.Readied(),
    e.Chosen: e.Chosen("open"),
    e.ContactReset: e.ContactReset(),
    e.Placed: e.Placed("N"),
    e.NewRack: e.NewRack(),
    e.RunContinued: e.RunContinued(),
    e.Struck: e.Struck(),
    e.Stilled: e.Stilled(),
    e.Answered: e.Answered(1, "Q1", "red"),
    e.Called: e.Called(1, "Z", "A"),
    e.CallTaken: e.CallTaken(1, "Z", "A"),
    e.Picked: e.Picked(1, "A+2"),
    e.Reopened: e.Reopened(1),
    e.NotAShot: e.NotAShot(1),
    e.Interfered: e.Interfered("restorable"),
    e.Premature: e.Premature(1),
    e.Amended: e.Amended(1, e.Change(void=True)),
    e.TimeCalled: e.TimeCalled(),
    e.ExtensionGiven: e.ExtensionGiven("A"),
    e.ClockSet: e.ClockSet(True),
    e.BreakRequested: e.BreakRequested("A"),
    e.Held: e.Held("A"),
    e.Suspended: e.Suspended("x"),
    e.Resumed: e.Resumed(),
    e.Awarded: e.Awarded("game", "B", "x"),
    e.Noted: e.Noted("FP-P.1"),
    e.GameStarted: e.GameStarted(),
    e.RulesActed: e.RulesActed("ball", "A", "white"),
    e.Closed: e.Closed(),
    e.Undone: e.Undone(3),
    e.Redone: e.Redone(3),
}


def reach(drivers: Any, phase: Phase) -> Any:
    """A five-pins table in that phase."""
    driver = drivers()
    if phase is Phase.IDLE:
        return driver
    driver.five_pins(opener=None if phase is Phase.LAG else "A", options={"points_limit": 2, "games": 3})
    if phase is Phase.PLACING:
        driver.do(c.Undo())
    elif phase is Phase.ROLLING:
        driver.click()
    elif phase is Phase.SETTLING:
        driver.click()
        driver.wait(3.5)
    elif phase is Phase.ASKING:
        driver.shot("")
    elif phase is Phase.PROPOSED:
        driver.shot("")
        driver.answer_all(Q1="opponent", Q2="nobody")
    elif phase is Phase.RESPOTTING:
        driver.shot("W")
        driver.do(c.NotAShot())
    elif phase in (Phase.GAME_OVER, Phase.BREAK, Phase.MATCH_OVER):
        driver.play("N")
        if phase is Phase.MATCH_OVER:
            driver.do(c.AwardMatch(to="A", note="x"))
        if phase is Phase.BREAK:
            driver.do(c.NextGame())
            driver.do(c.Ready())
            driver.play("N")
            driver.do(c.NextGame())
    elif phase is Phase.SUSPENDED:
        driver.do(c.Suspend(note="x"))
    return driver


REACHABLE = tuple(phase for phase in Phase if phase is not Phase.CONFIRMED)


@pytest.mark.parametrize("phase", REACHABLE)
def test_every_body_in_every_phase_is_handled_or_noted(drivers: Any, phase: Phase) -> None:
    """Nothing raises, whatever is journalled in whatever phase, and the table can still be shown."""
    driver = reach(drivers, phase)
    assert driver.phase == phase
    from marker_hub import projections

    for kind in e.Body.__args__:
        body = BODIES.get(kind)
        if body is None:
            continue
        entry = e.Entry("t1", driver.table.n + 1, body, driver.now + 1, 0, node=1, boot=1, seq=5_000, dev_us=driver.t)
        after, effects = core.step(driver.table, entry)
        assert after.n == entry.n
        assert after.phase in set(Phase) - {Phase.CONFIRMED}, (phase, kind)
        projections.table_view(after, driver.now)
        projections.sheet_view(after)
        core.desired(after)
        core.state_hash(after)
        if after.phase == driver.phase and kind in COMMAND_EVENTS and COMMAND_EVENTS[kind] not in ALLOWED[phase]:
            assert any(isinstance(effect, core.Unexpected) for effect in effects), (phase, kind)


COMMAND_EVENTS = {
    e.LagSet: Event.LAG_RESULT,
    e.Chosen: Event.CHOICE,
    e.Readied: Event.READY,
    e.ContactReset: Event.CONTACT_RESET,
    e.NotAShot: Event.NOT_A_SHOT,
    e.Interfered: Event.INTERFERENCE,
    e.Reopened: Event.REOPEN,
    e.GameStarted: Event.NEXT_GAME,
    e.BreakRequested: Event.BREAK_REQUEST,
    e.Suspended: Event.SUSPEND,
    e.Awarded: Event.AWARD_GAME,
    e.Closed: Event.CLOSE_MATCH,
    e.MatchStarted: Event.MATCH_START,
    e.TimeCalled: Event.TIME_CALLED,
    e.ExtensionGiven: Event.EXTENSION,
    e.Noted: Event.LOG_CALL,
}
COMMANDS: tuple[c.Command, ...] = (
    c.MatchStart(
        game="five-pins",
        players={"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")},
        options={"points_limit": 9, "games": 1},
    ),
    c.LagResult(winner="A"),
    c.Choice(value="open"),
    c.Ready(),
    c.Layout(off=("N",)),
    c.Place(what="N"),
    c.Answer(question="Q1", answer="red"),
    c.Unanswer(question="Q1"),
    c.Call(code="Z", by="A"),
    c.Uncall(code="Z", by="A"),
    c.Pick(ruling="A+2"),
    c.PickStanding(pins=("C",)),
    c.Strike(),
    c.Still(),
    c.Premature(),
    c.Accept(),
    c.Hold(),
    c.Manual(points={"A": 1}, note="x"),
    c.Reopen(),
    c.NotAShot(),
    c.Interference(value="restorable"),
    c.Undo(),
    c.Redo(),
    c.Amend(shot=1, changes=e.Change(void=True)),
    c.NextGame(),
    c.AwardGame(to="A", note="x"),
    c.AwardMatch(to="A", note="x"),
    c.Suspend(note="x"),
    c.Resume(),
    c.Extension(by="A"),
    c.TimeCalled(),
    c.ClockSet(running=True),
    c.BreakRequest(by="A"),
    c.ContactReset(),
    c.NewRack(),
    c.ContinueRun(),
    c.Act(action="ball", player="A", value="white"),
    c.Log(code="x"),
    c.Close(),
)


def test_the_list_of_commands_is_complete() -> None:
    assert {type(command) for command in COMMANDS} == set(c.Command.__args__)


@pytest.mark.parametrize("phase", REACHABLE)
def test_every_command_in_every_phase_is_taken_or_refused_with_a_reason(drivers: Any, phase: Phase) -> None:
    driver = reach(drivers, phase)
    for command in COMMANDS:
        made = core.propose(driver.table, driver.looking(command), core.Role.REFEREE, driver.now)
        if isinstance(made, core.Refusal):
            assert made.code
            assert made.text_key.startswith("refuse.")
            assert made.n == driver.table.n
            continue
        table = driver.table
        for body in made:
            table, effects = core.step(table, e.Entry("t1", table.n + 1, body, driver.now + 1, 0))
            unexpected = [effect for effect in effects if isinstance(effect, core.Unexpected)]
            assert not unexpected, (phase, command, unexpected)


@pytest.mark.report("R052")
def test_events_are_processed_one_after_another(carom: Any) -> None:
    """R052: 'next player' follows 'shot closed' within one entry; an event that arrives meanwhile waits for its turn."""
    seen: list[str] = []

    class Watched(Work):
        __slots__ = ()

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "phase":
                seen.append(value)
            super().__setattr__(name, value)

    carom.shot("N")
    carom.answer_all(Q1="opponent", Q2="nobody", Q3="no")
    body = core.propose(carom.table, c.Accept(seen=carom.table.n), core.Role.REFEREE, carom.now)
    assert isinstance(body, tuple)
    work = Watched(carom.table)
    seen.clear()
    HANDLERS[e.Accepted](work, e.Entry("t1", 999, body[0], carom.now, 0), body[0])
    assert seen == ["confirmed", "respotting"]
    record = carom.record("N", phases_kind(), 0)
    HANDLERS[e.Obs](work, e.Entry("t1", 1000, record.body, carom.now, 0, None, 1, 1, record.seq, carom.t), record.body)
    assert seen == ["confirmed", "respotting", "armed"]


def phases_kind() -> Any:
    from marker_hardware.codes import Kind

    return Kind.STATE


@pytest.mark.report("R053")
def test_a_cancelled_shot_ends_in_a_known_state_and_the_next_one_is_played(carom: Any) -> None:
    """R053: the evidence window is cancelled in the middle; the next shot is processed."""
    carom.click()
    carom.wait(3.5)
    assert carom.phase == "settling"
    carom.do(c.NotAShot())
    assert carom.phase == "armed"
    assert core.deadline(carom.table) is None
    carom.put(e.TimerExpired("quiet"))
    assert carom.phase == "armed"
    carom.play("N")
    assert carom.score == (2, 0)


def test_the_page_of_the_machine_is_current() -> None:
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, str(root / "tools" / "table_states.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_log_of_a_finished_match_is_let_go(drivers: Any) -> None:
    driver = drivers()
    driver.five_pins(options={"points_limit": 2, "games": 1})
    driver.play("N")
    driver.do(c.Close())
    for _ in range(IDLE_KEPT - 20):
        driver.put(e.Head(1, driver.seq))
    assert len(driver.table.log) > 0
    for _ in range(30):
        driver.put(e.Head(1, driver.seq))
    assert len(driver.table.log) == 0
    assert driver.refuse(c.Undo()).code == "nothing"


FOLD = """
import sys
from marker_hub import entries, table
value = table.new_table(table.TableConfig("t1", no=1, name="1"))
for line in sys.stdin.buffer:
    value, _ = table.step(value, entries.decode_entry(line))
print(table.state_hash(value).hex())
"""


def test_the_fold_is_the_same_in_every_process(drivers: Any) -> None:
    """No order of sets or dictionaries reaches the state: other hash seeds give the same hash."""
    driver = drivers()
    driver.five_pins(options={"points_limit": 20, "games": 3})
    for pins in ("NEC", "", "WS", "C"):
        driver.play(pins)
    journal = b"\n".join(e.encode_entry(entry) for entry in driver.journal)
    for seed in ("1", "2", "77"):
        done = subprocess.run(
            [sys.executable, "-c", FOLD],
            input=journal,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=False,
        )
        assert done.stdout.decode().strip() == core.state_hash(driver.table).hex(), done.stderr.decode()
