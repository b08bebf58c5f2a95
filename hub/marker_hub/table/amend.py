"""Corrections of closed shots: preview, the body to journal, and what it does to the table."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from marker_hub.assembler.run import Opened, ShotRun, Stage
from marker_hub.entries import Amended, Change, Entry, Rejudged, plain
from marker_hub.match.asked import questions
from marker_hub.match.judge import judge
from marker_hub.match.retell import PINS_ROW, Teller, Told
from marker_hub.match.state import EDITION, MatchState, ShotRecord, Status, with_striker
from marker_hub.phases import ALLOWED, Event, Phase, fire
from marker_hub.table import arming, shots
from marker_hub.table.refusing import refuse, repeated, unanswerable, unlisted
from marker_hub.table.state import Work
from marker_hub.table.types import Announce, MatchEnded, Preview, Refusal, ShotDiff
from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.game import DueKind
from marker_rules.ruling import Ruling
from marker_rules.shot import When


def told(work: Work, shot: int, change: Change, n: int, stored: dict[int, Any] | None = None) -> Told:
    """The match with the change made. Raises IllegalInput naming what is not possible."""
    assert work.match is not None
    if change.ruling is not None and not change.note.strip():
        raise IllegalInput("a manual ruling needs a note: it is written into the match record", code="note")
    return Teller(work.match, work.profile, work.override).tell(shot, change, n, stored)


def unfit(work: Work, change: Change) -> Refusal | None:
    """A refusal where a field of a change holds a word that nothing knows.

    The journal's own type stays wide, so that every record ever written can be read.
    """
    sides = ", ".join(Player)
    if change.striker is not None and change.striker not in set(Player):
        return unlisted(work, "striker", change.striker, sides)
    for _, by, when in change.calls or ():
        if by not in set(Player):
            return unlisted(work, "calls: by", by, sides)
        if when not in set(When):
            return unlisted(work, "calls: when", when, ", ".join(When))
    return repeated(work, "pins", change.pins) or _misruled(work, change)


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the referee may enter as his own ruling of a closed shot; `next` empty: as the rules say."""

    points: dict[Literal["A", "B"], Annotated[int, msgspec.Meta(ge=-1000, le=1000)]] = {}
    next: Literal["A", "B", ""] | None = None
    ball_in_hand: bool = False


def _misruled(work: Work, change: Change) -> Refusal | None:
    if change.ruling is None:
        return None
    try:
        msgspec.convert(change.ruling, _Entry)
    except msgspec.ValidationError as error:
        return unlisted(work, "ruling", str(error), "points.A, points.B, next (A, B), ball_in_hand")
    return None


def unasked(work: Work, shot: int, change: Change, after: MatchState) -> Refusal | None:
    """A refusal where the changed shot does not ask what is answered, or its game does not know what is called.

    after: the match with the change made, in which the shot stands with the state it is judged in.
    """
    assert work.match is not None
    found = next(
        (item for item in after.items if isinstance(item, ShotRecord) and item.no == _changed_no(work, shot, change)),
        None,
    )
    if found is None:
        return None
    asked = questions(found.before, after.options)
    answers: dict[str, str | None] = dict(change.answers or {})
    if change.pins is not None:
        answers.setdefault(PINS_ROW, None)
    for question, answer in answers.items():
        refused = unanswerable(work, asked, question, answer)
        if refused is not None:
            return refused
    problem = _miscalled(work, found, after) if change.calls else ""
    return refuse(work, "call", "refuse.rules", reason=problem, command="amend") if problem else None


def _changed_no(work: Work, shot: int, change: Change) -> int:
    assert work.match is not None
    return work.match.next_no if change.insert_after else shot


def _miscalled(work: Work, record: ShotRecord, after: MatchState) -> str:
    """Why the calls of a shot cannot be, its sensors apart; empty where they can."""
    bare = ShotRun(
        no=record.no,
        opened=Opened.KEY,
        opened_us=record.run.opened_us,
        standing=record.run.standing,
        stage=Stage.CLOSED,
        calls=record.run.calls,
    )
    before = with_striker(record.before, record.striker)
    return judge(bare, before, after.options, work.profile, work.override).problem


def rejudged(match: MatchState, since: int) -> tuple[Rejudged, ...]:
    """Every ruling from a shot on, as it is stored."""
    made: list[Rejudged] = []
    seen = False
    for item in match.items:
        if not isinstance(item, ShotRecord) or item.aside_n:
            continue
        seen = seen or item.no == since
        if seen:
            ruling = plain(item.ruling) if isinstance(item.ruling, Ruling) and item.status is not Status.VOID else None
            made.append(Rejudged(item.no, ruling, open=item.open))
    return tuple(made)


def body(work: Work, shot: int, change: Change) -> Amended | Refusal:
    """What to journal for a correction, or why its fields do not fit."""
    from marker_hub.table.play import state_digest

    refused = unfit(work, change)
    if refused is not None:
        return refused
    after = told(work, shot, change, work.n + 1)
    refused = unasked(work, shot, change, after.match)
    if refused is not None:
        return refused
    return Amended(
        shot=shot,
        change=change,
        rulings=rejudged(after.match, _first(work, shot, change)),
        set_aside=after.aside,
        hash=state_digest(after.match.state),
        edition=EDITION,
    )


def _first(work: Work, shot: int, change: Change) -> int:
    """The first shot whose ruling is stored: the one amended, or the one after it where it was deleted."""
    if not change.delete or work.match is None:
        return shot
    following = False
    for record in work.match.shots:
        if following:
            return record.no
        following = record.no == shot
    return shot


def on_amended(work: Work, entry: Entry, body: Amended) -> None:
    """A closed shot was changed: the stored rulings hold from it on."""
    if work.match is None or Event.CORRECTED not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.CORRECTED)
        return
    stored = {item.shot: item.ruling for item in body.rulings if item.ruling is not None or item.open}
    was_over = work.phase in (Phase.MATCH_OVER, Phase.IDLE)
    try:
        after = told(work, body.shot, body.change, entry.n, stored)
    except IllegalInput as error:
        work.refused("amend", error)
        return
    game_before = getattr(work.match.state, "game_no", None)
    work.match = msgspec.structs.replace(
        after.match, revision=work.match.revision + (1 if was_over and not body.change.keep else 0)
    )
    if body.edition not in ("", EDITION):
        for record in work.match.shots:
            if record.no in stored:
                work.match = work.match.replace_shot(
                    msgspec.structs.replace(record, review=shots.otherwise(work, record))
                )
    moved = getattr(work.match.state, "game_no", None) != game_before
    if work.match.due.kind is not DueKind.SHOT or moved:
        work.run, work.queue, work.placed = None, (), False
    turns = tuple(record.no for record in work.match.shots if record.open and record.status is not Status.OPEN)
    if turns:
        work.notice("out-of-turn", shots=list(turns))
    else:
        work.clear_notice("out-of-turn")
    if after.aside:
        work.notice("set-aside", shots=list(after.aside))
    fire(work, Event.CORRECTED)
    if work.phase != Phase.IDLE and work.match.signed:
        work.match = msgspec.structs.replace(work.match, signed=False)  # opened again: the protocol is signed anew
    arming.entered(work)
    if not body.change.keep:
        work.effects.append(Announce("correction", {"shot": body.shot, "n": entry.n}))
    if was_over or work.phase == Phase.MATCH_OVER:
        work.effects.append(MatchEnded(work.match.head.id, work.match.revision))


def preview(work: Work, shot: int, change: Change) -> Preview | Refusal:
    """What a correction would do, or why its fields do not fit. Raises IllegalInput naming what is not possible."""
    assert work.match is not None
    refused = unfit(work, change)
    if refused is not None:
        return refused
    after = told(work, shot, change, work.n + 1)
    refused = unasked(work, shot, change, after.match)
    if refused is not None:
        return refused
    old = {record.no: record for record in work.match.shots}
    new = {record.no: record for record in after.match.shots}
    diffs = []
    for no in sorted({*old, *new}):
        was, now = old.get(no), new.get(no)
        opened = now is not None and now.open
        if _worth(was) != _worth(now) or opened:
            diffs.append(ShotDiff(no, _short(was), _short(now), opened))
    return Preview(
        shots=tuple(diffs),
        score_old=score(work.match.state),
        score_new=score(after.match.state),
        winner_old=_player(getattr(work.match.state, "winner", None)),
        winner_new=_player(getattr(after.match.state, "winner", None)),
        opener_old=_player(getattr(work.match.state, "opener", None)),
        opener_new=_player(getattr(after.match.state, "opener", None)),
        set_aside=after.aside,
        rulings=rejudged(after.match, _first(work, shot, change)),
        after=after.match,
        shot=_changed_no(work, shot, change),
    )


def _short(record: ShotRecord | None) -> str | None:
    if record is None or record.status is Status.VOID or not isinstance(record.ruling, Ruling):
        return None
    return record.ruling.short


def _worth(record: ShotRecord | None) -> tuple[Any, ...] | None:
    """What a shot did: its ruling, what each player's score moved by, the game it won.

    Rulings that read alike may differ in the rest: one reaches the limit and is cut to it, the other does not.
    """
    short = _short(record)
    if record is None or short is None:
        return None
    earlier, after = score(record.before), getattr(record.ruling, "score", None)
    moved = tuple(after.of(player) - earlier[player.value] for player in Player) if after is not None else ()
    return short, moved, record.ruling.winner


def _player(player: Any) -> str | None:
    return player.value if player is not None else None


def score(state: Any) -> dict[str, int]:
    """The score of both players in any game."""
    value = state.score
    if callable(value):
        value = value()
    of = getattr(value, "of", None)
    return {player.value: int(of(player) if of is not None else value[player]) for player in Player}
