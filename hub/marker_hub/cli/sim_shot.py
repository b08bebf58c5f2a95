"""`marker sim shot`: one shot of a simulated match, with its facts, its sensor edges and its ruling."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marker_hub.cli.numbers import bounded
from marker_hub.errors import CheckFailed, MarkerError
from marker_rules.balls import GameId

if TYPE_CHECKING:
    from marker_sim.physics.table import PlayTable
    from marker_sim.play import Style
    from marker_sim.single import SingleShot


def common(parser: argparse.ArgumentParser) -> None:
    """The options that choose a shot."""
    parser.add_argument("game", choices=[game.value for game in GameId])
    parser.add_argument("--seed", type=int, default=1, help="the same seed plays the same match (default: 1)")
    parser.add_argument("--shot", type=int, default=1, metavar="N", help="shot N of that match (default: 1)")
    parser.add_argument(
        "--skill", choices=("beginner", "club", "strong"), default="club", help="how well both play (default: club)"
    )
    errors(parser)
    own_files(parser)


def errors(parser: argparse.ArgumentParser) -> None:
    """How often players err in what is no physics."""
    parser.add_argument(
        "--errors",
        type=_share,
        metavar="P",
        help="probability a stroke of each error of the players, 0 to 1: what a referee calls, a ball struck into the air, the "
        "opponent's ball struck, a tip felt twice (default: 0.003 of the first two, none of the others)",
    )


def _share(text: str) -> float:
    return bounded(text, 0.0, 1.0, "give a probability from 0 to 1, as 0.02")


def style_of(args: argparse.Namespace, *, check: bool = False, trace: bool = False) -> Style:
    """How both play, as the options say. Raises MarkerError."""
    from marker_sim.play import Style
    from marker_sim.players import PRESETS
    from marker_sim.slips import DEFAULT_RATE, Rates

    rates = DEFAULT_RATE if args.errors is None else Rates.every(args.errors)
    return Style(PRESETS[args.skill], rates, check=check, trace=trace, table=table_of(args))


def own_files(parser: argparse.ArgumentParser) -> None:
    """The options that replace the shipped table."""
    parser.add_argument("--params", type=Path, metavar="FILE", help="physics parameters of another table (TOML)")
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="geometry of another table (TOML, as in hardware/tables)"
    )


def table_of(args: argparse.Namespace) -> PlayTable | None:
    """The table that the options name, None for the shipped one. Raises MarkerError."""
    from marker_hardware.data import HardwareDataError
    from marker_hardware.pinmap import Profile
    from marker_sim.physics.boundary import BoundaryError
    from marker_sim.physics.params import ParamsError
    from marker_sim.physics.table import of_paths

    profile = Profile.PYRAMID if GameId(args.game).is_pyramid else Profile.CAROM5
    try:
        return of_paths(profile, args.params, args.table)
    except (BoundaryError, HardwareDataError, ParamsError) as problem:
        raise MarkerError(str(problem)) from problem


def chosen(args: argparse.Namespace, *, check: bool = False) -> SingleShot:
    """The shot that the options name. Raises MarkerError."""
    from marker_sim.physics.engine import SimulationError
    from marker_sim.single import single

    if args.shot < 1:
        raise MarkerError(f"--shot {args.shot}: shots count from 1")
    style = style_of(args, check=check, trace=True)
    try:
        return single(GameId(args.game), args.seed, args.shot, style)
    except ValueError as problem:
        raise MarkerError(str(problem)) from problem
    except SimulationError as problem:
        raise CheckFailed(f"seed {args.seed}, shot {args.shot}: {problem}") from problem


def write(path: Path, text: str) -> None:
    """Raises MarkerError where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        said = getattr(problem, "strerror", None) or problem
        raise MarkerError(f"{path}: {said}; give a file that can be written") from problem


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim shot`."""
    parser = subparsers.add_parser(
        "shot",
        help="one shot: timeline, facts, sensor edges, ruling",
        description="Plays one shot of a simulated match and shows what happened, what the sensors felt and what it was worth.",
    )
    common(parser)
    parser.add_argument("--explain", action="store_true", help="everything in time order, as a table")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw ways, contacts, pins and sensors into FILE")
    parser.add_argument("--json", action="store_true", help="print the line of the truth file")
    parser.add_argument("--check", action="store_true", help="test the invariants at every event")


def run(args: argparse.Namespace) -> int:
    """Play it and show it."""
    shot = chosen(args, check=args.check)
    if args.svg is not None:
        from marker_sim.picture import svg

        write(args.svg, svg(shot))
    if args.json:
        print(json.dumps({**json.loads(shot.shot.line()), "launch": _launch(shot)}, ensure_ascii=False))
        return 0
    if args.explain:
        from marker_sim.single import explanation

        for ms, source, text in explanation(shot):
            print(f"{ms:10.2f} ms  {source:<6}  {text}")
    _summary(shot)
    return 0


def _launch(shot: SingleShot) -> dict[str, Any]:
    launch = shot.launch
    return {
        "ball": shot.balls[launch.ball].value,
        "speed": launch.speed,
        "direction_rad": launch.direction,
        "side": launch.side,
        "top": launch.top,
        "up": launch.up,
    }


def _summary(shot: SingleShot) -> None:
    ruling, engine = shot.shot.ruling, shot.engine
    launch = shot.launch
    print(
        f"struck {shot.balls[launch.ball].value} with {launch.speed:.2f} m/s, side {launch.side:+.2f} R, top {launch.top:+.2f} R"
        f"; {engine.events} events, {engine.now:.2f} s until rest"
    )
    calls = ", ".join(f"{call.code} by {call.by.value}" for call in shot.shot.timeline.calls)
    if calls:
        print(f"called: {calls}")
    nxt = ruling.next.value if ruling.next is not None else "-"
    print(f"ruling: {ruling.short}  next: {nxt}  clauses: {', '.join(ruling.clauses)}")
