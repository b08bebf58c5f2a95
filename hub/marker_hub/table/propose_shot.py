"""Proposals for the shot being played or judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub.assembler.channels import CLICK_CHANNEL
from marker_hub.assembler.run import Opened, ShotRun, Stage
from marker_hub.match.asked import questions
from marker_hub.match.judge import judge, question
from marker_hub.match.state import EDITION
from marker_hub.phases import Event, Phase
from marker_hub.table import shotclock
from marker_hub.table.play import DISTURBED, state_digest
from marker_hub.table.propose_between import layout
from marker_hub.table.refusing import need, refuse, repeated, unanswerable, wrong_phase
from marker_hub.table.state import Work
from marker_hub.table.types import Refusal
from marker_rules.balls import Player
from marker_rules.evidence.observations import PICK, UNSEEN
from marker_rules.game import ManualEntry
from marker_rules.ruling import Placement

ASKS = {DISTURBED: ("shot", "A", "B", "referee", "nobody"), shotclock.OVERRUN_ASK: ("yes", "no")}
"""The hub's own questions and their answers."""


def _run(work: Work, command: str) -> Any:
    if work.run is None:
        return wrong_phase(work, command)
    return work.run


def _answer(work: Work, command: c.Answer) -> Any:
    run = _run(work, "answer")
    if isinstance(run, Refusal):
        return run
    refused = need(work, Event.ANSWER)
    if refused is not None:
        return refused
    refused = _unknown(work, run, command)
    if refused is not None:
        return refused
    if run.ask:
        return e.Answered(run.no, run.ask, command.answer)
    tried = run.answer(command.question, command.answer)
    assert work.match is not None
    made = judge(tried, work.before, work.match.options, work.profile, work.override)
    if made.problem:
        return refuse(work, "answer", "refuse.contradicts", reason=made.problem)
    return e.Answered(run.no, command.question, command.answer)


def _unknown(work: Work, run: ShotRun, command: c.Answer) -> Refusal | None:
    """A refusal where the shot does not ask this question, or the question does not offer this answer."""
    assert work.match is not None
    asked, answer = command.question, command.answer
    if run.ask:
        if asked != run.ask:
            return refuse(work, "question", "refuse.question", question=asked, questions=run.ask)
        known = ASKS[run.ask]
    elif asked == PICK:
        judged = work.judged().sheet
        last = question(run, work.before, work.match.options, work.profile, work.override)
        direct = () if judged is None else tuple(item.short for item in judged.direct)
        known = (
            (*direct, *(each.id for each in last.answers if last.id == PICK), UNSEEN) if last is not None else direct
        )
    else:
        return unanswerable(work, {} if run.idle else questions(work.before, work.match.options), asked, answer)
    if answer in known:
        return None
    return refuse(work, "answer", "refuse.answer", question=asked, answer=answer, answers=", ".join(known))


def _unanswer(work: Work, command: c.Unanswer) -> Any:
    run = _run(work, "unanswer")
    if isinstance(run, Refusal):
        return run
    refused = need(work, Event.ANSWER)
    if refused is None and command.question not in dict(run.answers):
        return refuse(work, "not-answered", "refuse.not_answered", question=command.question)
    return refused or e.Answered(run.no, command.question, None)


def _pick_standing(work: Work, command: c.PickStanding) -> Any:
    if work.run is None:
        return layout(work, c.Layout(pins=command.pins))
    refused = repeated(work, "pins", command.pins)
    if refused is not None:
        return refused
    fell = [pin for pin in work.run.standing if pin not in command.pins]
    return _answer(work, c.Answer(question="QP", answer=",".join(fell) or "none"))


def _call(work: Work, command: c.Call) -> Any:
    if work.match is None:
        return wrong_phase(work, "call")
    run = work.run
    refused = need(work, Event.ANSWER if run is not None else Event.IDLE_CALL)
    if refused is not None:
        return refused
    body = e.Called(run.no if run is not None else 0, command.code, command.by, command.when, command.args)
    tried = run if run is not None else ShotRun(no=0, opened=Opened.CALL, opened_us=0, stage=Stage.CLOSED)
    made = judge(tried.call(body), work.before, work.match.options, work.profile, work.override)
    if made.problem:
        return refuse(work, "call", "refuse.rules", reason=made.problem, command="call")
    return body


def _uncall(work: Work, command: c.Uncall) -> Any:
    run = _run(work, "uncall")
    if isinstance(run, Refusal):
        return run
    refused = need(work, Event.ANSWER)
    if refused is None and (command.code, command.by) not in {(call.code, call.by) for call in run.calls}:
        return refuse(work, "not-called", "refuse.not_called", call=command.code)
    return refused or e.CallTaken(run.no, command.code, command.by)


def _pick(work: Work, command: c.Pick) -> Any:
    run = _run(work, "pick")
    if isinstance(run, Refusal):
        return run
    judged = work.judged()
    shorts = () if judged.sheet is None else tuple(item.short for item in judged.sheet.direct)
    if command.ruling not in shorts:
        return refuse(work, "pick", "refuse.pick", ruling=command.ruling, rulings=", ".join(shorts))
    return e.Picked(run.no, command.ruling)


def accept_body(work: Work, by: e.Side) -> e.Accepted | None:
    """The acceptance of the current proposal; None where nothing can be accepted."""
    run, match = work.run, work.match
    if run is None or match is None or run.ask:
        return None
    judged = work.judged()
    if not judged.acceptable or judged.ruling is None:
        return None
    rows = {} if judged.sheet is None else {row.id: row.selected for row in judged.sheet.rows}
    answers = {name: value for name, value in rows.items() if value is not None}
    if run.picked:
        answers = {}
    after = match.rules.apply(work.before, judged.ruling)
    return e.Accepted(
        shot=run.no,
        ruling=e.plain(judged.ruling),
        hash=state_digest(after),
        by=by,
        answers=answers,
        close=run.stage is not Stage.CLOSED,
        edition=EDITION,
    )


def _accept(work: Work, _command: c.Accept) -> Any:
    refused = need(work, Event.ACCEPT)
    if refused is not None:
        return refused
    body = accept_body(work, e.Side.REFEREE)
    if body is None:
        sheet = work.judged().sheet
        needed = ", ".join(sheet.needed) if sheet is not None else "disturbed"
        return refuse(work, "needed", "refuse.needed", rows=needed)
    return body


def _manual_for(work: Work) -> tuple[bool, tuple[Placement, ...]]:
    """Whether the referee's own ruling stands for a stroke, and what is still to be put back after it.

    While the table is put back there is none. At an armed table it may be one that nobody entered, or none at all.
    """
    if work.run is not None:
        return not work.run.idle, ()
    armed = work.phase == Phase.ARMED
    return armed, work.before.placements if armed else ()


def _manual(work: Work, command: c.Manual) -> Any:
    refused = need(work, Event.MANUAL)
    if refused is not None or work.match is None:
        return refused or wrong_phase(work, "manual")
    match = work.match
    points = {Player(who): value for who, value in command.points.items()}
    stroke, left = _manual_for(work)
    nxt = Player(command.next) if command.next else None
    before = work.before
    ruling = match.rules.manual(
        ManualEntry(points, command.note, nxt, command.ball_in_hand, left, stroke), before, match.options
    )
    after = match.rules.apply(before, ruling)
    judged = work.judged() if work.run is not None and not work.run.ask else None
    computed = e.plain(judged.ruling) if judged is not None and judged.ruling is not None else None
    number = work.run.no if work.run is not None else 0
    given = {
        "points": {str(who): value for who, value in command.points.items()},
        "next": command.next or "",
        "ball_in_hand": command.ball_in_hand,
        "stroke": stroke,
    }
    return e.ManualRuled(number, e.plain(ruling), command.note.strip(), computed, state_digest(after), EDITION, given)


def _reopen(work: Work, _command: c.Reopen) -> Any:
    run = _run(work, "reopen")
    if isinstance(run, Refusal):
        return run
    return need(work, Event.REOPEN) or e.Reopened(run.no)


def _not_a_shot(work: Work, _command: c.NotAShot) -> Any:
    run = _run(work, "not_a_shot")
    if isinstance(run, Refusal):
        return run
    return need(work, Event.NOT_A_SHOT) or e.NotAShot(run.no)


def _interference(work: Work, command: c.Interference) -> Any:
    number = work.run.no if work.run is not None else 0
    return need(work, Event.INTERFERENCE) or e.Interfered(command.value, number, command.note)


def _premature(work: Work, _command: c.Premature) -> Any:
    run = _run(work, "premature")
    if isinstance(run, Refusal):
        return run
    clicks = [rec.t for rec in run.ordered if rec.ch == CLICK_CHANNEL]
    return need(work, Event.PREMATURE) or e.Premature(run.no, clicks[-1] if len(clicks) > 1 else None)


def _strike(work: Work, _command: c.Strike) -> Any:
    busy = work.run is not None and work.run.stage is not Stage.CLOSED
    if work.match is None or busy:
        return wrong_phase(work, "strike")
    if work.run is None:
        refused = need(work, Event.STRIKE)
        if refused is not None:
            return refused
        if not work.no_choice_open():
            return refuse(work, "choice-open", "refuse.choice_open")
    return e.Struck()


def _still(work: Work, _command: c.Still) -> Any:
    return e.Stilled() if work.watched is not None else wrong_phase(work, "still")


HANDLERS: dict[type, Callable[[Work, Any], Any]] = {
    c.Answer: _answer,
    c.Unanswer: _unanswer,
    c.Call: _call,
    c.Uncall: _uncall,
    c.Pick: _pick,
    c.PickStanding: _pick_standing,
    c.Strike: _strike,
    c.Still: _still,
    c.Premature: _premature,
    c.Accept: _accept,
    c.Hold: lambda work, _command: e.Held("") if work.countdown_us is not None else wrong_phase(work, "hold"),
    c.Manual: _manual,
    c.Reopen: _reopen,
    c.NotAShot: _not_a_shot,
    c.Interference: _interference,
}
