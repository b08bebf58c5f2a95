"""`marker sim feed`: record what a table's sensors saw, play it into a hub, check a file."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

from marker_hub.errors import MarkerError
from marker_rules.balls import GameId

if TYPE_CHECKING:
    from marker_sim.feed import Feed


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare `feed record`, `feed play`, `feed check`."""
    parser = subparsers.add_parser(
        "feed",
        help="record, play and check feed files",
        description="A feed file holds what a table's sensors saw and what its referee entered. Exit status: 0 all right, "
        "1 a ruling differs, 2 bad input.",
    )
    inner = parser.add_subparsers(dest="feed", metavar="record|play|check", required=True)
    record = inner.add_parser("record", help="play from a seed and write the feed")
    record.add_argument("game", choices=[game.value for game in GameId])
    record.add_argument("file", type=Path, metavar="FILE")
    record.add_argument("--seed", type=int, default=1, help="default: 1")
    record.add_argument("--shots", type=int, default=10, metavar="N", help="default: 10")
    play = inner.add_parser("play", help="play a feed into a hub of its own and compare every ruling")
    play.add_argument("file", type=Path, metavar="FILE")
    play.add_argument(
        "--through",
        choices=["hub", "firmware"],
        default="hub",
        help="with the node's firmware or without (default: hub)",
    )
    play.add_argument("--json", action="store_true", help="print one JSON object")
    check = inner.add_parser("check", help="check every line of a feed")
    check.add_argument("file", type=Path, metavar="FILE")
    check.add_argument("--regenerate", action="store_true", help="make it again from its seed and compare the bytes")


def run(args: argparse.Namespace) -> int:
    """Do what is asked."""
    from marker_sim.problems import describe

    try:
        return {"record": _record, "play": _play, "check": _check}[args.feed](args)
    except Exception as problem:
        said = describe(problem)
        if said is None:
            raise
        raise MarkerError(said) from problem


def _feed(args: argparse.Namespace) -> Feed:
    from marker_sim.feed import read

    return read(args.file)


def _record(args: argparse.Namespace) -> int:
    from marker_sim.feedplay import record

    if args.shots < 1:
        raise MarkerError(f"--shots {args.shots}: give a whole number from 1")
    asyncio.run(record(GameId(args.game), args.seed, args.shots, args.file))
    feed = _feed(args)
    print(f"{args.file}: {len(feed.rulings)} shots, {len(feed.steps)} steps")
    return 0


def _play(args: argparse.Namespace) -> int:
    from marker_sim.feedplay import play_alone

    feed = _feed(args)
    played = asyncio.run(play_alone(feed, firmware=args.through == "firmware"))
    if args.json:
        figures = {
            "rulings": played.rulings,
            "differing": played.differing,
            "score": played.score,
            "games": played.games,
        }
        print(json.dumps(figures, ensure_ascii=False))
    else:
        print(f"{played.rulings} rulings, {len(played.differing)} differ; score {played.score}, games {played.games}")
        for line in played.differing:
            print(line)
    return 0 if played.good else 1


def _check(args: argparse.Namespace) -> int:
    from marker_sim.feedplay import regenerated

    feed = _feed(args)
    if args.regenerate and asyncio.run(regenerated(feed)) != args.file.read_text(encoding="utf-8"):
        print(f"{args.file}: made again from seed {feed.header.seed} it has other bytes")
        return 1
    print(f"{args.file}: good, {len(feed.rulings)} shots of {feed.header.game}")
    return 0
