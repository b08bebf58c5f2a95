"""Skittles: which fall, by whom, and balls that fly."""

import math

import pytest

from marker_hardware.pinmap import Profile
from marker_rules.balls import ALL_PINS, Ball, Pin
from marker_rules.facts import Hop, Off, Topple
from marker_sim.physics.body import Body, Phase
from marker_sim.physics.engine import Engine, Kind
from marker_sim.physics.params import load
from marker_sim.physics.pins import Outcome, Pins, PinShape
from marker_sim.physics.table import shipped
from marker_sim.physics.telling import Cast, tell
from marker_sim.rng import Stream
from marker_sim.timeline import Timed

CAST = Cast((Ball.CUE, Ball.OPPONENT, Ball.RED), tuple(Pin))
AWAY = [(1.2, 0.6), (1.2, -0.6)]


def law() -> tuple[Pins, Body, Body]:
    """Pins, a ball just at the head of a pin, the pin."""
    pins = Pins(load(), PinShape(), 0.03075, 0.210)
    ball = Body(0, 0.03075, 0.210, 0.0, 0.0, is_ball=True)
    pin = Body(3, 0.008, 0.0013, pins.reach, 0.0, is_ball=False)
    return pins, ball, pin


def played(speed: float, direction: float, cue: tuple[float, float], up: float = 0.0, pins=ALL_PINS) -> Engine:  # type: ignore[no-untyped-def]
    engine = shipped(Profile.CAROM5).engine([cue, *AWAY], pins, check=True)
    engine.strike(0, speed, direction, up=up)
    engine.run()
    return engine


def told(engine: Engine) -> list[Timed]:
    return tell(engine, CAST, crossings=False, zones=False)


def test_the_head_is_met_at_the_derived_distance() -> None:
    """32.98 mm for a 61.5 mm ball: two pins must stand 66 mm apart to let it pass. Mutation: pin as a cylinder of its base."""
    assert shipped(Profile.CAROM5).reach == pytest.approx(0.03298, abs=1e-5)


@pytest.mark.parametrize(("factor", "outcome"), [(1.001, Outcome.TOPPLED), (0.999, Outcome.WOBBLED)])
def test_the_critical_speed_from_both_sides(factor: float, outcome: Outcome) -> None:
    """0.121 m/s of normal approach. Mutation: v_crit x 2. (Friction so high that no slow push follows.)"""
    pins, ball, pin = law()
    ball.vx = 0.121 * factor
    pins.hit(ball, pin, 0.0, mu_roll=10.0)
    assert [event.outcome for event in pins.events] == [outcome]


def test_a_slow_push_fells_when_it_goes_far_enough_and_a_graze_does_not() -> None:
    """6.84 mm of push: v^2 / (2 mu g) at full hit. Mutation: no slow push, or no look at the impact parameter."""
    need = math.sqrt(2 * 0.010 * 9.81 * 0.00684)
    assert need < 0.121
    for factor, outcome in ((1.01, Outcome.TOPPLED), (0.99, Outcome.WOBBLED)):
        pins, ball, pin = law()
        ball.vx = need * factor
        pins.hit(ball, pin, 0.0, mu_roll=0.010)
        assert pins.events[0].outcome is outcome
    pins, ball, pin = law()
    graze = math.radians(80.0)  # passes with D - b = 0.5 mm
    ball.vx, ball.vy = 0.5 * math.cos(graze), 0.5 * math.sin(graze)
    assert pins.hit(ball, pin, 0.0, mu_roll=0.010) < 0.121
    assert pins.events[0].outcome is Outcome.WOBBLED


def test_a_pin_that_is_pushed_over_gets_its_speed_from_the_ball() -> None:
    """Momentum kept, energy not grown: seen once in ten thousand strokes, when the ball had not rolled since the last event.

    Mutation: the pin takes the ball's speed and the ball keeps its own.
    """
    pins, ball, pin = law()
    ball.vx = 0.119
    pins.hit(ball, pin, 0.0, mu_roll=0.010)
    assert pins.events[0].outcome is Outcome.TOPPLED
    assert pin.vx == pytest.approx(ball.vx)
    assert 0.210 * ball.vx + 0.0013 * pin.vx == pytest.approx(0.210 * 0.119, rel=1e-12)
    assert 0.210 * ball.vx**2 + 0.0013 * pin.vx**2 < 0.210 * 0.119**2


def test_a_pin_takes_less_than_a_hundredth_of_the_ball_and_momentum_is_kept() -> None:
    """Mutation: the ball is not slowed."""
    pins, ball, pin = law()
    ball.vx = 2.0
    pins.hit(ball, pin, 0.0, mu_roll=0.010)
    assert 0.210 * ball.vx + 0.0013 * pin.vx == pytest.approx(0.210 * 2.0, rel=1e-12)
    assert 0.99 < ball.vx / 2.0 < 1.0


def test_a_chain_counts_for_the_ball_that_began_it() -> None:
    """N is driven onto C and S; all by the cue ball. Mutation: root = the last thing that hit."""
    engine = played(3.0, 0.0, (-0.6, 0.0))
    chained = [item.fact for item in told(engine) if isinstance(item.fact, Topple) and item.fact.chain]
    assert all(isinstance(fact, Topple) and fact.by is Ball.CUE for fact in chained)
    assert any(event.chain for event in engine.pins.events)
    assert {fact.by for item in told(engine) if isinstance(fact := item.fact, Topple)} == {Ball.CUE}


def test_a_soft_chain_only_shifts() -> None:
    """Below 0.15 m/s a lying pin displaces another by at most 2.3 mm. Mutation: every touched pin falls."""
    pins, _, pin = law()
    puck = Body(4, 0.008, 0.0013, pin.x - 0.0115, 0.0, is_ball=False)
    puck.vx = 0.149
    pins.chain(puck, pin, 0.0)
    assert [event.outcome for event in pins.events] == [Outcome.SHIFTED]
    assert 0.0 < pins.events[0].shift_m <= 0.0023


def test_a_creeping_ball_leaves_a_pin_almost_where_it_was() -> None:
    """A ball that pushes on at 2 cm/s meets the pin a hundred times; each time it slides no further than the push carries it.

    Mutation: a shift of up to shift_max_mm at any speed lets the sum carry the pin off its seat, which then reads as fallen.
    """
    pins, ball, pin = law()
    pins.chance = Stream(1, "creeping")
    for step in range(100):
        ball.vx = 0.017 * (100 - step) / 100
        pins.hit(ball, pin, 0.002 * step, mu_roll=10.0)
    shifts = [event.shift_m for event in pins.events if event.outcome is Outcome.SHIFTED]
    assert len(shifts) > 15
    assert 0.0 < sum(shifts) < 0.0015


def test_the_base_is_lost_4_9_ms_over_the_speed_after_the_touch() -> None:
    """Mutation: the stamp of the touch as the stamp of the fall."""
    pins, ball, pin = law()
    ball.vx = 0.5
    pins.hit(ball, pin, 1.0, mu_roll=0.010)
    assert pins.events[0].at == pytest.approx(1.0 + 0.0049 / 0.5)


def test_lying_pins_stay_on_the_table() -> None:
    """Fast hits; every pin ends inside the noses. Mutation: pucks that no rail stops."""
    for number in range(40):
        engine = played(5.0, math.radians(number * 0.2 - 4.0), (-0.7, 0.0))
        for body in engine.bodies[3:]:
            assert abs(body.x) <= 1.42
            assert abs(body.y) <= 0.71


@pytest.mark.parametrize(
    ("speed", "up", "hops", "falls", "off"),
    [
        (2.0, 1.0, True, False, False),  # clears the castle
        (2.0, 0.6, False, True, False),  # too low: fells what it meets
        (4.5, 3.2, True, False, True),  # leaves the table
    ],
)
def test_jumps(speed: float, up: float, hops: bool, falls: bool, off: bool) -> None:
    """Clear, clip, leave. Mutation: height ignored at the pins, or at the nose."""
    engine = played(speed, 0.0, (-0.2, 0.0), up=up)
    facts = [item.fact for item in told(engine) if item.t_ns < 700_000_000]  # before it comes back from the rail
    assert any(isinstance(fact, Hop) for fact in facts) == hops
    assert any(isinstance(fact, Topple) for fact in facts) == falls
    assert any(isinstance(fact, Off) for fact in facts) == off


def test_a_ball_that_lands_on_a_pin_fells_it() -> None:
    """Up to the pin above its height, down on it. Mutation: a ball that flew over the near edge of a pin passes through it."""
    engine = played(0.05, 0.0, (-0.066 - 0.036, 0.0), up=1.0, pins={Pin.N})
    assert any(isinstance(item.fact, Topple) for item in told(engine))


def test_a_flying_ball_passes_over_another() -> None:
    """Ball over ball is decided in three dimensions. Mutation: plan distance."""
    table = shipped(Profile.CAROM5)
    for up, meets in ((0.0, True), (2.2, False)):
        engine = table.engine([(-1.0, 0.3), (-0.7, 0.3)], check=True)
        engine.strike(0, 1.5, 0.0, up=up)
        engine.run()
        assert (Kind.BALL in [h.kind for h in engine.log[:2]]) == meets


def test_a_pin_met_after_it_fell_is_not_met_again() -> None:
    """Each pin is toppled once at most. Mutation: a fallen pin that stays an obstacle."""
    for number in range(60):
        engine = played(2.5, math.radians(number * 0.3 - 9.0), (-0.5, 0.0))
        fell = [event.pin for event in engine.pins.events if event.outcome is Outcome.TOPPLED]
        assert len(fell) == len(set(fell))
        assert all(engine.bodies[index].phase is not Phase.STANDING for index in fell)
