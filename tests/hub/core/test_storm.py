"""Random matches of all games: any command at any time, any record, restarts and lost links. Nothing raises, nothing scores by itself."""

from __future__ import annotations

import importlib.util
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from marker_hardware.codes import Kind, Latch, PinState
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core

DECIDES = (
    c.Accept, c.Manual, c.Undo, c.Redo, c.Amend, c.AwardGame, c.AwardMatch, c.MatchStart, c.NextGame, c.Close, c.Choice,
    c.LagResult, c.NewRack, c.ContinueRun, c.Act, c.Interference, c.Resume,
)  # fmt: skip
"""Commands after which another score may stand (or another game is shown)."""


def _driver(profile: str) -> Any:
    name = "hub_core_driver"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("conftest.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name].Driver(profile=profile)


def check_words(refusal: core.Refusal) -> None:
    """Whatever the rules refuse, a Russian referee reads Russian."""
    words = projections.refusal_text(refusal)
    if refusal.text_key == "refuse.rules":
        assert not re.search("[A-Za-z]{3,}", words["ru"]), (refusal, words["ru"])


class Storm:
    """One random story."""

    def __init__(self, game: str, seed: int) -> None:
        self.rng = random.Random(seed)
        self.game = game
        self.driver = _driver("carom5" if game == "five-pins" else "pyramid")
        self.driver.put(e.HubStarted("x"))
        self.driver.birth()
        self.held: list[e.Entry] = []

    def start(self) -> c.Command:
        options: dict[str, Any] = (
            {"points_limit": 12, "games": 3} if self.game == "five-pins" else {"race_to": 2, "target": 3}
        )
        policy = self.rng.choice(["referee", "self"])
        opener = self.rng.choice([None, "A", "B"])
        players: Any = {"A": e.PlayerInfo("a"), "B": e.PlayerInfo("b")}
        return c.MatchStart(game=self.game, players=players, options=options, policy=policy, opener=opener)  # type: ignore[arg-type]

    def command(self) -> c.Command:
        rng, sheet, view = self.rng, self.driver.sheet, self.driver.view
        rows = sheet["rows"]
        shots = [record.no for record in self.driver.table.match.shots] if self.driver.table.match else []
        choices = (view["due"] or {}).get("choices") or ["open"]
        made: list[c.Command] = [
            self.start(), c.LagResult(winner=rng.choice(["A", "B", "replay"])), c.Choice(value=rng.choice(choices)), c.Ready(), c.Ready(),
            c.Accept(), c.Accept(), c.Accept(), c.Still(), c.Still(), c.Strike(), c.NotAShot(), c.Undo(), c.Redo(), c.NextGame(),
            c.NextGame(), c.Resume(), c.Hold(), c.Reopen(), c.Premature(), c.Manual(points={"A": 1}, note="x"),
            c.Call(code=rng.choice(["P", "Z", "RP-16", "RP-15.1"]), by=rng.choice(["A", "B"])), c.TimeCalled(), c.Extension(by="A"),
            c.BreakRequest(by="B"), c.ContinueRun(), c.NewRack(), c.Interference(value=rng.choice(["restorable", "lost"])), c.ContactReset(),
            c.Layout(off=rng.choice([(), ("N",)])), c.ClockSet(running=rng.choice([True, False])), c.Close(),
        ]  # fmt: skip
        if rng.random() < 0.1:
            made += [c.Suspend(note="x"), c.AwardGame(to="A", note="x"), c.AwardMatch(to="B", note="x")]
        if shots and rng.random() < 0.3:
            change = rng.choice(
                [e.Change(void=True), e.Change(delete=True), e.Change(striker="B"), e.Change(insert_after=True)]
            )
            made.append(c.Amend(shot=rng.choice(shots), changes=change))
        for row in rows:
            answer = rng.choice(row["answers"])["id"]
            made += [c.Answer(question=row["id"], answer=answer)] * 4
        return rng.choice(made)

    def record(self) -> e.Entry:
        rng, driver = self.rng, self.driver
        if self.game == "five-pins" and rng.random() < 0.5:
            pin = rng.choice("CNESW")
            kind = rng.choice([Kind.MOVE, Kind.STATE, Kind.STATE, Kind.LOST])
            value = (
                rng.choice(list(PinState))
                if kind == Kind.STATE
                else rng.choice(list(Latch))
                if kind == Kind.LOST
                else 300
            )
            return driver.record(pin, kind, int(value))
        name = rng.choice(
            ["CLICK", "CLICK", "PZ1", "PZ3", "BTN_STILL"] + ([] if self.game == "five-pins" else ["P1", "P4"])
        )
        kind = (
            Kind.DROP
            if name.startswith("P") and name[1].isdigit()
            else Kind.PRESS
            if name.startswith("B")
            else Kind.HIT
        )
        return driver.record(name, kind, 500, rng.choice([0, 0, 0, 1, 2, 4, 64]))

    def turn(self) -> bool:
        """One random thing; True when a decision was taken."""
        rng, driver = self.rng, self.driver
        driver.now += rng.randrange(1_000, 900_000)
        dice = rng.random()
        if dice < 0.45:
            command = self.command()
            made = core.propose(driver.table, driver.looking(command), core.Role.REFEREE, driver.now)
            if isinstance(made, core.Refusal):
                check_words(made)
                return False
            before = driver.table.n
            for body in made:
                driver.put(body)
            said = [note for note in driver.table.notices if note.n > before and note.code in ("refused", "fault")]
            assert not said, (command, said)  # what was proposed, the fold takes
            return isinstance(command, DECIDES)
        if dice < 0.85:
            entry = self.record()
            if rng.random() < 0.1:
                self.held.append(entry)
            else:
                driver.deliver(entry)
                if rng.random() < 0.05:
                    driver.deliver(entry)
        elif dice < 0.9 and self.held:
            driver.deliver(self.held.pop(rng.randrange(len(self.held))))
        elif dice < 0.93:
            driver.put(
                rng.choice(
                    [e.Offline(driver.boot), e.Missing(driver.boot, 0, rng.randrange(5)), e.Loss(driver.boot, 1)]
                )
            )
        elif dice < 0.96:
            if rng.random() < 0.2:
                driver.boot, driver.seq, self.held = driver.boot + 1, 0, []
            driver.birth()
        elif dice < 0.97:
            driver.put(e.HubStarted("again"))
        else:
            before = len([entry for entry in driver.journal if isinstance(entry.body, e.Accepted)])
            driver.wait(rng.random() * 12)
            return len([entry for entry in driver.journal if isinstance(entry.body, e.Accepted)]) > before
        return False


@pytest.mark.parametrize("game", ["five-pins", "free-pyramid", "dynamic-pyramid", "combined-pyramid"])
@pytest.mark.parametrize("seed", range(6))
def test_a_storm_of_entries(game: str, seed: int) -> None:
    storm = Storm(game, seed)
    driver = storm.driver
    for _ in range(220):
        score = driver.view["players"]["A"]["score"], driver.view["players"]["B"]["score"]
        decided = storm.turn()
        view = driver.view
        assert (
            decided
            or (view["players"]["A"]["score"], view["players"]["B"]["score"]) == score
            or view["phase"] == "idle"
        )
        assert core.desired(driver.table).mode in ("idle", "armed", "settling")
        projections.sheet_view(driver.table)
    sys.modules["hub_core_driver"].check_replay(driver)
