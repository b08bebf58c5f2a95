"""`marker node` when something is wrong with the port, and the threshold of the cushions."""

import json
import os
import pty
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boardplay import soon

from marker_hub import nodecal, provision
from marker_hub.cli import main
from marker_hub.cli import node as node_cli
from marker_sim.sinks import frames as F
from marker_sim.sinks.node import VirtualBoard

KEY = "ab" * 32


@pytest.fixture
def vanishing() -> Iterator[str]:
    """A port whose board is pulled out when the first byte comes."""
    master, slave = pty.openpty()
    tty.setraw(slave)

    def pulled() -> None:
        os.read(master, 1)
        os.close(master)

    thread = threading.Thread(target=pulled, daemon=True)
    thread.start()
    yield os.ttyname(slave)
    thread.join(10)
    os.close(slave)


@pytest.mark.parametrize("verb", ["show", "selftest", "provision", "calibrate", "log", "update", "flash"])
def test_a_board_that_is_pulled_out_is_one_clear_line(verb: str, vanishing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Mutation: only OSError caught (termios has an error of its own, and the tool ended with a traceback)."""
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "t1.toml").write_text('table = "t1"\nprofile = "carom5"\nhost = "h"\nport = 1883\n')
    extra = {"provision": [str(tmp_path / "t1.toml")], "update": ["--key-file", str(tmp_path / "key")]}
    assert main(["node", verb, *extra.get(verb, []), "--port", vanishing]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    assert "the connection was lost" in lines[0] or "does not answer" in lines[0]
    assert "again" in lines[0], "the remedy"


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_is_no_serial_port_is_named_so(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path
    if what == "file":
        place = tmp_path / "x"
        place.write_text("")
    assert main(["node", "show", "--port", str(place)]) == 2
    assert "not a serial port; 'marker node list'" in capsys.readouterr().err


class Node:
    """Answers as a node whose noise asks for a threshold."""

    def __init__(self, noise_mv: int, refuses: str = "") -> None:
        self.noise_mv = noise_mv
        self.refuses = refuses
        self.mode = 1
        self.stored: dict[str, Any] = {}
        self.did: list[str] = []

    def request(self, cmd: str, timeout: float = 5.0, **arguments: Any) -> Any:
        self.did.append(cmd)
        if cmd == self.refuses:
            raise provision.NodeRefused(f"{cmd}: flash: worn")
        if cmd == "info":
            return {"provisioned": True, "mode": self.mode}
        if cmd == "mode":
            self.mode = arguments["mode"]
        if cmd == "set":
            self.stored[arguments["key"]] = arguments["value"]
        return [self.noise_mv, max(150, 4 * self.noise_mv + 30)] if cmd == "calibrate" else None

    def close(self) -> None:
        self.did.append("close")


def calibrated(node: Node, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(node_cli, "_open", lambda args: node)
    return main(["node", "calibrate", "--cushions", "--json"])


def test_the_threshold_of_the_cushions_is_measured_and_stored(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    node = Node(50)
    assert calibrated(node, monkeypatch) == 0
    assert node.stored == {"cal.vth": 230}
    assert node.did[-3:] == ["commit", "reset", "close"]
    assert json.loads(capsys.readouterr().out) == {"noise_mv": 50, "vth": 230, "stored": True}


def test_a_table_that_is_too_noisy_is_not_stored_and_the_node_plays_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    node = Node(143)
    assert calibrated(node, monkeypatch) == 1
    assert (node.stored, node.mode) == ({}, provision.MODE_IDLE)
    assert nodecal.QuietTable(143, 602).remedy


def test_a_refused_step_leaves_no_node_in_service_mode(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Mutation: no way back to idle: the hub cannot arm the table any more."""
    node = Node(50, refuses="commit")
    assert calibrated(node, monkeypatch) == 2
    assert node.mode == provision.MODE_IDLE
    other = Node(50, refuses="set")
    with pytest.raises(provision.NodeRefused):
        provision.apply(other, {"table": "T1"}, lambda *_: None)
    assert other.mode == provision.MODE_IDLE


@pytest.mark.slow
def test_the_node_measures_the_noise_of_its_inputs(play: Any) -> None:
    async def body(board: VirtualBoard) -> None:
        await board.send(
            [F.Frame(board.now_us, F.FrameKind.ADC, ch, mv) for ch, mv in enumerate((20, 31, 44, 10, 0, 0, 25))]
        )
        await board.sync(board.now_us)
        await board.serial('{"id":"n","cmd":"calibrate","step":"noise","s":1}')
        answer = await soon(lambda: [line for line in board.log if '"id": "n"' in line])
        assert json.loads(answer[0])["result"] == [44, 206]

    play(body)
