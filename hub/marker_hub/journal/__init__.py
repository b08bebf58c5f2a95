"""The journal: the only durable truth of a hub. SQLite, WAL, synchronous=FULL, one writer thread, group commit."""

from marker_hub.journal.backup import BackupResult, backup, check, newest_backup, restore
from marker_hub.journal.reader import NodeRow, Reader, Rejected, SeqRange
from marker_hub.journal.schema import Damaged, JournalError, begun, connect_read, database_path, prepare
from marker_hub.journal.writer import Draft, JournalWriter, Outcome, Statement

__all__ = [
    "BackupResult",
    "Damaged",
    "Draft",
    "JournalError",
    "JournalWriter",
    "NodeRow",
    "Outcome",
    "Reader",
    "Rejected",
    "SeqRange",
    "Statement",
    "backup",
    "begun",
    "check",
    "connect_read",
    "database_path",
    "newest_backup",
    "prepare",
    "restore",
]
