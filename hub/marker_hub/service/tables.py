"""One table at run time: the folded value, its lane, its timers, its outside."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import marker_hub.table as core
from marker_hub import entries, projections, wire
from marker_hub.commands import Command
from marker_hub.display import Reconciler
from marker_hub.entries import Body, Entry
from marker_hub.ingest import Item, Lane, Work
from marker_hub.journal import Draft, Outcome, Reader
from marker_hub.service.buttons import command_of
from marker_hub.service.commanding import CommandDesk
from marker_hub.service.host import TableHost
from marker_hub.service.streams import Said
from marker_hub.table import Announce, MatchEnded, Role, TableConfig, Unexpected
from marker_hub.web.port import CommandResult, StreamEvent

log = logging.getLogger("marker.table")

SNAPSHOT_EVERY = 500
VIEW_INTERVAL_S = 0.02
"""Pages get at most 50 states a second of one table; the first change after a pause goes out at once."""
TOPICS_INTERVAL_S = 0.1
"""Retained topics follow at most ten times a second: what reads them, the display of the node above all, shows no more."""


class TableRuntime:
    """See the module. Implements ingest's TableSink."""

    def __init__(self, host: TableHost, config: TableConfig, lane: Lane) -> None:
        """Starts with the empty table; `fold` brings it up to date."""
        self._host = host
        self.id = config.id
        self.config = config
        self.lane = lane
        self.value: core.Table = core.new_table(config)
        self.n = 0
        self.faults = 0
        self.reconciler = Reconciler(
            config.id,
            host.transport,
            lambda: core.order(self.value),
            lambda before: core.topics(self.value, host.mono_us(), before),
        )
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_for: tuple[int, str] | None = None
        self._expired_last: tuple[int, str] | None = None
        self._show: asyncio.Handle | None = None
        self._shown_at = 0.0
        self._publish: asyncio.Handle | None = None
        self._published_at = 0.0
        self._desk = CommandDesk(self, host)
        self._snapshot_n = 0
        self._live = False
        self._presses: set[asyncio.Task[None]] = set()
        self._edge_us: int | None = None
        self._to_stream = host.figures.histogram("edge_to_stream_seconds")

    # -- fold ------------------------------------------------------------------------------------------------------

    def fold(self, reader: Reader, *, snapshots: bool = True) -> int:
        """Bring the value up to the journal's head; returns how many entries were stepped."""
        if snapshots:
            found = reader.snapshot(self.id, entries.FOLD_VERSION)
            if found is not None:
                try:
                    self.value = core.load(self.config, found.state)
                    if core.state_hash(self.value) == found.hash:
                        self.n = self._snapshot_n = found.n
                    else:
                        log.warning(
                            "table %s: the snapshot at %d does not match its hash; folding anew", self.id, found.n
                        )
                        self.value = core.new_table(self.config)
                except ValueError as error:
                    log.warning(
                        "table %s: the snapshot at %d cannot be read (%s); folding anew", self.id, found.n, error
                    )
                    self.value = core.new_table(self.config)
        stepped = 0
        for entry in reader.entries(self.id, after=self.n):
            self._step(entry)
            stepped += 1
        return stepped

    def _step(self, entry: Entry) -> tuple[tuple[core.Effect, ...], str | None]:
        """Step one entry; effects, and what went wrong if it raised (the old value is kept then)."""
        self.n = entry.n
        try:
            self.value, effects = core.step(self.value, entry)
        except Exception as error:  # noqa: BLE001 - whatever it is, this table shows "referee needed" and the others go on
            where = traceback.extract_tb(error.__traceback__)[-1]
            return (), f"{type(error).__name__}: {error} ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})"
        return effects, None

    # -- ingest's sink ---------------------------------------------------------------------------------------------

    def stepped(self, made: list[Entry]) -> None:
        """Entries were committed: step them, act on the effects, let the outside follow."""
        for entry in made:
            effects, fault = self._step(entry)
            if fault is not None:
                self._fault(entry, fault)
            for effect in effects:
                self._effect(entry, effect)
            if type(entry.body) is entries.Obs:
                command = projections.table_button(self.value, entry)
                if command is not None:
                    self._press(command, Role.REFEREE, "btn:table")
            else:
                self._note(entry)
        if made:
            self._time(made[-1])
            if self._live:
                self.reconciler.follow()
            self.changed()

    def acknowledged(self, ack: wire.Ack) -> None:
        """See TableSink."""
        self.reconciler.acknowledged(ack)

    def node_changed(self, mode: int | None, shot: int | None) -> None:
        """See TableSink."""
        if mode is None:
            self.reconciler.node_down()
        else:
            self.reconciler.node_up(mode, shot or 0)

    def button(self, button: wire.Button, done: Callable[[], None]) -> None:
        """A wireless key becomes the same command as a tap on the page; acknowledged when that is stored or refused."""
        command = command_of(button, self.sheet(), self.view(), self.n)
        if command is None:
            done()
            return
        role = Role.REFEREE if button.role is wire.ButtonRole.REFEREE else Role.PLAYER
        self._press(command, role, f"btn:{button.role.value}", done)

    def _press(self, command: Command, role: Role, session: str, done: Callable[[], None] | None = None) -> None:
        async def press() -> None:
            result = await self.command(command, role, session)
            if done is not None and result.status != 503:
                done()

        task = self._loop.create_task(press())
        self._presses.add(task)
        task.add_done_callback(self._presses.discard)

    def _time(self, newest: Entry) -> None:
        """When the newest record happened, for the figure from edge to pages."""
        if newest.dev_us is None or not self._host.streams.wanted(self.id, referee=False):
            return
        clock = self._host.clock(self.id)
        known = clock is not None and clock.boot == newest.boot
        edge = newest.dev_us + clock.off if known and clock is not None else newest.mono_us
        self._edge_us = max(self._edge_us or 0, min(edge, newest.mono_us))

    def _note(self, entry: Entry) -> None:
        """What the hub keeps besides the journal: figures read off the entries, the list of matches."""
        body = entry.body
        if isinstance(body, entries.MatchStarted):
            self._host.match_started(self.id, entry)
        elif isinstance(body, entries.Answered) and body.answer is not None:
            self._host.figures.count("questions_total", game=self._game(), question=body.question)
        elif isinstance(body, entries.ManualRuled):
            self._host.figures.count("overrides_total", table=self.id)

    def _count_ruling(self, effect: Announce) -> None:
        match = self.value.match
        record = match.shot(int(effect.args["shot"])) if match is not None and effect.kind == "ruling" else None
        if record is not None and record.run.incomplete:
            self._host.figures.count("incomplete_shots_total", table=self.id)

    def _game(self) -> str:
        return self.value.match.head.game if self.value.match is not None else ""

    def _fault(self, entry: Entry, text: str) -> None:
        self.faults += 1
        self._host.figures.count("faults_total", table=self.id)
        log.error("table %s, entry %d (%s): %s", self.id, entry.n, entries.kind_of(entry.body), text)
        if isinstance(entry.body, entries.Fault):  # the fault entry itself: no endless chain
            return
        self.submit(lambda: (entries.Fault(text[:300], entry.n),), first=True)

    def _effect(self, entry: Entry, effect: core.Effect) -> None:
        if isinstance(effect, Announce):
            value = self.value
            self._count_ruling(effect)
            self._host.streams.announce(
                Said(self.id, entry.n, effect.kind, lambda: projections.announcement(value, effect)),
                self._host.now_ms(),
            )
        elif isinstance(effect, Unexpected):
            self._host.figures.count("unexpected_total", table=self.id, event=effect.event, phase=effect.phase)
        elif isinstance(effect, MatchEnded):
            self._host.match_ended(self.id, self.value, entry, effect)

    # -- entries of the hub's own ----------------------------------------------------------------------------------

    def submit(
        self,
        make: Callable[[], Sequence[Body]],
        *,
        alone: bool = True,
        first: bool = False,
        done: Callable[[Outcome], None] | None = None,
    ) -> None:
        """Journal what `make` returns at the moment its turn comes (nothing if it returns nothing), and step it."""

        def work() -> Work | None:
            bodies = make()
            if not bodies:
                return None
            mono, wall = self._host.mono_us(), self._host.now_ms()
            return Work([Draft(self.id, body, mono, wall) for body in bodies], settled)

        def settled(outcome: Outcome) -> None:
            if outcome.error is not None:
                self._host.recording.failed(outcome.error)
            else:
                self.stepped([entry for entry in outcome.entries if entry is not None])
            if done is not None:
                done(outcome)

        item = Item(work, alone=alone)
        if first:
            self.lane.put_first(item)
        else:
            self.lane.put(item)

    async def command(self, command: Command, role: Role, session: str) -> CommandResult:
        """See CommandDesk."""
        return await self._desk.command(command, role, session)

    # -- outside ---------------------------------------------------------------------------------------------------

    def go_live(self) -> None:
        """Called once all is wired: timers, topics, the restart entry."""
        self._live = True
        for entry, command in projections.owed(self.value):
            log.info("table %s: the press at %d is carried out now", self.id, entry.n)
            self._press(command, Role.REFEREE, "btn:table")
        self.changed()

    def changed(self) -> None:
        """Something stepped: pages and topics follow, each at its own pace, once for all that changed meanwhile."""
        if not self._live:
            return
        now = self._loop.time()
        if not self._host.streams.wanted(self.id, referee=False):
            self._edge_us = None
        elif self._show is None:
            self._show = self._at(self._shown_at + VIEW_INTERVAL_S - now, self._show_now)
        if self._publish is None:
            self._publish = self._at(self._published_at + TOPICS_INTERVAL_S - now, self._publish_now)
        self._schedule()

    def _at(self, wait: float, call: Callable[[], None]) -> asyncio.Handle:
        return self._loop.call_later(wait, call) if wait > 0 else self._loop.call_soon(call)

    def _show_now(self) -> None:
        self._show = None
        self._shown_at = self._loop.time()
        try:
            if self._host.streams.wanted(self.id, referee=False):
                self._host.streams.publish(StreamEvent("table", self.id, self.n, self.view()))
                if self._edge_us is not None:
                    self._to_stream.observe(max(0, self._host.mono_us() - self._edge_us) / 1e6)
            if self._host.streams.wanted(self.id, referee=True):
                self._host.streams.publish(StreamEvent("sheet", self.id, self.n, self.sheet()))
        except Exception:
            log.exception("table %s: view", self.id)
        self._edge_us = None

    def _publish_now(self) -> None:
        self._publish = None
        self._published_at = self._loop.time()
        try:
            self.reconciler.refresh()
        except Exception:
            log.exception("table %s: topics", self.id)
        self._schedule()
        if self.n - self._snapshot_n >= SNAPSHOT_EVERY:
            self.snapshot()

    def _schedule(self) -> None:
        due = core.deadline(self.value)
        if due == self._timer_for and self._timer is not None:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._timer_for = due
        if due is not None:
            wait = max(0, due[0] - self._host.mono_us()) / 1e6
            if due == self._expired_last:  # the entry changed nothing: never spin on one deadline
                wait = max(wait, 1.0)
            self._timer = self._loop.call_later(wait, self._expire, due)

    def _expire(self, due: tuple[int, str]) -> None:
        self._timer = None
        if not self.lane.open:  # not recording: the deadline is looked at again when it is
            self._timer_for = None
            return
        self.submit(lambda: self._expired(due))

    def _expired(self, due: tuple[int, str]) -> Sequence[Body]:
        now = core.deadline(self.value)
        if now is None or now[1] != due[1] or now[0] > self._host.mono_us():
            self._timer_for = None
            self._schedule()
            return ()
        self._expired_last = due
        body = core.due_body(self.value)
        return () if body is None else (body,)

    def reschedule(self) -> None:
        """Look at the deadline again (after the journal could not be written)."""
        self._timer_for = None
        self._schedule()

    def tick(self) -> None:
        """Once a second: the shot clock on the node's display follows."""
        if self._live:
            self.reconciler.refresh()

    def view(self) -> dict[str, Any]:
        """View model."""
        return self.view_of(self.value, self._host.mono_us())

    def view_of(self, value: core.Table, now_us: int) -> dict[str, Any]:
        """View model of a value this table has, or had a moment ago."""
        return self._host.decorated(self.id, projections.table_view(value, now_us))

    def sheet(self, shot: int | None = None) -> dict[str, Any]:
        """Shot sheet of the running shot, or of a closed one."""
        return projections.sheet_view(self.value, shot)

    def snapshot(self) -> None:
        """Cache the fold; only a cache, deleting it changes nothing."""
        n, state, digest = self.n, core.dump(self.value), core.state_hash(self.value)
        self._snapshot_n = n
        row = (self.id, n, entries.FOLD_VERSION, digest, state)

        def store(connection: Any) -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT OR REPLACE INTO snapshot(tbl, n, fold, hash, state) VALUES(?,?,?,?,?)", row)
            connection.execute("DELETE FROM snapshot WHERE tbl = ? AND n < ?", (self.id, n))
            connection.execute("COMMIT")

        self._host.recording.run(store)

    def close(self) -> None:
        """Stop timers; leave a snapshot, so that the next start need not fold everything."""
        if self._live and self._host.recording.on and self.n > self._snapshot_n and not self.lane.busy:
            self.snapshot()
        for handle in (self._timer, self._show, self._publish):
            if handle is not None:
                handle.cancel()
        self._live = False
        self.reconciler.close()
