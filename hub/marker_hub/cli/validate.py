"""`marker validate`: check match records and configuration files without changing anything."""

from __future__ import annotations

import argparse
from pathlib import Path

from marker_hub.cli.replay import read_file
from marker_hub.errors import MarkerError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker validate`."""
    parser = subparsers.add_parser(
        "validate",
        help="check a match record or a configuration file",
        description="Checks files: a match record (.jsonl) for form, order and final state, a configuration (.toml) for its keys and values.",
    )
    parser.add_argument(
        "file", type=Path, nargs="+", metavar="FILE", help="match record (.jsonl) or configuration (.toml)"
    )


def run(args: argparse.Namespace) -> int:
    """Check the files; 1 when a record's state differs, 2 when a file cannot be read."""
    status = 0
    for path in args.file:
        if path.suffix == ".toml":
            from marker_hub import configfile

            found = configfile.load(path)
            tables = f"{len(found.table)} table(s)" if found.table else "no [[table]]: one table '1' with the defaults"
            print(f"{path}: good configuration, {tables}")
        elif path.suffix == ".jsonl":
            status = max(status, _record(path))
        else:
            raise MarkerError(f"{path}: give a match record (.jsonl) or a configuration (.toml)")
    return status


def _record(path: Path) -> int:
    import marker_hub.table as core
    from marker_hub.export import folded, read_record

    record = read_record(read_file(path), str(path))
    digest = core.state_hash(folded(record.head, record.entries)).hex()
    if digest != record.end.hash:
        print(
            f"{path}: the entries fold to state {digest}, the record says {record.end.hash}; 'marker replay' shows where"
        )
        return 1
    if record.sealed is False:
        print(
            f"{path}: its lines are not those it was written with; ask for the record again, from the hub that has it"
        )
        return 1
    print(f"{path}: good match record, {len(record.entries)} entries, match {record.head.match.get('id', '?')}")
    return 0
