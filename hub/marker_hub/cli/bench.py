"""`marker bench`: speed, measured beside a baseline in the same run."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from typing import Any

from marker_hub.errors import MarkerError

MOST = 1_000_000
"""Of shots or events: what a journal of years holds; more would only fill the memory."""

BENCHES: dict[str, str] = {
    "rules": "rule() beside a dictionary look-up; judging a file of shots",
    "evidence": "questions and taps per shot; next_question() and sheet()",
    "hub": "decode, journal, adjudicate beside bare decode and append",
    "table": "one step of a table's fold beside reading its entry; its view",
    "latency": "sensor edge to hub beside a bare MQTT round trip",
    "sim": "simulated shots a second, times real time",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker bench`."""
    parser = subparsers.add_parser(
        "bench",
        help="measure speed",
        description="Measures speed. Figures of one run belong together: compare the ratios, not the absolute times.",
        epilog="\n".join(f"  {name:<9} {text}" for name, text in {**BENCHES, "all": "each of them"}.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=[*BENCHES, "all"], help="what to measure")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--size",
        type=int,
        default=None,
        help=f"shots or events to measure with, at most {MOST} (default: the bench's own)",
    )


def _measure(name: str, size: int | None) -> dict[str, Any]:
    module_name = f"marker_hub.bench.{name}"
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as missing:
        if missing.name != module_name:
            raise
        raise MarkerError(f"bench '{name}' is not part of this version") from None
    result: dict[str, Any] = module.run() if size is None else module.run(size=size)
    return result


def run(args: argparse.Namespace) -> int:
    """Run the benches asked for and print their figures."""
    if args.size is not None and not 1 <= args.size <= MOST:
        raise MarkerError(f"--size {args.size}: give a whole number from 1 to {MOST}")
    names = list(BENCHES) if args.what == "all" else [args.what]
    results = {name: _measure(name, args.size) for name in names}
    if args.json:
        print(json.dumps(results if args.what == "all" else results[args.what], ensure_ascii=False))
        return 0
    for name, figures in results.items():
        print(f"{name}: {BENCHES[name]}")
        width = max((len(key) for key in figures), default=0)
        for key, value in figures.items():
            shown = f"{value:.4g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
            print(f"  {key:<{width}}  {shown}")
    return 0
