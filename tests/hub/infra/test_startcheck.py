"""`marker hub --check` finds what a start would trip over: folders, journal, secrets, ports, the broker."""

from __future__ import annotations

import re
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from marker_hub import entries, startcheck
from marker_hub.config import BrokerSection, Config, ConfigError, JournalSection, WebSection
from marker_hub.errors import CheckFailed, MarkerError
from marker_hub.journal import Draft, JournalWriter, database_path, prepare

FREE = Config(web=WebSection(port=0))


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def played(folder: Path) -> Path:
    """A journal with a match in it, of several pages."""
    folder.mkdir(parents=True, exist_ok=True)
    path = database_path(folder)
    prepare(path)
    writer = JournalWriter(path, lambda _: None)
    players = {"A": entries.PlayerInfo("Alfa"), "B": entries.PlayerInfo("Beta")}
    options = {"points_limit": 60, "games": 1}
    start = entries.MatchStarted("m", "five-pins", players, options, opener="A", ball_of_a="white")
    row = "INSERT INTO match(id, tbl, n_from, n_to, head) VALUES('m','1',1,NULL,?)"
    head = b'{"id":"m","game":"five-pins","players":{"A":{"name":"Alfa"},"B":{"name":"Beta"}}}'
    writer.append([Draft("1", start, 1, 1)], None, [(row, (head,))])
    writer.append([Draft("1", entries.Noted("", "A", "x" * 900), n, n) for n in range(2, 60)])
    writer.close()
    return path


def page(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\x5a" * (len(raw) - 4096)
    path.write_bytes(raw)


def body(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE entry SET body = x'7b' WHERE n = 7")
    connection.commit()
    connection.close()


def head(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE match SET head = x'ff'")
    connection.commit()
    connection.close()


DAMAGE = pytest.mark.parametrize("harm", [page, body, head])


def test_a_good_folder_is_good_and_stays_as_it_is(tmp_path: Path) -> None:
    played(tmp_path)
    before = files(tmp_path)
    startcheck.examine(FREE, tmp_path)
    assert files(tmp_path) == before


def test_an_empty_journal_file_is_filled_by_the_start_and_so_no_fault(tmp_path: Path) -> None:
    database_path(tmp_path).write_bytes(b"")
    startcheck.examine(FREE, tmp_path)


@DAMAGE
def test_a_damaged_journal_is_found_wherever_the_damage_is(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    """A page, the body of one entry, the head of a match: named, with the way out; a failed check, not bad input."""
    path = played(tmp_path)
    harm(path)
    with pytest.raises(CheckFailed, match=re.escape(f"{path}: damaged (")) as failed:
        startcheck.examine(FREE, tmp_path)
    assert "marker restore --data DIR" in str(failed.value)
    assert str(failed.value).isprintable()
    assert failed.value.exit_status == 1


def test_a_database_of_another_program_is_bad_input(tmp_path: Path) -> None:
    connection = sqlite3.connect(database_path(tmp_path))
    connection.execute("CREATE TABLE bookmarks(url TEXT)")
    connection.close()
    with pytest.raises(MarkerError, match="not a hub's journal") as failed:
        startcheck.examine(FREE, tmp_path)
    assert failed.value.exit_status == 2


@pytest.mark.parametrize("folder", ["/proc/marker", "/proc", "/dev/null/x", "x" * 5000, "a/" + "y" * 300, "nul\0"])
def test_a_folder_that_no_right_tells_of_cannot_be_written(tmp_path: Path, folder: str) -> None:
    """Rights say that root may write in /proc; only trying tells. Nothing is left behind by the trial."""
    with pytest.raises(ConfigError, match="data folder"):
        startcheck.examine(FREE, tmp_path / folder)
    assert files(tmp_path) == {}


@pytest.mark.parametrize("key", ["backup_folder", "second_folder"])
def test_a_folder_for_copies_is_tried_too(tmp_path: Path, key: str) -> None:
    config = Config(web=FREE.web, journal=JournalSection(**{key: "/proc/copies"}))
    with pytest.raises(ConfigError, match=f"journal.{key} = '/proc/copies'"):
        startcheck.examine(config, tmp_path)


@pytest.mark.parametrize(
    ("name", "folder"), [("broker", False), ("backups", False), ("hub.lock", True), ("journal.sqlite3", True)]
)
def test_what_the_hub_keeps_there_must_be_of_its_kind(tmp_path: Path, name: str, folder: bool) -> None:
    """A file where a folder belongs, a folder where a file belongs."""
    (tmp_path / name).mkdir() if folder else (tmp_path / name).write_text("x")
    with pytest.raises(ConfigError, match=re.escape(f"{tmp_path / name}: ")):
        startcheck.examine(FREE, tmp_path)


def test_a_broker_port_of_another_program_is_found(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = Config(web=FREE.web, broker=BrokerSection(port=port))
        with pytest.raises(ConfigError, match=f"broker.port = {port}: another program"):
            startcheck.examine(config, tmp_path)


def test_an_external_broker_that_does_not_answer_is_found(tmp_path: Path) -> None:
    """As by the start: the address, what came back, what to look at."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    config = Config(web=FREE.web, broker=BrokerSection(url=f"mqtt://127.0.0.1:{port}"))
    with pytest.raises(MarkerError, match=f"broker 127.0.0.1:{port}: .*check the address"):
        startcheck.examine(config, tmp_path)


@pytest.mark.parametrize("fault", ["body", "lock"])
def test_the_start_itself_says_in_one_line_what_the_check_finds(
    running: Any, in_loop: Callable[[Any], Any], tmp_path: Path, fault: str
) -> None:
    """What a start cannot mend by itself: an entry nobody can read, a folder where the lock belongs. No traceback, nothing left open."""
    if fault == "body":
        body(played(tmp_path))
        said = f"{database_path(tmp_path)}: damaged (table 1, position 7: "
    else:
        (tmp_path / "hub.lock").mkdir()
        said = f"{tmp_path / 'hub.lock'}: Is a directory; remove it"

    async def play() -> None:
        async with running(data=tmp_path):
            raise AssertionError("it started")

    with pytest.raises(ConfigError, match=re.escape(said)) as refused:
        in_loop(play())
    assert str(refused.value).isprintable()


def test_a_program_that_cannot_be_run_is_no_broker(tmp_path: Path) -> None:
    program = tmp_path / "mosquitto"
    program.write_text("no program")
    config = Config(web=FREE.web, broker=BrokerSection(mosquitto=str(program)))
    with pytest.raises(ConfigError, match=r"broker\.mosquitto"):
        startcheck.examine(config, tmp_path / "data")
