"""A simulated table at a hub that runs elsewhere: everything is tried first, in bounded time, and told in one line."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from marker_hub.cli import main
from marker_sim.away import PASSWORD, PIN, Address, Away, AwayError, address, allowed, reach, secrets
from marker_sim.faults import Kind, Profile, Spec
from marker_sim.hubserver import HubServer

MATCH = [sys.executable, "-m", "marker_hub", "sim", "match"]
CREDENTIALS = {"mqtt": {"tables": {"1": "word"}}, "web": {"tables": {"1": {"pin": "123456"}}}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.0.0.5:1883", ("10.0.0.5", 1883)),
        ("mqtt://hall:1884", ("hall", 1884)),
        ("mqtt://hall:1884/", ("hall", 1884)),
        ("hall", ("hall", 1883)),
        ("[::1]:1885", ("::1", 1885)),
        ("[::1]", ("::1", 1883)),
    ],
)
def test_addresses_are_read(text: str, found: tuple[str, int]) -> None:
    assert address("--broker", text, "mqtt", 1883) == found
    assert str(Address("::1", 5)) == "[::1]:5"


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":1883",
        "hall:",
        "hall:x",
        "hall:0",
        "hall:65536",
        "hall:99999999999",
        "tls://hall:1",
        "a b:1",
        "u:p@h:1",
        "h/x:1",
        "\0:1",
    ],
)
def test_what_is_no_address_is_refused_by_its_option(text: str) -> None:
    with pytest.raises(AwayError, match="--broker"):
        address("--broker", text, "mqtt", 1883)


def test_secrets_come_from_the_environment_or_a_private_file(tmp_path: Path) -> None:
    """Mutation: a file that others may read is taken; a secret stands in the message."""
    file = tmp_path / "credentials.json"
    file.write_text(json.dumps(CREDENTIALS))
    file.chmod(0o600)
    assert secrets(file, "1", {}) == ("word", "123456")
    assert secrets(file, "1", {PASSWORD: "", PIN: "9"}) == ("", "9")
    assert secrets(None, "7", {PASSWORD: "x", PIN: "9"}) == ("x", "9")
    for path, table, environment, named in (
        (None, "1", {PASSWORD: "x"}, PIN),
        (file, "2", {}, "has none of table '2'"),
        (tmp_path / "none", "1", {}, "No such file"),
        (tmp_path, "1", {}, "Is a directory"),
        (Path("/dev/zero"), "1", {}, "more than"),
        (Path("a\0b"), "1", {}, "null"),
    ):
        with pytest.raises(AwayError, match=named) as told:
            secrets(path, table, environment)
        assert "word" not in str(told.value)
    for text in ("[]", "{", '{"mqtt": 7}', "\ufeff", "[" * 100_000):
        file.write_text(text)
        with pytest.raises(AwayError, match=r"credentials\.json"):
            secrets(file, "1", {})
    file.chmod(0o644)
    with pytest.raises(AwayError, match="chmod 600"):
        secrets(file, "1", {})


def test_what_only_an_own_hub_can_suffer_is_refused() -> None:
    allowed(Profile("ok", (Spec.of(Kind.REBOOT), Spec.of(Kind.LOST))))
    with pytest.raises(AwayError, match="broker_restart cannot be done"):
        allowed(Profile("design", (Spec.of(Kind.LOST), Spec.of(Kind.BROKER_RESTART))))


# --- a broker that does not want ---------------------------------------------------------------------------------------


@asynccontextmanager
async def answering(answer: bytes | None) -> AsyncIterator[int]:
    """A server that answers the first bytes so, or never; its port."""
    ended: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ended.append(writer)
        await reader.read(4096)
        if answer is not None:
            writer.write(answer)
            await writer.drain()
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in ended:
            writer.close()


def refused(answer: bytes | None, wait_s: float = 60.0) -> str:
    async def run() -> str:
        async with answering(answer) as port:
            place = Away(Address("127.0.0.1", port), Address("127.0.0.1", 9), password="hidden", wait_s=wait_s)
            with pytest.raises(AwayError) as told:
                await reach(place, "carom5")
            return str(told.value)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (bytes((0x20, 2, 0, 5)), "refuses user '1': this user may not connect"),
        (bytes((0x20, 2, 0, 4)), "user or password is wrong"),
        (bytes((0x20, 2, 0, 77)), "code 77"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "no MQTT broker"),
        (b"", "no MQTT broker"),
    ],
)
def test_a_broker_that_refuses_is_one_line(answer: bytes, named: str) -> None:
    """Mutation: the node tries again for a minute."""
    said = refused(answer)
    assert named in said
    assert "--broker 127.0.0.1:" in said
    assert "hidden" not in said


def test_a_broker_that_is_silent_is_waited_for_no_longer_than_asked() -> None:
    assert "nothing answers within 0.2 s" in refused(None, wait_s=0.2)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--broker", "127.0.0.1:1"], "--broker: nothing is sent"),
        (["--sink", "mqtt", "--hub", "x:1"], "--hub"),
        (["--sink", "mqtt", "--table-id", "2"], "--table-id"),
        (["--sink", "mqtt", "--broker", "x:y"], "--broker x:y"),
        (["--sink", "mqtt", "--broker", "h:1", "--table-id", "A B"], "--table-id A B"),
        (["--sink", "mqtt", "--broker", "h:1"], "MARKER_BROKER_PASSWORD and MARKER_TABLE_PIN"),
        (["--sink", "mqtt", "--broker", "h:1", "--credentials", "/none"], "--credentials /none"),
        (["--sink", "none", "--pace", "2"], "--pace"),
        (["--referee", "slow"], "--referee slow"),
        (["--sink", "mqtt", "--faults", "desing"], "desing"),
        (["--shots", "0"], "--shots 0"),
        (["--sink", "file", "--out", "/dev/full"], "/dev/full"),
        (["--sink", "file", "--out", "/proc/x"], "/proc/x"),
        (["--sink", "file", "--out", "a\0b"], "null"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], named: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (PASSWORD, PIN):
        monkeypatch.delenv(name, raising=False)
    assert main(["sim", "match", "five-pins", "--games", "1", "--points", "2", *words]) == 2
    said = capsys.readouterr().err.strip()
    assert named in said
    assert len(said.splitlines()) == 1


def test_a_port_where_nobody_listens_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PASSWORD, "x")
    monkeypatch.setenv(PIN, "123456")
    assert main(["sim", "match", "five-pins", "--sink", "mqtt", "--broker", "127.0.0.1:1"]) == 2
    said = capsys.readouterr().err.strip()
    assert "--broker 127.0.0.1:1: " in said
    assert len(said.splitlines()) == 1


# --- a hub that runs elsewhere ------------------------------------------------------------------------------------------


def until(test: Callable[[], Any]) -> None:
    """Wait for something that must come; the limit is only against hanging."""
    end = time.monotonic() + 120
    while not test():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_match_at_a_hub_that_runs_elsewhere(tmp_path: Path) -> None:
    """Four shots over its broker and pages, right; then all that must be refused; Ctrl-C tells what is known so far.

    Mutation: a hub of its own is started, a table in use is taken, the partial result is lost.
    """
    with HubServer(tmp_path / "hall") as hub:
        ready = hub.ready
        place = ["--broker", f"{ready.mqtt_host}:{ready.mqtt_port}", "--hub", f"{ready.http_host}:{ready.http_port}"]
        kept = ["--credentials", str(tmp_path / "hall" / "credentials.json"), "--json"]
        clean = {name: value for name, value in os.environ.items() if name not in (PASSWORD, PIN)}

        def match(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
            asked = [*MATCH, *words, "--sink", "mqtt", *place, *kept]
            return subprocess.run(asked, capture_output=True, text=True, timeout=300, env={**clean, **environment})

        done = match("free-pyramid", "--table-id", "2", "--shots", "4")
        assert done.returncode == 0, done.stdout + done.stderr
        found = json.loads(done.stdout)
        assert (found["shots"], found["failed"], found["wrong_rulings"], found["lost"]) == (4, 0, 0, None)
        view = hub.get("/api/tables/2")
        assert (view["match"]["shots"], found["final_score"]) == (4, found["ground_truth_score"])
        for words, environment, named in (
            (["free-pyramid", "--table-id", "2"], {}, "a match is on"),
            (["free-pyramid", "--table-id", "1"], {}, "its profile is carom5"),
            (["five-pins", "--table-id", "9"], {PASSWORD: "x", PIN: "1"}, "refuses user '9'"),
            (["five-pins"], {PASSWORD: "wrong"}, "refuses user '1'"),
            (["five-pins"], {PIN: "000000"}, "PIN is wrong"),
        ):
            done = match(*words, **environment)
            assert done.returncode == 2, (named, done.stdout, done.stderr)
            assert named in done.stderr
            assert len(done.stderr.strip().splitlines()) == 1
        asked = [*MATCH, "five-pins", "--sink", "mqtt", *place, *kept]
        with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean) as running:
            until(lambda: (hub.get("/api/tables/1")["match"] or {}).get("shots", 0) >= 2)
            busy = match("five-pins")
            running.send_signal(signal.SIGINT)
            said, errors = running.communicate(timeout=120)
        assert running.returncode == 130, errors
        partial = json.loads(said)
        assert partial["stopped"] is True
        assert partial["shots"] >= 2
        assert partial["failed"] == 0
        assert busy.returncode == 2
        assert "a node that is online" in busy.stderr
