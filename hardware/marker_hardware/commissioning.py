"""Acceptance of a fitted table: did each sensor do what it must, 20 times of 20? Pure evaluation of counted trials.

The service page and the paper form use the same verdicts. A sensor below the required count stays `not approved`, whatever
the rate: 19 of 20 is a fault to find, not a good average.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from marker_hardware.calibration import Calibration, load

BIN_MS = 10.0
QUIET_CONFIDENCE = 0.95


class Verdict(StrEnum):
    """Result of one sensor's acceptance."""

    APPROVED = "approved"
    NOT_APPROVED = "not approved"
    INCOMPLETE = "incomplete"


class GateTrial(msgspec.Struct, frozen=True, kw_only=True):
    """One ball dropped into one pocket: what the gate under test reported.

    drops/backs: records of that kind; unsure: the drop carried the flag `unsure` or `merged`; block_ms: time beam A was
    blocked, None when nothing was reported; foreign: records of other gates during the trial.
    """

    drops: int
    backs: int = 0
    unsure: bool = False
    block_ms: float | None = None
    foreign: int = 0

    def failure(self, calibration: Calibration) -> str | None:
        """Why this trial is a miss, or None when it is a clean hit."""
        low, high = calibration.gate.times_ms.block
        if self.drops == 0:
            return "no drop seen"
        if self.drops > 1:
            return f"{self.drops} drops for one ball"
        if self.backs:
            return "reported as coming back"
        if self.foreign:
            return "another gate answered too"
        if self.unsure:
            return "drop unsure or merged"
        if self.block_ms is None or not low <= self.block_ms <= high:
            return f"pulse outside {low:g}-{high:g} ms"
        return None


class Bin(msgspec.Struct, frozen=True):
    """Trials whose pulse was from_ms (included) to to_ms (excluded) long."""

    from_ms: float
    to_ms: float
    count: int


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """Verdict on one sensor. failures: reason -> count; histogram of pulse widths only for gates."""

    channel: str
    trials: int
    hits: int
    required: int
    of: int
    verdict: Verdict
    failures: dict[str, int]
    histogram: tuple[Bin, ...] = ()

    @property
    def rate(self) -> float:
        """Share of trials that were clean hits, 0 without trials."""
        return self.hits / self.trials if self.trials else 0.0


class QuietRun(msgspec.Struct, frozen=True, kw_only=True):
    """The untouched run at the end: minutes waited, events by channel, and what that proves."""

    minutes: float
    events: dict[str, int]
    verdict: Verdict
    rate_bound_per_h: float


def accept_gate(channel: str, trials: Sequence[GateTrial], calibration: Calibration | None = None) -> Acceptance:
    """Judge one pocket gate: clean single drops with a believable pulse, the required number of the trials planned."""
    values = calibration or load()
    widths = [trial.block_ms for trial in trials if trial.block_ms is not None]
    return _judge(channel, [trial.failure(values) for trial in trials], values, histogram(widths))


def accept(channel: str, failures: Sequence[str | None], calibration: Calibration | None = None) -> Acceptance:
    """Judge any other sensor; failures: one entry a trial in order, None for a hit, else why it was a miss."""
    return _judge(channel, failures, calibration or load(), ())


def _judge(channel: str, failures: Sequence[str | None], values: Calibration, widths: tuple[Bin, ...]) -> Acceptance:
    """The last `commission.trials` trials count, because a sensor that was fixed starts again at zero."""
    plan = values.commission
    recent = failures[-plan.trials :]
    hits = sum(reason is None for reason in recent)
    if len(recent) - hits > plan.trials - plan.required:
        verdict = Verdict.NOT_APPROVED
    elif len(recent) < plan.trials:
        verdict = Verdict.INCOMPLETE
    else:
        verdict = Verdict.APPROVED
    reasons: dict[str, int] = {}
    for reason in recent:
        if reason is not None:
            reasons[reason] = reasons.get(reason, 0) + 1
    return Acceptance(
        channel=channel,
        trials=len(recent),
        hits=hits,
        required=plan.required,
        of=plan.trials,
        verdict=verdict,
        failures=reasons,
        histogram=widths,
    )


def histogram(widths_ms: Sequence[float], bin_ms: float = BIN_MS) -> tuple[Bin, ...]:
    """Pulse widths in bins of bin_ms from the shortest to the longest, empty bins between them included."""
    if not widths_ms:
        return ()
    numbers = [int(width // bin_ms) for width in widths_ms]
    return tuple(
        Bin(number * bin_ms, (number + 1) * bin_ms, numbers.count(number))
        for number in range(min(numbers), max(numbers) + 1)
    )


def quiet_run(minutes: float, events: Mapping[str, int], calibration: Calibration | None = None) -> QuietRun:
    """Judge the untouched run (lamp, phone, heater): no event at all for the whole time.

    rate_bound_per_h: the true false-event rate is below this with 95 % confidence when nothing was seen (0 events).
    """
    plan = (calibration or load()).commission
    seen = {channel: count for channel, count in events.items() if count}
    verdict = Verdict.NOT_APPROVED if seen else Verdict.INCOMPLETE
    if not seen and minutes >= plan.quiet_min:
        verdict = Verdict.APPROVED
    # Rule of three: with 0 events in t the 95 % bound is -ln(0.05)/t.
    bound = 2.9957 / (minutes / 60) if minutes > 0 else float("inf")
    return QuietRun(minutes=minutes, events=seen, verdict=verdict, rate_bound_per_h=bound)


def true_rate_bound(trials: int, confidence: float = QUIET_CONFIDENCE) -> float:
    """Lower bound of the true hit rate after `trials` hits without a miss (0.86 for 20 at 95 %)."""
    if trials < 1:
        return 0.0
    return float((1 - confidence) ** (1 / trials))
