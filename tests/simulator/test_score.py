"""The judge of accuracy judged: planted errors are caught exactly, sums do not depend on how shots were grouped."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from marker_rules.balls import GameId
from marker_rules.evidence import Evidence, possible
from marker_rules.options import Options
from marker_sim.cases import cases
from marker_sim.judging import Case, Engine, Look, Row, judge
from marker_sim.reading import Fitted
from marker_sim.score import Judged, Score, Watch, mean, percentile, view_fields

SHOTS = 40


@pytest.fixture(scope="module")
def played() -> list[Case]:
    return list(cases(GameId.FIVE_PINS, 11, SHOTS, Fitted.HINTS, ""))


class Planted(Engine):
    """The engine with an error of a kind in one shot."""

    def __init__(self, shot: int, spoil: Callable[[Look, Evidence, Any, Options], Look]) -> None:
        self.shot, self.spoil = shot, spoil

    def look(self, shot: int, evidence: Evidence, before: Any, options: Options) -> Look:
        made = super().look(shot, evidence, before, options)
        return self.spoil(made, evidence, before, options) if shot == self.shot else made


def score(played: list[Case], engine: Engine) -> dict[str, Any]:
    total = Score()
    for case in played:
        total.add(judge(case, engine))
    return total.as_json()


def another_ruling(look: Look, evidence: Evidence, before: Any, options: Options) -> Look:
    """One ruling more points, everything else the same."""
    points = look.ruling.points  # type: ignore[attr-defined]
    return replace(look, ruling=replace(look.ruling, points=points.plus(look.ruling.striker, 1)))  # type: ignore[call-arg]


def only_next(look: Look, evidence: Evidence, before: Any, options: Options) -> Look:
    """The right points, but the wrong player next: counting points alone would miss it."""
    turn = type(look.ruling.next)
    other = turn("B") if look.ruling.next == "A" else turn("A")
    return replace(look, ruling=replace(look.ruling, next=other))


def sure(look: Look, evidence: Evidence, before: Any, options: Options) -> Look:
    """Claims that no other ruling is possible."""
    return replace(look, certain=True)


def extra(look: Look, evidence: Evidence, before: Any, options: Options) -> Look:
    """One row too many, already showing the truth."""
    return replace(look, rows=(*look.rows, Row("Q1", None, (), True)))


def test_the_engine_itself_is_right(played: list[Case]) -> None:
    clean = score(played, Engine())
    assert clean["shots"] == SHOTS
    for name in ("wrong", "truth_excluded", "guessed", "above_worst_case", "split", "merged", "invented", "missed"):
        assert clean[name] == 0, name
    assert 1.0 < clean["questions_per_shot"] < 4.0


@pytest.mark.parametrize(("spoil", "fields"), [(another_ruling, {"short", "points"}), (only_next, {"next"})])
def test_one_wrong_ruling_in_many_is_caught_and_nothing_else(
    played: list[Case], spoil: Callable[..., Look], fields: set[str]
) -> None:
    """Mutation: comparing points alone leaves the wrong player unseen."""
    found = score(played, Planted(33, spoil))
    clean = score(played, Engine())
    assert found["wrong"] == 1
    assert set(found["wrong_fields"]) <= fields
    assert found["wrong_fields"]
    assert {k: v for k, v in found.items() if not k.startswith("wrong")} == {
        k: v for k, v in clean.items() if not k.startswith("wrong")
    }


def test_a_guess_is_caught_even_where_it_is_right(played: list[Case]) -> None:
    at = next(c.shot for c in played if len(possible(c.evidence, c.before, c.options)) > 1)
    found = score(played, Planted(at, sure))
    assert (found["guessed"], found["wrong"], found["truth_excluded"]) == (1, 0, 0)


def test_a_row_too_many_is_counted(played: list[Case]) -> None:
    case = next(c for c in played if c.answers["Q1"] == "opponent")

    def also(look: Look, evidence: Evidence, before: Any, options: Options) -> Look:
        return replace(look, rows=(*look.rows, Row("Q1", "opponent", ("opponent",), True)))

    clean, found = judge(case, Engine()), judge(case, Planted(case.shot, also))
    assert found.questions == clean.questions + 1
    assert not found.differing


def test_more_rows_than_the_worst_case_needs_is_counted() -> None:
    total = Score()
    total.add(Judged(1, {}, {}, questions=4, at_most=3))
    total.add(Judged(2, {}, {}, questions=3, at_most=3))
    assert total.above_worst_case == 1
    assert not total.good


def test_evidence_that_cannot_be_true_excludes_the_truth(played: list[Case]) -> None:
    """A pin that fell and was not reported by a healthy sensor: the truth is not among what is possible."""
    for case in played:
        blind = replace(
            case.evidence, observations=tuple(o for o in case.evidence.observations if o.kind.value != "pin")
        )
        left = {p.short for p in possible(blind, case.before, case.options)}
        if case.truth.short not in left and not case.evidence.calls:
            break
    else:
        pytest.fail("no shot of the unit turns on a pin alone")
    judged = judge(replace(case, evidence=blind), Engine())
    assert judged.excluded
    assert judged.failed


@pytest.mark.parametrize(
    ("sheet", "excluded", "guessed"),
    [
        ({"certain": True, "proposal": {"short": "A+2"}, "rows": [], "n": 5}, False, False),
        ({"certain": True, "proposal": {"short": "0"}, "rows": [], "n": 5}, True, False),
        ({"certain": False, "proposal": {"short": "A+2"}, "rows": [], "n": 5}, False, True),
        ({"certain": False, "proposal": {"short": "A+2"}, "rows": [], "n": 4}, False, False),
        (
            {
                "certain": True,
                "proposal": {"short": "A+2"},
                "rows": [{"id": "Q1", "multi": False, "answers": [{"id": "red"}]}],
                "n": 5,
            },
            True,
            False,
        ),
    ],
)
def test_the_watch_over_a_hub_sees_what_must_not_be(sheet: dict[str, Any], excluded: bool, guessed: bool) -> None:
    watch = Watch()
    watch.sees(sheet, {"phase": "proposed", "n": 5}, "A+2", {"Q1": "opponent"})
    assert (watch.excluded, watch.guessed) == (excluded, guessed)


@pytest.mark.parametrize(
    ("before", "more", "by_hand", "window"),
    [
        (0, 1, False, ""),
        (0, 1, True, ""),
        (0, 2, False, "split"),
        (0, 0, False, "merged"),
        (0, 0, True, "missed"),
        (1, 1, False, "invented"),
        (1, 0, True, "invented"),
    ],
)
def test_windows(before: int, more: int, by_hand: bool, window: str) -> None:
    """Mutation: a shot too many before the stroke counted as one of it."""
    assert Watch.window(before, more, by_hand=by_hand) == window
    total = Score()
    total.add(Judged(1, {}, {}, window=window))
    assert total.good == (window == "")
    assert total.as_json().get(window, 1) == 1


def test_grouping_changes_nothing() -> None:
    shots = [Judged(n, {"short": "0"}, {"short": "0" if n % 7 else "1"}, n % 4, n % 3) for n in range(1, 50)]
    whole, parts = Score(), Score()
    for one in shots:
        whole.add(one)
    for start in (0, 11, 12, 40):
        part = Score()
        for one in shots[start : {0: 11, 11: 12, 12: 40, 40: 50}[start]]:
            part.add(one)
        parts.merge(part)
    assert parts.as_json() == whole.as_json()
    assert whole.wrong == 7


def test_figures() -> None:
    assert mean({0: 1, 3: 1}) == 1.5
    assert percentile({0: 95, 9: 5}, 0.95) == 0
    assert percentile({0: 94, 9: 6}, 0.95) == 9
    assert view_fields({"short": "0", "text": "x"})["short"] == "0"
