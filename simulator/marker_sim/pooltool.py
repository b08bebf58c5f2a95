"""The same launches in another engine: same contacts up to the first cushion, and how much slower. Only where it is installed.

pooltool is no dependency and cannot be one: its package cannot be resolved as published. docs/developer/simulator.md tells how
to install it by hand. Nothing of the product imports this module unless pooltool is there.
"""

from __future__ import annotations

import importlib
import math
import time
from dataclasses import dataclass
from typing import Any

import msgspec

from marker_hardware.pinmap import Profile
from marker_sim.physics import params as parameters
from marker_sim.physics.engine import Kind
from marker_sim.physics.params import GRAVITY
from marker_sim.physics.table import PlayTable, of_file, shipped
from marker_sim.rng import Stream
from marker_sim.uniform import Launch, anywhere

ROUNDS = 3
SLIDING = 2  # pooltool's word for it
LAUNCHES = 300


@dataclass(frozen=True, slots=True)
class Case:
    """Places of three balls and the stroke, without sidespin or height."""

    places: list[tuple[float, float]]
    launch: Launch


def cases(count: int, seed: int = 1) -> list[Case]:
    """The launches that both engines play."""
    table = shipped(Profile.CAROM5)
    found = []
    for number in range(count):
        chance = Stream(seed, "pooltool", number)
        places = anywhere(table, 3, chance)
        found.append(Case(places, Launch(0, chance.uniform(0.8, 4.0), chance.uniform(-3.1, 3.1))))
    return found


def smooth() -> PlayTable:
    """The shipped table with balls that do not rub against each other: how spin is handed on is modelled otherwise there."""
    params = parameters.load()
    ball = msgspec.structs.replace(params.ball, friction=msgspec.structs.replace(params.ball.friction, v=0.0))
    return of_file(Profile.CAROM5, msgspec.structs.replace(params, ball=ball))


def own_contacts(case: Case, table: PlayTable) -> list[tuple[str, float]]:
    """Kinds and times of the contacts up to and with the first cushion."""
    engine = table.engine(case.places)
    case.launch.on(engine)
    engine.run()
    found = []
    for happened in engine.log:
        if happened.kind is Kind.BALL:
            found.append(("ball", happened.t))
        elif happened.kind is Kind.NOSE:
            found.append(("cushion", happened.t))
            break
    return found


def other_system(case: Case, table: PlayTable) -> Any:
    """The same shot as a system of pooltool, with the same friction and restitution."""
    pt: Any = importlib.import_module("pooltool")
    p = table.params
    settings = {
        "m": table.ball_m,
        "R": table.ball_r,
        "u_s": p.cloth.slide.v,
        "u_r": p.cloth.roll.v,
        "u_sp_proportionality": p.cloth.spin.v * 2.0 / (5.0 * GRAVITY),
        "e_b": p.ball.e.v,
        "e_c": p.cushion.e.v,
        "u_b": max(p.ball.friction.v, 1e-12),  # it takes no nought
        "g": GRAVITY,
    }
    edge = table.boundary
    balls = {
        str(index): pt.Ball.create(str(index), xy=(x + edge.half_l, y + edge.half_w), **settings)
        for index, (x, y) in enumerate(case.places)
    }
    specs = pt.objects.BilliardTableSpecs(l=2 * edge.half_w, w=2 * edge.half_l)
    system = pt.System(cue=pt.Cue(cue_ball_id="0"), table=pt.Table.from_table_specs(specs), balls=balls)
    system.cue.set_state(V0=0.0)  # the ball is set in motion itself: how a cue does it is modelled otherwise there
    struck, launch = balls["0"].state, case.launch
    struck.rvw[1] = (launch.speed * math.cos(launch.direction), launch.speed * math.sin(launch.direction), 0.0)
    struck.s = SLIDING
    return system


def other_engine() -> Any:
    """Pooltool's physics with the same friction of two balls at any speed."""
    pt: Any = importlib.import_module("pooltool")
    balls: Any = importlib.import_module("pooltool.physics.resolve.ball_ball.frictional_inelastic")
    friction: Any = importlib.import_module("pooltool.physics.resolve.ball_ball.friction")
    engine: Any = importlib.import_module("pooltool.physics.engine")
    made = engine.PhysicsEngine(pt.physics.resolve.Resolver.default())
    made.resolver.ball_ball = balls.FrictionalInelastic(friction=friction.AverageBallBallFriction())
    return made


def other_contacts(case: Case, table: PlayTable) -> list[tuple[str, float]]:
    """The same list from pooltool."""
    pt: Any = importlib.import_module("pooltool")
    system = other_system(case, table)
    pt.simulate(system, engine=other_engine(), inplace=True)
    found = []
    for event in system.events:
        name = str(event.event_type)
        if "ball_ball" in name:
            found.append(("ball", float(event.time)))
        elif "cushion" in name:
            found.append(("cushion", float(event.time)))
            break
    return found


def ratio(launches: int = LAUNCHES) -> float:
    """Shots a second of this engine over those of pooltool: alternating rounds in one process, the worst of them."""
    pt: Any = importlib.import_module("pooltool")
    table, drawn = shipped(Profile.CAROM5), cases(launches)
    pt.simulate(other_system(drawn[0], table), inplace=True)  # its first shot compiles for half a minute
    worst = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        for case in drawn:
            engine = table.engine(case.places)
            case.launch.on(engine)
            engine.run()
        own = time.process_time() - began
        began = time.process_time()
        for case in drawn:
            pt.simulate(other_system(case, table), inplace=True)
        worst = min(worst, (time.process_time() - began) / max(own, 1e-9))
    return round(worst, 2)
