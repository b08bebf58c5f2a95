"""What goes wrong with the connection of a node: the proxy does what it says, the node comes back, the rulings are the truth."""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from marker_sim.faults import Kind, Profile, Rig, Spec
from marker_sim.faults.transport import FOREIGN, JUMP, Malformed
from marker_sim.rng import Stream
from marker_sim.sinks import packets
from marker_sim.sinks.packets import PacketKind, PacketSplitter, Publish
from marker_sim.sinks.proxy import WRONG_CONNACKS, FaultProxy

BATCH = [sys.executable, "-m", "marker_hub", "sim", "batch", "--json"]
OPEN: list[asyncio.StreamWriter] = []  # connections of the test that runs
CONNACK, PINGRESP = bytes((0x20, 2, 0, 0)), bytes((0xD0, 0))


async def _broker(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Accepts a login, answers pings, and sends clock requests back as replies."""
    OPEN.append(writer)
    with contextlib.suppress(ConnectionError):
        await _serve(reader, writer)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    splitter = PacketSplitter()
    while data := await reader.read(65536):
        for packet in splitter.feed(data):
            if packet.kind == PacketKind.CONNECT:
                writer.write(CONNACK)
            elif packet.kind == PacketKind.PINGREQ:
                writer.write(PINGRESP)
            elif packet.kind == PacketKind.PUBLISH:
                item = Publish.of(packet)
                writer.write(item._replace(topic=item.topic.replace("/req", "/rep")).encode())


@asynccontextmanager
async def through(*faults: Spec) -> AsyncIterator[tuple[FaultProxy, int]]:
    """A proxy with these faults before a small broker, and its port."""
    server = await asyncio.start_server(_broker, "127.0.0.1", 0)
    proxy = FaultProxy("127.0.0.1", server.sockets[0].getsockname()[1], Rig(Profile("x", faults), 1, "1", 10))
    OPEN.clear()
    try:
        yield proxy, await proxy.start()
    finally:
        await proxy.stop()
        server.close()
        for writer in OPEN:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in OPEN), return_exceptions=True)


async def login(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
    """A connection with a login, and the broker's answer; empty where the connection broke."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    OPEN.append(writer)
    writer.write(packets.connect("n", "", "", None, 3))
    try:
        answer = await asyncio.wait_for(reader.read(64), 30)
    except ConnectionError:
        answer = b""
    return reader, writer, answer


def test_nobody_listens_for_a_while() -> None:
    """Refused, and open again at the same port. Mutation: the server is not opened again."""

    async def run() -> None:
        async with through() as (proxy, port):
            assert (await login(port))[2] == CONNACK
            proxy.refuse(0.2)
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", port)
            while True:
                try:
                    answer = (await login(port))[2]
                except ConnectionRefusedError:
                    await asyncio.sleep(0.05)
                else:
                    break
            assert answer == CONNACK

    asyncio.run(asyncio.wait_for(run(), 60))


def test_logins_are_answered_wrongly_so_many_times() -> None:
    """Each wrong answer once, then the broker's own. Mutation: the count never ends."""

    async def run() -> None:
        async with through() as (proxy, port):
            await login(port)
            proxy.deny(len(WRONG_CONNACKS))
            answers = [(await login(port))[2] for _ in range(len(WRONG_CONNACKS) + 1)]
            assert sorted(answers[:-1]) == sorted(WRONG_CONNACKS)
            assert answers[-1] == CONNACK

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_half_open_connection_is_silent_for_the_node_and_gone_for_the_broker() -> None:
    """A ping stays without an answer and the socket open. Mutation: the node's end is closed too."""

    async def run() -> None:
        async with through() as (proxy, port):
            reader, writer, _ = await login(port)
            writer.write(packets.PINGREQ)
            assert await asyncio.wait_for(reader.read(64), 30) == PINGRESP
            proxy.half_open()
            writer.write(packets.PINGREQ)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(64), 0.3)
            assert not writer.transport.is_closing()
            assert (await login(port))[2] == CONNACK  # a new connection is served at once

    asyncio.run(asyncio.wait_for(run(), 60))


def test_clock_requests_take_longer_than_their_replies() -> None:
    """Only the clock's messages wait. Mutation: both ways, or every topic."""

    async def run() -> None:
        async with through(Spec.of(Kind.ASYMMETRY, up_ms=300.0)) as (_, port):
            reader, writer, _ = await login(port)
            writer.write(Publish("table/1/clk/req", b"1").encode() + Publish("table/1/health", b"2").encode())
            splitter, got = PacketSplitter(), list[str]()
            while len(got) < 2:
                got += [Publish.of(packet).topic for packet in splitter.feed(await reader.read(4096))]
            assert got == ["table/1/health", "table/1/clk/rep"]

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_foreign_boot_and_a_jump_of_the_numbers_are_among_the_malformed() -> None:
    item = Publish("table/1/ev", b'{"b":2,"s":7,"e":[[100,16,1,900,0]]}', 1, False, False, 3)
    filtered = Malformed(Spec.of(Kind.MALFORMED, rate=1.0), Stream(1, "x"), lambda *_: None)
    sent = [out for _ in range(200) for out in filtered.feed(item)[1:] if isinstance(out, Publish)]
    made = [json.loads(out.payload) for out in sent if _decodes(out.payload)]
    assert {"b": 2 + FOREIGN, "s": 7} in [{"b": one.get("b"), "s": one.get("s")} for one in made]
    assert {"b": 2, "s": 7 + JUMP} in [{"b": one.get("b"), "s": one.get("s")} for one in made]


def _decodes(payload: bytes) -> bool:
    try:
        return isinstance(json.loads(payload), dict)
    except ValueError:
        return False


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("game", "through", "kinds"),
    [
        ("five-pins", "hub", (Kind.HALF_OPEN, Kind.WRONG_CONNACK, Kind.MALFORMED)),
        ("free-pyramid", "hub", (Kind.REFUSED_JOIN, Kind.POWER_CUT, Kind.ASYMMETRY)),
        ("five-pins", "firmware", (Kind.POWER_CUT, Kind.REBOOT, Kind.HALF_OPEN)),
    ],
)
def test_the_truth_is_kept(game: str, through: str, kinds: tuple[Kind, ...], tmp_path: Path) -> None:
    """Stacks of three: nothing wrong, nothing excluded, nothing guessed."""
    rate = {Kind.MALFORMED: "rate = 0.2\n"}
    (tmp_path / "stack.toml").write_text("".join(f'[[fault]]\nkind = "{kind}"\n{rate.get(kind, "")}' for kind in kinds))
    asked = [game, "--shots", "8", "--seed", "6", "--through", through, "--faults", str(tmp_path / "stack.toml")]
    done = subprocess.run([*BATCH, *asked], capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert set(found["injected"]) == {str(kind) for kind in kinds}
    assert (found["wrong"], found["truth_excluded"], found["guessed"], found["shots"]) == (0, 0, 0, 8)
