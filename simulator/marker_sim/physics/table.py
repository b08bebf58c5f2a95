"""A table ready to be played on: boundary, ball, pins and parameters, built once from the table's file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from marker_hardware import data, tables
from marker_hardware.data import HardwareDataError
from marker_hardware.pinmap import Profile
from marker_rules.balls import Pin
from marker_sim.physics import params as parameters
from marker_sim.physics.boundary import Boundary, of_table
from marker_sim.physics.engine import Engine
from marker_sim.physics.params import Params
from marker_sim.physics.pins import PinShape
from marker_sim.rng import Stream
from marker_sim.textfile import UnreadableText, text_of

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PlayTable:
    """Metres and kilograms. `pins`: seat of each pin, empty on a table without; `spots`: named places of the file."""

    profile: Profile
    boundary: Boundary
    params: Params
    ball_r: float
    ball_m: float
    pins: Mapping[Pin, Place]
    pin_shape: PinShape
    spots: Mapping[str, Place]
    zone_m: float

    @property
    def reach(self) -> float:
        """Plan distance of a ball's centre and a pin's axis at which the ball touches the pin's head."""
        up = self.ball_r - self.pin_shape.height + self.pin_shape.head_r
        return math.sqrt((self.ball_r + self.pin_shape.head_r) ** 2 - up * up)

    def engine(
        self,
        balls: Sequence[Place | None],
        pins: Iterable[Pin] = (),
        *,
        check: bool = False,
        chance: Stream | None = None,
    ) -> Engine:
        """A shot with `balls` in their places (None: not on the table) and the `pins` that stand."""
        standing = set(pins)
        seats = [place if pin in standing else None for pin, place in self.pins.items()]
        return Engine(
            self.boundary,
            self.params,
            (self.ball_r, self.ball_m),
            balls,
            seats,
            self.pin_shape,
            check=check,
            chance=chance,
            # A ball that came upon the frame is error D, even if it drops back; in pyramid it plays on (RP-22.2a).
            frame_off=self.profile is Profile.CAROM5,
        )

    def free(self, place: Place, balls: Iterable[Place | None], gap: float = 1e-4) -> bool:
        """Whether a ball fits at `place`: inside the noses, off every other ball."""
        room = self.ball_r + gap
        edge = self.boundary
        if abs(place[0]) > edge.half_l - room or abs(place[1]) > edge.half_w - room:
            return False
        apart = 2.0 * self.ball_r + gap
        return all(math.hypot(place[0] - at[0], place[1] - at[1]) >= apart for at in balls if at is not None)

    def covered(self, ball: Place | None) -> list[Pin]:
        """The pins that cannot stand on their seats because a ball lies there."""
        if ball is None:
            return []
        return [pin for pin, at in self.pins.items() if math.hypot(at[0] - ball[0], at[1] - ball[1]) < self.reach]


def of_file(profile: Profile, params: Params | None = None, table: tables.Table | None = None) -> PlayTable:
    """The table of a profile, or any other file in its form (`table`)."""
    source = table or tables.load(profile)
    shape = PinShape()
    if source.pin is not None:
        shape = PinShape(
            source.pin.h.v / 1000, source.pin.head.v / 2000, source.pin.base.v / 2000, source.pin.mass.v / 1000
        )
    return PlayTable(
        profile,
        of_table(source),
        params or parameters.load(),
        source.ball.d.v / 2000,
        source.ball.mass.v / 1000,
        {Pin(name): (at.x / 1000, at.y / 1000) for name, at in source.pins.items()},
        shape,
        {name: (at.x / 1000, at.y / 1000) for name, at in source.spots.items()},
        source.zone.radius.v / 1000,
    )


def of_paths(profile: Profile, params: Path | None, table: Path | None) -> PlayTable | None:
    """The table of own files; None where neither is given. Raises ParamsError, HardwareDataError, BoundaryError with file and key."""
    if params is None and table is None:
        return None
    own = None
    if table is not None:
        try:
            raw = text_of(table, parameters.LARGEST).encode()
            own = data.decode(raw, tables.Table, str(table))
        except UnreadableText as problem:
            raise HardwareDataError(str(table), "", str(problem), "give a table file") from problem
        except RecursionError as problem:
            raise HardwareDataError(str(table), "", "nested too deeply", "correct the TOML syntax") from problem
        if own.profile is not profile:
            raise HardwareDataError(
                str(table), "profile", own.profile.value, f"this game is played on '{profile.value}'"
            )
    return of_file(profile, parameters.load(params), own)


@cache
def shipped(profile: Profile) -> PlayTable:
    """The shipped table of a profile with the default parameters."""
    return of_file(profile)
