"""What adjudication needs to know about time: gaps between events, silences, how softly cushions are met. A model, not match data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from marker_sim import uniform
from marker_sim.physics.engine import Engine, Kind
from marker_sim.physics.pins import Outcome

GAPS_MS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
SOFT = (0.26, 0.53)  # m/s of approach
SILENCE_S = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
CONTACTS = (Kind.BALL, Kind.NOSE, Kind.JAW, Kind.PIN)


@dataclass(slots=True)
class Gathered:
    """Sums over many shots."""

    shots: int = 0
    nearest: dict[str, list[float]] = field(
        default_factory=dict
    )  # pair of kinds -> smallest gap of each shot that has one
    cushions: list[float] = field(default_factory=list)
    silences: list[float] = field(default_factory=list)  # longest inside a shot
    settling: list[float] = field(default_factory=list)  # last contact to rest
    lost: list[float] = field(default_factory=list)  # touch of a pin to its base losing contact

    def add(self, engine: Engine) -> None:
        """One finished shot."""
        self.shots += 1
        times = [(h.t, h.kind) for h in engine.log if h.kind in CONTACTS]
        for name, gap in _gaps(times):
            self.nearest.setdefault(name, []).append(gap)
        self.cushions += [h.vn for h in engine.log if h.kind is Kind.NOSE]
        moments = [h.t for h in engine.log if h.kind is not Kind.CROSS]
        self.silences.append(max((b - a for a, b in pairwise(moments)), default=0.0))
        self.settling.append(engine.now - (moments[-1] if moments else 0.0))
        self.lost += [e.at - e.met for e in engine.pins.events if e.outcome is Outcome.TOPPLED]

    def result(self) -> dict[str, Any]:
        """Shares and percentiles."""
        return {
            "shots": self.shots,
            "smallest_gap_share": {
                name: {f"<{limit:g} ms": _share([g * 1000 < limit for g in gaps], self.shots) for limit in GAPS_MS}
                for name, gaps in sorted(self.nearest.items())
            },
            "cushions_softer_than": {
                f"{v:g} m/s": _share([c < v for c in self.cushions], len(self.cushions)) for v in SOFT
            },
            "silence_longer_than": {f"{s:g} s": _share([x > s for x in self.silences], self.shots) for s in SILENCE_S},
            "last_contact_to_rest_s": _percentiles(self.settling),
            "pin_touch_to_base_lost_ms": _percentiles([1000 * x for x in self.lost]),
        }


def _gaps(times: list[tuple[float, Kind]]) -> Iterator[tuple[str, float]]:
    """The smallest distance in time of two neighbours, a kind of pair."""
    best: dict[str, float] = {}
    for (t, kind), (after, other) in pairwise(times):
        name = "-".join(sorted((_word(kind), _word(other))))
        best[name] = min(best.get(name, 1e9), after - t)
    yield from best.items()


def _word(kind: Kind) -> str:
    return {Kind.BALL: "ball", Kind.PIN: "pin"}.get(kind, "cushion")


def _share(found: list[bool], of: int) -> float:
    return round(sum(found) / of, 5) if of else 0.0


def _percentiles(values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    return {f"p{p}": round(ordered[min(len(ordered) - 1, int(p / 100 * len(ordered)))], 3) for p in (5, 50, 95, 99)}


def gather(shots: int, seed: int, progress: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
    """Statistics of `shots` five-pins shots, a third as many of pyramid, a hundredth of breaks."""
    done = 0
    found: dict[str, Any] = {}
    plan = (
        ("five-pins", uniform.five_pins, shots),
        ("pyramid", uniform.pyramid, max(1, shots * 3 // 10)),
        ("break", uniform.opening, max(1, shots // 100)),
    )
    for name, draw, count in plan:
        sums = Gathered()
        for number in range(count):
            engine = draw(seed, number)
            engine.run()
            sums.add(engine)
            done += 1
            progress(done)
        found[name] = sums.result()
    return found
