"""Options of `marker sim match` and `marker sim batch` that say how the simulated referee works."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from marker_hub.cli.numbers import bounded
from marker_hub.errors import MarkerError

if TYPE_CHECKING:
    from marker_sim.manner import Kind

MANNERS = ("truthful", "slow", "sloppy", "undoing", "absent", "buttons")
SLOPPY = 0.05


def options(parser: argparse.ArgumentParser, where: str) -> None:
    """The options that say how the rulings are handled."""
    parser.add_argument(
        "--referee",
        choices=MANNERS,
        default=None,
        help=f"{where}: right at once, slow, careless, taking back what he did, none at all, so that the house's rule accepts "
        "what is certain and the rest stays open, or right with the table's buttons where they can say it; the score must be the truth "
        "with each (default: truthful)",
    )
    parser.add_argument(
        "--sloppy",
        type=_share,
        default=None,
        metavar="P",
        help="with --referee sloppy: share of answers that are wrong at first, 0 to 1 (default: 0.05)",
    )


def manner_of(args: argparse.Namespace, *, asked: bool, where: str) -> tuple[Kind, float]:
    """How the referee works, and his share of wrong answers. asked: whether anything is asked of him. Raises MarkerError."""
    from marker_sim.manner import Kind

    if args.referee is not None and not asked:
        raise MarkerError(f"--referee {args.referee}: nobody is asked without a hub; give it {where}")
    kind = Kind(args.referee or Kind.TRUTHFUL)
    if args.sloppy is not None and kind is not Kind.SLOPPY:
        raise MarkerError(
            f"--sloppy {args.sloppy:g}: only the careless referee has such a share; give --referee sloppy"
        )
    return kind, SLOPPY if args.sloppy is None else args.sloppy


def _share(text: str) -> float:
    return bounded(text, 0.0, 1.0, "give a share from 0 to 1, as 0.1")
