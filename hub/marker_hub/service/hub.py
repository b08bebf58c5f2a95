"""The hub: everything wired together on one loop."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marker_hub import config as configuration
from marker_hub import discovery, entries, journal
from marker_hub.broker import ManagedBroker, Notice
from marker_hub.commands import Command, MatchStart
from marker_hub.config import BrokerKind, Config, ConfigError
from marker_hub.credentials import Secrets, load_secrets
from marker_hub.discovery import Discovery
from marker_hub.ingest import Ingest, Lane, NodeRegistry, table_link
from marker_hub.journal import JournalWriter, Reader
from marker_hub.metrics import Metrics
from marker_hub.service.administration import admin_view, new_pin
from marker_hub.service.datafolder import backup_folders, ready_journal, take_lock
from marker_hub.service.host import TableHost
from marker_hub.service.links import Cable, mqtt_transport, start_cables
from marker_hub.service.matches import MatchBook
from marker_hub.service.recording import Recording
from marker_hub.service.selftest import self_test
from marker_hub.service.setup import completed, match_setup, table_config
from marker_hub.service.streams import Streams
from marker_hub.service.tables import TableRuntime
from marker_hub.service.technician import service_view
from marker_hub.service.threshold import set_threshold
from marker_hub.service.upkeep import Upkeep
from marker_hub.table import MatchEnded, Role, Table
from marker_hub.transport import Message, Session, Transport, TransportError
from marker_hub.transport.memory import MemoryBroker, MemoryTransport
from marker_hub.transport.mqtt import MqttTransport
from marker_hub.web.port import CommandResult, StreamEvent, UnknownTable

log = logging.getLogger("marker.hub")

DRAIN_S = 1.5


@dataclass(frozen=True, slots=True)
class HubOptions:
    """What a hub is started with. memory: a broker in memory instead of the configured one, for tests."""

    config: Config
    data: Path
    memory: MemoryBroker | None = None
    snapshots: bool = True


class Hub:
    """One hub process. Implements `HubPort` for the pages and `Handler` for the transport (through ingest)."""

    def __init__(self, options: HubOptions) -> None:
        """Nothing is opened before `start`."""
        self.options = options
        self.config = options.config
        self.figures = Metrics()
        self.streams = Streams()
        self.notices: list[Notice] = []
        self.tables_by_id: dict[str, TableRuntime] = {}
        self.broker: ManagedBroker | None = None
        self.secrets: Secrets
        self.reader: Reader
        self.transport: Transport
        self.ingest: Ingest
        self.matches_book: MatchBook
        self.upkeep: Upkeep
        self.discovery: Discovery
        self.cables: list[Cable] = []
        self._recording: Recording
        self._sections = {section.id: section for section in self.config.table}
        self._lock: int | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop
        self._started_ms = 0

    @property
    def recording(self) -> bool:
        """Whether what happens is written down; commands are refused while it is not."""
        return self._recording.on

    @property
    def journal(self) -> JournalWriter:
        """The journal's writer."""
        return self._recording.journal

    # -- clocks ----------------------------------------------------------------------------------------------------

    @staticmethod
    def mono_us() -> int:
        """The hub's monotonic clock, microseconds; all durations and clock replies use it."""
        return time.monotonic_ns() // 1000

    def now_ms(self) -> int:
        """UTC, milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    # -- start -----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Journal, fold, broker, sessions. Raises MarkerError with one clear line; leaves nothing open or running then."""
        try:
            await self._start()
        except journal.JournalError as error:
            await self.stop()
            raise ConfigError(str(error)) from error
        except BaseException:
            await self.stop()
            raise

    async def _start(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._open()
        self._wire()
        self.matches_book.repair()
        self._started_ms = self.now_ms()
        await self._tell_restart()
        for table in self.tables_by_id.values():
            table.go_live()
        try:
            await self.transport.start(self)
        except TransportError as error:
            raise ConfigError(str(error)) from error
        deadline = self._loop.time() + DRAIN_S
        while not self.ingest.settled() and self._loop.time() < deadline:
            await asyncio.sleep(0.005)
        self._ticking = self._loop.call_later(1.0, self._tick)
        self.upkeep.start()
        if self.broker is not None:
            self.cables = start_cables(self.config, self.secrets.mqtt, self.broker.endpoint)

    async def _open(self) -> None:
        """Folder, secrets, journal, broker."""
        data = self.options.data
        configuration.ensure_data_folder(data)
        self._lock = take_lock(data)
        self.secrets = load_secrets(data, tuple(self._sections))
        restored = ready_journal(data, backup_folders(self.config.journal, data))
        if restored is not None:
            self.notice(restored)
        path = journal.database_path(data)
        self.reader = Reader(path)
        self._recording = Recording(path, self.figures, lost=self._recording_lost, back=self._recording_back)
        self.transport = await self._transport()

    def _wire(self) -> None:
        """Who knows whom; every table folded up to the journal's head."""
        writer, run = self._recording.journal, self._recording.run
        data, tables = self.options.data, self.tables_by_id
        self.ingest = Ingest(
            writer,
            NodeRegistry(self.reader),
            self.transport,
            self.figures,
            mono_us=self.mono_us,
            wall_ms=self.now_ms,
            on_failure=self._recording.failed,
            sustained=float(self.config.hub.records_per_second),
        )
        self.discovery = Discovery(self.config, self.transport, self.reader, run)
        self.matches_book = MatchBook(journal.database_path(data), self.reader, run, tables, self.config.web)
        self.upkeep = Upkeep(self.config.journal, data, writer, self.reader, tables, self.figures, self.notice)
        host = TableHost(
            recording=self._recording,
            reader=self.reader,
            transport=self.transport,
            streams=self.streams,
            figures=self.figures,
            mono_us=self.mono_us,
            now_ms=self.now_ms,
            clock=lambda table: self.ingest.tables[table].clock,
            decorated=self._decorated,
            match_started=self.matches_book.started,
            match_ended=self._match_ended,
        )
        for number, section in enumerate(self.config.table, 1):
            lane = Lane(writer)
            table = TableRuntime(host, table_config(section, number), lane)
            table.fold(self.reader, snapshots=self.options.snapshots)
            tables[section.id] = table
            self.ingest.add_table(table_link(section.id, section.profile, table, lane, section.node))

    async def _transport(self) -> Transport:
        filters = discovery.filters(self.config)
        if self.options.memory is not None or self.config.broker.kind is BrokerKind.MEMORY:
            return MemoryTransport(self.options.memory or MemoryBroker(), filters)
        self.broker = ManagedBroker(
            self.config.broker, self.secrets.mqtt, self.options.data / "broker", self.config.hub.id
        )
        return mqtt_transport(self.config, await self.broker.start(self.notice), self.now_ms(), filters)

    async def _tell_restart(self) -> None:
        from importlib.metadata import version

        started = entries.HubStarted(version("billiard-marker"))
        waits: list[asyncio.Future[None]] = []
        for table in self.tables_by_id.values():
            future: asyncio.Future[None] = self._loop.create_future()
            waits.append(future)
            table.submit(lambda: (started,), done=lambda _outcome, future=future: future.set_result(None))  # type: ignore[misc]
        await asyncio.gather(*waits)
        if not self._recording.on:
            raise ConfigError(
                f"{journal.database_path(self.options.data)}: {self._recording.failure}; free some space or repair the disk"
            )

    # -- stop ------------------------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """Pages, sessions, journal, own broker, in this order. Safe after a failed start."""
        self.streams.close()
        if hasattr(self, "_recording"):
            self._recording.give_up()
        if self._ticking is not None:
            self._ticking.cancel()
        if hasattr(self, "upkeep"):
            await self.upkeep.stop()
        for node, task in self.cables:
            await node.stop(task)
        if hasattr(self, "transport"):
            await self.transport.stop()
        for table in self.tables_by_id.values():
            table.close()
        if hasattr(self, "_recording"):
            await self._recording.close()
        if hasattr(self, "reader"):
            self.reader.close()
        if self.broker is not None:
            await self.broker.stop()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # -- transport's handler ---------------------------------------------------------------------------------------

    def on_message(self, message: Message) -> None:
        """See Handler."""
        if message.topic == discovery.STATUS:
            self.discovery.heard(message.payload)
            return
        self.ingest.on_message(message)

    def on_link(self, session: Session, up: bool, reason: str) -> None:
        """See Handler."""
        self.ingest.on_link(session, up, reason)
        if session is Session.PLAIN and up:
            if isinstance(self.transport, MqttTransport):
                self.transport.announce()
            for table in self.tables_by_id.values():
                table.reconciler.link_up()
            self.discovery.publish()
        if session is Session.DURABLE and up:
            for table in self.tables_by_id.values():
                table.reconciler.mark()

    # -- what happens ----------------------------------------------------------------------------------------------

    def _recording_lost(self, error: str) -> None:
        for table in self.tables_by_id.values():
            table.lane.open = False
            table.changed()
        self.transport.restart_durable(error)

    def _recording_back(self) -> None:
        for table in self.tables_by_id.values():
            table.lane.open = True
            table.lane.pump()
            table.changed()
            table.reschedule()

    def notice(self, notice: Notice) -> None:
        """Something the hall should know."""
        log.warning("%s: %s", notice.code, notice.text)
        self.notices.append(notice)
        del self.notices[:-20]
        if notice.code == "broker-restarted":
            self.figures.count("broker_restarts_total")

    def _match_ended(self, table: str, value: Table, entry: entries.Entry, effect: MatchEnded) -> None:
        """A match is over: time for a backup and for proving that the journal gives the same state."""
        self.matches_book.ended(table, value, entry, effect)
        log.info("table %s: match %s ended, revision %d", table, effect.match, effect.revision)
        self.upkeep.match_ended(self.tables_by_id[table])

    def _tick(self) -> None:
        """Once a second: clocks on the displays of the nodes."""
        self._ticking = self._loop.call_later(1.0, self._tick)
        for table in self.tables_by_id.values():
            table.tick()

    # -- HubPort ---------------------------------------------------------------------------------------------------

    def tables(self) -> list[str]:
        """See HubPort."""
        return list(self.tables_by_id)

    def table(self, table: str) -> TableRuntime:
        """A table at run time. Raises UnknownTable."""
        try:
            return self.tables_by_id[table]
        except KeyError:
            raise UnknownTable(f"there is no table '{table}'; there are {', '.join(self.tables_by_id)}") from None

    def view(self, table: str) -> dict[str, Any]:
        """See HubPort."""
        return self.table(table).view()

    def _decorated(self, table: str, view: dict[str, Any]) -> dict[str, Any]:
        """What only the running hub knows."""
        view["now_ms"] = self.now_ms()
        view["recording"] = self.recording
        if view["match"] is None:
            view["setup"] = match_setup(self._sections[table])
        if not self.recording:
            view["notices"] = [*view.get("notices", ()), {"code": "not-recording", "args": {}}]
        if not self.transport.connected(Session.DURABLE):
            view["notices"] = [*view.get("notices", ()), {"code": "no-link", "args": {}}]
        return view

    def position(self, table: str) -> int:
        """See HubPort."""
        return self.table(table).n

    def sheet(self, table: str, shot: int | None = None) -> dict[str, Any]:
        """See HubPort."""
        return self.table(table).sheet(shot)

    def subscribe(self, tables: Sequence[str], *, referee: bool) -> AsyncIterator[StreamEvent]:
        """See HubPort."""
        return self.streams.subscribe(tables, referee=referee)

    def announcements(self, tables: Sequence[str], *, since_ms: int) -> list[StreamEvent]:
        """See HubPort."""
        return self.streams.recent(tables, since_ms)

    async def command(self, table: str, command: Command, *, role: str, session: str) -> CommandResult:
        """See HubPort."""
        runtime = self.table(table)
        if isinstance(command, MatchStart):
            command = completed(self._sections[table], command)
        return await runtime.command(command, Role(role), session)

    async def matches(self) -> list[dict[str, Any]]:
        """See HubPort."""
        return self.matches_book.list()

    async def match(self, match_id: str) -> dict[str, Any] | None:
        """See HubPort."""
        return await self.matches_book.detail(match_id)

    async def service(self, table: str) -> dict[str, Any]:
        """See HubPort."""
        return service_view(self.table(table), self.ingest, self.reader, self.notices, self.now_ms())

    async def set_threshold(self, table: str, millivolts: int) -> CommandResult:
        """See HubPort."""
        return await set_threshold(self.table(table), millivolts)

    async def self_test(self, table: str) -> CommandResult:
        """See HubPort."""
        return await self_test(self.table(table))

    async def admin(self) -> dict[str, Any]:
        """See HubPort."""
        return await admin_view(
            self.config,
            self.options.data,
            backup_folders(self.config.journal, self.options.data),
            broker=self.broker,
            secrets=self.secrets,
            tables=self.tables_by_id,
            health=self.health(),
            now_ms=self.now_ms(),
        )

    async def back_up(self) -> str:
        """See HubPort."""
        return await self.upkeep.backup()

    def new_pin(self, table: str) -> str:
        """See HubPort."""
        return new_pin(self.secrets, self.options.data, table)

    async def export(self, match_id: str, form: str) -> tuple[str, bytes] | None:
        """See HubPort."""
        return await self.matches_book.export(match_id, form)

    def health(self) -> dict[str, Any]:
        """See HubPort."""
        linked = self.transport.connected(Session.DURABLE) and self.transport.connected(Session.PLAIN)
        return {
            "ok": self.recording and linked,
            "recording": self.recording,
            "broker": linked,
            "failure": self._recording.failure,
            "tables": len(self.tables_by_id),
            "since_ms": self._started_ms,
            "notices": [{"code": notice.code, "text": notice.text} for notice in self.notices],
        }

    def metrics(self) -> str:
        """See HubPort."""
        self.figures.gauge("streams", len(self.streams))
        self.figures.gauge("recording", 1 if self.recording else 0)
        self.figures.gauge("queue_items", sum(len(table.lane) for table in self.tables_by_id.values()))
        return self.figures.text()
