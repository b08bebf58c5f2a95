"""Update and self-test of a node through the broker, with the table closed."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marker_hub import cli, nodeflash
from marker_hub.nodemqtt import MqttNode
from marker_hub.provision import NodeError, NodeRefused
from marker_sim.sinks.node import BoardConfig, VirtualBoard

pytestmark = pytest.mark.slow
KEY = bytes(range(32))


@pytest.fixture
def board(broker: Any, tmp_path: Path, vm_command: list[str]) -> Iterator[VirtualBoard]:
    """A board in a thread of its own, as the commands wait for their answers."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    made = VirtualBoard(BoardConfig("t1", broker_port=broker.port, key=KEY.hex()), tmp_path / "node")
    asyncio.run_coroutine_threadsafe(made.start(), loop).result(120)
    yield made
    asyncio.run_coroutine_threadsafe(made.stop(), loop).result(120)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(30)
    loop.close()


def test_a_signed_update_goes_over_the_broker(board: VirtualBoard, broker: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Mutation: an update without service mode, or a chunk larger than the node's receive buffer."""
    key = tmp_path / "key"
    key.write_text(KEY.hex())
    args = ["node", "update", "--key-file", str(key), "--table", "t1", "--broker", f"127.0.0.1:{broker.port}", "--json"]
    assert cli.main(args) == 0
    assert json.loads(capsys.readouterr().out)["slot"] == "b"
    assert (board.directory / "slot").read_bytes().startswith(b"a b 0 ")
    for file in nodeflash.device_files("unix"):
        assert (board.directory / "b" / file.path).read_bytes() == file.data


def test_a_self_test_over_the_broker(board: VirtualBoard, broker: Any, capsys: pytest.CaptureFixture[str]) -> None:
    args = ["node", "selftest", "--table", "t1", "--broker", f"127.0.0.1:{broker.port}", "--json"]
    assert cli.main(args) in (0, 1)
    assert json.loads(capsys.readouterr().out)["V5"] == 5000


def test_refusals_and_wrong_addresses_are_one_clear_line(board: VirtualBoard, broker: Any, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    node = MqttNode("t1", "127.0.0.1", broker.port, "", "")
    with pytest.raises(NodeRefused, match=r"ota: service mode first \(mode is 1\) \(code 2\)"):
        node.request("ota", op="begin", mac="00" * 32)
    node.close()
    with pytest.raises(NodeError, match="is the hub running"):
        MqttNode("t1", "127.0.0.1", 1, "", "")
    silent = MqttNode("t2", "127.0.0.1", broker.port, "", "")
    with pytest.raises(NodeError, match="no answer to 'info'"):
        silent.request("info", timeout=0.3)
    silent.close()
    assert cli.main(["node", "selftest", "--table", "t1", "--broker", "nonsense"]) == 2
    assert "HOST:PORT" in capsys.readouterr().err
