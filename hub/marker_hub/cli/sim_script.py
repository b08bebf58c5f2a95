"""`marker sim script`: scenario files played as if they happened on a table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from marker_hub.errors import MarkerError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim script`."""
    parser = subparsers.add_parser(
        "script",
        help="scenario files through sensors, detection and evidence",
        description="Plays the shots of scenario files as if they happened: sensors feel what they can, a truthful referee "
        "enters the rest, and the ruling must be the expected one. Exit status: 0 all are, 1 one is not, 2 bad input.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--id", default="", help="only the scenario of this id")
    parser.add_argument(
        "--sensors", choices=["hints", "main", "none"], default="hints", help="default: hints, as built"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a scenario")


def _shots(files: list[Path], wanted: str) -> Iterator[dict[str, Any]]:
    """The scenarios that are shots. Raises MarkerError."""
    from marker_hub.scenario_files import Unreadable, read_scenarios

    for path in files:
        try:
            with path.open("rb") as stream:
                for _, raw in read_scenarios(stream, str(path), lines=path.suffix.lower() == ".jsonl"):
                    if isinstance(raw, dict) and raw.get("kind") == "shot" and wanted in ("", raw.get("id")):
                        yield raw
        except OSError as problem:
            raise MarkerError(f"{path}: cannot be read: {problem.strerror or problem}") from problem
        except Unreadable as problem:
            raise MarkerError(str(problem)) from problem


def run(args: argparse.Namespace) -> int:
    """Play them and say which came out otherwise."""
    from marker_rules.errors import RulesError
    from marker_rules.scenario import ScenarioError
    from marker_sim.reading import Fitted
    from marker_sim.script import ScriptError, play

    played = failed = 0
    for raw in _shots(args.files, args.id):
        try:
            result = play(raw, Fitted(args.sensors))
        except (RulesError, ScenarioError, ScriptError) as problem:
            raise MarkerError(f"{raw.get('id')}: {problem}") from problem
        played += 1
        failed += not result.good
        differ = [f"{m.field}: {m.got!r}, expected {m.expected!r}" for m in result.mismatch]
        if args.json:
            figures = {"id": result.id, "ok": result.good, "questions": result.judged.questions, "mismatch": differ}
            print(json.dumps(figures, ensure_ascii=False))
        elif not result.good:
            print(f"{result.id}: {'; '.join(differ) or 'the truth was excluded or guessed'}")
    if not played:
        raise MarkerError(
            f"no shot to play{f' with id {args.id}' if args.id else ''} in {', '.join(map(str, args.files))}"
        )
    if not args.json:
        print(f"{played} shots played, {failed} not as expected")
    return 1 if failed else 0
