"""Commands of one table: proposed on the newest state, journalled, stepped; a key seen before gives its first result again."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import Any, Protocol

import msgspec

import marker_hub.table as core
from marker_hub import projections
from marker_hub.commands import Amend, Command, MatchStart
from marker_hub.entries import Entry
from marker_hub.ingest import Item, Lane, Work
from marker_hub.journal import Draft, Outcome
from marker_hub.service.host import TableHost
from marker_hub.table import Refusal, Role
from marker_hub.table.propose import may_be_of
from marker_hub.web.port import CommandResult

log = logging.getLogger("marker.table")

RESULTS_KEPT = 512


def _meaning(command: Command) -> bytes:
    """What a command says, without what differs when it is sent again (what was seen, the id the hub gave a match)."""
    made = msgspec.to_builtins(command)
    for name in ("seen", *(("id",) if isinstance(command, MatchStart) else ())):
        made.pop(name, None)
    return msgspec.json.encode(made, order="deterministic")


class Commanded(Protocol):
    """The table at run time, as its commands need it: the newest state, its lane, its views."""

    id: str
    value: core.Table
    n: int
    lane: Lane

    def stepped(self, made: list[Entry]) -> None:
        """Entries of this table were committed, in order."""

    def view(self) -> dict[str, Any]:
        """View model."""

    def view_of(self, value: core.Table, now_us: int) -> dict[str, Any]:
        """View model of a value this table has, or had a moment ago."""


class CommandDesk:
    """Takes the commands of one table."""

    def __init__(self, table: Commanded, host: TableHost) -> None:
        """table: the one they are for."""
        self._table = table
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._results: OrderedDict[str, tuple[bytes, CommandResult]] = OrderedDict()

    async def command(self, command: Command, role: Role, session: str) -> CommandResult:
        """Propose, journal, step. A key seen before gives its first result again."""
        known = self._known(command)
        if known is not None:
            return known
        if isinstance(command, Amend) and command.dry_run:
            found = core.preview(self._table.value, command)
            if isinstance(found, Refusal):
                return self._refused(found)
            return CommandResult(
                200, {"n": self._table.n, "preview": projections.preview_view(self._table.value, found)}
            )
        if not self._host.recording.on:
            return self._not_recording()
        future: asyncio.Future[CommandResult] = self._loop.create_future()
        self._table.lane.put(Item(lambda: self._propose(command, role, session, future), alone=True))
        result = await future
        self._host.figures.count("commands_total", status=str(result.status))
        return result

    def _remember(self, command: Command, result: CommandResult) -> None:
        if result.status == 200 and command.key:
            self._results[command.key] = (_meaning(command), result)
            while len(self._results) > RESULTS_KEPT:
                self._results.popitem(last=False)

    def _known(self, command: Command) -> CommandResult | None:
        """The first result of a key seen before; a key that stands for another command is refused."""
        key = command.key
        if not key:
            return None
        if key in self._results:
            meaning, result = self._results[key]
            return result if meaning == _meaning(command) else self._other_key(key)
        found = self._host.reader.by_key(key)
        if found is None:
            return None
        table, n = found
        if table != self._table.id:
            return self._other_key(key, table)
        entry = next(iter(self._host.reader.entries(self._table.id, after=n - 1, to=n)))
        if not may_be_of(entry.body, command):
            return self._other_key(key)
        return CommandResult(200, {"n": n, "view": self._table.view()})

    def _other_key(self, key: str, table: str = "") -> CommandResult:
        where = f" at table {table}" if table else ""
        text = f"the key '{key}' already names another command{where}; send this one with a key of its own"
        return CommandResult(
            422,
            {
                "code": "key",
                "text": text,
                "text_key": "key",
                "args": {},
                "n": self._table.n,
                "view": self._table.view(),
            },
        )

    def _propose(
        self, command: Command, role: Role, session: str, future: asyncio.Future[CommandResult]
    ) -> Work | None:
        if future.cancelled():
            return None
        if command.key in self._results:  # the same key waited in this lane twice
            future.set_result(self._known(command) or self._done(self._table.n))
            return None
        mono, wall = self._host.mono_us(), self._host.now_ms()
        try:
            found = core.propose(self._table.value, command, role, mono)
        except Exception as error:
            log.exception("table %s: command %s", self._table.id, type(command).__name__)
            text = f"{type(error).__name__}: {error}"
            future.set_result(
                CommandResult(
                    422, {"code": "fault", "text": text, "text_key": "fault", "args": {}, "view": self._table.view()}
                )
            )
            return None
        if isinstance(found, Refusal):
            future.set_result(self._refused(found))
            return None
        if not found:
            result = self._done(self._table.n)
            self._remember(command, result)
            future.set_result(result)
            return None
        drafts = [
            Draft(
                self._table.id,
                body,
                mono,
                wall,
                (command.key or None) if at == 0 else None,
                role=role.value,
                session=session,
            )
            for at, body in enumerate(found)
        ]
        return Work(drafts, lambda outcome: self._commanded(outcome, command, future))

    def _commanded(self, outcome: Outcome, command: Command, future: asyncio.Future[CommandResult]) -> None:
        if outcome.error is not None:
            self._host.recording.failed(outcome.error)
            result = self._not_recording()
        else:
            made = [entry for entry in outcome.entries if entry is not None]
            self._table.stepped(made)
            result = self._done(made[-1].n if made else self._table.n)
            if not made:
                result = self._known(command) or result
            self._remember(command, result)
        if not future.done():
            future.set_result(result)

    def _done(self, n: int) -> CommandResult:
        """Carried out, with the view of the table as it is now: drawn when the page's answer is written."""
        value, now = self._table.value, self._host.mono_us()
        return CommandResult(200, lambda: {"n": n, "view": self._table.view_of(value, now)})

    def _refused(self, refusal: Refusal) -> CommandResult:
        status = {"stale": 409, "forbidden": 403}.get(refusal.code, 422)
        body: dict[str, Any] = {
            "code": refusal.code,
            "text": projections.refusal_text(refusal),
            "text_key": refusal.text_key,
            "args": refusal.args,
            "n": self._table.n,
            "view": self._table.view(),
        }
        return CommandResult(status, body)

    def _not_recording(self) -> CommandResult:
        return CommandResult(
            503,
            {
                "code": "not-recording",
                "text": "the hub cannot write its journal; nothing was changed",
                "text_key": "not-recording",
                "args": {},
                "n": self._table.n,
                "view": self._table.view(),
            },
        )
