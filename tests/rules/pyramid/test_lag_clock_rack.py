"""Lag, shot clock, racks, placing and drawings: the parts that need no shot."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from marker_rules.balls import GameId, Player
from marker_rules.errors import IllegalInput
from marker_rules.options import Options
from marker_rules.pyramid import clock, diagram, placing, rack
from marker_rules.pyramid.clock import ClockCall, ClockLaw, DueCall
from marker_rules.pyramid.lag import FAULTS, LagBall, LagResult, judge_lag, read_ball

CLEAN = {"back_rail": 1, "dist_mm": 300}
WAYS = [
    ("RP-6.2.1", {"entered_other_side": True}),
    ("RP-6.2.2", {"back_rail": 0}),
    ("RP-6.2.3", {"potted": True}),
    ("RP-6.2.4", {"jumped": True}),
    ("RP-6.2.5", {"long_rail": True}),
    ("RP-6.2.6", {"back_rail": 2}),
    ("RP-6.4", {"late": True}),
]


@pytest.mark.clause("RP-6.2.1")
@pytest.mark.clause("RP-6.2.2")
@pytest.mark.clause("RP-6.2.3")
@pytest.mark.clause("RP-6.2.4")
@pytest.mark.clause("RP-6.2.5")
@pytest.mark.clause("RP-6.2.6")
@pytest.mark.clause("RP-6.4")
@pytest.mark.parametrize(("clause", "fault"), WAYS)
class TestLagFaults:
    """Each way to lose a lag at once, against a clean ball that lies farther (6.2, 6.4)."""

    def test_loses(self, clause: str, fault: dict[str, Any]) -> None:
        bad = LagBall(**{**CLEAN, "dist_mm": 10, **fault})
        assert judge_lag(bad, LagBall(**CLEAN)).result is LagResult.B
        ruling = judge_lag(LagBall(**CLEAN), bad)
        assert (ruling.result, ruling.clauses) == (LagResult.A, (clause,))

    @pytest.mark.clause("RP-6.3")
    @pytest.mark.parametrize("other", [fault for _, fault in WAYS])
    def test_both_break_the_rules(self, clause: str, fault: dict[str, Any], other: dict[str, Any]) -> None:
        """Repeat, also a late stroke against another violation (AMB-27)."""
        ruling = judge_lag(LagBall(**{**CLEAN, **fault}), LagBall(**{**CLEAN, **other}))
        assert ruling.result is LagResult.REPLAY
        assert ("AMB-27" in ruling.interpretations) is ("late" in fault or "late" in other)

    def test_distance_does_not_matter(self, clause: str, fault: dict[str, Any]) -> None:
        """A ball that lost at once needs no distance."""
        bad = LagBall(**{**CLEAN, "dist_mm": None, **fault})
        assert judge_lag(bad, LagBall(dist_mm=None)).result is LagResult.B


@pytest.mark.clause("RP-6.1")
class TestLag:
    def test_nearer_wins(self) -> None:
        assert judge_lag(LagBall(dist_mm=10.5), LagBall(dist_mm=10.6)).result is LagResult.A
        assert judge_lag(LagBall(dist_mm=0, front_rail=2), LagBall(dist_mm=1)).result is LagResult.A

    def test_repeat(self) -> None:
        """Level, undecidable, or balls that met (AMB-27)."""
        level = LagBall(dist_mm=10)
        assert judge_lag(level, level).result is LagResult.REPLAY
        assert judge_lag(level, LagBall(dist_mm=500), undecidable=True).result is LagResult.REPLAY
        assert judge_lag(level, LagBall(dist_mm=500, potted=True), collided=True).result is LagResult.REPLAY

    def test_undecidable_does_not_save_a_fault(self) -> None:
        assert judge_lag(LagBall(potted=True), LagBall(), undecidable=True).result is LagResult.B

    def test_missing_distance_is_refused(self) -> None:
        with pytest.raises(IllegalInput, match="dist_mm of B"):
            judge_lag(LagBall(dist_mm=1), LagBall())

    def test_table_lists_six_ways_and_the_late_stroke(self) -> None:
        assert [clause for clause, _ in FAULTS] == [clause for clause, _ in WAYS]

    @pytest.mark.parametrize(
        "given",
        [{"back_rail": -1}, {"back_rail": True}, {"dist_mm": "near"}, {"late": 1}, {"speed": 3}, [], {"dist_mm": -1}],
    )
    def test_reading(self, given: Any) -> None:
        with pytest.raises(IllegalInput, match=r"given\.A"):
            read_ball("A", given)

    def test_in_the_match(self, play: Any) -> None:
        match = play(opener=None)
        match.act("lag", value="replay")
        with pytest.raises(IllegalInput, match="A, B or replay"):
            match.act("lag", value="C")
        match.act("lag", value="B", choice="break")
        assert match.state.breaker is Player.B
        with pytest.raises(IllegalInput, match="not now"):
            match.act("lag", value="B")


LAW = ClockLaw()


def law(**options: Any) -> ClockLaw:
    return ClockLaw.of(Options(GameId.FREE, options))


@pytest.mark.clause("RP-28.1a")
@pytest.mark.clause("RP-28.3d")
class TestClock:
    """The clock moves only by events with their own time (AMB-23, AMB-24)."""

    def test_limits(self) -> None:
        assert (law().limit_s, law(live_tv=True).limit_s, law(shot_clock_s=30).limit_s) == (40, 30, 30)
        assert law(live_tv=True, shot_clock_s=40).limit_s == 40
        assert law(auto_extension=True).automatic

    def test_exactly_at_the_limit_is_in_time(self) -> None:
        strict = clock.start(LAW, 100, used=2)
        assert not clock.struck(strict, 140).foul
        assert clock.struck(strict, 140.001).foul
        assert not clock.struck(clock.start(LAW, 100), 141).foul  # an extra time was left: the referee calls "Time"

    def test_due_calls(self) -> None:
        running = clock.start(LAW, 0)
        assert clock.due_calls(running, 40) == ()
        assert clock.due_calls(running, 40.1) == (DueCall(ClockCall.TIME, 40),)
        strict = clock.start(LAW, 0, used=2)
        assert clock.due_calls(strict, 30) == ()
        assert clock.due_calls(strict, 30.1) == (DueCall(ClockCall.TEN_SECONDS, 30),)
        assert clock.due_calls(strict, 41)[-1] == DueCall(ClockCall.FOUL, 40)

    def test_late_message_of_a_stroke_in_time(self) -> None:
        """The time of the event decides: 50 ms before zero, told 300 ms later, is no overrun."""
        strict = clock.start(LAW, 0, used=2)
        assert clock.due_calls(strict, 40.25)[-1].call is ClockCall.FOUL
        assert not clock.struck(strict, 39.95).foul
        assert clock.due_calls(clock.struck(strict, 39.95), 41) == (DueCall(ClockCall.TEN_SECONDS, 30),)

    def test_extra_time_runs_from_the_call(self) -> None:
        called = clock.time_called(clock.start(LAW, 0), 43)
        assert (called.deadline, called.used, called.used_here) == (83, 1, 1)
        with pytest.raises(IllegalInput, match="are left"):
            clock.time_called(clock.start(LAW, 0), 39)

    def test_request(self) -> None:
        asked = clock.requested(clock.start(LAW, 0), 25)
        assert (asked.deadline, asked.used) == (65, 1)
        added = clock.requested(clock.start(law(extension_mode="added"), 0), 25)
        assert added.deadline == 80
        late = clock.time_called(clock.start(law(extension_mode="added"), 0), 43)
        assert late.deadline == 80

    def test_third_is_refused(self) -> None:
        with pytest.raises(IllegalInput) as refused:
            clock.requested(clock.start(LAW, 0, used=2), 20)
        assert refused.value.code == "refused"

    def test_one_per_shot(self) -> None:
        """By the switch the second overrun of a shot is a foul, though one extra time is left in the frame."""
        once = clock.requested(clock.start(law(extensions_per_shot=1), 0), 10)
        assert (once.can_extend, once.strict) == (False, False)
        assert clock.due_calls(once, 51)[-1].call is ClockCall.FOUL
        assert clock.struck(once, 51).foul
        assert clock.start(law(extensions_per_shot=1), 0, used=1).can_extend

    def test_pause(self) -> None:
        paused = clock.paused(clock.start(LAW, 0), 15)
        assert (clock.left_s(paused, 500), clock.due_calls(paused, 500)) == (25, ())
        resumed = clock.resumed(paused, 100)
        assert (resumed.deadline, clock.left_s(resumed, 110)) == (125, 15)
        assert clock.left_s(clock.struck(resumed, 112), 999) == 13
        assert clock.left_s(resumed, 999) == 0

    def test_refused_moves(self) -> None:
        running = clock.start(LAW, 0)
        for wrong in (
            lambda: clock.resumed(running, 1),
            lambda: clock.struck(clock.paused(running, 1), 2),
            lambda: clock.requested(clock.struck(running, 1), 2),
            lambda: clock.paused(clock.paused(running, 1), 2),
            lambda: clock.start(LAW, 0, used=3),
        ):
            with pytest.raises(IllegalInput):
                wrong()

    def test_start_never_before_the_rest(self) -> None:
        assert clock.start_time(10, 4, Options(GameId.FREE)) == 10


ROWS = {
    0: (), 1: (1,), 2: (0, 2), 3: (1, 2), 4: (0, 1, 3), 5: (0, 2, 3), 6: (1, 2, 3), 7: (0, 0, 3, 4), 8: (0, 1, 3, 4),
    9: (0, 2, 3, 4), 10: (1, 2, 3, 4), 11: (0, 0, 2, 4, 5), 12: (0, 0, 3, 4, 5), 13: (0, 1, 3, 4, 5),
    14: (0, 2, 3, 4, 5), 15: (1, 2, 3, 4, 5),
}  # fmt: skip


@pytest.mark.clause("RP-7.1")
@pytest.mark.clause("RP-7.N1")
@pytest.mark.clause("RP-24.N1")
@pytest.mark.parametrize(("whites", "rows"), ROWS.items())
def test_rack(whites: int, rows: tuple[int, ...]) -> None:
    """Filled from the apex, the base full, what is missing is missing at the apex (AMB-30)."""
    assert rack.rows(whites) == rows
    assert sum(rows) == whites
    found = rack.places(whites, rear_x=887.5, ball_d=68)
    assert len(set(found)) == whites
    near = [((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 for ax, ay in found for bx, by in found if (ax, ay) < (bx, by)]
    assert all(distance > 67.99 for distance in near)


@pytest.mark.parametrize("whites", [-1, 16])
def test_rack_of_another_number(whites: int) -> None:
    with pytest.raises(IllegalInput, match="0 to 15"):
        rack.rows(whites)


@pytest.mark.clause("RP-23.2a")
@pytest.mark.clause("RP-1.1.5")
@pytest.mark.clause("RP-1.1.7")
class TestPlacing:
    def test_line_is_that_of_the_table(self) -> None:
        """The line of the rules agrees with the table's file."""
        table = tomllib.loads((Path(__file__).parents[3] / "hardware/tables/pyramid12.toml").read_text("utf-8"))
        spots = {name: spot["v"] for name, spot in table["spots"].items()}
        line = placing.DEFAULT_LINE
        assert ([line.rear_x, 0], [line.foot_x, 0], [line.centre_x, 0]) == (
            spots["rear"],
            spots["back_cushion"],
            spots["centre"],
        )
        assert line.ball_d == table["ball"]["d"]["v"]

    def test_no_two_touch(self) -> None:
        found = sorted(x for x, _ in placing.places(25))
        assert all(b - a > placing.DEFAULT_LINE.ball_d for a, b in pairwise(found))
        assert (found[0] >= 0, found[-1] <= 1741) == (True, True)
        with pytest.raises(IllegalInput, match="find room"):
            placing.places(26)

    def test_nth(self) -> None:
        assert placing.nth_place(1) == (887.5, 0.0)
        assert placing.nth_place(14)[0] < 887.5
        with pytest.raises(IllegalInput, match="count from 1"):
            placing.nth_place(0)

    @pytest.mark.clause("RP-23.2c")
    @pytest.mark.parametrize("y", [0.0, 30.0, -60.0, 66.0])
    def test_beside_an_obstacle(self, y: float) -> None:
        """As near as can be to the rear spot and the obstacle, not touching."""
        (x, _), *_ = placing.places(1, obstacles=[(900.0, y)])
        assert ((x - 900) ** 2 + y**2) ** 0.5 == pytest.approx(placing.DEFAULT_LINE.pitch)
        assert placing.places(1, obstacles=[(900.0, 69.1)])[0] == (887.5, 0.0)

    @pytest.mark.clause("RP-23.2d")
    def test_a_ball_keeps_its_radius_from_the_cushion(self) -> None:
        """Twelve fit when the thirteenth would stand in the cushion, though its centre would not."""
        short = placing.SpottingLine(foot_x=1749.0)
        assert [x < 887.5 for x, _ in placing.places(13, short)] == [False] * 12 + [True]

    @pytest.mark.clause("RP-23.2d")
    def test_extension_when_there_is_no_room(self) -> None:
        wall = [(887.5 + 69 * n, 0.0) for n in range(13)]
        assert placing.places(1, obstacles=wall)[0][0] == pytest.approx(818.5)

    @pytest.mark.clause("RP-23.1")
    def test_rulings_name_places(self, judge: Any) -> None:
        ruling = judge("strike C; contact C w3; pot w3 BL; off w7 floor", calls="RP-16 A")
        assert [(p.what, p.spot) for p in ruling.placements] == [
            ("w3", "line-1"),
            ("w7", "line-2"),
            ("white", "line-3"),
        ]


def test_drawings_are_svg_with_a_text_form() -> None:
    """Each ball is drawn once, in the frame of the table, and the drawing has a title."""
    for text, balls, title in (
        (diagram.spotting_svg(["w3", "<1>"]), 2, "Balls to place: 2"),
        (diagram.rack_svg(9), 9, "Rack of 9"),
        (diagram.rack_svg(15, title='"A" & B'), 15, '"A" & B'),
    ):
        root = ET.fromstring(text)
        space = "{http://www.w3.org/2000/svg}"
        circles = root.findall(f"{space}circle")
        assert len(circles) == balls + 1  # and the rear spot
        assert root.find(f"{space}title").text == title
        assert root.get("role") == "img"
        assert float(circles[1].get("cx")) >= 887.5
