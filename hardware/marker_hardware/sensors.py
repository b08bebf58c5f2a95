"""Sensor types: part, stamp uncertainty, healthy quality, fault codes. Source: hardware/sensors.toml."""

from enum import StrEnum
from functools import cache
from typing import Literal

import msgspec

from marker_hardware import data


class SensorKind(StrEnum):
    """Types of sensors; the value is the key in sensors.toml."""

    PIN = "pin"
    RAIL = "rail"
    CLICK = "click"
    GATE = "gate"
    BUTTON = "button"


class SensorType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One type. ma: rail -> mA of the full set; rate_hz 0 = event driven; unc_us: one-sided stamp uncertainty in us."""

    what: str
    part: str
    alt: str
    interface: str
    ma: dict[str, float]
    range: str
    rate_hz: int
    unc_us: int
    quality: Literal["ok", "hint"]
    states: tuple[str, ...]
    health_prefix: str
    health: dict[Literal["noisy", "stuck", "absent"], str]
    addr: int | None = None


class Node(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The node's own fault codes (without the prefix `node.`), their causes, and the field of its report that shows each."""

    what: str
    report: dict[str, str]
    health: dict[str, str]


class Sensors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole file. load: other consumers, name -> rail -> mA."""

    schema: Literal[1]
    sensor: dict[SensorKind, SensorType]
    node: Node
    load: dict[str, dict[str, float]]

    def causes(self) -> dict[str, str]:
        """Every health code (`piezo.absent`, `node.link`, ...) with the cause as the fault guide words it."""
        found = {
            f"{kind.health_prefix}.{key}": text for kind in self.sensor.values() for key, text in kind.health.items()
        }
        return found | {f"node.{key}": text for key, text in self.node.health.items()}

    def cause(self, kind: SensorKind, state: str) -> str:
        """Why a channel of this kind is `noisy`, `stuck` or `absent`; empty for `ok` and for a state the kind does not have."""
        return next((text for key, text in self.sensor[kind].health.items() if key == state), "")

    def total_ma(self, rail: str) -> float:
        """Sum of the loads on a rail ("3V3" or "5V") in mA."""
        sensors = sum(kind.ma.get(rail, 0.0) for kind in self.sensor.values())
        return sensors + sum(loads.get(rail, 0.0) for loads in self.load.values())


@cache
def load() -> Sensors:
    """Read the shipped sensor types. Raises HardwareDataError naming file, key and value."""
    return data.load(Sensors, "hardware", "sensors.toml")
