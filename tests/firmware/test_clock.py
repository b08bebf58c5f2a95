"""Device time over the wrap of the tick counter, and the filter of the offset to the hub's clock."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefw.clock import AGREEING, HALF, MASK, PERIOD, Extender, Offset


@given(st.integers(0, MASK), st.lists(st.integers(0, HALF - 1), max_size=60))
def test_device_time_follows_any_steps_below_half_a_period(start: int, steps: list[int]) -> None:
    clock = Extender(start)
    true = start
    for step in steps:
        true += step
        assert clock.extend(true & MASK) == true


@given(st.integers(PERIOD, 1 << 40), st.integers(0, HALF - 1))
def test_a_stamp_slightly_older_than_the_newest_is_subtracted(now: int, older: int) -> None:
    clock = Extender(now & MASK)
    clock.now = now
    assert clock.extend((now - older) & MASK) == now - older
    assert clock.now == now


@pytest.mark.report("R036")
def test_75_minutes_cross_the_wrap_four_times_without_a_jump() -> None:
    """R036: the mutation `d < PERIOD` instead of half a period turns late stamps into jumps of 17.9 minutes."""
    clock = Extender(0)
    rng = random.Random(36)
    true = 0
    wraps = 0
    while true < 75 * 60 * 1_000_000:
        step = rng.randrange(1, 60_000_000)
        wraps += (true + step) // PERIOD - true // PERIOD
        true += step
        assert clock.extend(true & MASK) == true
        late = max(0, true - rng.randrange(0, 30_000))
        assert clock.extend(late & MASK) == late
    assert wraps >= 4


def exchange(filter_: Offset, device: int, offset: int, out: int, back: int) -> bool:
    t0, t1 = device, device + out + offset
    return bool(filter_.feed(t0, t1, t1 + 50, t0 + out + 50 + back))


def test_the_shortest_round_trip_of_the_last_eight_counts() -> None:
    f = Offset()
    rng = random.Random(5)
    for i in range(8):
        exchange(f, i * 2_000_000, 7_000_000, 900 if i != 3 else 200, 900 + rng.randrange(3000) if i != 3 else 210)
    assert f.ok
    assert f.best is not None
    assert abs(f.best[1] - 7_000_000) <= 10
    assert f.best[2] == 410


@pytest.mark.parametrize("rtt", [250_001, 900_000])
def test_a_slow_exchange_is_rejected(rtt: int) -> None:
    f = Offset()
    assert not exchange(f, 0, 0, rtt // 2, rtt - rtt // 2)
    assert (f.best, f.ok, f.rejected) == (None, False, 1)


def test_a_reply_that_came_before_it_was_asked_for_is_rejected() -> None:
    f = Offset()
    assert not f.feed(1000, 500, 400, 1100)
    assert not f.feed(1000, 500, 900, 1100)


def test_one_wild_sample_does_not_move_the_clock_three_agreeing_ones_do() -> None:
    """Mutation: AGREEING = 1 lets one delayed reply shift every stamp."""
    f = Offset()
    for i in range(4):
        exchange(f, i * 2_000_000, 1_000, 300, 300)
    exchange(f, 8_000_000, 51_000, 300, 300)
    assert f.best is not None
    assert f.best[1] == 1_000
    assert not f.ok
    exchange(f, 10_000_000, 1_000, 300, 300)
    assert f.ok
    for i in range(AGREEING):
        assert f.best is not None
        assert f.best[1] == 1_000
        exchange(f, (20 + 2 * i) * 1_000_000, 90_000, 300, 300)
    assert f.best is not None
    assert f.best[1] == 90_000
    assert f.ok


def test_jumps_that_disagree_prove_nothing() -> None:
    f = Offset()
    exchange(f, 0, 0, 300, 300)
    for i, offset in enumerate((50_000, 120_000, 200_000, 300_000)):
        exchange(f, (i + 1) * 2_000_000, offset, 300, 300)
    assert f.best is not None
    assert f.best[1] == 0
    assert not f.ok


def test_a_drift_of_two_percent_is_followed_within_a_few_exchanges() -> None:
    """A badly running board: quality falls, but the offset keeps up within four requests."""
    f = Offset()
    for i in range(200):
        device = i * 2_000_000
        exchange(f, device, device // 50, 300, 300)
    assert f.best is not None
    assert abs(f.best[1] - 199 * 2_000_000 // 50) <= 4 * 40_000
