"""`marker sim view`: one shot as an animated page."""

from __future__ import annotations

import argparse
import tempfile
import webbrowser
from pathlib import Path

from marker_hub.cli import sim_shot


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker sim view`."""
    parser = subparsers.add_parser(
        "view",
        help="one shot as an animated page",
        description="Writes one HTML file that plays the shot and needs nothing else, and opens it in the browser.",
    )
    sim_shot.common(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the page to FILE and do not open it")


def run(args: argparse.Namespace) -> int:
    """Write the page; open it where no file was asked for."""
    from marker_sim.page import page

    text = page(sim_shot.chosen(args))
    if args.out is not None:
        sim_shot.write(args.out, text)
        print(args.out)
        return 0
    folder = Path(tempfile.mkdtemp(prefix="marker-shot-"))
    file = folder / "shot.html"
    sim_shot.write(file, text)
    print(file)
    webbrowser.open(file.as_uri())
    return 0
