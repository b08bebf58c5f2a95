"""`marker sim match --sink node|mqtt`: a match through broker and hub, of its own or running elsewhere."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marker_hub.cli import sim_referee, sim_shot
from marker_hub.cli.numbers import bounded
from marker_hub.errors import MarkerError
from marker_rules.balls import GameId
from marker_rules.errors import RulesError

if TYPE_CHECKING:
    from marker_sim.away import Away
    from marker_sim.demo import Hall, Plan, TableResult
    from marker_sim.manner import Manner
    from marker_sim.sinks.secure import Secure

SINKS = ("node", "mqtt")  # those with a hub behind them
EVERY_S = 10.0  # a line of progress
STOPPED = 130
SHOTS = 1_000_000
LARGEST_CA = 1536  # bytes of a certificate that a node's configuration holds: 2048 in base64
SENSORS = ("hints", "main", "none")
AWAY = (
    "hub",
    "table_id",
    "broker_user",
    "credentials",
    "tls",
    "ca_file",
    "wait",
)  # options that only a hub elsewhere needs


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that need a hub."""
    sim_referee.options(parser, "with --sink node or mqtt")
    live = parser.add_argument_group("with --sink node or mqtt")
    live.add_argument("--pace", type=_pace, metavar="real|N|max", help="times real time (default: max)")
    live.add_argument("--faults", default="", metavar="PROFILE", help="a fault profile by name, or a .toml file")
    live.add_argument("--sensors", choices=SENSORS, help="what the table is fitted with (default: hints, as built)")
    away = parser.add_argument_group(
        "at a hub that runs elsewhere",
        "The table must be free and without a node of its own. Its broker password and its referee's PIN come from "
        "MARKER_BROKER_PASSWORD and MARKER_TABLE_PIN, or from --credentials.",
    )
    away.add_argument("--broker", metavar="HOST:PORT", help="the broker of that hub; the table's node connects there")
    away.add_argument(
        "--hub", metavar="HOST:PORT", help="its pages, where the referee works (default: port 8080 beside the broker)"
    )
    away.add_argument(
        "--table-id", metavar="ID", help="the table's id there, and the node's user at the broker (default: 1)"
    )
    away.add_argument(
        "--broker-user", metavar="NAME", help="the node's user at the broker, where it is not the table's id"
    )
    away.add_argument("--credentials", type=Path, metavar="FILE", help="the credentials.json of that hub")
    away.add_argument(
        "--tls",
        type=int,
        choices=(1, 2),
        help="as in a node's file: 1 encrypted, 2 encrypted and the broker checked (default: neither); the port of --broker is then 8883 by "
        "default",
    )
    away.add_argument(
        "--ca-file",
        type=Path,
        metavar="FILE",
        help="with --tls 2: the certificate that vouches for the broker, DER or PEM (default: those this computer trusts; a node with "
        "firmware trusts none by itself)",
    )
    away.add_argument(
        "--wait",
        type=_wait,
        metavar="S",
        help="how long to wait for an answer before the first stroke, 1 to 600 s (default: 15)",
    )


def _pace(text: str) -> float:
    if text in ("max", "real"):
        return 0.0 if text == "max" else 1.0
    return bounded(text, 0.1, 1000, "give real, a factor from 0.1 to 1000, or max")


def _wait(text: str) -> float:
    return bounded(text, 1, 600, "give 1 to 600 seconds")


def check(args: argparse.Namespace) -> None:
    """Options that do not fit together. Raises MarkerError."""
    hubbed = args.sink in SINKS
    given = [name for name in ("pace", "faults", "sensors", "broker", *AWAY) if getattr(args, name) not in (None, "")]
    if given and not hubbed:
        raise MarkerError(
            f"--{given[0].replace('_', '-')}: nothing is sent anywhere with --sink {args.sink}; give node or mqtt"
        )
    lone = [name for name in given if name in AWAY]
    if lone and args.broker is None:
        raise MarkerError(
            f"--{lone[0].replace('_', '-')}: that is for a hub that runs elsewhere; give its broker, --broker HOST:PORT"
        )


def away_of(args: argparse.Namespace) -> Away | None:
    """The hub elsewhere; None where none is asked for. Raises MarkerError."""
    from marker_sim.away import HUB_PORT, Address, Away, AwayError, address, secrets

    if args.broker is None:
        return None
    table = args.table_id or "1"
    if not (table.isascii() and len(table) <= 16 and all(c.islower() or c.isdigit() or c in "_-" for c in table)):
        raise MarkerError(f"--table-id {table}: give a table's id, up to 16 of a-z, 0-9, _ and -")
    try:
        secure = _secure(args)
        broker = address("--broker", args.broker, "mqtt", 8883 if args.tls else 1883)
        hub = address("--hub", args.hub, "http", 80) if args.hub else Address(broker.host, HUB_PORT)
        password, pin = secrets(args.credentials, table)
    except AwayError as problem:
        raise MarkerError(str(problem)) from problem
    return Away(broker, hub, table, password, pin, args.wait or 15.0, _user(args.broker_user), secure)


def _user(name: str | None) -> str:
    """Raises MarkerError."""
    if name is not None and not (0 < len(name) <= 64 and name.isprintable()):
        raise MarkerError(f"--broker-user {name!r}: give the node's user at the broker, 1 to 64 characters")
    return name or ""


def _secure(args: argparse.Namespace) -> Secure:
    """How the broker is spoken to. Raises MarkerError."""
    from marker_sim.sinks.secure import CertificateError, Level, Secure, certificate

    level = Level(args.tls or 0)
    if args.ca_file is None:
        if level is Level.CHECKED and args.sink == "node":
            raise MarkerError(
                "--tls 2: a node with firmware trusts no certificate by itself; give the one that vouches for the broker, --ca-file FILE"
            )
        return Secure(level)
    if level is not Level.CHECKED:
        raise MarkerError(f"--ca-file {args.ca_file}: nothing is checked without --tls 2; give both")
    try:
        vouching = certificate(args.ca_file)
    except CertificateError as problem:
        raise MarkerError(f"--ca-file {problem}") from problem
    if args.sink == "node" and len(vouching) > LARGEST_CA:
        raise MarkerError(
            f"--ca-file {args.ca_file}: {len(vouching)} bytes, a node holds {LARGEST_CA}; give an ECDSA certificate"
        )
    return Secure(level, vouching)


def play(args: argparse.Namespace, given: dict[str, Any], shots: int | None) -> tuple[dict[str, Any], int]:
    """Play; the figures and the exit status. given: length of the match. Raises MarkerError."""
    from marker_rules.options import Options
    from marker_sim.demo import Plan
    from marker_sim.manner import Manner
    from marker_sim.reading import Fitted

    kind, sloppy = sim_referee.manner_of(args, asked=True, where="--sink node or mqtt")
    referee = Manner(kind, args.seed, sloppy)
    try:
        options = Options(GameId(args.game), given)
    except RulesError as problem:
        raise MarkerError(problem.message) from problem
    with tempfile.TemporaryDirectory(prefix="marker-match-") as folder:
        plan = Plan(
            GameId(args.game),
            args.seed,
            shots or SHOTS,
            options,
            args.pace or 0.0,
            1,
            Path(folder),
            0,
            direct=args.sink == "mqtt",
            profile=args.faults,
            style=sim_shot.style_of(args, check=args.check),
            referee=referee,
            fitted=Fitted(args.sensors or Fitted.HINTS),
            away=away_of(args),
        )
        result, stopped = asyncio.run(_run(plan))
    if result is None:
        return {"game": args.game, "seed": args.seed, "shots": 0, "stopped": True}, STOPPED
    found = _figures(args, result, referee)
    if stopped:
        return {**found, "stopped": True}, STOPPED
    return found, 1 if found["failed"] or result.lost or result.duplicated else 0


def _figures(args: argparse.Namespace, result: TableResult, referee: Manner) -> dict[str, Any]:
    figures = {"game": args.game, "seed": args.seed, **result.as_json()}
    figures |= {"referee": referee.kind.value, **result.handled(referee)}
    return {**figures, "failed": sum(verdict.judged.failed for verdict in result.verdicts)}


async def _run(plan: Plan) -> tuple[TableResult | None, bool]:
    """The table's result, and whether it was stopped before the end. Raises MarkerError."""
    from marker_sim import demo
    from marker_sim.problems import describe

    halls: list[Hall] = []
    task = asyncio.ensure_future(demo.run(plan, halls.append))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    progress = asyncio.create_task(_progress(halls))
    try:
        return (await task)[0], False
    except asyncio.CancelledError:
        known = demo.so_far(halls[0]) if halls else []
        return (known[0] if known else None), True
    except Exception as problem:
        said = describe(problem)
        if said is None:
            raise
        raise MarkerError(_one_line(said)) from problem
    finally:
        progress.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await progress


def _one_line(said: str) -> str:
    return "; ".join(line.strip() for line in said.splitlines() if line.strip())


async def _progress(halls: list[Hall]) -> None:
    """A line now and then."""
    while True:
        await asyncio.sleep(EVERY_S)
        for table in halls[0].tables if halls else ():
            wrong = sum(verdict.wrong for verdict in table.verdicts)
            print(f"{len(table.verdicts)} shots, {wrong} wrong", file=sys.stderr, flush=True)
