"""Balls between two pins, balls up on the rail, balls that hop, and a ball driven from where a pin leans on it."""

import math
from dataclasses import replace

import msgspec
import pytest

from marker_hardware.pinmap import Profile
from marker_rules.balls import ALL_PINS, Ball, GameId, Pin
from marker_rules.facts import Hop, Off, Pass, Return, Topple
from marker_sim import judging
from marker_sim.cases import cases
from marker_sim.physics.engine import Engine, Kind
from marker_sim.physics.params import Num, Params, load
from marker_sim.physics.table import PlayTable, shipped
from marker_sim.physics.telling import Cast, tell
from marker_sim.play import Style
from marker_sim.players import PRESETS
from marker_sim.reading import Fitted
from marker_sim.rng import Stream

CAROM = shipped(Profile.CAROM5)
CAST = Cast((Ball.CUE, Ball.OPPONENT, Ball.RED), tuple(Pin))
AWAY = [(1.2, 0.6), (1.2, -0.6)]
N, E, C = (CAROM.pins[Pin(name)] for name in "NEC")
GAP = math.dist(N, E)
ACROSS = ((E[1] - N[1]) / GAP, (N[0] - E[0]) / GAP)  # unit vector across the line from N to E


def with_params(table: PlayTable, **changed: tuple[str, float]) -> PlayTable:
    """The table with single numbers changed, as `cushion=("rail_p", 1.0)`."""
    params: Params = load()
    for part, (key, value) in changed.items():
        group = msgspec.structs.replace(getattr(params, part), **{key: Num(value, "test")})
        params = msgspec.structs.replace(params, **{part: group})
    return replace(table, params=params)


def through(pins: set[Pin], aside_mm: float = 0.0, up: float = 0.0) -> Engine:
    """The cue ball between N and E, `aside_mm` nearer to E, struck 0.3 m before their line."""
    x = (N[0] + E[0]) / 2 + (E[0] - N[0]) / GAP * aside_mm / 1000
    y = (N[1] + E[1]) / 2 + (E[1] - N[1]) / GAP * aside_mm / 1000
    engine = CAROM.engine([(x - 0.3 * ACROSS[0], y - 0.3 * ACROSS[1]), *AWAY], pins, check=True)
    engine.legs = []
    engine.strike(0, 1.2, math.atan2(ACROSS[1], ACROSS[0]), up=up)
    engine.run()
    return engine


def facts(engine: Engine, kind: type) -> list[object]:
    told = tell(engine, CAST, crossings=False, zones=False)
    return [item.fact for item in told if isinstance(item.fact, kind) and item.t_ns < 600_000_000]


@pytest.mark.parametrize(
    ("pins", "aside_mm", "up", "passes"),
    [
        ({Pin.N, Pin.E}, 0.0, 0.0, True),
        ({Pin.N, Pin.E}, 12.0, 0.0, True),  # 1.7 mm to spare
        ({Pin.N, Pin.E}, 16.0, 0.0, False),  # it meets E
        ({Pin.N, Pin.E, Pin.S, Pin.W}, 0.0, 0.0, True),  # in by one line and out by another: one passage
        ({Pin.N}, 0.0, 0.0, False),  # one pin is no gate
        ({Pin.N, Pin.E, Pin.C}, 0.0, 0.0, False),  # through the first two and into the third
        ({Pin.N, Pin.E}, 0.0, 1.6, False),  # over the line in the air
    ],
)
def test_a_ball_that_rolls_between_two_pins_passes(pins: set[Pin], aside_mm: float, up: float, passes: bool) -> None:
    """Mutation: touched pins, single pins or flights make no difference; both lines of one run are told."""
    assert facts(through(pins, aside_mm, up), Pass) == ([Pass(Ball.CUE)] if passes else [])


@pytest.mark.parametrize("spacing_mm", [62.0, 64.0, 66.0, 68.0])
def test_castles_of_other_spacings_are_played_and_a_ball_passes_from_66_mm(spacing_mm: float) -> None:
    """Nobody has published the distance. Mutation: the pins of the shipped file in place of the given ones; a ball that squeezes through."""
    scale = spacing_mm / 66.0
    pins = {pin: (x * scale, y * scale) for pin, (x, y) in CAROM.pins.items()}
    table = replace(CAROM, pins=pins)
    engine = table.engine([(-spacing_mm / 2000, -0.3), *AWAY], {Pin.C, Pin.N}, check=True)
    engine.legs = []
    engine.strike(0, 1.2, math.pi / 2)
    engine.run()
    passes = spacing_mm > 2000 * table.reach
    assert passes == (spacing_mm >= 66.0)
    assert facts(engine, Pass) == ([Pass(Ball.CUE)] if passes else [])
    assert bool(facts(engine, Topple)) != passes
    style = Style(PRESETS["beginner"], table=table, check=True)
    judged = [judging.judge(case, judging.Engine()) for case in cases(GameId.FIVE_PINS, 4, 8, Fitted.HINTS, "", style)]
    assert [one.failed for one in judged] == [False] * 8


def test_a_passage_is_told_where_and_when_the_line_is_crossed() -> None:
    """Mutation: told with the first cushion, or at the pin."""
    engine = through({Pin.N, Pin.E})
    item = next(i for i in tell(engine, CAST, crossings=False, zones=False) if isinstance(i.fact, Pass))
    assert item.at_mm == pytest.approx(((N[0] + E[0]) * 500, (N[1] + E[1]) * 500), abs=1e-6)
    slowed = 0.2 * 9.81  # it slides that far: struck in the centre at 1.2 m/s it rolls after 0.17 s
    in_slide = 12.0 / 49.0 * 1.2**2 / slowed
    rolling, pull = 1.2 * 5.0 / 7.0, 0.010 * 9.81
    seconds = 2 * 1.2 / (7 * slowed) + (rolling - math.sqrt(rolling**2 - 2 * pull * (0.3 - in_slide))) / pull
    assert item.t_ns == pytest.approx(seconds * 1e9, rel=1e-6)


def test_pins_that_fell_before_are_no_gate() -> None:
    """The red ball fells N; later the cue ball rolls where the two stood. Mutation: pins are taken as they stood before."""
    start = ((N[0] + E[0]) / 2 - 1.0 * ACROSS[0], (N[1] + E[1]) / 2 - 1.0 * ACROSS[1])
    feller = (N[0], N[1] + 0.2)
    for aim, expected in ((-math.pi / 2, 0), (math.pi / 2, 1)):  # at N, and away from it
        engine = CAROM.engine([start, feller, (1.2, -0.6)], {Pin.N, Pin.E})
        engine.legs = []
        engine.strike(0, 1.6, math.atan2(ACROSS[1], ACROSS[0]))
        engine.strike(1, 0.5, aim)
        engine.run(lambda engine: engine.now > 1.0)
        told = tell(engine, CAST, crossings=False, zones=False)
        assert [item.fact for item in told if isinstance(item.fact, Pass)] == expected * [Pass(Ball.CUE)]


def low_flight(profile: Profile, height_mm: float, **changed: tuple[str, float]) -> Engine:
    """A ball that is `height_mm` up in level flight just before it meets the head or top cushion."""
    table = with_params(shipped(profile), **changed) if changed else shipped(profile)
    engine = table.engine([(-table.boundary.half_l + table.ball_r + 1e-4, 0.3)], check=True, chance=Stream(1, "rail"))
    ball = engine.bodies[0]
    ball.vx, ball.vy, ball.z = -1.0, 0.3, height_mm / 1000
    engine.run()
    return engine


@pytest.mark.parametrize(
    ("height_mm", "chance", "kind"),
    [
        (3.0, 1.0, Kind.NOSE),
        (12.0, 0.0, Kind.NOSE),
        (12.0, 1.0, Kind.RETURN),
        (25.0, 1.0, Kind.OFF),
    ],
)
def test_a_low_flying_ball_may_run_up_on_the_rail(height_mm: float, chance: float, kind: Kind) -> None:
    """Between 6 and 20 mm at the nose; in pyramid it comes back and plays on. Mutation: height ignored; it comes back faster."""
    engine = low_flight(Profile.PYRAMID, height_mm, cushion=("rail_p", chance))
    first = next(h for h in engine.log if h.kind in (Kind.NOSE, Kind.RETURN, Kind.OFF))
    assert first.kind is kind
    if kind is Kind.RETURN:
        told = tell(engine, Cast((Ball.C,)), crossings=True, zones=True)
        assert [item.fact for item in told if isinstance(item.fact, Return)] == [Return(Ball.C, "rail-top")]
        assert not any(isinstance(item.fact, Off) for item in told)
        assert -1.775 < engine.bodies[0].x < -1.775 + 0.034 + 0.35  # 0.3 m/s rolls no farther


def test_the_frame_is_out_of_play_in_five_pins() -> None:
    """Error D, even if it drops back. Mutation: `return`, which five-pins does not know."""
    engine = low_flight(Profile.CAROM5, 12.0, cushion=("rail_p", 1.0))
    told = tell(engine, CAST, crossings=False, zones=False)
    assert [item.fact for item in told if isinstance(item.fact, Off)] == [Off(Ball.CUE, "frame")]
    assert not any(isinstance(item.fact, Return) for item in told)


def collision(speed: float, rise: float, seed: int = 1) -> Engine:
    table = with_params(CAROM, ball=("hop", rise))
    engine = table.engine([(-1.0, 0.3), (-0.7, 0.3)], check=True, chance=Stream(seed, "hop"))
    engine.strike(0, speed, 0.0)
    engine.run(lambda engine: any(h.kind is Kind.BALL for h in engine.log))
    return engine


def test_balls_hop_in_a_hard_collision_only() -> None:
    """Above 3 m/s of approach, and never where the number is 0. Mutation: hops at any speed; energy from nowhere (guard)."""
    rises = [collision(4.5, 0.03, seed).bodies[1].vz for seed in range(40)]
    assert all(up >= 0.0 for up in rises)
    assert 0.05 < sum(rises) / 40 < 0.16  # half-normal: 0.8 of 0.03 of 4.4 m/s
    assert collision(2.5, 0.03).bodies[1].vz == 0.0
    assert collision(4.5, 0.0).bodies[1].vz == 0.0
    for seed in range(30):  # the guard looks at the energy of each event
        table = with_params(CAROM, ball=("hop", 5.0))
        engine = table.engine([(-1.0, 0.3), (-0.7, 0.32), (0.9, 0.1)], ALL_PINS, check=True, chance=Stream(seed, "hop"))
        engine.strike(0, 5.0, 0.0)
        engine.run()
    assert not facts(collision(4.5, 0.03), Hop)


@pytest.mark.clause("FP-T.6b")
@pytest.mark.parametrize(("aim", "falls"), [(0.0, True), (-math.pi / 2, False)])
def test_a_ball_driven_on_into_a_pin_it_rests_against_fells_it(aim: float, falls: bool) -> None:
    """Driven aside, the pin stands as it did. Mutation: a pair that met once is not looked at again after another ball's hit."""
    seat = CAROM.pins[Pin.N]
    at = (seat[0] - CAROM.reach - 0.0005, seat[1])
    engine = CAROM.engine(
        [(at[0] - 0.5 * math.cos(aim), at[1] - 0.5 * math.sin(aim)), at, AWAY[0]], {Pin.N}, check=True
    )
    engine.strike(1, 0.015, 0.0, top=0.4)  # creeps to the pin, pushes it less than it takes, and rests
    engine.strike(0, 0.8, aim)
    engine.run(lambda engine: engine.now > 1.0)
    touched = [h.t for h in engine.log if h.kind is Kind.PIN]
    hit = next(h.t for h in engine.log if h.kind is Kind.BALL)
    assert touched[0] < hit
    toppled = [item.fact for item in tell(engine, CAST, crossings=False, zones=False) if isinstance(item.fact, Topple)]
    assert toppled == ([Topple((Pin.N,), Ball.OPPONENT)] if falls else [])
