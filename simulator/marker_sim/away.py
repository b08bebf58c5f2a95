"""A hub that runs elsewhere, with a broker of its own: where both are, what one logs in with, and whether a simulated table may play there.

Everything is tried before the first stroke, in bounded time: the broker takes the login, the hub takes the PIN, the table is of
the right kind, free, and without a node that the simulation would push away.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from marker_sim.faults.profile import Kind, Profile
from marker_sim.hubclient import HubClient, HubUnreachable, Refused
from marker_sim.sinks import packets
from marker_sim.sinks.packets import BadPacket, PacketKind, PacketSplitter
from marker_sim.sinks.secure import NOT_SECURE, Level, Secure
from marker_sim.stage import Ready
from marker_sim.textfile import UnreadableText, text_of

PASSWORD = "MARKER_BROKER_PASSWORD"  # noqa: S105 - the name of a variable
PIN = "MARKER_TABLE_PIN"
HUB_PORT = 8080
LOOK_S = 0.1
LARGEST = 1 << 20  # bytes of a file of credentials
REFUSALS = {
    1: "it does not speak MQTT 3.1.1",
    2: "it refuses the client's name",
    3: "it takes no clients now",
    4: "user or password is wrong",
    5: "this user may not connect",
}
NOT_THERE = (Kind.HUB_KILL, Kind.BROKER_RESTART, Kind.BROKER_STOP)  # faults that only an own hub can be made to have


class AwayError(RuntimeError):
    """The hub elsewhere cannot be played at: one line with the place, what is wrong and the remedy."""


class Address(NamedTuple):
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        """As it is written in an option."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Away:
    """Where to play: addresses, the table's id there, its broker password and its referee's PIN; `wait_s`: how long to wait for an answer.

    `user`: of the table's node at the broker, empty for the table's id; `secure`: how the broker is spoken to.
    """

    broker: Address
    hub: Address
    table: str = "1"
    password: str = field(default="", repr=False)
    pin: str = field(default="", repr=False)
    wait_s: float = 15.0
    user: str = ""
    secure: Secure = NOT_SECURE

    @property
    def ready(self) -> Ready:
        """The same as an own hub announces it."""
        credentials = {
            "web": {"tables": {self.table: {"pin": self.pin}}},
            "mqtt": {"tables": {self.table: self.password}},
        }
        places = (self.hub.host, self.hub.port, self.broker.host, self.broker.port)
        return Ready(*places, credentials, self.secure, self.user)


def address(option: str, text: str, scheme: str, port: int | None = None) -> Address:
    """HOST:PORT, with or without `scheme`://; `port`: where none is given. Raises AwayError."""
    remedy = f"give HOST:PORT, as {'10.0.0.5:1883' if scheme == 'mqtt' else '10.0.0.5:8080'}"
    given, _, rest = text.rpartition("://")
    if scheme == "mqtt" and given in ("mqtts", "ssl", "tls"):
        raise AwayError(f"{option} {text}: an encrypted connection is asked for with --tls; {remedy}, and --tls 2")
    if given not in ("", scheme):
        raise AwayError(f"{option} {text}: {given}:// is not spoken here; {remedy}")
    rest = rest.rstrip("/")
    host, colon, number = rest.rpartition(":")
    if not colon or rest.endswith("]"):
        host, number = rest, "" if port is None else str(port)
    host = host.removeprefix("[").removesuffix("]")
    good = bool(host) and host.isprintable() and not set(host) & set(" /@?#") and number.isascii() and number.isdigit()
    if not good or not 1 <= int(number[:6]) <= 65535:
        raise AwayError(f"{option} {text}: {remedy}")
    return Address(host, int(number))


def secrets(path: Path | None, table: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """Broker password and referee's PIN of the table: from the environment, else from a hub's credentials.json. Raises AwayError."""
    kept = {} if path is None else _read(path)
    password = environment.get(PASSWORD, _text(kept, ("mqtt", "tables", table)))
    pin = environment.get(PIN, _text(kept, ("web", "tables", table, "pin")))
    missing = [name for name, value in ((PASSWORD, password), (PIN, pin)) if value is None]
    if missing:
        where = f"{path} has none of table '{table}'" if path is not None else "no --credentials FILE is given"
        raise AwayError(f"{' and '.join(missing)}: not set, and {where}; set it, or give the hub's credentials.json")
    return str(password), str(pin)


def _read(path: Path) -> dict[str, Any]:
    remedy = "give the credentials.json of the hub"
    try:
        if path.is_file() and path.stat().st_mode & 0o077:
            raise AwayError(f"--credentials {path}: others may read this file; run: chmod 600 {path}")
        kept = json.loads(text_of(path, LARGEST))
    except (OSError, UnreadableText) as problem:
        raise AwayError(f"--credentials {path}: {problem}; {remedy}") from problem
    except (ValueError, RecursionError) as problem:  # no word of what stands in it
        raise AwayError(f"--credentials {path}: {type(problem).__name__}: no JSON of a hub; {remedy}") from problem
    if not isinstance(kept, dict):
        raise AwayError(f"--credentials {path}: {type(kept).__name__} where an object must be; {remedy}")
    return kept


def _text(kept: Any, keys: tuple[str, ...]) -> str | None:
    for key in keys:
        kept = kept.get(key) if isinstance(kept, dict) else None
    return kept if isinstance(kept, str) else None


def allowed(profile: Profile) -> None:
    """Refuse faults that would have to be done to the hub or the broker themselves. Raises AwayError."""
    kinds = [*(spec.kind for spec in profile.faults), *(planned.do for planned in profile.schedule)]
    wrong = next((kind for kind in kinds if kind in NOT_THERE), None)
    if wrong is not None:
        raise AwayError(f"--faults {profile.name}: {wrong} cannot be done to a hub that runs elsewhere; leave it out")


async def reach(away: Away, profile: str) -> Ready:
    """Try everything before a stroke is played. profile: carom5 or pyramid. Raises AwayError."""
    await _log_in_at_broker(away)
    client = HubClient(away.hub.host, away.hub.port, None, away.wait_s)
    view = await _view(away, client)
    if view.get("profile") != profile:
        raise AwayError(
            f"table {away.table} at {away.hub}: its profile is {view.get('profile')}, the game needs {profile}"
        )
    if view.get("node") == "online":
        raise AwayError(
            f"table {away.table} at {away.hub}: it has a node that is online, and the simulation would push it away; use another table"
        )
    if view.get("phase") != "idle":
        raise AwayError(
            f"table {away.table} at {away.hub}: a match is on ({view.get('phase')}); end it, or use another table"
        )
    try:
        await client.post("/api/login", away.ready.login(away.table))
    except Refused as refused:
        said = "its referee's PIN is wrong" if refused.status == 401 else f"the hub refuses the login: {refused.body}"
        raise AwayError(f"table {away.table} at {away.hub}: {said}; correct {PIN} or the credentials") from refused
    return away.ready


async def _view(away: Away, client: HubClient) -> dict[str, Any]:
    try:
        view = await client.get(f"/api/tables/{away.table}")
    except HubUnreachable as problem:
        raise AwayError(
            f"--hub {away.hub}: no hub answers within {away.wait_s:g} s; give the address of its pages"
        ) from problem
    except Refused as refused:
        why = "this hub has no such table" if refused.status == 404 else f"status {refused.status}"
        raise AwayError(
            f"table {away.table} at {away.hub}: {why}; give --table-id with a table of that hub"
        ) from refused
    if not isinstance(view, dict):
        raise AwayError(f"--hub {away.hub}: what answers there is no hub; give the address of its pages")
    return view


async def _log_in_at_broker(away: Away) -> None:
    """One login and out again, under a name of its own."""
    where = f"--broker {away.broker}"
    try:
        async with asyncio.timeout(away.wait_s):
            code = await _connack(away)
    except TimeoutError:
        raise AwayError(
            f"{where}: nothing answers within {away.wait_s:g} s; give the address of the hub's broker"
        ) from None
    except (ssl.SSLError, ConnectionResetError) as problem:
        raise AwayError(f"{where}: {_unsafe(away, problem)}") from problem
    except OSError as problem:
        raise AwayError(f"{where}: {problem.strerror or problem}; give the address of the hub's broker") from problem
    except (BadPacket, ValueError) as problem:
        raise AwayError(
            f"{where}: what answers there is no MQTT broker; give the address of the hub's broker{_plainly(away)}"
        ) from problem
    if code:
        why = REFUSALS.get(code, f"code {code}")
        raise AwayError(
            f"{where}: it refuses user '{away.user or away.table}': {why}; "
            f"correct {PASSWORD}, the credentials, {'--broker-user' if away.user else '--table-id'}"
        )


def _plainly(away: Away) -> str:
    """What else may be wrong where nothing is encrypted."""
    return ", and --tls where it wants to be spoken to encrypted" if away.secure.level is Level.PLAIN else ""


def _unsafe(away: Away, problem: ssl.SSLError | ConnectionResetError) -> str:
    """Why no connection came about that both sides want, and the remedy."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        said = problem.verify_message.rstrip(".")
        if "not valid for" in said:
            return (
                f"{said}; give the name or address that its certificate holds, or --tls 1 for one that is not checked"
            )
        vouched = "--ca-file does not vouch for it" if away.secure.ca else "nothing on this computer vouches for it"
        return f"{vouched} ({said}); give its own --ca-file, or --tls 1 for one that is not checked"
    if away.secure.level is Level.PLAIN:
        return f"it hangs up; give the address of the hub's broker{_plainly(away)}"
    said = (getattr(problem, "reason", None) or "it hangs up").replace("_", " ").lower()
    return f"no encrypted connection ({said}); give the port where it speaks TLS, or leave --tls out"


async def _connack(away: Away) -> int:
    """The broker's answer to a login. Raises OSError, BadPacket."""
    reader, writer = await asyncio.open_connection(*away.broker, ssl=away.secure.context())
    try:
        name = f"marker-sim-{away.table}-{os.getpid()}"
        writer.write(packets.connect(name, away.user or away.table, away.password, None, 10))
        splitter = PacketSplitter()
        while data := await reader.read(4096):
            for packet in splitter.feed(data):
                if packet.kind != PacketKind.CONNACK or len(packet.body) != 2:
                    raise BadPacket("no CONNACK")
                writer.write(packets.DISCONNECT)
                return packet.body[1]
        raise BadPacket("closed without an answer")
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def seen(away: Away, client: HubClient) -> None:
    """Wait until the hub sees the table's node. Raises AwayError."""
    deadline = time.monotonic() + away.wait_s
    while (await _view(away, client)).get("node") != "online":
        if time.monotonic() > deadline:
            raise AwayError(
                f"table {away.table} at {away.hub}: it does not see the node at {away.broker} within {away.wait_s:g} s; "
                f"is that its broker, and may user '{away.user or away.table}' write to table/{away.table}/#?"
            )
        await asyncio.sleep(LOOK_S)
