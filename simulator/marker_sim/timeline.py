"""What happened in a shot and when: the meeting point of whatever plays (script or physics) and whatever senses."""

from __future__ import annotations

from dataclasses import dataclass, field

from marker_rules.balls import Ball, Pin
from marker_rules.facts import Fact
from marker_rules.shot import Call, Shot

MS = 1_000_000  # ns


@dataclass(frozen=True, slots=True)
class Timed:
    """One fact at `t_ns` after the strike. `strength`: approach speed of what met, m/s (0 where it has none).

    `at_mm`: where on the table, in the table's frame; None where the player does not know (a script without physics).
    `size_mm`: how far a shifted pin slid (0 where nothing slid).
    """

    t_ns: int
    fact: Fact
    strength: float = 1.0
    at_mm: tuple[float, float] | None = None
    size_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class PinEnd:
    """How a pin ended: where, mm (None: it was not on the table), whether it stands, and how far it slid on its way there."""

    pin: Pin
    at_mm: tuple[float, float] | None
    stands: bool
    slid_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Final:
    """Where the balls came to rest (mm; None: potted, off the table, not in play) and what became of the pins."""

    balls: tuple[tuple[Ball, tuple[float, float] | None], ...]
    pins: tuple[PinEnd, ...] = ()


@dataclass(frozen=True, slots=True)
class Timeline:
    """One shot: facts in time order, the moment of rest, and what the referee saw besides (`calls`).

    `final`: where everything lay then; None where no physics played it. `felt`: what sensors feel besides, and no fact tells.
    """

    items: tuple[Timed, ...]
    rest_ns: int
    calls: tuple[Call, ...] = ()
    decided: tuple[tuple[str, str], ...] = field(default=())
    final: Final | None = None
    felt: tuple[Timed, ...] = ()

    @property
    def shot(self) -> Shot:
        """The truth as the rules want it."""
        return Shot(tuple(item.fact for item in self.items), self.calls, self.decided)
