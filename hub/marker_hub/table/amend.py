"""Corrections of closed shots: preview, the body to journal, and what it does to the table."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hub.entries import Amended, Change, Entry, Rejudged, plain
from marker_hub.match.retell import Teller, Told
from marker_hub.match.state import EDITION, MatchState, ShotRecord, Status
from marker_hub.phases import ALLOWED, Event, Phase, fire
from marker_hub.table import arming, shots
from marker_hub.table.state import Work
from marker_hub.table.types import Announce, MatchEnded, Preview, ShotDiff
from marker_rules.errors import IllegalInput
from marker_rules.game import DueKind
from marker_rules.ruling import Ruling


def told(work: Work, shot: int, change: Change, n: int, stored: dict[int, Any] | None = None) -> Told:
    """The match with the change made. Raises IllegalInput naming what is not possible."""
    assert work.match is not None
    if change.ruling is not None and not change.note.strip():
        raise IllegalInput("a manual ruling needs a note: it is written into the match record", code="note")
    return Teller(work.match, work.profile, work.override).tell(shot, change, n, stored)


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


def body(work: Work, shot: int, change: Change) -> Amended:
    """What to journal for a correction."""
    from marker_hub.table.play import state_digest

    after = told(work, shot, change, work.n + 1)
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
    stored = {item.shot: item.ruling for item in body.rulings if item.ruling is not None}
    was_over = work.phase == Phase.MATCH_OVER
    try:
        after = told(work, body.shot, body.change, entry.n, stored)
    except IllegalInput as error:
        work.notice("refused", reason=error.message)
        return
    game_before = getattr(work.match.state, "game_no", None)
    work.match = msgspec.structs.replace(after.match, revision=work.match.revision + (1 if was_over else 0))
    moved = getattr(work.match.state, "game_no", None) != game_before
    if work.match.due.kind is not DueKind.SHOT or moved:
        work.run, work.queue, work.placed = None, (), False
    work.clear_notice("review")
    if after.open:
        work.notice("open", shots=list(after.open))
    if after.aside:
        work.notice("set-aside", shots=list(after.aside))
    fire(work, Event.CORRECTED)
    arming.entered(work)
    work.effects.append(Announce("correction", {"shot": body.shot, "n": entry.n}))
    if was_over or work.phase == Phase.MATCH_OVER:
        work.effects.append(MatchEnded(work.match.head.id, work.match.revision))


def preview(work: Work, shot: int, change: Change) -> Preview:
    """What a correction would do. Raises IllegalInput naming what is not possible."""
    assert work.match is not None
    after = told(work, shot, change, work.n + 1)
    old = {record.no: record for record in work.match.shots}
    new = {record.no: record for record in after.match.shots}
    diffs = []
    for no in sorted({*old, *new}):
        was, now = _short(old.get(no)), _short(new.get(no))
        opened = no in new and new[no].open
        if was != now or opened:
            diffs.append(ShotDiff(no, was, now, opened))
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
    )


def _short(record: ShotRecord | None) -> str | None:
    if record is None or record.status is Status.VOID or not isinstance(record.ruling, Ruling):
        return None
    return record.ruling.short


def _player(player: Any) -> str | None:
    return player.value if player is not None else None


def score(state: Any) -> dict[str, int]:
    """The score of both players in any game."""
    from marker_rules.balls import Player

    value = state.score
    if callable(value):
        value = value()
    of = getattr(value, "of", None)
    return {player.value: int(of(player) if of is not None else value[player]) for player in Player}
