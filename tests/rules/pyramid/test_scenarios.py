"""Scenarios of lag and clock beyond the suite: variants of the clock, and malformed ones that name their field."""

from __future__ import annotations

from typing import Any

import pytest

from marker_rules.catalogue import LANGUAGES
from marker_rules.scenario import ScenarioError, judge_scenario


def clock(timeline: list[Any], used: int = 0, limit: float = 40, **options: Any) -> dict[str, Any]:
    given = {"limit_s": limit, "extensions_used_before": used, "timeline": timeline}
    return {"id": "X", "game": "pyramid", "kind": "clock", "options": options, "given": given}


CLOCKS = [
    ([["strike", 40]], 0, {}, 0, False, []),
    ([["strike", 40]], 2, {}, 2, False, [["10 s", 30]]),
    ([["strike", 30]], 2, {}, 2, False, []),
    ([["request", 30], ["strike", 60]], 0, {}, 1, False, [["extension by player", 30]]),
    ([["request", 30], ["strike", 75]], 0, {}, 2, False, [["extension by player", 30], ["Time", 70]]),
    ([["request", 30], ["strike", 75]], 0, {"extension_mode": "added"}, 1, False, [["extension by player", 30]]),
    ([["request", 10], ["request", 20], ["strike", 59]], 0, {}, 2, False,
     [["extension by player", 10], ["extension by player", 20], ["10 s", 50]]),
    ([["request", 10], ["request", 20], ["request", 30], ["strike", 61]], 0, {}, 2, True,
     [["extension by player", 10], ["extension by player", 20], ["refused", 30], ["10 s", 50], ["foul", 60]]),
    ([["request", 10], ["strike", 51]], 1, {}, 2, True, [["extension by player", 10], ["10 s", 40], ["foul", 50]]),
    ([["strike", 95]], 0, {"extensions_per_shot": 1}, 1, True, [["Time", 40], ["foul", 80]]),
    ([["request", 5], ["request", 15], ["strike", 30]], 0, {"extensions_per_shot": 1}, 1, False,
     [["extension by player", 5], ["refused", 15]]),
    ([["strike", 95]], 1, {}, 2, True, [["Time", 40], ["10 s", 70], ["foul", 80]]),
    ([["strike", 55]], 0, {"auto_extension": True}, 1, False, [["Time", 40]]),
    ([], 0, {}, 0, False, []),
]  # fmt: skip


@pytest.mark.clause("RP-28.2a")
@pytest.mark.clause("RP-28.3b")
@pytest.mark.clause("RP-28.3c")
@pytest.mark.parametrize(("timeline", "used", "options", "after", "foul", "calls"), CLOCKS)
def test_clock(timeline: Any, used: int, options: Any, after: int, foul: bool, calls: list[Any]) -> None:
    """Calls, extra times and the foul of one shot against the clock (AMB-23)."""
    result = judge_scenario(clock(timeline, used, **options)).result
    assert (result["extensions_used_after"], result["foul"], result["calls"]) == (after, foul, calls)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sentences_in_every_language(lang: str) -> None:
    said = judge_scenario(clock([["strike", 95]], 1), lang).result["explain"]
    assert said.endswith(".")
    lag = {"id": "X", "game": "pyramid", "kind": "lag", "given": {"A": {"dist_mm": 1}, "B": {"potted": True}}}
    assert judge_scenario(lag, lang).result["explain"].startswith("A: ")


MALFORMED = [
    (clock([["strike", 5], ["strike", 6]]), "given.timeline[1]"),
    (clock([["strike", "soon"]]), "given.timeline[0][1]"),
    (clock([["strike", 10**400]]), "given.timeline[0][1]"),
    (clock([["strike", float("inf")]]), "given.timeline[0][1]"),
    (clock([["strike", float("nan")]]), "given.timeline[0][1]"),
    (clock([["strike", -1]]), "given.timeline[0][1]"),
    (clock([["strike", 5]], limit=10**400), "given.limit_s"),
    (clock([["strike", 5]], limit=float("nan")), "given.limit_s"),
    (clock([["strike", 5]], used=10**400), "given.extensions_used_before"),
    (clock([["jump", 5]]), "given.timeline[0]"),
    (clock([["request", 9], ["strike", 5]]), "given.timeline[1][1]"),
    (clock([["strike", 5]], used=3), "given.extensions_used_before"),
    (clock([["strike", 5]], limit=5), "given.limit_s"),
    (
        {"id": "X", "game": "pyramid", "kind": "clock", "given": {"extensions_used_before": "two"}},
        "given.extensions_used_before",
    ),
    ({"id": "X", "game": "pyramid", "kind": "lag", "given": {"A": {}}}, "given.B"),
    ({"id": "X", "game": "pyramid", "kind": "lag", "given": {"A": {"dist_mm": 10**400}, "B": {}}}, "given.A.dist_mm"),
    ({"id": "X", "game": "pyramid", "kind": "lag", "given": {"A": {}, "B": {"back_rail": 10**9}}}, "given.B.back_rail"),
    ({"id": "X", "game": "pyramid", "kind": "lag", "given": {"A": {}, "B": {}, "wind": 3}}, "given.wind"),
    (
        {"id": "X", "game": "pyramid", "kind": "lag", "given": {"A": {}, "B": {}, "undecidable": "yes"}},
        "given.undecidable",
    ),
    (
        {"id": "X", "game": "free-pyramid", "kind": "shot", "before": {"phase": "opening"}, "facts": ["strike C"]},
        "before.phase",
    ),
    (
        {"id": "X", "game": "free-pyramid", "kind": "shot", "options": {"wind": 1}, "facts": ["strike C"]},
        "options.wind",
    ),
    ({"id": "X", "game": "free-pyramid", "kind": "shot", "facts": ["strike C", "pot C"]}, "facts[1]"),
    ({"id": "X", "game": "free-pyramid", "kind": "shot", "facts": ["strike C", "wobble N"]}, "facts[1]"),
]


@pytest.mark.parametrize(("raw", "field"), MALFORMED)
def test_malformed_scenario_names_its_field(raw: dict[str, Any], field: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        judge_scenario(raw)
    assert caught.value.field == field


def test_a_game_that_holds_for_all_three_is_judged_as_free() -> None:
    raw = {"id": "X", "game": "pyramid", "kind": "shot", "facts": ["strike w5", "contact w5 w1", "pot w5 BL"]}
    assert judge_scenario(raw).result["credited"] == ["w5"]


@pytest.mark.clause("RP-24.3")
@pytest.mark.clause("RP-11.2")
@pytest.mark.parametrize("game", ["free-pyramid", "dynamic-pyramid", "combined-pyramid"])
def test_a_break_with_balls_on_the_shelves_is_judged(game: str) -> None:
    """After a lost position what is left is racked and broken, the score kept: a break need not come first in its frame."""
    before = {"striker": "A", "phase": "break", "shelf": {"A": 3, "B": 3}, "debt": {"A": 0, "B": 0}}
    raw = {"id": "X", "game": game, "kind": "shot", "before": before, "facts": ["strike C", "contact C w1"]}
    result = judge_scenario(raw).result
    assert (result["penalty"], result["score"]) == ({"player": "A", "from": "shelf"}, {"A": 2, "B": 3})
    assert len(result["options"]) == 4


@pytest.mark.clause("RP-30.4b")
@pytest.mark.parametrize("shelf", [8, 9])
def test_the_winner_of_a_frame_plays_on(shelf: int) -> None:
    """His shelf alone says so; how long his run is need not be given."""
    before = {"striker": "A", "phase": "play", "shelf": {"A": shelf, "B": 2}}
    raw = {"id": "X", "game": "free-pyramid", "kind": "shot", "before": before}
    result = judge_scenario({**raw, "facts": ["strike C", "contact C w1", "pot w1 BL"]}).result
    assert (result["credited"], result["next"], result["may_continue_run"]) == (["w1"], "A", "A")
    result = judge_scenario({**raw, "facts": ["strike C"]}).result
    assert (result["penalty"], result["score"], result["may_continue_run"]) == (None, {"A": shelf, "B": 2}, None)
