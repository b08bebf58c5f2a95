"""`marker doctor`: find what is wrong with an installation."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from marker_hub.cli.hub import DEFAULT_DATA


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker doctor`."""
    parser = subparsers.add_parser(
        "doctor",
        help="find what is wrong with an installation",
        description="Looks at Python, packages, data folder, credentials, journal, backups, broker and pages; changes nothing. "
        "Each line has a number, a finding and a remedy. Exit status 1 when something failed.",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="configuration (TOML)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="data folder of the hub")
    parser.add_argument("--json", action="store_true", help="print one JSON list")


def run(args: argparse.Namespace) -> int:
    """Print the checks; 1 when one failed."""
    from marker_hub import configfile
    from marker_hub.config import Config
    from marker_hub.doctor import Level, examine

    config = configfile.load(args.config) if args.config else Config()
    checks = examine(config, (args.data or Path(config.hub.data or DEFAULT_DATA)).absolute())
    if args.json:
        print(json.dumps([check._asdict() for check in checks], ensure_ascii=False))
    else:
        for check in checks:
            print(
                f"{check.number:>2} {check.level.value:<4} {check.finding}"
                + (f"\n        remedy: {check.remedy}" if check.remedy else "")
            )
    return 1 if any(check.level is Level.FAIL for check in checks) else 0
