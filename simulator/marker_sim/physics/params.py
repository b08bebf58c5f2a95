"""Physics parameters from `params.toml` (or a file in its form): every number with its source; unknown keys are refused."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from marker_sim.textfile import UnreadableText, text_of

GRAVITY = 9.81


class ParamsError(ValueError):
    """A parameter file that cannot be used: names file and key."""


class Num(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number and where it comes from."""

    v: float
    src: str = ""
    ok: bool = False


class Cloth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cloth: friction sliding and rolling, loss of sidespin (rad/s^2)."""

    slide: Num
    roll: Num
    spin: Num


class BallContact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two balls. A file of its own may leave out what came later (`hop`)."""

    e: Num
    friction: Num
    hop: Num = Num(0.0, "left out")  # rise of a ball over the approach, standard deviation


class Cushion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ball against cushion: e(vn) = e (1 - e_loss min(vn, 5)). `rail_...`: a ball that flies too low to leave the table."""

    e: Num
    e_loss: Num
    friction: Num
    topspin_kept: Num
    off_mm: Num
    rail_mm: Num = Num(20.0, "left out")  # underside at the nose above which a ball may come up on the rail
    rail_p: Num = Num(0.0, "left out")  # that it does
    rail_kept: Num = Num(0.3, "asm")  # of its speed, when it comes back


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Skittles, standing and lying."""

    e: Num
    friction: Num
    topple_v: Num
    push_mm: Num
    chain_v: Num
    puck_mm: Num
    puck_e: Num
    lost_ms: Num
    lost_max_ms: Num
    shift_p: Num
    shift_max_mm: Num
    restand_p: Num


class Air(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ball that left the cloth."""

    bounce: Num
    settle_v: Num


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All parameters."""

    schema: int
    cloth: Cloth
    ball: BallContact
    cushion: Cushion
    pin: Pin
    air: Air


def load(path: Path | None = None) -> Params:
    """The parameters of a file, or the defaults. Raises ParamsError."""
    name = str(path) if path else "params.toml"
    try:
        raw = text_of(path, LARGEST) if path else (files("marker_sim.physics") / "params.toml").read_text("utf-8")
        found: Any = msgspec.toml.decode(raw, type=Params)
    except UnreadableText as problem:
        raise ParamsError(f"{name}: {problem}; give a file in the form of marker_sim/physics/params.toml") from problem
    except (msgspec.DecodeError, RecursionError) as problem:
        raise ParamsError(f"{name}: {problem}; correct it by the form of marker_sim/physics/params.toml") from problem
    params: Params = found
    _check(params, name)
    return params


LARGEST = 1 << 20  # bytes of a file
SHARES = {
    "ball.e",
    "cushion.e",
    "cushion.topspin_kept",
    "cushion.rail_p",
    "cushion.rail_kept",
    "pin.e",
    "pin.puck_e",
    "pin.shift_p",
    "pin.restand_p",
    "air.bounce",
}
MAY_BE_ZERO = {"ball.friction", "ball.hop", "cushion.friction", "cushion.e_loss", "pin.shift_max_mm"}


def _check(params: Params, name: str) -> None:
    """Every number must be one that a table can have. Raises ParamsError with key and range."""
    if params.schema != 1:
        raise ParamsError(f"{name}: schema = {params.schema}: this version reads schema 1; give a file of that schema")
    for part in ("cloth", "ball", "cushion", "pin", "air"):
        group = getattr(params, part)
        for field in group.__struct_fields__:
            key, value = f"{part}.{field}", getattr(group, field).v
            low_ok = value >= 0.0 if key in SHARES | MAY_BE_ZERO else value > 0.0
            if not (low_ok and value <= (1.0 if key in SHARES else 1e4)):
                wanted = "0 to 1" if key in SHARES else "a number from 0" if key in MAY_BE_ZERO else "a number above 0"
                raise ParamsError(f"{name}: {key} = {value:g}: give {wanted}")
