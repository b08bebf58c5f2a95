"""`marker sim batch`: many shots, and every ruling against the truth."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marker_hub.cli import sim_referee, sim_shot
from marker_hub.cli.places import writable_folder
from marker_hub.errors import MarkerError
from marker_rules.balls import GameId

if TYPE_CHECKING:
    from marker_sim.batch import BatchPlan, BatchResult

KEPT = 20  # failing shots kept of one batch
EVERY_S = 10.0  # a line of progress where standard error is no terminal


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim batch`."""
    parser = subparsers.add_parser(
        "batch",
        help="many shots, every ruling against the truth",
        description="Plays many shots and compares every ruling with the truth. Exit status: 0 all right, 1 a wrong ruling or "
        "something else that must not happen, 2 bad input.",
    )
    parser.add_argument("game", choices=[game.value for game in GameId])
    parser.add_argument("--shots", type=int, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same shots (default: 1)")
    parser.add_argument(
        "--through",
        choices=["rules", "hub", "firmware"],
        default="rules",
        help="rules: evidence engine alone; hub: broker and hub; firmware: virtual boards, broker and hub (default: rules)",
    )
    parser.add_argument(
        "--sensors",
        choices=["all", "hints", "main", "none"],
        default="hints",
        help="what the table is fitted with (default: hints, as built)",
    )
    sim_referee.options(parser, "through hub or firmware")
    parser.add_argument("--faults", default="", metavar="PROFILE", help="a fault profile by name, or a .toml file")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes; the result is the same for any number"
    )
    parser.add_argument(
        "--skill", choices=("beginner", "club", "strong"), default="club", help="how well both play (default: club)"
    )
    sim_shot.errors(parser)
    sim_shot.own_files(parser)
    parser.add_argument("--check", action="store_true", help="test the physical invariants at every event")
    parser.add_argument("--score", action="store_true", help="print the whole table of figures")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help="keep failing shots in DIR")


def run(args: argparse.Namespace) -> int:
    """Play, print, keep what failed."""
    from marker_sim.batch import BatchError, BatchPlan, Through, run_batch
    from marker_sim.faults import FaultError, load
    from marker_sim.kept import save
    from marker_sim.reading import Fitted

    through, fitted = Through(args.through), Fitted(args.sensors)
    if through is not Through.RULES and fitted is Fitted.ALL:
        raise MarkerError(
            "--sensors all: no sensor that is built feels every contact and nothing else; that table exists through rules "
            "only, give hints, main or none"
        )
    asked = through is not Through.RULES
    kind, sloppy = sim_referee.manner_of(args, asked=asked, where="--through hub or firmware")
    sim_shot.table_of(args)
    if args.out is not None:
        writable_folder("--out", args.out)
    try:
        load(args.faults)
        plan = BatchPlan(
            GameId(args.game),
            args.seed,
            args.shots,
            through,
            fitted,
            args.faults,
            args.jobs,
            kind,
            sloppy,
            args.skill,
            args.check,
            "" if args.params is None else str(args.params),
            "" if args.table is None else str(args.table),
            args.errors,
        )
        result = run_batch(plan, _Progress(plan))
    except (BatchError, FaultError) as problem:
        raise MarkerError(str(problem)) from problem
    if args.out is not None:
        for failure in result.failures[:KEPT]:
            print(f"kept: {save(failure, plan, args.out)}", file=sys.stderr)
    _print(args, result)
    return 0 if result.good else 1


class _Progress:
    """How far it is, on standard error: one line kept up to date on a terminal, else a line now and then."""

    def __init__(self, plan: BatchPlan) -> None:
        self._plan = plan
        self._began = self._last = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def __call__(self, done: int, result: BatchResult) -> None:
        now = time.monotonic()
        if not self._terminal and now - self._last < EVERY_S:
            return
        self._last = now
        rate = done / max(now - self._began, 1e-3)
        left = (self._plan.shots - done) / rate
        text = f"{done}/{self._plan.shots} shots, {rate:.0f}/s, {result.score.wrong} wrong, {left:.0f} s left"
        print(
            f"\r{text}\x1b[K" if self._terminal else text,
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )


def _print(args: argparse.Namespace, result: BatchResult) -> None:
    figures: dict[str, Any] = result.as_json()
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if args.json:
        print(json.dumps(figures, ensure_ascii=False))
        return
    shown = (
        figures if args.score else {k: figures[k] for k in ("shots", "wrong", "truth_excluded", "guessed", "problems")}
    )
    width = max(map(len, shown))
    for name, value in shown.items():
        print(f"{name:<{width}}  {value}")
    for failure in result.failures[:5]:
        print(f"unit seed {failure.unit.seed}, shot {failure.judged.shot}: {failure.story}", file=sys.stderr)
