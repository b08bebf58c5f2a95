"""The node's own detection under CPython: inputs go in, records come out of the firmware's state machines.

Does with the pure machines of `tablefw` what the node's main loop does with them, so detection is written once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from marker_hardware.wire import Mode
from marker_sim.sensors.inputs import SHIFT_FIRST, UNREAD, Edge, Hold, Input, Scan
from marker_sim.sinks.frames import START_US
from tablefw import wire_codes as codes
from tablefw.clock import Extender
from tablefw.modes import Modes
from tablefw.outbox import Outbox
from tablefw.sensors import Sensors

TICKS = (1 << 30) - 1
PERIOD_US = 10_000
READING_US = 300  # the peak is read so long after the edge
KEPT = 1024  # records of the node's ring


class Record(NamedTuple):
    """One record: its number, device time (us), channel, kind, value and flags as in hardware/wire.toml."""

    seq: int
    t: int
    ch: int
    kind: int
    v: int
    aux: int


class Detector:
    """Machines and ring of one node. `origin_us`: device time of the inputs' time 0; `boot`: of its records."""

    def __init__(
        self, profile: str, *, origin_us: int = START_US, boot: int = 1, calibration: dict[str, Any] | None = None
    ) -> None:
        self.origin_us = origin_us
        self.boot = boot
        self.outbox: Any = Outbox(KEPT)
        self.sensors: Any = Sensors(profile, self._emit, calibration)
        self.modes: Any = Modes()
        self.modes.on_change = self._mode_changed
        self._clock: Any = Extender(START_US)
        self.modes.set(Mode.IDLE)

    @property
    def now_us(self) -> int:
        """Newest device time seen."""
        return int(self._clock.now)

    def _emit(self, t: int, ch: int, kind: int, v: int, aux: int) -> None:
        self.outbox.push(t, ch, kind, v, aux)

    def _mode_changed(self, mode: int, shot: int) -> None:
        self.outbox.push(self.now_us, codes.CH_NODE, codes.KIND_MODE, mode, shot & 0xFFFF)
        if mode == Mode.IDLE:
            self.sensors.disarm()

    def arm(self, shot: int, layout: Iterable[str]) -> None:
        """Expect shot number `shot` with pins standing on `layout`: clear the latches."""
        self.sensors.tick(self.now_us)
        self.modes.arm(shot)
        self.sensors.arm(set(layout))

    def feed(self, inputs: Iterable[Input]) -> None:
        """Let the inputs happen, in the order given."""
        for item in inputs:
            match item:
                case Edge(t_us, ch, level, aux):
                    self._edge(t_us, ch, level, aux)
                case Scan(t_us, values, answered):
                    at = self._reach(t_us)
                    self.sensors.field(at, answered, values)
                    self.sensors.tick(at)
                case Hold(t_us, n, frozen):
                    self.sensors.hold(self._reach(t_us), n, frozen)
                    self.sensors.tick(self._extend(t_us + PERIOD_US * max(0, n - 1)))

    def until(self, t_us: int) -> None:
        """Nothing before play time `t_us` is still to come."""
        self.sensors.tick(self._reach(t_us))

    def _extend(self, t_us: int) -> int:
        return int(self._clock.extend((self.origin_us + t_us) & TICKS))

    def _reach(self, t_us: int) -> int:
        """Device time of a moment of play; what is due before it happens first."""
        at = self._extend(t_us)
        due = self.sensors.due()
        if due is not None and due < at:
            self.sensors.tick(at)
        return at

    def _edge(self, t_us: int, ch: int, level: int, aux: int) -> None:
        at = self._reach(t_us)
        shift = ch >= SHIFT_FIRST
        self.sensors.edge(at, ch, level, shift and bool(aux))
        self.sensors.tick(at)
        if not shift and level and aux != UNREAD:
            read = self._reach(t_us + READING_US)
            self.sensors.reading(read, ch, aux)
            self.sensors.tick(read)

    def records(self, first: int, end: int | None = None) -> list[Record]:
        """The records from number `first` up to `end` (None: all there are) that are still kept."""
        last = self.outbox.head if end is None else end
        return [Record(seq, *self.outbox.get(seq)) for seq in range(max(first, self.outbox.floor), last)]
