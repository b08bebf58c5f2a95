"""`marker sim`: a table in software. One module a subcommand; what they need is imported only when they run."""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

COMMANDS: dict[str, str] = {
    "shot": "one shot: timeline, facts, sensor edges, ruling",
    "view": "one shot as an animated page",
    "match": "a whole match by simulated players",
    "batch": "many shots, every ruling against the truth",
    "script": "scenario files and scripted timelines",
    "feed": "record, play and check feed files",
    "repeat": "a failing shot of a batch again",
    "stats": "timing statistics of many shots",
}


def _module(name: str) -> ModuleType:
    return import_module(f"marker_hub.cli.sim_{name}")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare every subcommand that is part of this version."""
    there = [name for name in COMMANDS if find_spec(f"marker_hub.cli.sim_{name}") is not None]
    parser = subparsers.add_parser(
        "sim",
        help="simulated tables",
        description="A table in software: shots, matches, batches, feeds.",
        epilog="\n".join(f"  {name:<7} {COMMANDS[name]}" for name in there),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    inner = parser.add_subparsers(dest="sim", metavar="COMMAND", required=True)
    for name in there:
        _module(name).add_parser(inner)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    status: int = _module(args.sim).run(args)
    return status
