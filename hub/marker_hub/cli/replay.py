"""`marker replay`: recompute every ruling of a match record; it must agree with what was recorded."""

from __future__ import annotations

import argparse
from pathlib import Path

from marker_hub.named_file import read_named

MOST_BYTES = 64_000_000
"""Of a match record; a day of eight tables makes about 6 MB."""


def read_file(path: Path) -> bytes:
    """The bytes of a match record. Raises MarkerError naming it; what is too large for one is not read to its end."""
    large = f"larger than {MOST_BYTES // 1_000_000} MB, which no match record is"
    return read_named(path, MOST_BYTES, large, "give a match record (.jsonl)")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker replay`."""
    parser = subparsers.add_parser(
        "replay",
        help="recompute every ruling of a match record",
        description="Judges every shot of a match record again and compares rulings and states. Exit status 1 where something differs.",
    )
    parser.add_argument("file", type=Path, nargs="+", metavar="FILE", help="match record (.jsonl)")


def run(args: argparse.Namespace) -> int:
    """Replay the files; 1 when one of them differs."""
    from marker_hub.export import read_record, replay

    status = 0
    for path in args.file:
        judged, findings = replay(read_record(read_file(path), str(path)))
        for finding in findings:
            print(
                f"{path}: position {finding.n}, shot {finding.shot}: recorded {finding.stored}; now {finding.computed}"
            )
        print(f"{path}: {judged} rulings judged again, {len(findings)} differ")
        status = max(status, 1 if findings else 0)
    return status
