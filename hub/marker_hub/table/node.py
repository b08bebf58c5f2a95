"""What the node's entries do to a table: records, births, health, gaps."""

from __future__ import annotations

import msgspec

from marker_hardware.codes import ErrorCode, Kind, Mode
from marker_hardware.wire import Group
from marker_hub.assembler import link as links
from marker_hub.assembler.channels import MOTION, channels, group_of
from marker_hub.assembler.run import Opened, Rec, ShotRun, Stage, record
from marker_hub.clocks import Pair
from marker_hub.entries import Birth, ClockPair, Entry, Head, Health, Loss, Missing, Obs, Offline
from marker_hub.phases import Event, Phase, fire
from marker_hub.table import arming, shots
from marker_hub.table.arming import rearm, strike_now
from marker_hub.table.state import Work

PAIRS_KEPT = 16
CANDIDATES_KEPT = 64


def on_obs(work: Work, entry: Entry, body: Obs) -> None:
    """One record."""
    rec = record(entry, body)
    rebooted = 0 <= work.link.boot < rec.boot
    work.link, fresh = links.arrived(work.link, rec.boot, rec.seq)
    if not fresh:
        return
    if rebooted:
        _reboot(work)
    if rec.boot < work.link.boot and (work.watched is None or work.watched.boot != rec.boot):
        _kept(work, rec)
    elif rec.kind in MOTION:
        _motion(work, rec)
    elif rec.kind == Kind.QUALITY:
        shots.channel_fault(work, rec.ch, rec.v)
    elif rec.kind == Kind.LOSS:
        _lost(work, "loss", rec)
    elif rec.kind == Kind.MODE:
        _mode(work, rec)
    shots.try_close(work)


def _kept(work: Work, rec: Rec) -> None:
    """A record the node kept over its reset: it may complete a shot of its own boot, and says nothing of the table now."""
    if rec.kind in MOTION and work.match is not None and work.sensors:
        shots.late(work, rec)


def _mode(work: Work, rec: Rec) -> None:
    """The node says where in its stream it began or ceased to watch."""
    before = work.link.mode
    work.link = msgspec.structs.replace(work.link, mode=rec.v)
    if rec.v == Mode.IDLE:
        shots.rested(work, rec.boot, rec.seq)
        return
    if rec.v == Mode.ARMED and before != Mode.SETTLING and _struck_before(work, rec):
        _lost(work, "loss", rec)  # armed anew in the shot: that cleared the latches, a fallen pin may have gone unseen
        return
    waiting = rec.v == Mode.ARMED and work.phase == Phase.ARMED and work.match is not None
    if waiting and rec.aux == shots.next_no(work) & 0xFFFF:
        _marked(work, rec.boot, rec.seq)


def _struck_before(work: Work, mark: Rec) -> bool:
    """True when the running shot has records from before this mark of the node."""
    run = work.watched
    return run is not None and any(rec.boot == mark.boot and run.arm_seq < rec.seq < mark.seq for rec in run.records)


def _marked(work: Work, boot: int, seq: int) -> None:
    """From this record on everything belongs to the stroke to come; what waited for it is sorted now."""
    if work.mark is not None and work.mark >= (boot, seq):
        return
    work.mark = (boot, seq)
    shots.rested(work, boot, seq)
    waiting, work.unsorted = work.unsorted, ()
    for rec in waiting:
        _motion(work, rec)


def taken_as_it_came(work: Work) -> None:
    """No mark came in time: what waited for it is taken to be of the stroke to come."""
    first = work.unsorted[0] if work.unsorted else None
    if first is not None:
        _marked(work, first.boot, first.seq - 1)


def _motion(work: Work, rec: Rec) -> None:
    if group_of(work.profile, rec.ch) is Group.PIN:
        work.seats = work.seats.record(rec, work.profile)
    if work.match is None or not work.sensors:
        return
    unknown = shots.end_unknown(work)
    if shots.late(work, rec):
        if unknown:  # told by the mark; until then the last shot shows it for review and the next one may begin with it
            work.unsorted = (*work.unsorted, rec)[-CANDIDATES_KEPT:]
        return
    run = work.watched
    if run is not None:
        if rec.boot != run.boot or rec.seq >= run.arm_seq:
            _feed(work, run, rec)
    elif work.phase == Phase.ARMED:
        if work.mark is None or work.mark[0] < rec.boot:
            work.unsorted = (*work.unsorted, rec)[-CANDIDATES_KEPT:]
        elif (rec.boot, rec.seq) > work.mark:
            _armed(work, rec)
    elif work.phase == Phase.LAG:
        work.pre = (*work.pre, rec)[-CANDIDATES_KEPT:]
    else:
        if work.phase in (Phase.ASKING, Phase.PROPOSED, Phase.RESPOTTING):
            _candidate(work, rec)
        rearm(work)


def _feed(work: Work, run: ShotRun, rec: Rec) -> None:
    _hanging(work, run, rec)
    fed = shots.feed(work, run, rec)
    if run.stage is Stage.SETTLING and not run.closing:
        fed = msgspec.structs.replace(fed, stage=Stage.ROLLING)
        work.mode_n = work.n
        work.set_watched(fed)
        if work.run is not None and work.run.no == fed.no:
            fire(work, Event.MOTION)
        return
    work.set_watched(fed)


def _hanging(work: Work, run: ShotRun, rec: Rec) -> None:
    """A ball fell long after everything else had stopped: it may have hung at the pocket (RP-21.3)."""
    if rec.kind != Kind.DROP or not run.records or work.match is None:
        return
    limit = work.match.options.get("hang_prompt_s", 0)
    if not limit:
        return
    if (
        rec.t - max(item.t for item in run.records if item.boot == rec.boot or item is run.records[-1])
        >= limit * 1_000_000
    ):
        work.notice("hanging", shot=run.no, pocket=channels(work.profile)[rec.ch].place)


def _armed(work: Work, rec: Rec) -> None:
    if shots.can_open(work, rec):
        opened = Opened.CLICK if shots.is_click(rec) else Opened.MOTION
        strike_now(work, opened, rec)
        return
    work.pre = (*work.pre, rec)[-CANDIDATES_KEPT:]
    if not (shots.disturbs(rec) or shots.moves_pin(work, rec)):
        shots.knock(work, rec)
    elif work.pre_us is None and not shots.moves_back(rec):
        work.pre_us = work.mono_us


def _candidate(work: Work, rec: Rec) -> None:
    """A strike while an earlier shot is judged or pins are put up: a click, then a cushion or a pocket soon after."""
    click = next((item for item in work.pre if shots.is_click(item)), None)
    if shots.is_click(rec) and (click is None or rec.t - click.t > shots.EARLY_US):
        work.pre = (rec,)
        return
    if click is None or rec.boot != click.boot:
        return
    work.pre = (*work.pre, rec)[-CANDIDATES_KEPT:]
    proof = rec.kind == Kind.DROP or (rec.kind == Kind.HIT and group_of(work.profile, rec.ch) is Group.RAIL)
    if proof and not rec.doubtful and 0 <= rec.t - click.t <= shots.EARLY_US:
        work.pre = tuple(item for item in work.pre if item is not rec)
        strike_now(work, Opened.CLICK, rec, early=True)


def _lost(work: Work, reason: str, rec: Rec | None = None) -> None:
    """Evidence is missing for good around a place in the stream."""
    run = work.watched
    if run is not None:
        work.set_watched(run.missing(reason))
    elif work.run is not None and rec is not None and shots._belongs(work.run, rec):
        work.run = work.run.missing(reason)
        shots.reconsider(work)
    elif work.phase == Phase.ARMED and (rec is None or work.mark is None or (rec.boot, rec.seq) > work.mark):
        work.unseen = (reason, work.mono_us)
    work.notice("loss", reason=reason)


def _reboot(work: Work) -> None:
    run = work.watched
    if run is not None:
        work.set_watched(run.missing("reboot"))
        fire(work, Event.NODE_LOST)
        work.notice("incomplete", reason="reboot")
    elif work.phase == Phase.ARMED:
        # The stroke may have been made while nobody watched: from here on everything may belong to it.
        work.unseen = ("reboot", work.mono_us)
        work.mark, work.unsorted = (work.link.boot, -1), ()
    work.pre, work.pre_us = (), None


def on_birth(work: Work, entry: Entry, body: Birth) -> None:
    """The node is there (again). A snapshot: layout and health, never a fact."""
    rebooted = 0 <= work.link.boot < body.boot
    work.link = links.born(work.link, body, entry)
    if rebooted:
        _reboot(work)
    if work.link.replaced:
        work.notice("node-replaced", uid=body.uid)
    run = work.watched
    if run is not None:
        for ch, code in body.channels.items():
            run = run.worse(ch, code)
        work.set_watched(run.moved(work.mono_us))
    work.seats = work.seats.distrust(work.link.quality, work.profile)
    work.clear_notice("node-lost")
    shots.try_close(work)
    _verified_late(work)
    rearm(work)


def on_offline(work: Work, _entry: Entry, body: Offline) -> None:
    """The node is gone: a running shot stays open and is incomplete until everything has come after all."""
    if body.boot and body.boot < work.link.boot:
        return
    work.link = msgspec.structs.replace(work.link, online=False)
    fire(work, Event.NODE_LOST)
    work.notice("node-lost")


def on_health(work: Work, _entry: Entry, body: Health) -> None:
    """A health report. It may have been made long before it came, so it never says where the stream ends."""
    before = work.link.quality
    work.link = links.health(work.link, body)
    run = work.watched
    if run is not None and work.link.quality != before:
        for ch, code in body.channels.items():
            run = run.worse(ch, code)
        work.set_watched(run)
    work.seats = work.seats.distrust(work.link.quality, work.profile)
    shots.try_close(work)
    _verified_late(work)


def on_head(work: Work, _entry: Entry, body: Head) -> None:
    """A command was acknowledged, with the node's position. Of an arming the first acknowledgement counts: the command may
    have been sent again and be acknowledged again when the stroke has begun.
    """
    again = work.link.boot == body.boot and work.link.told_n >= work.armed_n
    work.link = links.acked(work.link, body, arming.given_n(work, body.cmd))
    if body.code == ErrorCode.OK and body.cmd == arming.arm_id(work) and work.phase == Phase.ARMED and not again:
        _marked(work, body.boot, body.head - 1)
    elif body.code == ErrorCode.OK and body.cmd == arming.rest_id(work):
        shots.rested(work, body.boot, body.head - 1)
    shots.try_close(work)
    _verified_late(work)


def on_clock(work: Work, _entry: Entry, body: ClockPair) -> None:
    """One clock pair."""
    pair = Pair(body.boot, body.t_dev, body.off, body.rtt)
    work.link = msgspec.structs.replace(work.link, pairs=(*work.link.pairs, pair)[-PAIRS_KEPT:])


def on_missing(work: Work, _entry: Entry, body: Missing) -> None:
    """A range of records will never come: every shot it touches is incomplete."""
    work.link = links.given_up(work.link, body.boot, body.first, body.last)
    touched = False
    for at, run in enumerate((work.run, *work.queue)):
        if run is not None and run.covers(body.boot, body.first, body.last, run.to_seq):
            touched = True
            marked = run.missing("missing")
            if at == 0:
                work.run = marked
            else:
                work.queue = tuple(marked if old.no == run.no else old for old in work.queue)
    if work.phase == Phase.ARMED and (work.mark is None or (body.boot, body.last) > work.mark):
        work.unseen = ("missing", work.mono_us)
    if touched:
        work.notice("incomplete", reason="missing")
        shots.reconsider(work)
    shots.try_close(work)


def on_loss(work: Work, _entry: Entry, _body: Loss) -> None:
    """Loss the hub itself noticed."""
    _lost(work, "loss")


def _verified_late(work: Work) -> None:
    """The node came back with nothing outstanding: the shot is complete after all."""
    run = work.run
    if run is not None and run.stage is Stage.CLOSED and run.unverified and shots.tail_verified(work, run):
        work.run = msgspec.structs.replace(run, unverified=False)
        shots.reconsider(work)
