"""Start values of thresholds, times and limits, with the units in the names. Source: hardware/calibration.toml."""

from functools import cache
from typing import Literal

import msgspec

from marker_hardware import data


class Vth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Threshold = clamp(gain * p99.9 of the noise + add_mv, floor_mv, max_mv)."""

    floor_mv: int
    max_mv: int
    gain: float
    add_mv: int
    quiet_s: float
    rate_hz: int
    readback_mv: int


class Adc(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Amplitude reading: window after the edge, droop time constant, clip level, second reading."""

    after_ms: tuple[float, float]
    hold_tau_ms: float
    clip_mv: int
    reread_ms: float
    rise_pct: float


class Mask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Echo mask with decaying threshold, and the slack of the merged-pulse test."""

    ms: float
    max_ms: float
    echo_ratio: float
    merge_slack_ms: float


class Xtalk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cross-talk between rails; stamps closer than order_ms have no order."""

    window_ms: float
    keep_ratio: float
    max_ratio: float
    order_ms: float


class PiezoFault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a piezo channel counts as stuck or noisy."""

    high_ms: float
    false_per_min: float


class PiezoTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Windows of the self-test step, in volts of the held peak."""

    ok_v: tuple[float, float]
    open_v: float
    short_v: float
    peak_ms: float
    quiet_ms: float
    blank_ms: float


class Piezo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about the piezo channels."""

    vth: Vth
    adc: Adc
    mask: Mask
    xtalk: Xtalk
    fault: PiezoFault
    test: PiezoTest


class GateTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Milliseconds: debounce of a beam, legal block, A to B, longest unsure block, self-test."""

    debounce: float
    block: tuple[float, float]
    order: float
    unsure_max: float
    selftest: float


class Beam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Beam pair: distance A to B, chatter limit, light margins, dimming frequency."""

    gap_mm: float
    chatter_per_s: int
    margin_new: float
    margin_clean: float
    pwm_khz: float


class Gate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about the pocket gates."""

    times_ms: GateTimes
    beam: Beam


class PinRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Classifier of the pin field: relative change d, distance to the curve c, times and counts."""

    standing_d: float
    slid_c: float
    fallen_c: float
    stable_ms: float
    poll_hz: int
    lost_samples: int


class PinCal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Samples of the pin calibration and its pass limits."""

    empty: int
    placed: int
    slid_mm: float
    slid_dirs: int
    fallen: int
    sigma_max: float
    same_vectors: int


class PinMagnet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Magnet and its distance to the sensor."""

    d_mm: float
    t_mm: float
    gap_mm: tuple[float, float]
    tempco_pct_per_c: float


class PinSense(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about the pin sensors."""

    rule: PinRule
    cal: PinCal
    magnet: PinMagnet


class Button(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Button times and chatter limit."""

    debounce_ms: float
    stuck_s: float
    chatter_per_s: int


class Power(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Window of the 5 V supply and the brown-out level, in volts."""

    v5: tuple[float, float]
    brownout_v: float


class Ramp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Calibration ramp: drops of the ball centre, the speeds they give, spread allowed."""

    drop_mm: tuple[float, ...]
    speed_mps: tuple[float, ...]
    spread_pct: float


class Commission(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Acceptance: trials a sensor, successes required, quiet minutes."""

    trials: int
    required: int
    quiet_min: float


class SelfTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When the node tests itself, and the temperature change that asks for a new calibration."""

    idle_s: float
    every_s: float
    recal_temp_c: float


class Calibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    schema: Literal[1]
    piezo: Piezo
    gate: Gate
    pin: PinSense
    button: Button
    power: Power
    ramp: Ramp
    commission: Commission
    selftest: SelfTest


@cache
def load() -> Calibration:
    """Read the shipped start values. Raises HardwareDataError naming file, key and value."""
    return data.load(Calibration, "hardware", "calibration.toml")
