"""`marker adjudicate`: judge scenario files under the rules and say where they differ from what they expect."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from marker_hub.scenario_files import Broken, Unreadable, read_scenarios
from marker_rules.catalogue import LANGUAGES
from marker_rules.errors import cut
from marker_rules.scenario import Outcome, ScenarioError, judge_scenario, scenario_id


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker adjudicate`."""
    parser = subparsers.add_parser(
        "adjudicate",
        help="judge scenario files",
        description="Judges scenarios (YAML lists, or JSON Lines with the ending .jsonl) and prints one JSON object a "
        "line: id, ok (null where nothing was expected), result, mismatch. Exit status: 0 all hold, 1 some "
        "mismatch, 2 a file that cannot be read or a malformed scenario.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="scenario file, - for standard input")
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of `explain` (default: en)")


class Judged:
    """What happened so far, for the exit status."""

    def __init__(self) -> None:
        self.mismatch = False
        self.broken = False

    @property
    def status(self) -> int:
        """2 beats 1 beats 0."""
        return 2 if self.broken else int(self.mismatch)

    def complain(self, message: str) -> None:
        """One line on standard error."""
        self.broken = True
        print(f"marker adjudicate: {' '.join(message.split())}", file=sys.stderr)


def run(args: argparse.Namespace) -> int:
    """Judge every file, in order."""
    judged = Judged()
    for name in args.files:
        for line in judge_file(name, args.lang, judged):
            print(line)
    return judged.status


def judge_file(name: str, lang: str, judged: Judged) -> Iterator[str]:
    """One JSON text a scenario; what cannot be judged is complained of and left out."""
    empty = True
    try:
        for place, raw in _scenarios(name):
            empty = False
            line = _judge(place, raw, lang, judged)
            if line is not None:
                yield line
    except Unreadable as problem:
        judged.complain(str(problem))
        return
    if empty:
        where = "standard input" if name == "-" else name
        judged.complain(f"{where}: no scenario in it; give a YAML list of scenarios, or JSON Lines (.jsonl)")


def _judge(place: str, raw: Any, lang: str, judged: Judged) -> str | None:
    """The JSON text of one scenario; None where it cannot be judged, which never stops those after it."""
    if isinstance(raw, Broken):
        judged.complain(f"{place}: {raw.reason}")
        return None
    where = f"{place}: {scenario_id(raw)}"
    try:
        outcome = judge_scenario(raw, lang)
        line = _line(outcome)
    except ScenarioError as problem:
        judged.complain(f"{where}: {problem.field}: {problem.message}")
    except Exception as problem:  # noqa: BLE001 - the last resort: one scenario must not stop the others
        reason = cut(f"{type(problem).__name__}: {problem}")
        judged.complain(f"{where}: a fault of the program, please report it with this scenario ({reason})")
    else:
        judged.mismatch |= outcome.ok is False
        return line
    return None


def _line(outcome: Outcome) -> str:
    try:
        return msgspec.json.encode(outcome.as_json()).decode()
    except (OverflowError, RecursionError, TypeError, UnicodeEncodeError) as problem:
        if not outcome.mismatch:
            raise
        fields = ", ".join(m.field for m in outcome.mismatch)
        raise ScenarioError("expect", f"a value that JSON cannot hold in {cut(fields)}") from problem


def _scenarios(name: str) -> Iterator[tuple[str, Any]]:
    if name == "-":
        yield from read_scenarios(sys.stdin.buffer, "standard input", lines=None)
        return
    path = Path(name)
    try:
        stream: IO[bytes] = path.open("rb")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        shown = name if name and name.isprintable() else repr(name)
        raise Unreadable(
            f"{cut(shown)}: cannot be read: {reason}; give a scenario file (YAML or .jsonl), or - for standard input"
        ) from problem
    with stream:
        yield from read_scenarios(stream, name, lines=path.suffix.lower() == ".jsonl")
