"""The hub: everything wired together on one loop."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import secrets as random_source
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from marker_hub import config as configuration
from marker_hub import entries, journal, wire
from marker_hub.broker import ManagedBroker, Notice
from marker_hub.commands import Command, MatchStart
from marker_hub.config import BrokerKind, Config, ConfigError, TableSection
from marker_hub.credentials import Secrets, load_secrets
from marker_hub.discovery import STATUS, Discovery
from marker_hub.ingest import Ingest, Lane, NodeRegistry, table_link
from marker_hub.journal import JournalWriter, Reader
from marker_hub.journal.writer import Committed
from marker_hub.metrics import Metrics
from marker_hub.service.matches import MatchBook
from marker_hub.service.streams import Streams
from marker_hub.service.tables import TableRuntime
from marker_hub.service.upkeep import Upkeep
from marker_hub.table import MatchEnded, Role, TableConfig
from marker_hub.transport import Message, Session, Transport, TransportError
from marker_hub.transport.memory import MemoryBroker, MemoryTransport
from marker_hub.transport.mqtt import MqttTransport
from marker_hub.web.port import CommandResult, StreamEvent, UnknownTable

if TYPE_CHECKING:
    from marker_hub.serial_link import SerialNode

log = logging.getLogger("marker.hub")

RETRY_FIRST_S = 0.5
RETRY_MAX_S = 5.0
DRAIN_S = 1.5


@dataclass(frozen=True, slots=True)
class HubOptions:
    """What a hub is started with. memory: a broker in memory instead of the configured one, for tests."""

    config: Config
    data: Path
    memory: MemoryBroker | None = None
    snapshots: bool = True


def table_config(section: TableSection, number: int) -> TableConfig:
    """The core's configuration of one table."""
    from marker_hardware import wire as contract

    quality: dict[int, str] = {contract.channel_number(name): value for name, value in section.quality.items()}
    return TableConfig(
        id=section.id,
        name=section.name or section.id,
        no=number,
        profile=section.profile,
        lull_ms=section.lull_ms,
        quiet_ms=section.quiet_ms,
        tail_ms=section.tail_ms,
        countdown_ms=section.countdown_ms,
        sensors=section.sensors,
        quality=quality,
    )


class Hub:
    """One hub process. Implements `HubPort` for the pages and `Handler` for the transport (through ingest)."""

    def __init__(self, options: HubOptions) -> None:
        """Nothing is opened before `start`."""
        self.options = options
        self.config = options.config
        self.figures = Metrics()
        self.streams = Streams()
        self.recording = True
        self.failure = ""
        self.notices: list[Notice] = []
        self.tables_by_id: dict[str, TableRuntime] = {}
        self.broker: ManagedBroker | None = None
        self.secrets: Secrets
        self.journal: JournalWriter
        self.reader: Reader
        self.transport: Transport
        self.ingest: Ingest
        self.matches_book: MatchBook
        self._lock: int | None = None
        self._retry_s = RETRY_FIRST_S
        self._retry: asyncio.TimerHandle | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self.upkeep = Upkeep(self)
        self.discovery = Discovery(self)
        self.cables: list[tuple[SerialNode, asyncio.Task[None]]] = []
        self._loop: asyncio.AbstractEventLoop
        self._started_ms = 0

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
        data = self.options.data
        configuration.ensure_data_folder(data)
        self._take_lock(data)
        sections = self.config.table
        self.secrets = load_secrets(data, tuple(section.id for section in sections))
        path = journal.database_path(data)
        try:
            journal.prepare(path)
        except journal.Damaged as error:
            self._recover(data, error)
        self.reader = Reader(path)
        self.journal = JournalWriter(path, self._deliver, soon=self._loop.call_soon)
        self.transport = await self._transport()
        registry = NodeRegistry(self.reader)
        self.ingest = Ingest(
            self.journal,
            registry,
            self.transport,
            self.figures,
            mono_us=self.mono_us,
            wall_ms=self.now_ms,
            on_failure=self.commit_failed,
            sustained=float(self.config.hub.records_per_second),
        )
        self.matches_book = MatchBook(self)
        for number, section in enumerate(sections, 1):
            lane = Lane(self.journal)
            table = TableRuntime(self, table_config(section, number), lane)
            table.fold(self.reader, snapshots=self.options.snapshots)
            self.tables_by_id[section.id] = table
            self.ingest.add_table(table_link(section.id, section.profile, table, lane, section.node))
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
        self._start_cables()

    def _start_cables(self) -> None:
        """Gateways of the nodes that hang on a USB cable."""
        if self.broker is None:
            return
        from marker_hub.serial_link import MqttOutlet, SerialNode

        for section in self.config.table:
            if section.usb:
                login = self.broker.endpoint._replace(user=section.id, password=self.secrets.mqtt.tables[section.id])
                cable = SerialNode(section.id, section.usb, MqttOutlet(section.id, login))
                self.cables.append((cable, self._loop.create_task(cable.run(), name=f"usb-{section.id}")))

    def _take_lock(self, data: Path) -> None:
        try:
            handle = os.open(data / "hub.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(
                f"{data / 'hub.lock'}: {error.strerror}; remove it, or choose another folder, with --data"
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(handle, 32, 0).decode(errors="replace").strip()
            os.close(handle)
            raise ConfigError(
                f"data folder {data}: another hub (pid {owner}) uses it; stop that one or choose another folder"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        self._lock = handle

    def _recover(self, data: Path, error: journal.Damaged) -> None:
        from marker_hub.journal.backup import set_aside

        log.error("the journal is damaged: %s", error)
        copy = next(filter(None, (journal.newest_backup(folder) for folder in self.backup_folders())), None)
        aside = set_aside(data, "damaged")
        if copy is None:
            journal.prepare(journal.database_path(data))
            text = f"the journal was damaged and no backup was found; it is kept as {aside}, a new one was begun"
        else:
            journal.restore(copy, data)
            text = f"the journal was damaged; the backup {copy.name} is in place, the damaged file is kept as {aside}"
        self.notice(Notice("journal-restored", text))

    def backup_folders(self) -> list[Path]:
        """Where backups go, the first one always."""
        first = Path(self.config.journal.backup_folder or self.options.data / "backups")
        second = self.config.journal.second_folder
        return [first, Path(second)] if second else [first]

    async def _transport(self) -> Transport:
        if self.options.memory is not None or self.config.broker.kind is BrokerKind.MEMORY:
            return MemoryTransport(self.options.memory or MemoryBroker(), self.discovery.filters)
        self.broker = ManagedBroker(
            self.config.broker, self.secrets.mqtt, self.options.data / "broker", self.config.hub.id
        )
        endpoint = await self.broker.start(self.notice)
        tables = tuple(section.id for section in self.config.table)
        since = self.now_ms()
        boot = since // 1000 & 0xFFFFFFFF
        presence = wire.encode(wire.HubOnline(1, True, boot, since, tables))
        absence = wire.encode(wire.HubOnline(1, False, boot, since, tables))
        return MqttTransport(endpoint, presence, absence, self.discovery.filters)

    async def _tell_restart(self) -> None:
        from importlib.metadata import version

        started = entries.HubStarted(version("billiard-marker"))
        waits: list[asyncio.Future[None]] = []
        for table in self.tables_by_id.values():
            future: asyncio.Future[None] = self._loop.create_future()
            waits.append(future)
            table.submit(lambda: (started,), done=lambda _outcome, future=future: future.set_result(None))  # type: ignore[misc]
        await asyncio.gather(*waits)
        if not self.recording:
            raise ConfigError(
                f"{journal.database_path(self.options.data)}: {self.failure}; free some space or repair the disk"
            )

    # -- stop ------------------------------------------------------------------------------------------------------

    async def stop(self) -> None:
        """Pages, sessions, journal, own broker, in this order. Safe after a failed start."""
        self.streams.close()
        for handle in (self._retry, self._ticking):
            if handle is not None:
                handle.cancel()
        await self.upkeep.stop()
        for cable, task in self.cables:
            await cable.stop(task)
        if hasattr(self, "transport"):
            await self.transport.stop()
        for table in self.tables_by_id.values():
            table.close()
        if hasattr(self, "journal"):
            await asyncio.to_thread(self.journal.close)
            await asyncio.sleep(0)  # the last outcomes
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
        if message.topic == STATUS:
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

    # -- journal's outcomes ----------------------------------------------------------------------------------------

    def _deliver(self, committed: Committed) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the process is ending
            self._loop.call_soon_threadsafe(self._committed, committed)

    def _committed(self, committed: Committed) -> None:
        if committed.entries:
            self.figures.observe("commit_seconds", committed.seconds)
        for done, outcome in committed.calls:
            try:
                done(outcome)
            except Exception:
                log.exception("an outcome could not be dealt with")

    def task_done(self, result: object) -> None:
        """Outcome of a task of the writer."""
        if isinstance(result, Exception):
            log.error("journal task: %s", result)

    def commit_failed(self, error: str) -> None:
        """Nothing is acknowledged and no command taken until a commit works again."""
        if not self.recording:
            return
        self.recording = False
        self.failure = error
        self.figures.count("commit_failures_total")
        log.error("not recording: %s", error)
        for table in self.tables_by_id.values():
            table.lane.open = False
            table.changed()
        self.transport.restart_durable(error)
        self._retry = self._loop.call_later(self._retry_s, self._try_again)
        self._retry_s = min(self._retry_s * 2, RETRY_MAX_S)

    def _try_again(self) -> None:
        self.journal.resume()

        def done(outcome: journal.Outcome) -> None:
            if outcome.error is not None:
                self.failure = outcome.error
                self._retry = self._loop.call_later(self._retry_s, self._try_again)
                self._retry_s = min(self._retry_s * 2, RETRY_MAX_S)
                return
            log.warning("recording again")
            self.recording = True
            self.failure = ""
            self._retry_s = RETRY_FIRST_S
            for table in self.tables_by_id.values():
                table.lane.open = True
                table.lane.pump()
                table.changed()
                table.reschedule()

        probe = ("INSERT OR REPLACE INTO note(key, value) VALUES('probe', ?)", (str(self.now_ms()),))
        self.journal.append((), done, [probe])

    def notice(self, notice: Notice) -> None:
        """Something the hall should know."""
        log.warning("%s: %s", notice.code, notice.text)
        self.notices.append(notice)
        del self.notices[:-20]
        if notice.code == "broker-restarted":
            self.figures.count("broker_restarts_total")

    def match_ended(self, table: TableRuntime, effect: MatchEnded) -> None:
        """A match is over: time for a backup and for proving that the journal gives the same state."""
        log.info("table %s: match %s ended, revision %d", table.id, effect.match, effect.revision)
        self.upkeep.match_ended(table)

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

    def decorate(self, table: TableRuntime, view: dict[str, Any]) -> dict[str, Any]:
        """What only the running hub knows."""
        view["now_ms"] = self.now_ms()
        view["recording"] = self.recording
        if view["match"] is None:
            view["setup"] = self._setup(table.id)
        if not self.recording:
            view["notices"] = [*view.get("notices", ()), {"code": "not-recording", "args": {}}]
        if not self.transport.connected(Session.DURABLE):
            view["notices"] = [*view.get("notices", ()), {"code": "no-link", "args": {}}]
        return view

    def _setup(self, table: str) -> dict[str, Any]:
        """What a new match at this table starts with: game (empty: of the profile), preset, options, policy."""
        section = next(section for section in self.config.table if section.id == table)
        return {name: getattr(section, name) for name in ("game", "preset", "options", "policy")}

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
            command = self._completed(table, command)
        return await runtime.command(command, Role(role), session)

    def _completed(self, table: str, command: MatchStart) -> MatchStart:
        """The match with an id, and with what the configuration says about this table where the command says nothing."""
        section = next(section for section in self.config.table if section.id == table)
        changes: dict[str, Any] = {}
        if not command.id:
            changes["id"] = time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + f"-{table}-{random_source.token_hex(3)}"
        if section.game == command.game:
            changes["options"] = {**section.options, **command.options}
            changes["preset"] = command.preset or section.preset
        return msgspec.structs.replace(command, **changes)

    async def matches(self) -> list[dict[str, Any]]:
        """See HubPort."""
        return self.matches_book.list()

    async def match(self, match_id: str) -> dict[str, Any] | None:
        """See HubPort."""
        return await self.matches_book.detail(match_id)

    async def service(self, table: str) -> dict[str, Any]:
        """See HubPort."""
        from marker_hub.service.technician import service_view

        return service_view(self, self.table(table))

    async def set_threshold(self, table: str, millivolts: int) -> CommandResult:
        """See HubPort."""
        from marker_hub.service.threshold import set_threshold

        return await set_threshold(self.table(table), millivolts)

    async def self_test(self, table: str) -> CommandResult:
        """See HubPort."""
        from marker_hub.service.selftest import self_test

        return await self_test(self.table(table))

    async def admin(self) -> dict[str, Any]:
        """See HubPort."""
        from marker_hub.service.administration import admin_view

        return await admin_view(self)

    async def back_up(self) -> str:
        """See HubPort."""
        from marker_hub.service.administration import back_up

        return await back_up(self)

    def new_pin(self, table: str) -> str:
        """See HubPort."""
        from marker_hub.service.administration import new_pin

        return new_pin(self, table)

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
            "failure": self.failure,
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
