"""One thing that physically happened on the table, as a typed value. Text form: `notation`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from marker_rules.balls import Ball, Pin, Pocket, Rail


class LeanHow(StrEnum):
    """How a leaning pin came to fall (FP-T.6a to FP-T.6c)."""

    AWAY = "away"
    TOWARD = "toward"
    DRIVEN_OFF = "driven-off"


class Disturbance(StrEnum):
    """Who or what interfered, other than the two players."""

    THIRD_PARTY = "third-party"
    FORCE_MAJEURE = "force-majeure"


@dataclass(frozen=True, slots=True)
class Strike:
    """The tip meets `ball`."""

    ball: Ball


@dataclass(frozen=True, slots=True)
class Contact:
    """Balls met. More than one pair = the same instant. `unmoved`: the second ball was touching and did not move."""

    pairs: tuple[tuple[Ball, Ball], ...]
    unmoved: bool = False


@dataclass(frozen=True, slots=True)
class Cushion:
    """`ball` meets the cushion `rail`."""

    ball: Ball
    rail: Rail


@dataclass(frozen=True, slots=True)
class Topple:
    """`pins` felled by `by`, or (`chain`) by another pin in a chain that `by` began (FP-T.3)."""

    pins: tuple[Pin, ...]
    by: Ball
    chain: bool = False


@dataclass(frozen=True, slots=True)
class Restand:
    """A felled pin came back upright (FP-T.2)."""

    pin: Pin


@dataclass(frozen=True, slots=True)
class Wobble:
    """A pin moved, its base kept contact (FP-T.5)."""

    pin: Pin


@dataclass(frozen=True, slots=True)
class Shift:
    """A pin was displaced, its base kept contact (FP-T.4a); `by` is None when nobody saw which ball did it."""

    pin: Pin
    by: Ball | None = None


@dataclass(frozen=True, slots=True)
class Free:
    """The place of a pin that was off became free (FP-T.7c)."""

    pin: Pin


@dataclass(frozen=True, slots=True)
class Lean:
    """A pin that leaned on `ball` fell, and how (FP-T.6a to FP-T.6c)."""

    pin: Pin
    ball: Ball
    how: LeanHow


@dataclass(frozen=True, slots=True)
class Hop:
    """`ball` jumped over pins (FP-F.O)."""

    ball: Ball


@dataclass(frozen=True, slots=True)
class Pass:
    """`ball` rolled between pins without touching one."""

    ball: Ball


@dataclass(frozen=True, slots=True)
class Off:
    """`ball` left the table or touched its frame; `where` is free text for the record."""

    ball: Ball
    where: str = ""


@dataclass(frozen=True, slots=True)
class Return:
    """`ball` ran on the frame and came back (pyramid, RP-22.2)."""

    ball: Ball
    where: str


@dataclass(frozen=True, slots=True)
class Support:
    """A touching ball stirred only because its support went away (FP-C.4)."""

    ball: Ball


@dataclass(frozen=True, slots=True)
class Pot:
    """`ball` fell into `pocket`."""

    ball: Ball
    pocket: Pocket


@dataclass(frozen=True, slots=True)
class Back:
    """`ball` came back out of `pocket` (RP-20.5)."""

    ball: Ball
    pocket: Pocket


@dataclass(frozen=True, slots=True)
class Jaw:
    """`ball` rebounded from the jaw of the side pocket `pocket` (RP-18.N3)."""

    ball: Ball
    pocket: Pocket


@dataclass(frozen=True, slots=True)
class Cross:
    """The centre of `ball` crossed the centre line."""

    ball: Ball


@dataclass(frozen=True, slots=True)
class Zone:
    """`ball` stopped in the zone of `pocket` (RP-1.1.6)."""

    ball: Ball
    pocket: Pocket


@dataclass(frozen=True, slots=True)
class Frozen:
    """`ball` lay against `rail` before the shot."""

    ball: Ball
    rail: Rail


@dataclass(frozen=True, slots=True)
class Interference:
    """Someone or something else disturbed the shot."""

    kind: Disturbance


@dataclass(frozen=True, slots=True)
class Note:
    """Context a person needs; no meaning for the engine."""

    text: str


Fact: TypeAlias = (
    Strike
    | Contact
    | Cushion
    | Topple
    | Restand
    | Wobble
    | Shift
    | Free
    | Lean
    | Hop
    | Pass
    | Off
    | Return
    | Support
    | Pot
    | Back
    | Jaw
    | Cross
    | Zone
    | Frozen
    | Interference
    | Note
)
