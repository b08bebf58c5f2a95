"""Count likelihoods from invented play and write rules/marker_rules/data/evidence-likelihood.toml.

The counts order answers and select them beforehand; they never exclude a ruling. Counts of recorded matches may replace
them in the same form. Usage: python tools/likelihood.py [shots a game]
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

from marker_hub.bench.play import Sensors, sensed, shots, truth
from marker_rules.balls import GameId
from marker_rules.evidence.cases import open_case
from marker_rules.evidence.worlds import model
from marker_rules.options import Options

TARGET = Path(__file__).parents[1] / "rules" / "marker_rules" / "data" / "evidence-likelihood.toml"
SEED = 1997
SHOTS = 20_000
HEAD = """\
# Counts of combinations and of the hints seen with them. Written by tools/likelihood.py; do not edit.
# They order answers and select one beforehand; they never exclude anything. A key is a combination as the game's model
# names it (five-pins: Q1 Q2 Q3 Q4 and pins fallen, 3 = 3 or more).
version = "invented-1"
source = "{shots} invented shots a game, seed {seed}; shares are plausible, not measured"
preselect = 0.45  # share from which an answer is selected beforehand

[sensor]  # invented as well: hint sensors of pins and gates
pin_seen = 0.95
pin_false = 0.02
gate_exact = 0.95
"""


def count(game_id: GameId, number: int) -> tuple[Counter[str], dict[str, Counter[str]]]:
    """Shots by combination, and by combination the hints seen."""
    options, rng = Options(game_id), random.Random(SEED)
    kinds: Counter[str] = Counter()
    hints: dict[str, Counter[str]] = {}
    for play in shots(options, SEED, number):
        evidence = sensed(play, Sensors.MAIN, options, rng)
        for question, answer in truth(play, options).items():
            evidence = evidence.answered(question, answer)
        case, left = open_case(evidence, play.before, options)
        kind = case.spread.worlds[left.bit_length() - 1].kind
        kinds[kind] += 1
        felt = model(game_id).hints(sensed(play, Sensors.HINTS, options, rng))
        hints.setdefault(kind, Counter()).update(felt)
    return kinds, hints


def main() -> None:
    """Write the file."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else SHOTS
    lines = [HEAD.format(shots=number, seed=SEED)]
    for game_id in GameId:
        kinds, hints = count(game_id, number)
        lines.append(f"\n[counts.{game_id}]")
        for kind in sorted(kinds):
            seen = ", ".join(f'"{hint}" = {times}' for hint, times in sorted(hints[kind].items()))
            lines.append(f'"{kind}" = {{ shots = {kinds[kind]}, {seen} }}')
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
