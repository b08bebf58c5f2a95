"""Bodies about a shot: what was said of it, how it was ruled, how it was corrected later."""

from __future__ import annotations

import msgspec

from marker_hub.entries.base import Base, Json, Side


class Struck(Base, frozen=True, tag="struck"):
    """The key 'the shot is played' (no click channel, or it heard nothing)."""

    by: Side = Side.REFEREE


class Stilled(Base, frozen=True, tag="still"):
    """The button 'balls still'."""

    by: Side = Side.REFEREE


class Answered(Base, frozen=True, tag="answer"):
    """A question of shot `shot` was answered; `answer` None takes the answer back."""

    shot: int
    question: str
    answer: str | None


class Called(Base, frozen=True, tag="call"):
    """A foul or event was called by its code for shot `shot`; 0: between strokes. `args`: what the clause asks (balls that jumped)."""

    shot: int
    code: str
    by: str
    when: str = "during"
    args: tuple[str, ...] = ()


class CallTaken(Base, frozen=True, tag="uncall"):
    """A call was taken back."""

    shot: int
    code: str
    by: str


class Picked(Base, frozen=True, tag="pick"):
    """The referee took one of the last few rulings directly; the facts stay unknown."""

    shot: int
    ruling: str


class Accepted(Base, frozen=True, tag="accept"):
    """A proposal became score. `ruling` is stored in full and applied as it is; `hash` is the state's hash afterwards.

    `answers`: the rows as they stood on the sheet; `close`: accepted while the balls were still being watched, so it
    also closed the shot.
    """

    shot: int
    ruling: Json
    hash: str = ""
    by: Side = Side.REFEREE
    answers: dict[str, str] = msgspec.field(default_factory=dict)
    close: bool = False
    edition: str = ""


class ManualRuled(Base, frozen=True, tag="manual"):
    """The referee's own ruling with its mandatory note; `computed` is what the engine held beside it.

    given: what he entered (points, next, ball_in_hand; stroke: whether it stands for one), so that a later correction can
    make the same entry again.
    """

    shot: int
    ruling: Json
    note: str
    computed: Json | None = None
    hash: str = ""
    edition: str = ""
    given: Json = msgspec.field(default_factory=dict)


class Reopened(Base, frozen=True, tag="reopen"):
    """A proposal was withdrawn to the sheet."""

    shot: int


class NotAShot(Base, frozen=True, tag="not_a_shot"):
    """What opened shot `shot` was no stroke; it is void."""

    shot: int


class Interfered(Base, frozen=True, tag="interference"):
    """Outside interference (RP-24, FP-X.1): `value` restorable or lost."""

    value: str
    shot: int = 0
    note: str = ""


class Premature(Base, frozen=True, tag="premature"):
    """The next player struck before the running shot ended: it ends at the new strike."""

    shot: int
    at_us: int | None = None


class Rejudged(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One shot of an accepted correction: its new ruling, or none where it became void or was set aside."""

    shot: int
    ruling: Json | None = None
    answers: dict[str, str] = msgspec.field(default_factory=dict)
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
    keep: bool = False  # what was decided stays although it would be ruled otherwise now: the review is done


class Amended(Base, frozen=True, tag="amend"):
    """A closed shot was changed; `rulings` holds every ruling that stands afterwards from that shot on."""

    shot: int
    change: Change
    rulings: tuple[Rejudged, ...] = ()
    set_aside: tuple[int, ...] = ()
    hash: str = ""
    edition: str = ""


class Undone(Base, frozen=True, tag="undo"):
    """The command at position `n` is void."""

    n: int


class Redone(Base, frozen=True, tag="redo"):
    """The command at position `n` holds again."""

    n: int
