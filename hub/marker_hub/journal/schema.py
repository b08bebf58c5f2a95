"""Tables, pragmas and the opening of the database."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from marker_rules.errors import cut

SCHEMA_VERSION = 1
"""`PRAGMA user_version`; an older file is migrated, a newer one refused."""

APPLICATION_ID = 0x6D61726B
"""`PRAGMA application_id` of our files: "mark". A file without it is ours only if it has our tables."""

JOURNAL = "journal.sqlite3"

_TABLES = frozenset({"node", "entry", "match", "reject", "snapshot", "note"})

DDL = """
CREATE TABLE node(id INTEGER PRIMARY KEY, uid TEXT NOT NULL, epoch INTEGER NOT NULL, tbl TEXT NOT NULL,
  UNIQUE(uid, epoch)) STRICT;
CREATE TABLE entry(tbl TEXT NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, node INTEGER, boot INTEGER, seq INTEGER,
  dev_us INTEGER, mono_us INTEGER NOT NULL, wall_ms INTEGER NOT NULL, key TEXT, role TEXT, session TEXT,
  body BLOB NOT NULL, PRIMARY KEY(tbl, n)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX entry_obs ON entry(node, boot, seq) WHERE node IS NOT NULL AND seq IS NOT NULL;
CREATE INDEX entry_birth ON entry(wall_ms, n) WHERE kind = 'birth';
CREATE INDEX entry_match ON entry(wall_ms, n) WHERE kind = 'match';
CREATE UNIQUE INDEX entry_key ON entry(key) WHERE key IS NOT NULL;
CREATE TABLE match(id TEXT PRIMARY KEY, tbl TEXT NOT NULL, n_from INTEGER NOT NULL, n_to INTEGER, head BLOB NOT NULL) STRICT;
CREATE TABLE reject(id INTEGER PRIMARY KEY, wall_ms INTEGER NOT NULL, topic TEXT NOT NULL, reason TEXT NOT NULL,
  body BLOB NOT NULL) STRICT;
CREATE TABLE snapshot(tbl TEXT NOT NULL, n INTEGER NOT NULL, fold INTEGER NOT NULL, hash BLOB NOT NULL,
  state BLOB NOT NULL, PRIMARY KEY(tbl, n)) STRICT;
CREATE TABLE note(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""

ENTRY_COLUMNS = "tbl,n,kind,node,boot,seq,dev_us,mono_us,wall_ms,key,role,session,body"
_PAGE_CACHE_KIB = 8192


class JournalError(Exception):
    """The journal cannot be used; the text names file, finding and remedy."""


class Damaged(JournalError):
    """A check or the reading of a database found damage. finding, remedy: the two halves of the text."""

    def __init__(self, path: Path, finding: str) -> None:
        """path: the file; finding: what SQLite or the reader said, of which the first line is shown."""
        self.finding = f"{path}: damaged ({cut(' '.join(finding.split()))})"
        self.remedy = (
            "stop the hub and run 'marker restore --data DIR', which puts the newest good backup in place"
            if path.name == JOURNAL
            else "take another backup"
        )
        super().__init__(f"{self.finding}; {self.remedy}")


def database_path(folder: Path) -> Path:
    """File of the journal in a data folder."""
    return folder / JOURNAL


def belongs(connection: sqlite3.Connection, path: Path) -> bool:
    """True for a journal of ours, False for an empty database. Raises JournalError for anything else, or a newer schema."""
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if not names and version == 0 and mark in (0, APPLICATION_ID):
        return False
    if mark not in (0, APPLICATION_ID) or version == 0 or not names >= _TABLES:
        found = (
            f"tables {', '.join(sorted(names)[:4])}" if names else f"application_id {mark:#x}, user_version {version}"
        )
        raise JournalError(
            f"{path}: this database is not a hub's journal ({found}); name the right file or folder, or move this one away"
        )
    if version > SCHEMA_VERSION:
        raise JournalError(
            f"{path}: written by a newer version (schema {version}, this one knows {SCHEMA_VERSION}); update"
        )
    return True


def _pragmas(connection: sqlite3.Connection) -> None:
    # FULL and WAL are the durability promise: a PUBACK goes out only after this commit reached the disk.
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if mode != "wal":
        raise JournalError(f"the file system does not allow WAL (journal_mode is {mode}); use a local disk")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute(f"PRAGMA cache_size=-{_PAGE_CACHE_KIB}")
    connection.execute("PRAGMA wal_autocheckpoint=2000")
    connection.execute("PRAGMA busy_timeout=5000")


def connect_write(path: Path) -> sqlite3.Connection:
    """The writer's connection; transactions are explicit. Usable in one thread at a time."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        _pragmas(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_read(path: Path, *, look: bool = False) -> sqlite3.Connection:
    """A connection that cannot write. Raises JournalError when the file is not there or is no journal, Damaged when it is broken.

    look: for a command that only looks: where no hub has the journal open, not even SQLite's files beside it are made.
    """
    if not path.is_file():
        raise JournalError(f"{path}: no journal here; give the data folder of a hub")
    alone = look and not path.with_name(path.name + "-wal").exists()
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if alone else ''}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA busy_timeout=5000")
        ours = belongs(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise trouble(path, error) from error
    except JournalError:
        connection.close()
        raise
    if not ours:
        connection.close()
        raise JournalError(f"{path}: this database is empty; give the data folder of a hub")
    return connection


def prepare(path: Path) -> None:
    """Create or check the database file; leaves nothing open.

    Raises Damaged when `quick_check` finds a fault, JournalError when the file belongs to a newer version or cannot be written.
    """
    fresh = not path.exists()
    if fresh:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise JournalError(f"{path}: {error.strerror}; check the permissions of the data folder") from error
    elif not path.is_file():
        raise JournalError(f"{path}: this is no file; move it away, or choose another data folder")
    try:
        ours = not fresh and _examined(path)  # before the first pragma that writes: a foreign file stays as it is
        connection = connect_write(path)
    except sqlite3.DatabaseError as error:
        raise trouble(path, error) from error
    try:
        if not ours:
            marks = f"PRAGMA application_id={APPLICATION_ID};PRAGMA user_version={SCHEMA_VERSION};"
            connection.executescript(f"BEGIN;{DDL}{marks}COMMIT;")
        else:
            finding = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if finding != "ok":
                raise Damaged(path, finding)
    except sqlite3.DatabaseError as error:
        raise trouble(path, error) from error
    finally:
        connection.close()


def begun(path: Path) -> bool:
    """False for an empty file, which the start fills. Raises as `prepare`."""
    try:
        return _examined(path)
    except sqlite3.DatabaseError as error:
        raise trouble(path, error) from error


def _examined(path: Path) -> bool:
    alone = "" if path.with_name(path.name + "-wal").exists() else "&immutable=1"
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{alone}", uri=True)
    try:
        return belongs(connection, path)
    finally:
        connection.close()


def trouble(path: Path, error: sqlite3.DatabaseError) -> JournalError:
    """What an error of SQLite means for a file: damage, or something to be done about the disk."""
    code = getattr(error, "sqlite_errorcode", 0)  # the module's own errors have none
    if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):  # the lowest byte: the rest tells details
        return Damaged(path, str(error))
    return JournalError(f"{path}: {error}; check the disk and the permissions of the data folder")
