"""A table driven as the service drives it: propose, journal, step; with a node that knows its own clock.

After every test the journal of every driver is folded anew and must give the same table (replay = live), also through a
snapshot taken in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from marker_hardware import wire
from marker_hardware.codes import Flag, Kind, Latch, Mode, PinState
from marker_hub import commands as c
from marker_hub import entries as e
from marker_hub import projections
from marker_hub import table as core

PINS = ("C", "N", "E", "S", "W")
PLAYERS: dict[Any, e.PlayerInfo] = {"A": e.PlayerInfo("Ёжиков", "Ян", "ru"), "B": e.PlayerInfo("D'Àrsié", "Ugo", "it")}


class Driver:
    """One table, its journal and its node. Times: `now` hub us, `t` device us (they differ by OFFSET)."""

    OFFSET = 5_000_000

    def __init__(self, **config: Any) -> None:
        self.config = core.TableConfig(**{"id": "t1", "name": "1", "no": 1, **config})
        self.table = core.new_table(self.config)
        self.journal: list[e.Entry] = []
        self.effects: list[Any] = []
        self.now = 100_000_000
        self.boot = 1
        self.seq = 0
        self.keys = 0
        self.acked = ""
        self.mode = "idle"
        self.answer_commands = True

    # --- journal -------------------------------------------------------------------------------------------------

    def put(self, body: e.Body, **envelope: Any) -> None:
        entry = e.Entry(
            tbl="t1", n=len(self.journal) + 1, body=body, mono_us=self.now, wall_ms=1_700_000_000_000, **envelope
        )
        entry = e.decode_entry(e.encode_entry(entry))
        self.journal.append(entry)
        self.table, effects = core.step(self.table, entry)
        self.effects += effects
        self._node_follows()

    def _node_follows(self) -> None:
        """The node does what it is told at once and acknowledges with its head."""
        if not self.answer_commands or self.table.link.online is not True:
            return
        wanted = core.desired(self.table)
        if wanted.command_id != self.acked:
            self.acked = wanted.command_id
            said = None
            if wanted.command == "arm" or wanted.mode != self.mode:
                self.mode = wanted.mode
                said = self.record("NODE", Kind.MODE, Mode[wanted.mode.upper()], wanted.shot & 0xFFFF)
            self.put(e.Head(self.boot, self.seq, wanted.command_id))
            if said is not None:
                self.deliver(said)

    def do(self, command: c.Command, role: core.Role = core.Role.REFEREE) -> None:
        """A command that must be possible."""
        made = core.propose(self.table, self.looking(command), role, self.now)
        assert not isinstance(made, core.Refusal), (made, self.phase)
        self.keys += 1
        for at, body in enumerate(made):
            self.put(body, key=f"k{self.keys}" if at == 0 else None, role=role.value)

    def looking(self, command: c.Command) -> c.Command:
        """As sent by somebody who looks at the table as it is now; `seen` that a test gives is kept."""
        if isinstance(command, c.Accept) and not command.seen:
            return msgspec.structs.replace(command, seen=self.table.n)
        return command

    def refuse(self, command: c.Command, role: core.Role = core.Role.REFEREE) -> core.Refusal:
        """A command that must be refused."""
        made = core.propose(self.table, self.looking(command), role, self.now)
        assert isinstance(made, core.Refusal), (made, self.phase)
        return made

    def wait(self, seconds: float) -> None:
        """Let time pass; deadlines are journalled as the service does it."""
        end = self.now + int(seconds * 1e6)
        while (due := core.deadline(self.table)) is not None and due[0] <= end:
            self.now = max(self.now, due[0])
            before = self.table
            body = core.due_body(self.table)
            assert body is not None
            self.put(body)
            assert core.deadline(self.table) != due or self.table is not before
        self.now = end

    # --- node ----------------------------------------------------------------------------------------------------

    @property
    def t(self) -> int:
        return self.now - self.OFFSET

    def birth(self, sick: dict[str, int] | None = None, **fields: Any) -> None:
        channels = dict.fromkeys(wire.channels(self.config.profile), 0)
        channels |= {wire.channel_number(name): code for name, code in (sick or {}).items()}
        self.put(e.Birth(boot=self.boot, uid="u1", head=self.seq, tail=self.seq, channels=channels, **fields), node=1)

    def record(self, name: str, kind: Kind, v: int = 0, aux: int = 0, t: int | None = None) -> e.Entry:
        """A record as an entry that is not journalled yet."""
        entry = e.Entry(
            tbl="t1",
            n=0,
            body=e.Obs(wire.channel_number(name), kind.value, v, aux),
            mono_us=0,
            wall_ms=0,
            node=1,
            boot=self.boot,
            seq=self.seq,
            dev_us=self.t if t is None else t,
        )
        self.seq += 1
        return entry

    def deliver(self, entry: e.Entry) -> None:
        """A record arrives; the journal's unique index drops a second copy, the fold must not need it."""
        self.put(entry.body, node=entry.node, boot=entry.boot, seq=entry.seq, dev_us=entry.dev_us)

    def obs(self, name: str, kind: Kind, v: int = 0, aux: int = 0) -> None:
        self.deliver(self.record(name, kind, v, aux))

    def click(self, flag: Flag | int = 0) -> None:
        self.obs("CLICK", Kind.HIT, 900, int(flag))

    def rail(self, name: str = "PZ1", flag: Flag | int = 0) -> None:
        self.obs(name, Kind.HIT, 700, int(flag))

    def fall(self, pin: str) -> None:
        self.obs(pin, Kind.MOVE, 400)
        self.obs(pin, Kind.LOST, Latch.YES)
        self.obs(pin, Kind.STATE, PinState.FALLEN)

    def stand(self, *pins: str) -> None:
        for pin in pins or PINS:
            self.obs(pin, Kind.STATE, PinState.STANDING)

    def drop(self, gate: str, aux: int = 0) -> None:
        self.obs(gate, Kind.DROP, 60, aux)

    # --- views ---------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return self.table.phase

    @property
    def view(self) -> dict[str, Any]:
        return projections.table_view(self.table, self.now)

    @property
    def sheet(self) -> dict[str, Any]:
        return projections.sheet_view(self.table)

    @property
    def score(self) -> tuple[int, int]:
        players = self.view["players"]
        return players["A"]["score"], players["B"]["score"]

    def notices(self) -> set[str]:
        return {notice["code"] for notice in self.view["notices"]}

    # --- whole acts ----------------------------------------------------------------------------------------------

    def five_pins(self, **fields: Any) -> None:
        """A match with the opener given, up to the first stroke."""
        options = {"points_limit": 50, "games": 3, **fields.pop("options", {})}
        self.do(c.MatchStart(game="five-pins", players={**PLAYERS}, options=options, **{"opener": "A", **fields}))
        if self.phase == "placing":
            self.do(c.Ready())

    def pyramid(self, game: str = "free-pyramid", **fields: Any) -> None:
        """A match of pyramid with the breaker given, up to the break."""
        options = {"race_to": 2, **fields.pop("options", {})}
        self.do(c.MatchStart(game=game, players={**PLAYERS}, options=options, **{"opener": "A", **fields}))  # type: ignore[arg-type]
        if self.phase == "placing":
            self.do(c.Ready())

    def pots(self, *gates: str, accept: bool = True, **answers: str) -> None:
        """A pyramid shot with balls through these gates; the answers are given where the sheet asks for them."""
        self.click()
        self.now += 400_000
        self.click()
        for gate in gates:
            self.now += 700_000
            self.drop(gate)
        self.now += 300_000
        self.rail()
        self.now += 2_000_000
        self.do(c.Still())
        self.decide(**answers)
        if accept:
            self.do(c.Accept())

    def decide(self, **answers: str) -> None:
        """Answer what is asked: as given here, else the first answer of a row that has none selected."""
        for _ in range(8):
            open_rows = [
                row for row in self.sheet["rows"] if row["origin"] == "needed" or answers.get(row["id"], "") != ""
            ]
            row = next(
                (row for row in open_rows if row["selected"] != answers.get(row["id"], row["selected"] or "")), None
            )
            if row is None:
                return
            options = [answer["id"] for answer in row["answers"]]
            wanted = answers.get(row["id"])
            self.do(c.Answer(question=row["id"], answer=wanted if wanted in options else options[0]))

    def shot(self, pins: str = "", clicks: int = 1, rails: int = 1) -> None:
        """A stroke with its records, until the balls are said to rest."""
        self.click()
        for _ in range(clicks):
            self.now += 300_000
            self.click()
        for pin in pins:
            self.now += 100_000
            self.fall(pin)
        for _ in range(rails):
            self.now += 400_000
            self.rail()
        self.now += 2_000_000
        self.do(c.Still())

    def respot(self) -> None:
        """Pins up again."""
        self.now += 3_000_000
        down = [pin for pin in PINS if self.table.seats.seat(pin).value != "standing"]
        if down:
            self.stand(*down)
        if self.phase == "placing":
            self.do(c.Ready())

    def answer_all(self, **answers: str) -> None:
        """Answer rows as long as they are on the sheet."""
        for question, answer in answers.items():
            if any(row["id"] == question for row in self.sheet["rows"]):
                self.do(c.Answer(question=question, answer=answer))

    def play(self, pins: str = "", **answers: str) -> None:
        """A whole shot: stroke, answers, acceptance, pins up."""
        self.shot(pins)
        self.answer_all(**{"Q1": "opponent", "Q2": "nobody", "Q3": "no", **answers})
        self.do(c.Accept())
        if self.phase in ("respotting", "placing"):
            self.respot()


def check_replay(driver: Driver) -> None:
    """The journal folded anew is the table; so is a snapshot taken half-way with the rest folded on top."""
    half = len(driver.journal) // 2
    table = core.new_table(driver.config)
    for entry in driver.journal[:half]:
        table, _ = core.step(table, entry)
    raw = core.dump(table)
    other = core.load(driver.config, raw)
    assert core.state_hash(other) == core.state_hash(table)
    for entry in driver.journal[half:]:
        table, _ = core.step(table, entry)
        other, _ = core.step(other, entry)
    assert core.state_hash(table) == core.state_hash(driver.table)
    assert core.state_hash(other) == core.state_hash(driver.table)
    assert projections.table_view(table, driver.now) == driver.view
    assert projections.table_view(other, driver.now) == driver.view
    assert projections.sheet_view(table) == driver.sheet


@pytest.fixture
def drivers() -> Iterator[Any]:
    """Makes drivers; after the test each of them must equal its own replay."""
    made: list[Driver] = []

    def make(*, born: bool = True, **config: Any) -> Driver:
        driver = Driver(**config)
        made.append(driver)
        driver.put(e.HubStarted("test"))
        if born:
            driver.birth()
            if driver.config.profile == "carom5":
                driver.stand()
        return driver

    yield make
    for driver in made:
        check_replay(driver)


@pytest.fixture
def free(drivers: Any) -> Driver:
    """A match of free pyramid, A to break, table armed."""
    driver: Driver = drivers(profile="pyramid")
    driver.pyramid()
    assert driver.phase == "armed"
    return driver


@pytest.fixture
def carom(drivers: Any) -> Driver:
    """A five-pins match, A to play the opening stroke, table armed."""
    driver: Driver = drivers()
    driver.five_pins()
    assert driver.phase == "armed"
    return driver
