"""Whatever the order, number and delay in which a shot's records come, the ruling is the same; undo and redo are inverse."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marker_hardware.codes import Kind, Latch, PinState
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import table as core

SETTINGS = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def _driver_module() -> Any:
    """The driver of conftest, for tests that make a table per example."""
    name = "hub_core_driver"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("conftest.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def armed() -> Any:
    driver = _driver_module().Driver()
    driver.put(e.HubStarted("test"))
    driver.birth()
    driver.stand()
    driver.five_pins()
    return driver


def records(driver: Any, pins: list[str], clicks: int, rails: int) -> list[e.Entry]:
    """A shot's records in true order, with device times of their own."""
    t = driver.t + 1_000
    made = [driver.record("CLICK", Kind.HIT, 900, t=t)]
    for _ in range(clicks):
        t += 250_000
        made.append(driver.record("CLICK", Kind.HIT, 500, t=t))
    for pin in pins:
        t += 90_000
        made.append(driver.record(pin, Kind.MOVE, 400, t=t))
        made.append(driver.record(pin, Kind.LOST, Latch.YES, t=t + 20_000))
        made.append(driver.record(pin, Kind.STATE, PinState.FALLEN, t=t + 200_000))
    for _ in range(rails):
        t += 300_000
        made.append(driver.record("PZ3", Kind.HIT, 700, t=t))
    return made


TRUTH = {"Q1": "opponent", "Q2": "cue", "Q3": "no", "Q4": "yes"}


def finish(driver: Any, pins: list[str]) -> str:
    """Close, answer with the truth, accept; the ruling in short."""
    fell = ",".join(pin for pin in ("C", "N", "E", "S", "W") if pin in pins) or "none"
    if driver.phase == "armed":
        driver.do(c.Strike())
    if driver.phase in ("rolling", "settling"):
        driver.do(c.Still())
    driver.wait(3)
    for _ in range(6):
        if driver.phase != "asking":
            break
        if driver.sheet["needed"] == ["disturbed"]:
            driver.do(c.Answer(question="disturbed", answer="shot"))
            driver.do(c.Still())
            continue
        driver.answer_all(QP=fell, **TRUTH)
    driver.do(c.Accept())
    return str(driver.view["last"]["ruling"]["short"])


pin_sets = st.lists(st.sampled_from(["C", "N", "E", "S", "W"]), unique=True, max_size=4)


@SETTINGS
@given(pin_sets, st.integers(0, 3), st.integers(0, 3), st.data())
def test_any_interleaving_and_duplication_gives_the_same_ruling(
    pins: list[str], clicks: int, rails: int, data: st.DataObject
) -> None:
    plain = armed()
    for entry in records(plain, pins, clicks, rails):
        plain.deliver(entry)
    expected = finish(plain, pins)

    mixed = armed()
    made = records(mixed, pins, clicks, rails)
    order = data.draw(st.permutations(range(len(made))))
    again = data.draw(st.lists(st.sampled_from(range(len(made))), max_size=6))
    for at in (*order, *again):
        mixed.now += 5_000
        mixed.deliver(made[at])
    assert finish(mixed, pins) == expected
    facts = [(fact["kind"], fact["what"]) for fact in _facts(mixed)]
    assert facts == [(fact["kind"], fact["what"]) for fact in _facts(plain)]
    _driver_module().check_replay(mixed)


def _facts(driver: Any) -> list[dict[str, Any]]:
    from marker_hub.assembler.reading import live_facts

    run = driver.table.match.shots[-1].run
    return [{"kind": fact.kind, "what": fact.what, "ms": fact.ms} for fact in live_facts(run, "carom5")]


@SETTINGS
@given(pin_sets, st.integers(1, 3), st.integers(1, 3), st.data())
def test_records_delayed_past_the_close_join_their_shot(
    pins: list[str], clicks: int, rails: int, data: st.DataObject
) -> None:
    plain = armed()
    for entry in records(plain, pins, clicks, rails):
        plain.deliver(entry)
    expected = finish(plain, pins)

    late = armed()
    made = records(late, pins, clicks, rails)
    delayed = data.draw(st.sets(st.integers(1, len(made) - 1), max_size=4))
    for at, entry in enumerate(made):
        if at not in delayed:
            late.deliver(entry)
    late.now += 1_500_000
    late.do(c.Still())
    if data.draw(st.booleans()):
        late.wait(2.5)
    for at in sorted(delayed):
        late.deliver(made[at])
    assert not late.view["incomplete"]
    assert finish(late, pins) == expected
    _driver_module().check_replay(late)


@SETTINGS
@given(pin_sets, st.integers(0, 2), st.data())
def test_a_missing_record_only_widens_what_is_possible(pins: list[str], clicks: int, data: st.DataObject) -> None:
    from marker_hub.match.judge import evidence_of
    from marker_rules.evidence import possible

    def rulings(driver: Any) -> set[str]:
        match = driver.table.match
        return {
            item.ruling.short
            for item in possible(evidence_of(driver.table.run, "carom5", ()), match.state, match.options)
        }

    whole = armed()
    for entry in records(whole, pins, clicks, 1):
        whole.deliver(entry)
    whole.do(c.Still())
    some = armed()
    made = records(some, pins, clicks, 1)
    gone = data.draw(st.integers(1, len(made) - 1))
    for at, entry in enumerate(made):
        if at != gone:
            some.deliver(entry)
    seq = made[gone].seq
    assert seq is not None
    some.do(c.Still())
    some.put(e.Missing(1, seq, seq))
    assert rulings(whole) <= rulings(some)


actions = st.lists(
    st.sampled_from(["shot", "accept", "answer", "call", "undo", "redo", "still", "manual", "respot"]), max_size=14
)


@SETTINGS
@given(actions, st.integers(0, 2**16))
def test_scores_move_only_by_decisions_and_undo_redo_is_the_identity(steps: list[str], seed: int) -> None:
    driver = armed()
    pins = ["", "N", "EC", "S"]
    for at, name in enumerate(steps):
        score = driver.score
        decided = False
        if name == "shot" and driver.phase == "armed":
            driver.shot(pins[(seed >> at) % 4])
        elif name == "respot" and driver.phase in ("respotting", "placing"):
            driver.respot()
        else:
            command: c.Command = {
                "accept": c.Accept(),
                "answer": c.Answer(
                    question=f"Q{1 + (seed >> at) % 4}", answer=["opponent", "nobody", "no", "yes"][(seed >> at) % 4]
                ),
                "call": c.Call(code="P", by="A"),
                "undo": c.Undo(),
                "redo": c.Redo(),
                "still": c.Still(),
                "manual": c.Manual(points={"B": 1}, note="x"),
            }.get(name, c.Still())
            made = core.propose(driver.table, driver.looking(command), core.Role.REFEREE, driver.now)
            if not isinstance(made, core.Refusal):
                decided = name in ("accept", "manual", "undo", "redo")
                for body in made:
                    driver.put(body)
        assert decided or driver.score == score
    before = core.state_hash(driver.table)
    depth = len(driver.table.done) - 1
    for _ in range(depth):
        driver.do(c.Undo())
    for _ in range(depth):
        driver.do(c.Redo())
    assert core.state_hash(driver.table) == before
    _driver_module().check_replay(driver)


@pytest.mark.report("R030")
def test_all_views_of_a_result_equal_the_replay(drivers: Any) -> None:
    """R030: shots with edits and undos; display, topics and record agree with the replay of the journal."""
    driver = drivers()
    driver.five_pins(options={"points_limit": 40, "games": 3})
    for at in range(40):
        if driver.phase == "game_over":
            driver.do(c.NextGame())
        if driver.phase == "break":
            driver.do(c.Resume())
        if driver.phase == "placing":
            driver.do(c.Ready())
        if driver.phase == "match_over":
            break
        driver.play(["N", "", "EC", "C"][at % 4], **({"Q2": "cue"} if at % 3 == 0 else {}))
        if at % 7 == 3:
            driver.do(c.Undo())
            driver.do(c.Redo())
        if at % 11 == 5:
            driver.do(c.Amend(shot=at, changes=e.Change(answers={"Q2": "opponent"})))
    topic = core.desired(driver.table).score
    assert topic["score"] == {"A": driver.score[0], "B": driver.score[1]}
    shots = driver.table.match.shots
    last = driver.view["last"]["ruling"]
    assert shots[-1].ruling.short == last["short"]
