"""Texts of the files made for the node and of the host's typed codes, from the hardware data."""

from collections.abc import Mapping
from typing import Any

from marker_hardware.pinmap import PinMap, channel_numbers
from marker_hardware.sensors import Sensors

WIDTH = 120
# Unit at the end of a name -> unit on the device and the factor between them. The device computes with integers only.
_UNITS = {
    "ms": ("us", 1000),
    "s": ("ms", 1000),
    "v": ("mv", 1000),
    "mps": ("mm_s", 1000),
    "pct_per_c": ("ppm_per_c", 10000),
}
# Ratios without a unit travel to the device in permille, whether today's value happens to be whole or not.
_RATIOS = {
    "echo_ratio",
    "keep_ratio",
    "max_ratio",
    "margin_new",
    "margin_clean",
    "standing_d",
    "slid_c",
    "fallen_c",
    "sigma_max",
}


def board_pins(pins: PinMap) -> str:
    """Net constants, piezo channels, shift chain and profiles for the node."""
    lines = _header("pinmap.toml")
    lines += [f'BOARD = "{pins.board}"', f'REVISION = "{pins.revision}"']
    lines += [f"{pin.net} = {pin.gpio}" for pin in pins.pin]
    lines.append("# name, gpio, MCP3008 channel")
    lines += _tuple("PIEZO", [(p.net.removesuffix("_HIT"), p.gpio, p.adc_ch) for p in pins.piezo()])
    lines += _tuple("SHIFT_BITS", pins.shift.bits)
    lines.append(f"SHIFT_IDLE = 0x{int(pins.shift.idle[::-1], 2):04X}")
    lines.append(f"SHIFT_POLL_HZ = {pins.shift.poll_hz}")
    lines.append("# profile -> click fitted, pins, gates used, piezo inputs used with their position")
    lines.append("PROFILES = {")
    for name, profile in pins.profile.items():
        lines.append(f'    "{name.value}": (')
        lines += [f"        {_value(v)}," for v in (profile.click, profile.pins, tuple(profile.pockets))]
        lines += _indented_tuple([(k, v) for k, v in profile.piezo.items()], 8)
        lines.append("    ),")
    lines.append("}")
    return "\n".join(lines) + "\n"


# Limits for the technician's tool and the guides; on the node every name costs memory.
_TECHNICIAN = (
    "RAMP_",
    "COMMISSION_",
    "PIN_MAGNET_",
    "PIN_CAL_EMPTY",
    "PIN_CAL_PLACED",
    "PIN_CAL_SLID",
    "PIN_CAL_FALLEN",
)
# Topics of others that the node neither sends nor hears
_NOT_THE_NODES = ("btn", "score", "shot")


def defaults(calibration: Mapping[str, Any], sensors: Sensors) -> str:
    """Thresholds and times as integers: _us, _ms, _mv, permille, as the names say."""
    lines = _header("calibration.toml and sensors.toml")
    for name, value in device_constants(calibration).items():
        if name.startswith(_TECHNICIAN):
            continue
        lines.append(f"{name} = {_value(value)}")
    for kind, sensor in sensors.sensor.items():
        lines.append(f"UNC_US_{kind.value.upper()} = {sensor.unc_us}")
    return "\n".join(lines) + "\n"


def device_constants(calibration: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[str, int | tuple[int, ...]]:
    """Name on the device -> integer value of every calibration number, e.g. piezo.adc.hold_tau_ms -> PIEZO_ADC_HOLD_TAU_US."""
    found: dict[str, int | tuple[int, ...]] = {}
    for key, value in calibration.items():
        if key == "schema":
            continue
        if isinstance(value, Mapping):
            found |= device_constants(value, (*path, key))
        else:
            name, factor = device_name((*path, key))
            found[name] = tuple(round(v * factor) for v in value) if isinstance(value, list) else round(value * factor)
    return found


def device_name(path: tuple[str, ...]) -> tuple[str, int]:
    """Constant on the device for a calibration value, and the factor to its integer unit."""
    key = path[-1]
    parts = list(path)
    if len(path) > 1 and path[-2] == "times_ms":
        return "_".join([*path[:-2], key, "us"]).upper(), 1000
    if path == ("power", "v5"):
        return "POWER_V5_MV", 1000
    if key in _RATIOS:
        return "_".join([*path, "permille"]).upper(), 1000
    for unit, (device_unit, factor) in sorted(_UNITS.items(), key=lambda item: -len(item[0])):
        if (key == unit or key.endswith(f"_{unit}")) and not key.endswith("_per_s"):
            parts[-1] = key[: -len(unit)] + device_unit
            return "_".join(parts).upper(), factor
    return "_".join(path).upper(), 1


def wire_codes(wire: Mapping[str, Any], pins: PinMap) -> str:
    """Topics, channel numbers, record kinds, codes and flags for the node."""
    lines = _header("wire.toml and pinmap.toml")
    lines += [
        f'PREFIX = "{wire["prefix"]}"',
        f"RECORDS_MAX = {wire['records_max']}",
        f"PAYLOAD_MAX = {wire['payload_max']}",
    ]
    for name, topic in wire["topics"].items():
        if name in _NOT_THE_NODES:
            continue
        lines.append(f"TOPIC_{name.upper()} = ({_value(topic['suffix'])}, {topic['qos']}, {_value(topic['retain'])})")
    lines.append("# logical channel numbers")
    lines += [f"CH_{name.upper()} = {number}" for name, number in wire["channels"].items()]
    lines.append("CHANNELS = {")
    lines += [f'    "{name}": {number},' for name, number in channel_numbers(wire["channels"], pins).items()]
    lines.append("}")
    lines += [f"KIND_{name.upper()} = {kind['code']}" for name, kind in wire["kinds"].items()]
    lines += [f"FLAG_{name.upper()} = {1 << bit}" for name, bit in wire["flags"].items()]
    for section, prefix in _ENUMS.values():
        lines += [f"{prefix}_{name.upper()} = {code}" for name, code in wire[section].items()]
    return "\n".join(lines) + "\n"


# class on the host -> section of wire.toml, prefix on the device
_ENUMS = {
    "PinState": ("pin_states", "PIN"),
    "Latch": ("latch", "LATCH"),
    "Quality": ("qualities", "QUALITY"),
    "Mode": ("modes", "MODE"),
    "LossCause": ("loss_causes", "LOSS"),
    "ErrorCode": ("errors", "ERR"),
}
_ENUM_DOCS = {
    "PinState": "State of a skittle, value of a `state` record.",
    "Latch": "Whether a skittle's base left the cloth, value of a `lost` record.",
    "Quality": "Health of a channel, value of a `quality` record.",
    "Mode": "Mode of the node, value of a `mode` record.",
    "LossCause": "Why records or edges are missing, aux of a `loss` record.",
    "ErrorCode": "Result of a command, in its acknowledgement.",
}


def host_codes(wire: Mapping[str, Any], sensors: Sensors) -> str:
    """The same codes as enums for host code and the type checker."""
    lines = [
        '"""Codes of the wire contract as enums. Generated by hardware/generate.py from hardware/*.toml; do not edit."""'
    ]
    lines += ["", "from enum import IntEnum, IntFlag, StrEnum"]
    members = {name: kind["code"] for name, kind in wire["kinds"].items()}
    lines += _enum("Kind", "IntEnum", "Kind of a record.", members)
    lines += _enum(
        "Flag", "IntFlag", "Bits in the low byte of a record's aux.", {n: 1 << b for n, b in wire["flags"].items()}
    )
    for name, (section, _) in _ENUMS.items():
        lines += _enum(name, "IntEnum", _ENUM_DOCS[name], wire[section])
    suffixes = {name: f'"{topic["suffix"]}"' for name, topic in wire["topics"].items()}
    lines += _enum("Topic", "StrEnum", "Suffix of a topic; the full topic is <prefix>/<table>/<suffix>.", suffixes)
    health = {code.replace(".", "_"): f'"{code}"' for code in sensors.causes()}
    lines += _enum(
        "HealthCode", "StrEnum", "Fault of a channel or of the node; causes in hardware/sensors.toml.", health
    )
    return "\n".join(lines) + "\n"


def _enum(name: str, base: str, doc: str, members: Mapping[str, object]) -> list[str]:
    body = [f"    {member.upper()} = {value}" for member, value in members.items()]
    return ["", "", f"class {name}({base}):", f'    """{doc}"""', "", *body]


def _header(source: str) -> list[str]:
    return [f"# Generated by hardware/generate.py from hardware/{source}; do not edit."]


def _value(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        inner = ", ".join(_value(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def _tuple(name: str, items: Mapping[str, object] | list[tuple[object, ...]] | tuple[object, ...]) -> list[str]:
    line = f"{name} = {_value(tuple(items))}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{name} = (", *[f"    {_value(item)}," for item in items], ")"]


def _indented_tuple(items: list[tuple[object, ...]], indent: int) -> list[str]:
    pad = " " * indent
    line = f"{pad}{_value(tuple(items))},"
    if len(line) <= WIDTH:
        return [line]
    return [f"{pad}(", *[f"{pad}    {_value(item)}," for item in items], f"{pad}),"]
