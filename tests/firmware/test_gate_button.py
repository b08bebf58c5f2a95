"""Pocket gates and buttons: every ball leaves a trace, every doubt a flag."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablefw import defaults as D
from tablefw import wire_codes as W
from tablefw.button import Button
from tablefw.gate import Gate
from tablefw.health import CLEAN_US
from tablefw.sensors import ProfileError, Sensors

UNKNOWN = 65535
MS = 1000


def gate() -> tuple[Gate, list[tuple[int, ...]]]:
    out: list[tuple[int, ...]] = []
    return Gate(33, lambda *r: out.append(r)), out


def blocks(g: Gate, *parts: tuple[int, float, float], end: float = 3000) -> None:
    """(beam, from ms, to ms) blocks in any order, then time passes."""
    edges = [(on, b, False) for b, on, _ in parts] + [(off, b, True) for b, _, off in parts]
    for t, beam, lit in sorted(edges):
        g.edge(round(t * MS), beam, lit)
    t = max(e[0] for e in edges)
    while t < end:
        t += 1
        g.tick(round(t * MS))


def test_a_clean_passage_tells_time_between_the_beams_and_how_long_it_took() -> None:
    g, out = gate()
    blocks(g, (0, 100, 122.7), (1, 106.7, 129.4))
    assert out == [(100_000, 33, W.KIND_DROP, 67, (22_700 // 4000) << 8)]


def test_a_ball_that_comes_back_is_back() -> None:
    g, out = gate()
    blocks(g, (1, 100, 130), (0, 110, 140))
    assert [(r[0], r[2], r[3], r[4]) for r in out] == [(100_000, W.KIND_BACK, 100, 0)]


@pytest.mark.parametrize(("on", "off"), [(3.5, 7), (400.5, 999)])
def test_a_block_too_short_or_too_long_is_a_drop_flagged_unsure(on: float, off: float) -> None:
    for length in (on, off):
        g, out = gate()
        blocks(g, (0, 100, 100 + length), (1, 105, 105 + length))
        assert [(r[2], r[4] & W.FLAG_UNSURE) for r in out] == [(W.KIND_DROP, W.FLAG_UNSURE)]


@pytest.mark.parametrize("beam", [0, 1])
def test_one_beam_only_is_a_drop_flagged_unsure(beam: int) -> None:
    g, out = gate()
    blocks(g, (beam, 100, 120))
    assert [(r[0], r[3], r[4] & 0xFF) for r in out] == [(100_000, UNKNOWN, W.FLAG_UNSURE)]


def test_a_rattle_below_3_ms_is_nothing() -> None:
    g, out = gate()
    blocks(g, (0, 100, 102.5), (0, 110, 112.9))
    assert out == []


def test_a_second_ball_inside_the_first_ones_block_is_kept_and_flagged_merged() -> None:
    g, out = gate()
    blocks(g, (0, 100, 120), (1, 110, 150), (0, 125, 145), (1, 160, 180))
    assert [r[4] & W.FLAG_MERGED for r in out] == [0, W.FLAG_MERGED]


@pytest.mark.report("R014")
def test_two_full_passages_60_ms_apart_are_both_kept_the_second_flagged() -> None:
    """R014: nothing is dropped silently. Mutation: a lockout after the first passage loses the second."""
    g, out = gate()
    blocks(g, (0, 0, 22.7), (1, 6.7, 29.4), (0, 60, 82.7), (1, 66.7, 89.4))
    assert [(r[0], r[2]) for r in out] == [(0, W.KIND_DROP), (60_000, W.KIND_DROP)]
    assert out[0][4] & 0xFF == 0
    assert out[1][4] & W.FLAG_MERGED


def test_two_passages_150_ms_apart_are_two_clean_drops() -> None:
    g, out = gate()
    blocks(g, (0, 0, 22.7), (1, 6.7, 29.4), (0, 150, 172), (1, 157, 179))
    assert [r[4] & 0xFF for r in out] == [0, 0]


def test_a_beam_blocked_for_more_than_a_second_is_stuck_and_no_drop() -> None:
    g, out = gate()
    blocks(g, (0, 100, 2500))
    assert out == []
    assert g.quality() == W.QUALITY_OK, "lit again"
    g.edge(5_000_000, 0, False)
    g.tick(6_100_000)
    assert g.quality() == W.QUALITY_STUCK


def test_beside_a_stuck_beam_the_other_one_still_tells_that_something_passed() -> None:
    g, out = gate()
    g.edge(0, 0, False)
    g.tick(1_100_000)
    blocks(g, (1, 2000, 2022), end=2200)
    assert [(r[2], r[3], r[4] & W.FLAG_UNSURE) for r in out] == [(W.KIND_DROP, UNKNOWN, W.FLAG_UNSURE)]


def test_chatter_makes_the_beam_noisy_and_its_edges_are_no_drops() -> None:
    g, out = gate()
    for i in range(600):
        g.edge(2_000_000 + i * 2500, 0, bool(i & 1))
    g.tick(4_000_000)
    assert g.quality() == W.QUALITY_NOISY
    assert out == []


@pytest.mark.report("R009")
def test_a_passage_whose_words_waited_during_a_stall_is_a_drop_flagged_late() -> None:
    """R009: both edges of a 5 ms block are stamped when the stall ends. Mutation: debounce them away and the ball is gone."""
    out: list[tuple[int, ...]] = []
    s = Sensors("pyramid", lambda *r: out.append(r))
    s.shift_word(1_000_000, 0xFFFE)
    s.shift_word(1_000_020, 0xFFFF, late=True)
    s.tick(1_500_000)
    assert [(r[1], r[2], r[4] & 0xFF) for r in out] == [(32, W.KIND_DROP, W.FLAG_UNSURE | W.FLAG_LATE)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(100, 60_000), st.booleans()), max_size=40))
def test_no_accepted_block_is_silent(edges: list[tuple[int, int, bool]]) -> None:
    """Every block of 3 ms or more ends in a record, or leaves the beam stuck or noisy. Mutation: forget open passages."""
    g, out = gate()
    t = 0
    lit = [True, True]
    since = [0, 0]
    long_blocks = 0
    for beam, step, want in edges:
        t += step
        g.tick(t)
        if lit[beam] and not want:
            since[beam] = t
        if not lit[beam] and want and t - since[beam] >= D.GATE_DEBOUNCE_US:
            long_blocks += 1
        lit[beam] = want
        g.edge(t, beam, want)
    for i in range(2400):
        g.tick(t + i * 1000)
    drops = len(out)
    noisy = any(b.noisy for b in g.beams)
    if not noisy and all(lit):
        assert (drops > 0) == (long_blocks > 0)
        assert g.open == []


def button() -> tuple[Button, list[tuple[int, ...]]]:
    out: list[tuple[int, ...]] = []
    return Button(50, lambda *r: out.append(r)), out


def press(b: Button, *edges: tuple[float, int], end: float = 100.0) -> None:
    for t, level in edges:
        b.edge(round(t * MS), level)
    b.tick(round((edges[-1][0] + end) * MS))


def test_a_press_is_stamped_at_its_first_edge_and_bounce_is_nothing() -> None:
    b, out = button()
    press(b, (10, 0), (10.4, 1), (11, 0), (13, 1), (14, 0), (500, 1), (501, 0), (505, 1))
    assert out == [(10_000, 50, W.KIND_PRESS, 0, 0), (500_000, 50, W.KIND_RELEASE, 490, 0)]


def test_a_release_inside_the_bounce_time_is_told_when_it_is_over() -> None:
    b, out = button()
    press(b, (10, 0), (20, 1))
    assert [r[2] for r in out] == [W.KIND_PRESS, W.KIND_RELEASE]


def test_held_for_10_s_is_stuck_until_released() -> None:
    b, _ = button()
    b.edge(0, 0)
    b.tick(D.BUTTON_STUCK_MS * 1000 + 1)
    assert b.quality() == W.QUALITY_STUCK
    b.edge(11_000_000, 1)
    assert b.quality() == W.QUALITY_OK


def test_chatter_is_noisy_and_presses_nothing_more() -> None:
    b, out = button()
    for i in range(200):
        b.edge(i * 20_000, i & 1)
    assert b.quality() == W.QUALITY_NOISY
    assert len(out) <= 40


@settings(max_examples=100)
@given(st.lists(st.integers(100, 200_000), min_size=1, max_size=20))
def test_presses_and_releases_alternate(steps: Iterable[int]) -> None:
    b, out = button()
    t = level = 0
    for step in steps:
        t += step
        b.tick(t)
        b.edge(t, level)
        level ^= 1
    b.tick(t + 1_000_000)
    want = [W.KIND_PRESS, W.KIND_RELEASE] * len(out)
    assert [r[2] for r in out] == want[: len(out)]
    assert b.pressed == b.raw


def test_health_records_tell_changes_and_ok_comes_back_after_a_clean_minute() -> None:
    out: list[tuple[int, ...]] = []
    s = Sensors("pyramid", lambda *r: out.append(r))
    for i in range(400):
        s.edge(i * 2500, 64 + 2, i & 1)
    s.edge(1_010_000, 64 + 2, 1)
    s.tick(2_000_000)
    assert out[-1][1:4] == (33, W.KIND_QUALITY, W.QUALITY_NOISY)
    assert s.health.by_name()["P2"] == W.QUALITY_NOISY
    s.tick(1_010_000 + CLEAN_US - 1)
    assert s.health.by_name()["P2"] == W.QUALITY_NOISY
    s.tick(3_000_000 + 2 * CLEAN_US)
    s.tick(3_300_000 + 2 * CLEAN_US)
    assert s.health.by_name()["P2"] == W.QUALITY_OK
    assert out[-1][1:4] == (33, W.KIND_QUALITY, W.QUALITY_OK)


def test_a_passed_self_test_brings_a_channel_back_at_once() -> None:
    out: list[tuple[int, ...]] = []
    s = Sensors("pyramid", lambda *r: out.append(r))
    s.health.test_result(1000, 16, W.QUALITY_ABSENT)
    assert s.health.by_name()["PZ1"] == W.QUALITY_ABSENT
    s.tick(5_000_000)
    assert s.health.by_name()["PZ1"] == W.QUALITY_ABSENT
    s.health.test_result(6_000_000, 16, W.QUALITY_OK)
    assert s.health.by_name()["PZ1"] == W.QUALITY_OK
    assert [r[3] for r in out] == [W.QUALITY_ABSENT, W.QUALITY_OK]


def test_more_than_five_knocks_a_minute_on_an_idle_table_are_noise() -> None:
    s = Sensors("pyramid", lambda *r: None)
    for armed, code in ((True, W.QUALITY_OK), (False, W.QUALITY_NOISY)):
        if armed:
            s.arm([])
        else:
            s.disarm()
        for i in range(6):
            t = (1 + (not armed) * 100) * 1_000_000 + i * 500_000
            s.edge(t, 17, 1)
            s.reading(t + 300, 17, 400)
            s.edge(t + 9_000, 17, 0)
            s.tick(t + 20_000)
        s.tick(t + 300_000)
        assert s.health.by_name()["PZ2"] == code


def test_an_input_the_profile_has_not_is_an_error_not_off() -> None:
    s = Sensors("carom5", lambda *r: None)
    with pytest.raises(ValueError, match="not fitted in profile carom5"):
        s.edge(0, 20, 1)
    with pytest.raises(ProfileError, match="snooker"):
        Sensors("snooker", lambda *r: None)


def test_unfitted_shift_bits_of_a_profile_are_ignored() -> None:
    out: list[tuple[int, ...]] = []
    s = Sensors("carom5", lambda *r: out.append(r))
    s.shift_word(0, 0xF000)
    s.tick(1_000_000)
    assert out == []
    s.shift_word(1_000_000, 0xE000)
    assert out[0][1:3] == (48, W.KIND_PRESS)
