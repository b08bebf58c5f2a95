"""Opening, feeding and closing a shot on the working copy of a table."""

from __future__ import annotations

import msgspec

from marker_hardware.codes import Kind, Latch, PinState, Quality
from marker_hardware.wire import Group
from marker_hub.assembler.channels import CLICK_CHANNEL, group_of, trust
from marker_hub.assembler.run import Opened, Rec, ShotRun, Stage
from marker_hub.assembler.seats import Seat
from marker_hub.clocks import to_hub
from marker_hub.entries import Policy
from marker_hub.match.judge import judge
from marker_hub.match.state import ShotRecord, Status, striker_of
from marker_hub.phases import Event, Phase, fire
from marker_hub.table.state import Work
from marker_hub.table.types import Unexpected
from marker_rules.ruling import Ruling

EARLY_US = 3_000_000
"""A click during the referee's work counts as a strike only if a cushion or a pocket follows within this time, us."""

KEY_LOOKBACK_US = 15_000_000
"""How far back records belong to a shot that was entered by key after it had begun, us."""

RECENT = 3
"""Judged shots that late records are still looked for."""

REST_US = 3_000_000
"""The balls are taken to rest so long after the last motion where nobody said when, us."""


def click_heard(work: Work) -> bool:
    """True when the click channel is healthy enough to open a shot."""
    level = trust(work.profile, CLICK_CHANNEL, work.link.quality.get(CLICK_CHANNEL))
    return level.value in ("ok", "hint")


def is_click(rec: Rec) -> bool:
    """A hit on the click channel that is not an echo."""
    return rec.ch == CLICK_CHANNEL and rec.kind == Kind.HIT and not rec.doubtful


def can_open(work: Work, rec: Rec) -> bool:
    """True when this record may be a shot's first one: a click, or any motion while clicks cannot be heard."""
    if is_click(rec):
        return True
    if click_heard(work) or rec.doubtful:
        return False
    return disturbs(rec) or rec.kind in (Kind.HIT, Kind.MOVE)


def disturbs(rec: Rec) -> bool:
    """True when a record shows a pin out of its place or a ball in a pocket."""
    if rec.kind == Kind.STATE:
        return rec.v != PinState.STANDING
    if rec.kind == Kind.LOST:
        return rec.v > Latch.NO
    return rec.kind in (Kind.DROP, Kind.BACK)


def next_no(work: Work) -> int:
    """The number of the next shot to open."""
    assert work.match is not None
    taken = [run.no for run in (work.run, *work.queue) if run is not None]
    return max([work.match.next_no - 1, *taken]) + 1


def _position(work: Work) -> int:
    """The node's position as far as its stream has come."""
    track = work.link.current
    return track.next if track is not None else 0


def event_us(work: Work, rec: Rec) -> int:
    """When a record happened, by the hub's clock."""
    return to_hub(work.link.pairs, rec.boot, rec.t, rec.mono_us)[0]


def open_shot(work: Work, opened: Opened, rec: Rec | None = None) -> ShotRun:
    """A new shot from what is known now; the records since arming come with it."""
    latched = tuple(pin for pin in work.seats.expected if work.seats.seat(pin) is not Seat.STANDING)
    marked = work.mark is not None and work.mark[0] == work.link.boot
    run = ShotRun(
        no=next_no(work),
        opened=opened,
        opened_us=event_us(work, rec) if rec is not None else work.mono_us,
        standing=work.seats.expected if work.profile == "carom5" else (),
        boot=work.link.boot,
        arm_seq=work.mark[1] if work.mark is not None and marked else _position(work),
        quality=dict(work.link.quality) if work.sensors and (marked or opened is not Opened.KEY) else {},
        striker=striker_of(work.match.state) if work.match is not None and work.run is None else "",
        latched=latched if work.phase != Phase.ARMED and opened is not Opened.CALL else (),
        last_us=work.mono_us,
    )
    if work.sensors and "brownout" in work.link.flags:
        run = run.missing("brownout")
    if work.unseen is not None and _may_have_begun_unseen(work, run):
        run = run.missing(work.unseen[0])
    for early in work.pre:
        run = run.with_record(early, opens=opened is not Opened.KEY and can_open(work, early))
    if rec is not None:
        run = run.with_record(rec, opens=True)
    if opened is Opened.KEY and run.records:
        since = run.records[-1].t - KEY_LOOKBACK_US
        kept = tuple(item for item in run.records if item.t >= since)
        run = msgspec.structs.replace(run, records=kept, from_t=min(item.t for item in kept))
    work.pre, work.pre_us = (), None
    return run


def _may_have_begun_unseen(work: Work, run: ShotRun) -> bool:
    """True unless a stroke was felt so long after the sensors were blind that no ball of an earlier one can still roll."""
    felt = run.opened in (Opened.CLICK, Opened.MOTION)
    return work.unseen is not None and not (felt and run.opened_us - work.unseen[1] >= work.config.quiet_ms * 1000)


def opened_early(work: Work, run: ShotRun) -> ShotRun:
    """A shot that nobody armed the table for: it begins with its own first record."""
    first = min((rec.seq for rec in run.records if rec.boot == run.boot), default=_position(work))
    return msgspec.structs.replace(run, early=True, arm_seq=first)


def with_ask(run: ShotRun, question: str) -> ShotRun:
    """The shot with a question of the hub's own before those of the rules."""
    return msgspec.structs.replace(run, ask=question)


def feed(work: Work, run: ShotRun, rec: Rec) -> ShotRun:
    """The shot with a record more."""
    early = run.from_t is None or rec.t < run.from_t  # else it cannot be the first, whatever it is
    return run.with_record(rec, opens=early and can_open(work, rec), moved_us=work.mono_us)


def knock(work: Work, rec: Rec) -> None:
    """A cushion was hit while nothing rolled: shown, never a shot."""
    if group_of(work.profile, rec.ch) is Group.RAIL:
        work.notice("knock", channel=rec.ch)


def settle(work: Work, run: ShotRun) -> ShotRun:
    """The shot with its stage `settling`; the node is asked for its head from here on."""
    work.mode_n = work.n
    return msgspec.structs.replace(run, stage=Stage.SETTLING, settle_n=work.n)


def tail_verified(work: Work, run: ShotRun) -> bool:
    """True when every record the node made before the close is here (or no node could have made one).

    Only a position that the node gave on a command sent after the close was asked for shows where the stream ends; any
    other report may have been made before the last records were, and have come after the close was asked for.
    """
    link = work.link
    if not work.sensors or link.online is None:
        return True
    return bool(link.online) and link.told_n >= run.settle_n and not link.behind


def request_close(work: Work, *, pressed: bool) -> None:
    """Close the watched shot as soon as its tail is verified. `pressed`: somebody said that the balls rest."""
    run = work.watched
    if run is None:
        return
    if pressed:
        run = msgspec.structs.replace(run, rest_us=work.mono_us)
    if run.stage is Stage.ROLLING and work.run is not None and run.no == work.run.no:
        fire(work, Event.LULL)
    if not run.closing:
        run = msgspec.structs.replace(settle(work, run), closing=True, last_us=work.mono_us)
    work.set_watched(run)
    if tail_verified(work, run) or (pressed and work.link.online is False):
        close(work, run)


def try_close(work: Work) -> None:
    """Close a shot that waited for its tail."""
    run = work.watched
    if run is not None and run.closing and tail_verified(work, run):
        close(work, run)


def close(work: Work, run: ShotRun) -> None:
    """End of a shot: what came is its evidence; what is still outstanding makes it incomplete."""
    track = work.link.current
    unverified = not tail_verified(work, run)
    made = msgspec.structs.replace(
        run,
        stage=Stage.CLOSED,
        closing=False,
        unverified=unverified,
        to_seq=None if track is None else track.end,
        rest_us=run.rest_us if run.rest_us is not None else run.last_us + REST_US,
    )
    current = work.run is not None and work.run.no == run.no
    work.set_watched(made)
    if current:
        fire(work, Event.CLOSE)
        presented(work)


def presented(work: Work) -> None:
    """What follows when a shot is asked about or proposed: nodes go idle, a self-refereed match counts down."""
    work.mode_n = work.n
    work.held = False
    count_down(work)


def count_down(work: Work) -> None:
    """Start, keep or stop the countdown of a self-refereed proposal."""
    match, run = work.match, work.run
    allowed = (
        work.phase == Phase.PROPOSED
        and match is not None
        and match.head.policy is not Policy.REFEREE
        and not work.held
        and run is not None
        and not run.incomplete
        and not run.early
        and not run.ask
    )
    if allowed and run is not None:
        judged = work.judged()
        conflict = judged.sheet is not None and bool(judged.sheet.conflict)
        allowed = judged.certain and not conflict and not _from_absence(run, judged.ruling)
    if not allowed:
        work.countdown_us = None
    elif work.countdown_us is None:
        work.countdown_us = work.mono_us + work.config.countdown_ms * 1000


def _from_absence(run: ShotRun, ruling: object) -> bool:
    """True when a foul was concluded only from what nobody saw: no call and no answer says it."""
    foul = bool(getattr(ruling, "ball_in_hand", False)) or bool(getattr(ruling, "violations", ()))
    return foul and not run.calls and not run.answers and not run.picked


def unexpected(work: Work, event: str) -> None:
    """An event this phase does not know: counted by the caller, never raised."""
    work.effects.append(Unexpected(event, work.phase))


def late(work: Work, rec: Rec) -> bool:
    """Take a record that belongs to a shot already closed; False where it belongs to none."""
    run = work.run
    if run is not None and run.stage is not Stage.CLOSED and rec.seq >= run.arm_seq and rec.boot == run.boot:
        return False  # by far the most: the shot that is being watched
    for at, run in enumerate((work.run, *work.queue)):
        if run is not None and run.stage is Stage.CLOSED and _belongs(run, rec):
            fresh = run.with_record(rec, opens=is_click(rec))
            if fresh.unverified and tail_verified(work, fresh):
                fresh = msgspec.structs.replace(fresh, unverified=False)
            if at == 0:
                work.run = fresh
                reconsider(work)
            else:
                work.queue = tuple(fresh if old.no == run.no else old for old in work.queue)
            return True
    watched = work.watched
    if watched is not None and rec.boot == watched.boot and rec.seq >= watched.arm_seq:
        return False
    for record in _recent(work):
        if _belongs(record.run, rec):
            review(work, record, record.run.with_record(rec, opens=is_click(rec)))
            return True
    return False


def end_unknown(work: Work) -> bool:
    """True while nobody can say where the stream of the last judged shot ends and that of the next stroke begins."""
    open_ended = (record.run.end_seq is None and record.run.unverified for record in _recent(work))
    return work.phase == Phase.ARMED and work.mark is None and any(open_ended)


def _recent(work: Work) -> tuple[ShotRecord, ...]:
    """The last shots judged, newest first: those whose records may still be on their way."""
    found: list[ShotRecord] = []
    if work.match is not None:
        for item in reversed(work.match.items):
            if isinstance(item, ShotRecord) and not item.aside_n and not item.run.idle:
                found.append(item)
                if len(found) == RECENT:
                    break
    return tuple(found)


def _belongs(run: ShotRun, rec: Rec) -> bool:
    """True when a record lies in a closed shot's part of the stream: after its arming, before the node was told to rest."""
    if rec.boot != run.boot or run.idle or run.to_seq is None or rec.seq < run.arm_seq:
        return False
    inside = rec.seq < run.end_seq if run.end_seq is not None else rec.seq < run.to_seq or run.unverified
    return inside and (run.holds(rec) or is_click(rec))


def rested(work: Work, boot: int, seq: int) -> None:
    """The node stopped watching, or was armed for the next stroke, with record `seq`: that ends every closed shot before it
    whose end was open.
    """
    if work.run is not None:
        work.run = _ended(work.run, boot, seq)
    work.queue = tuple(_ended(run, boot, seq) for run in work.queue)
    for record in _recent(work):
        run = _ended(record.run, boot, seq)
        if run is not record.run and work.match is not None:
            work.match = work.match.replace_shot(msgspec.structs.replace(record, run=run))


def _ended(run: ShotRun, boot: int, seq: int) -> ShotRun:
    if run.stage is not Stage.CLOSED or run.boot != boot or seq < run.arm_seq or run.idle:
        return run
    if run.end_seq is not None and run.end_seq <= seq:
        return run
    return msgspec.structs.replace(run, end_seq=seq)


def reconsider(work: Work) -> None:
    """The evidence of the shot being judged changed: propose, ask, or stay."""
    if work.phase in (Phase.ASKING, Phase.PROPOSED):
        was = work.phase
        fire(work, Event.LATE_EVIDENCE)
        number = work.run.no if work.run is not None else 0
        if was == Phase.PROPOSED and work.phase == Phase.ASKING:
            work.notice("withdrawn", shot=number)
        judged = work.judged()
        if judged.sheet is not None and judged.sheet.conflict:
            work.notice("conflict", shot=number, channels=[channel.value for channel in judged.sheet.conflict])
        count_down(work)


def review(work: Work, record: ShotRecord, run: ShotRun) -> None:
    """Late evidence of a confirmed shot: kept, and shown where it would change the ruling; the score stays."""
    assert work.match is not None
    fresh = msgspec.structs.replace(record, run=run)
    work.match = work.match.replace_shot(msgspec.structs.replace(fresh, review=otherwise(work, fresh)))


def otherwise(work: Work, record: ShotRecord) -> Ruling | None:
    """The ruling a decided shot would get now, where it is another one; answers that contradict the records are left out in turn."""
    assert work.match is not None
    if record.status in (Status.MANUAL, Status.OPEN, Status.VOID) or not isinstance(record.ruling, Ruling):
        return None
    run = record.run
    for tried in (run, *(run.answer(question, None) for question, _ in run.answers)):
        made = judge(tried, record.before, work.match.options, work.profile, work.override)
        if made.ruling is None or (made.sheet is not None and made.sheet.conflict):
            continue
        return made.ruling if made.ruling.short != record.ruling.short else None
    return None


def channel_fault(work: Work, ch: int, code: int) -> None:
    """A channel's health changed: the running shot keeps its worst, sick seats need the referee's word."""
    work.link = msgspec.structs.replace(work.link, quality={**work.link.quality, ch: code})
    run = work.watched
    if run is not None:
        work.set_watched(run.worse(ch, code))
    if code != Quality.OK:
        work.seats = work.seats.distrust(work.link.quality, work.profile)


def moves_pin(work: Work, rec: Rec) -> bool:
    """True for any record of a pin that stirs."""
    return group_of(work.profile, rec.ch) is Group.PIN


def moves_back(rec: Rec) -> bool:
    """True for a record that only says that a pin stands."""
    return rec.kind == Kind.STATE and rec.v == PinState.STANDING


def felled(rec: Rec) -> bool:
    """True when a pin's base left the cloth."""
    return (rec.kind == Kind.LOST and rec.v > Latch.NO) or (rec.kind == Kind.STATE and rec.v == PinState.FALLEN)
