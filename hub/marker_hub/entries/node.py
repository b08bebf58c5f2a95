"""Bodies from the node, and from the hub process itself."""

from __future__ import annotations

import msgspec

from marker_hub.entries.base import Base


class Obs(Base, frozen=True, tag="obs"):
    """One record of the node; codes as in hardware/wire.toml. Identity and device time are in the envelope."""

    ch: int
    kind: int
    v: int
    aux: int = 0


class Birth(Base, frozen=True, tag="birth"):
    """The node came (back): a snapshot, which never scores. `channels`: channel number -> quality code; `unc_us` likewise."""

    boot: int
    uid: str = ""
    epoch: int = 0
    profile: str = ""
    fw: str = ""
    reset: str = ""
    mode: int = 0
    floor: int = 0
    tail: int = 0
    head: int = 0
    channels: dict[int, int] = msgspec.field(default_factory=dict)
    unc_us: dict[int, int] = msgspec.field(default_factory=dict)
    retained: bool = False


class Offline(Base, frozen=True, tag="offline"):
    """The node's last will, or its silence noticed by the hub."""

    boot: int = 0


class Health(Base, frozen=True, tag="health"):
    """Health report: qualities by channel number, the node's head (next sequence number)."""

    boot: int
    head: int = 0
    channels: dict[int, int] = msgspec.field(default_factory=dict)
    flags: tuple[str, ...] = ()


class Head(Base, frozen=True, tag="head"):
    """A command was acknowledged: `head` is the next sequence number of `boot`; `cmd` the id of the command, `code` its result."""

    boot: int
    head: int
    cmd: str = ""
    code: int = 0


class Loss(Base, frozen=True, tag="loss"):
    """Records or edges lost, noticed by the hub outside the record stream."""

    boot: int
    count: int
    cause: int = 0


class Missing(Base, frozen=True, tag="missing", rename={"first": "from", "last": "to"}):
    """Records first..last (both included) of `boot` will never come: answered `gap`, or three replay requests in vain."""

    boot: int
    first: int
    last: int


class ClockPair(Base, frozen=True, tag="clock"):
    """At device time t_dev the hub's monotonic clock read t_dev + off; rtt bounds the error (all us)."""

    boot: int
    t_dev: int
    off: int
    rtt: int = 0


class HubStarted(Base, frozen=True, tag="hub_started"):
    """The hub process started: monotonic time begins anew, running clocks come back paused."""

    version: str = ""


class TimerExpired(Base, frozen=True, tag="timer"):
    """The deadline `name` (see `table.deadline`) passed."""

    name: str


class Fault(Base, frozen=True, tag="fault"):
    """Stepping entry `at` raised; the old state was kept and the referee is needed."""

    text: str
    at: int = 0
