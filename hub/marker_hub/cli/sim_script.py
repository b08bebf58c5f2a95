"""`marker sim script`: scenario files and scripted timelines played as if they happened on a table."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marker_hub.errors import MarkerError

if TYPE_CHECKING:
    from marker_sim.scenes import Scene

KINDS = ("shot", "timeline")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim script`."""
    parser = subparsers.add_parser(
        "script",
        help="scenario files and scripted timelines through sensors, detection and evidence, or through a hub",
        description="Plays the shots of scenario files, and scripted timelines, as if they happened: sensors feel what they can, a "
        "truthful referee enters the rest, and the ruling must be the expected one. A timeline in which nobody strikes is played "
        "through a hub only: it must not become a shot. Exit status: 0 all are as expected, 1 one is not, 2 bad input.",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--library", action="store_true", help="the scripted timelines that come with the package")
    parser.add_argument("--id", default="", help="only the scenario of this id")
    parser.add_argument(
        "--sensors", choices=["hints", "main", "none"], default="hints", help="default: hints, as built"
    )
    parser.add_argument(
        "--through",
        choices=["rules", "hub", "firmware"],
        default="rules",
        help="rules: evidence engine alone; hub: sensors, node without firmware, broker, hub; firmware: the same with the node's "
        "firmware on virtual boards (default: rules)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a scenario")


def _files(args: argparse.Namespace) -> list[Path]:
    """The files asked for. Raises MarkerError."""
    from marker_sim.scenes import library

    files = [*args.files, *(library() if args.library else ())]
    if not files:
        raise MarkerError("nothing to play: give scenario files, or --library")
    return files


def _raw(files: list[Path], wanted: str, *, through_hub: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """The scenes that can be played, with the name of their file. Raises MarkerError."""
    from marker_hub.scenario_files import Broken, Unreadable, read_scenarios

    for path in files:
        try:
            with path.open("rb") as stream:
                for place, raw in read_scenarios(stream, str(path), lines=path.suffix.lower() == ".jsonl"):
                    if isinstance(raw, Broken):
                        raise MarkerError(f"{place}: {raw.reason}")
                    if not isinstance(raw, dict):
                        raise MarkerError(f"{place}: a scenario is a mapping; there is {type(raw).__name__}")
                    silent = raw.get("kind") == "timeline" and not _struck(raw)
                    if raw.get("kind") in KINDS and wanted in ("", raw.get("id")) and (through_hub or not silent):
                        yield str(path), raw
        except OSError as problem:
            raise MarkerError(f"{path}: cannot be read: {problem.strerror or problem}") from problem
        except Unreadable as problem:
            raise MarkerError(str(problem)) from problem


def _struck(raw: dict[str, Any]) -> bool:
    """Whether anybody strikes; where nobody does, only a hub can say what it is."""
    rows = raw.get("timeline")
    return (
        bool(raw.get("calls"))
        or not isinstance(rows, list)
        or any("fact" in row for row in rows if isinstance(row, dict))
    )


def _scenes(args: argparse.Namespace) -> list[Scene]:
    """All that is asked for, checked. Raises MarkerError with file and id."""
    from marker_rules.errors import RulesError
    from marker_rules.scenario import ScenarioError
    from marker_sim.scenes import ScriptError, read_scene

    found = []
    for name, raw in _raw(_files(args), args.id, through_hub=args.through != "rules"):
        try:
            found.append(read_scene(raw))
        except ScriptError as problem:
            raise MarkerError(f"{name}: {problem}") from problem
        except (RulesError, ScenarioError) as problem:
            raise MarkerError(f"{name}: {raw.get('id')}: {problem}") from problem
    if not found:
        which = f" with id {args.id}" if args.id else ""
        raise MarkerError(f"no shot to play{which} in {', '.join(map(str, args.files)) or 'the library'}")
    return found


def run(args: argparse.Namespace) -> int:
    """Play them and say which came out otherwise."""
    from marker_sim.reading import Fitted

    if args.through != "rules" and args.sensors != Fitted.HINTS:
        raise MarkerError(f"--sensors {args.sensors}: only --through rules plays a scene so; leave it at hints")
    failed = played = 0
    for name, questions, differ in _played(args, _scenes(args)):
        played += 1
        failed += bool(differ)
        if args.json:
            figures = {"id": name, "ok": not differ, "questions": questions, "mismatch": differ}
            print(json.dumps(figures, ensure_ascii=False))
        elif differ:
            print(f"{name}: {'; '.join(differ)}")
    if not args.json:
        print(f"{played} shots played, {failed} not as expected")
    return 1 if failed else 0


def _played(args: argparse.Namespace, scenes: list[Scene]) -> Iterator[tuple[str, int, list[str]]]:
    """Id, questions, and what came out otherwise."""
    from marker_rules.errors import RulesError
    from marker_sim.reading import Fitted
    from marker_sim.scenes import ScriptError
    from marker_sim.script import play

    if args.through != "rules":
        yield from _through_hub(scenes, firmware=args.through == "firmware")
        return
    for scene in scenes:
        try:
            result = play(scene, Fitted(args.sensors))
        except (RulesError, ScriptError) as problem:
            raise MarkerError(f"{scene.id}: {problem}") from problem
        differ = [f"{m.field}: {m.got!r}, expected {m.expected!r}" for m in result.mismatch]
        if not differ and not result.good:
            differ = ["the truth was excluded or guessed"]
        yield result.id, result.judged.questions, differ


def _through_hub(scenes: list[Scene], *, firmware: bool) -> list[tuple[str, int, list[str]]]:
    from marker_sim.problems import describe
    from marker_sim.scenehall import play_all

    with tempfile.TemporaryDirectory(prefix="marker-script-") as folder:
        try:
            found = asyncio.run(play_all(scenes, Path(folder), firmware=firmware))
        except Exception as problem:
            said = describe(problem)
            if said is None:
                raise
            raise MarkerError(said) from problem
    return [(one.id, one.questions, list(one.mismatch)) for one in found]
