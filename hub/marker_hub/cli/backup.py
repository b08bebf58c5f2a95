"""`marker backup`: copy the journal of a hub, also while it runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from marker_hub.cli.places import reading


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker backup`."""
    parser = subparsers.add_parser(
        "backup",
        help="copy the journal of a hub, also while it runs",
        description="Copies the journal with SQLite's online backup, verifies the copy and prints its path. The hub may go on playing.",
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="data folder of the hub")
    parser.add_argument("--to", type=Path, metavar="DIR", help="where the copy goes (default: DIR/backups)")
    parser.add_argument("--verify", type=Path, metavar="FILE", help="only check an existing backup")


def run(args: argparse.Namespace) -> int:
    """Make or check a backup; 1 when a check failed."""
    from marker_hub.journal import backup, check, database_path

    with reading():
        if args.verify is not None:
            print(f"{args.verify}: good, {check(args.verify, bodies=True)} entries")
            return 0
        path = database_path(args.data)
        check(path, bodies=True)  # a copy of what cannot be read back is none
        made = backup(path, args.to or args.data / "backups")
    print(f"{made.path}: {made.entries} entries, {made.size / 1e6:.1f} MB, verified, {made.seconds:.2f} s")
    return 0
