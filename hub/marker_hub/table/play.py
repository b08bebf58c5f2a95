"""What the referee's entries do to the shot being played or judged."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hub.assembler.run import Opened, ShotRun, Stage
from marker_hub.entries import (
    Accepted,
    Answered,
    Called,
    CallTaken,
    Entry,
    Held,
    Interfered,
    ManualRuled,
    NotAShot,
    Picked,
    Premature,
    Reopened,
    Side,
    Stilled,
    Struck,
)
from marker_hub.match.board import game_no
from marker_hub.match.judge import RULES_ERRORS
from marker_hub.match.state import (
    EDITION,
    ShotRecord,
    Status,
    read_ruling,
    striker_of,
    with_striker,
    without_placed,
)
from marker_hub.phases import ALLOWED, Event, Phase, fire
from marker_hub.table import arming, shotclock, shots
from marker_hub.table.state import Work, put_back
from marker_hub.table.types import Announce
from marker_rules.balls import Player
from marker_rules.errors import IllegalInput

DISTURBED = "disturbed"
"""Question asked before the rules' own when something moved without a stroke: shot, A, B, referee, nobody."""

TOUCH = {"five-pins": "P"}
TOUCH_OTHER = "RP-15.1"


def on_struck(work: Work, _entry: Entry, _body: Struck) -> None:
    """The key 'the shot is played'."""
    if work.match is None or (work.run is None and Event.STRIKE not in ALLOWED[Phase(work.phase)]):
        shots.unexpected(work, Event.STRIKE)
        return
    arming.strike_now(work, Opened.KEY, early=work.phase == Phase.RESPOTTING)


def on_stilled(work: Work, _entry: Entry, _body: Stilled) -> None:
    """The balls are still."""
    if work.watched is None:
        shots.unexpected(work, "still")
    shots.request_close(work, pressed=True)


def on_premature(work: Work, _entry: Entry, body: Premature) -> None:
    """The next player struck: the running shot ends here, the new one opens behind it."""
    run = work.run
    if run is None or run.stage is Stage.CLOSED:
        shots.unexpected(work, Event.PREMATURE)
        return
    at = body.at_us
    kept = tuple(rec for rec in run.records if at is None or rec.t < at)
    rest = tuple(rec for rec in run.records if at is not None and rec.t >= at)
    ended = msgspec.structs.replace(run, records=kept, rest_us=work.mono_us)
    work.run = ended
    shots.close(work, ended)
    work.pre = rest
    arming.strike_now(work, Opened.KEY, early=True)


def _run_of(work: Work, shot: int) -> ShotRun | None:
    run = work.run
    return run if run is not None and run.no == shot else None


def on_answered(work: Work, _entry: Entry, body: Answered) -> None:
    """One answer, given or taken back."""
    run = _run_of(work, body.shot)
    if run is None:
        shots.unexpected(work, Event.ANSWER)
        return
    if run.ask == DISTURBED:
        _disturbed(work, run, body.answer or "")
        return
    if run.ask == shotclock.OVERRUN_ASK:
        _overrun(work, run, body.answer or "")
        return
    work.run = run.answer(body.question, body.answer)
    _changed(work)


def _disturbed(work: Work, run: ShotRun, answer: str) -> None:
    assert work.match is not None
    if answer == "shot":
        since = min((rec.t for rec in run.records), default=None)
        work.run = msgspec.structs.replace(run, ask="", opened=Opened.ASKED, stage=Stage.ROLLING, from_t=since)
        work.run = shotclock.struck(work, work.run, 0)
        fire(work, Event.DISTURB_ANSWERED)
    elif answer in ("A", "B"):
        code = TOUCH.get(work.match.head.game, TOUCH_OTHER)
        call = Called(run.no, code, answer, "after")
        work.run = ShotRun(no=run.no, opened=Opened.CALL, opened_us=run.opened_us, stage=Stage.CLOSED, calls=(call,))
        fire(work, Event.DISTURB_ANSWERED)
    else:
        arming.drop_shot(work, placed=True)
        fire(work, Event.DISTURB_ANSWERED)
    arming.entered(work)


def _overrun(work: Work, run: ShotRun, answer: str) -> None:
    assert work.match is not None
    answered = msgspec.structs.replace(run, ask="")
    if answer == "yes":
        answered = answered.call(Called(run.no, shotclock.OVERRUN, striker_of(work.match.state)))
    work.run = answered
    _changed(work)


def _changed(work: Work) -> None:
    """Answers or calls of the current shot changed."""
    if not fire(work, Event.ANSWER):
        shots.unexpected(work, Event.ANSWER)
    shots.count_down(work)


def on_called(work: Work, _entry: Entry, body: Called) -> None:
    """A call, for the current shot or between strokes."""
    run = _run_of(work, body.shot)
    if run is not None:
        work.run = run.call(body)
        _changed(work)
        return
    if work.run is not None or work.match is None:
        shots.unexpected(work, "call")
        return
    made = ShotRun(
        no=shots.next_no(work),
        opened=Opened.CALL,
        opened_us=work.mono_us,
        stage=Stage.CLOSED,
        standing=work.seats.expected if work.profile == "carom5" else (),
        calls=(body,),
    )
    work.run = made
    if not fire(work, Event.IDLE_CALL):
        work.run = None
        shots.unexpected(work, Event.IDLE_CALL)
        return
    shotclock.stop(work, work.mono_us)
    shots.presented(work)


def on_call_taken(work: Work, _entry: Entry, body: CallTaken) -> None:
    """A call taken back; a ruling that rested only on it disappears with it."""
    run = _run_of(work, body.shot)
    if run is None:
        shots.unexpected(work, "uncall")
        return
    work.run = run.uncall(body.code, body.by)
    if work.run.idle and not work.run.calls:
        arming.drop_shot(work, placed=True)
        fire(work, Event.CORRECTED)
        arming.entered(work)
        return
    _changed(work)


def on_picked(work: Work, _entry: Entry, body: Picked) -> None:
    """One of the last few rulings was taken directly."""
    run = _run_of(work, body.shot)
    if run is None:
        shots.unexpected(work, "pick")
        return
    work.run = msgspec.structs.replace(run, picked=body.ruling)
    _changed(work)


def on_held(work: Work, _entry: Entry, _body: Held) -> None:
    """A player held the countdown."""
    work.held = True
    work.countdown_us = None


def on_reopened(work: Work, _entry: Entry, body: Reopened) -> None:
    """Back to the sheet."""
    if _run_of(work, body.shot) is None or not fire(work, Event.REOPEN):
        shots.unexpected(work, Event.REOPEN)
    work.held = True
    work.countdown_us = None


def on_accepted(work: Work, entry: Entry, body: Accepted) -> None:
    """A proposal became score: the stored ruling is applied as it is."""
    run = _run_of(work, body.shot)
    if run is None or work.match is None or Event.ACCEPT not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.ACCEPT)
        return
    if run.stage is not Stage.CLOSED:
        shots.close(work, msgspec.structs.replace(run, rest_us=work.mono_us))
        run = work.run or run
    for question, answer in body.answers.items():
        run = run.answer(question, answer)
    ruling = read_ruling(work.match.head.game, body.ruling)
    fire(work, Event.ACCEPT)
    commit(work, run, ruling, Status.FINAL, entry, by=body.by.value, edition=body.edition)
    if work.match is not None and body.hash and body.hash != state_digest(work.match.state):
        work.notice("replay-mismatch", shot=body.shot)


def on_manual(work: Work, entry: Entry, body: ManualRuled) -> None:
    """The referee's own ruling."""
    if work.match is None or Event.MANUAL not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.MANUAL)
        return
    run = work.run
    if run is None:
        run = ShotRun(no=shots.next_no(work), opened=Opened.CALL, opened_us=work.mono_us, stage=Stage.CLOSED)
    elif run.stage is not Stage.CLOSED:
        shots.close(work, msgspec.structs.replace(run, rest_us=work.mono_us))
        run = work.run or run
    game = work.match.head.game
    computed = read_ruling(game, body.computed) if body.computed else None
    fire(work, Event.MANUAL)
    ruling = read_ruling(game, body.ruling)
    given = dict(body.given)
    commit(
        work, run, ruling, Status.MANUAL, entry, by=Side.REFEREE.value, note=body.note, computed=computed, given=given
    )


def state_digest(state: Any) -> str:
    """Hash of the rules' state, as stored with a ruling."""
    from marker_hub.entries import digest

    return digest(state).hex()


def commit(
    work: Work,
    run: ShotRun,
    ruling: Any,
    status: Status,
    entry: Entry,
    *,
    by: str,
    note: str = "",
    computed: Any = None,
    given: dict[str, Any] | None = None,
    edition: str = "",
) -> None:
    """Apply a ruling: the score moves here and nowhere else."""
    match = work.match
    assert match is not None
    placed = put_back(work) if run.idle else ()
    before = with_striker(without_placed(match.state, placed), ruling.striker.value)
    after = match.rules.apply(before, ruling)
    record = ShotRecord(
        no=run.no,
        game_no=game_no(before),
        striker=striker_of(before),
        run=run,
        before=before,
        ruling=ruling,
        status=status,
        n=entry.n,
        computed=computed,
        given=given,
        note=note,
        by=by,
        edition=edition,
        open=striker_of(match.state) != ruling.striker.value,
        placed=placed,
    )
    if record.open:
        work.notice("out-of-turn", shots=[run.no])
    work.match = match
    if edition not in ("", EDITION):
        record = msgspec.structs.replace(record, review=shots.otherwise(work, record))
    work.match = match.with_shot(record, after)
    work.effects.append(Announce("ruling", {"shot": run.no, "short": ruling.short, "n": entry.n}))
    work.clear_notice("withdrawn", "incomplete")
    arming.after_ruling(work)


def on_not_a_shot(work: Work, _entry: Entry, body: NotAShot) -> None:
    """What opened the shot was no stroke."""
    run = _run_of(work, body.shot)
    if run is None or Event.NOT_A_SHOT not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.NOT_A_SHOT)
        return
    arming.drop_shot(work, placed=True)
    shotclock.not_struck(work)
    fire(work, Event.NOT_A_SHOT)
    arming.entered(work)


def on_interfered(work: Work, entry: Entry, body: Interfered) -> None:
    """Outside interference: the shot is void; what the rules make of a lost position is theirs to say."""
    from marker_rules.game import Action

    if work.match is None or Event.INTERFERENCE not in ALLOWED[Phase(work.phase)]:
        shots.unexpected(work, Event.INTERFERENCE)
        return
    arming.drop_shot(work)
    shotclock.restart(work)
    try:
        action = Action("interference", Player(striker_of(work.match.state)), body.value, note=body.note)
        work.match = work.match.acted(action, entry.n)
    except RULES_ERRORS as error:
        if not isinstance(error, IllegalInput):
            raise
        work.refused("interference", error)
    fire(work, Event.INTERFERENCE)
    arming.entered(work)
