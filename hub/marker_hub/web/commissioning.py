"""Judges the technician's 20 trials of a sensor as the hardware data define it; the page only counts and shows."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hardware.commissioning import GateTrial, accept, accept_gate


class Trial(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One hit or ball: heard by the sensor or missed (as the technician says), with what was measured. volts 0..3.3, pulse in ms."""

    heard: bool
    volts: float | None = None
    pulse_ms: float | None = None
    unsure: bool = False
    foreign: int = 0
    drops: int = 1


class Trials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Body of POST /api/tables/{table}/commissioning."""

    channel: str
    gate: bool
    trials: list[Trial]

    def __post_init__(self) -> None:
        """At most 200 trials, a name that is not empty."""
        if not self.channel or len(self.channel) > 16 or len(self.trials) > 200:
            raise ValueError("channel of 1 to 16 characters and at most 200 trials")


def judge(body: Trials) -> dict[str, Any]:
    """The verdict with counts, reasons and, for a gate, the histogram of pulse widths."""
    if body.gate:
        gates = [
            GateTrial(
                drops=trial.drops if trial.heard else 0,
                unsure=trial.unsure,
                block_ms=trial.pulse_ms if trial.heard else None,
                foreign=trial.foreign,
            )
            for trial in body.trials
        ]
        verdict = accept_gate(body.channel, gates)
    else:
        verdict = accept(body.channel, [_failure(trial) for trial in body.trials])
    made: dict[str, Any] = msgspec.to_builtins(verdict)
    return made


def _failure(trial: Trial) -> str | None:
    if not trial.heard:
        return "not heard"
    return "another sensor answered too" if trial.foreign else None
