"""Numbers of the sensor model that no other test would miss: latency, decay, travel, beams, noise, phantoms, how loud a pin is."""

import math
import statistics

import pytest

from marker_hardware import calibration
from marker_rules.balls import Ball, Pin, Pocket, Rail
from marker_rules.facts import Contact, Cushion, Fact, Jaw, Strike, Topple
from marker_sim.rng import Stream
from marker_sim.sensors import gate, hall, piezo
from marker_sim.sensors.inputs import CLICK, PIEZO_FIRST, SHIFT_FIRST, Edge, Scan
from marker_sim.sensors.piezo import Disc, Hit
from marker_sim.sensors.table import CaromSensors, PyramidSensors, TableSensors
from marker_sim.timeline import Timed, Timeline

CALIBRATION = calibration.load()
VTH = CALIBRATION.piezo.vth.floor_mv / 1000


@pytest.mark.parametrize(("volts", "latency_us"), [(0.2, 71.0), (0.75, 28.0), (60.0, 5.0), (90.0, 5.0)])
def test_the_comparator_is_as_late_as_the_front_end_simulation_says(volts: float, latency_us: float) -> None:
    """Mutation: no latency, or that of the next point of the table."""
    assert piezo.latency_us(volts) == pytest.approx(latency_us)


def test_the_peak_has_decayed_when_it_is_read() -> None:
    """0.3 ms of 10.3: 3 %. Mutation: read at once."""
    read = statistics.fmean(piezo.read_mv(2.0, Stream(1, "read", number)) for number in range(400))
    assert read == pytest.approx(2000.0 * math.exp(-0.3 / CALIBRATION.piezo.adc.hold_tau_ms), abs=8.0)


def test_a_wave_takes_its_time_along_the_rail() -> None:
    """1 m at 500 m/s: 2 ms. Mutation: felt where and when it is met."""
    disc = Disc(wave_m_per_s=500.0, late_half=0.0, loss_per_m=0.0)
    near, far = (piezo.edges([Hit(0.0, 3.0, d)], 16, VTH, Stream(1, "w"), disc)[0].t_us for d in (0.0, 1.0))
    assert far - near == pytest.approx(2000, abs=2)


def test_beam_b_is_reached_a_gap_after_beam_a() -> None:
    """20 mm at the speed that the darkness of the ball tells, within the sampling. Mutation: twice the gap."""
    gap_m = CALIBRATION.gate.beam.gap_mm / 1000
    for number in range(60):
        went = gate.passage(0.0, 1.5, 0.034, Stream(1, "gap", number))
        fastest = math.hypot(0.75, math.sqrt(2 * 9.81 * gate.FALL_M[1]))
        slowest = math.hypot(0.75, math.sqrt(2 * 9.81 * gate.FALL_M[0]))
        assert gap_m / fastest * 1e6 - 501 <= went.b_dark - went.a_dark <= gap_m / slowest * 1e6 + 501


def test_a_bag_swings_through_beam_a_now_and_then() -> None:
    """One passage in a hundred, beam A alone. Mutation: never."""
    more = [gate.edges(0, [(0.0, 1.0)], 0.034, Stream(1, "bag", number))[4:] for number in range(1000)]
    assert 3 <= sum(map(bool, more)) <= 25
    assert {edge.ch for edges in more for edge in edges} == {SHIFT_FIRST}


def test_fields_are_noisy_and_seats_differ() -> None:
    """25 uT an axis; strengths a few per cent apart. Mutation: no noise; every seat the ideal one."""
    seats = CaromSensors(5, "1").seats
    scans = [seats.scans((), 0, 0, Stream(1, "noise", number))[0] for number in range(300)]
    z = [scan.values[2] for scan in scans if isinstance(scan, Scan)]
    assert statistics.stdev(z) == pytest.approx(hall.NOISE_UT, rel=0.2)
    upright = {pin: hall.upright(*seats._axis[pin])[2] for pin in Pin}
    gains = [seats.field(pin)[2] / upright[pin] for pin in Pin]
    assert 0.002 < statistics.stdev(gains) < 0.08


def test_a_rail_answers_to_nothing_once_an_hour() -> None:
    """A stroke of 100 s, 360 times: ten false edges. Mutation: none; one every stroke."""
    silent = Timeline((Timed(0, Strike(Ball.CUE), 2.0),), 100_000_000_000)
    sensors = CaromSensors(6, "1")
    false = 0
    for number in range(360):
        found = sensors._hits(number, silent, 0)
        false += any(isinstance(e, Edge) and e.level and PIEZO_FIRST <= e.ch < PIEZO_FIRST + 4 for e in found)
    assert 3 <= false <= 20


def test_a_pin_is_hardly_heard_under_the_slate() -> None:
    """A twentieth of a contact as fast. Mutation: as loud as two balls."""
    sensors = CaromSensors(7, "1")
    loud = []
    for fact in (Contact(((Ball.CUE, Ball.RED),)), Topple((Pin.C,), Ball.CUE)):
        ((_, hit),) = sensors._felt(Timed(0, fact, 2.0, (10.0, 10.0)), 0, Stream(1, "d"))
        loud.append(piezo.amplitude_v(hit))
    assert loud[1] == pytest.approx(loud[0] / 20)


@pytest.mark.parametrize(
    ("sensors", "met"),
    [
        (CaromSensors(7, "1"), Cushion(Ball.CUE, Rail.TOP)),
        (PyramidSensors(7, "1"), Cushion(Ball.W1, Rail.LEFT)),
        (PyramidSensors(7, "1"), Jaw(Ball.W1, Pocket.ML)),
    ],
    ids=["carom cushion", "pyramid cushion", "jaw"],
)
def test_a_cushion_is_heard_under_the_slate_three_tenths_as_loud_as_two_balls(sensors: TableSensors, met: Fact) -> None:
    """As fast and at the same place. Mutation: as loud as two balls; a cushion that the click disc never hears."""

    def loud(fact: Fact) -> float:
        felt = sensors._felt(Timed(0, fact, 2.0, (10.0, 600.0)), 0, Stream(1, "d"))
        (volts,) = [piezo.amplitude_v(hit) for channel, hit in felt if channel == CLICK]
        return volts

    assert loud(met) == pytest.approx(0.3 * loud(Contact(((Ball.CUE, Ball.RED),))))
