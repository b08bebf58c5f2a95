"""`marker sim repeat`: one failing shot of a batch again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from marker_hub.errors import MarkerError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim repeat`."""
    parser = subparsers.add_parser(
        "repeat",
        help="play a failing shot of a batch again",
        description="Plays the unit of a kept shot again up to that shot. Exit status: 0 it is right now, 1 it still fails, 2 bad input.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that `marker sim batch --out` made")


def run(args: argparse.Namespace) -> int:
    """Play it and say what came out."""
    from marker_hardware.data import HardwareDataError
    from marker_sim.batch import BatchError
    from marker_sim.faults import FaultError
    from marker_sim.kept import repeat
    from marker_sim.physics.boundary import BoundaryError
    from marker_sim.physics.params import ParamsError

    try:
        kept, result = repeat(args.folder)
    except (BatchError, BoundaryError, FaultError, HardwareDataError, ParamsError) as problem:
        raise MarkerError(str(problem)) from problem
    print(f"unit seed {kept['unit_seed']}, shot {kept['shot']}, {kept['game']} through {kept['through']}")
    print(f"truth  {json.dumps(kept['truth'], ensure_ascii=False)}")
    print(f"then   {json.dumps(kept['ruled'], ensure_ascii=False)}")
    if result.problem:
        print(result.problem)
        return 1
    for failure in result.failures:
        print(f"now    {json.dumps(failure.judged.ruled, ensure_ascii=False)}")
        print(failure.story)
    if not result.failures:
        print("now    right")
    return 1 if result.failures else 0
