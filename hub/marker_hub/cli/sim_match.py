"""`marker sim match`: a whole match by simulated players, by the rules alone or through a hub."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marker_hub.cli import sim_referee, sim_shot
from marker_hub.errors import CheckFailed, MarkerError
from marker_rules.balls import GameId, Player
from marker_rules.errors import RulesError

if TYPE_CHECKING:
    from marker_sim.manner import Kind
    from marker_sim.matchplay import Matchplay

EVERY_S = 2.0
HUBBED = ("node", "mqtt")  # sinks with a hub behind them


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim match`."""
    parser = subparsers.add_parser(
        "match",
        help="a whole match by simulated players",
        description="Plays a match to its end. With --sink node or mqtt a hub of its own rules on it and every ruling is compared "
        "with the truth. Exit status: 0 all right, 1 a wrong ruling or a broken invariant, 2 bad input.",
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
    sim_referee.options(parser, "with --sink node or mqtt")
    sim_shot.own_files(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="with --sink file: the truth, one line a shot")
    parser.add_argument("--check", action="store_true", help="test the physical invariants at every event")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Play it."""
    if (args.sink == "file") != (args.out is not None):
        raise MarkerError("--sink file and --out FILE belong together: give both or neither")
    kind, sloppy = sim_referee.manner_of(args, asked=args.sink in HUBBED, where="--sink node or mqtt")
    if args.sink in HUBBED:
        return _through_hub(args, kind, sloppy)
    return _alone(args)


def _given(args: argparse.Namespace) -> dict[str, Any]:
    from marker_hub.cli.demo import match_options

    return match_options(GameId(args.game), args)


def _alone(args: argparse.Namespace) -> int:
    from marker_sim.matchplay import Matchplay
    from marker_sim.physics.engine import SimulationError
    from marker_sim.play import Style
    from marker_sim.players import PRESETS

    style = Style(PRESETS[args.skill], check=args.check, table=sim_shot.table_of(args))
    try:
        played = Matchplay.new(GameId(args.game), args.seed, style=style, given=_given(args))
    except RulesError as problem:
        raise MarkerError(problem.message) from problem
    began = said = time.monotonic()
    lines: list[str] = []
    try:
        for shot in played.shots():
            lines.append(shot.line())
            if time.monotonic() - said > EVERY_S:
                said = time.monotonic()
                print(f"{shot.number} shots, {shot.number / (said - began):.0f} a second", file=sys.stderr)
    except SimulationError as problem:
        raise CheckFailed(f"seed {args.seed}, shot {len(lines) + 1}: {problem}") from problem
    if args.out is not None:
        try:
            args.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
        except OSError as problem:
            raise MarkerError(
                f"{args.out}: {problem.strerror or problem}; give a file that can be written"
            ) from problem
    _print(args, _result(args, played, time.monotonic() - began))
    return 0


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


def _through_hub(args: argparse.Namespace, kind: Kind, sloppy: float) -> int:
    from marker_rules.options import Options
    from marker_sim.demo import Plan
    from marker_sim.demo import run as play
    from marker_sim.manner import Manner
    from marker_sim.play import Style
    from marker_sim.players import PRESETS
    from marker_sim.problems import describe

    try:
        options = Options(GameId(args.game), _given(args))
    except RulesError as problem:
        raise MarkerError(problem.message) from problem
    with tempfile.TemporaryDirectory(prefix="marker-match-") as folder:
        referee = Manner(kind, args.seed, sloppy)
        plan = Plan(
            GameId(args.game),
            args.seed,
            1_000_000,
            options,
            0.0,
            1,
            Path(folder),
            0,
            direct=args.sink == "mqtt",
            style=Style(PRESETS[args.skill], check=args.check, table=sim_shot.table_of(args)),
            referee=referee,
        )
        try:
            (result,) = asyncio.run(play(plan, lambda _hall: None))
        except Exception as problem:
            said = describe(problem)
            if said is None:
                raise
            raise MarkerError(said) from problem
    found = {"game": args.game, "seed": args.seed, **result.as_json(), "referee": kind.value, **result.handled(referee)}
    _print(args, found)
    return 1 if found["wrong_rulings"] or found["lost"] or found["duplicated"] else 0


def _print(args: argparse.Namespace, found: dict[str, Any]) -> None:
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
        return
    for key, value in found.items():
        print(f"{key:<20} {value}")
