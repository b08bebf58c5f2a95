"""What is wrong with a configuration, in words: the value given and what may stand there, and what contradicts another key.

What this machine allows is looked at in `startcheck`. `wanted` reads the types of the configuration itself, so that no list of allowed values is kept twice.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
import zoneinfo
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import inspect

from marker_hardware import wire as contract
from marker_hub.config import BrokerKind, BrokerSection, Config, ConfigError, TableSection, parse_url, refusal
from marker_rules.balls import GameId
from marker_rules.errors import IllegalInput, shown
from marker_rules.options import Options

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+|\.\.\.)\]")
Refuse: TypeAlias = Callable[[str, object, str], ConfigError]
"""Makes the error of a key, its value and the remedy."""
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*", re.IGNORECASE)


def given(raw: bytes, place: str) -> str:
    """The value at a place as `table[0].quality[...]` of a TOML text, as a suffix for the key; empty where it cannot be told."""
    value: Any = tomllib.loads(raw.decode())
    for name, index in _STEP.findall(place):
        if index == "...":
            return ""
        try:
            value = value[name] if name else value[int(index)]
        except (KeyError, IndexError, TypeError):
            return ""
    return "" if isinstance(value, (dict, list)) else f" = {shown(value)}"


def wanted(place: str) -> str:
    """What may stand at a place of the configuration, for people; empty where the place is not known."""
    kind: inspect.Type = inspect.type_info(Config)
    for name, index in _STEP.findall(place):
        found = _inside(kind.type if isinstance(kind, inspect.Metadata) else kind, name, index)
        if found is None:
            return ""
        kind = found
    return _words(kind)


def _inside(kind: inspect.Type, name: str, index: str) -> inspect.Type | None:
    if isinstance(kind, inspect.StructType) and name:
        return next((field.type for field in kind.fields if field.encode_name == name), None)
    if isinstance(kind, inspect.VarTupleType) and index:
        return kind.item_type
    if isinstance(kind, inspect.DictType):
        return kind.value_type
    return None


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata():
            return str((kind.extra_json_schema or {}).get("description", "")) or _words(kind.type)
        case inspect.LiteralType():
            return "one of " + ", ".join(repr(value) for value in kind.values)
        case inspect.EnumType():
            return "one of " + ", ".join(repr(member.value) for member in kind.cls)
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            limits = f" from {kind.ge} to {kind.le}" if kind.ge is not None and kind.le is not None else ""
            return f"a whole number{limits}"
        case inspect.StrType():
            return f"text of the form {kind.pattern}" if kind.pattern else "text"
        case inspect.VarTupleType():
            most = f" of at most {kind.max_length}" if kind.max_length else ""
            return f"a list{most}, each {_words(kind.item_type)}"
        case inspect.DictType() | inspect.StructType():
            return "a section"
    return ""


def verify(config: Config, where: str) -> None:
    """Checks between keys. where: the file, for the message. Raises ConfigError naming the key."""

    def refuse(key: str, value: object, remedy: str) -> ConfigError:
        return refusal(where, key, value, remedy)

    for index, table in enumerate(config.table):
        _verify_table(table, f"table[{index}]", refuse)
    _verify_tables(config.table, refuse)
    check_zone(config.web.zone, lambda remedy: refuse("web.zone", config.web.zone, remedy))
    _verify_broker(config.broker, where, refuse)
    _addresses(config, where)


def check_zone(zone: str, refuse: Callable[[str], Exception]) -> None:
    """Raises what `refuse` makes of a remedy where there is no such time zone."""
    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:  # OSError: the name of a folder of zones
        raise refuse("give an IANA time zone as Europe/Rome") from error


def _verify_table(table: TableSection, place: str, refuse: Refuse) -> None:
    if table.id in ("hub", "view"):
        raise refuse(f"{place}.id", table.id, "this name is a broker user of the hub; choose another id")
    if table.game and (table.profile == "carom5") != (table.game == "five-pins"):
        raise refuse(f"{place}.game", table.game, f"this game is not played on the profile '{table.profile}'")
    if table.lull_ms >= table.quiet_ms:
        raise refuse(
            f"{place}.lull_ms",
            table.lull_ms,
            f"the balls are asked about before the shot is over: give less than quiet_ms, which is {table.quiet_ms}",
        )
    _verify_channels(table, place, refuse)
    _verify_game(table, place, refuse)


def _verify_tables(tables: tuple[TableSection, ...], refuse: Refuse) -> None:
    """What belongs to one table only: its id, its node, its cable."""
    for key, remedy in (
        ("id", "two tables have this id; every table needs its own"),
        ("node", "two tables name this node; a node belongs to one table"),
        ("usb", "two tables name this USB serial number; a cable leads to one table"),
    ):
        values = [getattr(table, key) for table in tables]
        twice = {value for value, times in Counter(values).items() if value and times > 1}
        for index in reversed(range(len(values))):
            if values[index] in twice:
                raise refuse(f"table[{index}].{key}", values[index], remedy)


def _verify_channels(table: TableSection, place: str, refuse: Refuse) -> None:
    names = {entry.name for entry in contract.channels(table.profile).values()}
    for channel in table.quality:
        if channel not in names:
            raise refuse(
                f"{place}.quality.{channel}",
                table.quality[channel],
                f"no such channel; there are {', '.join(sorted(names))}",
            )


def _verify_game(table: TableSection, place: str, refuse: Refuse) -> None:
    if not table.game:
        if table.preset or table.options:
            key = "preset" if table.preset else "options"
            raise refuse(f"{place}.{key}", table.preset or table.options, "name the game too")
        return
    try:
        Options(GameId(table.game), table.options, table.preset)
    except IllegalInput as error:
        named = (name for name in table.options if name == error.code or f"'{name}'" in str(error))
        name = next(named, "")
        key = f"{place}.options.{name}" if name else f"{place}.preset"
        raise refuse(key, table.options.get(name, table.preset), str(error)) from error


def _verify_broker(broker: BrokerSection, where: str, refuse: Refuse) -> None:
    if broker.kind is BrokerKind.EXTERNAL and not broker.url:
        raise refuse("broker.url", "", "an external broker needs its address, as mqtt://10.0.0.5:1883")
    if not broker.url:
        return
    if broker.kind not in (BrokerKind.EXTERNAL, BrokerKind.AUTO):
        raise refuse(
            "broker.kind",
            broker.kind.value,
            f"broker.url = {shown(broker.url)} is the address of an external broker; leave one of the two out",
        )
    parse_url(broker.url, f"{where}: broker.url")


def _addresses(config: Config, where: str) -> None:
    """Addresses, names and ports that no machine could use. Raises ConfigError naming the key."""
    web, broker = config.web, config.broker
    for key, listen in (("web.listen", web.listen), ("broker.listen", broker.listen)):
        if not _is_address(listen):
            raise refusal(
                where, key, listen, "give an address of this machine, 127.0.0.1 for itself only, or 0.0.0.0 for all"
            )
    if broker.port and broker.port == web.port and not broker.url:
        raise refusal(where, "broker.port", broker.port, "web.port is the same; give each its own")
    for index, name in enumerate(web.hosts):
        if not _HOST.fullmatch(name):
            raise refusal(
                where, f"web.hosts[{index}]", name, "give the bare name, as marker.local, without http:// or port"
            )
    for index, proxy in enumerate(web.proxies):
        if not _is_network(proxy):
            raise refusal(
                where, f"web.proxies[{index}]", proxy, "give the address of the proxy, or a network as 10.0.0.0/24"
            )


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return text == "localhost"
    return True


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


__all__ = ["ConfigError", "given", "verify", "wanted"]
