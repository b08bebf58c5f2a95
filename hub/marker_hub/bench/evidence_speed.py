"""How fast the evidence engine asks: shots as they come in play, every score and every evidence another one.

warm: a process that has seen play before, as a hub has. cold: nothing is kept but the verdicts of the game's classes, so
readings, worlds, questions and sheets are made anew. first: nothing at all is kept. `_cpu_ms` is processor time of the
same calls: on a busy machine the rest of `_ms` belongs to others.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter, thread_time
from typing import Any

from marker_hub.bench.play import Play, Sensors, sensed, shots
from marker_rules.balls import GameId
from marker_rules.evidence.cases import forget
from marker_rules.evidence.observations import Evidence, Kind, Observation
from marker_rules.evidence.questions import next_question
from marker_rules.evidence.sheet import sheet
from marker_rules.five_pins.automaton import ways
from marker_rules.options import Options

MOST = 12  # observations of an ordinary shot
LONG = 40  # observations of a long break
FIRST = 10  # calls with nothing kept that are timed

Case = tuple[Evidence, Any]
CALLS: dict[str, Callable[[Evidence, Any, Options], object]] = {"next_question": next_question, "sheet": sheet}


@dataclass(slots=True)
class Times:
    """Calls of one kind, in seconds."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def take(self, call: Callable[[], object]) -> None:
        """Time one call."""
        wall, processor = perf_counter(), thread_time()
        call()
        self.processor.append(thread_time() - processor)
        self.wall.append(perf_counter() - wall)

    def figures(self, name: str) -> dict[str, float]:
        """Median and 99th percentile in ms, of the clock on the wall and of processor time."""
        return {
            f"{name}_ms": _ms(self.wall, 0.5),
            f"{name}_p99_ms": _ms(self.wall, 0.99),
            f"{name}_cpu_ms": _ms(self.processor, 0.5),
            f"{name}_cpu_p99_ms": _ms(self.processor, 0.99),
        }


def _ms(times: list[float], share: float) -> float:
    ordered = sorted(times) or [0.0]
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 4)


def forget_shots() -> None:
    """Everything kept of evidence goes; the verdicts of classes of worlds stay."""
    forget(verdicts=False)
    ways.cache_clear()


def forget_all() -> None:
    """Everything goes."""
    forget()
    ways.cache_clear()


def nothing() -> None:
    """A hub in the middle of an evening forgets nothing."""


def speed(size: int, seed: int) -> dict[str, Any]:
    """Times of `size` shots of up to 12 observations a game and set of sensors, of a break of 40, and the machine's load."""
    games: dict[str, Any] = {}
    for game_id in GameId:
        options = Options(game_id)
        games[game_id.value] = {sensors.value: _measured(options, sensors, size, seed) for sensors in Sensors}
    return {"load": round(os.getloadavg()[0], 1), "games": games, f"break_of_{LONG}": _long_breaks(size, seed)}


def _measured(options: Options, sensors: Sensors, size: int, seed: int) -> dict[str, dict[str, float]]:
    rng = random.Random(f"{options.game} {sensors} speed {seed}")
    cases = [(sensed(play, sensors, options, rng), play.before) for play in shots(options, seed + 1, 4 * size)]
    cases = [case for case in cases if len(case[0].observations) <= MOST]
    played, coming = cases[: -2 * size], [cases[-2 * size : -size], cases[-size:]]
    figures: dict[str, dict[str, float]] = {}
    for (name, call), new in zip(CALLS.items(), coming, strict=True):
        figures[name] = _timed(call, new[:FIRST], options, forget_all).figures("first")
        _timed(call, played, options, nothing)
        figures[name] |= _timed(call, new, options, nothing).figures("warm")
        figures[name] |= _timed(call, new, options, forget_shots).figures("cold")
    return figures


def _timed(
    call: Callable[[Evidence, Any, Options], object],
    cases: list[Case],
    options: Options,
    before_each: Callable[[], None],
) -> Times:
    times = Times()
    for evidence, state in cases:
        before_each()
        times.take(lambda evidence=evidence, state=state: call(evidence, state, options))  # type: ignore[misc]
    return times


def _long_breaks(size: int, seed: int) -> dict[str, float]:
    """A question and a sheet of a shot with 40 observations, of free pyramid and of five-pins, with nothing kept of shots."""
    figures: dict[str, float] = {}
    for game_id in (GameId.FREE, GameId.FIVE_PINS):
        options = Options(game_id)
        cases = [(_long(play, options), play.before) for play in shots(options, seed + 2, size)]
        times = _timed(lambda *case: (next_question(*case), sheet(*case)), cases, options, forget_shots)
        figures |= times.figures(f"{game_id}_cold")
    return figures


def _long(play: Play, options: Options) -> Evidence:
    """The evidence of a shot with so many clicks, every channel exact, that it holds 40 observations, their order unsure."""
    seen = sensed(play, Sensors.ALL, options, random.Random(0))
    more = [Observation(Kind.CLICK, t_us=at * 700, unc_us=2_000) for at in range(LONG - len(seen.observations))]
    return Evidence((*seen.observations, *more), seen.calls, (), seen.quality, seen.frozen)
