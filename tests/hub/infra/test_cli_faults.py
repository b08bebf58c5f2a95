"""Commands that meet a damaged journal, a file where a folder belongs, a huge file or a full disk: one line, a status, no traceback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_startcheck import DAMAGE, body, played

from marker_hub.cli import main


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """Exit status and the one line on standard error."""
    status = main(arguments)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"marker {arguments[0]}: ")
    return status, lines[0]


@DAMAGE
@pytest.mark.parametrize(
    "arguments", [("export", "--match", "m", "--out", "{out}"), ("export", "--list"), ("backup", "--to", "{out}")]
)
def test_a_damaged_journal_is_said_in_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], harm: Callable[[Path], None]
) -> None:
    """No traceback and nothing of SQLite's pages but its first words; what does not read the damaged part still works."""
    path = played(tmp_path / "data")
    harm(path)
    given = [word.format(out=tmp_path / "out") for word in arguments]
    if harm is body and "--list" in given:
        assert main([given[0], "--data", str(tmp_path / "data"), *given[1:]]) == 0
        return
    status, line = said(capsys, given[0], "--data", str(tmp_path / "data"), *given[1:])
    assert status == 1
    assert f"{path}: damaged (" in line
    assert "marker restore --data DIR" in line
    assert "***" not in line
    assert not list(tmp_path.rglob("*.part"))


@DAMAGE
def test_a_backup_that_cannot_be_read_back_is_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """SQLite finds its pages whole; an entry or a head that cannot be read is found too, and the older copy is taken."""
    played(tmp_path)
    assert main(["backup", "--data", str(tmp_path)]) == 0
    (good,) = (tmp_path / "backups").iterdir()
    bad = good.with_name("journal-20990101T000000Z.sqlite3")
    bad.write_bytes(good.read_bytes())
    harm(bad)
    capsys.readouterr()
    status, line = said(capsys, "backup", "--data", str(tmp_path), "--verify", str(bad))
    assert (status, f"{bad}: damaged (" in line, line.endswith("; take another backup")) == (1, True, True)
    status, line = said(capsys, "restore", "--data", str(tmp_path), str(bad))
    assert (status, "nothing was changed" in line) == (1, True)
    assert main(["restore", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith(f"{good} is in place")


@DAMAGE
def test_the_doctor_says_what_is_damaged_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    harm(played(tmp_path))
    assert main(["doctor", "--data", str(tmp_path)]) == 1
    told = capsys.readouterr().out
    assert told.count("damaged (") == 1
    assert told.count("marker restore") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("doctor", "--data"),
        ("backup", "--data"),
        ("backup", "--data", "good", "--to"),
        ("backup", "--data", "good", "--verify"),
        ("restore", "--data"),
        ("restore", "--data", "good"),
        ("export", "--list", "--data"),
        ("export", "--data", "good", "--out"),
        ("hub", "--check", "--port", "0", "--data"),
        ("hub", "--check", "--port", "0", "--config"),
        ("replay",),
        ("adjudicate",),
    ],
)
def test_a_path_that_no_file_system_takes_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    played(tmp_path / "good")
    status, line = said(capsys, *arguments, "x" * 5000)
    assert (status, len(line) < 400) == (2, True)


@pytest.mark.parametrize("file", [False, True])
def test_a_file_where_the_data_folder_belongs(capsys: pytest.CaptureFixture[str], tmp_path: Path, file: bool) -> None:
    """Whether a backup is named or not: the folder and what it is; nothing is changed."""
    played(tmp_path / "good")
    assert main(["backup", "--data", str(tmp_path / "good"), "--to", str(tmp_path / "b")]) == 0
    capsys.readouterr()
    (tmp_path / "file").write_text("x")
    copies = [str(path) for path in (tmp_path / "b").iterdir()] if file else []
    status, line = said(capsys, "restore", "--data", str(tmp_path / "file"), *copies)
    assert status == 2
    assert ("this is no folder" if file else "no good backup here; name the file") in line
    assert (tmp_path / "file").read_text() == "x"


def test_a_backup_that_is_not_there_makes_no_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, line = said(capsys, "restore", "--data", str(tmp_path / "new"), str(tmp_path / "none"))
    assert (status, "there is no such file; name a backup" in line) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["validate", "replay", "export"])
def test_a_huge_file_is_no_match_record_and_is_not_read_to_its_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as stream:
        stream.truncate(1 << 40)  # a hole: no disk is used
    status, line = said(capsys, command, str(path))
    assert (status, f"{path}: larger than 64 MB" in line) == (2, True)


@pytest.mark.parametrize("name", ["x" * 5000 + ".jsonl", "no\0name.jsonl", "no\0name.toml", "x" * 5000 + ".toml"])
def test_a_name_that_no_file_system_takes(capsys: pytest.CaptureFixture[str], name: str) -> None:
    status, line = said(capsys, "validate", name)
    assert (status, len(line) < 200) == (2, True)


def test_a_configuration_without_a_table_is_said_to_have_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "hall.toml"
    path.write_text("[web]\nport = 8081\n")
    assert main(["validate", str(path)]) == 0
    assert "no [[table]]: one table '1' with the defaults" in capsys.readouterr().out
    path.write_text("")
    assert said(capsys, "validate", str(path)) == (2, f"marker validate: {path}: nothing is configured here (an empty file); write what this hall has, or leave the file out for the defaults")  # fmt: skip


@pytest.mark.parametrize("zone", ["Europe", "Mars/Base", "../etc", "x" * 300])
def test_a_zone_that_is_none(capsys: pytest.CaptureFixture[str], tmp_path: Path, zone: str) -> None:
    status, line = said(capsys, "export", "--zone", zone, str(tmp_path / "m.jsonl"))
    assert (status, "--zone" in line, len(line) < 200) == (2, True, True)


@pytest.mark.parametrize("size", ["0", "-3", "1000001", "99999999999999999999"])
def test_a_bench_of_no_size_or_of_any(capsys: pytest.CaptureFixture[str], size: str) -> None:
    status, line = said(capsys, "bench", "rules", "--size", size)
    assert (status, "give a whole number from 1 to 1000000" in line) == (2, True)


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize(
    "arguments",
    [("--help",), (), ("hardware", "bom", "carom5"), ("perft", "--help"), ("perft", "five-pins", "--contacts", "1")],
)
def test_what_cannot_be_written_is_said_once(arguments: tuple[str, ...], buffered: bool) -> None:
    """A full disk: status 2 and one line, whether the text left at once or at the end."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, *([] if buffered else ["-u"]), "-m", "marker_hub", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            env={"PYTHONDONTWRITEBYTECODE": "1"},
        )
    name = " ".join(["marker", *arguments[:1]])
    assert done.returncode == 2
    assert done.stderr == f"{name}: standard output: No space left on device; write it somewhere else\n"


@pytest.mark.parametrize("arguments", [("--help",), ("hardware", "bom", "carom5")])
def test_a_reader_that_went_away_is_no_fault(arguments: tuple[str, ...]) -> None:
    """As `| head`: nothing is said, the status is the command's own."""
    command = f"'{sys.executable}' -m marker_hub {' '.join(arguments)} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
