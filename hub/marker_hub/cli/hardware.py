"""`marker hardware`: check the hardware data, list parts to order, print pin tables and cable labels."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import msgspec

from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import Profile
from marker_hardware.tree import Tree, Unavailable
from marker_hub.errors import MarkerError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker hardware`."""
    parser = subparsers.add_parser(
        "hardware",
        help="check the hardware data, bill of materials, pin tables, labels",
        description="Checks the hardware data and prints what a technician needs at the bench.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="run the nine checks",
        description="Runs the nine checks with the data and tools present and names what could not run. "
        "With CI=true in the environment a check that could not run counts as failed.",
    )
    check.add_argument(
        "--only", type=int, action="append", choices=range(1, 10), metavar="N", help="one check (repeatable)"
    )
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.add_argument("--root", type=Path, help="check this copy of the repository instead of the one installed")
    bom = actions.add_parser("bom", help="parts of one table", description="Totals of one table, or its order list.")
    bom.add_argument("profile", choices=[p.value for p in Profile], help="which table")
    bom.add_argument("--csv", action="store_true", help="print the order list as CSV for a shop's upload")
    bom.add_argument("--json", action="store_true", help="print the totals as one JSON object")
    pins = actions.add_parser(
        "pins", help="pin tables for the bench", description="GPIOs of the node and bits of the shift chain."
    )
    pins.add_argument("--json", action="store_true", help="print one JSON object")
    labels = actions.add_parser("labels", help="cable labels", description="Two labels for every cable of one table.")
    labels.add_argument("profile", choices=[p.value for p in Profile], help="which table")
    labels.add_argument("--svg", type=Path, metavar="FILE", help="write printable A4 pages (FILE, FILE-2, ...)")


def run(args: argparse.Namespace) -> int:
    """Run one action. 0 done, 1 a check failed; bad data raises MarkerError (2)."""
    actions = {"check": _check, "bom": _bom, "pins": _pins, "labels": _labels}
    try:
        return actions[args.action](args)
    except HardwareDataError as problem:
        raise MarkerError(str(problem)) from problem
    except Unavailable as problem:
        raise MarkerError(str(problem)) from problem


def _check(args: argparse.Namespace) -> int:
    from marker_hardware import checks
    from marker_hardware.checks.model import Outcome

    if args.root is not None and not (args.root / "hardware" / "pinmap.toml").is_file():
        raise MarkerError(f"--root {args.root}: no hardware/pinmap.toml there; give the folder of a clone")
    results = []
    for result in checks.run(Tree(args.root), args.only or ()):
        results.append(result)
        if not args.json:
            note = f" ({result.reason})" if result.reason else ""
            print(
                f"{result.number}  {result.outcome.value:<7}  {result.title}, {result.seconds:.1f} s{note}", flush=True
            )
            for problem in result.problems:
                print(f"     {problem}")
    strict = os.environ.get("CI") == "true"
    failed = [r for r in results if r.outcome is Outcome.FAILED or (strict and r.reason)]
    incomplete = [r for r in results if r.reason]
    if args.json:
        body = {"ok": not failed, "incomplete": [r.number for r in incomplete], "checks": msgspec.to_builtins(results)}
        print(json.dumps(body))
    else:
        passed = sum(1 for r in results if r.outcome is Outcome.PASSED)
        print(f"{passed} passed, {len(failed)} failed, {len(incomplete)} could not run completely")
    return 1 if failed else 0


def _bom(args: argparse.Namespace) -> int:
    from marker_hardware import bom

    profile = Profile(args.profile)
    if args.csv:
        print(bom.shop_csv(Tree(), profile), end="")
        return 0
    totals = bom.totals(Tree(), profile)
    usd = round(sum(total.usd for total in totals), 2)
    if args.json:
        print(json.dumps({"profile": profile.value, "usd": usd, "files": msgspec.to_builtins(totals)}))
        return 0
    print(f"{'file':<10}{'lines':>7}{'pieces':>8}{'USD':>10}")
    for total in totals:
        print(f"{total.file:<10}{total.lines:>7}{total.pieces:>8}{total.usd:>10.2f}")
    pieces = sum(total.pieces for total in totals)
    print(f"{'together':<10}{sum(total.lines for total in totals):>7}{pieces:>8}{usd:>10.2f}")
    print("prices are estimates from memory; --csv prints the order list")
    return 0


def _pins(args: argparse.Namespace) -> int:
    from marker_hardware import pinmap

    found = pinmap.load()
    if args.json:
        print(json.dumps(msgspec.to_builtins(found)))
        return 0
    print(f"{found.board}, revision {found.revision}\n")
    print(f"{'GPIO':<6}{'net':<16}{'function':<10}{'direction':<26}note")
    for pin in found.pin:
        how = ", ".join([pin.dir, *(part for part in (pin.pull, pin.drive) if part)])
        print(f"GP{pin.gpio:<4}{pin.net:<16}{pin.func:<10}{how:<26}{pin.note}".rstrip())
    print(f"\nshift chain, first bit out first, idle {found.shift.idle}, {found.shift.poll_hz} Hz")
    for number, bit in enumerate(found.shift.bits):
        print(f"{number:>4}  {bit}")
    for name, profile in found.profile.items():
        print(f"\n{name.value}: click {'yes' if profile.click else 'no'}, pins {' '.join(profile.pins) or 'none'}")
        for key, position in {**profile.piezo, **profile.pockets}.items():
            print(f"{key:>5}  {position}")
    return 0


def _labels(args: argparse.Namespace) -> int:
    from marker_hardware import harness
    from marker_hardware.drawings import labels

    found = harness.labels(Tree(), Profile(args.profile))
    if args.svg is None:
        for label in found:
            print(f"{label.cable:<8}{label.at:>7} > {label.to:<7}{label.length_m:>6g} m  {label.type}")
        return 0
    for number, page in enumerate(labels.pages(found, f"Cable labels, {args.profile}"), start=1):
        path = args.svg if number == 1 else args.svg.with_stem(f"{args.svg.stem}-{number}")
        try:
            path.write_text(page, encoding="utf-8")
        except OSError as problem:
            raise MarkerError(f"{path}: {problem.strerror}; choose a folder that can be written") from problem
        print(f"wrote {path}")
    return 0
