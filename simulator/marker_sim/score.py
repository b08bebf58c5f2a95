"""The judge of accuracy: what a table ruled against the truth, shot by shot, and what it cost the referee.

`wrong`: another ruling in any compared field. `truth_excluded`: at some moment the true ruling was not among the possible
ones, even if repaired later. `guessed`: a ruling was proposed while more than one was possible, right or not.
Windows: a shot of the table stands for no true shot (`invented`), several for one (`split`), one for several (`merged`),
or none for one (`missed`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from marker_rules.balls import Player
from marker_rules.ruling import Ruling

Fields = dict[str, Any]
COMPARED = ("short", "points", "next", "winner", "ball_in_hand", "score_after")
WINDOWS = ("split", "merged", "invented", "missed")


def truth_fields(ruling: Ruling) -> Fields:
    """The compared fields of a ruling, named as the hub's pages name them."""
    points = getattr(ruling, "points", None)
    if points is None:
        credited = {Player.A: 0, Player.B: 0} | {ruling.striker: len(getattr(ruling, "credited", ()))}
        for penalty in getattr(ruling, "penalties", ()):  # from the shelf or owed: the score falls by one
            credited[penalty.player] -= 1
        if getattr(ruling, "series", False):  # the frame is won: what is played on lengthens the run alone (RP-30.4b)
            credited = dict.fromkeys(Player, 0)
    else:
        credited = {player: points.of(player) for player in Player}
    after = getattr(ruling, "score", None)
    return {
        "short": ruling.short,
        "points": {player.value: credited[player] for player in Player},
        "next": None if ruling.next is None else ruling.next.value,
        "winner": None if ruling.winner is None else ruling.winner.value,
        "ball_in_hand": bool(getattr(ruling, "ball_in_hand", False)),
        "score_after": {p.value: after.of(p) for p in Player} if after is not None and hasattr(after, "of") else None,
    }


def view_fields(view: Mapping[str, Any]) -> Fields:
    """The same fields of a ruling as the hub shows it."""
    return {name: view.get(name) for name in COMPARED}


@dataclass(frozen=True, slots=True)
class Judged:
    """One shot and what became of it. `shot`: its number in its unit. questions: undecided rows at the first look."""

    shot: int
    truth: Fields
    ruled: Fields
    questions: int = 0
    taps: int = 0
    at_most: int | None = None  # questions the same evidence needs at worst; None where nobody reckoned it
    excluded: bool = False
    guessed: bool = False
    window: str = ""  # one of WINDOWS where the shot's window is not that of the truth

    @property
    def differing(self) -> tuple[str, ...]:
        """The compared fields that are not those of the truth."""
        return tuple(name for name in COMPARED if self.truth.get(name) != self.ruled.get(name))

    @property
    def failed(self) -> bool:
        """Anything that must never happen."""
        return bool(self.differing or self.excluded or self.guessed or self.window)


@dataclass(slots=True)
class Watch:
    """Looks over the referee's shoulder at the hub's sheets of one shot, once his calls are entered."""

    excluded: bool = False
    guessed: bool = False

    def sees(
        self, sheet: Mapping[str, Any], view: Mapping[str, Any], true_short: str, answers: Mapping[str, str]
    ) -> None:
        """One sheet: a ruling that is certain and not the true one, or a row without the true answer, excludes the truth."""
        proposal = sheet.get("proposal") or {}
        if sheet.get("certain") and proposal.get("short") != true_short:
            self.excluded = True
        for row in sheet["rows"]:
            wanted = answers.get(row["id"])
            if wanted is not None and not row["multi"]:
                self.excluded |= all(wanted not in answer["id"].split("|") for answer in row["answers"])
        if view.get("phase") == "proposed" and view.get("n") == sheet.get("n") and not sheet.get("certain"):
            self.guessed = True

    @staticmethod
    def window(before: int, more: int, *, by_hand: bool = False) -> str:
        """What it means that the hub counted `before` shots between the last one and this one, and `more` for this one.

        None before and one for it is right. None for it: it felt the stroke as part of another shot, or not at all
        (`by_hand`: the referee had to say that somebody struck).
        """
        if before > 0:
            return "invented"
        if more == 1:
            return ""
        return "split" if more > 1 else "missed" if by_hand else "merged"


@dataclass(slots=True)
class Score:
    """Sums over shots; `add` and `merge` in any grouping give the same figures."""

    shots: int = 0
    wrong: int = 0
    truth_excluded: int = 0
    guessed: int = 0
    above_worst_case: int = 0
    silent: int = 0
    windows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WINDOWS, 0))
    fields: dict[str, int] = field(default_factory=dict)
    questions: dict[int, int] = field(default_factory=dict)
    taps: dict[int, int] = field(default_factory=dict)

    def add(self, judged: Judged) -> None:
        """Count one shot."""
        self.shots += 1
        self.wrong += bool(judged.differing)
        for name in judged.differing:
            self.fields[name] = self.fields.get(name, 0) + 1
        self.truth_excluded += judged.excluded
        self.guessed += judged.guessed
        self.above_worst_case += judged.at_most is not None and judged.questions > judged.at_most
        self.silent += judged.questions == 0
        if judged.window:
            self.windows[judged.window] += 1
        self.questions[judged.questions] = self.questions.get(judged.questions, 0) + 1
        self.taps[judged.taps] = self.taps.get(judged.taps, 0) + 1

    def merge(self, other: Score) -> None:
        """Add the sums of another score."""
        for name in ("shots", "wrong", "truth_excluded", "guessed", "above_worst_case", "silent"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in (
            (self.windows, other.windows),
            (self.fields, other.fields),
        ):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count
        for into, more in ((self.questions, other.questions), (self.taps, other.taps)):
            for number, count in more.items():
                into[number] = into.get(number, 0) + count

    @property
    def good(self) -> bool:
        """Nothing happened that must never happen."""
        bad = self.wrong + self.truth_excluded + self.guessed + self.above_worst_case + sum(self.windows.values())
        return bad == 0

    def as_json(self) -> dict[str, Any]:
        """The figures; the same for the same shots, however they were grouped."""
        return {
            "shots": self.shots,
            "wrong": self.wrong,
            "wrong_fields": dict(sorted(self.fields.items())),
            "truth_excluded": self.truth_excluded,
            "guessed": self.guessed,
            "above_worst_case": self.above_worst_case,
            **self.windows,
            "questions_per_shot": mean(self.questions),
            "questions_p95": percentile(self.questions, 0.95),
            "questions_max": max(self.questions, default=0),
            "taps_per_shot": mean(self.taps),
            "taps_p95": percentile(self.taps, 0.95),
            "taps_max": max(self.taps, default=0),
            "share_without_question": round(self.silent / self.shots, 3) if self.shots else 0.0,
        }


def mean(counts: Mapping[int, int]) -> float:
    """Mean of values counted by value, to three places."""
    total = sum(counts.values())
    return round(sum(value * count for value, count in counts.items()) / total, 3) if total else 0.0


def percentile(counts: Mapping[int, int], share: float) -> int:
    """The smallest value that `share` of all values do not exceed."""
    wanted = math.ceil(share * sum(counts.values()))
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= wanted:
            return value
    return 0
