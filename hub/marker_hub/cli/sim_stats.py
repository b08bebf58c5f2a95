"""`marker sim stats`: timing statistics of many shots without skill."""

from __future__ import annotations

import argparse
import json
import sys
import time

from marker_hub.errors import MarkerError

EVERY_S = 2.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim stats`."""
    parser = subparsers.add_parser(
        "stats",
        help="timing statistics of many shots",
        description="How near in time contacts come, how long tables are silent, how softly cushions are met: figures of the model.",
    )
    parser.add_argument("--shots", type=int, default=10_000, metavar="N", help="five-pins shots (default: 10000)")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Gather and print."""
    from marker_sim.stats import gather

    if args.shots < 1:
        raise MarkerError(f"--shots {args.shots}: give a number from 1")
    said = time.monotonic()

    def progress(done: int) -> None:
        nonlocal said
        if time.monotonic() - said > EVERY_S:
            said = time.monotonic()
            print(f"{done} of about {int(args.shots * 1.31)} shots", file=sys.stderr)

    found = gather(args.shots, args.seed, progress)
    if args.json:
        print(json.dumps(found))
        return 0
    for game, figures in found.items():
        print(f"{game}: {figures['shots']} shots")
        for name, rows in figures.items():
            if isinstance(rows, dict):
                print(f"  {name}")
                for label, value in rows.items():
                    shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
                    print(f"    {label:<16} {shown}")
    return 0
