"""Wire forms: the vectors that hub and node share, and what is refused with which code."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablefw import wire
from tablefw import wire_codes as W
from tablefw.commands import Commands
from tablefw.outbox import Outbox

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "wire/vectors.json").read_text())


class Modes:
    def __init__(self, did: list[str]) -> None:
        self.did = did
        self.mode = 1

    def arm(self, shot: int) -> bool:
        self.did.append(f"arm {shot}")
        return True

    def set(self, mode: int) -> bool:
        self.did.append(f"mode {mode}")
        return True


class Sensors:
    def __init__(self, did: list[str]) -> None:
        self.did = did

    def letters(self) -> tuple[str, ...]:
        return ("C", "N", "E", "S", "W")

    def arm(self, layout: set[str]) -> None:
        self.did.append("layout " + "".join(sorted(layout)))


class App:
    """What commands act on, recorded."""

    def __init__(self) -> None:
        self.boot = 17
        self.outbox = Outbox(32)
        self.did: list[str] = []

        self.modes = Modes(self.did)
        self.sensors = Sensors(self.did)

    def sensors_now(self) -> None:
        pass

    def info(self) -> dict[str, object]:
        return {"fw": "0"}


def run(coroutine: Any) -> Any:
    """A coroutine that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waited")


@pytest.mark.parametrize("vector", VECTORS["ev"])
def test_batches_are_written_as_the_vectors_say(vector: dict[str, Any]) -> None:
    box = Outbox(256)
    box.head = box.tail = box.sent = vector["seq"]
    for record in vector["records"]:
        box.push(*record)
    assert wire.batch(vector["boot"], box, vector["seq"], len(vector["records"])) == vector["payload"]
    assert json.loads(vector["payload"]) == {"b": vector["boot"], "s": vector["seq"], "e": vector["records"]}


def test_a_full_batch_of_the_largest_values_fits_the_payload_limit() -> None:
    box = Outbox(32)
    for _ in range(W.RECORDS_MAX):
        box.push((1 << 48) - 1, 255, 255, 65535, 65535)
    assert len(wire.batch(2**31, box, 0, W.RECORDS_MAX)) < W.PAYLOAD_MAX // 16


@pytest.mark.parametrize("message", [m for m in VECTORS["state"] if not m["online"]])
def test_will(message: dict[str, Any]) -> None:
    assert json.loads(wire.will(message["boot"])) == message


@pytest.mark.parametrize("message", VECTORS["clk_req"])
def test_clock_request(message: dict[str, Any]) -> None:
    assert json.loads(wire.clk_req(message["n"], message["t0"])) == message


@pytest.mark.parametrize("message", VECTORS["clk_rep"])
def test_clock_reply(message: dict[str, Any]) -> None:
    assert wire.clk_rep(json.dumps(message)) == (message["n"], message["t0"], message["t1"], message["t2"])


@pytest.mark.parametrize(
    "payload", ["", "{}", "[]", "7", '{"n":1,"t0":-1,"t1":2,"t2":3}', '{"n":1,"t0":"x","t1":2,"t2":3}']
)
def test_a_clock_reply_that_is_none_is_dropped(payload: str) -> None:
    assert wire.clk_rep(payload) is None


@pytest.mark.parametrize("message", VECTORS["cmd"])
def test_every_command_of_the_contract_is_known(message: dict[str, Any]) -> None:
    app = App()
    commands = Commands(app)
    assert commands.receive(json.dumps(message), 0) is None
    if message["cmd"] in ("arm", "mode", "info"):
        answer = json.loads(run(commands.step()))
        assert answer["ok"]
        assert answer["id"] == message["id"]
        assert {"id", "ok", "code", "boot", "head"} <= set(answer)


@pytest.mark.parametrize("bad", VECTORS["refused_cmds"])
def test_refused_commands_carry_the_code_of_the_contract(bad: dict[str, Any]) -> None:
    commands = Commands(App())
    answer = commands.receive(bad["payload"], 0)
    if answer is None:
        answer = run(commands.step())
    reply = json.loads(answer)
    assert (reply["ok"], reply["code"]) == (False, bad["code"])
    assert reply["msg"]


def test_a_repeated_command_is_answered_again_but_done_once() -> None:
    app = App()
    commands = Commands(app)
    arm = json.dumps({"id": "a", "cmd": "arm", "shot": 4, "layout": ["C"]})
    commands.receive(arm, 0)
    assert commands.receive(arm, 0) is None, "the same command twice in the queue"
    first = json.loads(run(commands.step()))
    assert not commands.queue
    app.outbox.head += 10
    again = json.loads(commands.receive(arm, 0) or "{}")
    assert first == again, "the position is that of the time when it was done: what came after belongs to the stroke"
    assert app.did == ["arm 4", "layout C"]


def test_a_retained_command_is_never_executed() -> None:
    app = App()
    answer = json.loads(Commands(app).receive(json.dumps({"id": "r", "cmd": "mode", "mode": 1}), 1) or "{}")
    assert answer["code"] == W.ERR_RETAINED
    assert app.did == []


def test_too_many_waiting_commands_are_busy() -> None:
    commands = Commands(App())
    answers = [commands.receive(json.dumps({"id": f"c{i}", "cmd": "info"}), 0) for i in range(12)]
    busy = [json.loads(a) for a in answers if a]
    assert len(busy) == 4
    assert {b["code"] for b in busy} == {W.ERR_BUSY}


def test_an_oversized_command_is_refused() -> None:
    assert json.loads(Commands(App()).receive(None, 0) or "{}")["code"] == W.ERR_BAD_ARG


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200), st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda c: st.lists(c, max_size=4) | st.dictionaries(st.sampled_from(["id", "cmd", "shot", "layout", "mode", "from", "to", "boot"]), c, max_size=6), max_leaves=12).map(json.dumps)))  # fmt: skip
def test_whatever_comes_as_a_command_is_answered_or_queued(payload: bytes | str) -> None:
    commands = Commands(App())
    answer = commands.receive(payload, 0)
    while commands.queue:
        answer = run(commands.step())
    assert answer is not None
    assert json.loads(answer)["code"] in range(7)


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (VECTORS["display"][0], ("12   7", False)),
        (VECTORS["display"][1], ("   3   2", True)),
        ({"a": 1, "b": 2, "text": "longer than eight"}, None),
        ([1], None),
    ],
)
def test_display(payload: object, shown: object) -> None:
    assert wire.display(json.dumps(payload)) == shown


@pytest.mark.parametrize(("table", "ok"), [("t1", True), ("hall_2-b", True), ("", False), ("T1", False), ("a/b", False), ("x" * 17, False), (5, False), ("+", False)])  # fmt: skip
def test_table_ids_cannot_leave_their_topic(table: object, ok: bool) -> None:
    assert wire.table_ok(table) is ok
