"""`marker bench evidence`: how often the engine must ask, and how fast it is, over random shots and a truthful referee.

wrong: shots that ended in another ruling than the true one. truth_excluded: the true ruling was not among the possible
ones. above_worst_case: more was asked than the exhaustive tree of the same evidence needs at worst. All must be 0.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from marker_hub.bench.evidence_speed import speed
from marker_hub.bench.play import Play, Sensors, sensed, shots, truth
from marker_rules.balls import GameId
from marker_rules.evidence.cases import possible
from marker_rules.evidence.observations import Evidence
from marker_rules.evidence.questions import next_question, worst_case
from marker_rules.evidence.sheet import sheet
from marker_rules.evidence.worlds import EITHER
from marker_rules.options import Options

SHOTS = 10_000
SEED = 1
TIMED = 300  # shots of each kind that are timed


@dataclass(slots=True)
class Tally:
    """Sums over the shots of one game and one set of sensors."""

    shots: int = 0
    wrong: int = 0
    truth_excluded: int = 0
    above_worst_case: int = 0
    questions: int = 0
    rows: int = 0
    taps: int = 0
    silent: int = 0
    most: int = 0

    def figures(self) -> dict[str, Any]:
        """The figures of the report."""
        return {
            "shots": self.shots,
            "wrong": self.wrong,
            "truth_excluded": self.truth_excluded,
            "above_worst_case": self.above_worst_case,
            "questions_per_shot": round(self.questions / self.shots, 3),
            "rows_per_shot": round(self.rows / self.shots, 3),
            "taps_per_shot": round(self.taps / self.shots, 3),
            "share_without_question": round(self.silent / self.shots, 3),
            "questions_at_most": self.most,
        }


def run(size: int = SHOTS, seed: int = SEED) -> dict[str, Any]:
    """Ask through `size` shots a game and set of sensors; time the engine over some of them."""
    games: dict[str, dict[str, Any]] = {}
    tallies: list[Tally] = []
    for game_id in GameId:
        options = Options(game_id)
        games[game_id.value] = {}
        for sensors in Sensors:
            tally = ask_through(options, sensors, size, seed)
            tallies.append(tally)
            games[game_id.value][sensors.value] = tally.figures()
    return {
        "size": size,
        "seed": seed,
        "wrong": sum(tally.wrong for tally in tallies),
        "truth_excluded": sum(tally.truth_excluded for tally in tallies),
        "above_worst_case": sum(tally.above_worst_case for tally in tallies),
        "games": games,
        "speed": speed(min(size, TIMED), seed),
    }


def ask_through(options: Options, sensors: Sensors, size: int, seed: int) -> Tally:
    """Every shot once by questions, once by the sheet."""
    rng = random.Random(f"{options.game} {sensors} {seed}")
    tally = Tally()
    for play in shots(options, seed, size):
        evidence = sensed(play, sensors, options, rng)
        answers = truth(play, options)
        true = play.ruling(options).short
        tally.shots += 1
        tally.truth_excluded += all(p.short != true for p in possible(evidence, play.before, options))
        asked, ended = _by_questions(evidence, play, options, answers)
        tally.wrong += ended != true
        at_most = worst_case(evidence, play.before, options)
        tally.above_worst_case += asked > at_most
        tally.most = max(tally.most, at_most)
        tally.questions += asked
        tally.silent += asked == 0
        first = sheet(evidence, play.before, options)
        tally.rows += first.undecided
        taps, ended = _by_sheet(evidence, play, options, answers)
        tally.wrong += ended != true
        tally.taps += taps
    return tally


def _by_questions(evidence: Evidence, play: Play, options: Options, answers: dict[str, str]) -> tuple[int, str]:
    """Answer truthfully until nothing is asked: how many questions, and the ruling (several: none)."""
    asked = 0
    while (question := next_question(evidence, play.before, options)) is not None:
        fitting = [a.id for a in question.answers if answers.get(question.id, "") in a.id.split(EITHER)]
        if not fitting:
            return asked, ""
        evidence = evidence.answered(question.id, fitting[0])
        asked += 1
    left = possible(evidence, play.before, options)
    return asked, left[0].short if len(left) == 1 else ""


def _by_sheet(evidence: Evidence, play: Play, options: Options, answers: dict[str, str]) -> tuple[int, str]:
    """Correct the first wrong row until all are right, then accept: how many presses, and the ruling accepted."""
    while True:
        shown = sheet(evidence, play.before, options)
        wrong = next((row for row in shown.rows if row.selected != answers[row.id]), None)
        if wrong is None:
            return shown.taps, shown.proposal.short
        evidence = evidence.answered(wrong.id, answers[wrong.id])
