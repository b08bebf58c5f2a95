"""The journal: positions, duplicates, whole commands, failed commits, pragmas, backup and restore."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from marker_hub import entries
from marker_hub.journal import (
    Damaged,
    Draft,
    JournalError,
    JournalWriter,
    Outcome,
    Reader,
    SeqRange,
    backup,
    check,
    database_path,
    newest_backup,
    prepare,
    restore,
)
from marker_hub.journal.backup import backups, prune, retention
from marker_hub.journal.schema import connect_write
from marker_hub.journal.writer import Committed


class Desk:
    """A writer whose outcomes are dealt with at once, in its own thread."""

    def __init__(self, data: Path, before_commit: Callable[[], None] | None = None) -> None:
        self.path = database_path(data)
        prepare(self.path)
        self.writer = JournalWriter(self.path, self._deliver, before_commit=before_commit)
        self.groups: list[Committed] = []

    def _deliver(self, committed: Committed) -> None:
        self.groups.append(committed)
        for done, outcome in committed.calls:
            done(outcome)

    def put(self, *drafts: Draft) -> Outcome:
        got: list[Outcome] = []
        ready = threading.Event()

        def done(outcome: Outcome) -> None:
            got.append(outcome)
            ready.set()

        self.writer.append(drafts, done)
        assert ready.wait(60)
        return got[0]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.writer.close()


def obs(seq: int, tbl: str = "1", node: int = 1, boot: int = 1) -> Draft:
    return Draft(tbl, entries.Obs(0, 1, seq), 10 + seq, 1000 + seq, None, node, boot, seq, seq * 100)


def note(text: str, key: str | None = None, tbl: str = "1") -> Draft:
    return Draft(tbl, entries.Noted("RP-10.3b", note=text), 5, 6, key)


@pytest.mark.report("R049")
def test_a_commit_reached_the_disk_before_anyone_hears_of_it(desk: Desk) -> None:
    """R049: WAL and FULL, never OFF; the outcome comes after the commit, seen by another connection."""
    pragma = {
        name: desk.writer._connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous")
    }
    assert pragma == {"journal_mode": "wal", "synchronous": 2}
    seen: list[int] = []

    def look(_outcome: Outcome) -> None:
        with Reader(desk.path) as reader:
            seen.append(reader.head("1"))
        ready.set()

    ready = threading.Event()
    desk.writer.append([obs(0)], look)
    assert ready.wait(60)
    assert seen == [1]


def test_positions_are_counted_per_table_without_holes(desk: Desk) -> None:
    outcome = desk.put(obs(0), obs(1), obs(0, tbl="2", node=2))
    assert [(entry.tbl, entry.n) for entry in outcome.entries if entry] == [("1", 1), ("1", 2), ("2", 1)]
    again = desk.put(obs(1), obs(2), obs(3))
    assert [entry.n if entry else None for entry in again.entries] == [None, 3, 4]
    with Reader(desk.path) as reader:
        assert [entry.n for entry in reader.entries("1")] == [1, 2, 3, 4]


def test_the_same_number_of_another_boot_or_node_is_another_record(desk: Desk) -> None:
    outcome = desk.put(obs(0), obs(0, boot=2), obs(0, node=2))
    assert [entry.n for entry in outcome.entries if entry] == [1, 2, 3]


def test_a_repeated_command_is_not_stored_again_and_not_in_part(desk: Desk) -> None:
    first = desk.put(note("one", "k1"), note("two"))
    assert [entry.n for entry in first.entries if entry] == [1, 2]
    again = desk.put(note("one", "k1"), note("two"))
    assert again.entries == (None, None)
    with Reader(desk.path) as reader:
        assert reader.by_key("k1") == ("1", 1)
    assert desk.put(note("three")).entries[0].n == 3  # type: ignore[union-attr]


def test_what_is_read_is_what_was_written(desk: Desk) -> None:
    body = entries.MatchStarted(
        "m", "five-pins", {"A": entries.PlayerInfo("Бармалей-Ёжиков"), "B": entries.PlayerInfo("Totò")}
    )
    stored = desk.put(Draft("1", body, 1, 2, "k", role="referee", session="s")).entries[0]
    with Reader(desk.path) as reader:
        assert list(reader.entries("1")) == [stored]
    with Reader(desk.path) as reader:
        assert next(reader.match_starts()) == stored


def test_held_numbers_are_ranges(desk: Desk) -> None:
    desk.put(*[obs(seq) for seq in (0, 1, 2, 5, 6, 9)])
    with Reader(desk.path) as reader:
        assert reader.held(1, 1) == [SeqRange(0, 2), SeqRange(5, 6), SeqRange(9, 9)]
    with Reader(desk.path) as reader:
        assert reader.held(1, 2) == []


def test_a_failed_commit_fails_what_waits_until_it_is_resumed(tmp_path: Path) -> None:
    """Mutation that turns it red: taking the next group although the one before is lost (records would change their order)."""
    broken = threading.Event()
    broken.set()

    def fault() -> None:
        if broken.is_set():
            raise sqlite3.OperationalError("database or disk is full")

    desk = Desk(tmp_path, fault)
    try:
        assert "disk is full" in (desk.put(obs(0)).error or "")
        broken.clear()
        assert "disk is full" in (desk.put(obs(1)).error or "")
        desk.writer.resume()
        outcome = desk.put(obs(0), obs(1))
        assert outcome.error is None
        assert [entry.n for entry in outcome.entries if entry] == [1, 2]
    finally:
        desk.writer.close()


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    try:
        assert desk.put(obs(0)).error is None
        pages = desk.writer._connection.execute("PRAGMA page_count").fetchone()[0]
        desk.writer._connection.execute(f"PRAGMA max_page_count={pages + 2}")
        seq, outcome = 1, Outcome((), None)
        while outcome.error is None and seq < 5000:
            outcome = desk.put(*[obs(seq + i) for i in range(16)])
            seq += 16
        assert "full" in (outcome.error or "")
        with Reader(desk.path) as reader:
            held = reader.head("1")
        desk.writer._connection.execute("PRAGMA max_page_count=1000000")
        desk.writer.resume()
        assert desk.put(*[obs(seq - 16 + i) for i in range(16)]).error is None
        with Reader(desk.path) as reader:
            assert reader.head("1") == held + 16
    finally:
        desk.writer.close()


def test_a_task_that_raises_does_not_end_the_writer(desk: Desk) -> None:
    results: list[object] = []
    ready = threading.Event()

    def done(result: object) -> None:
        results.append(result)
        ready.set()

    desk.writer.task(lambda connection: connection.execute("SELECT * FROM nowhere"), done)
    assert ready.wait(60)
    assert isinstance(results[0], sqlite3.OperationalError)
    assert desk.put(obs(0)).error is None


def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.writer.close()
    with pytest.raises(JournalError, match="closed"):
        desk.writer.append([obs(0)])


def test_a_newer_schema_and_a_damaged_file_are_told_apart(tmp_path: Path) -> None:
    path = database_path(tmp_path)
    prepare(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(JournalError, match="newer version"):
        prepare(path)
    other = tmp_path / "zero"
    other.mkdir()
    database_path(other).write_bytes(b"\x00" * 8192)
    with pytest.raises(Damaged):
        prepare(database_path(other))


def test_a_backup_of_a_journal_in_use_is_whole_and_restores(desk: Desk, tmp_path: Path) -> None:
    for start in range(0, 800, 16):
        desk.put(*[obs(start + i) for i in range(16)])
    made = backup(desk.path, tmp_path / "backups", stamp=1_700_000_000)
    assert made.entries == 800
    assert made.path.stat().st_mode & 0o077 == 0
    desk.put(obs(800))
    assert newest_backup(tmp_path / "backups") == made.path
    other = tmp_path / "other"
    assert restore(made.path, other) is None
    with Reader(database_path(other)) as reader:
        assert reader.count() == 800
    aside = restore(made.path, other, stamp=1_700_000_100)
    assert aside is not None
    assert check(aside) == 800


def test_a_torn_backup_is_not_taken(desk: Desk, tmp_path: Path) -> None:
    desk.put(*[obs(i) for i in range(200)])
    good = backup(desk.path, tmp_path / "b", stamp=1_700_000_000)
    torn = backup(desk.path, tmp_path / "b", stamp=1_700_000_060)
    raw = bytearray(torn.path.read_bytes())
    raw[len(raw) // 2 :] = b"\xee" * (len(raw) - len(raw) // 2)
    torn.path.write_bytes(raw)
    with pytest.raises(Damaged):
        check(torn.path)
    assert newest_backup(tmp_path / "b") == good.path
    with pytest.raises(Damaged):
        restore(torn.path, tmp_path / "c")
    assert not database_path(tmp_path / "c").exists()


def test_what_is_kept_of_backups(desk: Desk, tmp_path: Path) -> None:
    desk.put(obs(0))
    hour = 3600
    for number in range(60):
        backup(desk.path, tmp_path / "b", stamp=1_700_000_000 + number * hour)
    removed = prune(tmp_path / "b")
    left = backups(tmp_path / "b")
    assert len(left) + len(removed) == 60
    assert left[-24:] == backups(tmp_path / "b")[-24:]
    assert len(left) == 24 + len({path.name[8:16] for path in left[:-24]} - {path.name[8:16] for path in left[-24:]})


def test_retention_keeps_matches_commands_and_the_newest_entry(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.put(*[obs(i) for i in range(10)])
    desk.put(note("x", "k"), *[obs(i) for i in range(10, 20)])
    desk.writer.close()
    connection = connect_write(desk.path)
    deleted = retention(connection, 10**12, days=30, matches=[("1", 4, 12)])
    left = [row[0] for row in connection.execute("SELECT n FROM entry ORDER BY n")]
    connection.close()
    assert left == [4, 5, 6, 7, 8, 9, 10, 11, 12, 21]
    assert deleted == 11
