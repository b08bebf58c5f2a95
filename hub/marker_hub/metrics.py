"""Counters, gauges and histograms with a Prometheus text exposition; standard library only."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

PREFIX = "marker_"
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

HELP = {
    "records_total": "Records journalled",
    "rejects_total": "Messages refused, by reason",
    "duplicates_total": "Records that were there already",
    "gaps_total": "Gaps in the numbering of a node",
    "missing_records_total": "Records that never came",
    "shed_records_total": "Records of a babbling node not kept",
    "incomplete_shots_total": "Shots judged with evidence missing",
    "questions_total": "Questions put to the referee",
    "overrides_total": "Manual rulings",
    "commit_seconds": "Duration of a group commit",
    "receive_to_durable_seconds": "From the arrival of a message to its commit",
    "edge_to_stream_seconds": "From a sensor edge to the pages",
    "channel_state": "Quality of a channel: 0 ok, 1 noisy, 2 stuck, 3 absent",
    "node_clock_offset_seconds": "Hub clock minus node clock",
    "streams": "Pages connected",
    "broker_restarts_total": "Times the broker was started again",
    "replay_mismatch_total": "Times the journal's fold differed from the live state",
    "commit_failures_total": "Failed commits",
    "faults_total": "Entries the state machine could not take",
    "unexpected_total": "Events a phase does not handle",
    "commands_total": "Commands, by HTTP status",
    "recording": "1 while the journal can be written",
    "queue_items": "Messages and commands waiting, all tables",
    "missing_text_total": "Texts missing in a catalogue",
}

Labels = tuple[tuple[str, str], ...]


def _labels(given: dict[str, str]) -> Labels:
    return tuple(sorted(given.items()))


def _text(labels: Labels, extra: Iterable[tuple[str, str]] = ()) -> str:
    pairs = [*labels, *extra]
    if not pairs:
        return ""

    def escape(value: str) -> str:
        return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    return "{" + ",".join(f'{key}="{escape(value)}"' for key, value in pairs) + "}"


class Histogram:
    """Counts of durations by their upper limit."""

    __slots__ = ("counts", "sum", "total")

    def __init__(self) -> None:
        """Empty."""
        self.counts = [0] * (len(SECONDS) + 1)
        self.sum = 0.0
        self.total = 0

    def observe(self, value: float, times: int = 1) -> None:
        """Add a duration in seconds."""
        self.counts[bisect_left(SECONDS, value)] += times
        self.sum += value * times
        self.total += times


class Counter:
    """One counter with its labels: for places that count with every message."""

    __slots__ = ("_key", "_values")

    def __init__(self, values: dict[Labels, float], key: Labels) -> None:
        """Made by `Metrics.counter`."""
        self._values = values
        self._key = key
        values.setdefault(key, 0)

    def add(self, by: float = 1) -> None:
        """Count."""
        self._values[self._key] += by


class Metrics:
    """All figures of one hub. Names are those of `HELP`, without the prefix."""

    def __init__(self) -> None:
        """Empty."""
        self._counters: dict[str, dict[Labels, float]] = {}
        self._gauges: dict[str, dict[Labels, float]] = {}
        self._histograms: dict[str, dict[Labels, Histogram]] = {}
        self._collectors: list[Callable[[], None]] = []

    def count(self, name: str, by: float = 1, **labels: str) -> None:
        """Add to a counter. Raises KeyError for a name without help."""
        HELP[name]
        found = self._counters.setdefault(name, {})
        key = _labels(labels)
        found[key] = found.get(key, 0) + by

    def counter(self, name: str, **labels: str) -> Counter:
        """A handle on one counter, 0 from the start. Raises KeyError for a name without help."""
        HELP[name]
        return Counter(self._counters.setdefault(name, {}), _labels(labels))

    def histogram(self, name: str, **labels: str) -> Histogram:
        """A handle on one histogram."""
        HELP[name]
        return self._histograms.setdefault(name, {}).setdefault(_labels(labels), Histogram())

    def gauge(self, name: str, value: float, **labels: str) -> None:
        """Set a gauge."""
        HELP[name]
        self._gauges.setdefault(name, {})[_labels(labels)] = value

    def observe(self, name: str, seconds: float, times: int = 1, **labels: str) -> None:
        """Add to a histogram of durations."""
        HELP[name]
        self._histograms.setdefault(name, {}).setdefault(_labels(labels), Histogram()).observe(seconds, times)

    def value(self, name: str, **labels: str) -> float:
        """A counter or gauge; the sum over all labels when none are given."""
        found = self._counters.get(name) or self._gauges.get(name) or {}
        return found.get(_labels(labels), 0) if labels else sum(found.values())

    def on_collect(self, collector: Callable[[], None]) -> None:
        """Call this before every exposition, to set gauges."""
        self._collectors.append(collector)

    def text(self) -> str:
        """Prometheus text form."""
        for collector in self._collectors:
            collector()
        lines: list[str] = []
        for kind, family in (("counter", self._counters), ("gauge", self._gauges)):
            for name in sorted(family):
                lines += [f"# HELP {PREFIX}{name} {HELP[name]}", f"# TYPE {PREFIX}{name} {kind}"]
                lines += [
                    f"{PREFIX}{name}{_text(labels)} {_number(value)}" for labels, value in sorted(family[name].items())
                ]
        for name in sorted(self._histograms):
            lines += [f"# HELP {PREFIX}{name} {HELP[name]}", f"# TYPE {PREFIX}{name} histogram"]
            for labels, histogram in sorted(self._histograms[name].items(), key=lambda pair: pair[0]):
                total = 0
                for limit, number in zip([*map(str, SECONDS), "+Inf"], histogram.counts, strict=True):
                    total += number
                    lines.append(f"{PREFIX}{name}_bucket{_text(labels, [('le', limit)])} {total}")
                lines.append(f"{PREFIX}{name}_sum{_text(labels)} {histogram.sum:.6f}")
                lines.append(f"{PREFIX}{name}_count{_text(labels)} {histogram.total}")
        return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.6f}"
