"""Motion and contacts against the closed forms they come from."""

import math

import pytest

from marker_hardware.pinmap import Profile
from marker_sim.physics import contacts
from marker_sim.physics.body import Body, Phase
from marker_sim.physics.engine import Kind
from marker_sim.physics.params import GRAVITY, Params, load
from marker_sim.physics.table import PlayTable, of_file, shipped
from marker_sim.rng import Stream

R, M = 0.03075, 0.210
MU_SLIDE, MU_ROLL = 0.2, 0.010


def ball(x: float = 0.0, y: float = 0.0, vx: float = 0.0, vy: float = 0.0) -> Body:
    body = Body(0, R, M, x, y, is_ball=True)
    body.vx, body.vy = vx, vy
    return body


def with_params(table: Profile = Profile.CAROM5, **changed: float) -> PlayTable:
    """The shipped table with single parameters changed, as `ball_e=1.0`."""
    params = load()
    for name, value in changed.items():
        part, _, key = name.partition("_")
        group = getattr(params, part)
        number = getattr(group, key)
        params = _replaced(params, part, _replaced(group, key, _replaced(number, "v", value)))
    return of_file(table, params)


def _replaced(struct: object, name: str, value: object) -> Params:
    import msgspec

    return msgspec.structs.replace(struct, **{name: value})  # type: ignore[type-var, return-value]


@pytest.mark.parametrize("speed", [0.5, 2.0, 5.0])
def test_a_ball_struck_in_the_centre_rolls_after_the_known_time_at_five_sevenths(speed: float) -> None:
    """2 m/s -> 0.2912 s. Mutation: 5/7 -> 2/3 (2 / (7 mu g) -> another share) turns it red."""
    body = ball(vx=speed)
    body.settle(MU_SLIDE, MU_ROLL, 10.9)
    assert body.phase is Phase.SLIDE
    expected = 2.0 * speed / (7.0 * MU_SLIDE * GRAVITY)
    assert body.t_end == pytest.approx(expected, rel=1e-12)
    if speed == 2.0:
        assert body.t_end == pytest.approx(0.2912, abs=1e-4)
    body.advance(body.t_end, 10.9)
    assert body.vx == pytest.approx(5.0 / 7.0 * speed, rel=1e-12)
    assert body.wy * R == pytest.approx(body.vx, rel=1e-12)
    way = 12.0 / 49.0 * speed**2 / (MU_SLIDE * GRAVITY)
    assert body.x == pytest.approx(way, rel=1e-12)


def test_a_rolling_ball_stops_after_v2_over_2_mu_g() -> None:
    """Mutation: rolling friction doubled turns it red."""
    engine = shipped(Profile.CAROM5).engine([(-1.0, 0.5)])
    engine.strike(0, 0.5, 0.0, top=0.4)  # struck at 2/5 R above the centre it rolls at once
    assert engine.run() == pytest.approx(0.5 / (MU_ROLL * GRAVITY), rel=1e-6)
    assert engine.bodies[0].x == pytest.approx(-1.0 + 0.5**2 / (2 * MU_ROLL * GRAVITY), rel=1e-6)


def test_spin_on_the_spot_delays_rest() -> None:
    """A ball that still spins is not at rest (rule text). Mutation: dropping the spin phase turns it red."""
    engine = shipped(Profile.CAROM5).engine([(0.5, 0.3)])
    body = engine.bodies[0]
    body.wz = 30.0
    assert engine.run() == pytest.approx(30.0 / 10.9, rel=1e-9)
    assert (body.x, body.y) == (0.5, 0.3)


def test_free_flight_lands_when_and_where_it_must() -> None:
    """Mutation: a fixed landing time turns it red."""
    body = ball(vx=1.5)
    body.vz = 0.9
    body.settle(MU_SLIDE, MU_ROLL, 10.9)
    assert body.phase is Phase.AIR
    assert body.t_end == pytest.approx(2 * 0.9 / GRAVITY, rel=1e-12)
    body.advance(body.t_end / 2, 10.9)
    assert body.z == pytest.approx(0.9**2 / (2 * GRAVITY), rel=1e-9)
    body.advance(body.t_end, 10.9)
    assert body.x == pytest.approx(1.5 * body.t_end)
    assert body.z == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("cut_deg", [10.0, 30.0, 55.0, 80.0])
def test_balls_part_at_ninety_degrees_without_loss(cut_deg: float) -> None:
    """The 90-degree rule at e = 1, no friction, stun. Mutation: an impulse along the motion instead of the line of centres."""
    params = with_params(ball_e=1.0, ball_friction=0.0).params
    cut = math.radians(cut_deg)
    a, b = ball(vx=2.0), ball(2 * R * math.cos(cut), 2 * R * math.sin(cut))
    contacts.ball_ball(a, b, params)
    assert a.vx * b.vx + a.vy * b.vy == pytest.approx(0.0, abs=1e-12)
    assert math.atan2(b.vy, b.vx) == pytest.approx(cut, abs=1e-12)
    assert math.hypot(b.vx, b.vy) == pytest.approx(2.0 * math.cos(cut), rel=1e-12)


def test_a_rolling_ball_leaves_a_half_ball_hit_at_the_known_angle() -> None:
    """The 30-degree rule: final deflection of a rolling cue ball, half-ball hit, elastic: atan2 of the rest speed and 2/7 of the roll.

    tan(theta) = sin c cos c / (sin^2 c + 2/5), c = 30 deg: 33.67 deg (Alciatore, The Illustrated Principles, TP A.4).
    Mutation: topspin transferred or lost in the collision turns it red.
    """
    table = with_params(ball_e=1.0, ball_friction=0.0)
    cut = math.radians(30.0)
    r = table.ball_r
    at = (-0.5 + 0.2 + 2 * r * math.cos(cut), 2 * r * math.sin(cut))
    engine = table.engine([(-0.5, 0.0), at])
    engine.strike(0, 1.0, 0.0, top=0.4)
    meeting: list[tuple[float, float]] = []
    original = engine._end_of_phase

    def watch(body: Body) -> None:
        if body.index == 0 and body.phase is Phase.SLIDE:
            meeting.append((body.vx, body.vy))
        original(body)

    engine._end_of_phase = watch  # type: ignore[method-assign]
    engine.run()
    vx, vy = meeting[0]
    expected = math.atan2(math.sin(cut) * math.cos(cut), math.sin(cut) ** 2 + 0.4)
    assert math.degrees(math.atan2(-vy, vx)) == pytest.approx(math.degrees(expected), abs=0.05)
    assert math.degrees(expected) == pytest.approx(33.67, abs=0.01)


def test_a_stun_shot_full_on_stops_dead_and_a_follow_shot_runs_on() -> None:
    """Stun: e = 1, no slip. Follow: 2/7 of the speed is left after the slide. Mutation: restitution applied to one ball only."""
    params = with_params(ball_e=1.0, ball_friction=0.0).params
    a, b = ball(vx=1.0), ball(2 * R)
    contacts.ball_ball(a, b, params)
    assert a.vx == pytest.approx(0.0, abs=1e-15)
    assert b.vx == pytest.approx(1.0)
    a, b = ball(vx=1.0), ball(2 * R)
    a.wy = 1.0 / R
    contacts.ball_ball(a, b, params)
    a.settle(MU_SLIDE, MU_ROLL, 10.9)
    a.advance(a.t_end, 10.9)
    assert a.vx == pytest.approx(2.0 / 7.0, rel=1e-9)


def test_momentum_is_kept_and_energy_never_grows_in_any_contact_of_balls() -> None:
    """2,000 random contacts. Mutation: friction with the wrong sign turns it red."""
    params, chance = load(), Stream(3, "contacts")
    for _ in range(2000):
        turn = chance.uniform(-math.pi, math.pi)
        a, b = ball(), ball(2 * R * math.cos(turn), 2 * R * math.sin(turn))
        for body in (a, b):
            body.vx, body.vy = chance.uniform(-4, 4), chance.uniform(-4, 4)
            body.wx, body.wy, body.wz = (chance.uniform(-80, 80) for _ in range(3))
        before = (a.vx + b.vx, a.vy + b.vy, a.energy() + b.energy())
        approach = contacts.ball_ball(a, b, params)
        assert a.vx + b.vx == pytest.approx(before[0])
        assert a.vy + b.vy == pytest.approx(before[1])
        assert a.energy() + b.energy() <= before[2] + 1e-12
        if approach > contacts.SOFT_VN:
            after = ((a.vx - b.vx) * math.cos(turn)) + (a.vy - b.vy) * math.sin(turn)
            assert after == pytest.approx(-0.95 * approach, rel=1e-9)


@pytest.mark.parametrize("speed", [0.3, 1.0, 3.0, 7.0])
def test_a_cushion_returns_what_the_stated_model_says(speed: float) -> None:
    """e(v) = 0.85 (1 - 0.03 min(v, 5)); friction at most 2/7 of the slip. Mutation: e independent of the speed."""
    params = load()
    straight = ball(vx=speed)
    assert contacts.ball_wall(straight, -1.0, 0.0, params) == pytest.approx(speed)
    e = 0.85 * (1 - 0.03 * min(speed, 5.0))
    assert straight.vx == pytest.approx(-e * speed)
    slanted = ball(vx=speed, vy=speed)
    before = slanted.energy()
    contacts.ball_wall(slanted, -1.0, 0.0, params)
    lost = min(0.2 * (1 + e) * speed, 2.0 / 7.0 * speed)
    assert slanted.vy == pytest.approx(speed - lost)
    assert slanted.energy() < before


def test_a_follow_ball_spins_off_the_cushion_with_two_fifths_of_its_roll() -> None:
    """60 % of the spin about the cushion is lost. Mutation: all of it kept."""
    body = ball(vx=2.0)
    body.wy = 2.0 / R
    contacts.ball_wall(body, -1.0, 0.0, load())
    assert body.wy == pytest.approx(0.4 * 2.0 / R)


def test_a_straight_ball_meets_its_cushion_at_the_computed_instant() -> None:
    """Exact event time: root of a quadratic. Mutation: a ball that turns round at its centre instead of its edge."""
    table = shipped(Profile.CAROM5)
    engine = table.engine([(1.0, 0.2)])
    engine.strike(0, 1.0, 0.0, top=0.4)
    engine.run()
    hit = next(h for h in engine.log if h.kind is Kind.NOSE)
    way, pull = 1.42 - table.ball_r - 1.0, MU_ROLL * GRAVITY
    assert hit.t == pytest.approx((1.0 - math.sqrt(1.0 - 2 * pull * way)) / pull, abs=1e-12)
