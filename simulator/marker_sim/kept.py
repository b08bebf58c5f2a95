"""Failing shots of a batch, kept in folders to be played again."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from marker_rules.balls import GameId
from marker_sim.batch import SEEDS, UNIT, BatchError, BatchPlan, Failure, Through, Unit, UnitResult, play_unit
from marker_sim.manner import Kind
from marker_sim.players import PRESETS
from marker_sim.reading import Fitted
from marker_sim.textfile import text_of

KEPT_BYTES = 1 << 20  # a shot that is kept has some hundred
REMEDY = "give a folder that `marker sim batch --out` made"
E = TypeVar("E", bound=StrEnum)


def save(failure: Failure, plan: BatchPlan, folder: Path) -> Path:
    """Keep a failing shot as `fail-SEED-SHOT/`: what to play again, the truth, the faults injected into it, and, where a hub was asked, the feed
    of its unit (`marker sim feed play`). Returns the folder.
    """
    place = folder / f"fail-{failure.unit.seed}-{failure.judged.shot:04d}"
    place.mkdir(parents=True, exist_ok=True)
    again = {
        "game": plan.game.value,
        "through": plan.through.value,
        "sensors": plan.fitted.value,
        "faults": plan.faults,
        "referee": plan.referee.value,
        "sloppy": plan.sloppy,
        "skill": plan.skill,
        "check": plan.check,
        "params": plan.params,
        "table": plan.table,
        "errors": plan.errors,
        "unit_seed": failure.unit.seed,
        "unit_shots": failure.unit.shots,
        "shot": failure.judged.shot,
        "truth": failure.judged.truth,
        "ruled": failure.judged.ruled,
        "differing": list(failure.judged.differing),
        "truth_excluded": failure.judged.excluded,
        "guessed": failure.judged.guessed,
        "window": failure.judged.window,
        "injected": list(failure.injected),
    }
    (place / "shot.json").write_text(json.dumps(again, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    (place / "truth.jsonl").write_text(failure.story + "\n", encoding="utf-8")
    if failure.feed:
        (place / "unit.feed.jsonl").write_text(failure.feed, encoding="utf-8")
    return place


def repeat(folder: Path) -> tuple[dict[str, Any], UnitResult]:
    """Play the unit of a kept shot again up to that shot. Raises BatchError naming what cannot be read."""
    path = folder / "shot.json"
    kept = _kept(path)
    shot = _whole(kept, "shot", path, 1)
    plan = BatchPlan(
        _word(kept, "game", path, GameId),
        0,
        _whole({"unit_shots": shot, **kept}, "unit_shots", path, shot),
        _word(kept, "through", path, Through),
        _word(kept, "sensors", path, Fitted),
        _text(kept, "faults", path),
        referee=_word({"referee": "truthful", **kept}, "referee", path, Kind),
        sloppy=_share({"sloppy": 0.05, **kept}, "sloppy", path),
        skill=_skill({"skill": "club", **kept}, path),
        check=kept.get("check") is True,
        params=_text({"params": "", **kept}, "params", path),
        table=_text({"table": "", **kept}, "table", path),
        errors=None if kept.get("errors") is None else _share(kept, "errors", path),
    )
    unit = Unit(0, _whole(kept, "unit_seed", path, 0), plan.shots, shot)
    result = play_unit(plan, unit)
    result.failures = [failure for failure in result.failures if failure.judged.shot == shot]
    return kept, result


def _kept(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(text_of(path, KEPT_BYTES))
    except (ValueError, RecursionError) as problem:
        raise BatchError(f"{path}: {problem}; {REMEDY}") from problem
    if not isinstance(kept, dict):
        raise BatchError(f"{path}: {type(kept).__name__} where an object must be; {REMEDY}")
    for key in ("truth", "ruled"):
        if not isinstance(kept.get(key), dict):
            raise BatchError(f"{path}: {key} = {kept.get(key)!r}: an object must be there; {REMEDY}")
    return kept


def _word(kept: dict[str, Any], key: str, path: Path, kind: type[E]) -> E:
    try:
        return kind(str(kept.get(key)))
    except ValueError:
        there = ", ".join(kind)
        raise BatchError(f"{path}: {key} = {kept.get(key)!r}: there are {there}; {REMEDY}") from None


def _text(kept: dict[str, Any], key: str, path: Path) -> str:
    value = kept.get(key)
    if not isinstance(value, str):
        raise BatchError(f"{path}: {key} = {value!r}: a text must be there; {REMEDY}")
    return value


def _whole(kept: dict[str, Any], key: str, path: Path, low: int) -> int:
    value = kept.get(key)
    high = SEEDS if key == "unit_seed" else UNIT
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BatchError(f"{path}: {key} = {value!r}: a whole number from {low} to {high} must be there; {REMEDY}")
    return value


def _skill(kept: dict[str, Any], path: Path) -> str:
    value = _text(kept, "skill", path)
    if value not in PRESETS:
        raise BatchError(f"{path}: skill = {value!r}: there are {', '.join(PRESETS)}; {REMEDY}")
    return value


def _share(kept: dict[str, Any], key: str, path: Path) -> float:
    value = kept.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise BatchError(f"{path}: {key} = {value!r}: a share from 0 to 1 must be there; {REMEDY}")
    return float(value)
