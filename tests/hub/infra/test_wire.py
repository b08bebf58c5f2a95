"""Payloads: the vectors that firmware passes too, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marker_hardware.wire import Topic
from marker_hub import wire

VECTORS = json.loads((Path(__file__).parents[2] / "wire" / "vectors.json").read_text(encoding="utf-8"))
NAMES = {
    "state": Topic.STATE,
    "health": Topic.HEALTH,
    "clk_req": Topic.CLK_REQ,
    "clk_rep": Topic.CLK_REP,
    "cmd": Topic.CMD,
    "cmd_ack": Topic.CMD_ACK,
    "display": Topic.DISPLAY,
}


@pytest.mark.parametrize("vector", VECTORS["ev"], ids=lambda vector: vector["payload"][:24])
def test_a_batch_of_the_vectors_is_read_as_it_says(vector: dict[str, object]) -> None:
    ev = wire.decode(Topic.EV, str(vector["payload"]).encode())
    assert (ev.b, ev.s) == (vector["boot"], vector["seq"])
    assert [[r.t, r.ch, r.kind, r.v, r.aux] for r in ev.e] == vector["records"]


@pytest.mark.parametrize(
    ("name", "payload"),
    [(name, payload) for name in NAMES for payload in VECTORS[name]],
    ids=lambda value: str(value)[:40],
)
def test_every_vector_is_read_and_nothing_of_it_is_lost(name: str, payload: dict[str, object]) -> None:
    """Mutation that turns it red: a field left out of the Struct, or renamed."""
    decoded = wire.decode(NAMES[name], json.dumps(payload).encode())
    again = json.loads(wire.encode(decoded))
    assert {key: again[key] for key in payload} == payload


@pytest.mark.parametrize(
    ("topic", "payload", "code", "place"),
    [
        (Topic.EV, b"", "json", ""),
        (Topic.EV, b"\xff\xfe", "json", ""),
        (Topic.EV, b'{"b":1,"s":0,"e":[]}', "field", "$.e"),
        (Topic.EV, b'{"b":1,"s":0,"e":[[1,0,77,0,0]]}', "field", "$.e[0][2]"),
        (Topic.EV, b'{"b":1,"s":0,"e":[[1,0,1,0]]}', "field", "$.e[0]"),
        (Topic.EV, b'{"b":1,"s":0,"e":[[1,0,1,0,0,0]]}', "field", "length 5"),
        (Topic.EV, b'{"b":1,"s":0,"e":[[-1,0,1,0,0]]}', "field", "$.e[0][0]"),
        (Topic.EV, b'{"b":1,"s":0,"e":[[1,0,1,65536,0]]}', "field", "$.e[0][3]"),
        (Topic.EV, b'{"b":99999999999999999999999,"s":0,"e":[[1,0,1,0,0]]}', "field", "$.b"),
        (Topic.EV, b'{"b":1,"s":0,"e":[[1,0,1,0,0]],"x":1}', "field", "x"),
        (Topic.EV, b'{"b":1,"s":NaN,"e":[[1,0,1,0,0]]}', "json", ""),
        (Topic.EV, b'{"b":1,"s":0.5,"e":[[1,0,1,0,0]]}', "field", "$.s"),
        (Topic.EV, b"[" * 8000, "field", ""),
        (Topic.EV, b" " * 16385, "size", "16385"),
        (Topic.STATE, b'{"online":false,"boot":1,"v":2}', "version", "2"),
        (Topic.STATE, b'{"online":"no","boot":1,"v":1}', "field", "$.online"),
        (Topic.STATE, b'{"boot":1,"v":1}', "field", "online"),
        (Topic.CMD_ACK, b'{"id":"","ok":true,"code":0,"boot":1,"head":0}', "field", "$.id"),
        (Topic.BTN, b'{"id":"not a uuid","key":"yes","role":"referee"}', "field", "$.id"),
    ],
)
def test_a_refusal_has_a_code_and_names_the_place(topic: Topic, payload: bytes, code: str, place: str) -> None:
    with pytest.raises(wire.BadPayload) as refused:
        wire.decode(topic, payload)
    assert refused.value.code == code
    assert place in str(refused.value)


@given(st.binary(max_size=300), st.sampled_from(list(Topic)))
@settings(max_examples=300, derandomize=True)
def test_any_bytes_are_read_or_refused_and_never_raise_otherwise(payload: bytes, topic: Topic) -> None:
    reason = ""
    try:
        decoded = wire.decode(topic, payload)
    except wire.BadPayload as refused:
        decoded, reason = None, str(refused)
    assert (decoded is None) == bool(reason)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("table/1/ev", ("1", Topic.EV)),
        ("table/a-b_9/cmd/ack", ("a-b_9", Topic.CMD_ACK)),
        ("table/1/clk/req", ("1", Topic.CLK_REQ)),
        ("table/1/nothing", None),
        ("table/A/ev", None),
        ("table//ev", None),
        ("table/12345678901234567/ev", None),
        ("table/1/ev/x", None),
        ("other/1/ev", None),
        ("table/\u0661/ev", None),
        ("", None),
    ],
)
def test_topics_are_read_or_refused(text: str, expected: tuple[str, Topic] | None) -> None:
    assert wire.parse_topic(text) == expected


def test_a_table_id_that_would_leave_its_topic_is_refused() -> None:
    with pytest.raises(ValueError, match="table id"):
        wire.topic("1/#", Topic.EV)


def test_the_answer_to_info_is_read_whatever_the_node_tells_of_itself() -> None:
    """A refused answer would leave a doubtful birth unconfirmed, and its records waiting."""
    payload = b'{"id":"who-1-1","ok":true,"code":0,"boot":1,"head":9,"result":{"fw":"0.1.0","provisioned":true,"mem":[1,2],"x":null}}'
    assert wire.decode(Topic.CMD_ACK, payload).head == 9


def test_the_asyncapi_document_is_the_code(tmp_path: Path) -> None:
    from marker_hub.wire import asyncapi

    committed = Path(__file__).parents[3] / "docs" / "developer" / "asyncapi.yaml"
    assert asyncapi.main(["--check", str(committed)]) == 0, (
        "python -m marker_hub.wire.asyncapi > docs/developer/asyncapi.yaml"
    )
    stale = tmp_path / "stale.yaml"
    stale.write_text(
        committed.read_text(encoding="utf-8").replace("maximum: 65535", "maximum: 65536", 1), encoding="utf-8"
    )
    assert asyncapi.main(["--check", str(stale)]) == 1


def test_what_the_hub_publishes_is_read_by_its_own_contract() -> None:
    """`score`, `shot` and `display` of a table without and with a match are what the AsyncAPI document says."""
    import marker_hub.table as core
    from marker_hub import commands, entries
    from marker_hub.table import Role, TableConfig

    table = core.new_table(TableConfig(id="1", name="1"))
    steps: list[entries.Body] = [entries.HubStarted("t")]
    players = {"A": entries.PlayerInfo("Alfa"), "B": entries.PlayerInfo("Beta")}
    start = commands.MatchStart(
        key="k", id="m", game="five-pins", players=players, options={"points_limit": 60, "games": 3}, opener="A", ball_of_a="white"
    )  # fmt: skip
    for number in range(1, 4):
        desired = core.desired(table)
        for topic, payload in (
            (Topic.SCORE, desired.score),
            (Topic.SHOT, desired.shot_topic),
            (Topic.DISPLAY, desired.display),
        ):
            if payload is not None:
                wire.decode(topic, json.dumps(payload).encode())
        if number == 2:
            made = core.propose(table, start, Role.REFEREE, 1)
            assert isinstance(made, tuple)
            steps = list(made)
        if steps:
            table, _ = core.step(table, entries.Entry("1", number, steps.pop(0), number, number))
