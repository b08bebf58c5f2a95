"""`marker node`: find, provision, show, test, calibrate, follow, update and flash table nodes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from marker_hub import nodecal, nodeflash, provision
from marker_hub.errors import CheckFailed, MarkerError
from marker_hub.nodemqtt import MqttNode
from marker_hub.provision import NodeError, SerialNode

QUALITIES = ("ok", "noisy", "stuck", "absent")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker node`."""
    parser = subparsers.add_parser("node", help="table nodes", description="Works on table nodes connected by USB.")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    _verb(verbs, "list", "ports that may hold a node", port=False)
    apply = _verb(verbs, "provision", "write a configuration file (TOML) to a node")
    apply.add_argument("file", type=Path, help="keys: docs/technician/node.md")
    apply.add_argument("--report", type=Path, help="keep the self-test's result in this file")
    _verb(verbs, "show", "what a node is and how it is configured")
    test = _verb(verbs, "selftest", "test sensors and supply")
    _by_air(test)
    test.add_argument("--report", type=Path, help="keep the result in this file")
    cal = _verb(verbs, "calibrate", "measure the pins of a five-pins table, step by step, or the noise of the cushions")
    cal.add_argument(
        "--cushions", action="store_true", help="set the threshold of cushions and click by the noise instead"
    )
    cal.add_argument("--technician", default="", help="your name, kept with the values")
    cal.add_argument("--placements", type=int, help="how often the pins are placed")
    follow = _verb(verbs, "log", "last lines of a node's log")
    follow.add_argument("-f", "--follow", action="store_true", help="go on until Ctrl-C")
    update = _verb(verbs, "update", "send this version's firmware, signed, into the slot that rests")
    update.add_argument("--key-file", type=Path, required=True, help="file with the node's device key, 64 hex digits")
    _by_air(update)
    update.add_argument("--force", action="store_true", help="also an older version")
    flash = _verb(verbs, "flash", "install the firmware on a board with MicroPython")
    flash.add_argument("--dry-run", action="store_true", help="list what would be written, touch nothing")
    flash.add_argument("--board", choices=("pico_w", "pico_2_w", "esp32_s3"), help="refuse any other board")


def _verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, *, port: bool = True
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    if port:
        parser.add_argument("--port", help="serial port; needed when more than one board is connected")
    return parser


def _by_air(parser: argparse.ArgumentParser) -> None:
    """Options to reach a node through the broker instead of a cable."""
    parser.add_argument("--table", help="reach the node of this table through the broker, without a cable")
    parser.add_argument(
        "--broker", default="127.0.0.1:1883", metavar="HOST:PORT", help="with --table (default: %(default)s)"
    )
    parser.add_argument("--user", default="hub", help="broker user, with --table (default: %(default)s)")
    parser.add_argument("--password-file", type=Path, help="file with the broker password, with --table")


def _reach(args: argparse.Namespace) -> SerialNode | MqttNode:
    """The node on a cable, or through the broker."""
    if not args.table:
        return _open(args)
    host, _, port = args.broker.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise MarkerError(f"--broker {args.broker}: HOST:PORT is meant, such as 192.168.1.10:1883")
    password = ""
    if args.password_file is not None:
        try:
            password = args.password_file.read_text(encoding="utf-8").strip()
        except OSError as problem:
            raise MarkerError(f"{args.password_file}: {problem.strerror}") from problem
    return MqttNode(args.table, host, int(port), args.user, password)


def run(args: argparse.Namespace) -> int:
    """Carry out one verb."""
    verb: Callable[[argparse.Namespace], int] = _VERBS[args.verb]
    try:
        return verb(args)
    except provision.NodeLost as lost:
        if "repeat" in str(lost):
            raise
        raise NodeError(f"{lost}; the node keeps its configuration; connect it again and repeat") from lost


class _Bar:
    """Progress on a terminal in one line; in a file or pipe every tenth step a line of its own."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.last = -1

    def __call__(self, done: int, total: int, text: str) -> None:
        percent = 100 * done // max(1, total)
        if self.quiet or (percent == self.last and done < total):
            return
        if sys.stderr.isatty():
            end = "\n" if done >= total else ""
            print(f"\r{percent:3d} %  {text:<40}", end=end, file=sys.stderr, flush=True)
        elif percent // 10 != self.last // 10 or done >= total:
            print(f"{percent:3d} %  {text}", file=sys.stderr)
        self.last = percent


def _print(args: argparse.Namespace, result: Any, lines: list[str]) -> None:
    print(json.dumps(result, ensure_ascii=False) if args.json else "\n".join(lines))


def _open(args: argparse.Namespace, on_log: Callable[[str], None] | None = None) -> SerialNode:
    return SerialNode.open(provision.choose_port(args.port), on_log)


def _list(args: argparse.Namespace) -> int:
    found = []
    for port in provision.ports():
        entry: dict[str, Any] = {"port": port.device, "maker": port.maker, "serial": port.number}
        try:
            node = SerialNode.open(port.device)
            try:
                entry |= node.request("info")
            finally:
                node.close()
        except NodeError as problem:
            entry["problem"] = str(problem)
        found.append(entry)
    lines = [f"{e['port']}  {e['maker']}  {_who(e)}" for e in found] or ["no board is connected"]
    _print(args, found, lines)
    return 0


def _who(entry: dict[str, Any]) -> str:
    if "problem" in entry:
        return str(entry["problem"])
    table = entry.get("table") or "not provisioned"
    return f"{entry['board']} {entry['uid']}  table {table}  firmware {entry['fw']}"


def _provision(args: argparse.Namespace) -> int:
    data = provision.read_file(args.file)
    device = provision.choose_port(args.port)
    node = SerialNode.open(device)
    try:
        boot = int(node.request("info")["boot"])
        digest = provision.apply(node, data, _Bar(args.json))
    except provision.NodeRefused as problem:
        raise NodeError(f"{args.file}: {problem}; nothing was stored") from problem
    finally:
        node.close()
    node = provision.reopen(device, boot)
    try:
        info = node.request("info")
        if info["cfg"] != digest:
            raise CheckFailed(
                f"{device}: the node runs configuration {info['cfg']}, stored was {digest}; repeat the command"
            )
        result = node.request("selftest", timeout=20.0)
    finally:
        node.close()
    _print(
        args,
        {"info": info, "selftest": result},
        [f"table {info['table']}: configuration {digest} runs", *_results(result)],
    )
    _report(args.report, {"info": info, "selftest": result})
    return _verdict(result)


def _results(result: dict[str, Any]) -> list[str]:
    lines = [f"  {name:<10} {QUALITIES[code]}" for name, code in sorted(result.items()) if _is_channel(name, code)]
    lines.append(
        f"  {'supply':<10} {result['V5'] / 1000:.2f} V {'ok' if result['supply_ok'] else 'out of 4.6 to 5.4 V'}"
    )
    if result.get("clean"):
        lines.append(f"  clean the beams {', '.join(result['clean'])}")
    return lines


def _is_channel(name: str, code: object) -> bool:
    return name not in ("V5", "supply_ok", "clean") and isinstance(code, int)


def _verdict(result: dict[str, Any]) -> int:
    bad = any(code for name, code in result.items() if _is_channel(name, code)) or not result["supply_ok"]
    return 1 if bad else 0


def _report(path: Path | None, content: dict[str, Any]) -> None:
    if path is None:
        return
    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        path.write_text(json.dumps({"date": stamp, **content}, indent=1) + "\n", encoding="utf-8")
    except OSError as problem:
        raise MarkerError(f"{path}: {problem.strerror}; choose another place for the report") from problem


def _show(args: argparse.Namespace) -> int:
    node = _open(args)
    try:
        info, config = node.request("info"), node.request("get")
    finally:
        node.close()
    lines = [f"{key:<12} {value}" for key, value in {**info, **{f"  {k}": v for k, v in config.items()}}.items()]
    _print(args, {"info": info, "config": config}, lines)
    return 0


def _selftest(args: argparse.Namespace) -> int:
    node = _reach(args)
    try:
        result = node.request("selftest", timeout=20.0)
    finally:
        node.close()
    _print(args, result, _results(result))
    _report(args.report, {"selftest": result})
    return _verdict(result)


def _calibrate(args: argparse.Namespace) -> int:
    if args.placements is not None and not 1 <= args.placements <= 100:
        raise MarkerError(f"--placements {args.placements}: 1 to 100")
    node = _open(args)
    if args.cushions:
        return _threshold(args, node)
    date = datetime.now(UTC).date().isoformat()

    def ask(step: str) -> None:
        print(step, "Then press Enter.", file=sys.stderr, flush=True)
        if not sys.stdin.readline():
            raise NodeError("calibration stopped; nothing was stored")

    try:
        found = nodecal.calibrate(node, ask, args.technician, date, args.placements)
        if not found.warnings:
            for part, content in found.data.items():
                node.request("set", key=f"cal.{part}", value=content)
            node.request("commit")
            node.request("reset")
    except NodeError:
        provision.leave_service(node)
        raise
    finally:
        node.close()
    lines = [f"  pin {pin}: spread {part:.1%}" for pin, part in found.spread.items()]
    lines += [f"  magnet to sensor {found.gap_mm:.1f} mm", *(f"  {w}" for w in found.warnings)]
    lines.append("not stored: see above" if found.warnings else "stored; the node restarts with it")
    _print(args, {"cal": found.data, "spread": found.spread, "gap_mm": found.gap_mm, "warnings": found.warnings}, lines)
    return 1 if found.warnings else 0


def _threshold(args: argparse.Namespace, node: SerialNode) -> int:
    """Measure the noise of the quiet table, set the threshold of the cushions and the click by it."""
    print("Keep the table quiet for ten seconds.", file=sys.stderr, flush=True)
    try:
        found = nodecal.quiet(node)
        if found.usable:
            node.request("set", key="cal.vth", value=found.threshold_mv)
            node.request("commit")
            node.request("reset")
        else:
            provision.leave_service(node)
    except NodeError:
        provision.leave_service(node)
        raise
    finally:
        node.close()
    text = f"  noise {found.noise_mv} mV, threshold {found.threshold_mv} mV"
    end = "stored; the node restarts with it" if found.usable else f"not stored: {found.remedy}"
    _print(args, {"noise_mv": found.noise_mv, "vth": found.threshold_mv, "stored": found.usable}, [text, end])
    return 0 if found.usable else 1


def _log(args: argparse.Namespace) -> int:
    node = _open(args, on_log=lambda text: print(text, flush=True))
    try:
        for ms, text in node.request("log", n=40):
            print(f"{ms / 1000:.3f} {text}", flush=True)
        while args.follow:
            for raw in node.lines(1.0):
                node.pass_on(raw)
    finally:
        node.close()
    return 0


def _key(path: Path) -> bytes:
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise MarkerError(f"{path}: {problem}; the file holds the device key, 64 hex digits") from problem
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise MarkerError(f"{path}: no device key; 64 hex digits are needed")
    return bytes.fromhex(text)


def _update(args: argparse.Namespace) -> int:
    key = _key(args.key_file)
    node = _reach(args)
    try:
        before = node.request("info")
        slot = nodeflash.update(node, key, _Bar(args.json), force=args.force)
    finally:
        node.close()
    version = nodeflash.firmware_version()
    _print(
        args,
        {"slot": slot, "from": before["fw"], "to": version},
        [
            f"firmware {version} starts from slot {slot}; it stays when the node is in good health for a minute, else {before['fw']} comes back"
        ],
    )
    return 0


def _flash(args: argparse.Namespace) -> int:
    if args.dry_run:
        plan = nodeflash.flash_plan("esp32" if args.board == "esp32_s3" else "rp2")
        total = sum(len(f.data) for f in plan)
        lines = [f"{len(f.data):7d}  {f.path}" for f in plan]
        _print(
            args,
            {"files": {f.path: len(f.data) for f in plan}, "bytes": total, "version": nodeflash.firmware_version()},
            [*lines, f"{total:7d}  bytes in {len(plan)} files; nothing was written"],
        )
        return 0
    device = provision.choose_port(args.port)
    port = provision.open_port(device)
    try:
        machine = nodeflash.flash(port, args.board, _Bar(args.json))
    finally:
        port.close()
    text = (
        f"{machine} on {device}: firmware {nodeflash.firmware_version()} is installed; next: marker node provision FILE"
    )
    _print(args, {"port": device, "board": machine, "version": nodeflash.firmware_version()}, [text])
    return 0


_VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "provision": _provision,
    "show": _show,
    "selftest": _selftest,
    "calibrate": _calibrate,
    "log": _log,
    "update": _update,
    "flash": _flash,
}
