"""One shot of the match that a seed plays, with everything a person may want to see of it."""

from __future__ import annotations

from dataclasses import dataclass

from marker_hardware import wire
from marker_hardware.pinmap import Profile
from marker_rules.balls import FIVE_PINS_BALLS, PYRAMID_BALLS, Ball, GameId, Pin
from marker_rules.notation import format_fact
from marker_sim.matchplay import Matchplay
from marker_sim.physics.engine import Engine
from marker_sim.physics.table import PlayTable
from marker_sim.play import Style
from marker_sim.sensors.hall import Pose
from marker_sim.sensors.inputs import SHIFT_FIRST, Edge, Input
from marker_sim.sensors.table import CaromSensors, TableSensors, sensors_of
from marker_sim.truth import TrueShot
from marker_sim.uniform import Launch


@dataclass(frozen=True, slots=True)
class SingleShot:
    """`inputs`: what the node's inputs do, us after the strike; `table`: where it was played."""

    game: GameId
    seed: int
    shot: TrueShot
    engine: Engine
    launch: Launch
    inputs: tuple[Input, ...]
    table: PlayTable

    @property
    def balls(self) -> tuple[Ball, ...]:
        """Names of the engine's balls, in its order."""
        return PYRAMID_BALLS if self.game.is_pyramid else FIVE_PINS_BALLS

    @property
    def standing(self) -> tuple[Pin, ...]:
        """The pins that stood before the stroke."""
        return tuple(pin for pin in Pin if pin in getattr(self.shot.before, "pins", ()))


def single(game: GameId, seed: int, number: int, style: Style) -> SingleShot:
    """Shot `number` of the match. Raises ValueError where the match was over before, SimulationError."""
    played = Matchplay.new(game, seed, style=style)
    shot = played.until(number)
    players = played.players
    assert players.last is not None
    assert players.launch is not None
    profile = Profile.PYRAMID if game.is_pyramid else Profile.CAROM5
    sensors = _fresh(sensors_of(profile, seed, "1"), shot)
    inputs = tuple(sensors.shot(number, shot.timeline, 0))
    return SingleShot(game, seed, shot, players.last, players.launch, inputs, players.table)


def _fresh(sensors: TableSensors, shot: TrueShot) -> TableSensors:
    """With the pins of that shot."""
    if isinstance(sensors, CaromSensors):
        for pin in Pin:
            if pin not in shot.before.pins:
                sensors.seats.poses[pin] = Pose.GONE
    return sensors


def channel_names(profile: Profile) -> dict[int, str]:
    """Input number of an edge to its name for people: a rail, a beam, the click disc."""
    names = {}
    for channel in wire.channels(profile).values():
        if channel.group in (wire.Group.RAIL, wire.Group.CLICK):
            names[channel.number] = channel.position if channel.group is wire.Group.RAIL else "click"
        elif channel.group is wire.Group.GATE:
            bit = SHIFT_FIRST + 2 * (int(channel.name.removeprefix("P")) - 1)
            names[bit], names[bit + 1] = f"gate {channel.place} A", f"gate {channel.place} B"
    return names


def explanation(single_shot: SingleShot) -> list[tuple[float, str, str]]:
    """(ms, where from, what) in time order: facts, then what the sensors made of them, then the end."""
    rows: list[tuple[float, str, str]] = []
    for item in single_shot.shot.timeline.items:
        speed = f"  {item.strength:.2f} m/s" if item.strength else ""
        place = f"  at ({item.at_mm[0]:.0f}, {item.at_mm[1]:.0f}) mm" if item.at_mm else ""
        rows.append((item.t_ns / 1e6, "fact", f"{format_fact(item.fact)}{speed}{place}"))
    names = channel_names(single_shot.table.profile)
    for inp in single_shot.inputs:
        if isinstance(inp, Edge):
            name = names.get(inp.ch, str(inp.ch))
            volts = f"  {inp.aux} mV" if inp.level and inp.ch < SHIFT_FIRST else ""
            rows.append((inp.t_us / 1e3, "sensor", f"{name} {'rises' if inp.level else 'falls'}{volts}"))
    rows.append((single_shot.shot.timeline.rest_ns / 1e6, "fact", "all balls at rest"))
    rows.sort(key=lambda row: row[0])
    return rows
