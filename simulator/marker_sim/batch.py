"""Many shots against the truth: units of 100 shots with seeds of their own, played by any number of processes, merged in order.

A unit is one match on one table. Its result depends on its seed and the plan alone, so the sum is the same for any number
of jobs.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from marker_hardware.pinmap import Profile
from marker_rules.balls import GameId
from marker_sim.cases import cases, options_of
from marker_sim.faults.rig import Injected
from marker_sim.judging import Engine, judge
from marker_sim.manner import Kind, Manner
from marker_sim.physics.engine import SimulationError
from marker_sim.physics.table import of_paths
from marker_sim.play import Style
from marker_sim.players import PRESETS
from marker_sim.problems import describe
from marker_sim.reading import Fitted
from marker_sim.rng import Stream
from marker_sim.score import Judged, Score
from marker_sim.slips import DEFAULT_RATE, Rates
from marker_sim.tableplay import Verdict

UNIT = 100
CHECKED = 100  # one stroke in so many with the invariants at every event, unless all are
MOST_SHOTS = 100_000_000
SEEDS = 1 << 30  # of units


class Through(StrEnum):
    """How much of the product lies between the sensors and the ruling."""

    RULES = "rules"  # evidence engine, in this process
    HUB = "hub"  # broker and hub, fed by nodes without firmware
    FIRMWARE = "firmware"  # the node's firmware on virtual boards, broker and hub


class BatchError(ValueError):
    """A batch that cannot be played as asked."""


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What to play. faults: name or path of a fault profile, empty for none; referee, sloppy: his manner, where a hub asks him.

    skill, errors, check: of the players and their physics (errors None: as often as usual); params, table: paths of own files, empty for the shipped ones.
    """

    game: GameId
    seed: int
    shots: int
    through: Through
    fitted: Fitted = Fitted.HINTS
    faults: str = ""
    jobs: int = 1
    referee: Kind = Kind.TRUTHFUL
    sloppy: float = 0.05
    skill: str = "club"
    check: bool = False
    params: str = ""
    table: str = ""
    errors: float | None = None

    def style(self) -> Style:
        """How both play, and where. Raises ParamsError, HardwareDataError, BoundaryError."""
        profile = Profile.PYRAMID if self.game.is_pyramid else Profile.CAROM5
        own = of_paths(profile, *(Path(name) if name else None for name in (self.params, self.table)))
        rates = DEFAULT_RATE if self.errors is None else Rates.every(self.errors)
        return Style(PRESETS[self.skill], rates, check=self.check, table=own, check_every=CHECKED)


@dataclass(frozen=True, slots=True)
class Unit:
    """One match of at most 100 shots, over which the moments of faults are drawn. `last`: end after this shot."""

    index: int
    seed: int
    shots: int
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A shot that must not be: which unit, what was true, what was ruled, which faults were injected into it.

    `feed`: what the sensors of the unit saw and its referee entered; empty where no hub was asked.
    """

    unit: Unit
    judged: Judged
    story: str
    injected: tuple[str, ...] = ()
    feed: str = field(default="", repr=False)


@dataclass(slots=True)
class UnitResult:
    """What came of one unit. `injected`: faults by name; `problem`: why it could not be played to its end."""

    unit: Unit
    score: Score
    failures: list[Failure] = field(default_factory=list)
    injected: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    duplicated: int = 0
    referee: Counter[str] = field(default_factory=Counter)
    problem: str = ""


@dataclass(slots=True)
class BatchResult:
    """The sum over all units, in their order."""

    plan: BatchPlan
    score: Score = field(default_factory=Score)
    failures: list[Failure] = field(default_factory=list)
    injected: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    duplicated: int = 0
    referee: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    units: int = 0

    def add(self, result: UnitResult) -> None:
        """Count one unit."""
        self.units += 1
        self.score.merge(result.score)
        self.failures += result.failures
        for name, count in result.injected.items():
            self.injected[name] = self.injected.get(name, 0) + count
        self.lost += result.lost
        self.duplicated += result.duplicated
        self.referee.update(result.referee)
        if result.problem:
            self.problems.append(f"unit {result.unit.index} (seed {result.unit.seed}): {result.problem}")

    @property
    def good(self) -> bool:
        """Everything was played and nothing happened that must never happen."""
        return self.score.good and not self.problems and not self.lost and not self.duplicated

    def as_json(self) -> dict[str, Any]:
        """The result object of the command."""
        plan = self.plan
        return {
            "game": plan.game.value,
            "seed": plan.seed,
            "through": plan.through.value,
            "sensors": plan.fitted.value,
            "faults": plan.faults or None,
            "referee": plan.referee.value,
            **self.score.as_json(),
            "lost": self.lost,
            "duplicated": self.duplicated,
            "injected": dict(sorted(self.injected.items())),
            **self.referee,
            "problems": self.problems,
        }


def units(plan: BatchPlan) -> list[Unit]:
    """The units of a plan; each seed depends on the plan's seed and the unit's index alone."""
    found = []
    for index in range((plan.shots + UNIT - 1) // UNIT):
        seed = Stream(plan.seed, "unit", index).below(SEEDS)
        found.append(Unit(index, seed, min(UNIT, plan.shots - index * UNIT)))
    return found


def play_unit(plan: BatchPlan, unit: Unit) -> UnitResult:
    """Play one unit."""
    if plan.through is Through.RULES:
        return _through_rules(plan, unit)
    return asyncio.run(_through_hub(plan, unit))


def _through_rules(plan: BatchPlan, unit: Unit) -> UnitResult:
    result = UnitResult(unit, Score())
    engine = Engine()
    try:
        for case in cases(plan.game, unit.seed, unit.shots, plan.fitted, plan.faults, plan.style()):
            judged = judge(case, engine)
            result.score.add(judged)
            for name in case.injected:
                result.injected[name] = result.injected.get(name, 0) + 1
            if judged.failed:
                result.failures.append(Failure(unit, judged, case.story, case.injected))
            if case.shot == unit.last:
                break
    except SimulationError as problem:
        result.problem = f"shot {result.score.shots + 1}: {problem}"
    return result


async def _through_hub(plan: BatchPlan, unit: Unit) -> UnitResult:
    """One table with a hub and a broker of its own."""
    from marker_sim.demo import Hall, Plan, run

    result = UnitResult(unit, Score())
    manner = Manner(plan.referee, unit.seed, plan.sloppy)
    with tempfile.TemporaryDirectory(prefix="marker-batch-") as folder:
        file = Path(folder) / "unit.feed.jsonl"
        asked = Plan(
            plan.game,
            unit.seed,
            unit.last or unit.shots,
            options_of(plan.game),
            0.0,
            1,
            Path(folder),
            0,
            direct=plan.through is Through.HUB,
            profile=plan.faults,
            style=plan.style(),
            fitted=plan.fitted,
            referee=manner,
            record=file,
            drawn_over=unit.shots,
        )
        halls: list[Hall] = []
        try:
            table = (await run(asked, halls.append))[0]
        except Exception as problem:
            said = describe(problem)
            if said is None:
                raise
            ruled = [verdict for hall in halls for shown in hall.tables for verdict in shown.verdicts]
            _count(result, ruled, (), "")  # a wrong score may be why the table got stuck
            result.problem = f"after {len(ruled)} shots: {said}"
            return result
        feed = file.read_text(encoding="utf-8") if any(verdict.judged.failed for verdict in table.verdicts) else ""
    _count(result, table.verdicts, table.injected, feed)
    result.lost, result.duplicated = table.lost or 0, table.duplicated or 0
    result.referee.update(table.handled(manner))
    for one in table.injected:
        result.injected[one.kind] = result.injected.get(one.kind, 0) + 1
    if table.final_score != table.ground_truth_score:
        result.problem = f"final score {table.final_score}, true score {table.ground_truth_score}"
    return result


def _count(result: UnitResult, verdicts: Sequence[Verdict], faults: Sequence[Injected], feed: str) -> None:
    """Add what was ruled to the unit's figures; failing shots with the faults that met them and the unit's feed."""
    for verdict in verdicts:
        result.score.add(verdict.judged)
        if verdict.judged.failed:
            met = tuple(str(one.kind) for one in faults if one.shot == verdict.shot.number)
            result.failures.append(Failure(result.unit, verdict.judged, verdict.shot.line(), met, feed))


Told = Callable[[int, BatchResult], None]
"""(shots done, what is known so far), in the order in which units end."""


def run_batch(plan: BatchPlan, told: Told | None = None) -> BatchResult:
    """Play all units, `plan.jobs` at a time. KeyboardInterrupt ends with what is done. Raises BatchError."""
    if not 1 <= plan.shots <= MOST_SHOTS or plan.jobs < 1:
        raise BatchError(f"{plan.shots} shots with {plan.jobs} jobs: give 1 to {MOST_SHOTS} shots, and jobs from 1")
    done: dict[int, UnitResult] = {}
    try:
        for result in _played(plan, units(plan)):
            done[result.unit.index] = result
            if told is not None:
                told(sum(r.unit.shots for r in done.values()), _sum(plan, done))
    except KeyboardInterrupt:
        partial = _sum(plan, done)
        partial.problems.append(f"stopped after {partial.score.shots} of {plan.shots} shots")
        return partial
    return _sum(plan, done)


def _sum(plan: BatchPlan, done: dict[int, UnitResult]) -> BatchResult:
    total = BatchResult(plan)
    for index in sorted(done):
        total.add(done[index])
    return total


def _played(plan: BatchPlan, todo: list[Unit]) -> Iterator[UnitResult]:
    if plan.jobs == 1 or len(todo) == 1:
        for unit in todo:
            yield play_unit(plan, unit)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(plan.jobs, len(todo)), mp_context=context) as pool:
        futures = [pool.submit(play_unit, plan, unit) for unit in todo]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
