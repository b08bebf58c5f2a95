"""Bodies between shots: match, lag, layout, choices, clocks, breaks, ends, notes."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hub.entries.base import Base, PlayerInfo, Policy, Side


class MatchStarted(Base, frozen=True, tag="match"):
    """A match began. `options` overrides `preset`; `opener` None: a lag decides; `manual`: played without sensors on purpose."""

    id: str
    game: str
    players: dict[str, PlayerInfo]
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    preset: str = ""
    policy: Policy = Policy.REFEREE
    opener: str | None = None
    ball_of_a: str = ""
    handicap: dict[str, int] = msgspec.field(default_factory=dict)
    manual: bool = False
    practice: bool = False


class LagSet(Base, frozen=True, tag="lag"):
    """Result of a lag: `winner` A, B or `replay`; `late`: sides struck late; `choice`: what the winner chose, if at once."""

    winner: str
    late: tuple[str, ...] = ()
    choice: str = ""
    facts: tuple[str, ...] = ()


class LayoutSet(Base, frozen=True, tag="layout"):
    """The referee says what is on the table: pins that stand, pins he took off, balls on the table (None: not said)."""

    standing: tuple[str, ...] | None = None
    off: tuple[str, ...] | None = None
    balls: int | None = None


class Readied(Base, frozen=True, tag="ready"):
    """The referee said: everything is placed, play on."""

    by: Side = Side.REFEREE


class Chosen(Base, frozen=True, tag="choice"):
    """One of the choices due was taken."""

    value: str
    by: Side = Side.REFEREE


class ContactReset(Base, frozen=True, tag="contact_reset"):
    """The balls are put to their starting places out of a hopeless contact (FP-C.5)."""


class Placed(Base, frozen=True, tag="placed"):
    """One placement on the respot list was ticked off."""

    what: str
    done: bool = True


class NewRack(Base, frozen=True, tag="new_rack"):
    """Series play: a new rack for the run that goes on (RP-30.4d)."""


class RunContinued(Base, frozen=True, tag="continue_run"):
    """Series play after the frame was won (RP-30.4b)."""


class TimeCalled(Base, frozen=True, tag="time_called"):
    """'Time': the shot clock ran out and it was called; spends an extension or is a foul (RP-28)."""

    by: Side = Side.REFEREE


class ExtensionGiven(Base, frozen=True, tag="extension"):
    """A player asked for extra time."""

    by: str


class ClockSet(Base, frozen=True, tag="clock_set"):
    """The referee stopped or started the shot clock."""

    running: bool


class BreakRequested(Base, frozen=True, tag="break_request"):
    """A player asked for a break (RP-29.1); `permitted`: the referee allowed it in a broadcast match."""

    by: str
    permitted: bool = False


class Held(Base, frozen=True, tag="hold"):
    """A player held the countdown of a self-refereed proposal."""

    by: str


class Suspended(Base, frozen=True, tag="suspend"):
    """The match is interrupted."""

    note: str


class Resumed(Base, frozen=True, tag="resume"):
    """The interruption or the break ended."""


class Awarded(Base, frozen=True, tag="award"):
    """A game or the match was given to a player, or a game is to be replayed: `what` game, match or replay."""

    what: str
    to: str
    note: str


class Noted(Base, frozen=True, tag="note"):
    """Something for the record only (RP-10.3b, RP-23.4, RP-31.2a, remarks)."""

    code: str
    by: str = ""
    note: str = ""


class GameStarted(Base, frozen=True, tag="next_game"):
    """The next game or frame begins."""


class RulesActed(Base, frozen=True, tag="act"):
    """Something the rules know and the hub need not: `kind` house, white, hall_referee, late, ball or place, with its arguments."""

    kind: str
    player: str = ""
    value: str = ""
    args: dict[str, str] = msgspec.field(default_factory=dict)
    note: str = ""


class Closed(Base, frozen=True, tag="close"):
    """The protocol was signed; the table is free."""
