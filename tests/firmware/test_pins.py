"""Skittles: states, latch, and what must never happen (fallen out of ambiguity, a latch that falls by itself)."""

import itertools
import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablefw import defaults as D
from tablefw import fixed, pins
from tablefw import wire_codes as W
from tablefw.pins import STABLE, Curve, Pin, curve, default_calibration

LINE = Curve(curve())
STANDING, FLAT, GONE = (0, 0, 1500), (-224, 0, 202), (0, 0, 0)
SLID, TILTED = (643, 0, 750), (230, 0, 800)
SCAN = 10_000
Trace = tuple[list[tuple[int, ...]], Callable[..., None]]


def make(calibration: dict[str, list[int]] | None = None) -> tuple[Pin, list[tuple[int, ...]]]:
    out: list[tuple[int, ...]] = []
    return Pin(2, calibration or default_calibration()["E"], LINE, lambda *r: out.append(r)), out


def play(pin: Pin, *parts: tuple[tuple[int, int, int] | None, int], start: int = 0) -> int:
    """Feed `scans` times each vector (None = no answer); returns the time after."""
    t = start
    for vector, scans in parts:
        for _ in range(scans):
            if vector is None:
                pin.miss(t)
            else:
                pin.feed(t, *vector)
            t += SCAN
    return t


def kinds(out: list[tuple[int, ...]], kind: int) -> list[tuple[int, ...]]:
    return [r for r in out if r[2] == kind]


@pytest.mark.parametrize(
    ("vector", "state"),
    [
        (STANDING, W.PIN_STANDING),
        (SLID, W.PIN_SLID),
        (TILTED, W.PIN_TILTED),
        (FLAT, W.PIN_FALLEN),
        (GONE, W.PIN_FALLEN),
        ((32767, 0, 0), W.PIN_UNKNOWN),
        ((0, -32767, 1500), W.PIN_UNKNOWN),
    ],
)
def test_the_poses_of_the_virtual_board_page(vector: tuple[int, int, int], state: int) -> None:
    pin, _ = make()
    assert pin.classify(*vector) == state


@pytest.mark.parametrize("mm", range(3, 13))
def test_an_upright_displaced_pin_is_slid_and_its_offset_is_told(mm: int) -> None:
    pin, _ = make()
    along, across = pins.upright(mm * 10, 100)
    angle = mm * 0.7
    vector = (round(1.5 * across * math.cos(angle)), round(1.5 * across * math.sin(angle)), round(1.5 * along))
    assert pin.classify(*vector) == W.PIN_SLID
    assert abs(pin.r - mm) <= 1


@given(st.integers(-4000, 4000), st.integers(-4000, 4000), st.integers(-4000, 4000))
def test_the_integer_rule_agrees_with_the_rule_in_floating_point(x: int, y: int, z: int) -> None:
    """Mutation: leave out asinh and the classes move by hundreds of permille."""
    pin, _ = make()
    state = pin.classify(x, y, z)
    d = math.dist((x, y, z), STANDING) / 1500
    u, v = math.asinh(20 * z / 1500), math.asinh(20 * math.hypot(x, y) / 1500)
    points = [(math.asinh(0.02 * a), math.asinh(0.02 * b)) for _, a, b in curve()]
    c = min(_to_segment(u, v, p, q) for p, q in itertools.pairwise(points))
    near = 0.012
    if min(abs(d - 0.25), abs(c - 0.25), abs(c - 0.5), abs(z / 1500 - 0.25)) < near:
        return
    if d < 0.25:
        assert state == W.PIN_STANDING
    elif c < 0.25:
        assert state == W.PIN_SLID
    elif c < 0.5:
        assert state == W.PIN_UNKNOWN
    else:
        assert state == (W.PIN_FALLEN if z / 1500 < 0.25 else W.PIN_TILTED)


def _to_segment(u: float, v: float, p: tuple[float, float], q: tuple[float, float]) -> float:
    dx, dy = q[0] - p[0], q[1] - p[1]
    k = max(0.0, min(1.0, ((u - p[0]) * dx + (v - p[1]) * dy) / (dx * dx + dy * dy)))
    return math.hypot(u - p[0] - k * dx, v - p[1] - k * dy)


@given(st.integers(-17000, 17000))
def test_fixed_point_asinh(x: int) -> None:
    assert abs(fixed.asinh20(x) - 1000 * math.asinh(0.02 * max(-16000, min(16000, x)))) <= 4


@given(st.integers(0, 1 << 40))
def test_fixed_point_square_root(n: int) -> None:
    assert fixed.isqrt(n) == math.isqrt(n)


@given(st.integers(1, 65000), st.integers(0, 60_000))
def test_fixed_point_decay_and_its_inverse(value: int, dt: int) -> None:
    low = fixed.decay(value, dt, 10_300)
    assert abs(low - value * math.exp(-dt / 10_300)) <= 2 + value * 0.002
    if low > 200:
        assert abs(fixed.undecay(low, dt, 10_300) - value) <= 2 + value * 0.015
        assert abs(fixed.decay_time(value, low, 10_300) - dt) <= 120


def test_a_pin_that_falls_tells_move_lost_and_state_once() -> None:
    pin, out = make()
    t = play(pin, (STANDING, 30))
    out.clear()
    play(pin, (FLAT, 40), start=t)
    assert [(r[2], r[3]) for r in out if r[2] != W.KIND_MOVE] == [
        (W.KIND_LOST, W.LATCH_MAYBE),
        (W.KIND_LOST, W.LATCH_YES),
        (W.KIND_STATE, W.PIN_FALLEN),
    ]
    (move,) = kinds(out, W.KIND_MOVE)
    assert move[0] == t, "the stamp is the first scan outside standing"
    assert move[3] > 800
    lost = kinds(out, W.KIND_LOST)[1]
    assert (lost[0], lost[4] >> 8) == (t + 2 * SCAN, 3)


@pytest.mark.report("R005")
def test_excursions_of_3_60_and_400_ms() -> None:
    """R005: 3 ms is noise, 60 ms tilted is unknown (asked), 400 ms fallen is felled though it stands again; slid is not.

    Mutations: lost_samples 1 makes a 10 ms glitch a fall; a latch cleared by standing loses the 400 ms fall.
    """
    for scans, vector, latch in ((1, SLID, W.LATCH_NO), (1, TILTED, W.LATCH_NO), (6, TILTED, W.LATCH_MAYBE), (40, FLAT, W.LATCH_YES), (30, SLID, W.LATCH_NO)):  # fmt: skip
        pin, out = make()
        t = play(pin, (STANDING, 30))
        out.clear()
        play(pin, (vector, scans), (STANDING, 30), start=t)
        assert pin.latch == latch, (scans, vector)
        assert pin.state == W.PIN_STANDING
        if scans == 1:
            assert out == []
        else:
            assert kinds(out, W.KIND_STATE)[-1][3] == W.PIN_STANDING


@pytest.mark.report("R006")
def test_a_falling_pin_that_bounces_is_down_once_and_not_up_before_it_is_put_back() -> None:
    """R006: standing for single scans at 5, 9 and 14 ms while it falls. Mutation: STABLE = 1 tells an `up` in between."""
    pin, out = make()
    t = play(pin, (STANDING, 30))
    out.clear()
    t = play(pin, (FLAT, 1), (STANDING, 1), (FLAT, 1), (STANDING, 1), (FLAT, 60), start=t)
    states = [r[3] for r in kinds(out, W.KIND_STATE)]
    assert states == [W.PIN_FALLEN]
    assert [r[3] for r in kinds(out, W.KIND_LOST)] == [W.LATCH_MAYBE, W.LATCH_YES]
    play(pin, (STANDING, 30), start=t)
    assert [r[3] for r in kinds(out, W.KIND_STATE)] == [W.PIN_FALLEN, W.PIN_STANDING]
    assert pin.latch == W.LATCH_YES, "only arm clears it"
    pin.arm(True)
    assert pin.latch == W.LATCH_NO


def test_three_tilted_scans_are_maybe_and_two_fallen_ones_too() -> None:
    for vector, scans, latch in ((TILTED, 2, W.LATCH_NO), (TILTED, 3, W.LATCH_MAYBE), (FLAT, 1, W.LATCH_MAYBE), (FLAT, 2, W.LATCH_MAYBE), (FLAT, 3, W.LATCH_YES)):  # fmt: skip
        pin, _ = make()
        play(pin, (STANDING, 30), (vector, scans), (STANDING, 3))
        assert pin.latch == latch, (vector, scans)


VECTORS = st.one_of(
    st.sampled_from([STANDING, SLID, TILTED, FLAT, GONE, None]),
    st.tuples(*[st.integers(-32767, 32767)] * 3),
    st.tuples(*[st.integers(-2000, 2000)] * 3),
)


@settings(max_examples=150)
@given(st.lists(st.tuples(VECTORS, st.integers(1, 25)), max_size=12))
def test_the_latch_never_falls_and_rises_to_yes_only_by_three_fallen_scans(parts: list[tuple[tuple[int, int, int] | None, int]]) -> None:  # fmt: skip
    pin, out = make()
    latch, run = 0, 0
    t = 0
    for vector, scans in parts:
        for _ in range(scans):
            fallen = (
                vector is not None and Pin(0, default_calibration()["C"], LINE, print).classify(*vector) == W.PIN_FALLEN
            )
            run = run + 1 if fallen else 0
            play(pin, (vector, 1), start=t)
            t += SCAN
            assert pin.latch >= latch
            if pin.latch == W.LATCH_YES and latch != W.LATCH_YES:
                assert run >= 3
            latch = pin.latch
    values = [r[3] for r in kinds(out, W.KIND_LOST)]
    assert values == sorted(set(values))


@settings(max_examples=60)
@given(st.lists(st.sampled_from([TILTED, SLID, None, (32767, 0, 0), (150, 0, 1050)]), min_size=1, max_size=120))
def test_ambiguity_never_becomes_fallen(vectors: list[tuple[int, int, int] | None]) -> None:
    """Mutation: classify unknown as fallen."""
    pin, out = make()
    t = play(pin, (STANDING, 30))
    play(pin, *((v, 1) for v in vectors), start=t)
    assert W.PIN_FALLEN not in [r[3] for r in kinds(out, W.KIND_STATE)]
    assert pin.latch != W.LATCH_YES


def test_an_empty_seat_outside_the_layout_tells_no_loss_until_a_pin_stands_there() -> None:
    pin, out = make()
    t = play(pin, (GONE, 40))
    pin.arm(False)
    out.clear()
    t = play(pin, (GONE, 40), start=t)
    assert kinds(out, W.KIND_LOST) == []
    t = play(pin, (STANDING, 30), start=t)
    play(pin, (FLAT, 5), start=t)
    assert pin.latch == W.LATCH_YES


def test_a_pin_of_the_layout_that_lies_is_told() -> None:
    pin, _ = make()
    t = play(pin, (GONE, 40))
    pin.arm(True)
    play(pin, (GONE, 5), start=t)
    assert pin.latch == W.LATCH_YES


@settings(max_examples=60)
@given(
    st.sampled_from([STANDING, SLID, TILTED, FLAT]),
    st.sampled_from([STANDING, FLAT, SLID, TILTED]),
    st.integers(1, 30),
    st.integers(1, 400),
)
def test_hold_equals_feeding_the_same_vector(first: tuple[int, int, int], then: tuple[int, int, int], k: int, n: int) -> None:  # fmt: skip
    """What the board does with `hold n` is what n scans would have done, without doing them."""
    from tablefw.sensors import Sensors

    results = []
    for held in (False, True):
        out: list[tuple[int, ...]] = []
        s = Sensors("carom5", lambda *r, out=out: out.append(r))
        t = 0
        for vector, scans in ((first, k), (then, 1)):
            for _ in range(scans):
                s.field(t, 0x1F, [*vector] * 5)
                t += SCAN
        if held:
            s.hold(t, n)
        else:
            for i in range(n):
                for p in s.pins:
                    p.again(t + i * SCAN)
        results.append((sorted(out), [(p.state, p.latch) for p in s.pins]))
    assert results[0] == results[1]


def test_quality_absent_stuck_noisy() -> None:
    pin, _ = make()
    rng = random.Random(3)

    def noisy(sigma: float, n: int) -> None:
        for _ in range(n):
            pin.feed(0, *(round(b + rng.gauss(0, sigma)) for b in STANDING))

    noisy(25, 200)
    assert pin.quality() == W.QUALITY_OK
    noisy(60, 200)
    assert pin.quality() == W.QUALITY_NOISY
    noisy(25, 200)
    assert pin.quality() == W.QUALITY_OK
    play(pin, (STANDING, D.PIN_CAL_SAME_VECTORS + 1))
    assert pin.quality() == W.QUALITY_STUCK
    play(pin, (None, STABLE))
    assert pin.quality() == W.QUALITY_ABSENT


def test_the_empty_seat_field_is_subtracted() -> None:
    pin, _ = make({"b0": [0, 0, 1500], "empty": [30, -40, 60]})
    assert pin.classify(30, -40, 1560) == W.PIN_STANDING
    assert pin.d <= 1
    assert pin.classify(30, -40, 60) == W.PIN_FALLEN
