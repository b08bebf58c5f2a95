"""Acceptance of sensors: 20 of 20, pulse widths, the untouched run."""

import math

import pytest

from marker_hardware import calibration
from marker_hardware.commissioning import (
    Bin,
    GateTrial,
    Verdict,
    accept,
    accept_gate,
    histogram,
    quiet_run,
    true_rate_bound,
)

CLEAN = GateTrial(drops=1, block_ms=24.0)


def test_twenty_clean_drops_approve_a_gate() -> None:
    result = accept_gate("P1", [CLEAN] * 20)
    assert result.verdict is Verdict.APPROVED
    assert (result.hits, result.trials, result.rate) == (20, 20, 1.0)
    assert result.histogram == (Bin(20.0, 30.0, 20),)


@pytest.mark.report("R012")
def test_r012_weak_pulses_keep_one_gate_from_approval_and_show_why() -> None:
    """R012: a gate that misses balls only with the table closed shows its hit rate and widths, and stays not approved."""
    weak = [CLEAN] * 13 + [GateTrial(drops=1, block_ms=2.5)] * 4 + [GateTrial(drops=0)] * 3
    gates = {"P1": accept_gate("P1", [CLEAN] * 20), "P4": accept_gate("P4", weak)}
    assert gates["P1"].verdict is Verdict.APPROVED
    shown = gates["P4"]
    assert shown.verdict is Verdict.NOT_APPROVED
    assert (shown.hits, shown.trials, shown.rate) == (13, 20, 0.65)
    assert shown.failures == {"pulse outside 8-400 ms": 4, "no drop seen": 3}
    assert shown.histogram == (Bin(0.0, 10.0, 4), Bin(10.0, 20.0, 0), Bin(20.0, 30.0, 13))


def test_one_miss_in_twenty_is_not_approved_and_twenty_new_hits_clear_it() -> None:
    trials = [CLEAN] * 19 + [GateTrial(drops=0)]
    assert accept_gate("P2", trials).verdict is Verdict.NOT_APPROVED
    assert accept_gate("P2", trials + [CLEAN] * 19).verdict is Verdict.NOT_APPROVED
    assert accept_gate("P2", trials + [CLEAN] * 20).verdict is Verdict.APPROVED


def test_fewer_than_twenty_hits_are_incomplete() -> None:
    assert accept_gate("P2", [CLEAN] * 19).verdict is Verdict.INCOMPLETE
    assert accept_gate("P2", []).verdict is Verdict.INCOMPLETE


@pytest.mark.parametrize(
    ("trial", "reason"),
    [
        (GateTrial(drops=2, block_ms=24.0), "2 drops for one ball"),
        (GateTrial(drops=1, backs=1, block_ms=24.0), "reported as coming back"),
        (GateTrial(drops=1, block_ms=24.0, foreign=1), "another gate answered too"),
        (GateTrial(drops=1, block_ms=24.0, unsure=True), "drop unsure or merged"),
        (GateTrial(drops=1, block_ms=401.0), "pulse outside 8-400 ms"),
        (GateTrial(drops=1), "pulse outside 8-400 ms"),
    ],
)
def test_each_kind_of_miss_is_named(trial: GateTrial, reason: str) -> None:
    result = accept_gate("P3", [CLEAN] * 19 + [trial])
    assert result.verdict is Verdict.NOT_APPROVED
    assert result.failures == {reason: 1}


def test_pulse_limits_come_from_the_calibration() -> None:
    low, high = calibration.load().gate.times_ms.block
    edge = [GateTrial(drops=1, block_ms=low), GateTrial(drops=1, block_ms=high)] * 10
    assert accept_gate("P5", edge).verdict is Verdict.APPROVED


def test_other_sensors_use_the_same_count() -> None:
    assert accept("PZ1", [None] * 20).verdict is Verdict.APPROVED
    missed = accept("PZ1", [None] * 19 + ["hit on another rail"])
    assert (missed.verdict, missed.failures) == (Verdict.NOT_APPROVED, {"hit on another rail": 1})


def test_histogram_keeps_empty_bins_between_and_sums_to_the_trials() -> None:
    bins = histogram([5.0, 9.99, 10.0, 41.0])
    assert [b.count for b in bins] == [2, 1, 0, 0, 1]
    assert histogram([]) == ()


def test_quiet_run_needs_the_whole_time_and_no_event() -> None:
    assert quiet_run(30, {}).verdict is Verdict.APPROVED
    assert quiet_run(29.5, {"PZ1": 0}).verdict is Verdict.INCOMPLETE
    noisy = quiet_run(30, {"PZ1": 1, "PZ2": 0})
    assert (noisy.verdict, noisy.events) == (Verdict.NOT_APPROVED, {"PZ1": 1})


def test_what_the_counts_prove_is_stated() -> None:
    """20 of 20 bounds the true rate at 86 %, half an hour without an event at 6 an hour (95 %)."""
    assert true_rate_bound(20) == pytest.approx(0.861, abs=0.001)
    assert true_rate_bound(0) == 0.0
    assert quiet_run(30, {}).rate_bound_per_h == pytest.approx(5.99, abs=0.01)
    assert math.isinf(quiet_run(0, {}).rate_bound_per_h)
