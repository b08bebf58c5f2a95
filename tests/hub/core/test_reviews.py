"""What was decided stays decided: late evidence and newer rules only ask to look again, and nobody forgets to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import table as core
from marker_hub.match.state import EDITION


def older(journal: list[e.Entry], *shots: int) -> list[e.Entry]:
    """The journal as an older edition of the judge would have written it: these shots gave two points more."""
    made = []
    for entry in journal:
        body = entry.body
        if isinstance(body, e.Accepted) and body.shot in shots:
            ruling = dict(body.ruling)
            points, score = list(ruling["points"]), list(ruling["score"])
            gains = "AB".index(ruling["striker"])
            points[gains] += 2
            score[gains] += 2
            old = msgspec.structs.replace(
                body, ruling={**ruling, "points": points, "score": score}, hash="", edition="0"
            )
            entry = msgspec.structs.replace(entry, body=old)  # noqa: PLW2901 - the same entry in its older form
        made.append(entry)
    return made


def fold(driver: Any, journal: list[e.Entry]) -> None:
    driver.journal = []
    driver.table = core.new_table(driver.config)
    for entry in journal:
        driver.table, _ = core.step(driver.table, entry)
        driver.journal.append(entry)


def reviews(driver: Any) -> list[dict[str, Any]]:
    return [notice["args"] for notice in driver.view["notices"] if notice["code"] == "review"]


@pytest.fixture
def replayed(drivers: Any) -> Any:
    """Two shots that newer rules would judge otherwise; the rest of the match is played under them."""
    driver = drivers()
    driver.five_pins()
    driver.play("N")
    journal = older(driver.journal, 1)
    fold(driver, journal)
    return driver


def test_a_ruling_that_newer_rules_would_give_otherwise_is_kept_and_listed(replayed: Any) -> None:
    assert replayed.score == (4, 0)
    assert replayed.table.match.shots[0].ruling.short == "A+4"
    assert reviews(replayed) == [{"shot": 1, "old": "A+4", "new": "A+2"}]
    replayed.play("E")
    assert replayed.score == (4, 2)
    assert replayed.view["review"] == [1]


def test_it_is_taken_only_when_the_referee_takes_it(replayed: Any) -> None:
    replayed.do(c.Amend(shot=1, changes=e.Change(note="the newer reading")))
    assert replayed.score == (2, 0)
    assert reviews(replayed) == []


def test_it_is_kept_for_good_when_he_keeps_it(replayed: Any) -> None:
    replayed.effects.clear()
    replayed.do(c.Amend(shot=1, changes=e.Change(keep=True)))
    assert replayed.score == (4, 0)
    assert reviews(replayed) == []
    assert replayed.effects == []
    assert replayed.table.match.shots[0].ruling.short == "A+4"
    replayed.do(c.Undo())
    assert replayed.view["review"] == [1]


def test_a_later_correction_leaves_the_older_decision_alone(replayed: Any) -> None:
    replayed.play("E")
    replayed.play("S")
    replayed.do(c.Amend(shot=2, changes=e.Change(void=True)))
    assert replayed.table.match.shots[0].ruling.short == "A+4"
    assert replayed.view["review"] == [1]
    assert replayed.score == (6, 0)


def test_the_same_edition_is_not_judged_again(carom: Any) -> None:
    """Folding a long journal must not cost a judgement a shot."""
    carom.play("N")
    bodies = [entry.body for entry in carom.journal if isinstance(entry.body, e.Accepted)]
    assert [body.edition for body in bodies] == [EDITION]
    assert carom.view["review"] == []
