"""The writer thread: group commit, dedupe by unique index, and a stop after a failed commit.

Submissions are committed in the order they were given. A group is what is waiting (at most `GROUP` entries); there is no
artificial delay. After a failed commit everything queued fails too, until the loop says `resume`: otherwise a later
message of a node could overtake an earlier one that was lost with the transaction.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from marker_hub import entries
from marker_hub.entries import Body, Entry
from marker_hub.journal.schema import ENTRY_COLUMNS, JournalError, connect_write

GROUP = 256

_ROW = f"({','.join('?' * 13)})"
_INSERT = f"INSERT INTO entry({ENTRY_COLUMNS}) VALUES"
_INSERT_NEW = _INSERT + _ROW + " ON CONFLICT DO NOTHING"
_INSERT_MANY = {size: _INSERT + ",".join([_ROW] * size) for size in (64, 16, 4, 1)}
"""By number of rows. One statement gives the interpreter's lock away once, not once a row: beside a busy loop that was most of a commit."""

Statement = tuple[str, tuple[Any, ...]]
"""SQL and its parameters, run in the same transaction before the entries."""


class Draft(msgspec.Struct, gc=False):
    """An entry that has no position yet; the writer gives it one."""

    tbl: str
    body: Body
    mono_us: int
    wall_ms: int
    key: str | None = None
    node: int | None = None
    boot: int | None = None
    seq: int | None = None
    dev_us: int | None = None
    role: str | None = None
    session: str | None = None


class Outcome(NamedTuple):
    """What became of one submission.

    entries: one per draft, None where the identity was there already. error: None, or why nothing was stored.
    """

    entries: tuple[Entry | None, ...]
    error: str | None


Done = Callable[[Outcome], None]
Soon = Callable[[Callable[[], None]], object]


class _Submission(NamedTuple):
    drafts: Sequence[Draft]
    statements: Sequence[Statement]
    done: Done | None


class _Task(NamedTuple):
    """Something run with the writer's connection outside the group's transaction (snapshot, retention, checkpoint)."""

    run: Callable[[sqlite3.Connection], object]
    done: Callable[[object], None] | None


class Committed(NamedTuple):
    """One delivery to the loop: what to call with which outcome, and how long the commit took (seconds)."""

    calls: list[tuple[Done, Outcome]]
    seconds: float
    entries: int
    error: str | None


_KINDS: dict[type, str] = {}


def _kind(body: Body) -> str:
    kind = _KINDS.get(type(body))
    if kind is None:
        kind = _KINDS[type(body)] = entries.kind_of(body)
    return kind


class JournalWriter:
    """Owns the only writing connection; `deliver` runs in the writer's thread.

    With `soon`, what one turn of the loop submits goes to the thread together, so that it is woken once: `append`, `task`
    and `resume` are then called on that loop only.
    """

    def __init__(
        self,
        path: Path,
        deliver: Callable[[Committed], None],
        *,
        before_commit: Callable[[], None] | None = None,
        soon: Soon | None = None,
    ) -> None:
        """`deliver` is called once per group (use `loop.call_soon_threadsafe`); `before_commit` injects faults in tests.

        soon: calls a function later in the present turn of the loop (`loop.call_soon`).
        """
        self.path = path
        self._deliver = deliver
        self._before_commit = before_commit
        self._soon = soon
        self._batch: list[_Submission] = []
        self._queue: queue.SimpleQueue[list[_Submission] | _Task | str] = queue.SimpleQueue()
        self._connection = connect_write(path)
        self._heads: dict[str, int] = dict(self._connection.execute("SELECT tbl, max(n) FROM entry GROUP BY tbl"))
        self._failed: str | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def append(self, drafts: Sequence[Draft], done: Done | None = None, statements: Sequence[Statement] = ()) -> None:
        """Store the drafts of one table in one transaction. Raises JournalError after `close`."""
        if self._closed:
            raise JournalError("the journal is closed")
        self._batch.append(_Submission(drafts, statements, done))
        if self._soon is None:
            self._flush()
        elif len(self._batch) == 1:
            self._soon(self._flush)

    def task(self, run: Callable[[sqlite3.Connection], object], done: Callable[[object], None] | None = None) -> None:
        """Run something with the connection, after all that was submitted before. `done` gets the result or the exception."""
        self._put(_Task(run, done))

    def resume(self) -> None:
        """End the refusal after a failed commit: what is submitted from now on is tried again."""
        self._put("resume")

    def close(self) -> None:
        """Commit what is queued, checkpoint, close. Safe to call twice."""
        if self._closed:
            return
        self._flush()
        self._closed = True
        self._queue.put("close")
        self._thread.join()

    def head(self, tbl: str) -> int:
        """Newest committed position of a table, 0 when it has none."""
        return self._heads.get(tbl, 0)

    def _put(self, item: _Task | str) -> None:
        if self._closed:
            raise JournalError("the journal is closed")
        self._flush()
        self._queue.put(item)

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            self._queue.put(batch)

    def _run(self) -> None:
        held: _Task | str | None = None
        while True:
            item = held if held is not None else self._queue.get()
            held = None
            if isinstance(item, list):
                waiting, held = self._gather(item)
                for group in _groups(waiting):
                    self._commit(group)
            elif isinstance(item, _Task):
                self._perform(item)
            elif item == "resume":
                self._failed = None
            else:
                break
        self._connection.close()

    def _gather(self, first: list[_Submission]) -> tuple[list[_Submission], _Task | str | None]:
        waiting, count = first, sum(len(item.drafts) for item in first)
        while count < GROUP:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                break
            if not isinstance(item, list):
                return waiting, item
            waiting += item
            count += sum(len(sub.drafts) for sub in item)
        return waiting, None

    def _perform(self, task: _Task) -> None:
        result: object
        try:
            result = task.run(self._connection)
        except Exception as error:  # noqa: BLE001 - a failing errand must not end the writer; its owner gets the error
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            result = error
        if task.done is not None:
            done = task.done
            self._deliver(Committed([(lambda _outcome: done(result), Outcome((), None))], 0.0, 0, None))

    def _commit(self, group: list[_Submission]) -> None:
        began = time.perf_counter()
        error = self._failed
        stored: list[tuple[Entry | None, ...]] = []
        if error is None:
            try:
                stored = self._store(group)
            except Exception as problem:  # noqa: BLE001 - whatever it is, nothing of this group is durable
                error = self._failed = f"{type(problem).__name__}: {problem}"
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        seconds = time.perf_counter() - began
        if error is not None:
            calls = [(sub.done, Outcome((), error)) for sub in group if sub.done]
            self._deliver(Committed(calls, seconds, 0, error))
            return
        calls = [(sub.done, Outcome(made, None)) for sub, made in zip(group, stored, strict=True) if sub.done]
        self._deliver(Committed(calls, seconds, sum(map(len, stored)), None))

    def _store(self, group: list[_Submission]) -> list[tuple[Entry | None, ...]]:
        execute = self._connection.execute
        execute("BEGIN IMMEDIATE")
        try:
            stored, heads = self._insert_all(group)
        except sqlite3.IntegrityError:
            # Some identity is there already: once more, one by one, so that only the duplicates are left out.
            execute("ROLLBACK")
            execute("BEGIN IMMEDIATE")
            stored, heads = self._insert_new(group)
        if self._before_commit is not None:
            self._before_commit()
        execute("COMMIT")
        self._heads.update(heads)
        return stored

    def _insert_all(self, group: list[_Submission]) -> tuple[list[tuple[Entry | None, ...]], dict[str, int]]:
        heads: dict[str, int] = {}
        rows: list[tuple[Any, ...]] = []
        stored: list[tuple[Entry | None, ...]] = []
        for sub in group:
            for sql, parameters in sub.statements:
                self._connection.execute(sql, parameters)
            made: list[Entry | None] = []
            for draft in sub.drafts:
                n = heads[draft.tbl] = (heads.get(draft.tbl) or self._heads.get(draft.tbl, 0)) + 1
                made.append(_entry(draft, n))
                rows.append(_row(draft, n))
            stored.append(tuple(made))
        self._insert(rows)
        return stored, heads

    def _insert(self, rows: list[tuple[Any, ...]]) -> None:
        at = 0
        for size, sql in _INSERT_MANY.items():
            while len(rows) - at >= size:
                self._connection.execute(sql, list(chain.from_iterable(rows[at : at + size])))
                at += size

    def _insert_new(self, group: list[_Submission]) -> tuple[list[tuple[Entry | None, ...]], dict[str, int]]:
        heads: dict[str, int] = {}
        stored: list[tuple[Entry | None, ...]] = []
        for sub in group:
            for sql, parameters in sub.statements:
                self._connection.execute(sql, parameters)
            made: list[Entry | None] = []
            known = False
            for draft in sub.drafts:
                n = heads.get(draft.tbl, self._heads.get(draft.tbl, 0)) + 1
                if known or self._connection.execute(_INSERT_NEW, _row(draft, n)).rowcount == 0:
                    # A command is stored as a whole or not at all: its key stands on its first entry.
                    known = known or draft.key is not None
                    made.append(None)
                    continue
                heads[draft.tbl] = n
                made.append(_entry(draft, n))
            stored.append(tuple(made))
        return stored, heads


def _groups(waiting: list[_Submission]) -> Iterator[list[_Submission]]:
    """Submissions in groups of at most about `GROUP` entries, one transaction each."""
    group: list[_Submission] = []
    count = 0
    for item in waiting:
        group.append(item)
        count += len(item.drafts)
        if count >= GROUP:
            yield group
            group, count = [], 0
    if group:
        yield group


def _entry(draft: Draft, n: int) -> Entry:
    return Entry(
        draft.tbl,
        n,
        draft.body,
        draft.mono_us,
        draft.wall_ms,
        draft.key,
        draft.node,
        draft.boot,
        draft.seq,
        draft.dev_us,
        draft.role,
        draft.session,
    )


def _row(draft: Draft, n: int) -> tuple[Any, ...]:
    return (
        draft.tbl,
        n,
        _kind(draft.body),
        draft.node,
        draft.boot,
        draft.seq,
        draft.dev_us,
        draft.mono_us,
        draft.wall_ms,
        draft.key,
        draft.role,
        draft.session,
        entries.encode(draft.body),
    )
