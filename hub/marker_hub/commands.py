"""Commands: what a person may ask of a table, as the JSON body of POST /api/tables/{id}/commands.

A tagged union on `kind`. A command changes nothing by itself: `table.propose` turns it into the bodies to journal, or
refuses it. Every command carries `key` (idempotency, a uuid) and `seen` (the journal position it was based on).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from marker_hub.entries import Change, PlayerInfo, Policy

Text: TypeAlias = Annotated[str, Meta(max_length=200)]
Note: TypeAlias = Annotated[str, Meta(max_length=1000)]
Id: TypeAlias = Annotated[str, Meta(max_length=64)]
Who: TypeAlias = Literal["A", "B"]
PinName: TypeAlias = Literal["C", "N", "E", "S", "W"]


class Base(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True, kw_only=True):
    """Fields every command has."""

    key: Annotated[str, Meta(min_length=1, max_length=64)] = ""
    seen: int = 0


class MatchStart(Base, frozen=True, tag="match_start"):
    """Start a match. `manual`: no sensors are used (a full manual scoreboard)."""

    game: Literal["five-pins", "free-pyramid", "dynamic-pyramid", "combined-pyramid"]
    players: dict[Who, PlayerInfo]
    options: dict[str, Any] = {}
    preset: Text = ""
    policy: Policy = Policy.REFEREE
    opener: Who | None = None
    ball_of_a: Literal["", "white", "yellow"] = ""
    handicap: dict[Who, Annotated[int, Meta(ge=0, le=1000)]] = {}
    manual: bool = False
    practice: bool = False
    id: Id = ""


class LagResult(Base, frozen=True, tag="lag_result"):
    """Who won the lag, or `replay`; `late`: sides (left, right) or players that struck late."""

    winner: Literal["A", "B", "replay"]
    late: tuple[Text, ...] = ()
    choice: Text = ""


class Choice(Base, frozen=True, tag="choice"):
    """One of the choices due."""

    value: Text


class Ready(Base, frozen=True, tag="ready"):
    """All is placed: play on."""


class Layout(Base, frozen=True, tag="layout"):
    """What stands (`pins`), what was taken off (`off`), how many balls lie on the table."""

    pins: tuple[PinName, ...] | None = None
    off: tuple[PinName, ...] | None = None
    balls: Annotated[int, Meta(ge=0, le=16)] | None = None


class Place(Base, frozen=True, tag="place"):
    """Tick off one placement of the respot list."""

    what: Text
    done: bool = True


class Answer(Base, frozen=True, tag="answer"):
    """Answer a row of the sheet."""

    question: Text
    answer: Text


class Unanswer(Base, frozen=True, tag="unanswer"):
    """Take an answer back."""

    question: Text


class Call(Base, frozen=True, tag="call"):
    """Call a foul or event. `args`: what the clause asks for (the balls that jumped)."""

    code: Text
    by: Who
    when: Literal["during", "after", "sitting"] = "during"
    args: tuple[Text, ...] = ()


class Uncall(Base, frozen=True, tag="uncall"):
    """Take a call back."""

    code: Text
    by: Who


class Pick(Base, frozen=True, tag="pick"):
    """Take one of the last few rulings directly."""

    ruling: Text


class PickStanding(Base, frozen=True, tag="pick_standing"):
    """Say which pins stand: before a stroke the layout; on the sheet, every other expected pin fell."""

    pins: tuple[PinName, ...]


class Strike(Base, frozen=True, tag="strike"):
    """The shot is played (no click sensor)."""


class Still(Base, frozen=True, tag="still"):
    """The balls are still."""


class Premature(Base, frozen=True, tag="premature"):
    """The next player has struck before the balls rested."""


class Accept(Base, frozen=True, tag="accept"):
    """Make the proposal score."""


class Hold(Base, frozen=True, tag="hold"):
    """Stop the countdown of a self-refereed proposal."""


class Manual(Base, frozen=True, tag="manual"):
    """The referee's own ruling; the note is mandatory."""

    points: dict[Who, Annotated[int, Meta(ge=-1000, le=1000)]]
    note: Note
    next: Who | None = None
    ball_in_hand: bool = False


class Reopen(Base, frozen=True, tag="reopen"):
    """Back from the proposal to the sheet."""


class NotAShot(Base, frozen=True, tag="not_a_shot"):
    """What opened the shot was no stroke."""


class Interference(Base, frozen=True, tag="interference"):
    """Outside interference: the position can be restored, or it is lost."""

    value: Literal["restorable", "lost"]
    note: Note = ""


class Undo(Base, frozen=True, tag="undo"):
    """Void the last command that still holds."""


class Redo(Base, frozen=True, tag="redo"):
    """Let the last undone command hold again."""


class Amend(Base, frozen=True, tag="amend"):
    """Change a closed shot; `dry_run` only shows what would follow."""

    shot: Annotated[int, Meta(ge=1)]
    changes: Change
    dry_run: bool = False


class NextGame(Base, frozen=True, tag="next_game"):
    """Begin the next game or frame."""


class AwardGame(Base, frozen=True, tag="award_game"):
    """Give the game to a player, or have it replayed (`to` replay)."""

    to: Literal["A", "B", "replay"]
    note: Note


class AwardMatch(Base, frozen=True, tag="award_match"):
    """Give the match to a player."""

    to: Who
    note: Note


class Suspend(Base, frozen=True, tag="suspend"):
    """Interrupt the match."""

    note: Note


class Resume(Base, frozen=True, tag="resume"):
    """Go on after an interruption or a break."""


class Extension(Base, frozen=True, tag="extension"):
    """A player asks for extra time."""

    by: Who


class TimeCalled(Base, frozen=True, tag="time_called"):
    """'Time'."""


class ClockSet(Base, frozen=True, tag="clock"):
    """Stop or start the shot clock by hand."""

    running: bool


class BreakRequest(Base, frozen=True, tag="break_request"):
    """A player asks for a break; `permitted` where the referee's word is needed."""

    by: Who
    permitted: bool = False


class ContactReset(Base, frozen=True, tag="contact_reset"):
    """Put the three balls to their starting places out of a hopeless contact (FP-C.5)."""


class NewRack(Base, frozen=True, tag="new_rack"):
    """Series play: a new rack (RP-30.4d)."""


class ContinueRun(Base, frozen=True, tag="continue_run"):
    """Series play after the frame was won (RP-30.4b)."""


class Act(Base, frozen=True, tag="act"):
    """Something only the rules have to know. house: all, some or none of the object balls lie in the house (RP-19.2b);
    white: taken or left (EXT-C3); hall_referee: called to see the run of `player` (RP-30.2); late: seconds (RP-29.3);
    ball: `player` plays white or yellow (FP-3.4); place: where balls lie after an error, as `args` (FP-H, FP-J).
    """

    action: Literal["house", "white", "hall_referee", "late", "ball", "place"]
    player: Who | None = None
    value: Text = ""
    args: dict[Text, Text] = {}
    note: Note = ""


class Log(Base, frozen=True, tag="log"):
    """For the record only: a remark or warning by its clause id."""

    code: Text
    by: Who | None = None
    note: Note = ""


class Close(Base, frozen=True, tag="close"):
    """The protocol is signed; the table is free."""


Command: TypeAlias = (
    MatchStart
    | LagResult
    | Choice
    | Ready
    | Layout
    | Place
    | Answer
    | Unanswer
    | Call
    | Uncall
    | Pick
    | PickStanding
    | Strike
    | Still
    | Premature
    | Accept
    | Hold
    | Manual
    | Reopen
    | NotAShot
    | Interference
    | Undo
    | Redo
    | Amend
    | NextGame
    | AwardGame
    | AwardMatch
    | Suspend
    | Resume
    | Extension
    | TimeCalled
    | ClockSet
    | BreakRequest
    | ContactReset
    | NewRack
    | ContinueRun
    | Act
    | Log
    | Close
)

_decoder: msgspec.json.Decoder[Command] = msgspec.json.Decoder(Command)


def decode_command(raw: bytes) -> Command:
    """A command from its JSON. Raises msgspec.ValidationError naming the field."""
    return _decoder.decode(raw)


def kind_of(command: Command) -> str:
    """The tag of a command."""
    tag = type(command).__struct_config__.tag
    assert isinstance(tag, str)
    return tag
