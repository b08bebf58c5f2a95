"""`marker sim match`: a whole match by simulated players, by the rules alone or through a hub."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from marker_hub.cli import sim_live, sim_referee, sim_shot
from marker_hub.errors import CheckFailed, MarkerError
from marker_rules.balls import GameId, Player
from marker_rules.errors import RulesError

if TYPE_CHECKING:
    from marker_sim.matchplay import Matchplay

EVERY_S = 2.0


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim match`."""
    parser = subparsers.add_parser(
        "match",
        help="a whole match by simulated players",
        description="Plays a match to its end. With --sink node or mqtt a hub rules on it, one of its own or, with --broker, one that "
        "runs elsewhere, and every ruling is compared with the truth. Exit status: 0 all right, 1 a wrong ruling or a broken "
        "invariant, 2 bad input or a hub that cannot be played at, 130 stopped by Ctrl-C, with what is known so far.",
    )
    parser.add_argument("game", choices=[game.value for game in GameId])
    parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same match (default: 1)")
    parser.add_argument(
        "--skill", choices=("beginner", "club", "strong"), default="club", help="how well both play (default: club)"
    )
    parser.add_argument("--race-to", type=int, default=None, metavar="N", help="pyramid: frames that win (default: 3)")
    parser.add_argument(
        "--points", type=int, default=None, metavar="N", help="five-pins: points of a game (default: 60)"
    )
    parser.add_argument("--games", type=int, default=None, metavar="N", help="five-pins: games, odd (default: 3)")
    parser.add_argument(
        "--sink",
        choices=("none", "file", "node", "mqtt"),
        default="none",
        help="none: the rules alone; file: the same, truth into --out; node: real firmware on a virtual board; mqtt: without firmware",
    )
    parser.add_argument("--shots", type=int, metavar="N", help="end after N shots (default: play the match out)")
    sim_shot.errors(parser)
    sim_shot.own_files(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="with --sink file: the truth, one line a shot")
    parser.add_argument("--check", action="store_true", help="test the physical invariants at every event")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    sim_live.options(parser)


def run(args: argparse.Namespace) -> int:
    """Play it."""
    if (args.sink == "file") != (args.out is not None):
        raise MarkerError("--sink file and --out FILE belong together: give both or neither")
    if args.shots is not None and args.shots < 1:
        raise MarkerError(f"--shots {args.shots}: give a whole number from 1")
    sim_live.check(args)
    if args.sink in sim_live.SINKS:
        found, status = sim_live.play(args, _given(args), args.shots)
        _print(args, found)
        return status
    sim_referee.manner_of(args, asked=False, where="--sink node or mqtt")
    return _alone(args)


def _given(args: argparse.Namespace) -> dict[str, Any]:
    from marker_hub.cli.demo import match_options

    return match_options(GameId(args.game), args)


def _alone(args: argparse.Namespace) -> int:
    from marker_sim.matchplay import Matchplay

    style = sim_shot.style_of(args, check=args.check)
    try:
        played = Matchplay.new(GameId(args.game), args.seed, style=style, given=_given(args))
    except RulesError as problem:
        raise MarkerError(problem.message) from problem
    began = time.monotonic()
    stopped = False
    with _truth_file(args.out) as truth:
        try:
            _play_out(args, played, truth, began)
        except KeyboardInterrupt:
            stopped = True
    _print(args, {**_result(args, played, time.monotonic() - began), **({"stopped": True} if stopped else {})})
    return sim_live.STOPPED if stopped else 0


def _play_out(args: argparse.Namespace, played: Matchplay, truth: IO[str] | None, began: float) -> None:
    """Every shot into the file; a line of progress now and then. Raises CheckFailed, MarkerError."""
    from marker_sim.physics.engine import SimulationError

    said, number = began, 0
    try:
        for shot in played.shots():
            number = shot.number
            if truth is not None:
                truth.write(shot.line() + "\n")
            now = time.monotonic()
            if now - said > EVERY_S:
                said = now
                print(f"{number} shots, {number / (now - began):.0f} a second", file=sys.stderr)
            if number == args.shots:
                break
    except SimulationError as problem:
        raise CheckFailed(f"seed {args.seed}, shot {number + 1}: {problem}") from problem


@contextlib.contextmanager
def _truth_file(path: Path | None) -> Iterator[IO[str] | None]:
    """Opened before the first shot. Raises MarkerError where it cannot be written, also at the end."""
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise _unwritable(path, problem) from problem
    try:
        with file:
            yield file
    except OSError as problem:
        raise _unwritable(path, problem) from problem


def _unwritable(path: Path, problem: OSError | ValueError) -> MarkerError:
    said = getattr(problem, "strerror", None) or problem
    return MarkerError(f"{path}: {said}; give a file that can be written")


def _result(args: argparse.Namespace, played: Matchplay, seconds: float) -> dict[str, Any]:
    state = played.match.state
    won = state.frames if GameId(args.game).is_pyramid else state.games_won
    return {
        "game": args.game,
        "seed": args.seed,
        "shots": len(played.match.shots),
        "won": {player.value: won.of(player) for player in Player},
        "last_score": {player.value: state.score.of(player) for player in Player},
        "shots_per_s": round(len(played.match.shots) / max(seconds, 1e-9), 1),
    }


def _print(args: argparse.Namespace, found: dict[str, Any]) -> None:
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
        return
    for key, value in found.items():
        print(f"{key:<20} {value}")
