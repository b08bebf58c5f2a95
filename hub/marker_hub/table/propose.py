"""From a command to what is journalled for it, or to the reason why it is refused. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub.assembler.channels import CLICK_CHANNEL
from marker_hub.assembler.run import Stage
from marker_hub.match.judge import RULES_ERRORS, judge
from marker_hub.match.state import EDITION, begin
from marker_hub.phases import ALLOWED, Event, Phase
from marker_hub.table import amend, shotclock
from marker_hub.table.play import DISTURBED, state_digest
from marker_hub.table.state import Table, Work
from marker_hub.table.types import Preview, Refusal, Role
from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.game import ManualEntry

Result: TypeAlias = "tuple[e.Body, ...] | Refusal"

SHOT_COMMANDS = (
    c.Answer,
    c.Unanswer,
    c.Call,
    c.Uncall,
    c.Pick,
    c.PickStanding,
    c.Accept,
    c.Manual,
    c.Reopen,
    c.NotAShot,
)
"""Commands about the current shot: refused as stale when the shot changed since the page saw it."""

PLAYER_COMMANDS = (c.MatchStart, c.Hold, c.Extension, c.BreakRequest, c.Still, c.Strike, c.Ready, c.Choice, c.LagResult)
"""What a player may do in any match; in a self-refereed one also everything about the shot."""

SELF_COMMANDS = (*SHOT_COMMANDS, c.Layout, c.Place, c.NextGame, c.Undo, c.Redo, c.Resume, c.Close, c.Interference)


ASKS = {DISTURBED: ("shot", "A", "B", "referee", "nobody"), shotclock.OVERRUN_ASK: ("yes", "no")}
"""The hub's own questions and their answers."""


def propose(table: Table, command: c.Command, role: Role, mono_us: int) -> Result:
    """The bodies to journal for a command (all or none), or a Refusal."""
    work = Work(table)
    work.mono_us = max(table.mono_us, mono_us)
    refused = _allowed(work, command, role) or _stale(work, command)
    if refused is not None:
        return refused
    handler = _HANDLERS[type(command)]
    try:
        made = handler(work, command)
    except IllegalInput as error:
        return _no(work, error.code or "rules", "refuse.rules", reason=error.message)
    if isinstance(made, Refusal):
        outdated = made.code == "phase" and 0 < command.seen < work.n
        return Refusal("stale", "refuse.stale", made.args, work.n) if outdated else made
    return made if isinstance(made, tuple) else (made,)


def _no(work: Work, code: str, key: str, **args: str | int) -> Refusal:
    return Refusal(code, key, dict(args), work.n)


def _phase(work: Work, command: str) -> Refusal:
    return _no(work, "phase", "refuse.phase", phase=work.phase, command=command)


def _allowed(work: Work, command: c.Command, role: Role) -> Refusal | None:
    if role.rank >= Role.REFEREE.rank:
        return None
    if role is Role.PLAYER:
        own = work.match is not None and work.phase != Phase.IDLE and work.match.head.policy is not e.Policy.REFEREE
        if isinstance(command, PLAYER_COMMANDS) or (own and isinstance(command, SELF_COMMANDS)):
            return None
    return _no(work, "role", "refuse.role", role=role.value)


def _stale(work: Work, command: c.Command) -> Refusal | None:
    """A command that was meant for an earlier state of the shot: since `seen` somebody else decided."""
    if not command.seen or not isinstance(command, (*SHOT_COMMANDS, c.Undo, c.Redo)):
        return None
    changed = work.done and work.done[-1] > command.seen
    if changed and isinstance(command, (c.Accept, c.Manual, c.Undo, c.Redo, c.NotAShot, c.Pick, c.Reopen)):
        return _no(work, "stale", "refuse.stale")
    record = work.match.last if work.match is not None else None
    if record is not None and record.n > command.seen:
        return _no(work, "stale", "refuse.stale")
    return None


def _need(work: Work, event: Event) -> Refusal | None:
    return None if event in ALLOWED[Phase(work.phase)] else _phase(work, event.value)


def _match_start(work: Work, command: c.MatchStart) -> Any:
    refused = _need(work, Event.MATCH_START)
    if refused is not None:
        return refused
    if set(command.players) != {"A", "B"} or not all(info.name.strip() for info in command.players.values()):
        return _no(work, "players", "refuse.players")
    profile = "carom5" if command.game == "five-pins" else "pyramid"
    if profile != work.profile and not command.manual and work.config.sensors:
        return _no(work, "profile", "refuse.profile", game=command.game, profile=work.profile)
    body = e.MatchStarted(
        id=command.id or command.key or f"{work.config.id}-{work.n + 1}",
        game=command.game,
        players={str(who): info for who, info in command.players.items()},
        options=command.options,
        preset=command.preset,
        policy=command.policy,
        opener=command.opener,
        ball_of_a=command.ball_of_a,
        handicap={str(who): points for who, points in command.handicap.items()},
        manual=command.manual,
        practice=command.practice,
    )
    begin(body)
    return body


def _try(work: Work, action: Any) -> None:
    """Raises IllegalInput where the rules do not allow an action now."""
    assert work.match is not None
    work.match.rules.act(work.match.state, action)


def _act(kind: str, player: str | None = None, value: str = "", note: str = "", **args: str) -> Any:
    from marker_rules.game import Action

    return Action(kind, Player(player) if player else None, value, tuple(args.items()), note)


def _lag(work: Work, command: c.LagResult) -> Any:
    refused = _need(work, Event.LAG_RESULT)
    if refused is not None:
        return refused
    late = {"late": ",".join(command.late)} if command.late else {}
    _try(work, _act("lag", value=command.winner, **late))
    return e.LagSet(command.winner, tuple(command.late), command.choice)


def _choice(work: Work, command: c.Choice) -> Any:
    refused = _need(work, Event.CHOICE)
    if refused is not None or work.match is None:
        return refused or _phase(work, "choice")
    due = work.match.due
    if command.value not in due.choices:
        return _no(work, "choice", "refuse.choice", value=command.value, choices=", ".join(due.choices))
    _try(work, _act("choose", due.player.value if due.player else None, command.value))
    return e.Chosen(command.value)


def _ready(work: Work, _command: c.Ready) -> Any:
    refused = _need(work, Event.READY)
    if refused is not None:
        return refused
    return e.Readied() if work.no_choice_open() else _no(work, "choice-open", "refuse.choice_open")


def _layout(work: Work, command: c.Layout) -> Any:
    if work.match is not None and work.phase not in (Phase.IDLE, Phase.LAG):
        refused = _need(work, Event.LAYOUT)
        if refused is not None:
            return refused
    pins = None if command.pins is None else tuple(str(pin) for pin in command.pins)
    off = None if command.off is None else tuple(str(pin) for pin in command.off)
    return e.LayoutSet(pins, off, command.balls)


def _run(work: Work, command: str) -> Any:
    if work.run is None:
        return _phase(work, command)
    return work.run


def _answer(work: Work, command: c.Answer) -> Any:
    run = _run(work, "answer")
    if isinstance(run, Refusal):
        return run
    refused = _need(work, Event.ANSWER)
    if refused is not None:
        return refused
    if run.ask and command.question != run.ask:
        return _no(work, "question", "refuse.question", question=command.question)
    if run.ask:
        if command.answer not in ASKS[run.ask]:
            return _no(work, "answer", "refuse.answer", answer=command.answer)
        return e.Answered(run.no, run.ask, command.answer)
    tried = run.answer(command.question, command.answer)
    assert work.match is not None
    made = judge(tried, work.match.state, work.match.options, work.profile, work.override)
    if made.problem:
        return _no(work, "answer", "refuse.rules", reason=made.problem)
    return e.Answered(run.no, command.question, command.answer)


def _unanswer(work: Work, command: c.Unanswer) -> Any:
    run = _run(work, "unanswer")
    if isinstance(run, Refusal):
        return run
    return _need(work, Event.ANSWER) or e.Answered(run.no, command.question, None)


def _pick_standing(work: Work, command: c.PickStanding) -> Any:
    if work.run is None:
        return _layout(work, c.Layout(pins=command.pins))
    fell = [pin for pin in work.run.standing if pin not in command.pins]
    return _answer(work, c.Answer(question="QP", answer=",".join(fell) or "none"))


def _call(work: Work, command: c.Call) -> Any:
    if work.match is None:
        return _phase(work, "call")
    run = work.run
    refused = _need(work, Event.ANSWER if run is not None else Event.IDLE_CALL)
    if refused is not None:
        return refused
    body = e.Called(run.no if run is not None else 0, command.code, command.by, command.when, command.args)
    from marker_hub.assembler.run import Opened, ShotRun

    tried = run if run is not None else ShotRun(no=0, opened=Opened.CALL, opened_us=0, stage=Stage.CLOSED)
    made = judge(tried.call(body), work.match.state, work.match.options, work.profile, work.override)
    if made.problem:
        return _no(work, "call", "refuse.rules", reason=made.problem)
    return body


def _uncall(work: Work, command: c.Uncall) -> Any:
    run = _run(work, "uncall")
    if isinstance(run, Refusal):
        return run
    return e.CallTaken(run.no, command.code, command.by)


def _pick(work: Work, command: c.Pick) -> Any:
    run = _run(work, "pick")
    if isinstance(run, Refusal):
        return run
    judged = work.judged()
    shorts = () if judged.sheet is None else tuple(item.short for item in judged.sheet.direct)
    if command.ruling not in shorts:
        return _no(work, "pick", "refuse.pick", ruling=command.ruling, rulings=", ".join(shorts))
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
    after = match.rules.apply(match.state, judged.ruling)
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
    refused = _need(work, Event.ACCEPT)
    if refused is not None:
        return refused
    body = accept_body(work, e.Side.REFEREE)
    if body is None:
        sheet = work.judged().sheet
        needed = ", ".join(sheet.needed) if sheet is not None else "disturbed"
        return _no(work, "needed", "refuse.needed", rows=needed)
    return body


def _manual(work: Work, command: c.Manual) -> Any:
    refused = _need(work, Event.MANUAL)
    if refused is not None or work.match is None:
        return refused or _phase(work, "manual")
    match = work.match
    points = {Player(who): value for who, value in command.points.items()}
    entry = ManualEntry(points, command.note, Player(command.next) if command.next else None, command.ball_in_hand)
    ruling = match.rules.manual(entry, match.state, match.options)
    after = match.rules.apply(match.state, ruling)
    judged = work.judged() if work.run is not None and not work.run.ask else None
    computed = e.plain(judged.ruling) if judged is not None and judged.ruling is not None else None
    number = work.run.no if work.run is not None else 0
    return e.ManualRuled(number, e.plain(ruling), command.note.strip(), computed, state_digest(after), EDITION)


def _reopen(work: Work, _command: c.Reopen) -> Any:
    run = _run(work, "reopen")
    if isinstance(run, Refusal):
        return run
    return _need(work, Event.REOPEN) or e.Reopened(run.no)


def _not_a_shot(work: Work, _command: c.NotAShot) -> Any:
    run = _run(work, "not_a_shot")
    if isinstance(run, Refusal):
        return run
    return _need(work, Event.NOT_A_SHOT) or e.NotAShot(run.no)


def _interference(work: Work, command: c.Interference) -> Any:
    number = work.run.no if work.run is not None else 0
    return _need(work, Event.INTERFERENCE) or e.Interfered(command.value, number, command.note)


def _premature(work: Work, _command: c.Premature) -> Any:
    run = _run(work, "premature")
    if isinstance(run, Refusal):
        return run
    clicks = [rec.t for rec in run.ordered if rec.ch == CLICK_CHANNEL]
    return _need(work, Event.PREMATURE) or e.Premature(run.no, clicks[-1] if len(clicks) > 1 else None)


def _undo(work: Work, _command: c.Undo) -> Any:
    return e.Undone(work.done[-1]) if work.done else _no(work, "nothing", "refuse.nothing_to_undo")


def _redo(work: Work, _command: c.Redo) -> Any:
    return e.Redone(work.undone[-1]) if work.undone else _no(work, "nothing", "refuse.nothing_to_redo")


def _amend(work: Work, command: c.Amend) -> Any:
    refused = _need(work, Event.CORRECTED)
    if refused is not None:
        return refused
    return amend.body(work, command.shot, command.changes)


def _award(work: Work, what: str, to: str, note: str) -> Any:
    event = Event.AWARD_MATCH if what == "match" else Event.AWARD_GAME
    refused = _need(work, event)
    if refused is not None:
        return refused
    kind = "replay_game" if to == "replay" else f"award_{what}"
    _try(work, _act(kind, to if to in ("A", "B") else None, note=note))
    return e.Awarded(what, to, note)


def _break_request(work: Work, command: c.BreakRequest) -> Any:
    refused = _need(work, Event.BREAK_REQUEST)
    if refused is not None:
        return refused
    _try(work, _act("break_request", command.by, **({"permission": "yes"} if command.permitted else {})))
    return e.BreakRequested(command.by, command.permitted)


def _extension(work: Work, command: c.Extension) -> Any:
    refused = _need(work, Event.EXTENSION)
    if refused is not None:
        return refused
    reason = shotclock.refused(work, command.by)
    return _no(work, "refused", "refuse.rules", reason=reason) if reason else e.ExtensionGiven(command.by)


def _time_called(work: Work, _command: c.TimeCalled) -> Any:
    refused = _need(work, Event.TIME_CALLED)
    if refused is not None:
        return refused
    return _no(work, "early", "refuse.time_early") if shotclock.early(work, work.mono_us) else e.TimeCalled()


def _suspend(work: Work, command: c.Suspend) -> Any:
    if not command.note.strip():
        return _no(work, "note", "refuse.note")
    return _need(work, Event.SUSPEND) or e.Suspended(command.note)


def _resume(work: Work, _command: c.Resume) -> Any:
    return e.Resumed() if work.phase in (Phase.SUSPENDED, Phase.BREAK) else _phase(work, "resume")


def _contact_reset(work: Work, _command: c.ContactReset) -> Any:
    refused = _need(work, Event.CONTACT_RESET)
    if refused is not None:
        return refused
    _try(work, _act("contact_reset"))
    return e.ContactReset()


def _strike(work: Work, _command: c.Strike) -> Any:
    busy = work.run is not None and work.run.stage is not Stage.CLOSED
    if work.match is None or busy:
        return _phase(work, "strike")
    if work.run is None:
        refused = _need(work, Event.STRIKE)
        if refused is not None:
            return refused
        if not work.no_choice_open():
            return _no(work, "choice-open", "refuse.choice_open")
    return e.Struck()


def _still(work: Work, _command: c.Still) -> Any:
    return e.Stilled() if work.watched is not None else _phase(work, "still")


def _next_game(work: Work, _command: c.NextGame) -> Any:
    return _need(work, Event.NEXT_GAME) or e.GameStarted()


def _new_rack(work: Work, _command: c.NewRack) -> Any:
    refused = _need(work, Event.NEW_RACK)
    if refused is None:
        _try(work, _act("new_rack"))
    return refused or e.NewRack()


def _continue_run(work: Work, _command: c.ContinueRun) -> Any:
    refused = _need(work, Event.CONTINUE_RUN)
    if refused is None:
        _try(work, _act("continue_run"))
    return refused or e.RunContinued()


def _rules_act(work: Work, command: c.Act) -> Any:
    refused = _need(work, Event.LOG_CALL)
    if refused is not None:
        return refused
    args = {str(name): str(value) for name, value in command.args.items()}
    _try(work, _act(command.action, command.player, command.value, command.note, **args))
    return e.RulesActed(command.action, command.player or "", command.value, args, command.note)


def _log(work: Work, command: c.Log) -> Any:
    refused = _need(work, Event.LOG_CALL)
    if refused is not None:
        return refused
    _try(work, _act("log", command.by, command.code, command.note))
    return e.Noted(command.code, command.by or "", command.note)


_HANDLERS: dict[type, Callable[[Work, Any], Any]] = {
    c.MatchStart: _match_start,
    c.LagResult: _lag,
    c.Choice: _choice,
    c.Ready: _ready,
    c.Layout: _layout,
    c.Place: lambda _work, command: e.Placed(command.what, command.done),
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
    c.Hold: lambda work, _command: e.Held("") if work.countdown_us is not None else _phase(work, "hold"),
    c.Manual: _manual,
    c.Reopen: _reopen,
    c.NotAShot: _not_a_shot,
    c.Interference: _interference,
    c.Undo: _undo,
    c.Redo: _redo,
    c.Amend: _amend,
    c.NextGame: _next_game,
    c.AwardGame: lambda work, command: _award(work, "game", command.to, command.note),
    c.AwardMatch: lambda work, command: _award(work, "match", command.to, command.note),
    c.Suspend: _suspend,
    c.Resume: _resume,
    c.Extension: _extension,
    c.TimeCalled: _time_called,
    c.ClockSet: lambda _work, command: e.ClockSet(command.running),
    c.BreakRequest: _break_request,
    c.ContactReset: _contact_reset,
    c.NewRack: _new_rack,
    c.ContinueRun: _continue_run,
    c.Act: _rules_act,
    c.Log: _log,
    c.Close: lambda work, _command: _need(work, Event.CLOSE_MATCH) or e.Closed(),
}


def preview(table: Table, command: c.Command) -> Preview | Refusal:
    """What an Amend would do, without doing it."""
    work = Work(table)
    if not isinstance(command, c.Amend) or work.match is None:
        return _no(work, "preview", "refuse.preview")
    try:
        return amend.preview(work, command.shot, command.changes)
    except RULES_ERRORS as error:
        return _no(work, error.code or "rules", "refuse.rules", reason=error.message)


__all__ = ["accept_body", "preview", "propose"]
