"""`marker hub`: run the hub of a hall."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from pathlib import Path
from typing import Any

import msgspec

from marker_hub import config as configuration
from marker_hub.config import BrokerKind, Config, ConfigError, TableSection

DEFAULT_DATA = "marker-data"

SWITCH_S = 0.001
"""How long the loop may keep the interpreter from the journal's thread, which has a commit to deliver (default 5 ms)."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker hub`."""
    parser = subparsers.add_parser(
        "hub",
        help="run the hub of a hall",
        description="Runs the hub: broker, journal, tables, pages. Prints one line of JSON when it is ready; "
        "SIGTERM or Ctrl-C stops it in order.",
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="configuration (TOML); without it one table with defaults"
    )
    parser.add_argument(
        "--data", type=Path, metavar="DIR", help=f"data folder (default: hub.data of the file, else {DEFAULT_DATA})"
    )
    parser.add_argument("--port", type=int, metavar="P", help="port of the pages; 0 = any free one (default: 8080)")
    parser.add_argument("--tables", type=int, metavar="N", help="without a file: N tables named 1..N")
    parser.add_argument("--broker", metavar="KIND|URL", help="auto, mosquitto, embedded, or mqtt://host:port")
    parser.add_argument(
        "--check",
        action="store_true",
        help="check the configuration and what a start needs of this machine: data folder, journal, ports, broker; start nothing",
    )
    parser.add_argument(
        "--log", choices=("debug", "info", "warning", "error"), default="warning", help="what goes to standard error"
    )


def settings(args: argparse.Namespace) -> tuple[Config, Path]:
    """Configuration and data folder from file and options. Raises ConfigError."""
    config = _from_file(args.config) if args.config else Config()
    if args.tables is not None:
        if config.table:
            raise ConfigError(f"--tables {args.tables}: the configuration file names its tables; leave the option out")
        if not 1 <= args.tables <= 1000:
            raise ConfigError(f"--tables {args.tables}: give 1 to 1000")
    if not config.table:
        tables = tuple(TableSection(id=str(number)) for number in range(1, (args.tables or 1) + 1))
        config = msgspec.structs.replace(config, table=tables)
    if args.port is not None:
        if not 0 <= args.port <= 65535:
            raise ConfigError(f"--port {args.port}: give 0 to 65535")
        config = msgspec.structs.replace(config, web=msgspec.structs.replace(config.web, port=args.port))
    if args.broker is not None:
        config = msgspec.structs.replace(config, broker=_broker(config, args.broker))
    data = args.data or Path(config.hub.data or DEFAULT_DATA)
    return config, data.absolute()


def _from_file(path: Path) -> Config:
    from marker_hub.configfile import load

    return load(path)


def _broker(config: Config, text: str) -> configuration.BrokerSection:
    if "://" in text:
        configuration.parse_url(text)
        return msgspec.structs.replace(config.broker, kind=BrokerKind.EXTERNAL, url=text)
    if text not in ("auto", "mosquitto", "embedded"):
        raise ConfigError(f"--broker {text!r}: give auto, mosquitto, embedded, or mqtt://host:port")
    return msgspec.structs.replace(config.broker, kind=BrokerKind(text), url="")


def run(args: argparse.Namespace) -> int:
    """Run the hub; 0 after a clean stop, 2 when it cannot start."""
    logging.basicConfig(
        level=args.log.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    config, data = settings(args)
    if args.check:
        return _check(config, data)
    from marker_hub.service import HubOptions, serve

    sys.setswitchinterval(SWITCH_S)
    return asyncio.run(serve(HubOptions(config, data), _ready))


def _ready(line: dict[str, Any]) -> None:
    """What the start has made stays: a collection of garbage need not look through it again and again."""
    from marker_hub.service.server import print_ready

    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    print_ready(line)


def _check(config: Config, data: Path) -> int:
    """Nothing is made or changed: what the first start would make is only looked for."""
    from marker_hub import configcheck, startcheck

    configcheck.verify(config, "the options")  # those of the command line too
    kind = startcheck.examine(config, data)
    now = "; a hub runs there now" if startcheck.runs(data) else ""
    print(f"configuration is good: {len(config.table)} table(s), broker {kind.value}, data in {data}{now}")
    return 0
