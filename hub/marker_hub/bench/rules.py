"""`marker bench rules`: the judges beside a dictionary look-up, and a file of five-pins shots judged as a stream."""

from __future__ import annotations

import json
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from marker_hub.bench.pyramid_shots import pyramid_shots
from marker_hub.cli.adjudicate import Judged, judge_file
from marker_rules.balls import GameId, Player
from marker_rules.five_pins.game import FIVE_PINS
from marker_rules.game import game
from marker_rules.notation import parse_facts
from marker_rules.options import Options
from marker_rules.shot import Call, Shot

SHOTS = 100_000
SAMPLE = 2_000
SEED = 1997
BEFORE = {"striker": "A", "score": {"A": 12, "B": 20}, "limit": 50, "mode": "normal", "pins": ["C", "N", "E", "S", "W"]}
STORIES: tuple[tuple[str, ...], ...] = (
    ("contact cue opponent",),
    ("contact cue opponent", "topple N by opponent"),
    ("contact cue opponent", "contact cue red", "topple N,E by red"),
    ("contact cue opponent", "contact opponent red", "topple C by opponent"),
    ("contact cue opponent", "cushion opponent top", "topple N,C by opponent", "topple W by pin of opponent"),
    ("cushion cue left", "contact cue opponent", "contact cue red", "topple S by cue"),
    ("contact cue red", "contact cue opponent", "topple N by red"),
    ("topple N by cue", "contact cue opponent", "off cue"),
    ("cushion cue top",),
)


def random_shots(count: int, seed: int = SEED) -> Iterable[tuple[list[str], list[dict[str, str]]]]:
    """Facts as text and calls of strokes as they come in a match: mostly legal, a few errors."""
    rng = Random(seed)
    for _ in range(count):
        facts = ["strike cue", *rng.choice(STORIES)]
        calls = [{"foul": rng.choice(("Z", "L", "P")), "by": "A"}] if rng.random() < 0.03 else []
        yield facts, calls


def _median_us(work: Callable[[Any], Any], items: list[Any], rounds: int = 7) -> float:
    """Median over the items of the best of some rounds, microseconds."""
    best = [float("inf")] * len(items)
    for _ in range(rounds):
        for index, item in enumerate(items):
            start = time.perf_counter_ns()
            work(item)
            best[index] = min(best[index], time.perf_counter_ns() - start)
    return statistics.median(best) / 1000


def _write(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as out:
        for number, (facts, calls) in enumerate(random_shots(count)):
            row = {
                "id": f"B{number}",
                "game": "five-pins",
                "kind": "shot",
                "before": BEFORE,
                "facts": facts,
                "calls": calls,
            }
            out.write(json.dumps(row) + "\n")


def _rss_mb() -> float:
    """Memory in use now, MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def _file(count: int) -> dict[str, Any]:
    """Judge a JSON Lines file as `marker adjudicate` does; memory at a tenth and at the end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shots.jsonl"
        _write(path, count)
        judged = Judged()
        early = 0.0
        start = time.process_time()
        for number, _ in enumerate(judge_file(str(path), "en", judged)):
            if number == count // 10:
                early = _rss_mb()
        seconds = time.process_time() - start
        late = _rss_mb()
    return {
        "file_shots": count,
        "file_s": seconds,
        "file_shots_per_s": count / seconds,
        "file_memory_growth_mb": late - early,
        "file_status": judged.status,
    }


def run(size: int = SHOTS) -> dict[str, Any]:
    """Figures of one run; `size`: shots in the file."""
    options = Options(GameId.FIVE_PINS)
    before = FIVE_PINS.read_before(BEFORE, options)
    shots = [
        Shot(parse_facts(facts), tuple(Call(call["foul"], Player(call["by"])) for call in calls))
        for facts, calls in random_shots(min(SAMPLE, size))
    ]
    table = {shot: FIVE_PINS.rule(shot, before, options) for shot in shots}
    rule_us = _median_us(lambda shot: FIVE_PINS.rule(shot, before, options), shots)
    baseline_us = _median_us(table.__getitem__, shots)
    pyramid = list(pyramid_shots(min(SAMPLE, size), SEED))
    return {
        "rule_median_us": rule_us,
        "pyramid_rule_median_us": _median_us(lambda row: game(row[0]).rule(*row[1:]), pyramid),
        "baseline_lookup_median_us": baseline_us,
        "ratio_to_lookup": rule_us / baseline_us,
        **_file(size),
    }
