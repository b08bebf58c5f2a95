"""Commands that only look make nothing, and take nothing for a journal or a record that is none."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from marker_hub import entries
from marker_hub.cli import backup, doctor, export, hub, validate
from marker_hub.entries import Entry, PlayerInfo
from marker_hub.errors import MarkerError
from marker_hub.export import MatchRecord, replay, write_record
from marker_hub.export.record import End, Head, folded, read_record
from marker_hub.journal import Damaged, JournalError, Reader, check, database_path, prepare
from marker_hub.journal import backup as copy_journal
from marker_hub.table import TableConfig, state_hash


def arguments(module: object, *given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    module.add_parser(parser.add_subparsers())  # type: ignore[attr-defined]
    return parser.parse_args([module.__name__.rsplit(".", 1)[1], *given])  # type: ignore[attr-defined]


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def foreign(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks(url TEXT)")
    connection.execute("PRAGMA user_version=1")
    connection.close()
    return path


USES: list[Callable[[Path], object]] = [
    prepare,
    check,
    Reader,
    lambda path: copy_journal(path, path.parent / "b"),
]


@pytest.mark.parametrize("use", USES)
def test_a_foreign_database_is_no_journal_and_stays_as_it_is(tmp_path: Path, use: Callable[[Path], object]) -> None:
    """Whoever names a browser's database by mistake is told so; not a byte of it is changed, nothing is made beside it."""
    path = foreign(database_path(tmp_path))
    before = path.read_bytes()
    with pytest.raises(
        JournalError, match=r"journal\.sqlite3: this database is not a hub's journal \(tables bookmarks\)"
    ):
        use(path)
    assert path.read_bytes() == before
    assert files(tmp_path) == ["journal.sqlite3"]


def test_a_journal_carries_its_mark_and_one_of_early_versions_is_taken(tmp_path: Path) -> None:
    path = database_path(tmp_path)
    prepare(path)
    assert check(path) == 0
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone()[0] == 0x6D61726B
    connection.execute("PRAGMA application_id=0")
    connection.close()
    prepare(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA application_id=77")
    connection.close()
    with pytest.raises(JournalError, match="not a hub's journal"):
        prepare(path)


def test_what_is_no_database_at_all_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite3"
    path.write_text("not a database at all, but long enough to have a header" * 20)
    with pytest.raises(Damaged, match=r"text\.sqlite3"):
        Reader(path)


def test_the_check_of_a_configuration_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "new" / "data"
    assert hub.run(arguments(hub, "--data", str(data), "--port", "0", "--check")) == 0
    assert "configuration is good" in capsys.readouterr().out
    assert files(tmp_path) == []


def test_the_doctor_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither where nothing is yet, nor beside the journal of a hub that is stopped."""
    doctor.run(arguments(doctor, "--data", str(tmp_path / "none")))
    assert files(tmp_path) == []
    prepare(database_path(tmp_path))
    doctor.run(arguments(doctor, "--data", str(tmp_path)))
    assert "integrity good" in capsys.readouterr().out
    assert files(tmp_path) == ["journal.sqlite3"]


def test_a_backup_of_nothing_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(MarkerError, match="no journal here"):
        backup.run(arguments(backup, "--data", str(tmp_path / "none")))
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("m.jsonl", "--data", "d"), "m.jsonl and --data d: give one of them"),
        ((), "nothing to export"),
        (("m.jsonl", "--match", "x"), "--match chooses among the matches of a hub; it needs --data"),
        (("m.jsonl", "--list"), "--list chooses among the matches of a hub; it needs --data"),
    ],
)
def test_an_export_of_two_things_or_of_none_says_which_to_give(given: tuple[str, ...], said: str) -> None:
    with pytest.raises(MarkerError, match=said):
        export.run(arguments(export, *given))


def record() -> MatchRecord:
    config = TableConfig(id="1")
    players = {"A": PlayerInfo("Alfa"), "B": PlayerInfo("Beta")}
    options = {"points_limit": 60, "games": 1}
    bodies = [
        entries.MatchStarted("m", "five-pins", players, options, opener="A", ball_of_a="white"),
        entries.Noted("", "A", "warned for talking"),
    ]
    story = tuple(Entry("1", n, body, n, 1_700_000_000_000) for n, body in enumerate(bodies, 1))
    head = Head(1, entries.FOLD_VERSION, config, {"id": "m"}, 1)
    return MatchRecord(head, story, End(2, state_hash(folded(head, story)).hex()))


def test_a_record_that_was_changed_is_not_called_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A changed time moves no score and so no state; the seal over the lines shows it. One without a seal is still read."""
    path = tmp_path / "m.jsonl"
    whole = write_record(record())
    path.write_bytes(whole)
    assert validate.run(arguments(validate, str(path))) == 0
    path.write_bytes(whole.replace(b"1700000000000", b"1700000099999"))
    assert validate.run(arguments(validate, str(path))) == 1
    assert "not those it was written with" in capsys.readouterr().out
    assert export.run(arguments(export, str(path), "--out", str(tmp_path / "m.csv"))) == 1
    assert "not those it was written with" in capsys.readouterr().err
    assert not (tmp_path / "m.csv").exists()
    assert [finding.computed for finding in replay(read_record(path.read_bytes(), "m"))[1]] == [
        "lines that were changed"
    ]
    lines = whole.splitlines()
    end = msgspec.json.decode(lines[-1])
    del end["end"]["seal"]
    path.write_bytes(b"\n".join([*lines[:-1], msgspec.json.encode(end)]) + b"\n")
    assert validate.run(arguments(validate, str(path))) == 0
