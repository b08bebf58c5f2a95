"""A simulated node at a broker that is spoken to encrypted: whom it trusts, and what it says where it does not."""

import asyncio
import json
import os
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest

from marker_hub.cli import main
from marker_sim.away import PASSWORD, PIN, Address, Away, AwayError, reach
from marker_sim.hubserver import HubServer
from marker_sim.sinks.secure import CertificateError, Level, Secure, certificate

BEHIND = "this hub has no such table"
MAKE = """
for name in club other; do
  openssl ecparam -name prime256v1 -genkey -noout -out $name.key
  openssl req -x509 -new -key $name.key -days 30 -subj /CN=$name -out $name.pem
  openssl x509 -in $name.pem -outform der -out $name.der
done
for place in IP:127.0.0.1 DNS:elsewhere; do
  openssl ecparam -name prime256v1 -genkey -noout -out ${place#*:}.key
  openssl req -new -key ${place#*:}.key -subj /CN=${place#*:} -out ${place#*:}.csr
  echo "subjectAltName=$place" > extra
  openssl x509 -req -in ${place#*:}.csr -CA club.pem -CAkey club.key -CAcreateserial -days 30 -extfile extra -out ${place#*:}.pem
done
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two authorities, and brokers' certificates that the first one vouches for."""
    if shutil.which("openssl") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("openssl is missing")
        pytest.skip("no openssl")
    folder = tmp_path_factory.mktemp("certificates")
    subprocess.run(["sh", "-ec", MAKE], cwd=folder, check=True, capture_output=True)
    return folder


class Wrapped:
    """Speaks TLS at a port of its own and hands on to a broker that does not; without one it answers with a CONNACK."""

    def __init__(self, folder: Path, name: str = "127.0.0.1", behind: tuple[str, int] | None = None) -> None:
        self._behind = behind
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda *_: None)  # whoever does not trust it hangs up in the middle
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.port = 0
        self.logins = 0
        self._writers: list[asyncio.StreamWriter] = []

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(60)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context)

    async def _stop(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()  # a farewell that nobody answers would outlive the loop
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        for writer in self._writers:
            with suppress(OSError):
                await writer.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.logins += 1
        self._writers.append(writer)
        try:
            if self._behind is None:
                await reader.read(4096)
                writer.write(bytes((0x20, 2, 0, 0)))
                await writer.drain()
                return
            far_reader, far_writer = await asyncio.open_connection(*self._behind)
            try:
                await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
            finally:
                far_writer.close()
        finally:
            writer.close()

    @staticmethod
    async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()


async def nobody(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A hub without tables."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}")
    writer.close()


async def told(port: int, secure: Secure) -> str:
    """What keeps a table from being played behind the broker at `port`; BEHIND where the broker does not."""
    async with await asyncio.start_server(nobody, "127.0.0.1", 0) as server:
        pages = Address("127.0.0.1", server.sockets[0].getsockname()[1])
        place = Away(Address("127.0.0.1", port), pages, password="hidden", wait_s=60.0, secure=secure)
        with pytest.raises(AwayError) as problem:
            await reach(place, "carom5")
    said = str(problem.value)
    assert "hidden" not in said
    assert len(said.splitlines()) == 1
    return said


def said(port: int, secure: Secure) -> str:
    """The same for tests that wait for it."""
    return asyncio.run(told(port, secure))


def test_whoever_is_not_vouched_for_is_refused_before_the_login(made: Path) -> None:
    """Mutation: CERT_NONE, no check of the name: the password goes to anybody."""
    club, other = (Secure(Level.CHECKED, certificate(made / name)) for name in ("club.der", "other.pem"))
    with Wrapped(made) as good, Wrapped(made, "elsewhere") as elsewhere:
        assert BEHIND in said(good.port, club)
        assert BEHIND in said(good.port, Secure(Level.ENCRYPTED))
        assert good.logins == 2
        for secure, named in ((other, "--ca-file does not vouch"), (Secure(Level.CHECKED), "nothing on this computer")):
            refused = said(good.port, secure)
            assert named in refused
            assert "--tls 1" in refused
        assert "certificate is not valid for '127.0.0.1'" in said(elsewhere.port, club)
        assert (good.logins, elsewhere.logins) == (2, 0)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["hangs up", "answers plainly"])
def test_a_broker_that_wants_it_otherwise_is_told_apart(made: Path, answer: bytes) -> None:
    """Plain words to a port of TLS, and TLS to a port that does not speak it."""
    with Wrapped(made) as secure:
        assert "--tls where it wants" in said(secure.port, Secure())

    async def plain() -> str:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(4096)
            writer.write(answer)
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            return await told(server.sockets[0].getsockname()[1], Secure(Level.ENCRYPTED))

    assert "leave --tls out" in asyncio.run(plain())


def test_a_certificate_is_read_in_both_forms_and_nothing_else(made: Path, tmp_path: Path) -> None:
    assert certificate(made / "club.pem") == certificate(made / "club.der")
    both = tmp_path / "both.pem"
    both.write_text((made / "club.pem").read_text() + (made / "other.pem").read_text())
    half = tmp_path / "half.pem"
    half.write_text((made / "club.pem").read_text()[:200])
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    for path, named in (
        (both, "2 certificates"),
        (half, "no certificate"),
        (empty, "no certificate"),
        (made / "club.key", "no certificate"),
        (tmp_path, "Is a directory"),
        (tmp_path / "none", "No such file"),
        (Path("/dev/zero"), "more than"),
        (Path("a\0b"), "null"),
    ):
        with pytest.raises(CertificateError, match=named) as problem:
            certificate(path)
        assert "DER or PEM" in str(problem.value)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--tls", "2"], "--tls: that is for a hub that runs elsewhere"),
        (["--broker", "mqtts://h:8883"], "asked for with --tls"),
        (["--broker", "h", "--ca-file", "CLUB"], "nothing is checked without --tls 2"),
        (["--broker", "h", "--tls", "1", "--ca-file", "CLUB"], "nothing is checked without --tls 2"),
        (["--broker", "h", "--tls", "2", "--ca-file", "/none"], "--ca-file /none: No such file"),
        (["--broker", "h", "--broker-user", "a\nb"], "--broker-user"),
        (["--sink", "node", "--broker", "h", "--tls", "2"], "trusts no certificate by itself"),
    ],
)
def test_bad_input_is_one_line(
    made: Path, words: list[str], named: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PASSWORD, "x")
    monkeypatch.setenv(PIN, "123456")
    asked = [str(made / "club.der") if word == "CLUB" else word for word in words]
    assert main(["sim", "match", "five-pins", "--sink", "mqtt", *asked]) == 2
    refused = capsys.readouterr().err.strip()
    assert named in refused
    assert len(refused.splitlines()) == 1


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    """A running hub with a table of each kind."""
    with HubServer(tmp_path / "hall") as running:
        yield running


@pytest.mark.slow
def test_a_match_is_played_over_an_encrypted_broker(made: Path, hub: HubServer, tmp_path: Path) -> None:
    """Without firmware and behind the proxy of faults, then by the firmware. Mutation: the node or the proxy speaks plainly."""
    ready = hub.ready
    with Wrapped(made, behind=(ready.mqtt_host, ready.mqtt_port)) as wrapped:
        place = ["--broker", f"127.0.0.1:{wrapped.port}", "--hub", f"{ready.http_host}:{ready.http_port}"]
        kept = ["--credentials", str(tmp_path / "hall" / "credentials.json"), "--json", "--shots", "2"]
        lossy = tmp_path / "lossy.toml"
        lossy.write_text('[[fault]]\nkind = "duplicate"\nrate = 0.5\n')
        for game, words in (
            ("free-pyramid", ["--sink", "mqtt", "--table-id", "2", "--broker-user", "2", "--faults", str(lossy)]),
            ("five-pins", ["--sink", "node"]),
        ):
            asked = [sys.executable, "-m", "marker_hub", "sim", "match", game, *words, *place, *kept]
            done = subprocess.run(
                [*asked, "--tls", "2", "--ca-file", str(made / "club.pem")], capture_output=True, text=True, timeout=150
            )
            assert done.returncode == 0, done.stdout + done.stderr
            found = json.loads(done.stdout)
            assert (found["shots"], found["failed"]) == (2, 0)
    assert wrapped.logins >= 4
