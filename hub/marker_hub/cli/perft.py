"""`marker perft`: count the rulings of all short stories, to compare two versions of the rules to the last stroke."""

from __future__ import annotations

import argparse
import json

from marker_hub.errors import MarkerError
from marker_rules.balls import Pin
from marker_rules.errors import IllegalInput
from marker_rules.perft import MAX_CONTACTS, count


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker perft`."""
    parser = subparsers.add_parser(
        "perft",
        help="count the rulings of all short stories",
        description="Counts every five-pins stroke of K ball contacts and one topple for each listed pin, in every "
        "order (full layout, normal stroke, default switches), by the ruling it ends in.",
    )
    parser.add_argument("game", choices=["five-pins"], help="the game")
    parser.add_argument("--contacts", type=int, required=True, metavar="K", help=f"ball contacts, 0 to {MAX_CONTACTS}")
    parser.add_argument("--pins", default="", metavar="N,C", help="pins that fall, joined by commas (default: none)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _pins(text: str) -> list[Pin]:
    try:
        return [Pin(name) for name in text.split(",")] if text else []
    except ValueError as problem:
        raise MarkerError(f"--pins {text}: {problem}; give pins out of {','.join(Pin)}") from problem


def run(args: argparse.Namespace) -> int:
    """Count and print one row."""
    try:
        row = count(args.contacts, _pins(args.pins))
    except IllegalInput as problem:
        raise MarkerError(problem.message) from problem
    if args.json:
        print(json.dumps(row))
        return 0
    by_ruling = row["by_ruling"]
    assert isinstance(by_ruling, dict)
    print(f"{row['strokes']} strokes of {args.contacts} contacts, pins {args.pins or 'none'}")
    for ruling, strokes in by_ruling.items():
        print(f"  {ruling:<7} {strokes}")
    return 0
