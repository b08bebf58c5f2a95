"""`marker export`: protocol (PDF, CSV) of a match record, or the record of a match from a hub's journal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from marker_hub.cli.places import reading
from marker_hub.cli.replay import read_file
from marker_hub.errors import MarkerError, shorten
from marker_rules.errors import shown

if TYPE_CHECKING:
    from marker_hub.export import MatchRecord

FORMS = ("pdf", "csv", "jsonl")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker export`."""
    parser = subparsers.add_parser(
        "export",
        help="match protocol (PDF, CSV) from a match record",
        description="Writes the protocol of a match: from a match record, or with --data from a hub's journal (also while the hub runs).",
    )
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="match record (.jsonl)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="data folder of a hub, instead of FILE")
    parser.add_argument("--match", metavar="ID", help="with --data: which match (default: the newest)")
    parser.add_argument("--list", action="store_true", help="with --data: list the matches")
    parser.add_argument("--form", choices=FORMS, help="default: by the name of OUT, else pdf")
    parser.add_argument("--out", type=Path, metavar="OUT", help="default: beside FILE, or ID.pdf here")
    parser.add_argument(
        "--lang", choices=("ru", "en", "it"), default="en", help="language of the printed protocol (default: en)"
    )
    parser.add_argument("--zone", default="UTC", help="time zone of the printed times (default: UTC)")


def run(args: argparse.Namespace) -> int:
    """Write the file and say where it is."""
    from marker_hub.configcheck import check_zone
    from marker_hub.export import export_match, read_record

    check_zone(args.zone, lambda remedy: MarkerError(f"--zone {shown(args.zone)}: {remedy}"))
    if args.file is not None and args.data is not None:
        raise MarkerError(f"{args.file} and --data {args.data}: give one of them, the match record or the hub's folder")
    if args.file is None and args.data is None:
        raise MarkerError("nothing to export: give a match record (FILE), or --data with the folder of a hub")
    for option, given in (("--match", args.match), ("--list", args.list)):
        if given and args.data is None:
            raise MarkerError(f"{option} chooses among the matches of a hub; it needs --data, not a match record")
    if args.data is not None:
        if args.list:
            return _list(args.data)
        record, stem = _from_hub(args.data, args.match)
    else:
        record, stem = read_record(read_file(args.file), str(args.file)), str(args.file.with_suffix(""))
        if record.sealed is False:
            print(
                f"{args.file}: its lines are not those it was written with, so no protocol is made of it; "
                "ask for the record again, from the hub that has it",
                file=sys.stderr,
            )
            return 1
    suffix = args.out.suffix.removeprefix(".") if args.out is not None else ""
    form = args.form or (suffix if suffix in FORMS else "pdf")
    made = export_match(record, form, args.zone, args.lang)
    assert made is not None
    out = args.out or Path(f"{stem}.{form}")
    try:
        out.write_bytes(made[1])
    except OSError as error:
        raise MarkerError(f"{shorten(out)}: {error.strerror}; give another place with --out") from error
    print(f"{out}: {len(made[1])} bytes")
    return 0


def _from_hub(data: Path, wanted: str | None) -> tuple[MatchRecord, str]:
    from marker_hub.export import from_journal
    from marker_hub.journal import Reader, database_path

    path = database_path(data)
    with reading(), Reader(path, look=True) as reader:
        rows = reader.matches()
    found = [row for row in rows if wanted in (None, row.id)]
    if not found:
        raise MarkerError(
            f"{data}: " + (f"no match {wanted!r}; --list shows them" if wanted else "no match was played here yet")
        )
    with reading():
        return from_journal(path, found[-1], None), found[-1].id


def _list(data: Path) -> int:
    from marker_hub.journal import Reader, database_path

    with reading(), Reader(database_path(data), look=True) as reader:
        rows = reader.heads()
    for row, head in rows:
        players = " - ".join(head["players"][side]["name"] for side in ("A", "B"))
        print(f"{row.id}  table {row.tbl}  {head['game']}  {players}  {'finished' if row.n_to else 'running'}")
    return 0
