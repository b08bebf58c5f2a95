"""The three pyramid games: order, number and delay of a shot's records never change its ruling; undo then redo is the identity."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_driver import driver_module

from marker_hardware.codes import Kind
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import table as core

GAMES = ("free-pyramid", "dynamic-pyramid", "combined-pyramid")
TRUTH = {"QL": "legal", "QM": "met", "QC": "no", "Q4": "itself"}
SETTINGS = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))

gates = st.lists(st.sampled_from(["P1", "P2", "P3", "P4", "P5", "P6"]), max_size=3)


def armed(game: str) -> Any:
    driver = driver_module().Driver(profile="pyramid")
    driver.put(e.HubStarted("test"))
    driver.birth()
    driver.pyramid(game)
    return driver


def records(driver: Any, drops: list[str], clicks: int, rails: int) -> list[e.Entry]:
    """A shot's records in true order, with device times of their own."""
    t = driver.t + 1_000
    made = [driver.record("CLICK", Kind.HIT, 900, t=t)]
    for _ in range(clicks):
        t += 250_000
        made.append(driver.record("CLICK", Kind.HIT, 500, t=t))
    for gate in drops:
        t += 400_000
        made.append(driver.record(gate, Kind.DROP, 60, t=t))
    for _ in range(rails):
        t += 300_000
        made.append(driver.record("PZ3", Kind.HIT, 700, t=t))
    return made


def finish(driver: Any) -> tuple[str, tuple[int, int]]:
    """Close, answer with the truth, accept: the ruling in short and the score it left."""
    if driver.phase == "armed":
        driver.do(c.Strike())
    if driver.phase in ("rolling", "settling"):
        driver.do(c.Still())
    driver.wait(3)
    for _ in range(4):
        if driver.phase == "asking" and driver.sheet["needed"] == ["disturbed"]:
            driver.do(c.Answer(question="disturbed", answer="shot"))
            driver.do(c.Still())
            driver.wait(3)
    driver.decide(**TRUTH)
    driver.do(c.Accept())
    return str(driver.table.match.shots[-1].ruling.short), driver.score


@pytest.mark.parametrize("game", GAMES)
@SETTINGS
@given(gates, st.integers(1, 3), st.integers(0, 3), st.data())
def test_any_interleaving_and_duplication_gives_the_same_ruling(
    game: str, drops: list[str], clicks: int, rails: int, data: st.DataObject
) -> None:
    plain = armed(game)
    for entry in records(plain, drops, clicks, rails):
        plain.deliver(entry)
    expected = finish(plain)
    assert plain.view["players"]["A"]["shelf"] == len(drops), "every ball that fell is counted once"

    mixed = armed(game)
    made = records(mixed, drops, clicks, rails)
    order = data.draw(st.permutations(range(len(made))))
    again = data.draw(st.lists(st.sampled_from(range(len(made))), max_size=6))
    for at in (*order, *again):
        mixed.now += 5_000
        mixed.deliver(made[at])
    assert finish(mixed) == expected
    driver_module().check_replay(mixed)


@pytest.mark.parametrize("game", GAMES)
@SETTINGS
@given(gates, st.integers(1, 2), st.integers(1, 2), st.data())
def test_records_delayed_past_the_close_join_their_shot(
    game: str, drops: list[str], clicks: int, rails: int, data: st.DataObject
) -> None:
    plain = armed(game)
    for entry in records(plain, drops, clicks, rails):
        plain.deliver(entry)
    expected = finish(plain)

    late = armed(game)
    made = records(late, drops, clicks, rails)
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
    assert finish(late) == expected
    driver_module().check_replay(late)


steps = st.lists(
    st.sampled_from(["pot", "miss", "foul", "choice", "ready", "layout", "undo", "redo", "manual"]), max_size=12
)


@pytest.mark.parametrize("game", GAMES)
@SETTINGS
@given(steps, st.integers(0, 2**16))
def test_undo_then_redo_is_the_identity_and_scores_move_only_by_decisions(
    game: str, names: list[str], seed: int
) -> None:
    driver = armed(game)
    for at, name in enumerate(names):
        score, decided = driver.score, name in ("undo", "redo", "manual")
        armed_now = driver.phase == "armed"
        if name in ("pot", "miss", "foul") and armed_now:
            driver.pots(*(["P1", "P4"][: 1 + (seed >> at) % 2] if name == "pot" else []), accept=False)
            if name == "foul":
                driver.do(c.Call(code="RP-16", by=driver.view["turn"]))
            assert driver.score == score, "nothing counts before it is accepted"
            driver.do(c.Accept())
            decided = True
        else:
            choices = (driver.view["due"] or {}).get("choices") or ["play"]
            command: c.Command = {
                "choice": c.Choice(value=choices[(seed >> at) % len(choices)]),
                "ready": c.Ready(),
                "layout": c.Layout(balls=(driver.view["balls"] or {"on_table": 1})["on_table"]),
                "undo": c.Undo(),
                "redo": c.Redo(),
                "manual": c.Manual(points={"B": 1}, note="x"),
            }.get(name, c.Still())
            made = core.propose(driver.table, driver.looking(command), core.Role.REFEREE, driver.now)
            if not isinstance(made, core.Refusal):
                for body in made:
                    driver.put(body)
        assert decided or driver.score == score
        assert driver.view["balls"] is None or driver.view["balls"]["missing"] == 0
    before = core.state_hash(driver.table)
    depth = len(driver.table.done) - 1
    for _ in range(depth):
        driver.do(c.Undo())
    for _ in range(depth):
        driver.do(c.Redo())
    assert core.state_hash(driver.table) == before
    driver_module().check_replay(driver)
