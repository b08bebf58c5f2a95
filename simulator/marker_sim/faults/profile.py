"""Fault profiles: reading and checking `faults/*.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any

from marker_sim.textfile import UnreadableText, text_of

LARGEST = 1 << 20  # bytes of a profile
MOST = 10_000  # of any number in it
LATEST_MS = 600_000  # after a strike
Value = float | int | str | bool


class FaultError(ValueError):
    """A profile that cannot be used: names file, entry, key and what is allowed."""


class Stage(StrEnum):
    """Where a fault acts."""

    SIGNAL = "signal"  # before the node's detection
    TRANSPORT = "transport"  # between node and broker
    PAYLOAD = "payload"  # messages that no node should send
    PROCESS = "process"  # node, broker and hub as processes


class Kind(StrEnum):
    """The faults there are."""

    BOUNCE = "bounce"
    CHATTER = "chatter"
    STUCK = "stuck"
    DEAD = "dead"
    CROSSTALK = "crosstalk"
    MISS = "miss"
    PHANTOM = "phantom"
    SWAP = "swap"
    DRIFT = "drift"
    DUPLICATE = "duplicate"
    LATE = "late"
    LOST = "lost"
    REORDER = "reorder"
    MALFORMED = "malformed"
    ASYMMETRY = "asymmetry"
    WIFI_LOSS = "wifi_loss"
    REFUSED_JOIN = "refused_join"
    HALF_OPEN = "half_open"
    WRONG_CONNACK = "wrong_connack"
    REBOOT = "reboot"
    POWER_CUT = "power_cut"
    HUB_KILL = "hub_kill"
    BROKER_RESTART = "broker_restart"
    BROKER_STOP = "broker_stop"


# What each kind takes, with its defaults. rate: share of items (hits, publishes); times: how often in a unit.
PARAMETERS: dict[Kind, dict[str, Value]] = {
    Kind.BOUNCE: {"rate": 0.01, "edges": 4, "min_ms": 0.3, "max_ms": 6.0},
    Kind.CHATTER: {"times": 1, "channel": "CLICK", "edges_per_s": 500.0},
    Kind.STUCK: {"times": 1, "channel": "C"},
    Kind.DEAD: {"times": 1, "channel": "C"},
    Kind.CROSSTALK: {"rate": 0.1, "min_ratio": 0.05, "max_ratio": 0.25},
    Kind.MISS: {"rate": 0.02},
    Kind.PHANTOM: {"per_hour": 1.0},
    Kind.SWAP: {"a": "PZ1", "b": "PZ2"},
    Kind.DRIFT: {"ppm": 50.0, "step_ms": 0.0},
    Kind.DUPLICATE: {"rate": 0.01, "dup": True},
    Kind.LATE: {"rate": 0.01, "min_s": 0.1, "max_s": 10.0},
    Kind.LOST: {"rate": 0.005, "before": 0.5},
    Kind.REORDER: {"rate": 0.01, "window": 8},
    Kind.MALFORMED: {"rate": 0.01},
    Kind.ASYMMETRY: {"up_ms": 40.0, "down_ms": 0.0},
    Kind.WIFI_LOSS: {"times": 1, "min_s": 0.1, "max_s": 2.0},
    Kind.REFUSED_JOIN: {"times": 1, "min_s": 0.1, "max_s": 2.0},
    Kind.HALF_OPEN: {"times": 1},
    Kind.WRONG_CONNACK: {"times": 1, "tries": 3},
    Kind.REBOOT: {"times": 1},
    Kind.POWER_CUT: {"times": 1},
    Kind.HUB_KILL: {"times": 1},
    Kind.BROKER_RESTART: {"times": 1},
    Kind.BROKER_STOP: {"times": 1, "stop_s": 1.0},
}
STAGES: dict[Kind, Stage] = {
    **dict.fromkeys(
        (
            Kind.BOUNCE,
            Kind.CHATTER,
            Kind.STUCK,
            Kind.DEAD,
            Kind.CROSSTALK,
            Kind.MISS,
            Kind.PHANTOM,
            Kind.SWAP,
            Kind.DRIFT,
        ),
        Stage.SIGNAL,
    ),
    **dict.fromkeys((Kind.DUPLICATE, Kind.LATE, Kind.LOST, Kind.REORDER, Kind.ASYMMETRY), Stage.TRANSPORT),
    Kind.MALFORMED: Stage.PAYLOAD,
    **dict.fromkeys(
        (
            Kind.WIFI_LOSS,
            Kind.REFUSED_JOIN,
            Kind.HALF_OPEN,
            Kind.WRONG_CONNACK,
            Kind.REBOOT,
            Kind.POWER_CUT,
            Kind.HUB_KILL,
            Kind.BROKER_RESTART,
            Kind.BROKER_STOP,
        ),
        Stage.PROCESS,
    ),
}
NETWORK = frozenset({Kind.WIFI_LOSS, Kind.REFUSED_JOIN, Kind.HALF_OPEN, Kind.WRONG_CONNACK})
"""What happens to the connection of a node; done by the proxy between it and its broker."""
_SHARES = ("rate", "before", "min_ratio", "max_ratio")


@dataclass(frozen=True, slots=True)
class Spec:
    """One fault of a profile; `params` holds every parameter of its kind."""

    kind: Kind
    params: tuple[tuple[str, Value], ...]

    @property
    def stage(self) -> Stage:
        """Where it acts."""
        return STAGES[self.kind]

    def number(self, name: str) -> float:
        """A numeric parameter."""
        return float(dict(self.params)[name])

    def text(self, name: str) -> str:
        """A parameter that is a name."""
        return str(dict(self.params)[name])

    @staticmethod
    def of(kind: Kind | str, **params: Value) -> Spec:
        """A fault with its defaults, changed by `params`. Raises FaultError."""
        return _spec({"kind": str(kind), **params}, "fault")


@dataclass(frozen=True, slots=True)
class Planned:
    """Something done by hand at a moment: in shot `at_shot`, `do` a process fault.

    `at_ms`: table time after the strike; None: in the middle of what the sensors feel of the shot.
    """

    at_shot: int
    do: Kind
    at_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """Faults in the order in which they act, and what is done at given shots."""

    name: str
    faults: tuple[Spec, ...] = ()
    schedule: tuple[Planned, ...] = ()

    def stage(self, stage: Stage) -> tuple[tuple[int, Spec], ...]:
        """The faults of one stage with their places in the profile."""
        return tuple((at, spec) for at, spec in enumerate(self.faults) if spec.stage is stage)


def names() -> list[str]:
    """The profiles that come with the package."""
    folder = resources.files("marker_sim.faults")
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


def load(name: str) -> Profile:
    """A profile by its name, or from a file where `name` ends with .toml; empty for none. Raises FaultError."""
    if not name:
        return Profile("")
    if name.endswith(".toml"):
        path: Any = Path(name)
    elif name in names():
        path = resources.files("marker_sim.faults") / f"{name}.toml"
    else:
        raise FaultError(f"fault profile '{name}' is not known; there are {', '.join(names())}, or give a .toml file")
    try:
        text = text_of(path, LARGEST) if isinstance(path, Path) else path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except UnreadableText as problem:
        raise FaultError(f"{path}: {problem}; give a profile that can be read") from problem
    except (ValueError, RecursionError) as problem:
        raise FaultError(f"{path}: {problem}; correct the TOML syntax") from problem
    return read(raw, name)


def read(raw: Mapping[str, Any], name: str) -> Profile:
    """A profile from plain data. Raises FaultError."""
    for key in raw:
        if key not in ("fault", "schedule"):
            raise FaultError(f"{name}: key '{key}' is not known; there are fault, schedule")
    for key in raw:
        if not isinstance(raw[key], list) or not all(isinstance(entry, dict) for entry in raw[key]):
            raise FaultError(f"{name}: {key} = {str(raw[key])[:40]}; write each as a table, [[{key}]]")
    faults = tuple(_spec(entry, f"{name}: fault {at}") for at, entry in enumerate(raw.get("fault", ()), 1))
    planned = tuple(_planned(entry, f"{name}: schedule {at}") for at, entry in enumerate(raw.get("schedule", ()), 1))
    return Profile(name, faults, planned)


def _spec(entry: Mapping[str, Any], where: str) -> Spec:
    given = dict(entry)
    kind = _kind(given.pop("kind", None), where)
    allowed = PARAMETERS[kind]
    for key, value in given.items():
        if key not in allowed:
            raise FaultError(f"{where} ({kind}): key '{key}' is not known; there are {', '.join(allowed)}")
        _check(key, value, allowed[key], f"{where} ({kind})")
    return Spec(kind, tuple({**allowed, **given}.items()))


def _kind(word: Any, where: str) -> Kind:
    try:
        return Kind(str(word))
    except ValueError:
        raise FaultError(f"{where}: kind '{word}' is not known; there are {', '.join(Kind)}") from None


def _check(key: str, value: object, default: Value, where: str) -> None:
    from marker_hardware import wire

    if isinstance(default, bool) or isinstance(value, bool):
        good = isinstance(default, bool) and isinstance(value, bool)
    elif isinstance(default, str):
        good = isinstance(value, str)
        if good and key in ("channel", "a", "b"):
            try:
                wire.channel_number(str(value))
            except KeyError:
                raise FaultError(f"{where}: {key} '{value}' is no channel") from None
    else:
        good = isinstance(value, int | float) and (-MOST if key == "ppm" else 0) <= value <= MOST
        if good and key in _SHARES:
            good = isinstance(value, int | float) and value <= 1
    if not good:
        like = "a share from 0 to 1" if key in _SHARES else f"a value like {default!r}"
        raise FaultError(f"{where}: {key} = {value!r}; give {like}")


def _planned(entry: Mapping[str, Any], where: str) -> Planned:
    for key in entry:
        if key not in ("at_shot", "at_ms", "do"):
            raise FaultError(f"{where}: key '{key}' is not known; there are at_shot, at_ms, do")
    do = _kind(entry.get("do"), where)
    if STAGES[do] is not Stage.PROCESS:
        allowed = ", ".join(kind for kind, stage in STAGES.items() if stage is Stage.PROCESS)
        raise FaultError(f"{where}: do '{do}' cannot be done at a moment; there are {allowed}")
    shot = entry.get("at_shot")
    if not isinstance(shot, int) or isinstance(shot, bool) or shot < 1:
        raise FaultError(f"{where}: at_shot = {shot!r}; give the number of a shot from 1")
    ms = entry.get("at_ms")
    if ms is not None and (not isinstance(ms, int | float) or isinstance(ms, bool) or not 0 <= ms <= LATEST_MS):
        raise FaultError(f"{where}: at_ms = {ms!r}; give 0 to {LATEST_MS}, ms after the strike, or leave it out")
    return Planned(shot, do, ms)
