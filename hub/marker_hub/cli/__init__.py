"""The command `marker`: one line per subcommand here, each in a module of its own that is imported only when called."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from types import ModuleType

from marker_hub.cli.output import Watched, watch
from marker_hub.errors import MarkerError
from marker_rules.errors import cut

COMMANDS: dict[str, str] = {
    "demo": "a table that plays a match by itself: firmware, broker, hub, display",
    "hub": "run the hub of a hall",
    "sim": "simulated tables: shots, matches, batches, feeds",
    "node": "find, provision, test, update and flash table nodes",
    "hardware": "check the hardware data, bill of materials, pin tables, labels",
    "adjudicate": "judge scenario files under the rules",
    "perft": "count the rulings of all short stories",
    "replay": "recompute every ruling of a match record",
    "export": "match protocol (PDF, CSV) from a match record",
    "validate": "check a match record or a configuration file",
    "backup": "copy the journal of a hub, also while it runs",
    "restore": "put a backup in place",
    "doctor": "find what is wrong with an installation",
    "bench": "measure speed, as ratios in one run",
}


def _module(command: str) -> ModuleType:
    name = f"marker_hub.cli.{command}"
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        raise MarkerError(f"marker {command} is not part of this version") from None


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()]
    return "commands:\n" + "\n".join(lines) + "\n\n'marker COMMAND --help' explains one of them."


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="marker",
        description="Keeps the score at billiard tables fitted with sensors: five-pins and Russian pyramid.",
        epilog=_overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="marker COMMAND [OPTIONS]",
    )
    parser.add_argument("--version", action="version", version=f"billiard-marker {version('billiard-marker')}")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand; the exit status is 0, 1 (a check failed) or 2 (bad input or environment)."""
    args = list(sys.argv[1:] if argv is None else argv)
    if sys.version_info < (3, 11):  # noqa: UP036 - reached when the sources are run without an installation
        print(f"marker: Python 3.11 or newer is needed, found {sys.version.split()[0]}", file=sys.stderr)
        return 2
    command = args[0] if args else ""
    output = watch() if argv is None else None
    try:
        status = _run(command, args)
    except MarkerError as problem:
        print(f"marker {command}: {problem}", file=sys.stderr)
        status = problem.exit_status
    except KeyboardInterrupt:
        print(f"marker {command}: stopped", file=sys.stderr)
        status = 130
    except SystemExit as end:  # argparse has said what there was to say
        status = end.code if isinstance(end.code, int) else 2
        if output is None:
            raise
    except OSError as problem:
        if output is not None and output.failure is problem:
            status = 0
        elif problem.filename is None:
            raise
        else:  # a path that no file system takes, or no right to it: whatever the command was about to do there
            place = cut(str(problem.filename))
            print(
                f"marker {command}: {place}: {problem.strerror}; check the path and this user's rights", file=sys.stderr
            )
            status = 2
    return status if output is None else _delivered(command, output, status)


def _delivered(command: str, output: Watched, status: int) -> int:
    """The exit status once everything said has left: 2 where it could not, unless the reader of a pipe went away (`| head`)."""
    with contextlib.suppress(OSError):
        output.flush()
    if output.failure is None:
        return status
    output.give_up()
    if isinstance(output.failure, BrokenPipeError):
        return status
    name = f"marker {command}".rstrip()
    print(f"{name}: standard output: {output.failure.strerror}; write it somewhere else", file=sys.stderr)
    return 2


def _run(command: str, args: list[str]) -> int:
    parser = _parser()
    if command in COMMANDS:
        module = _module(command)
        parser.usage = None
        sub = parser.add_subparsers(dest="command", metavar="COMMAND")
        module.add_parser(sub)
        status: int = module.run(parser.parse_args(args))
        return status
    if not command:
        parser.print_help()
        return 2
    if command.startswith("-"):
        parser.parse_args(args)
    near = difflib.get_close_matches(command, COMMANDS, 1)
    hint = f"; did you mean '{near[0]}'?" if near else "; 'marker --help' lists them"
    print(f"marker: command '{command}' is not known{hint}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
