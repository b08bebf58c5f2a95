"""Journal entries: everything that ever happened at a table, and the only thing its state is made of.

`Entry` is the envelope (table, position, times, identity), `Body` the tagged union of what happened, always in the past
tense. Wall time and randomness enter the hub only here. Bodies are stored as JSON; a change of meaning raises
`FOLD_VERSION`, so that snapshots made by older code are not used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import Any, TypeAlias

import msgspec

FOLD_VERSION = 1
"""Version of the fold; a snapshot made under another version is ignored and the journal is folded again."""

Json: TypeAlias = dict[str, Any]
"""A value as msgspec makes it from a frozen dataclass: only plain JSON types."""


class Policy(StrEnum):
    """Who turns a proposal into score."""

    REFEREE = "referee"
    SELF = "self"  # countdown that either player can hold
    AUTO = "auto"  # as `self`; kept apart so that records say that nobody was asked


class Side(StrEnum):
    """Who pressed: the referee, a player by letter, the countdown, or the hub itself."""

    REFEREE = "referee"
    A = "A"
    B = "B"
    COUNTDOWN = "countdown"
    HUB = "hub"


class PlayerInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A player as entered: surname (or any one name), given name, language of the name's script (BCP 47)."""

    name: str
    given: str = ""
    lang: str = ""


class _Base(msgspec.Struct, frozen=True, tag_field="k", forbid_unknown_fields=True, omit_defaults=True):
    """Common settings of all bodies."""


# --- from the node -----------------------------------------------------------------------------------------------


class Obs(_Base, frozen=True, tag="obs"):
    """One record of the node; codes as in hardware/wire.toml. Identity and device time are in the envelope."""

    ch: int
    kind: int
    v: int
    aux: int = 0


class Birth(_Base, frozen=True, tag="birth"):
    """The node came (back): a snapshot, which never scores. `channels`: channel number -> quality code; `unc_us` likewise."""

    boot: int
    uid: str = ""
    epoch: int = 0
    profile: str = ""
    fw: str = ""
    reset: str = ""
    mode: int = 0
    floor: int = 0
    tail: int = 0
    head: int = 0
    channels: dict[int, int] = {}
    unc_us: dict[int, int] = {}
    retained: bool = False


class Offline(_Base, frozen=True, tag="offline"):
    """The node's last will, or its silence noticed by the hub."""

    boot: int = 0


class Health(_Base, frozen=True, tag="health"):
    """Health report: qualities by channel number, the node's head (next sequence number)."""

    boot: int
    head: int = 0
    channels: dict[int, int] = {}
    flags: tuple[str, ...] = ()


class Head(_Base, frozen=True, tag="head"):
    """A command was acknowledged: `head` is the next sequence number of `boot`; `cmd` the id of the command, `code` its result."""

    boot: int
    head: int
    cmd: str = ""
    code: int = 0


class Loss(_Base, frozen=True, tag="loss"):
    """Records or edges lost, noticed by the hub outside the record stream."""

    boot: int
    count: int
    cause: int = 0


class Missing(_Base, frozen=True, tag="missing", rename={"first": "from", "last": "to"}):
    """Records first..last (both included) of `boot` will never come: answered `gap`, or three replay requests in vain."""

    boot: int
    first: int
    last: int


class ClockPair(_Base, frozen=True, tag="clock"):
    """At device time t_dev the hub's monotonic clock read t_dev + off; rtt bounds the error (all us)."""

    boot: int
    t_dev: int
    off: int
    rtt: int = 0


# --- from the hub itself -----------------------------------------------------------------------------------------


class HubStarted(_Base, frozen=True, tag="hub_started"):
    """The hub process started: monotonic time begins anew, running clocks come back paused."""

    version: str = ""


class TimerExpired(_Base, frozen=True, tag="timer"):
    """The deadline `name` (see `table.deadline`) passed."""

    name: str


class Fault(_Base, frozen=True, tag="fault"):
    """Stepping entry `at` raised; the old state was kept and the referee is needed."""

    text: str
    at: int = 0


# --- match, lag, layout ------------------------------------------------------------------------------------------


class MatchStarted(_Base, frozen=True, tag="match"):
    """A match began. `options` overrides `preset`; `opener` None: a lag decides; `manual`: played without sensors on purpose."""

    id: str
    game: str
    players: dict[str, PlayerInfo]
    options: dict[str, Any] = {}
    preset: str = ""
    policy: Policy = Policy.REFEREE
    opener: str | None = None
    ball_of_a: str = ""
    handicap: dict[str, int] = {}
    manual: bool = False
    practice: bool = False


class LagSet(_Base, frozen=True, tag="lag"):
    """Result of a lag: `winner` A, B or `replay`; `late`: sides struck late; `choice`: what the winner chose, if at once."""

    winner: str
    late: tuple[str, ...] = ()
    choice: str = ""
    facts: tuple[str, ...] = ()


class LayoutSet(_Base, frozen=True, tag="layout"):
    """The referee says what is on the table: pins that stand, pins he took off, balls on the table (None: not said)."""

    standing: tuple[str, ...] | None = None
    off: tuple[str, ...] | None = None
    balls: int | None = None


class Readied(_Base, frozen=True, tag="ready"):
    """The referee said: everything is placed, play on."""

    by: Side = Side.REFEREE


class Chosen(_Base, frozen=True, tag="choice"):
    """One of the choices due was taken."""

    value: str
    by: Side = Side.REFEREE


class ContactReset(_Base, frozen=True, tag="contact_reset"):
    """The balls are put to their starting places out of a hopeless contact (FP-C.5)."""


class Placed(_Base, frozen=True, tag="placed"):
    """One placement on the respot list was ticked off."""

    what: str
    done: bool = True


class NewRack(_Base, frozen=True, tag="new_rack"):
    """Series play: a new rack for the run that goes on (RP-30.4d)."""


class RunContinued(_Base, frozen=True, tag="continue_run"):
    """Series play after the frame was won (RP-30.4b)."""


# --- the shot ----------------------------------------------------------------------------------------------------


class Struck(_Base, frozen=True, tag="struck"):
    """The key 'the shot is played' (no click channel, or it heard nothing)."""

    by: Side = Side.REFEREE


class Stilled(_Base, frozen=True, tag="still"):
    """The button 'balls still'."""

    by: Side = Side.REFEREE


class Answered(_Base, frozen=True, tag="answer"):
    """A question of shot `shot` was answered; `answer` None takes the answer back."""

    shot: int
    question: str
    answer: str | None


class Called(_Base, frozen=True, tag="call"):
    """A foul or event was called by its code for shot `shot`; 0: between strokes. `args`: what the clause asks (balls that jumped)."""

    shot: int
    code: str
    by: str
    when: str = "during"
    args: tuple[str, ...] = ()


class CallTaken(_Base, frozen=True, tag="uncall"):
    """A call was taken back."""

    shot: int
    code: str
    by: str


class Picked(_Base, frozen=True, tag="pick"):
    """The referee took one of the last few rulings directly; the facts stay unknown."""

    shot: int
    ruling: str


class Accepted(_Base, frozen=True, tag="accept"):
    """A proposal became score. `ruling` is stored in full and applied as it is; `hash` is the state's hash afterwards.

    `answers`: the rows as they stood on the sheet; `close`: accepted while the balls were still being watched, so it
    also closed the shot.
    """

    shot: int
    ruling: Json
    hash: str = ""
    by: Side = Side.REFEREE
    answers: dict[str, str] = {}
    close: bool = False
    edition: str = ""


class ManualRuled(_Base, frozen=True, tag="manual"):
    """The referee's own ruling with its mandatory note; `computed` is what the engine held beside it."""

    shot: int
    ruling: Json
    note: str
    computed: Json | None = None
    hash: str = ""
    edition: str = ""


class Reopened(_Base, frozen=True, tag="reopen"):
    """A proposal was withdrawn to the sheet."""

    shot: int


class NotAShot(_Base, frozen=True, tag="not_a_shot"):
    """What opened shot `shot` was no stroke; it is void."""

    shot: int


class Interfered(_Base, frozen=True, tag="interference"):
    """Outside interference (RP-24, FP-X.1): `value` restorable or lost."""

    value: str
    shot: int = 0
    note: str = ""


class Premature(_Base, frozen=True, tag="premature"):
    """The next player struck before the running shot ended: it ends at the new strike."""

    shot: int
    at_us: int | None = None


# --- corrections -------------------------------------------------------------------------------------------------


class Rejudged(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One shot of an accepted correction: its new ruling, or none where it became void or was set aside."""

    shot: int
    ruling: Json | None = None
    answers: dict[str, str] = {}
    open: bool = False  # an answer is missing under the new state: listed, never guessed


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is changed about a shot; fields left out stay as they were."""

    answers: dict[str, str | None] | None = None
    calls: tuple[tuple[str, str, str], ...] | None = None  # (code, by, when), replaces all calls
    pins: tuple[str, ...] | None = None  # the pins that count as toppled
    striker: str | None = None
    void: bool = False
    ruling: Json | None = None  # a manual ruling; `note` is then mandatory
    insert_after: bool = False  # the change describes a new shot after this one
    delete: bool = False
    note: str = ""


class Amended(_Base, frozen=True, tag="amend"):
    """A closed shot was changed; `rulings` holds every ruling that stands afterwards from that shot on."""

    shot: int
    change: Change
    rulings: tuple[Rejudged, ...] = ()
    set_aside: tuple[int, ...] = ()
    hash: str = ""
    edition: str = ""


class Undone(_Base, frozen=True, tag="undo"):
    """The command at position `n` is void."""

    n: int


class Redone(_Base, frozen=True, tag="redo"):
    """The command at position `n` holds again."""

    n: int


# --- clocks, ends, notes -----------------------------------------------------------------------------------------


class TimeCalled(_Base, frozen=True, tag="time_called"):
    """'Time': the shot clock ran out and it was called; spends an extension or is a foul (RP-28)."""

    by: Side = Side.REFEREE


class ExtensionGiven(_Base, frozen=True, tag="extension"):
    """A player asked for extra time."""

    by: str


class ClockSet(_Base, frozen=True, tag="clock_set"):
    """The referee stopped or started the shot clock."""

    running: bool


class BreakRequested(_Base, frozen=True, tag="break_request"):
    """A player asked for a break (RP-29.1); `permitted`: the referee allowed it in a broadcast match."""

    by: str
    permitted: bool = False


class Held(_Base, frozen=True, tag="hold"):
    """A player held the countdown of a self-refereed proposal."""

    by: str


class Suspended(_Base, frozen=True, tag="suspend"):
    """The match is interrupted."""

    note: str


class Resumed(_Base, frozen=True, tag="resume"):
    """The interruption or the break ended."""


class Awarded(_Base, frozen=True, tag="award"):
    """A game or the match was given to a player, or a game is to be replayed: `what` game, match or replay."""

    what: str
    to: str
    note: str


class Noted(_Base, frozen=True, tag="note"):
    """Something for the record only (RP-10.3b, RP-23.4, RP-31.2a, remarks)."""

    code: str
    by: str = ""
    note: str = ""


class GameStarted(_Base, frozen=True, tag="next_game"):
    """The next game or frame begins."""


class RulesActed(_Base, frozen=True, tag="act"):
    """Something the rules know and the hub need not: `kind` house, white, hall_referee, late, ball or place, with its arguments."""

    kind: str
    player: str = ""
    value: str = ""
    args: dict[str, str] = {}
    note: str = ""


class Closed(_Base, frozen=True, tag="close"):
    """The protocol was signed; the table is free."""


Body: TypeAlias = (
    Obs
    | Birth
    | Offline
    | Health
    | Head
    | Loss
    | Missing
    | ClockPair
    | HubStarted
    | TimerExpired
    | Fault
    | MatchStarted
    | LagSet
    | LayoutSet
    | Readied
    | Chosen
    | ContactReset
    | Placed
    | NewRack
    | RunContinued
    | Struck
    | Stilled
    | Answered
    | Called
    | CallTaken
    | Picked
    | Accepted
    | ManualRuled
    | Reopened
    | NotAShot
    | Interfered
    | Premature
    | Amended
    | Undone
    | Redone
    | TimeCalled
    | ExtensionGiven
    | ClockSet
    | BreakRequested
    | Held
    | Suspended
    | Resumed
    | Awarded
    | Noted
    | GameStarted
    | RulesActed
    | Closed
)
"""Everything that can stand in the journal; the tag is the field `k`."""

NODE_BODIES = (Obs, Birth, Offline, Health, Head, Loss, Missing, ClockPair)
"""Bodies that come from the node's side; all others are commands or the hub's own."""

HUB_BODIES = (HubStarted, TimerExpired, Fault)


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A body with its envelope.

    tbl: table id; n: position, 1.. without gaps per table; mono_us: hub's monotonic clock; wall_ms: UTC, ms since the
    epoch; key: idempotency key of a command; node, boot, seq, dev_us: identity and device time of a record.
    """

    tbl: str
    n: int
    body: Body
    mono_us: int
    wall_ms: int
    key: str | None = None
    node: int | None = None
    boot: int | None = None
    seq: int | None = None
    dev_us: int | None = None
    role: str | None = None
    session: str | None = None


_body_encoder = msgspec.json.Encoder()
_body_decoder: msgspec.json.Decoder[Body] = msgspec.json.Decoder(Body)
_entry_encoder = msgspec.json.Encoder()
_entry_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode(body: Body) -> bytes:
    """The body as it is stored: JSON, fields in the order of their declaration."""
    return _body_encoder.encode(body)


def decode(raw: bytes) -> Body:
    """A stored body. Raises msgspec.ValidationError (a ValueError) naming the field that does not fit."""
    return _body_decoder.decode(raw)


def kind_of(body: Body) -> str:
    """The tag of a body, as stored in the journal's column `kind`."""
    tag = type(body).__struct_config__.tag
    assert isinstance(tag, str)
    return tag


def encode_entry(entry: Entry) -> bytes:
    """A whole entry as one JSON line of a match record."""
    return _entry_encoder.encode(entry)


def decode_entry(raw: bytes | str) -> Entry:
    """A whole entry from a match record. Raises msgspec.ValidationError."""
    return _entry_decoder.decode(raw)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise NotImplementedError(f"{type(value).__name__} cannot stand in a journalled value")


_canonical = msgspec.json.Encoder(order="deterministic", enc_hook=_plain)


def canonical(value: Any) -> bytes:
    """The one byte form of a frozen value (dataclass, struct, mapping, enum, set): keys and sets sorted."""
    return _canonical.encode(value)


def plain(value: Any) -> Json:
    """A frozen dataclass as plain JSON types, for a stored ruling."""
    made = msgspec.json.decode(canonical(value))
    assert isinstance(made, dict)
    return made


def digest(value: Any) -> bytes:
    """128-bit hash of the canonical form."""
    return hashlib.blake2b(canonical(value), digest_size=16).digest()
