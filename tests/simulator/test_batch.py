"""Batches: the result belongs to the seed, not to the number of processes; failing shots are kept and can be played again."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from marker_hardware.wire import Kind, Mode
from marker_rules.balls import GameId, Pin
from marker_sim import batch, detector, tableplay
from marker_sim.batch import BatchError, BatchPlan, Through, run_batch, units
from marker_sim.cases import cases, options_of
from marker_sim.demo import Plan, journal_counts
from marker_sim.demo import run as play
from marker_sim.detector import Detector
from marker_sim.feed import Entered, Feed, Frames, read
from marker_sim.judging import Engine, Look
from marker_sim.kept import repeat, save
from marker_sim.physics import params
from marker_sim.physics.engine import SimulationError
from marker_sim.physics.invariants import Guard
from marker_sim.play_five_pins import FivePinsPlay
from marker_sim.score import view_fields
from marker_sim.timeline import Timeline
from marker_sim.truth import TrueMatch

MARKER = [sys.executable, "-m", "marker_hub", "sim"]
GAMES = [game.value for game in GameId]
NODE = 63  # channel of the node itself: its stamps say when a command came, which no sensor knows
SHOTS = 200


def run(*arguments: str, timeout: float = 170) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MARKER, *arguments], capture_output=True, text=True, timeout=timeout)


def figures(*arguments: str, timeout: float = 170) -> dict[str, Any]:
    done = run("batch", *arguments, "--json", timeout=timeout)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def clean(found: dict[str, Any]) -> None:
    for name in ("wrong", "truth_excluded", "guessed", "split", "merged", "invented", "missed", "lost", "duplicated"):
        assert found[name] == 0, name
    assert found["problems"] == []


@pytest.mark.slow
def test_one_job_and_three_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mutation: a unit seeded by its worker, or merged in the order of arrival, turns it red."""
    plan = BatchPlan(GameId.FREE, 7, 230, Through.RULES, faults="design")
    one = run_batch(plan)
    three = run_batch(BatchPlan(GameId.FREE, 7, 230, Through.RULES, faults="design", jobs=3))
    assert one.as_json() == three.as_json()
    assert one.score.shots == 230
    assert one.injected


def test_units_have_seeds_of_their_own() -> None:
    made = units(BatchPlan(GameId.FIVE_PINS, 1, 250, Through.RULES))
    assert [unit.shots for unit in made] == [100, 100, 50]
    assert len({unit.seed for unit in made}) == 3
    longer = units(BatchPlan(GameId.FIVE_PINS, 1, 400, Through.RULES))
    assert longer[:2] == made[:2]
    with pytest.raises(BatchError, match="0 shots"):
        run_batch(BatchPlan(GameId.FIVE_PINS, 1, 0, Through.RULES))


def test_a_failing_shot_is_kept_and_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Engine):
        def look(self, *arguments: Any) -> Look:
            made = super().look(*arguments)
            points = made.ruling.points  # type: ignore[attr-defined]
            ruling = type(made.ruling)
            if arguments[0] != 4:
                return made
            kept = {name: getattr(made.ruling, name) for name in made.ruling.__dataclass_fields__}
            return Look(ruling(**{**kept, "points": points.plus(made.ruling.striker, 3)}), made.certain, made.rows, 1)

    plan = BatchPlan(GameId.FIVE_PINS, 3, 6, Through.RULES, errors=0.2)
    monkeypatch.setattr(batch, "Engine", Wrong)
    result = run_batch(plan)
    assert [failure.judged.shot for failure in result.failures] == [4]
    assert not result.good
    folder = save(result.failures[0], plan, tmp_path)
    assert "strike cue" in (folder / "truth.jsonl").read_text()
    _, again = repeat(folder)
    assert [failure.judged for failure in again.failures] == [result.failures[0].judged]
    monkeypatch.undo()
    done = run("repeat", str(folder))
    assert done.returncode == 0, done.stderr
    assert "right" in done.stdout


def test_a_kept_shot_meets_its_own_faults_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moments are drawn over the whole unit. Mutation: over the shots up to the kept one, so that others fail than did."""

    class Wrong(Engine):
        def look(self, *arguments: Any) -> Look:
            made = super().look(*arguments)
            return (
                Look(made.ruling, made.certain, made.rows, 1)
                if arguments[0] != 5
                else Look(made.ruling, True, made.rows, 1)
            )

    (tmp_path / "reboots.toml").write_text(
        '[[fault]]\nkind = "reboot"\ntimes = 3\n[[fault]]\nkind = "lost"\nrate = 0.3\n'
    )
    plan = BatchPlan(GameId.FIVE_PINS, 3, 12, Through.RULES, faults=str(tmp_path / "reboots.toml"))
    monkeypatch.setattr(batch, "Engine", Wrong)
    (unit,) = units(plan)
    (failure,) = batch.play_unit(plan, unit).failures
    assert failure.judged.shot == 5
    assert failure.judged.guessed
    folder = save(failure, plan, tmp_path)
    kept, again = repeat(folder)
    assert kept["injected"] == list(failure.injected) != []
    assert [one.injected for one in again.failures] == [failure.injected]
    assert [one.judged for one in again.failures] == [failure.judged]
    assert again.score.shots == 5


@pytest.mark.slow
def test_a_failing_shot_at_a_hub_is_kept_with_the_feed_of_its_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Mutation: the feed lies in a folder that is gone, or of a unit where nothing failed."""
    plan = BatchPlan(GameId.FIVE_PINS, 3, 2, Through.HUB)
    monkeypatch.setattr(tableplay, "view_fields", lambda view: {**view_fields(view), "short": "X"})
    result = batch.play_unit(plan, units(plan)[0])
    assert [failure.judged.differing for failure in result.failures] == [("short",)] * 2
    kept = read(save(result.failures[1], plan, tmp_path) / "unit.feed.jsonl")
    assert kept.rulings == [failure.judged.truth["short"] for failure in result.failures]


def test_a_unit_that_gets_stuck_tells_what_was_ruled_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong score may be why the hub waits for something else than the truth. Mutation: the rulings of a stuck unit go with it."""
    played = FivePinsPlay.stroke

    def stroke(self: FivePinsPlay, match: TrueMatch, number: int) -> Timeline:
        if number == 3:
            raise tableplay.Stalled("table 1: nothing happened for 60 s in phase placing")
        return played(self, match, number)

    monkeypatch.setattr(FivePinsPlay, "stroke", stroke)
    monkeypatch.setattr(tableplay, "view_fields", lambda view: {**view_fields(view), "short": "X"})
    plan = BatchPlan(GameId.FIVE_PINS, 3, 4, Through.HUB)
    result = batch.play_unit(plan, units(plan)[0])
    assert (result.score.shots, result.score.wrong, len(result.failures)) == (2, 2, 2)
    assert result.problem == "after 2 shots: table 1: nothing happened for 60 s in phase placing"


def test_a_shot_that_breaks_a_law_is_a_problem_of_its_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named with unit, seed and shot; the batch goes on and is not good. Mutation: a traceback, or a shot drawn again."""
    played = FivePinsPlay.stroke

    def stroke(self: FivePinsPlay, match: TrueMatch, number: int) -> Timeline:
        if number == 3 and self.seed == units(plan)[0].seed:
            raise SimulationError("energy grew by 1 J at 2 s")
        return played(self, match, number)

    plan = BatchPlan(GameId.FIVE_PINS, 3, 102, Through.RULES)
    monkeypatch.setattr(batch, "UNIT", 98)
    monkeypatch.setattr(FivePinsPlay, "stroke", stroke)
    result = run_batch(plan)
    assert result.problems == [f"unit 0 (seed {units(plan)[0].seed}): shot 3: energy grew by 1 J at 2 s"]
    assert (result.score.shots, result.good) == (2 + 4, False)


def test_a_batch_is_played_as_well_on_the_table_and_as_strictly_as_asked(tmp_path: Path) -> None:
    """Mutation: `--skill`, `--params`, `--errors` or `--check` is read and forgotten."""
    plain = play_two()
    assert play_two(check=True) == plain, "looking changes nothing"
    assert play_two(skill="beginner") != plain
    assert play_two(errors=1.0) != plain
    text = (Path(params.__file__).parent / "params.toml").read_text(encoding="utf-8")
    (tmp_path / "slow.toml").write_text(
        text.replace("roll     = { v = 0.010", "roll     = { v = 0.030"), encoding="utf-8"
    )
    assert play_two(params=str(tmp_path / "slow.toml")) != plain
    assert BatchPlan(GameId.FREE, 1, 2, Through.RULES, check=True).style().check


@pytest.mark.parametrize("game", [GameId.FIVE_PINS, GameId.FREE])
def test_one_stroke_in_a_hundred_of_a_batch_is_checked_at_every_event(
    game: GameId, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And all of them with `--check`. Mutation: none, the first ones only, or the candidates that are merely tried too."""
    checked: list[bool] = []
    monkeypatch.setattr(Guard, "begin", lambda _, *, every_event: checked.append(every_event))
    monkeypatch.setattr(Guard, "at_event", lambda *_: None)
    monkeypatch.setattr(Guard, "at_end", lambda *_: None)
    for check, wanted in ((False, 1), (True, 6)):
        plan = BatchPlan(game, 5, 6, Through.RULES, check=check, skill="beginner")
        style = plan.style()
        assert sum(style.checks(seed, number) for seed in range(7, 9) for number in range(1, 101)) == (
            200 if check else 2
        )
        checked.clear()
        list(cases(plan.game, 97, 6, plan.fitted, "", style))
        assert sum(checked) == wanted
        assert len(checked) >= 6


def play_two(**asked: Any) -> list[str]:
    plan = BatchPlan(GameId.FIVE_PINS, 5, 2, Through.RULES, **asked)
    (unit,) = units(plan)
    return [case.story for case in cases(plan.game, unit.seed, 2, plan.fitted, "", plan.style())]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["batch", "five-pins", "--faults", "desing"], "desing"),
        (["batch", "five-pins", "--shots", "0"], "0 shots"),
        (["batch", "five-pins", "--through", "hub", "--sensors", "all"], "--sensors all"),
        (["batch", "snooker"], "snooker"),
        (["batch", "five-pins", "--referee", "absent"], "--referee absent"),
        (["batch", "five-pins", "--through", "hub", "--sloppy", "0.1"], "--sloppy 0.1"),
        (["batch", "five-pins", "--errors", "2"], "'2': give a probability from 0 to 1"),
        (["repeat", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_status_2_and_named(arguments: list[str], named: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_through_rules_every_game_is_right(game: str) -> None:
    found = figures(game, "--shots", "100", "--seed", "5")
    clean(found)
    assert found["above_worst_case"] == 0
    assert found["questions_per_shot"] < (4 if game == "five-pins" else 1.5)


Told = tuple[int, dict[str, int]]


def told_by_the_board(data: Path) -> list[Told]:
    """What the journal holds of the board's records, in their order; fields that are nought are not written there."""
    with closing(sqlite3.connect(data / "journal.sqlite3")) as journal:
        rows = journal.execute("SELECT dev_us, body FROM entry WHERE seq IS NOT NULL ORDER BY boot, seq").fetchall()
    bodies = [(dev_us, {"v": 0, "aux": 0} | json.loads(body)) for dev_us, body in rows]
    return [(at, {name: body[name] for name in ("ch", "kind", "v", "aux")}) for at, body in bodies]


def told_by_the_machines(feed: Feed, board: list[Told]) -> list[Told]:
    """What the firmware's own state machines under CPython report of a feed, put into each mode when the board was."""
    node = Detector(feed.header.profile)
    modes = [(at - node.origin_us, body) for at, body in board if body["ch"] == NODE and body["kind"] == Kind.MODE]
    layout = every = [pin.value for pin in Pin]

    def modes_until(t_us: int) -> None:
        while modes and modes[0][0] <= t_us:
            _, body = modes.pop(0)
            if body["v"] == Mode.ARMED and node.modes.mode != Mode.SETTLING:
                node.arm(body["aux"], layout)
            else:
                node.modes.set(Mode(body["v"]))

    modes_until(0)
    for step in feed.steps:
        match step:
            case Frames(inputs, until_us):
                for item in inputs:
                    modes_until(item.t_us - 1)
                    node.feed([item])
                node.until(until_us)  # what the hub said after that was about the layout entered by then
            case Entered("layout", fields):
                layout = list(fields["pins"])
            case Entered("next_game", _):
                layout = every
    return [(one.t, {"ch": one.ch, "kind": one.kind, "v": one.v, "aux": one.aux}) for one in node.records(0)]


def felt(told: list[Told]) -> list[Told]:
    """Without the node's own records, whose stamps say when a command came."""
    return [one for one in told if one[1]["ch"] != NODE]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_hundred_shots_through_the_firmware_are_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sensors, firmware, broker, hub, referee: no wrong ruling, nothing lost, nothing twice; and the board reported, stamp for
    stamp, what the same machines report without it. Mutation: a reading fed late.
    """
    monkeypatch.setattr(detector, "KEPT", 1 << 15)  # the ring of one match
    file = tmp_path / "match.feed.jsonl"
    asked = Plan(GameId.FIVE_PINS, 9, SHOTS, options_of(GameId.FIVE_PINS), 0.0, 1, tmp_path, 0, record=file)
    (table,) = asyncio.run(play(asked, lambda _: None))
    assert [verdict.judged for verdict in table.verdicts if verdict.judged.failed] == []
    assert (table.shots, table.lost, table.duplicated) == (SHOTS, 0, 0)
    assert table.final_score == table.ground_truth_score
    board = told_by_the_board(tmp_path)
    assert len(felt(board)) > 5 * SHOTS
    assert felt(told_by_the_machines(read(file), board)) == felt(board)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("game", "through"), [("five-pins", "firmware"), ("free-pyramid", "hub")])
def test_with_the_faults_of_the_design_they_are_right_too(game: str, through: str) -> None:
    found = figures(game, "--shots", "40", "--seed", "9", "--through", through, "--faults", "design", timeout=600)
    clean(found)
    assert found["injected"]["reboot"] == 1
    assert found["injected"]["broker_restart"] == 1


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("game", "sensors"), [("five-pins", "main"), ("free-pyramid", "none")])
def test_tables_with_fewer_sensors_are_right_through_a_hub_too(game: str, sensors: str) -> None:
    """Pins or gates alone, or a scoreboard by hand: the referee enters the strokes and is asked more."""
    found = figures(game, "--shots", "8", "--seed", "4", "--through", "hub", "--sensors", sensors, timeout=600)
    clean(found)
    assert found["sensors"] == sensors
    assert found["questions_per_shot"] > 0.5


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_the_house_accepts_without_a_referee_is_right_and_the_rest_stays_open() -> None:
    """Nobody answers, nobody accepts. Mutation: a countdown over two possible rulings, or over a foul concluded from absence."""
    found = figures(
        "free-pyramid", "--shots", "12", "--seed", "3", "--through", "hub", "--referee", "absent", timeout=600
    )
    clean(found)
    assert found["accepted_by_house"] >= 2
    assert found["left_open"] >= 2
    assert found["accepted_by_house"] + found["left_open"] == found["shots"] == 12
    assert found["taps_per_shot"] < 1


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("game", "referee"), [("five-pins", "sloppy"), ("free-pyramid", "undoing"), ("five-pins", "slow")]
)
def test_whoever_handles_a_batch_the_rulings_are_right(game: str, referee: str) -> None:
    """Wrong rulings at most his own errors, and he puts those right. Mutation: an acceptance taken back that still counts."""
    share = ["--sloppy", "0.4"] if referee == "sloppy" else []
    asked = ["--shots", "8", "--seed", "3", "--through", "hub", "--referee", referee, *share]
    found = figures(game, *asked, timeout=600)
    clean(found)
    assert found["referee"] == referee
    assert (found["referee_errors"] > 0) == (referee == "sloppy")
    assert found["wrong"] <= found["referee_errors"]


@pytest.mark.soak
@pytest.mark.parametrize("faults", ["", "design"])
@pytest.mark.parametrize(("through", "shots"), [("rules", 10_000), ("hub", 10_000), ("firmware", 1_000)])
@pytest.mark.parametrize("game", GAMES)
def test_long_runs(game: str, through: str, shots: int, faults: str) -> None:
    """0 wrong of 10,000 bounds the rate below 0.03 % (95 %)."""
    arguments = [game, "--shots", str(shots), "--seed", "17", "--through", through, "--jobs", "2"]
    clean(figures(*arguments, *(["--faults", faults] if faults else []), timeout=86_400))


def test_a_record_lost_without_a_word_is_counted_and_a_reported_one_is_not(tmp_path: Path) -> None:
    """Mutation: counting what the journal calls missing as lost, or not counting a hole, turns it red."""
    path = tmp_path / "journal.sqlite3"
    with closing(sqlite3.connect(path)) as journal:
        journal.execute("CREATE TABLE entry(tbl TEXT, kind TEXT, boot INTEGER, seq INTEGER, body TEXT)")
        rows = [
            ("1", "birth", 1, None, '{"boot": 1, "head": 0}'),
            ("1", "obs", 1, 0, "{}"),
            ("1", "obs", 1, 3, "{}"),
            ("1", "obs", 1, 3, "{}"),
            ("1", "missing", 1, None, '{"boot": 1, "from": 1, "to": 1}'),
            ("1", "head", 1, None, '{"boot": 1, "head": 4}'),
            ("2", "head", 1, None, '{"boot": 1, "head": 9}'),
        ]
        journal.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
        journal.commit()
    assert journal_counts(path, "1") == (1, 1)
    assert journal_counts(path, "2") == (9, 0)
