"""How likely a combination is: counts from play, kept as data. They order and pre-select; they never decide.

Data: `data/evidence-likelihood.toml`. A row counts the shots of one combination and, of these, how many showed each
hint. The weight of a combination is its smoothed share times the smoothed share of each hint seen, independent of each
other; two combinations of the same row share its weight.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from marker_rules.balls import GameId

UNSEEN_SHOTS = 0.5  # added to each count, so that nothing is impossible for being new


@dataclass(frozen=True, slots=True)
class Row:
    """shots: how often the combination was counted; hints: in how many of them each hint was seen."""

    shots: int
    hints: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Table:
    """The counts of one release.

    version, source: where they come from. preselect: share from which an answer is selected beforehand. sensor: shares
    of true and false reports of hint channels.
    """

    version: str
    source: str
    preselect: float
    sensor: Mapping[str, float]
    rows: Mapping[str, Mapping[str, Row]]


@cache
def table() -> Table:
    """The counts this release ships."""
    raw = tomllib.loads((files("marker_rules") / "data" / "evidence-likelihood.toml").read_text(encoding="utf-8"))
    return Table(
        version=raw["version"],
        source=raw["source"],
        preselect=raw["preselect"],
        sensor=raw["sensor"],
        rows={
            name: {kind: Row(row.pop("shots"), row) for kind, row in rows.items()}
            for name, rows in raw["counts"].items()
        },
    )


_NEVER = Row(0, {})


def weights(game: GameId, combinations: Sequence[tuple[str, float]], hints: Sequence[str]) -> tuple[float, ...]:
    """The weight of each (kind, fit), all positive."""
    rows = table().rows.get(game, {})
    shared = Counter(kind for kind, _ in combinations)
    found = []
    for kind, fit in combinations:
        row = rows.get(kind, _NEVER)
        weight = (row.shots + UNSEEN_SHOTS) / shared[kind]
        for hint in hints:
            weight *= (row.hints.get(hint, 0) + UNSEEN_SHOTS) / (row.shots + 2 * UNSEEN_SHOTS)
        found.append(weight * max(fit, 1e-9))
    return tuple(found)
