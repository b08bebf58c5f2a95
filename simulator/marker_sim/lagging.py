"""The lag: both players strike at the same time up the table and back; the nearer ball wins the choice."""

from __future__ import annotations

from marker_hardware.pinmap import Profile
from marker_rules.balls import Player
from marker_sim.physics.engine import Kind
from marker_sim.physics.table import PlayTable
from marker_sim.play import LagOutcome, Style
from marker_sim.players import with_error
from marker_sim.rng import Stream
from marker_sim.uniform import Launch

EQUAL_M = 0.001  # nearer than this the referee cannot tell
SPEED = {Profile.CAROM5: 1.62, Profile.PYRAMID: 1.75}  # m/s at which a ball just comes back


def lag(table: PlayTable, style: Style, chance: Stream) -> LagOutcome:
    """One try: who won, or a repetition. A side without contact with the far cushion, or that meets the other ball, has lost."""
    late = tuple(player for player in Player if chance.chance(style.slips.of("late")))
    if late:
        return LagOutcome(None, late)
    if table.profile is Profile.CAROM5:
        starts, toward, home = [table.spots["lag_left"], table.spots["lag_right"]], 3.141592653589793, 1.0
    else:
        x = table.spots["front"][0]
        starts, toward, home = [(x, 0.4), (x, -0.4)], 0.0, -1.0
    engine = table.engine(starts)
    for index in range(2):
        aim = style.skill.aim_deg if table.profile is Profile.CAROM5 else style.skill.pyramid_aim_deg
        launch = with_error(Launch(index, SPEED[table.profile], toward, 0.0, 0.2), aim, chance)
        launch.on(engine)
    engine.run()
    met = any(h.kind is Kind.BALL for h in engine.log)
    far = {
        h.a for h in engine.log if h.kind is Kind.NOSE and abs(h.x) > table.boundary.half_l - 0.001 and h.x * home < 0
    }
    gone = {h.a for h in engine.log if h.kind in (Kind.POT, Kind.OFF)}
    good = [index for index in range(2) if index in far and index not in gone]
    if met or not good:
        return LagOutcome(None)
    if len(good) == 1:
        return LagOutcome(tuple(Player)[good[0]])
    away = [table.boundary.half_l - home * engine.bodies[index].x for index in range(2)]
    if abs(away[0] - away[1]) < EQUAL_M:
        return LagOutcome(None)
    return LagOutcome(Player.A if away[0] < away[1] else Player.B)
