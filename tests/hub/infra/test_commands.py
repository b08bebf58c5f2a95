"""`marker hub` and its companions as a person meets them: one clear line, exit status, nothing left running."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from ports import reserved
from processes import Herd, HubProcess, Referee

from marker_hub.broker.process import exists

PLAYERS = {"A": {"name": "Бармалей-Ёжиков", "given": "Иван"}, "B": {"name": "Totò"}}
OPTIONS = {"points_limit": 60, "games": 1}


def marker(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "marker_hub", *arguments], capture_output=True, text=True, timeout=120, cwd=cwd
    )


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubProcess]:
    with reserved() as port:
        process = HubProcess(tmp_path / "data", port, "--tables", "2")
        yield process
        process.end_all()


def refused(done: subprocess.CompletedProcess[str], *said: str) -> None:
    assert done.returncode == 2, done
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    for text in said:
        assert text in lines[0]


def test_a_taken_port_an_unwritable_folder_and_a_bad_key_are_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = marker("hub", "--data", str(tmp_path / "a"), "--port", str(port))
        refused(done, f"web port 127.0.0.1:{port}", "--port")
        assert not (tmp_path / "a" / "broker").exists(), "nothing was started"
    (tmp_path / "file").write_text("x")
    refused(marker("hub", "--data", str(tmp_path / "file" / "b"), "--port", "0"), "data folder", "--data")
    (tmp_path / "c.toml").write_text("[web]\nprot = 1\n")
    refused(marker("hub", "--config", str(tmp_path / "c.toml")), "web.prot", "not known")
    refused(
        marker("hub", "--data", str(tmp_path / "d"), "--port", "0", "--broker", "mqtt://127.0.0.1:1"),
        "broker 127.0.0.1:1",
        "refused",
    )
    refused(marker("hub", "--data", str(tmp_path / "d"), "--broker", "rabbit"), "--broker")
    refused(marker("hub", "--tables", "0", "--data", str(tmp_path / "d")), "--tables 0")


def test_check_starts_nothing_and_says_what_it_found(tmp_path: Path) -> None:
    (tmp_path / "hall.toml").write_text("[[table]]\nid = 't1'\n[[table]]\nid = 't2'\n")
    done = marker("hub", "--config", str(tmp_path / "hall.toml"), "--data", str(tmp_path / "d"), "--check")
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 table(s)" in done.stdout
    assert not (tmp_path / "d" / "journal.sqlite3").exists()


def test_the_ready_line_says_where_and_a_stop_leaves_nothing(hub: HubProcess) -> None:
    ready = hub.start()
    assert ready["ready"] is True
    assert Path(ready["credentials_file"]).stat().st_mode & 0o077 == 0
    with urllib.request.urlopen(f"{ready['http']}/healthz", timeout=30) as answer:
        assert json.loads(answer.read())["ok"] is True
    with urllib.request.urlopen(f"{ready['http']}/metrics", timeout=30) as answer:
        text = answer.read().decode()
    assert "# TYPE marker_records_total counter" in text
    assert "marker_recording 1" in text
    stream = urllib.request.urlopen(f"{ready['http']}/api/stream?tables=1", timeout=30)
    assert stream.readline().startswith(b"retry")
    assert hub.stop() == 0, "it waits for no page that reads on"
    stream.close()
    assert not exists(ready["mqtt"]["pid"])
    assert "Traceback" not in hub.log()


def test_ctrl_c_is_a_clean_stop(hub: HubProcess) -> None:
    ready = hub.start()
    assert hub.process is not None
    os.kill(hub.process.pid, signal.SIGINT)
    assert hub.process.wait(60) == 0
    assert not exists(ready["mqtt"]["pid"])


def test_backup_while_it_runs_then_a_cold_standby_elsewhere(hub: HubProcess, tmp_path: Path) -> None:
    """The drill: the machine is lost after the backup; the standby has the match, and the node replays what came later."""
    ready = hub.start()
    referee = Referee(hub, "1")
    referee.login()
    assert (
        referee.command(
            "match_start", game="five-pins", players=PLAYERS, options=OPTIONS, opener="A", ball_of_a="white"
        )[0]
        == 200
    )
    herd = Herd(ready["mqtt"]["host"], ready["mqtt"]["port"], hub.credentials["mqtt"]["hub"], 2, 5)
    try:
        herd.record("1", 40)
        herd.settle()
        time.sleep(0.3)
        done = marker("backup", "--data", str(hub.data))
        assert done.returncode == 0, done
        copy = Path(done.stdout.split(": ")[0])
        herd.record("1", 8)
        herd.settle()
    finally:
        herd.close()
    running = marker("restore", "--data", str(hub.data), str(copy))
    assert (running.returncode, "is running" in running.stderr) == (2, True)
    hub.kill()
    hub.end_all()
    standby = HubProcess(tmp_path / "standby", hub.port, "--tables", "2")
    done = marker("restore", "--data", str(standby.data), str(copy))
    assert done.returncode == 0, done
    try:
        ready = standby.start()
        with urllib.request.urlopen(f"{ready['http']}/api/tables/1", timeout=30) as answer:
            view = json.loads(answer.read())
        assert view["players"]["A"]["name"] == "Бармалей-Ёжиков"
        other = Herd(ready["mqtt"]["host"], ready["mqtt"]["port"], standby.credentials["mqtt"]["hub"], 2, 5)
        try:
            other.rings = herd.rings
            other._connected(other.client, None, None, None, None)
            deadline = time.monotonic() + 60
            from marker_hub.journal import Reader, database_path

            held: list[int | None] = []
            while len(held) < 48 and time.monotonic() < deadline:
                time.sleep(0.1)
                with Reader(database_path(standby.data)) as reader:
                    held = [entry.seq for entry in reader.entries("1") if entry.seq is not None]
            assert sorted(held, key=lambda seq: seq or 0) == list(range(48))
        finally:
            other.close()
        assert standby.stop() == 0
    finally:
        standby.end_all()


def test_a_damaged_journal_is_replaced_by_the_newest_good_backup_and_said(hub: HubProcess) -> None:
    hub.start()
    referee = Referee(hub, "1")
    referee.login()
    assert (
        referee.command(
            "match_start", game="five-pins", players=PLAYERS, options=OPTIONS, opener="A", ball_of_a="white"
        )[0]
        == 200
    )
    assert marker("backup", "--data", str(hub.data)).returncode == 0
    assert hub.stop() == 0
    journal = hub.data / "journal.sqlite3"
    raw = bytearray(journal.read_bytes())
    raw[4096:] = b"\x5a" * (len(raw) - 4096)
    journal.write_bytes(raw)
    found = marker("doctor", "--data", str(hub.data), "--json")
    assert found.returncode == 1
    damaged = [check for check in json.loads(found.stdout) if check["level"] == "fail"]
    assert [check["number"] for check in damaged] == [5]
    assert "marker restore" in damaged[0]["remedy"]
    ready = hub.start()
    with urllib.request.urlopen(f"{ready['http']}/healthz", timeout=30) as answer:
        health = json.loads(answer.read())
    assert [notice["code"] for notice in health["notices"]] == ["journal-restored"]
    with urllib.request.urlopen(f"{ready['http']}/api/tables/1", timeout=30) as answer:
        assert json.loads(answer.read())["players"]["B"]["name"] == "Totò"
    assert list(hub.data.glob("journal-damaged-*.sqlite3"))


def test_a_match_leaves_the_hub_as_record_protocol_and_table(hub: HubProcess, tmp_path: Path) -> None:
    """Names byte for byte through HTTP, SQLite, record, CSV and PDF; the record replays without the hub."""
    ready = hub.start()
    referee = Referee(hub, "1")
    referee.login()
    assert (
        referee.command(
            "match_start", game="five-pins", players=PLAYERS, options=OPTIONS, opener="A", ball_of_a="white"
        )[0]
        == 200
    )
    for _ in range(2):
        status, body = referee.command("manual", points={"A": 3, "B": 0}, note="без датчиков")
        assert status in (200, 409, 422), body
        referee.command("accept", seen=body["n"])
        referee.command("ready")
    status, body = referee.command("award_match", to="A", note="проверка")
    assert status == 200, body
    with urllib.request.urlopen(f"{ready['http']}/api/matches", timeout=30) as answer:
        matches = json.loads(answer.read())
    listed = matches["matches"] if isinstance(matches, dict) else matches
    assert [(match["winner"], match["players"]["A"]["name"]) for match in listed] == [("A", "Бармалей-Ёжиков")]
    record = tmp_path / "m.jsonl"
    with urllib.request.urlopen(f"{ready['http']}/api/matches/{listed[0]['id']}/export.jsonl", timeout=30) as answer:
        record.write_bytes(answer.read())
    assert marker("validate", str(record)).returncode == 0
    replayed = marker("replay", str(record))
    assert (replayed.returncode, "0 differ" in replayed.stdout) == (0, True), replayed
    for form in ("csv", "pdf"):
        assert marker("export", str(record), "--form", form, "--lang", "ru").returncode == 0
    assert "Бармалей-Ёжиков" in record.with_suffix(".csv").read_text(
        encoding="utf-8-sig"
    ) or "Totò" in record.read_text(encoding="utf-8")
    assert record.with_suffix(".pdf").read_bytes().startswith(b"%PDF-1.5")
    deadline = time.monotonic() + 60
    while not list(hub.data.glob("backups/*.sqlite3")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert list(hub.data.glob("backups/*.sqlite3")), "a backup is made at the end of a match"
    lines = record.read_bytes().splitlines()
    changed = [line.replace("проверка".encode(), "подмена!".encode()) for line in lines]
    record.write_bytes(b"\n".join([*changed[:3], *changed[4:]]) + b"\n")
    broken = marker("validate", str(record))
    assert broken.returncode in (1, 2)
    assert marker("replay", str(tmp_path / "none.jsonl")).returncode == 2


def test_the_doctor_finds_nothing_wrong_with_a_running_hub(hub: HubProcess) -> None:
    hub.start()
    done = marker("doctor", "--data", str(hub.data), "--json")
    checks = json.loads(done.stdout)
    assert (done.returncode, [check for check in checks if check["level"] == "fail"]) == (0, [])
    assert {check["number"] for check in checks} == set(range(1, 11))
    assert any("broker answers" in check["finding"] for check in checks)
    hub.data.joinpath("credentials.json").chmod(0o644)
    done = marker("doctor", "--data", str(hub.data), "--json")
    assert done.returncode == 1
