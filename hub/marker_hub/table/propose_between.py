"""Proposals for everything between shots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub.match.state import begin
from marker_hub.phases import Event, Phase
from marker_hub.table import shotclock
from marker_hub.table.refusing import action, attempt, need, refuse, repeated, unlisted, wrong_phase
from marker_hub.table.state import Work
from marker_rules.catalogue import clauses


def _match_start(work: Work, command: c.MatchStart) -> Any:
    refused = need(work, Event.MATCH_START)
    if refused is not None:
        return refused
    if set(command.players) != {"A", "B"} or not all(info.name.strip() for info in command.players.values()):
        return refuse(work, "players", "refuse.players")
    profile = "carom5" if command.game == "five-pins" else "pyramid"
    if profile != work.profile and not command.manual and work.config.sensors:
        return refuse(work, "profile", "refuse.profile", game=command.game, profile=work.profile)
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


def _lag(work: Work, command: c.LagResult) -> Any:
    refused = need(work, Event.LAG_RESULT)
    if refused is not None:
        return refused
    late = {"late": ",".join(command.late)} if command.late else {}
    attempt(work, action("lag", value=command.winner, **late))
    return e.LagSet(command.winner, tuple(command.late), command.choice)


def _choice(work: Work, command: c.Choice) -> Any:
    refused = need(work, Event.CHOICE)
    if refused is not None or work.match is None:
        return refused or wrong_phase(work, "choice")
    due = work.match.due
    if command.value not in due.choices:
        return refuse(work, "choice", "refuse.choice", value=command.value, choices=", ".join(due.choices))
    attempt(work, action("choose", due.player.value if due.player else None, command.value))
    return e.Chosen(command.value)


def _ready(work: Work, _command: c.Ready) -> Any:
    refused = need(work, Event.READY)
    if refused is not None:
        return refused
    return e.Readied() if work.no_choice_open() else refuse(work, "choice-open", "refuse.choice_open")


def layout(work: Work, command: c.Layout) -> Any:
    """What stands or lies on the table, outside a shot."""
    if work.match is not None and work.phase not in (Phase.IDLE, Phase.LAG):
        refused = need(work, Event.LAYOUT)
        if refused is not None:
            return refused
    said = (command.pins is not None or command.off is not None, command.balls is not None)
    if said != ((False, True) if _counts_balls(work) else (True, False)):
        return refuse(work, "layout", "refuse.balls" if _counts_balls(work) else "refuse.pins")
    twice = repeated(work, "pins", command.pins) or repeated(work, "off", command.off)
    if twice is not None:
        return twice
    if command.balls is not None and work.match is not None:
        attempt(work, action("layout", balls=str(command.balls)))
    pins = None if command.pins is None else tuple(str(pin) for pin in command.pins)
    off = None if command.off is None else tuple(str(pin) for pin in command.off)
    return e.LayoutSet(pins, off, command.balls)


def _counts_balls(work: Work) -> bool:
    """True where balls are counted and no pins stand: what is played decides, without a match what the table is for."""
    return work.match.game_id.is_pyramid if work.match is not None else work.profile == "pyramid"


def _place(work: Work, command: c.Place) -> Any:
    """Only what the respot list names, or a pin of the layout, can be ticked off."""
    due = () if work.match is None else tuple(item.what for item in work.match.due.placements)
    known = tuple(dict.fromkeys((*due, *(work.seats.expected if work.profile == "carom5" else ()))))
    if command.what not in known:
        return unlisted(work, "what", command.what, ", ".join(known) or "-")
    return e.Placed(command.what, command.done)


def _award(work: Work, what: str, to: str, note: str) -> Any:
    event = Event.AWARD_MATCH if what == "match" else Event.AWARD_GAME
    refused = need(work, event)
    if refused is not None:
        return refused
    kind = "replay_game" if to == "replay" else f"award_{what}"
    attempt(work, action(kind, to if to in ("A", "B") else None, note=note))
    return e.Awarded(what, to, note)


def _break_request(work: Work, command: c.BreakRequest) -> Any:
    refused = need(work, Event.BREAK_REQUEST)
    if refused is not None:
        return refused
    attempt(work, action("break_request", command.by, **({"permission": "yes"} if command.permitted else {})))
    return e.BreakRequested(command.by, command.permitted)


def _extension(work: Work, command: c.Extension) -> Any:
    refused = need(work, Event.EXTENSION)
    if refused is not None:
        return refused
    reason = shotclock.refused(work, command.by)
    used = work.clock.used if work.clock is not None else 0
    return refuse(work, "refused", reason, used=used) if reason else e.ExtensionGiven(command.by)


def _time_called(work: Work, _command: c.TimeCalled) -> Any:
    refused = need(work, Event.TIME_CALLED)
    if refused is not None:
        return refused
    if not shotclock.running(work):
        return refuse(work, "refused", "refuse.no_clock")
    return refuse(work, "early", "refuse.time_early") if shotclock.early(work, work.mono_us) else e.TimeCalled()


def _suspend(work: Work, command: c.Suspend) -> Any:
    if not command.note.strip():
        return refuse(work, "note", "refuse.note")
    return need(work, Event.SUSPEND) or e.Suspended(command.note)


def _resume(work: Work, _command: c.Resume) -> Any:
    return e.Resumed() if work.phase in (Phase.SUSPENDED, Phase.BREAK) else wrong_phase(work, "resume")


def _contact_reset(work: Work, _command: c.ContactReset) -> Any:
    refused = need(work, Event.CONTACT_RESET)
    if refused is not None:
        return refused
    attempt(work, action("contact_reset"))
    return e.ContactReset()


def _next_game(work: Work, _command: c.NextGame) -> Any:
    return need(work, Event.NEXT_GAME) or e.GameStarted()


def _new_rack(work: Work, _command: c.NewRack) -> Any:
    refused = need(work, Event.NEW_RACK)
    if refused is None:
        attempt(work, action("new_rack"))
    return refused or e.NewRack()


def _continue_run(work: Work, _command: c.ContinueRun) -> Any:
    refused = need(work, Event.CONTINUE_RUN)
    if refused is None:
        attempt(work, action("continue_run"))
    return refused or e.RunContinued()


def _rules_act(work: Work, command: c.Act) -> Any:
    refused = need(work, Event.LOG_CALL)
    if refused is not None:
        return refused
    args = {str(name): str(value) for name, value in command.args.items()}
    attempt(work, action(command.action, command.player, command.value, command.note, **args))
    return e.RulesActed(command.action, command.player or "", command.value, args, command.note)


def _close(work: Work, _command: c.Close) -> Any:
    """The protocol is not signed over shots that nobody decided."""
    refused = need(work, Event.CLOSE_MATCH)
    open_shots = work.match.undecided if work.match is not None else ()
    if refused is None and open_shots:
        return refuse(work, "undecided", "refuse.undecided", shots=", ".join(map(str, open_shots)))
    return refused or e.Closed()


def _log(work: Work, command: c.Log) -> Any:
    refused = need(work, Event.LOG_CALL)
    if refused is not None:
        return refused
    assert work.match is not None
    if not work.match.game_id.is_pyramid and command.code not in clauses("five-pins"):
        return unlisted(work, "code", command.code, "FP-*")
    attempt(work, action("log", command.by, command.code, command.note))
    return e.Noted(command.code, command.by or "", command.note)


HANDLERS: dict[type, Callable[[Work, Any], Any]] = {
    c.MatchStart: _match_start,
    c.LagResult: _lag,
    c.Choice: _choice,
    c.Ready: _ready,
    c.Layout: layout,
    c.Place: _place,
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
    c.Close: _close,
}
