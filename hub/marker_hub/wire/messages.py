"""The payload Structs. Times named `t`, `t_dev`, `t0` are device microseconds, `t1`, `t2` hub microseconds (monotonic)."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from marker_hardware import wire as contract
from marker_hardware.wire import ErrorCode, Kind, Latch, Mode, PinState, Profile, Quality

VERSION = 1
"""Value of `v` in every versioned payload."""

U48 = Annotated[int, Meta(ge=0, le=(1 << 48) - 1)]
U32 = Annotated[int, Meta(ge=0, le=(1 << 32) - 1)]
U16 = Annotated[int, Meta(ge=0, le=(1 << 16) - 1)]
ChannelNumber = Annotated[int, Meta(ge=0, le=63)]
ChannelName = Annotated[str, Meta(min_length=1, max_length=16)]
Micros = Annotated[int, Meta(ge=-(1 << 62), le=(1 << 62))]
CommandId = Annotated[str, Meta(min_length=1, max_length=48)]
Short = Annotated[str, Meta(max_length=64)]
_RECORDS_MAX = contract.records_max()


class Record(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """One record of a node: `[t, ch, kind, v, aux]`. t: device microseconds, 48 bits; v and aux: hardware/wire.toml [kinds]."""

    t: U48
    ch: ChannelNumber
    kind: Kind
    v: U16
    aux: U16


class Ev(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A batch of records: boot counter, seq of the first record, the records in order of seq."""

    b: U32
    s: U32
    e: Annotated[tuple[Record, ...], Meta(min_length=1, max_length=_RECORDS_MAX)]


Qualities = Annotated[dict[ChannelName, Quality], Meta(max_length=64)]


class PinSnapshot(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """`[pin state, latch]` of one skittle; shows the layout and never scores."""

    state: PinState
    latch: Latch


class Birth(Struct, frozen=True, forbid_unknown_fields=True):
    """A node is there (`online` true). It is a snapshot and never scores.

    floor: oldest record it can still replay; tail: oldest one not acknowledged by the broker; head: seq of its next record.
    cfg: hash of its configuration; channels: name -> quality; unc_us: resolution of a stamp per sensor group, microseconds;
    t: device time of the birth; shot: number of the last `arm`.
    """

    online: bool
    boot: U32
    v: Literal[1]
    fw: Short
    uid: Annotated[str, Meta(pattern="^[0-9a-f]{8,32}$")]
    reset: Short
    cfg: Short
    profile: Profile
    mode: Mode
    floor: U32
    tail: U32
    head: U32
    channels: Qualities
    unc_us: dict[Annotated[str, Meta(max_length=16)], U32]
    board: Short = ""
    shot: U32 = 0
    t: U48 = 0
    pins: Annotated[dict[ChannelName, PinSnapshot], Meta(max_length=16)] = {}


class Will(Struct, frozen=True, forbid_unknown_fields=True):
    """The last will of a node (`online` false): its connection is gone. boot says which one."""

    online: bool
    boot: U32
    v: Literal[1]


NodeState = Birth | Will


class ClockSample(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """`[t_dev, off, rtt]`: at device time t_dev hub time was t_dev + off; the exchange took rtt microseconds."""

    t_dev: U48
    off: Micros
    rtt: U32


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    """Condition of a node. Counters count since boot; head as in the birth; clk: best recent clock sample, null before the first.

    t: device time; up: seconds since boot; link: dBm or null; overflow: edges lost in the ring; dropped: records overwritten
    before the broker had them; rearms: interrupt handlers armed again; heap: free bytes; v5: supply in mV;
    echo, xtalk, merged: flagged records; bad_cmds: commands refused; vth: threshold of the piezo comparators, mV;
    noise: piezo channel -> noise floor of the idle table, mV (99.9th percentile), missing until the node knows it.
    """

    v: Literal[1]
    boot: U32
    t: U48
    head: U32
    mode: Mode
    up: U32
    channels: Qualities
    clk: ClockSample | None
    clk_ok: bool
    link: Annotated[int, Meta(ge=-200, le=100)] | None
    reconnects: U32
    overflow: U32
    rearms: U32
    dropped: U32
    heap: U32
    v5: U32
    brownout: bool
    echo: U32
    xtalk: U32
    merged: U32
    bad_cmds: U32
    vth: U16 | None = None
    noise: Annotated[dict[ChannelName, U16], Meta(max_length=64)] = {}


class ClockRequest(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The node asks for the hub's time; t0 is its own."""

    n: U32
    t0: U48


class ClockReply(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Answer: the same n and t0, arrival t1 and departure t2 in hub microseconds."""

    n: U32
    t0: U48
    t1: Micros
    t2: Micros


class Arm(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="arm"):
    """Clear the pin latches and expect a shot. layout: letters of the pins that should be standing."""

    id: CommandId
    shot: U32
    layout: Annotated[tuple[ChannelName, ...], Meta(max_length=16)] = ()


class SetMode(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="mode"):
    """Change the mode; never clears a latch."""

    id: CommandId
    mode: Mode


class Replay(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="replay", rename={"start": "from"}):
    """Send the records `from` to `to` (both included) of that boot again."""

    id: CommandId
    boot: U32
    start: U32
    to: U32


class SelfTest(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="selftest"):
    """Stimulate every sensor and report the channels in the acknowledgement."""

    id: CommandId


class Info(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="info"):
    """Publish birth and health again."""

    id: CommandId


class Reset(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="reset"):
    """Start again; a new boot."""

    id: CommandId


class SetThreshold(Struct, frozen=True, forbid_unknown_fields=True, tag_field="cmd", tag="vth"):
    """Set the threshold of the piezo comparators, mV, and keep it in the node's configuration; only in service mode."""

    id: CommandId
    mv: Annotated[int, Meta(ge=150, le=600)]


Command = Arm | SetMode | Replay | SelfTest | Info | Reset | SetThreshold


class Gap(Struct, frozen=True, forbid_unknown_fields=True, rename={"start": "from"}):
    """Records of a replay that the node no longer holds, both included."""

    start: U32
    to: U32


class Ack(Struct, frozen=True, forbid_unknown_fields=True):
    """Answer to one command. ok is `code == 0`; result: what a self-test (quality code per channel) or `info` found, shown only."""

    id: CommandId
    ok: bool
    code: ErrorCode
    boot: U32
    head: U32
    gap: Gap | None = None
    msg: Annotated[str, Meta(max_length=200)] = ""
    result: Annotated[dict[Short, Any], Meta(max_length=64)] | None = None


class ButtonKey(StrEnum):
    """Keys of a wireless button box."""

    YES = "yes"
    NO = "no"
    A1 = "a1"
    A2 = "a2"
    A3 = "a3"
    STILL = "still"
    UNDO = "undo"
    TIME = "time"


class ButtonRole(StrEnum):
    """Who holds the box."""

    REFEREE = "referee"
    A = "a"
    B = "b"


class Button(Struct, frozen=True, forbid_unknown_fields=True):
    """A key of a wireless button box; the id makes a redelivery harmless."""

    id: Annotated[str, Meta(pattern="^[0-9a-fA-F-]{8,36}$")]
    key: ButtonKey
    role: ButtonRole


Side = Literal["A", "B"]


class Run(Struct, frozen=True, forbid_unknown_fields=True):
    """Pyramid: balls potted in the visit that lasts."""

    player: Side
    balls: Annotated[int, Meta(ge=0)]


class Score(Struct, frozen=True, forbid_unknown_fields=True):
    """The confirmed score. n: journal position it stands for; without a match only n, phase and match = null.

    games: games or frames won; shelf, debt: pyramid; turn: who plays or chooses; final: the match is over.
    """

    v: Literal[1]
    n: Annotated[int, Meta(ge=0)]
    phase: str
    match: str | None
    game: str | None = None
    game_no: int | None = None
    players: dict[Side, Annotated[str, Meta(max_length=80)]] = {}
    score: dict[Side, int] = {}
    games: dict[Side, int] = {}
    turn: Side | None = None
    final: bool = False
    winner: Side | None = None
    shelf: dict[Side, int] | None = None
    debt: dict[Side, int] | None = None
    run: Run | None = None


class Fact(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One live fact: `[kind, what, ms]`, ms from the stroke, null where it is not known."""

    kind: str
    what: str
    ms: int | float | None


class ShotFacts(Struct, frozen=True, forbid_unknown_fields=True):
    """The running shot with its live facts (`provisional`), or the last one with its ruling (`final`, `corrected`)."""

    v: Literal[1]
    n: Annotated[int, Meta(ge=0)]
    shot: Annotated[int, Meta(ge=0)]
    status: Literal["provisional", "final", "corrected"]
    facts: tuple[Fact, ...] = ()
    result: Literal["legal", "foul", "none"] = "none"
    short: str = ""
    points: dict[Side, int] = {}
    clauses: tuple[str, ...] = ()


class Display(Struct, frozen=True, forbid_unknown_fields=True):
    """What the 7-segment display of the node shows. text (at most 8 ASCII characters) replaces the scores while not empty.

    clk: seconds left on the shot clock, sent once a second while it runs; null = no clock. blink: the whole display.
    """

    a: Annotated[int, Meta(ge=-999, le=9999)] | None
    b: Annotated[int, Meta(ge=-999, le=9999)] | None
    turn: Literal["a", "b"] | None = None
    clk: Annotated[int, Meta(ge=0, le=9999)] | None = None
    blink: bool = False
    text: Annotated[str, Meta(max_length=8, pattern="^[ -~]*$")] = ""


class HubOnline(Struct, frozen=True, forbid_unknown_fields=True):
    """Retained presence of a hub; its last will is the same with online=false."""

    v: Literal[1]
    online: bool
    boot: U32
    since: Annotated[int, Meta(ge=0)]
    tables: tuple[str, ...]


def schema(kind: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """JSON schema of a payload and the components it refers to."""
    (found,), components = msgspec.json.schema_components((kind,), ref_template="#/components/schemas/{name}")
    return found, components
