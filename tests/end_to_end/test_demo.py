"""The whole way, with real parts: simulated sensors, the node firmware on its VM, a real broker, the hub, its public interface."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.timeout(600)  # only against hanging: the machine may be busy
MARKER = [sys.executable, "-m", "marker_hub"]
SIXTY = ["demo", "--headless", "--json", "--seed", "7", "--shots", "60", "--speed", "max"]


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*MARKER, *arguments], capture_output=True, text=True, timeout=500, check=False, **options)


def result_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def processes_naming(text: str) -> list[str]:
    """Command lines of running processes that name `text`, and not this test."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if text in line:
                found.append(f"{entry.name} {line}")
    return found


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line an error is allowed."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]


@pytest.mark.slow
def test_sixty_shots_are_right_and_the_same_twice() -> None:
    """Mutation: a wrong value in five_pins scoring, a lost record, a changed seed stream turns it red."""
    first, second = result_of(run(*SIXTY)), result_of(run(*SIXTY))
    assert first["shots"] == 60
    assert (first["wrong_rulings"], first["lost"], first["duplicated"]) == (0, 0, 0)
    assert first["final_score"] == first["ground_truth_score"]
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("faults", [["hub-kill@9", "hub-kill@31"], ["broker-kill@12", "broker-kill@40"]])
def test_a_killed_hub_or_broker_changes_nothing(faults: list[str]) -> None:
    """Mutation: acknowledging before the commit, or counting a record sent again, turns it red."""
    calm = result_of(run(*SIXTY))
    shaken = result_of(run(*SIXTY, *(word for fault in faults for word in ("--fault", fault))))
    assert shaken == {**calm, "questions": shaken["questions"], "taps": shaken["taps"]}


def test_a_port_in_use_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("demo", "--headless", "--shots", "1", "--port", str(port), "--data", str(tmp_path / "data"))
    line = one_line(done)
    assert str(port) in line
    assert not processes_naming(str(tmp_path))


def test_a_data_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = run("demo", "--headless", "--shots", "1", "--data", str(tmp_path / "file" / "data"))
    assert str(tmp_path / "file") in one_line(done)


def test_an_unknown_option_names_it() -> None:
    done = run("demo", "--sped", "9")
    assert done.returncode == 2
    assert "--sped" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--speed", "fast"], "fast"),
        (["--fault", "earthquake@3"], "earthquake"),
        (["--games", "4"], "odd"),
        (["--points", "0"], "0"),
        (["--shots", "1", "--record", "/nowhere/feed.jsonl"], "/nowhere/feed.jsonl"),
    ],
)
def test_a_bad_value_names_it(arguments: list[str], named: str) -> None:
    done = run("demo", "--headless", *arguments)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_vm_says_what_to_install() -> None:
    """Where the wheel exists for the platform but is not installed, the demo does not fall back silently."""
    hidden = "import sys; sys.modules['micropython_unix'] = None; from marker_hub.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "demo", "--headless", "--shots", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "billiard-marker[demo]" in one_line(done)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_cleanly_and_leaves_no_process(tmp_path: Path, number: signal.Signals) -> None:
    data = tmp_path / "data"
    process = subprocess.Popen(
        [*MARKER, "demo", "--headless", "--speed", "50", "--data", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "http://127.0.0.1:" in process.stdout.readline()
    assert process.stdout.readline().endswith("/tables/1/referee\n")
    assert process.stdout.readline() == f"PIN: see web.tables.1.pin in {data}/credentials.json\n", (
        "one that lives on is not shown"
    )
    process.send_signal(number)
    process.communicate(timeout=300)
    assert process.returncode == 130
    deadline = time.monotonic() + 60
    while processes_naming(str(data)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_naming(str(data))


def test_the_printed_pin_opens_the_printed_page_of_the_referee() -> None:
    """Three lines, on standard error where the result is JSON: display, referee's page, PIN of a demonstration that keeps nothing."""
    process = subprocess.Popen(
        [*MARKER, "demo", "--headless", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        _, referee, said = (process.stderr.readline().strip() for _ in range(3))
        address = referee.removeprefix("referee: ")
        pin = re.fullmatch(r"PIN: (\d{6}) \(of this demonstration only\)", said)
        assert pin is not None, said
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        body = json.dumps({"table": "1", "pin": pin.group(1)}).encode()
        login = urllib.request.Request(
            address.replace("/tables/1/referee", "/api/login"), body, {"Content-Type": "application/json"}
        )
        with browser.open(login, timeout=60) as answer:
            assert json.load(answer)["role"] == "referee"
        with browser.open(address, timeout=60) as page:
            assert (page.url, 'data-page="referee"' in page.read().decode()) == (address, True)
    finally:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")


def test_an_old_python_is_one_line(tmp_path: Path) -> None:
    """`make` with an interpreter that is too old says so and makes no environment."""
    old = tmp_path / "python3"
    old.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c \"import sys; sys.version_info = (3, 10, 0); sys.version = '3.10.0'; exec(sys.stdin.read())\"\n"
    )
    old.chmod(0o755)
    script = Path(__file__).parents[2] / "tools" / "venv.sh"
    done = subprocess.run(
        [str(script), str(old), str(tmp_path / "venv"), "demo"], capture_output=True, text=True, check=False
    )
    assert "3.11" in one_line(done)
    assert not (tmp_path / "venv").exists()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_wheel_alone_plays_elsewhere(tmp_path: Path) -> None:
    """A wheel in an empty environment outside the clone; without its extra it says what to install."""
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(root)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    wheel = next((tmp_path / "dist").glob("*.whl"))
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=300)
    pip = [str(venv / "bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, timeout=500, capture_output=True)
    outside = {"cwd": tmp_path, "env": {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}}
    marker = str(venv / "bin/marker")
    bare = subprocess.run(
        [marker, "demo", "--headless", "--shots", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **outside,
    )
    assert "billiard-marker[demo]" in one_line(bare)
    subprocess.run([*pip, f"{wheel}[demo]"], check=True, timeout=500, capture_output=True)
    done = subprocess.run(
        [marker, *SIXTY[:-4], "--shots", "12", "--speed", "max"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **outside,
    )
    assert result_of(done)["wrong_rulings"] == 0
    shutil.rmtree(venv)
