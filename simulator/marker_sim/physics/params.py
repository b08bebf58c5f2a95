"""Physics parameters from `params.toml` (or a file in its form): every number with its source; unknown keys are refused."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

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
    """Two balls."""

    e: Num
    friction: Num


class Cushion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ball against cushion: e(vn) = e (1 - e_loss min(vn, 5))."""

    e: Num
    e_loss: Num
    friction: Num
    topspin_kept: Num
    off_mm: Num


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
        raw = path.read_bytes() if path else (files("marker_sim.physics") / "params.toml").read_bytes()
        found: Any = msgspec.toml.decode(raw, type=Params)
    except (OSError, msgspec.DecodeError) as problem:
        raise ParamsError(f"{name}: {problem}") from problem
    params: Params = found
    return params
