"""TLS to a real mosquitto: encrypted, checked against the club's CA, refused when the CA is another one or none at all."""

import asyncio
import getpass
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from boardplay import soon

from marker_sim.sinks import frames as F
from marker_sim.sinks.node import BoardConfig, BoardError, VirtualBoard

pytestmark = pytest.mark.slow
CA = """
openssl ecparam -name prime256v1 -genkey -noout -out {0}.key
openssl req -x509 -new -key {0}.key -days 30 -subj /CN=club -out {0}.pem
openssl x509 -in {0}.pem -outform der -out {0}.der
"""
SERVER = """
openssl ecparam -name prime256v1 -genkey -noout -out server.key
openssl req -new -key server.key -subj /CN=127.0.0.1 -out server.csr
openssl x509 -req -in server.csr -CA club.pem -CAkey club.key -CAcreateserial -days 30 -out server.pem
"""


@pytest.fixture
def certificates(tmp_path: Path, require: Callable[[bool, str], None]) -> Path:
    require(shutil.which("openssl") is not None, "openssl")
    for script in (CA.format("club"), CA.format("other"), SERVER):
        subprocess.run(["sh", "-ec", script], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


@pytest.fixture
def secure(broker: Any, certificates: Path) -> int:
    """The broker again, with TLS."""
    broker.kill()
    text = broker.config.read_text()
    names = {"cafile": "club.pem", "certfile": "server.pem", "keyfile": "server.key"}
    text += "".join(f"{key} {certificates / name}\n" for key, name in names.items())
    broker.config.write_text(text + f"user {getpass.getuser()}\n")
    broker.start()
    return int(broker.port)


@pytest.mark.parametrize(("tls", "ca"), [(1, "other.der"), (2, "club.der")])
def test_records_travel_encrypted(secure: int, certificates: Path, tmp_path: Path, vm_command: list[str], tls: int, ca: str) -> None:  # fmt: skip
    async def main() -> None:
        config = BoardConfig("t1", broker_port=secure, tls=tls, ca=(certificates / ca).read_bytes())
        board = VirtualBoard(config, tmp_path / "n")
        try:
            await board.start()
            us = board.now_us
            await board.send([F.edge(us + i * 60_000, 76, i & 1) for i in range(40)])
            assert await board.sync(us + 3_000_000)
        finally:
            await board.stop()

    asyncio.run(main())


@pytest.mark.parametrize("ca", ["other.der", "server.csr"])
def test_a_broker_that_the_ca_does_not_vouch_for_is_refused_and_the_node_goes_on(secure: int, certificates: Path, tmp_path: Path, vm_command: list[str], ca: str) -> None:  # fmt: skip
    """Mutation: verify_mode CERT_NONE."""

    async def main() -> None:
        config = BoardConfig("t1", broker_port=secure, tls=2, ca=(certificates / ca).read_bytes())
        board = VirtualBoard(config, tmp_path / "n")
        try:
            await board.start(wait_link=False)
            await soon(lambda: sum("link: " in line for line in board.log) >= 2)  # refused, and tried again
            with pytest.raises(BoardError, match="not done in 1 s"):
                await board.wait_link(timeout=1)
            assert board.boot == 1
            assert board.restarts == 0
            us = board.now_us
            await board.send([F.edge(us + 1000, 76, 0)])
            await board.sync(us + 500_000, acknowledged=False)
        finally:
            await board.stop()

    asyncio.run(main())
