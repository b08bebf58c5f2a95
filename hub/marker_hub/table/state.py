"""The state of a table: a frozen value, and the working copy on which one entry is carried out."""

from __future__ import annotations

from typing import Any

import msgspec

from marker_hub.assembler.link import Link
from marker_hub.assembler.run import Rec, ShotRun, Stage
from marker_hub.assembler.seats import Seat, Seats
from marker_hub.clocks import Countdown
from marker_hub.entries import Entry
from marker_hub.match.judge import Judged, judge
from marker_hub.match.state import MatchState, due_of, with_striker, without_placed
from marker_hub.phases import Phase
from marker_hub.table.log import Vec
from marker_hub.table.types import Effect, TableConfig
from marker_rules.errors import IllegalInput
from marker_rules.game import DueKind
from marker_rules.pyramid.clock import ShotClock
from marker_rules.ruling import Placement

PIN_MODES = ("", "normal", "play")
"""Modes of a stroke for which no ball is placed by hand."""

NOTICES_KEPT = 8


class Notice(msgspec.Struct, frozen=True):
    """Something to show until it is no longer true or newer ones push it out: `code` is a key of the catalogue."""

    code: str
    args: dict[str, Any] = {}
    n: int = 0


class Table(msgspec.Struct, frozen=True):
    """The fold of the journal of one table. Every part is immutable; see `Work` for what the fields mean."""

    config: TableConfig
    n: int = 0
    phase: str = Phase.IDLE.value
    link: Link = Link()
    seats: Seats = Seats()
    pre: tuple[Rec, ...] = ()
    pre_us: int | None = None
    run: ShotRun | None = None
    queue: tuple[ShotRun, ...] = ()
    match: MatchState | None = None
    clock: ShotClock | None = None
    pause: Countdown | None = None
    before_pause: str = ""
    countdown_us: int | None = None
    held: bool = False
    placed: bool = False
    ticked: tuple[str, ...] = ()
    extra: dict[str, int] = {}
    armed_n: int = 0
    mark: tuple[int, int] | None = None
    unsorted: tuple[Rec, ...] = ()
    unseen: tuple[str, int] | None = None
    mode_n: int = 0
    notices: tuple[Notice, ...] = ()
    fault: str = ""
    mono_us: int = 0
    log: Vec[Entry] = Vec()
    marks: Vec[tuple[int, Any]] = Vec()
    done: tuple[int, ...] = ()
    undone: tuple[int, ...] = ()
    voided: frozenset[int] = frozenset()
    decided_n: int = 0

    def __repr__(self) -> str:
        return f"<Table {self.config.id} n={self.n} {self.phase}>"


FIELDS = Table.__struct_fields__


class Work:
    """A table while one entry is carried out: the same fields, changeable, and the answers the phase machine asks for.

    pre, pre_us: records since arming that no strike explains yet, and when the first of them came (hub us).
    run: the shot being played or judged; queue: strikes made while an earlier shot was still being judged.
    pause: break countdown; before_pause: the phase to return to after a break or suspension.
    countdown_us: when a self-refereed proposal is accepted by itself; held: a player stopped it.
    mark: (boot, seq) of the record with which the node said that it is armed for the stroke to come; None: not yet.
    unsorted: records that came since arming while the mark was unknown, so that nobody can say before or after it.
    unseen: why the stroke to come may have begun without being seen, and when that was last so (hub us); None: it cannot.
    placed: the referee said that everything is placed; ticked: placements ticked off one by one.
    done, undone: positions of the commands that can be undone and redone; voided: those that are void.
    decided_n: position of the newest command, undo or redo: whoever saw the table before it has not seen it as it is.
    """

    __slots__ = (*FIELDS, "effects", "entry_n", "_judged")

    config: TableConfig
    n: int
    phase: str
    link: Link
    seats: Seats
    pre: tuple[Rec, ...]
    pre_us: int | None
    run: ShotRun | None
    queue: tuple[ShotRun, ...]
    match: MatchState | None
    clock: ShotClock | None
    pause: Countdown | None
    before_pause: str
    countdown_us: int | None
    held: bool
    placed: bool
    ticked: tuple[str, ...]
    extra: dict[str, int]
    armed_n: int
    mark: tuple[int, int] | None
    unsorted: tuple[Rec, ...]
    unseen: tuple[str, int] | None
    mode_n: int
    notices: tuple[Notice, ...]
    fault: str
    mono_us: int
    log: Vec[Entry]
    marks: Vec[tuple[int, Any]]
    done: tuple[int, ...]
    undone: tuple[int, ...]
    voided: frozenset[int]
    decided_n: int

    def __init__(self, table: Table) -> None:
        (
            self.config,
            self.n,
            self.phase,
            self.link,
            self.seats,
            self.pre,
            self.pre_us,
            self.run,
            self.queue,
            self.match,
            self.clock,
            self.pause,
            self.before_pause,
            self.countdown_us,
            self.held,
            self.placed,
            self.ticked,
            self.extra,
            self.armed_n,
            self.mark,
            self.unsorted,
            self.unseen,
            self.mode_n,
            self.notices,
            self.fault,
            self.mono_us,
            self.log,
            self.marks,
            self.done,
            self.undone,
            self.voided,
            self.decided_n,
        ) = msgspec.structs.astuple(table)
        self.effects: list[Effect] = []
        self._judged: tuple[ShotRun, Any, Judged] | None = None

    def freeze(self) -> Table:
        """The finished value."""
        return Table(
            self.config,
            self.n,
            self.phase,
            self.link,
            self.seats,
            self.pre,
            self.pre_us,
            self.run,
            self.queue,
            self.match,
            self.clock,
            self.pause,
            self.before_pause,
            self.countdown_us,
            self.held,
            self.placed,
            self.ticked,
            self.extra,
            self.armed_n,
            self.mark,
            self.unsorted,
            self.unseen,
            self.mode_n,
            self.notices,
            self.fault,
            self.mono_us,
            self.log,
            self.marks,
            self.done,
            self.undone,
            self.voided,
            self.decided_n,
        )

    # --- what is asked often -------------------------------------------------------------------------------------

    @property
    def profile(self) -> str:
        """Profile of the table's hardware."""
        return self.config.profile

    @property
    def override(self) -> tuple[tuple[int, str], ...]:
        """Channels whose healthy value a commissioning report changed."""
        return tuple(sorted(self.config.quality.items()))

    @property
    def sensors(self) -> bool:
        """True when this match listens to sensors: the table has a node that was heard, and nobody chose to do without."""
        manual = self.match is not None and self.match.head.manual
        return self.config.sensors and not manual and self.link.online is not None

    @property
    def watched(self) -> ShotRun | None:
        """The shot whose balls are moving: the newest one that is not closed."""
        if self.queue and self.queue[-1].stage is not Stage.CLOSED:
            return self.queue[-1]
        if self.run is not None and self.run.stage is not Stage.CLOSED:
            return self.run
        return None

    def set_watched(self, run: ShotRun) -> None:
        """Replace the shot that `watched` gave."""
        if self.queue and self.queue[-1].no == run.no:
            self.queue = (*self.queue[:-1], run)
        else:
            self.run = run

    def notice(self, code: str, **args: Any) -> None:
        """Show something; the same code replaces the older one."""
        kept = tuple(notice for notice in self.notices if notice.code != code)
        self.notices = (*kept, Notice(code, args, self.n))[-NOTICES_KEPT:]

    def refused(self, command: str, error: IllegalInput) -> None:
        """Show that the rules did not take what was journalled; command: kind of the action, for its words."""
        self.notice("refused", command=command, why=error.code, reason=error.message)

    def clear_notice(self, *codes: str) -> None:
        """Stop showing something."""
        self.notices = tuple(notice for notice in self.notices if notice.code not in codes)

    @property
    def before(self) -> Any:
        """The rules' state the current shot is judged in: with the player who really struck, whatever a correction changed.

        Between strokes, only what is still to be put back is due in it.
        """
        assert self.match is not None
        run, state = self.run, self.match.state
        if run is None or run.idle:
            state = without_placed(state, put_back(self))
        return with_striker(state, run.striker) if run is not None and run.striker else state

    def judged(self) -> Judged:
        """What the rules make of the current shot; asked once per state of its evidence."""
        run, match = self.run, self.match
        if run is None or match is None:
            return Judged(None, False, None, "no shot")
        if self._judged is None or self._judged[0] is not run or self._judged[1] is not match.state:
            made = judge(run, self.before, match.options, self.profile, self.override)
            self._judged = (run, match.state, made)
        return self._judged[2]

    # --- guards of the phase machine -----------------------------------------------------------------------------

    def _due(self, *kinds: DueKind) -> bool:
        return self.match is not None and due_of(self.match.head.game, self.match.state).kind in kinds

    def match_is_over(self) -> bool:
        """The match has a winner."""
        return self._due(DueKind.OVER)

    def game_is_over(self) -> bool:
        """A game ended and another one follows."""
        return self._due(DueKind.NEXT_GAME)

    def lag_is_due(self) -> bool:
        """A lag must be played."""
        return self._due(DueKind.LAG)

    def break_is_due(self) -> bool:
        """The schedule has a break before the next game."""
        return self.match is not None and self.match.due.break_s > 0 and self.game_is_over()

    def no_choice_open(self) -> bool:
        """Nobody has to choose first."""
        return not self._due(DueKind.CHOICE) and not self._due(DueKind.NEXT_GAME, DueKind.OVER, DueKind.LAG)

    def hand_is_due(self) -> bool:
        """Something must be chosen or placed by hand, and nobody has said that it is done."""
        if self.match is None:
            return False
        due = self.match.due
        if due.kind is DueKind.CHOICE:
            return True
        if due.kind is not DueKind.SHOT or self.placed:
            return False
        return "wait" in self.extra or (self.sensors and due.mode not in PIN_MODES)

    def layout_is_complete(self) -> bool:
        """Everything that must stand is known to stand, or the referee said so."""
        if not self.sensors:
            return True
        standing = self.config.profile != "carom5" or self.seats.complete
        return standing and (self.placed or not self._outstanding())

    def _outstanding(self) -> bool:
        if self.match is None:
            return False
        due = self.match.due
        return any(item.what not in self.ticked and item.what not in _PINS for item in due.placements)

    def contact_reset_allowed(self) -> bool:
        """The switch allows it; the rules check the rest."""
        return self.match is not None and bool(self.match.options.get("contact_reset", False))

    def one_ruling(self) -> bool:
        """The current shot has exactly one ruling left."""
        if self.run is None or self.run.ask:
            return False
        judged = self.judged()
        return judged.certain and judged.acceptable

    def shot_waits(self) -> bool:
        """A closed shot has not been ruled yet."""
        return self.run is not None and (self.run.stage is Stage.CLOSED or bool(self.run.ask))

    def shot_settles(self) -> bool:
        """A shot is being watched to its end."""
        return self.run is not None and self.run.stage is Stage.SETTLING

    def shot_runs(self) -> bool:
        """Balls are moving."""
        return self.run is not None and self.run.stage is Stage.ROLLING

    def was_in_break(self) -> bool:
        """The interruption began in a break."""
        return self.before_pause == Phase.BREAK

    def was_armed(self) -> bool:
        """The break began while the table waited for a stroke."""
        return self.before_pause == Phase.ARMED

    def new_rack_allowed(self) -> bool:
        """The winner of a frame may have the next one racked within his run (RP-30.4d)."""
        return self.match is not None and "new_rack" in self.match.due.choices


_PINS = frozenset({"C", "N", "E", "S", "W"})


def put_back(table: Table | Work) -> tuple[str, ...]:
    """What was due to be put back and is: ticked off, a pin that stands, a ball by the word that all is placed."""
    if table.match is None:
        return ()
    return tuple(item.what for item in table.match.due.placements if item.what in table.ticked or _placed(table, item))


def _placed(table: Table | Work, item: Placement) -> bool:
    if item.what in _PINS and table.config.profile == "carom5":
        return table.seats.seat(item.what) is Seat.STANDING
    return table.placed
