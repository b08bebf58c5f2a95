"""`marker demo`: the whole way from a sensor edge to the score on the screen, on simulated tables."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shutil
import signal
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marker_hub.cli.numbers import bounded
from marker_hub.cli.places import writable_file, writable_folder
from marker_hub.credentials import read_secrets, secrets_path
from marker_hub.errors import MarkerError
from marker_rules.balls import GameId
from marker_rules.errors import RulesError
from marker_rules.options import Options

if TYPE_CHECKING:
    from marker_sim.demo import Fault, Hall, Plan, TableResult

DEFAULT_PORT = 8080
DEFAULT_SPEED = 4.0
FAULTS = ("hub-kill", "broker-kill")
MOST_TABLES = 64


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker demo`."""
    parser = subparsers.add_parser(
        "demo",
        help="a table that plays a match by itself",
        description="Plays a match by itself: simulated sensors, the node firmware on the MicroPython VM, a broker, the hub and its pages. "
        "Prints the addresses of the hall display and of the referee's page, and how to get its PIN. Ends with the match, after --shots, or with Ctrl-C; nothing is left running.",
    )
    parser.add_argument(
        "--game", choices=[g.value for g in GameId], default=GameId.FIVE_PINS.value, help="default: five-pins"
    )
    parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same match (default: 1)")
    parser.add_argument(
        "--shots",
        type=_positive,
        default=1_000_000,
        metavar="N",
        help="end after N shots (default: play the match out)",
    )
    parser.add_argument(
        "--points", type=_positive, default=None, metavar="N", help="five-pins: points of a game (default: 60)"
    )
    parser.add_argument(
        "--games", type=_positive, default=None, metavar="N", help="five-pins: games of the match, odd (default: 3)"
    )
    parser.add_argument(
        "--race-to", type=_positive, default=None, metavar="N", help="pyramid: frames that win the match (default: 3)"
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=DEFAULT_SPEED,
        metavar="X|max",
        help=f"times real time, or max (default: {DEFAULT_SPEED:g})",
    )
    parser.add_argument(
        "--tables",
        type=_tables,
        default=1,
        metavar="N",
        help=f"tables that play side by side, 1 to {MOST_TABLES} (default: 1)",
    )
    parser.add_argument(
        "--port",
        type=int,
        default=None,
        metavar="P",
        help=f"port of the pages (default: {DEFAULT_PORT}; with --headless any free one)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=None,
        metavar="DIR",
        help="keep journal and logs in DIR (default: a folder that is removed)",
    )
    parser.add_argument(
        "--record",
        type=Path,
        default=None,
        metavar="FILE",
        help="write what the first table's sensors saw as a feed file",
    )
    parser.add_argument("--headless", action="store_true", help="no live scoreboard in the terminal")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object, the last line")
    parser.add_argument("--open", action="store_true", help="open the display in the browser")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="KIND@SHOT",
        help=f"something dies in the middle of a shot: {', '.join(FAULTS)} (may be given again)",
    )


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value}: give a whole number from 1")
    return value


def _tables(text: str) -> int:
    value = _positive(text)
    if value > MOST_TABLES:
        raise argparse.ArgumentTypeError(f"{value}: give 1 to {MOST_TABLES}; each table is a process of its own")
    return value


def _speed(text: str) -> float:
    return 0.0 if text == "max" else bounded(text, 0.1, 1000, "give a factor from 0.1 to 1000, or max")


def _faults(texts: list[str]) -> tuple[Fault, ...]:
    from marker_sim.demo import Fault

    found = []
    for text in texts:
        kind, _, shot = text.partition("@")
        if kind not in FAULTS or not (shot.isascii() and shot.isdigit()) or int(shot) < 1:
            raise MarkerError(
                f"--fault '{text}': give KIND@SHOT with KIND one of {', '.join(FAULTS)} and SHOT from 1, as hub-kill@12"
            )
        found.append(Fault(kind, int(shot)))
    return tuple(found)


def match_options(game: GameId, args: argparse.Namespace) -> dict[str, Any]:
    """How long the match is: --points and --games of five-pins, --race-to of pyramid. Raises MarkerError for one of the other."""
    own = {"race_to": ("race_to", 3)} if game.is_pyramid else {"points": ("points_limit", 60), "games": ("games", 3)}
    for name in ("points", "games", "race_to"):
        if name not in own and getattr(args, name) is not None:
            there = " and ".join(f"--{word.replace('_', '-')}" for word in own)
            raise MarkerError(f"--{name.replace('_', '-')}: {game.value} has no such length; give {there}")
    return {
        option: default if getattr(args, name) is None else getattr(args, name)
        for name, (option, default) in own.items()
    }


def _plan(args: argparse.Namespace, data: Path) -> Plan:
    from marker_sim.demo import Plan

    game = GameId(args.game)
    try:
        given = match_options(game, args)
        options = Options(game, given)
    except RulesError as problem:
        raise MarkerError(problem.message) from problem
    port = args.port if args.port is not None else (0 if args.headless else DEFAULT_PORT)
    if args.record is not None:
        writable_file("--record", args.record)
    return Plan(
        game,
        args.seed,
        args.shots,
        options,
        args.speed,
        args.tables,
        data,
        port,
        _faults(args.fault),
        record=args.record,
    )


@contextlib.contextmanager
def _data_folder(asked: Path | None) -> Iterator[Path]:
    """The folder for journal and logs; made, checked for writing, removed if it was ours."""
    if asked is None:
        folder = Path(tempfile.mkdtemp(prefix="marker-demo-"))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    writable_folder("--data", asked)
    yield asked


def run(args: argparse.Namespace) -> int:
    """Play; 0 when every ruling was right, 1 when one was wrong or something got lost, 2 when it could not be played."""
    with _data_folder(args.data) as folder:
        plan = _plan(args, folder)
        results = asyncio.run(_play(args, plan))
    if results is None:
        print("stopped", file=sys.stderr)
        return 130
    summary = _summary(results)
    if args.json:
        print(json.dumps(summary, ensure_ascii=False), flush=True)
    elif args.headless:
        print(f"{summary['shots']} shots, {summary['questions']} questions, score {summary['final_score']}")
    good = not (summary["wrong_rulings"] or summary["lost"] or summary["duplicated"])
    return 0 if good and summary["final_score"] == summary["ground_truth_score"] else 1


def _summary(results: list[TableResult]) -> dict[str, Any]:
    """One object: the figures of the table, or their sums over the tables with one object a table."""
    rows = [result.as_json() for result in results]
    if len(rows) == 1:
        return {key: value for key, value in rows[0].items() if key != "table"}
    sums = {
        key: sum(row[key] for row in rows)
        for key in ("shots", "questions", "taps", "wrong_rulings", "lost", "duplicated")
    }
    scores = {key: {row["table"]: row[key] for row in rows} for key in ("final_score", "ground_truth_score")}
    return {**sums, **scores, "tables": rows}


async def _play(args: argparse.Namespace, plan: Plan) -> list[TableResult] | None:
    """The results, or None when it was stopped by Ctrl-C or SIGTERM."""
    from marker_sim.demo import run as play
    from marker_sim.problems import describe

    task = asyncio.ensure_future(play(plan, lambda hall: _show(args, hall)))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        return None
    except Exception as problem:
        said = describe(problem)
        if said is None:
            raise
        raise MarkerError(said) from problem


def _show(args: argparse.Namespace, hall: Hall) -> None:
    display = f"{hall.url}/tables/1"
    out = sys.stderr if args.json else sys.stdout
    print(f"hall display: {hall.url}/  table: {display}", file=out)
    print(f"referee: {display}/referee", file=out)
    print(_pin(args.data, hall.plan.data), file=out, flush=True)
    if args.open:
        webbrowser.open(display)
    if not args.headless:
        from marker_hub.cli.scoreboard import Scoreboard

        Scoreboard(hall, out).start()


def _pin(asked: Path | None, data: Path) -> str:
    """How to get in as the referee of table 1. A PIN is shown only where it ends with the demonstration."""
    path = secrets_path(data)
    found = read_secrets(data) if asked is None else None
    if found is None:
        return f"PIN: see web.tables.1.pin in {path}"
    return f"PIN: {found.web.tables['1'].pin} (of this demonstration only)"
