"""A simulated hall for measurements: nodes that play five-pins shots as records, a referee who accepts.

The stories are short and always the same kind (a ball met, pins felled, cushions hit); what is measured is the hub, not play.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from marker_hardware.wire import Kind, Mode, Topic
from marker_hub import commands, wire
from marker_hub.entries import PlayerInfo

PIN_CHANNELS = range(5)
CLICK = 22
RAILS = range(16, 20)
PINS = ("C", "N", "E", "S", "W")


def birth(table: int) -> dict[str, Any]:
    """A birth of the node of table number `table`, boot 1."""
    names = [*PINS, "PZ1", "PZ2", "PZ3", "PZ4", "CLICK", "BTN_YES", "BTN_NO", "BTN_STILL", "BTN_UNDO"]
    return {
        "online": True,
        "boot": 1,
        "v": 1,
        "fw": "bench",
        "uid": f"{table:016x}",
        "reset": "power_on",
        "cfg": "0",
        "profile": "carom5",
        "mode": 1,
        "floor": 0,
        "tail": 0,
        "head": 0,
        "t": 1000,
        "channels": dict.fromkeys(names, 0),
        "pins": {pin: [0, 0] for pin in PINS},
        "unc_us": {"pin": 10000, "rail": 600, "click": 600, "button": 1000},
    }


@dataclass(slots=True)
class BenchNode:
    """Records of one node in order; `publish(suffix, payload)` sends."""

    table: int
    publish: Callable[[str, bytes], None]
    seed: int = 1
    seq: int = 0
    t: int = 2_000_000
    mode: int = 1
    shot: int = 0
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        """Seeded per table, so that two runs send the same."""
        self.random = random.Random(self.seed * 1000 + self.table)

    def born(self) -> None:
        """Say who is there."""
        self.publish("state", msgspec.json.encode(birth(self.table)))

    def batch(self, records: list[tuple[int, int, int, int, int]]) -> bytes:
        """The payload of the next records."""
        payload = msgspec.json.encode({"b": 1, "s": self.seq, "e": records})
        self.seq += len(records)
        return payload

    def send(self, records: list[tuple[int, int, int, int, int]], per_message: int = 4) -> None:
        """Publish records in messages of a few."""
        for start in range(0, len(records), per_message):
            self.publish("ev", self.batch(records[start : start + per_message]))

    def on_command(self, payload: bytes) -> None:
        """Do what the hub says and acknowledge."""
        command = wire.decode(Topic.CMD, payload)
        if isinstance(command, wire.Arm):
            self.mode, self.shot = int(Mode.ARMED), command.shot
        elif isinstance(command, wire.SetMode):
            self.mode = int(command.mode)
        self.send([(self.t, 63, int(Kind.MODE), self.mode, self.shot & 0xFFFF)])
        self.acknowledge(payload)

    def acknowledge(self, payload: bytes) -> None:
        """Only the answer to a command."""
        command = wire.decode(Topic.CMD, payload)
        ack = {"id": command.id, "ok": True, "code": 0, "boot": 1, "head": self.seq}
        self.publish("cmd/ack", msgspec.json.encode(ack))

    def stroke(self) -> tuple[list[tuple[int, int, int, int, int]], list[str]]:
        """Records of one shot and the pins it felled."""
        self.t += 1_500_000
        t = self.t
        draw = self.random
        rows = [(t, CLICK, int(Kind.HIT), 900, 0), (t + 250_000, CLICK, int(Kind.HIT), 500, 0)]
        felled = draw.sample(range(5), draw.choice((0, 0, 1, 1, 2, 3)))
        at = t + 300_000
        for pin in felled:
            at += draw.randrange(5_000, 60_000)
            rows += [
                (at, pin, int(Kind.MOVE), 480, 0x3A00),
                (at + 20_000, pin, int(Kind.LOST), 1, 0x0300),
                (at + 110_000, pin, int(Kind.LOST), 2, 0x0300),
                (at + 300_000, pin, int(Kind.STATE), 3, 0x0A00),
            ]
        for _ in range(draw.randrange(2, 6)):
            at += draw.randrange(100_000, 400_000)
            rows.append((at, draw.choice(list(RAILS)), int(Kind.HIT), 700, 0))
        self.t = max(row[0] for row in rows) + 1_000_000
        return rows, [PINS[pin] for pin in felled]

    def respot(self, pins: list[str]) -> None:
        """The felled pins stand again."""
        if pins:
            self.t += 2_000_000
            self.send([(self.t + 1000 * i, PINS.index(pin), int(Kind.STATE), 0, 0) for i, pin in enumerate(pins)])


def start_match(table: int) -> commands.MatchStart:
    """A long match, so that the measurement ends before it does."""
    players: dict[commands.Who, PlayerInfo] = {"A": PlayerInfo("Alfa"), "B": PlayerInfo("Beta")}
    return commands.MatchStart(
        key=f"bench-{table}",
        id=f"bench-{table}",
        game="five-pins",
        players=players,
        options={"points_limit": 100_000, "games": 1},
        opener="A",
        ball_of_a="white",
    )


def payloads(tables: int, events: int, per_message: int = 4) -> Iterator[tuple[int, bytes]]:
    """(table, `ev` payload) of shots at several tables in turn, until so many records were made."""
    nodes = [BenchNode(number, lambda _suffix, _payload: None) for number in range(1, tables + 1)]
    made = 0
    while made < events:
        for node in nodes:
            rows, pins = node.stroke()
            rows += [(node.t + i, PINS.index(pin), int(Kind.STATE), 0, 0) for i, pin in enumerate(pins)]
            for start in range(0, len(rows), per_message):
                yield node.table, node.batch(rows[start : start + per_message])
            made += len(rows)
