"""A match told again from one shot on: the heart of every correction. Used for the preview and, with the stored rulings, by the fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from marker_hardware.codes import Quality
from marker_hardware.wire import Group
from marker_hub.assembler.channels import numbers
from marker_hub.assembler.run import Opened, ShotRun, Stage
from marker_hub.entries import Called, Change, Json
from marker_hub.match.board import game_no
from marker_hub.match.judge import RULES_ERRORS, judge
from marker_hub.match.state import (
    Act,
    Item,
    MatchState,
    ShotRecord,
    Status,
    due_of,
    read_ruling,
    striker_of,
    with_striker,
    without_placed,
)
from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.game import DueKind, ManualEntry
from marker_rules.ruling import Ruling

PINS_ROW = "QP"


class Told(NamedTuple):
    """The match as it stands after the correction; `aside`: shots that no longer belong to any play; `open`: shots to look at."""

    match: MatchState
    aside: tuple[int, ...]
    open: tuple[int, ...]


class Teller:
    """Walks the items of a match, judging each shot anew or taking the ruling that was stored for it."""

    def __init__(self, match: MatchState, profile: str, override: tuple[tuple[int, str], ...]) -> None:
        self.match = match
        self.profile = profile
        self.override = override

    def tell(self, shot: int, change: Change, n: int, stored: Mapping[int, Json | None] | None = None) -> Told:
        """Everything from `shot` on, with the change made. Raises IllegalInput where the change itself is not possible."""
        items = list(self.match.items)
        at = next((i for i, item in enumerate(items) if isinstance(item, ShotRecord) and item.no == shot), None)
        if at is None:
            raise IllegalInput(f"shot {shot} has not been judged in this match", code="shot")
        old = items[at]
        assert isinstance(old, ShotRecord)
        state = old.before
        rest = [*self._changed(old, change, n), *items[at + 1 :]]
        done: list[Item] = items[:at]
        stopped = False
        for place, item in enumerate(rest):
            if stopped or self._gone(item, rest[place + 1 :]):
                done.append(self._set_aside(item, n))
            elif isinstance(item, Act):
                after = self._act(state, item)
                stopped = after is None and item.action.kind in ("next_game", "lag")
                state = state if after is None else after
                done.append(self._set_aside(item, n) if after is None else msgspec.structs.replace(item, aside_n=0))
            else:
                made = self._shot(item, state, stored, _follower(rest[place + 1 :]))
                if made is None:
                    done.append(self._set_aside(item, n))
                else:
                    record, state = made
                    done.append(record)
        match = msgspec.structs.replace(self.match, items=tuple(done), state=state)
        if change.insert_after:
            match = msgspec.structs.replace(match, next_no=match.next_no + 1)
        return Told(
            match,
            tuple(item.no for item in match.aside),
            tuple(item.no for item in match.shots if item.open),
        )

    def _gone(self, item: Item, later: list[Item]) -> bool:
        """True for what was set aside before and the match has gone on without since: it never comes back by itself."""
        if not item.aside_n:
            return False
        return any(isinstance(other, ShotRecord) and other.n > item.aside_n for other in later)

    def _set_aside(self, item: Item, n: int) -> Item:
        return item if item.aside_n else msgspec.structs.replace(item, aside_n=n)

    def _changed(self, old: ShotRecord, change: Change, n: int) -> tuple[ShotRecord, ...]:
        if change.delete:
            return ()
        if change.insert_after:
            run = ShotRun(
                no=self.match.next_no,
                opened=Opened.KEY,
                opened_us=old.run.opened_us,
                standing=old.run.standing,
                stage=Stage.CLOSED,
            )
            striker = change.striker or Player(old.striker).other.value
            fresh = msgspec.structs.replace(
                old,
                no=run.no,
                run=run,
                ruling=None,
                old=None,
                status=Status.CORRECTED,
                n=n,
                striker=striker,
                placed=(),
            )
            return (old, self._edit(fresh, msgspec.structs.replace(change, striker=striker)))
        return (self._edit(old, change),)

    def _edit(self, old: ShotRecord, change: Change) -> ShotRecord:
        if change.keep:
            return msgspec.structs.replace(old, review=None, note=change.note or old.note)
        run = old.run
        for question, answer in (change.answers or {}).items():
            run = run.answer(question, answer)
        if change.calls is not None:
            calls = tuple(Called(run.no, code, by, when) for code, by, when in change.calls)
            run = msgspec.structs.replace(run, calls=calls)
        if change.pins is not None:
            blind = {ch: int(Quality.ABSENT) for ch in numbers(self.profile, Group.PIN)}
            order = [pin for pin in ("C", "N", "E", "S", "W") if pin in change.pins]
            run = msgspec.structs.replace(run, quality={**run.quality, **blind})
            run = run.answer(PINS_ROW, ",".join(order) or "none")
        status = Status.MANUAL if old.status is Status.MANUAL and change.answers is None else Status.CORRECTED
        given = old.given
        if change.void:
            status = Status.VOID
        elif change.ruling is not None:
            status, given = Status.MANUAL, change.ruling
        return msgspec.structs.replace(
            old,
            run=run,
            status=status,
            given=given,
            ruling=None,
            review=None,
            old=old.ruling,
            striker=change.striker or old.striker,
            note=change.note or old.note,
            n=old.n,
        )

    def _act(self, state: Any, item: Act) -> Any | None:
        try:
            return self.match.rules.act(state, item.action)
        except IllegalInput:
            return None

    def _shot(
        self, item: ShotRecord, state: Any, stored: Mapping[int, Json | None] | None, follower: str
    ) -> tuple[ShotRecord, Any] | None:
        """The shot judged in a state, and the state after it; None where the rules wait for something else.

        A shot whose evidence now allows several rulings, or none, is left open: every guess would move a score that
        nobody decided (HUB.md section 5).
        """
        if item.status is Status.VOID:
            return msgspec.structs.replace(item, before=state, aside_n=0), state
        if due_of(self.match.head.game, state).kind is not DueKind.SHOT:
            return None
        before = without_placed(with_striker(state, item.striker), item.placed)
        ruling = self._ruling(item, before, stored)
        was = item.old if item.old is not None else item.ruling
        kept = msgspec.structs.replace(item, aside_n=0, before=before, game_no=game_no(before))
        if ruling is None:
            waiting = msgspec.structs.replace(kept, ruling=None, old=was, status=Status.OPEN, open=True, review=None)
            return waiting, self._passed(before, follower, stroke=not item.run.idle)
        changed = not isinstance(was, Ruling) or was.short != ruling.short
        status = item.status
        if status is Status.OPEN or (status is Status.FINAL and changed):
            status = Status.CORRECTED
        record = msgspec.structs.replace(
            kept,
            ruling=ruling,
            review=item.review if ruling == item.ruling else None,
            old=was if changed else item.old,
            status=status,
            open=striker_of(state) != item.striker,
        )
        return record, self.match.rules.apply(before, ruling)

    def _ruling(self, item: ShotRecord, before: Any, stored: Mapping[int, Json | None] | None) -> Ruling | None:
        """The one ruling of a shot; None where it is not decided. What was stored holds, also that it was not decided."""
        if stored is not None and item.no in stored:
            raw = stored[item.no]
            return None if raw is None else read_ruling(self.match.head.game, raw)
        if item.status is Status.MANUAL:
            return self._manual(item, before)
        if isinstance(item.ruling, Ruling) and item.status is not Status.OPEN and item.before == before:
            return item.ruling
        made = judge(item.run, before, self.match.options, self.profile, self.override)
        return made.ruling if made.certain else None

    def _passed(self, before: Any, follower: str, *, stroke: bool) -> Any:
        """The state after an undecided shot: nobody gained by it, and who really came next comes next."""
        entry = ManualEntry({}, "not decided", Player(follower) if follower else None, stroke=stroke)
        try:
            return self.match.rules.apply(before, self.match.rules.manual(entry, before, self.match.options))
        except RULES_ERRORS:
            return before

    def _manual(self, item: ShotRecord, before: Any) -> Ruling | None:
        """The same entry of the referee on another state; None where it is not possible there."""
        raw = item.given or {}
        points = {Player(who): int(value) for who, value in dict(raw.get("points", {})).items()}
        nxt = Player(raw["next"]) if raw.get("next") else None
        stroke = bool(raw.get("stroke", not item.run.idle))
        left = before.placements if stroke and item.run.idle else ()
        entry = ManualEntry(points, item.note, nxt, bool(raw.get("ball_in_hand", False)), left, stroke)
        try:
            return self.match.rules.manual(entry, before, self.match.options)
        except RULES_ERRORS:
            return None


def _follower(later: list[Item]) -> str:
    """Who made the next stroke of the story; empty where there is none."""
    return next((item.striker for item in later if isinstance(item, ShotRecord) and not item.aside_n), "")
