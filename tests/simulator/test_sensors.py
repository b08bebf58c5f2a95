"""The sensor model: pulses against the front-end table, gates, Hall fields; constants from the table's seed."""

import math

import pytest

from marker_hardware import calibration
from marker_hardware.pinmap import Profile
from marker_rules.balls import Ball, Pin, Pocket, Rail
from marker_rules.facts import Contact, Cushion, Pot, Shift, Strike, Topple
from marker_sim.rng import Stream
from marker_sim.sensors import gate, hall, piezo
from marker_sim.sensors.inputs import SHIFT_FIRST, Edge, Hold, Scan
from marker_sim.sensors.piezo import USUAL, Disc, Hit
from marker_sim.sensors.table import CaromSensors, PyramidSensors, sensors_of
from marker_sim.timeline import Timed, Timeline

VTH = calibration.load().piezo.vth.floor_mv / 1000
MS = 1_000_000


def timeline(*items: Timed, rest_s: float = 4.0) -> Timeline:
    return Timeline((Timed(0, Strike(Ball.CUE), 2.0), *items), int(rest_s * 1e9))


@pytest.mark.parametrize(("volts", "high_ms"), [(0.2, 2.3), (60.0, 43.5)])
def test_a_pulse_is_as_long_as_the_front_end_simulation_says(volts: float, high_ms: float) -> None:
    """Within 0.5 ms. Mutation: no clipping of the held peak."""
    assert piezo.pulse_ms(volts, VTH) == pytest.approx(high_ms, abs=0.8)


def test_the_softest_hit_that_is_felt() -> None:
    """About 0.26 m/s at 0.7 m just reaches the threshold. Mutation: gain of another disc."""
    felt = {
        speed: len(piezo.edges([Hit(0.0, speed)], 16, VTH, Stream(1, "felt", number), Disc()))
        for number, speed in enumerate((0.15, 0.26, 0.45))
    }
    assert felt[0.15] == 0
    assert felt[0.45] == 2


def test_half_the_first_half_waves_are_negative() -> None:
    """Those are stamped half a period later. Mutation: always positive."""
    stamps = [
        piezo.edges([Hit(0.0, 2.0)], 16, VTH, Stream(1, "half", number), Disc(khz=2.0))[0].t_us for number in range(200)
    ]
    late = sum(stamp > min(stamps) + 200 for stamp in stamps)
    assert 60 < late < 140
    assert max(stamps) - min(stamps) < 600


def test_a_second_hit_inside_a_pulse_only_lengthens_it() -> None:
    """Mutation: every hit makes an edge."""
    one = piezo.edges([Hit(0.0, 2.0)], 16, VTH, Stream(1, "a"), USUAL)
    two = piezo.edges([Hit(0.0, 2.0), Hit(5000.0, 6.0)], 16, VTH, Stream(1, "a"), USUAL)
    assert (len(one), len(two)) == (2, 2)
    assert two[1].t_us > one[1].t_us


def test_an_amplitude_is_a_step_of_the_converter() -> None:
    """10 bit of 3.3 V. Mutation: millivolts that no converter gives."""
    found = {piezo.read_mv(1.0, Stream(1, number)) for number in range(50)}
    assert len(found) > 3
    assert all(abs(mv / 3300 * 1023 - round(mv / 3300 * 1023)) < 0.2 for mv in found)


@pytest.mark.parametrize(
    ("rail", "place", "channel"), [(Rail.RIGHT, (-1000.0, -887.5), 17), (Rail.RIGHT, (1000.0, -887.5), 18)]
)
def test_a_hit_is_felt_by_the_segment_it_met(rail: Rail, place: tuple[float, float], channel: int) -> None:
    """Of two segments of a long rail the nearer. Mutation: always the first."""
    sensors = PyramidSensors(1, "1")
    item = Timed(500 * MS, Cushion(Ball.W1, rail), 3.0, place)
    edges = [e for e in sensors.shot(1, timeline(item), 0) if isinstance(e, Edge) and e.level and 16 <= e.ch < 22]
    assert max(edges, key=lambda e: e.aux).ch == channel


def test_neighbours_feel_a_share_of_a_hit() -> None:
    """5 to 25 %, a little later. Mutation: no cross-talk; cross-talk as loud as the hit."""
    sensors = CaromSensors(1, "1")
    item = Timed(500 * MS, Cushion(Ball.CUE, Rail.TOP), 5.0, (-1420.0, 0.0))
    edges = {e.ch: e for e in sensors.shot(1, timeline(item), 0) if isinstance(e, Edge) and e.level and e.ch < 20}
    assert set(edges) == {16, 17, 19}
    assert all(edges[16].aux > edges[ch].aux for ch in (17, 19))
    assert all(edges[ch].t_us > edges[16].t_us for ch in (17, 19))


def test_constants_are_drawn_once_a_table() -> None:
    """The same table twice feels the same, another one differs. Mutation: constants drawn for every shot."""
    item = Timed(500 * MS, Contact(((Ball.CUE, Ball.RED),)), 2.0, (100.0, 50.0))
    one, same, other = (
        sensors.shot(1, timeline(item), 0)
        for sensors in (CaromSensors(1, "1"), CaromSensors(1, "1"), CaromSensors(2, "1"))
    )
    assert one == same
    assert [i for i in one if isinstance(i, Edge)] != [i for i in other if isinstance(i, Edge)]


def test_a_ball_passes_both_beams_as_the_figures_say() -> None:
    """68 mm ball: 20 to 230 ms dark, B after A by 20 mm over the speed. Mutation: B before A; a chord longer than the ball."""
    for number in range(200):
        went = gate.passage(0.0, 0.3 + number / 50.0, 0.034, Stream(1, "gate", number))
        v = math.hypot(0.5 * (0.3 + number / 50.0), math.sqrt(2 * 9.81 * 0.10))
        assert 20_000 <= went.a_dark <= 151_000
        assert went.b_dark > went.a_dark
        assert (went.a_lit - went.a_dark) <= 0.068 / math.sqrt(2 * 9.81 * 0.05) * 1e6 + 1000
        assert (went.a_lit - went.a_dark) >= 0.068 * 0.8 / v * 1e6 - 1000
        assert all(edge % 500 == 0 for edge in (went.a_dark, went.a_lit, went.b_dark, went.b_lit))


def test_two_balls_into_one_pocket_are_two_passages() -> None:
    """The second waits in the throat. Mutation: beams that are dark twice at once."""
    for number in range(60):
        edges = sorted(gate.edges(0, [(0.0, 2.0), (3000.0, 2.0)], 0.034, Stream(2, "two", number)))
        for beam in (SHIFT_FIRST, SHIFT_FIRST + 1):
            levels = [edge.level for edge in edges if edge.ch == beam]
            assert levels[:4] == [0, 1, 0, 1]
            assert levels == [0, 1] * (len(levels) // 2)


def test_a_pot_reaches_the_gate_of_its_pocket() -> None:
    """Mutation: pockets in another order than the pin map."""
    sensors = PyramidSensors(1, "1")
    item = Timed(500 * MS, Pot(Ball.W3, Pocket.BL), 1.5, (1775.0, 887.0))
    shot = timeline(item, rest_s=0.6)
    edges = [e for e in sensors.shot(1, shot, 0) if isinstance(e, Edge) and e.ch >= SHIFT_FIRST]
    assert {e.ch for e in edges} == {SHIFT_FIRST + 8, SHIFT_FIRST + 9}  # P5, beams A and B
    assert sensors.lasts_us(shot) >= max(e.t_us for e in edges)


@pytest.mark.parametrize(("x", "expected"), [(0.0, (0, 1500)), (5.0, (643, 750))])
def test_the_field_of_an_upright_pin(x: float, expected: tuple[float, float]) -> None:
    """As in the shared vectors of the board. Mutation: field falling with the square of the distance."""
    bx, by, bz = hall.upright(x, 0.0)
    assert (round(bx), round(bz)) == pytest.approx(expected, abs=2)
    assert by == 0.0


def test_pins_fall_slide_and_are_set_up_again() -> None:
    """Mutation: a pin that stands again by itself; one slid 2 mm that counts as standing on its spot."""
    sensors = CaromSensors(3, "1")
    items = (
        Timed(400 * MS, Topple((Pin.N,), Ball.CUE), 1.0),
        Timed(500 * MS, Shift(Pin.S, Ball.CUE), 0.1, None, 2.3),
    )
    shot = sensors.shot(1, timeline(*items), 0)
    assert any(isinstance(item, Scan) for item in shot)
    assert any(isinstance(item, Hold) for item in shot)
    assert sensors.standing == {Pin.C, Pin.E, Pin.W}
    sensors.stand([Pin.N, Pin.S], 5_000_000, 1)
    assert sensors.standing == set(Pin)


def test_a_pin_set_down_by_hand_is_within_what_counts_as_standing() -> None:
    """d < 0.25 of the pin rule, whatever the seat. Mutation: placed anywhere within a centimetre."""
    limit = calibration.load().pin.rule.standing_d
    for seed in range(40):
        seats = CaromSensors(seed, "1").seats
        for pin in Pin:
            seats.poses[pin] = hall.Pose.GONE
            seats.apply(hall.Change(0, pin, hall.Pose.STANDING))
            x, y, z = seats.field(pin)
            assert math.dist((x, y, z), (0, 0, 1500)) / 1500 < limit


def test_each_profile_has_its_sensors() -> None:
    assert isinstance(sensors_of(Profile.CAROM5, 1, "1"), CaromSensors)
    assert isinstance(sensors_of(Profile.PYRAMID, 1, "1"), PyramidSensors)
    assert sensors_of(Profile.PYRAMID, 1, "1").standing == frozenset()
