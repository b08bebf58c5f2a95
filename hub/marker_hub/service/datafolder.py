"""The data folder of a running hub: one hub alone in it, a journal that can be read, where its backups go."""

from __future__ import annotations

import fcntl
import logging
import os
from pathlib import Path

from marker_hub import journal
from marker_hub.broker import Notice
from marker_hub.config import ConfigError, JournalSection
from marker_hub.journal.backup import set_aside

log = logging.getLogger("marker.hub")


def take_lock(data: Path) -> int:
    """The open lock of the folder; closing it frees the folder. Raises ConfigError where another hub has it."""
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
    return handle


def backup_folders(section: JournalSection, data: Path) -> list[Path]:
    """Where backups go, the first one always."""
    first = Path(section.backup_folder or data / "backups")
    second = section.second_folder
    return [first, Path(second)] if second else [first]


def ready_journal(data: Path, folders: list[Path]) -> Notice | None:
    """Prepare the journal; a damaged one is kept aside and the newest backup takes its place, which the notice says."""
    try:
        journal.prepare(journal.database_path(data))
    except journal.Damaged as error:
        return _recovered(data, folders, error)
    return None


def _recovered(data: Path, folders: list[Path], error: journal.Damaged) -> Notice:
    log.error("the journal is damaged: %s", error)
    copy = next(filter(None, (journal.newest_backup(folder) for folder in folders)), None)
    aside = set_aside(data, "damaged")
    if copy is None:
        journal.prepare(journal.database_path(data))
        text = f"the journal was damaged and no backup was found; it is kept as {aside}, a new one was begun"
    else:
        journal.restore(copy, data)
        text = f"the journal was damaged; the backup {copy.name} is in place, the damaged file is kept as {aside}"
    return Notice("journal-restored", text)
