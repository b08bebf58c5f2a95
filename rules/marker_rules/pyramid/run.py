"""Runs ("series", clause 30): balls of one visit, across the end of a frame; what counts, what must be seen by whom."""

from __future__ import annotations

from dataclasses import dataclass, replace

from marker_rules.balls import Player
from marker_rules.errors import IllegalInput
from marker_rules.options import Options
from marker_rules.pyramid.state import Run, RunRecord


@dataclass(frozen=True, slots=True)
class Threshold:
    """record: balls from which a run counts (RP-30.1m, RP-30.1w); call: balls after which a referee must be called (RP-30.2m, RP-30.2w)."""

    record: int
    call: int
    record_clause: str
    call_clause: str


THRESHOLDS = {
    "m": Threshold(15, 8, "RP-30.1m", "RP-30.2m"),
    "w": Threshold(8, 5, "RP-30.1w", "RP-30.2w"),
}


def threshold(options: Options, player: Player) -> Threshold:
    """The thresholds of `player`; the setting `sex` names both players, or A and B in turn."""
    sex: str = options["sex"]
    return THRESHOLDS[sex[-1] if player is Player.B else sex[0]]


def balls_before(run: Run, player: Player) -> int:
    """Balls of the visit of `player` so far."""
    return run.count if run.player is player else 0


def prompts_of(options: Options, player: Player, before: int, after: int, seen: bool) -> tuple[str, ...]:
    """The call of a hall referee becomes due with this shot (RP-30.2m, RP-30.2w), when none sits at the table."""
    if before == after or seen or options["table_referee"]:
        return ()
    mark = threshold(options, player)
    due = before < mark.call <= after
    return (mark.call_clause,) if due else ()


def extend(run: Run, player: Player, balls: int, options: Options) -> Run:
    """The run after a shot that credited `balls` (0 or more) to `player`."""
    if run.player is not player:
        run = Run(player)
    count = run.count + balls
    watched = options["table_referee"] or run.seen
    call = threshold(options, player).call
    missed = run.missed or (not watched and run.count >= call and balls > 0)
    recorded = count if watched or not missed else run.recorded
    return replace(run, count=count, missed=missed, recorded=recorded)


def call_referee(run: Run, player: Player) -> Run:
    """A referee of the hall is called. Raises IllegalInput when the run has gone on unseen (RP-30.2m)."""
    if run.player is not player or run.count == 0:
        raise IllegalInput(f"hall referee called by {player}: no run of {player} is going on", code="run")
    if run.missed:
        raise IllegalInput(
            f"hall referee called too late: the run went on to {run.count} unseen, {run.recorded} were to be recorded",
            code="run-late",
        )
    return replace(run, seen=True)


def finish(run: Run, options: Options, frame: int) -> tuple[Run, tuple[RunRecord, ...]]:
    """End the run. Returns the empty run and its record, if it counts (RP-30.1m, RP-30.1w, RP-30.3)."""
    if run.player is None:
        return Run(), ()
    if run.recorded >= threshold(options, run.player).record:
        return Run(), (RunRecord(run.player, run.recorded, frame),)
    return Run(), ()
