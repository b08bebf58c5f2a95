"""`marker restore`: put a backup in place of a stopped hub's journal."""

from __future__ import annotations

import argparse
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from marker_hub.config import ensure_data_folder
from marker_hub.errors import CheckFailed, MarkerError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the options of `marker restore`."""
    parser = subparsers.add_parser(
        "restore",
        help="put a backup in place",
        description="Verifies a backup and puts it in place of the journal of a data folder whose hub is stopped. "
        "A journal that is there already is renamed, not deleted. Also the way to a cold standby on another machine.",
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="data folder of the hub")
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE", help="the backup (default: the newest good one in DIR/backups)"
    )


@contextmanager
def _stopped(data: Path) -> Iterator[None]:
    """Hold the hub's lock. Raises MarkerError while a hub runs on this folder."""
    ensure_data_folder(data)
    try:
        handle = os.open(data / "hub.lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise MarkerError(f"{data / 'hub.lock'}: {error.strerror}; remove it, or give another folder") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise MarkerError(f"data folder {data}: its hub is running; stop it first") from None
        yield
    finally:
        os.close(handle)


def run(args: argparse.Namespace) -> int:
    """Restore; 1 when the backup is damaged."""
    from marker_hub.journal import Damaged, JournalError, check, newest_backup, restore

    copy = args.file or newest_backup(args.data / "backups", bodies=True)
    if copy is None:
        raise MarkerError(f"{args.data / 'backups'}: no good backup here; name the file")
    if not copy.is_file():
        raise MarkerError(f"{copy}: there is no such file; name a backup")
    with _stopped(args.data):
        try:
            check(copy, bodies=True)
            aside = restore(copy, args.data)
        except Damaged as error:
            raise CheckFailed(f"{error}; nothing was changed") from error
        except JournalError as error:
            raise MarkerError(str(error)) from error
        except OSError as error:
            raise MarkerError(
                f"data folder {args.data}: {error.strerror}; free some space, or give a folder that can be written"
            ) from error
    print(f"{copy} is in place" + (f"; the journal before it is kept as {aside}" if aside else ""))
    return 0
