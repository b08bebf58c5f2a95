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


def finish(run: Run, options: Options, frame: int, to_take: int = 0) -> tuple[Run, tuple[RunRecord, ...]]:
    """End the run. Returns the empty run and its record, if it counts (RP-30.1m, RP-30.1w, RP-30.3).

    to_take: whites that are still to be taken for balls of this run.
    """
    if run.player is None:
        return Run(), ()
    if run.recorded >= threshold(options, run.player).record:
        return Run(), (RunRecord(run.player, run.recorded, frame, run.recorded - without(run, to_take).recorded),)
    return Run(), ()


def without(run: Run, lost: int) -> Run:
    """The run without its last `lost` balls, for which no white was taken (EXT-C3)."""
    count = run.count - lost
    return replace(run, count=count, recorded=min(run.recorded, count))


def taken(records: tuple[RunRecord, ...]) -> tuple[RunRecord, ...]:
    """The records when no white is to be taken any more."""
    if not records or not records[-1].untaken:
        return records
    return (*records[:-1], replace(records[-1], untaken=0))


def not_taken(records: tuple[RunRecord, ...], options: Options) -> tuple[RunRecord, ...]:
    """The records when the whites were not taken: the run that has ended since is shorter, and may not count any more."""
    if not records or not records[-1].untaken:
        return records
    last = records[-1]
    balls = last.balls - last.untaken
    kept = balls >= threshold(options, last.player).record
    return (*records[:-1], *((replace(last, balls=balls, untaken=0),) if kept else ()))
